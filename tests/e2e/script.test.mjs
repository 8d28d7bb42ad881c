// The script, its marks in time, the steps taken, and the scenario as JSON.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually, ownLink } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

async function opened() {
  const { page, problems } = await site.open(ownLink("1s"));
  const desk = new Desk(page);
  await desk.speed("max");
  await desk.finished();
  await desk.panel("Script");
  return { desk, page, problems };
}

const script = async (desk) => (await engine.decode(await desk.link())).script;

test("a change is added, changed, moved in time by its field, by key and by hand, and removed", async () => {
  const { desk, page, problems } = await opened();
  await desk.at("script-add").selectOption("write to a cgroup");
  await eventually(() => script(desk), [{ at: "500ms", cgroup: { path: "/a", weight: 200 } }]);
  await desk.at("script-action").fill('{"cgroup":{"path":"/a","weight":99999}}');
  await desk.at("script-action").press("Enter");
  await page.getByRole("alert").filter({ hasText: "weight" }).waitFor();
  await desk.at("script-action").fill('{"cgroup":{"path":"/a","weight":400}}');
  await desk.at("script-action").press("Enter");
  await page.getByLabel("Time of: /a: cpu.weight = 400").fill("250ms");
  await page.getByLabel("Time of: /a: cpu.weight = 400").press("Enter");
  await eventually(() => script(desk), [{ at: "250ms", cgroup: { path: "/a", weight: 400 } }]);
  const mark = desk.at("time-bar").getByRole("button");
  await mark.focus();
  await page.keyboard.press("ArrowRight");
  await eventually(async () => (await script(desk))[0].at, "260ms");
  const box = await desk.at("time-bar").locator(".track").boundingBox();
  const at = await mark.boundingBox();
  await page.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, at.y, { steps: 4 });
  await page.mouse.up();
  await eventually(async () => Number.parseInt((await script(desk))[0].at, 10), (ms) => Math.abs(ms - 750) <= 5, "dragged");
  await desk.endsIn(await engine.digests(await desk.link()));
  await mark.focus();
  await page.keyboard.press("Delete");
  await eventually(() => script(desk), undefined);
  assert.deepEqual(problems, []);
});

test("every step has its name, and any is one click away", async () => {
  const { desk, page, problems } = await opened();
  const seed = async (text) => {
    await desk.at("seed").fill(text);
    await desk.at("seed").press("Enter");
  };
  for (const text of ["2", "3", "4"]) await seed(text);
  const steps = desk.at("steps");
  await steps.locator("> summary").click();
  await steps.getByRole("button", { name: "set the seed to 2" }).click();
  await eventually(() => desk.at("seed").inputValue(), "2");
  await steps.getByRole("button", { name: "set the seed to 4" }).click();
  await eventually(() => desk.at("seed").inputValue(), "4");
  await steps.getByRole("button", { name: "as it was opened" }).click();
  await eventually(() => desk.at("seed").inputValue(), "1");
  assert.equal(await desk.at("undo").isDisabled(), true);
  assert.deepEqual(problems, []);
});

test("the JSON is edited, its faults are found in their place, and nothing typed is lost", async () => {
  const { desk, page, problems } = await opened();
  await desk.at("json").locator("> summary").click();
  const area = desk.at("json-text");
  const written = await area.inputValue();
  await area.fill(written.replace('"threads": 9', '"thread": 9'));
  const fault = desk.at("json-problems").getByRole("button").first();
  await fault.filter({ hasText: "threads" }).waitFor();
  assert.equal(await desk.at("json-use").isDisabled(), true);
  await fault.click();
  const chosen = await area.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd));
  assert.match(chosen, /9/);
  await desk.panel("Kernel");
  await desk.panel("Script");
  assert.match(await area.inputValue(), /"thread": 9/, "what was typed is there when one comes back");
  await area.fill(written.replace('"threads": 9', '"threads": 5'));
  await area.press("Control+Enter");
  await eventually(async () => (await engine.decode(await desk.link())).tasks[0].threads, 5);
  await desk.endsIn(await engine.digests(await desk.link()));
  await page.locator("body").press("Control+z");
  await eventually(async () => (await engine.decode(await desk.link())).tasks[0].threads, 9);
  assert.deepEqual(problems, []);
});
