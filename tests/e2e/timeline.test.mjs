// CPUs over time: by mouse, touch and keys, from the whole run to single microseconds, with why.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually, luGroup } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

class Timeline {
  constructor(desk) {
    this.desk = desk;
    this.page = desk.page;
    this.figure = desk.at("timeline");
    this.stage = desk.at("timeline-stage");
  }

  /** Both ends of the view, ns. */
  async view() {
    return this.figure.evaluate((figure) => [Number(figure.dataset.fromNs), Number(figure.dataset.toNs)]);
  }

  async span() {
    const [from, to] = await this.view();
    return to - from;
  }

  async words() {
    return this.desk.at("timeline-words").textContent();
  }

  /** Waits until what is in view was simulated again. */
  async inFull() {
    await eventually(() => this.figure.getAttribute("data-detail"), "true", "the view is simulated again");
  }

  /** A place of the picture: a share of its width, and so many pixels below the axis. */
  async point(share, down = 30) {
    const box = await this.stage.boundingBox();
    return { x: box.x + 47 + share * (box.width - 50), y: box.y + 21 + down };
  }
}

async function opened(link, options) {
  const { page, problems, context } = await site.open(link, options);
  const desk = new Desk(page);
  await desk.speed("max");
  const digests = await desk.finished();
  await desk.at("timeline").scrollIntoViewIfNeeded();
  return { desk, page, problems, context, digests, timeline: new Timeline(desk) };
}

test("keys zoom, move and walk, and the words follow", async () => {
  const { page, timeline, problems } = await opened(luGroup("400ms"));
  await timeline.stage.focus();
  assert.equal(await timeline.span(), 400e6);
  await page.keyboard.press("w");
  await eventually(() => timeline.span(), (span) => span < 300e6, "w zooms in");
  const [from] = await timeline.view();
  await page.keyboard.press("d");
  await eventually(() => timeline.view(), ([now]) => now > from, "d moves on");
  await page.keyboard.press("Home");
  await eventually(() => timeline.span(), 400e6);
  await page.keyboard.press("ArrowRight");
  await eventually(() => timeline.words(), (words) => /^CPU \d+ at 0\.20/.test(words), "an arrow reads a place");
  const first = await timeline.words();
  await page.keyboard.press("ArrowDown");
  await eventually(() => timeline.words(), (words) => words !== first, "the next row is read");
  assert.deepEqual(problems, []);
});

test("the wheel zooms to single microseconds, and a click tells what runs", async () => {
  const { desk, page, timeline, problems, digests } = await opened(luGroup("400ms"));
  const { x, y } = await timeline.point(0.5);
  await page.mouse.move(x, y);
  for (let notch = 0; notch < 90 && (await timeline.span()) > 3_000; notch += 1) await page.mouse.wheel(0, -300);
  await eventually(() => timeline.span(), (span) => span <= 3_000, "the view is a few microseconds long");
  await timeline.inFull();
  await page.mouse.click(x, y);
  await eventually(() => timeline.words(), (words) => /: (runs \S+ for|idle for)/.test(words), "the click is told");
  const picture = await desk.picture("timeline-stage");
  assert.ok(picture.colours > 3, "something is painted");
  assert.deepEqual(await desk.digests(), digests, "looking changes nothing");
  assert.deepEqual(problems, []);
});

test("a drag moves the view, and two fingers zoom", async () => {
  const { page, timeline, problems, context } = await opened(luGroup("400ms"), {
    viewport: { width: 1280, height: 900 },
    hasTouch: true,
  });
  await desk_zoom(timeline);
  const [from] = await timeline.view();
  const { x, y } = await timeline.point(0.5);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 80, y, { steps: 4 });
  await page.mouse.up();
  await eventually(() => timeline.view(), ([now]) => now < from, "what is dragged to the right shows earlier times");
  const before = await timeline.span();
  const touch = await context.newCDPSession(page);
  const points = (distance) => [
    { x: x - distance, y, id: 1 },
    { x: x + distance, y, id: 2 },
  ];
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(40) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(60) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(120) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await eventually(() => timeline.span(), (span) => span < before * 0.7, "fingers that part zoom in");
  assert.deepEqual(problems, []);
});

async function desk_zoom(timeline) {
  for (let press = 0; press < 2; press += 1) await timeline.desk.at("timeline-in").click();
  await eventually(() => timeline.span(), 100e6);
}

test("rows are sorted by node, cache, number and task", async () => {
  const { desk, page, timeline, problems } = await opened(luGroup("300ms"));
  const seen = new Set();
  for (const order of ["node", "llc", "number", "task"]) {
    await desk.at("timeline-order").selectOption(order);
    await timeline.stage.focus();
    await page.keyboard.press("ArrowDown");
    const words = await eventually(() => timeline.words(), (words) => (order === "task" ? /^\S+\.\d+ at/ : /^CPU \d+ at/).test(words));
    seen.add(words);
  }
  await desk_zoom_to(timeline, 30e6);
  await timeline.inFull();
  await eventually(() => timeline.words(), (words) => /(runs|waits) on CPU \d+ for|asleep/.test(words), "a thread's row is told");
  assert.ok(seen.size >= 2);
  assert.deepEqual(problems, []);
});

async function desk_zoom_to(timeline, span) {
  while ((await timeline.span()) > span) await timeline.desk.at("timeline-in").click();
}

test("why: the decision at a place is one of `teeter decisions`", async () => {
  const link = luGroup("200ms");
  const { desk, page, timeline, problems } = await opened(link);
  await desk_zoom_to(timeline, 25e6);
  await timeline.inFull();
  const { x, y } = await timeline.point(0.5, 8);
  await page.mouse.click(x, y);
  const why = desk.at("why");
  await why.waitFor();
  const { at, shown } = await why.evaluate((article) => ({
    at: Number(article.dataset.tNs),
    shown: Object.fromEntries(
      [...article.querySelectorAll("dl > div")].map((row) => [
        row.querySelector("dt").textContent,
        row.querySelector("dd").textContent,
      ]),
    ),
  }));
  const cpu = Number((await timeline.words()).match(/^CPU (\d+)/)[1]);
  const all = await engine.decisions(link, `cpu == ${cpu}`);
  const same = all.filter((decision) => decision.kernel === "v5.3" && decision.t_ns === at);
  const flat = (decision) =>
    Object.fromEntries(
      Object.entries(decision).flatMap(([name, value]) =>
        value !== null && typeof value === "object" && !Array.isArray(value)
          ? Object.entries(value).map(([part, of]) => [`${name}.${part}`, String(of)])
          : [[name, String(value)]],
      ),
    );
  const matches = same.some((decision) => {
    const known = flat(decision);
    return Object.entries(shown).every(([name, value]) => known[name] === value);
  });
  assert.ok(Object.keys(shown).length > 3);
  assert.ok(matches, `${JSON.stringify(shown)} is none of ${JSON.stringify(same)}`);
  assert.deepEqual(problems, []);
});

test("moments: shown, stepped on and back, left, and forked from", async () => {
  const { desk, page, timeline, problems, digests } = await opened(luGroup("300ms"));
  const moment = desk.at("moment");
  const shown = async () => Number(await moment.getAttribute("data-at-ns"));
  const { x, y } = await timeline.point(0.5);
  await page.mouse.click(x, y);
  await desk.at("moment-show").click();
  await eventually(() => moment.getAttribute("data-past"), "true");
  const start = await eventually(shown, (at) => at > 100e6 && at < 200e6, "the moment is in the middle");
  await desk.at("on-tick").click();
  const next = await eventually(shown, (at) => at > start, "a tick later");
  await desk.at("on-tick").click();
  await eventually(shown, (at) => at > next, "another tick later");
  await desk.at("back-tick").click();
  await eventually(shown, next, "the step back leads to the same moment");
  await desk.at("moment-latest").click();
  await eventually(() => moment.getAttribute("data-past"), "false");
  await eventually(shown, 300e6);
  assert.deepEqual(await desk.digests(), digests, "looking back changes nothing");

  await desk.at("moment-show").click();
  await eventually(() => moment.getAttribute("data-past"), "true");
  await desk.at("moment-fork").click();
  await desk.panel("Tasks");
  const weight = page.getByLabel("cpu.weight of /lu");
  await weight.fill("300");
  await weight.press("Enter");
  const other = await desk.finished();
  assert.notDeepEqual(other, digests, "the other future is another one");
  await desk.panel("Script");
  await page.getByRole("tabpanel", { name: "Script" }).getByText(/weight/).first().waitFor();
  assert.deepEqual(problems, []);
});
