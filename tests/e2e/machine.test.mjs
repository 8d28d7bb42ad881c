// The machine is drawn in parts: by keyboard, by its buttons, in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually, ownLink } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

async function opened(options) {
  const { page, problems } = await site.open(ownLink("50ms"), options);
  const desk = new Desk(page);
  await desk.speed("max");
  await desk.finished();
  await desk.panel("Machine");
  const part = (name) => desk.at("parts").getByRole("treeitem", { name });
  return { desk, page, problems, part };
}

const machine = async (desk) => (await engine.decode(await desk.link())).machine;

test("by keyboard alone: stretched, copied, moved, and taken away", async () => {
  const { desk, page, problems, part } = await opened();
  await part(/^machine/).focus();
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press("ArrowDown", "ArrowRight", "ArrowDown", "+");
  await part(/^cache 0 ?4 cores/).waitFor();
  await eventually(() => desk.at("machine-synthetic").inputValue(), "", "two nodes that differ have no words");
  await press("ArrowLeft", "d");
  await eventually(async () => (await machine(desk)).nodes, [
    { count: 2, llcs: [{ cores: [{ count: 4, pus: 2 }] }] },
    { llcs: [{ cores: [{ count: 3, pus: 2 }] }] },
  ]);
  await part(/^node 2/).click();
  await press("Delete");
  await eventually(async () => (await machine(desk)).synthetic, "node:2 l3:1 core:4 pu:2", "alike again, it is in words");
  await eventually(() => desk.at("machine-synthetic").inputValue(), "node:2 l3:1 core:4 pu:2");
  await page.locator("body").press("Control+z");
  await eventually(async () => (await machine(desk)).nodes?.length, 2, "each is a step");
  await desk.endsIn(await engine.digests(await desk.link()));
  assert.deepEqual(problems, []);
});

test("by touch: several parts at once, a node of memory, less capacity, CPUs off, distances", async () => {
  const { desk, page, problems, part } = await opened({ hasTouch: true });
  const type = async (id, text) => {
    await desk.at(id).fill(text);
    await desk.at(id).press("Enter");
  };
  await page.getByRole("button", { name: "Add memory only" }).tap();
  await part(/^node 2 ?memory only/).waitFor();
  await type("part-memory", "16GB");
  await part(/^node 1/).tap();
  await type("part-capacity", "512");
  await part(/^machine/).tap();
  await type("part-offline", "1");
  await desk.at("distances").locator("> summary").tap();
  await page.getByLabel("Distance from node 0 to node 2").fill("32");
  await page.getByLabel("Distance from node 0 to node 2").press("Enter");
  await page.getByLabel("Distance from node 0 to node 1").fill("5");
  await page.getByLabel("Distance from node 0 to node 1").press("Enter");
  await page.getByText("11 to 254").waitFor();
  const drawn = await machine(desk);
  assert.deepEqual(drawn.distances, [[10, 20, 32], [20, 10, 20], [32, 20, 10]]);
  assert.equal(drawn.offline, "1");
  assert.deepEqual(drawn.nodes, [
    { llcs: [{ cores: [{ count: 3, pus: 2 }] }] },
    { llcs: [{ cores: [{ count: 3, pus: 2, capacity: 512 }] }] },
    { memory: "16GB" },
  ]);
  await desk.endsIn(await engine.digests(await desk.link()));
  await part(/^node 0/).tap();
  await part(/^node 1/).click({ modifiers: ["Shift"] });
  await type("part-pus", "1");
  await eventually(async () => (await machine(desk)).nodes.slice(0, 2).map((node) => node.llcs[0].cores[0]?.pus ?? 1), [1, 1]);
  assert.deepEqual(problems, []);
});
