// The page without a mouse: by keyboard, and by touch.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually, luGroup } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

/** What has the focus: its test id or words, and whether that can be seen. */
async function focus(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const style = getComputedStyle(element);
    const { width, height, right, bottom, left, top } = element.getBoundingClientRect();
    const outlined = style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 2;
    return {
      name: element.dataset.testid ?? element.getAttribute("aria-label") ?? element.textContent.trim(),
      visible: outlined && width > 0 && height > 0 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight,
    };
  });
}

/** Goes on with the tabulator until `wanted` has the focus; gives all it came by. */
async function tabTo(page, wanted) {
  const passed = [];
  for (let step = 0; step < 80; step += 1) {
    await page.keyboard.press("Tab");
    const at = await focus(page);
    if (at) passed.push(at);
    if (at?.name === wanted) return passed;
  }
  assert.fail(`${wanted} is not reached by the tabulator: ${passed.map((at) => at.name).join(", ")}`);
}

test("by keyboard alone: run, pause, the slider, another kernel, the link", async () => {
  const { page, problems } = await site.open("#p=lu-group&/run/duration=5s", { reducedMotion: "reduce" });
  const desk = new Desk(page);
  await desk.at("run").waitFor();
  await tabTo(page, "run");
  await page.keyboard.press("Space");
  await desk.passed(0);
  await eventually(async () => (await focus(page))?.name, "pause", "the button keeps the focus as it changes");
  await page.keyboard.press("Space");
  await desk.at("run").waitFor();

  await tabTo(page, "copy-link");
  await page.keyboard.press("Enter");
  await desk.at("link-text").waitFor();
  await eventually(async () => (await focus(page))?.name, "link-text", "the link is selected, to be copied");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await eventually(() => desk.at("link-text").count(), 0);

  await tabTo(page, "kernel-a");
  await page.keyboard.type("v5.5");
  await eventually(() => desk.at("kernel-a").inputValue(), "v5.5");

  await tabTo(page, "slider-domain.NUMA.imbalance_pct");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowRight");
  await eventually(() => desk.at("entry-domain.NUMA.imbalance_pct").inputValue(), "127");
  const { kernels } = await engine.decode(await desk.link());
  assert.deepEqual(kernels.map((kernel) => kernel.base), ["v5.5", "v5.5"]);
  assert.deepEqual(kernels.map((kernel) => kernel.set["domain.NUMA.imbalance_pct"]), [127, 127]);
  assert.deepEqual(problems, []);
});

test("the tabulator goes once round the page, and the focus is always seen", async () => {
  const { page } = await site.open(luGroup("300ms"));
  const desk = new Desk(page);
  await desk.finished();
  await page.keyboard.press("Tab");
  const first = await focus(page);
  const passed = [first];
  for (let step = 0; step < 80; step += 1) {
    await page.keyboard.press("Tab");
    const at = await focus(page);
    if (!at) break;
    passed.push(at);
  }
  assert.ok(passed.length < 80, "the focus is not caught anywhere");
  assert.deepEqual(passed.filter((at) => !at.visible).map((at) => at.name), [], "focus out of sight");
  const names = passed.map((at) => at.name);
  for (const wanted of ["preset", "run", "restart", "speed", "copy-link", "theme", "kernel-a", "kernel-b", "entry-domain.NUMA.imbalance_pct", "slider-domain.NUMA.imbalance_pct"]) {
    assert.ok(names.includes(wanted), `${wanted} is among ${names.join(", ")}`);
  }
});

test("tabs are moved along with the arrow keys", async () => {
  const { page } = await site.open(luGroup("300ms"));
  const desk = new Desk(page);
  await desk.finished();
  const selected = () =>
    page.getByRole("tablist", { name: "Parts of the scenario" }).getByRole("tab", { selected: true });
  await tabTo(page, "Kernel");
  await page.keyboard.press("ArrowRight");
  await eventually(() => selected().textContent(), "Script");
  await page.keyboard.press("ArrowRight");
  await eventually(() => selected().textContent(), "Machine");
  await page.keyboard.press("End");
  await eventually(() => selected().textContent(), "Script");
  assert.equal((await focus(page)).name, "Script");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await tabTo(page, "group-toggle");
  await page.keyboard.press("Space");
  await eventually(() => desk.at("group-toggle").isChecked(), false);
});

test("the space bar runs and pauses from anywhere but a field", async () => {
  const { page } = await site.open("#p=lu-group");
  const desk = new Desk(page);
  await desk.passed(0);
  await page.keyboard.press("Space");
  await desk.at("run").waitFor();
  await page.keyboard.press("Space");
  await desk.at("pause").waitFor();
  await desk.at("entry-domain.NUMA.imbalance_pct").focus();
  await page.keyboard.press("Space");
  await desk.passed(await desk.now());
  await desk.at("pause").waitFor();
});

test("by touch, on a small screen: tabs, run and pause, the slider", async () => {
  const small = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page, problems } = await site.open("#p=lu-group&/run/duration=10s", small);
  const desk = new Desk(page);
  await desk.passed(0);
  await desk.at("pause").tap();
  await desk.at("run").waitFor();
  const tab = (name) => page.getByRole("tablist", { name: "Parts of the page" }).getByRole("tab", { name });
  await eventually(() => desk.at("machine-a").isVisible(), true);
  await tab("Results").tap();
  await desk.at("chart-threads").waitFor();
  await eventually(() => desk.at("machine-a").isVisible(), false);
  await eventually(() => desk.picture("chart-threads"), ({ colours }) => colours > 8, "the chart is drawn once in sight");
  await tab("Scenario").tap();
  // The first steps take room on a first visit.
  await desk.at("slider-domain.NUMA.imbalance_pct").scrollIntoViewIfNeeded();
  const box = await desk.at("slider-domain.NUMA.imbalance_pct").boundingBox();
  await page.touchscreen.tap(box.x + box.width * 0.9, box.y + box.height / 2);
  await eventually(async () => Number(await desk.at("entry-domain.NUMA.imbalance_pct").inputValue()), (pct) => pct > 170 && pct <= 200, "the slider follows");
  await tab("Machine").tap();
  await eventually(() => desk.picture("machine-a"), ({ colours }) => colours > 8, "the machine is drawn again");
  await desk.at("run").tap();
  await desk.passed(0);
  await desk.at("pause").waitFor();

  const targets = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input")]
      .filter((element) => element.checkVisibility() && !element.closest(".term, .visually-hidden, .switch"))
      .filter((element) => !element.matches(".term, [type=range]"))
      .map((element) => ({ name: element.dataset.testid ?? element.textContent.trim(), height: element.getBoundingClientRect().height }))
      .filter(({ height }) => height < 43.5),
  );
  assert.deepEqual(targets, [], "targets too small for a finger");
  assert.deepEqual(problems, []);
});
