// How quick the page is: what `cargo xtask measure` prints. It asserts nothing: numbers depend on the machine.
//
//   node measure.mjs
//
// first results: from an edit to the first frame in which the machine, the clock and the charts show the new run;
// longest block: the longest time in which the page took no input meanwhile;
// frames: how long frames took while a value was changed at every one of them.

import { Desk } from "./desk.mjs";
import { Site } from "./site.mjs";

const EDITS = 20;

const site = new Site();
await site.start();
try {
  for (const [title, machine] of [["80 CPUs", "node:4 l3:1 core:10 pu:2"], ["256 CPUs", "pack:2 l3:16 core:4 pu:2"]]) {
    const { page } = await site.open(link(machine), { viewport: { width: 1440, height: 900 } });
    const desk = new Desk(page);
    await desk.passed(300e6);
    await desk.panel("Script");
    const first = [];
    for (let edit = 0; edit < EDITS; edit += 1) {
      await desk.passed(100e6);
      first.push(await page.evaluate(firstResults, String(edit + 10)));
    }
    console.log(`${title}: first results ${summary(first.map((one) => one.results))}`);
    console.log(`${title}: longest block ${summary(first.map((one) => one.block))}`);
    console.log(`${title}: frames while editing ${summary(await page.evaluate(frames, 120))}`);
    await site.closePages();
  }
} finally {
  await site.stop();
}

/** As many hogs and periodic tasks as fill the machine, under two kernels. */
function link(synthetic) {
  const scenario = {
    teeter: 1,
    machine: { synthetic },
    cgroups: [{ path: "/a" }, { path: "/b" }],
    tasks: [
      { name: "spin", cgroup: "/a", workload: "hog", threads: 60 },
      { name: "tick", cgroup: "/b", workload: { periodic: { run: "3ms", period: "10ms" } }, threads: 60 },
    ],
    kernels: ["v5.3", "v5.5"],
    run: { duration: "600s" },
  };
  return `#s=j1.${Buffer.from(JSON.stringify(scenario)).toString("base64url")}`;
}

/** "median 41 ms, largest 63 ms of 20". */
function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const ms = (time) => `${time.toFixed(0)} ms`;
  return `median ${ms(sorted[Math.floor(sorted.length / 2)])}, largest ${ms(sorted.at(-1))} of ${sorted.length}`;
}

/** In the page: sets the seed, and waits for the new run to be shown. */
async function firstResults(seed) {
  const field = document.querySelector("[data-testid=seed]");
  const clock = document.querySelector("[data-testid=time]");
  const before = Number(clock.dataset.nowNs);
  field.value = seed;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  const start = performance.now();
  field.dispatchEvent(new Event("change", { bubbles: true }));
  let last = start;
  let block = 0;
  const channel = new MessageChannel();
  const turn = () => new Promise((resolve) => {
    channel.port1.onmessage = resolve;
    channel.port2.postMessage(null);
  });
  for (;;) {
    await turn();
    const now = performance.now();
    block = Math.max(block, now - last);
    last = now;
    const at = Number(clock.dataset.nowNs);
    const stale = document.querySelector(".machine.stale");
    if (at > 0 && at < before && !stale) return { results: now - start, block };
    if (now - start > 10_000) throw new Error("the new run does not show");
  }
}

/** In the page: how long each of so many frames took in which the seed was changed. */
async function frames(count) {
  const field = document.querySelector("[data-testid=seed]");
  const frame = () => new Promise(requestAnimationFrame);
  const times = [];
  let last = await frame();
  for (let number = 0; number < count; number += 1) {
    field.value = String(1000 + number);
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
    const now = await frame();
    times.push(now - last);
    last = now;
  }
  return times;
}
