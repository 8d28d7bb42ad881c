// The examples with their pictures, the first steps, help and the themes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually, ownLink } from "./desk.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

test("every preset is an example with a picture; one is found by words, opened by keyboard, and undone", async () => {
  const { page, problems } = await site.open(ownLink("200ms"));
  const desk = new Desk(page);
  const own = await desk.name();
  await desk.at("examples").click();
  const presets = await desk.at("preset").locator("option").evaluateAll((all) => all.map((option) => option.value).filter(Boolean));
  const pictures = await page.evaluate(async () => Object.keys(await (await fetch("static/gallery.json")).json()));
  assert.ok(presets.length >= pictures.length && pictures.length >= 30);
  for (const name of pictures) {
    const card = desk.at(`example-${name}`);
    const busy = card.locator("path.busy, path.idle");
    await eventually(
      () => busy.evaluateAll((paths) => paths.map((path) => path.getAttribute("d").length).reduce((a, b) => a + b, 0)),
      (drawn) => drawn > 100,
      `${name} has a picture`,
    );
    assert.match(await card.locator(".about").textContent(), /\.$/);
  }
  await eventually(() => page.evaluate(() => document.activeElement?.dataset.testid), "example-search");
  await page.keyboard.type("hackbench genoa");
  await eventually(() => page.locator("[data-testid^=example-]:not(input)").count(), (count) => count >= 1 && count < 4);
  await desk.at("example-search").fill("hogs separate cgroups");
  await eventually(() => desk.at("example-genoa-hackbench").count(), 0);
  await desk.at("example-search").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await eventually(() => desk.at("preset").inputValue(), "lu-group");
  await eventually(() => desk.at("gallery").count(), 0, "the view is the machine's again");
  await desk.at("undo").click();
  await eventually(() => desk.name(), own, "one's own work is one step away");
  assert.deepEqual(problems, []);
});

test("the examples are put away by Escape, by their button and by touch", async () => {
  const { page, problems } = await site.open("", { hasTouch: true, viewport: { width: 390, height: 844 } });
  const desk = new Desk(page);
  await desk.at("examples").tap();
  await desk.at("example-laptop-mix").waitFor();
  await page.keyboard.press("Escape");
  await eventually(() => desk.at("gallery").count(), 0);
  await desk.at("examples").tap();
  await desk.at("gallery-close").tap();
  await eventually(() => desk.at("gallery").count(), 0);
  await desk.at("examples").tap();
  await desk.at("example-laptop-mix").tap();
  await eventually(() => desk.at("preset").inputValue(), "laptop-mix");
  assert.deepEqual(problems, []);
});

test("the first steps are four, stay away once read, and come back from Help", async () => {
  const { page, problems } = await site.open(ownLink("200ms"));
  const desk = new Desk(page);
  const guide = desk.at("guide");
  for (const step of [1, 2, 3, 4]) {
    await guide.getByText(`${step} of 4`).waitFor();
    await desk.at("guide-next").click();
  }
  await eventually(() => guide.count(), 0);
  await page.reload();
  await desk.at("examples").waitFor();
  assert.equal(await guide.count(), 0);
  await desk.at("help").click();
  await desk.at("guide-again").click();
  await guide.getByText("1 of 4").waitFor();
  await eventually(() => desk.at("terms").count(), 0, "Help has made room");
  await desk.at("guide-close").click();
  await eventually(() => guide.count(), 0);
  assert.deepEqual(problems, []);
});

test("Help finds terms by words, and the page's terms are explained on hover, on focus and by touch", async () => {
  const { page, problems } = await site.open(ownLink("200ms"), { hasTouch: true });
  const desk = new Desk(page);
  await desk.at("help").click();
  await desk.at("term-search").fill("per cent busier");
  await desk.at("terms").getByText("imbalance_pct", { exact: true }).waitFor();
  await eventually(() => desk.at("terms").locator("dt").count(), (count) => count < 5);
  await page.keyboard.press("Escape");
  await eventually(() => page.evaluate(() => document.activeElement?.dataset.testid), "help", "the focus is where it came from");
  await desk.panel("Tasks");
  const term = page.locator("#cgroups-title .term");
  await term.hover();
  await term.locator(".bubble").waitFor();
  await page.mouse.move(2, 2);
  await eventually(() => term.locator(".bubble").count(), 0);
  await term.focus();
  await term.locator(".bubble").getByText("all versions", { exact: false }).waitFor();
  await page.keyboard.press("Escape");
  await eventually(() => term.locator(".bubble").count(), 0);
  assert.deepEqual(problems, []);
});

test("the theme is chosen, drawn, and kept", async () => {
  const { page, problems } = await site.open(ownLink("200ms"), { colorScheme: "light" });
  const desk = new Desk(page);
  await desk.speed("max");
  await desk.finished();
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const seen = new Map([["auto", [await background(), (await desk.picture("machine-a")).checksum]]]);
  for (const theme of ["dark", "contrast"]) {
    await desk.theme(theme);
    const before = [...seen.values()].map(([, checksum]) => checksum);
    const { checksum } = await eventually(
      () => desk.picture("machine-a"),
      ({ checksum }) => !before.includes(checksum),
      `the machine is drawn in the colours of ${theme}`,
    );
    seen.set(theme, [await background(), checksum]);
  }
  assert.equal(new Set([...seen.values()].map(([colour]) => colour)).size, 3);
  await page.reload();
  await desk.finished();
  assert.equal(await background(), seen.get("contrast")[0]);
  assert.deepEqual(problems, []);
});
