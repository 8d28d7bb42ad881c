// Nothing is lost: texts that are typed and not in use, work in a tab that dies, work in two tabs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually, ownLink } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

test("what is typed and refused is there again after other tabs, and after the page is loaded again", async () => {
  const { page, problems } = await site.open(ownLink("200ms"));
  const desk = new Desk(page);
  await desk.panel("Kernel");
  await desk.at("own-rule").locator("> summary").click();
  await desk.at("own-expr").fill("busiest.sum_nr_runing");
  await desk.panel("Script");
  await desk.at("seed").fill("many");
  await desk.at("seed").press("Enter");
  await page.getByText("a whole number, 0 or more").waitFor();
  await desk.at("duration").pressSequentially(" and more");
  await desk.panel("Machine");
  await desk.at("machine-synthetic").fill("node:two");
  await desk.at("machine-synthetic").press("Enter");
  const there = async () => {
    await desk.panel("Kernel");
    await eventually(() => desk.at("own-expr").inputValue(), "busiest.sum_nr_runing");
    await desk.panel("Script");
    await eventually(() => desk.at("seed").inputValue(), "many");
    await page.getByText("a whole number, 0 or more").waitFor();
    await eventually(() => desk.at("duration").inputValue(), (text) => text.includes("and more"));
    await desk.panel("Machine");
    await eventually(() => desk.at("machine-synthetic").inputValue(), "node:two");
  };
  await there();
  await page.reload();
  await there();
  await desk.at("machine-synthetic").press("Escape");
  await eventually(() => desk.at("machine-synthetic").inputValue(), "node:2 core:3 pu:2", "Escape takes it back");
  assert.deepEqual(problems, []);
});

test("what was done in a tab that dies is there in the next", async () => {
  const { context, page } = await site.open(ownLink("200ms"));
  const desk = new Desk(page);
  await desk.panel("Script");
  await desk.at("seed").fill("4711");
  await desk.at("seed").press("Enter");
  // Before the address bar has followed: what counts is what was kept.
  await page.waitForFunction(() =>
    Object.keys(localStorage).some((key) => key.startsWith("teeter.work.") && localStorage[key].includes("4711")),
  );
  const session = await context.newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  session.send("Page.crash").catch(() => {});
  await crashed;
  // The tab is gone for good: another one has its work.
  const next = await context.newPage();
  await next.goto(site.url);
  const again = new Desk(next);
  await again.panel("Script");
  await eventually(() => again.at("seed").inputValue(), "4711");
});

test("a page that is loaded again before the address bar has followed shows the last edit, not the link", async () => {
  const { page } = await site.open(ownLink("200ms"));
  const desk = new Desk(page);
  await desk.panel("Script");
  await desk.at("seed").fill("4712");
  await desk.at("seed").press("Enter");
  await page.reload();
  await desk.panel("Script");
  await eventually(() => desk.at("seed").inputValue(), "4712");
});

test("two tabs do not write over each other, and each other's work is found among the examples", async () => {
  const { context, page: first } = await site.open(ownLink("200ms"));
  const one = new Desk(first);
  const second = await context.newPage();
  await second.goto(new URL(ownLink("300ms"), site.url).href);
  const two = new Desk(second);
  const seed = async (desk, number) => {
    await desk.panel("Script");
    await desk.at("seed").fill(number);
    await desk.at("seed").press("Enter");
    await eventually(async () => (await engine.decode(await desk.fragment())).run?.seed, Number(number), "the address bar follows");
  };
  await seed(one, "1001");
  await seed(two, "2002");
  await seed(one, "3003");
  for (const [page, desk, number] of [[first, one, "3003"], [second, two, "2002"]]) {
    await page.reload();
    await desk.panel("Script");
    await eventually(() => desk.at("seed").inputValue(), number);
  }
  await two.at("examples").click();
  await two.at("pieces").getByRole("button").first().click();
  await two.panel("Script");
  await eventually(() => two.at("seed").inputValue(), "3003");
  await two.at("undo").click();
  await eventually(() => two.at("seed").inputValue(), "2002");
});

test("two thousand edits are undone and done again", async () => {
  const { page, problems } = await site.open(ownLink("100ms"));
  const desk = new Desk(page);
  await desk.panel("Script");
  await page.evaluate(async () => {
    const seed = document.querySelector("[data-testid=seed]");
    for (let number = 1; number <= 2000; number += 1) {
      seed.value = String(number + 10);
      seed.dispatchEvent(new InputEvent("input", { bubbles: true }));
      seed.dispatchEvent(new Event("change", { bubbles: true }));
      if (number % 50 === 0) await new Promise(requestAnimationFrame);
    }
  });
  await eventually(() => desk.at("seed").inputValue(), "2010");
  await desk.at("steps").locator("> summary").click();
  await desk.at("steps").getByRole("button", { name: "as it was opened" }).click();
  await eventually(() => desk.at("seed").inputValue(), "1");
  await page.locator("body").press("Control+Shift+Z");
  await eventually(() => desk.at("seed").inputValue(), "11");
  assert.deepEqual(problems, []);
});
