// The machine is drawn on its picture: with a mouse, by touch, by keyboard.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { Desk, eventually, ownLink } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

/** The page with the picture being edited: two nodes of three cores with two threads each. */
async function opened(options) {
  const { page, problems, context } = await site.open(ownLink("50ms"), options);
  const desk = new Desk(page);
  await desk.speed("max");
  await page.getByRole("tab", { name: "Edit machine" }).click();
  await desk.at("editor-stage").waitFor();
  await part(page, "node 0").waitFor();
  return { desk, page, problems, context };
}

const tree = (page) => page.getByRole("tree", { name: "Parts of the machine, on its picture" });
const part = (page, name) => tree(page).getByRole("treeitem", { name: new RegExp(`^${name},`) });
const machine = async (desk) => (await engine.decode(await desk.link())).machine;
const words = async (desk) => (await machine(desk)).synthetic;

async function centre(locator) {
  const box = await locator.boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Where the picture is: moved and zoomed. */
const view = (desk) => desk.at("editor-picture").evaluate((picture) => picture.style.transform);

/** Goes through a drag with one finger. */
async function fingers(page, from, ...to) {
  const client = await page.context().newCDPSession(page);
  const send = (type, points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  const list = (at) => (Array.isArray(at) ? at : [at]).map(({ x, y }, id) => ({ x, y, id }));
  await send("touchStart", list(from));
  for (const at of to) await send("touchMove", list(at));
  await send("touchEnd", []);
}

test("a handle is dragged: the number goes along, one drag is one step, Escape puts it back", async () => {
  const { desk, page, problems } = await opened();
  const handle = desk.at("handle-0-0");
  assert.equal(await handle.textContent(), "3 cores");
  const steps = async () => (await desk.at("undo").getAttribute("aria-label")) ?? (await desk.at("undo").getAttribute("title"));
  const before = await steps();
  const at = await centre(handle);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 60, at.y, { steps: 4 });
  await page.mouse.move(at.x + 400, at.y, { steps: 8 });
  const held = await desk.at("held").textContent();
  const number = Number.parseInt(held, 10);
  assert.ok(number > 6 && held.includes("instead of 3"), held);
  await eventually(() => desk.at("handle-0-0").textContent(), `${number} cores`, "the picture shows it while it is dragged");
  assert.equal(await steps(), before, "nothing is changed before it is let go");
  await page.keyboard.press("Escape");
  await eventually(() => desk.at("handle-0-0").textContent(), "3 cores");
  await page.mouse.up();
  assert.equal(await steps(), before, "no step");

  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 400, at.y, { steps: 8 });
  await page.mouse.up();
  await eventually(async () => (await machine(desk)).nodes, [
    { llcs: [{ cores: [{ count: number, pus: 2 }] }] },
    { llcs: [{ cores: [{ count: 3, pus: 2 }] }] },
  ]);
  await desk.at("undo").click();
  await eventually(() => words(desk), "node:2 core:3 pu:2", "one drag is one step");
  await desk.at("redo").click();
  await desk.endsIn(await engine.digests(await desk.link()));
  assert.deepEqual(problems, []);
});

test("handles by keyboard: they are sliders, and all that is chosen goes along", async () => {
  const { desk, page, problems } = await opened();
  await part(page, "cache 0 of node 0").focus();
  await page.keyboard.press("Home");
  await part(page, "node 0").press("ArrowRight");
  await eventually(() => part(page, "cache 0 of node 0").getAttribute("aria-selected"), "true");
  await desk.at("handle-0-0").press("ArrowRight");
  await eventually(() => desk.at("handle-0-0").getAttribute("aria-valuenow"), "4");
  await desk.at("handle-0-0").press("PageUp");
  await eventually(() => desk.at("handle-0-0").getAttribute("aria-valuetext"), "8 cores");
  await desk.at("handle").press("ArrowRight");
  await eventually(async () => (await machine(desk)).nodes, [
    { llcs: [{ cores: [{ count: 8, pus: 2 }] }] },
    { count: 2, llcs: [{ cores: [{ count: 3, pus: 2 }] }] },
  ]);
  const head = { position: { x: 30, y: 10 } };
  await part(page, "node 0").click(head);
  await part(page, "node 1").click({ ...head, modifiers: ["Shift"] });
  await desk.at("handle-1").press("ArrowRight");
  await eventually(async () => (await machine(desk)).nodes.map((node) => [node.count ?? 1, node.llcs.map((llc) => llc.count ?? 1)]), [[1, [2]], [1, [2]], [1, [1]]]);
  assert.deepEqual(problems, []);
});

for (const hand of ["mouse", "touch"]) {
  test(`parts are dragged out of the stock onto the picture, by ${hand}`, async () => {
    const { desk, page, problems } = await opened(hand === "touch" ? { hasTouch: true } : {});
    const drag = async (from, to) => {
      const [a, b] = [await centre(from), await centre(to)];
      const between = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
      if (hand === "touch") {
        await fingers(page, a, between, b, b);
      } else {
        await page.mouse.move(a.x, a.y);
        await page.mouse.down();
        await page.mouse.move(between.x, between.y);
        await page.mouse.move(b.x, b.y, { steps: 3 });
        await page.mouse.up();
      }
    };
    await drag(desk.at("stock-core"), part(page, "core 1 of cache 0 of node 1"));
    await eventually(async () => (await machine(desk)).nodes?.[1].llcs, [{ cores: [{ count: 4, pus: 2 }] }]);
    await drag(desk.at("stock-cache"), part(page, "core 0 of cache 0 of node 0"));
    await eventually(async () => (await machine(desk)).nodes[0].llcs, [{ count: 2, cores: [{ count: 3, pus: 2 }] }]);
    await drag(desk.at("stock-memory"), part(page, "node 1"));
    await eventually(async () => (await machine(desk)).nodes[2], { memory: "64GB" });
    await drag(desk.at("stock-node"), part(page, "node 0"));
    await eventually(async () => (await machine(desk)).nodes.length, 4);
    const before = await desk.link();
    await drag(desk.at("stock-node"), page.locator("h1").first());
    assert.equal(await desk.link(), before, "dropped beside the picture it is nothing");
    await desk.endsIn(await engine.digests(await desk.link()));
    assert.deepEqual(problems, []);
  });
}

test("the stock and the parts by keyboard: added, copied, grouped, switched off, removed", async () => {
  const { desk, page, problems } = await opened();
  await desk.at("stock-cache").focus();
  await page.keyboard.press("Enter");
  await part(page, "cache 1 of node 1").waitFor();
  await part(page, "cache 1 of node 1").focus();
  await page.keyboard.press("a");
  await part(page, "core 3 of cache 1 of node 1").waitFor();
  await eventually(() => page.evaluate(() => document.activeElement.id), "box-1-1-3", "what was added has the focus");
  await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.press("g");
  await part(page, "cache 2 of node 1").waitFor();
  await page.keyboard.press("o");
  await eventually(async () => (await machine(desk)).offline, "16-19");
  // Reading the link has taken the focus away.
  await part(page, "cache 2 of node 1").press("d");
  await part(page, "cache 3 of node 1").waitFor();
  assert.equal((await machine(desk)).offline, "16-19", "a copy is on");
  await part(page, "cache 3 of node 1").press("Delete");
  await eventually(() => part(page, "cache 3 of node 1").count(), 0);
  await eventually(() => page.evaluate(() => document.activeElement.id), "box-1", "the part it was in has the focus");
  await desk.endsIn(await engine.digests(await desk.link()));
  assert.deepEqual(problems, []);
});

test("several are chosen with Shift, with a lasso, by touch with a switch; what they have is set for all", async () => {
  const { desk, page, problems } = await opened();
  const chosen = () => tree(page).locator("[aria-selected=true]").evaluateAll((all) => all.map((one) => one.id));
  await part(page, "core 0 of cache 0 of node 0").click();
  await part(page, "core 2 of cache 0 of node 1").click({ modifiers: ["Shift"] });
  await eventually(chosen, ["box-0-0-0", "box-1-0-2"]);
  await desk.at("picked-capacity").fill("512");
  await desk.at("picked-capacity").press("Enter");
  await eventually(async () => (await machine(desk)).nodes.map(({ llcs }) => llcs[0].cores), [
    [{ pus: 2, capacity: 512 }, { count: 2, pus: 2 }],
    [{ count: 2, pus: 2 }, { pus: 2, capacity: 512 }],
  ]);
  const [from, to] = [await part(page, "core 1 of cache 0 of node 0").boundingBox(), await part(page, "core 2 of cache 0 of node 0").boundingBox()];
  await page.keyboard.down("Shift");
  await page.mouse.move(from.x - 2, from.y - 2);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width + 2, to.y + to.height + 2, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await eventually(chosen, ["box-0-0-1", "box-0-0-2"]);
  await desk.at("several").click();
  await part(page, "node 1").click({ position: { x: 30, y: 10 } });
  await eventually(chosen, ["box-0-0-1", "box-0-0-2", "box-1"]);
  await desk.at("several").click();
  await part(page, "core 0 of cache 0 of node 0").click();
  const cpu = desk.at("picked-cpu-1");
  await cpu.click();
  await eventually(async () => (await machine(desk)).offline, "1");
  await desk.endsIn(await engine.digests(await desk.link()));
  assert.deepEqual(problems, []);
});

test("a link between two nodes is clicked and its distance set; the matrix says the same", async () => {
  const { desk, page, problems } = await opened();
  await part(page, "node 0").click({ position: { x: 30, y: 10 } });
  await desk.at("link-0-1").dispatchEvent("click");
  await eventually(() => page.evaluate(() => document.activeElement.id), "link-distance-0-1");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("31");
  await page.keyboard.press("Enter");
  await eventually(async () => (await machine(desk)).distances, [[10, 31], [31, 10]]);
  await desk.panel("Machine");
  await desk.at("distances").locator("> summary").click();
  assert.equal(await page.getByLabel("Distance from node 1 to node 0").inputValue(), "31");
  await desk.at("link-distance-0-1").fill("7");
  await desk.at("link-distance-0-1").press("Enter");
  await page.getByText("11 to 254").waitFor();
  assert.deepEqual((await machine(desk)).distances, [[10, 31], [31, 10]]);
  assert.deepEqual(problems, []);
});

test("the picture is zoomed and moved: wheel, drag, keys, buttons, fit", async () => {
  const { desk, page, problems } = await opened();
  const fit = "translate(0px, 0px) scale(1)";
  await eventually(() => view(desk), fit);
  const stage = await centre(desk.at("editor-stage"));
  await page.mouse.move(stage.x, stage.y);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  const scale = async () => Number(/scale\(([\d.]+)\)/.exec(await view(desk))[1]);
  await eventually(scale, (scale) => scale > 1.5, "closer");
  const before = await view(desk);
  await page.mouse.down();
  await page.mouse.move(stage.x + 80, stage.y + 30, { steps: 4 });
  await page.mouse.up();
  await eventually(() => view(desk), (now) => now !== before, "moved by a drag");
  assert.equal(await tree(page).locator("[aria-selected=true]").count(), 0, "a drag is no click");
  await page.keyboard.press("Tab");
  await desk.at("editor-stage").focus();
  await page.keyboard.press("0");
  await eventually(() => view(desk), fit);
  await page.keyboard.press("+");
  await eventually(scale, 1.25);
  const still = await view(desk);
  await page.keyboard.press("ArrowRight");
  await eventually(() => view(desk), (now) => now !== still, "moved by a key");
  await page.keyboard.press("-");
  await eventually(scale, 1);
  await desk.at("fit").click();
  await eventually(() => view(desk), fit);
  await desk.at("handle-0-0").hover();
  await desk.at("editor-stage").focus();
  await page.keyboard.down(" ");
  await page.mouse.down();
  await page.mouse.move(stage.x, stage.y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up(" ");
  await eventually(() => view(desk), (now) => now !== fit, "with the space bar even a handle moves the picture");
  assert.equal(await words(desk), "node:2 core:3 pu:2");
  await page.getByRole("tab", { name: "Watch" }).click();
  await desk.at("machine-a").focus();
  await page.keyboard.press("0");
  await page.keyboard.press("+");
  const picture = desk.at("machine-a").locator(".picture");
  await eventually(() => picture.evaluate((picture) => picture.style.transform), (now) => now.endsWith("scale(1.25)"), "what runs is zoomed too");
  assert.deepEqual(problems, []);
});

test("two fingers zoom and one moves", async () => {
  const { desk, page, problems } = await opened({ hasTouch: true, viewport: { width: 390, height: 844 } });
  const { x, y } = await centre(desk.at("editor-stage"));
  await fingers(page, [{ x: x - 20, y }, { x: x + 20, y }], [{ x: x - 50, y }, { x: x + 50, y }], [{ x: x - 90, y }, { x: x + 90, y }]);
  await eventually(() => view(desk), (now) => Number(/scale\(([\d.]+)\)/.exec(now)[1]) > 2, "closer");
  const before = await view(desk);
  await fingers(page, { x, y }, { x: x + 20, y: y + 20 }, { x: x + 60, y: y + 50 });
  await eventually(() => view(desk), (now) => now !== before, "moved");
  assert.deepEqual(problems, []);
});

for (const hand of ["mouse", "touch"]) {
  test(`a task and a cgroup are dragged onto a node and a cache of the picture, by ${hand}`, async () => {
    const { desk, page, problems } = await opened(hand === "touch" ? { hasTouch: true } : {});
    await desk.panel("Tasks");
    const rows = desk.at("task-tree").locator("li");
    const drag = async (name, b) => {
      const a = await centre(rows.filter({ hasText: name }).last().locator(".grip").first());
      if (hand === "touch") return fingers(page, a, { x: a.x + 30, y: a.y }, b, b);
      await page.mouse.move(a.x, a.y);
      await page.mouse.down();
      await page.mouse.move(b.x, b.y, { steps: 4 });
      return page.mouse.up();
    };
    const corner = async (locator, y) => {
      const box = await locator.boundingBox();
      return { x: box.x + 40, y: box.y + y };
    };
    const menu = desk.at("drop-menu");
    const choices = () => menu.getByRole("button").evaluateAll((all) => all.map((button) => button.getAttribute("aria-label") ?? button.textContent));
    const task = async (name) => (await engine.decode(await desk.link())).tasks.find((task) => task.name === name);
    await drag(/^spin/, await corner(part(page, "node 1"), 12));
    await menu.waitFor();
    assert.deepEqual(await choices(), ["Cancel", "Start on node 1", "Bind to node 1"]);
    await menu.getByRole("button", { name: "Bind to node 1" }).click();
    await eventually(async () => (await task("spin")).affinity, "6-11");
    await drag(/^b/, await corner(part(page, "cache 0 of node 0"), 8));
    await menu.waitFor();
    assert.deepEqual(await choices(), ["Cancel", "Start on cache 0", "Bind to cache 0", "Start on node 0", "Bind to node 0"]);
    await menu.getByRole("button", { name: "Start on cache 0" }).click();
    await eventually(async () => (await task("tick")).fork, { on: "0-5" });
    await page.getByRole("tab", { name: "Watch" }).click();
    await desk.at("machine-a").waitFor();
    await drag(/^spin/, await corner(desk.at("machine-a"), 10));
    await menu.waitFor();
    await menu.getByRole("button", { name: "Start on node 0" }).click();
    await eventually(async () => (await task("spin")).affinity, undefined);
    await desk.endsIn(await engine.digests(await desk.link()));
    assert.deepEqual(problems, []);
  });
}

test("a drawn preset keeps its speed, and says whose it is", async () => {
  const { page, problems } = await site.open("#p=lu-group&/run/duration=50ms");
  const desk = new Desk(page);
  await desk.panel("Machine");
  await eventually(() => desk.at("hardware-words").textContent(), (words) => words.includes("A drawing made from it keeps it"));
  await desk.at("edit-picture").click();
  await desk.at("handle-0-0").press("ArrowRight");
  await eventually(async () => (await machine(desk)).hardware, "four-socket-xeon");
  await eventually(() => desk.at("hardware-words").textContent(), (words) => words.includes("Drawn or chosen"));
  await desk.at("wordless").getByText("its nodes are not alike").waitFor();
  await desk.at("machine-hardware").selectOption("zen");
  await eventually(async () => (await machine(desk)).hardware, "zen");
  assert.deepEqual(problems, []);
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing wrong while the picture is edited, ${colorScheme}`, async () => {
    const { desk, page, problems } = await opened({ colorScheme, reducedMotion: "reduce" });
    const faults = {};
    const look = async (name) => {
      const found = await violations(page);
      if (found.length > 0) faults[name] = found;
    };
    await look("as it opens");
    await part(page, "node 0").click({ position: { x: 30, y: 10 } });
    await look("a node with its links");
    await part(page, "core 0 of cache 0 of node 0").click();
    await look("a core");
    await desk.at("domains-toggle").click();
    await desk.at("domains-table").waitFor();
    await look("sched domains");
    await page.getByRole("tab", { name: "Watch" }).click();
    await look("sched domains, watched");
    assert.deepEqual(faults, {});
    assert.deepEqual(problems, []);
  });
}
