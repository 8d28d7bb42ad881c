// The page as a visitor sees and uses it.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** Patience for what the page does by and by, ms: a loaded machine is slow, and only a fault takes this long. */
const PATIENCE_MS = 60_000;

/** A link to lu-group whose runs take so long, with further changes. */
export function luGroup(duration, changes = "") {
  return `#p=lu-group&/run/duration=${duration}${changes}`;
}

/** A link to a scenario that is like no preset, and therefore has all of it in the link. */
export function ownLink(duration) {
  const scenario = {
    teeter: 1,
    name: "Two cgroups of one's own",
    machine: { synthetic: "node:2 core:3 pu:2" },
    cgroups: [{ path: "/a" }, { path: "/b", weight: 300 }],
    tasks: [
      { name: "spin", cgroup: "/a", workload: "hog", threads: 9 },
      { name: "tick", cgroup: "/b", workload: { periodic: { run: "3ms", period: "10ms" } }, threads: 8 },
    ],
    kernels: ["v5.3", "v5.5"],
    run: { duration },
  };
  return `#s=j1.${Buffer.from(JSON.stringify(scenario)).toString("base64url")}`;
}

/** Asks again and again until `probe` gives `expected`; fails with the last answer. */
export async function eventually(probe, expected, message) {
  const wanted = typeof expected === "function" ? expected : (answer) => isEqual(answer, expected);
  const end = performance.now() + PATIENCE_MS;
  let answer = await probe();
  while (!wanted(answer) && performance.now() < end) {
    await sleep(50);
    answer = await probe();
  }
  if (typeof expected === "function") {
    assert.ok(wanted(answer), `${message ?? expected}: ${JSON.stringify(answer)}`);
  } else {
    assert.deepEqual(answer, expected, message);
  }
  return answer;
}

function isEqual(a, b) {
  try {
    assert.deepEqual(a, b);
    return true;
  } catch {
    return false;
  }
}

/** The open page. */
export class Desk {
  constructor(page) {
    this.page = page;
  }

  /** The element with a test id. */
  at(id) {
    return this.page.getByTestId(id);
  }

  /** Simulated time, ns. */
  async now() {
    return Number(await this.at("time").getAttribute("data-now-ns"));
  }

  /** Waits until simulated time has gone beyond `ns`. */
  async passed(ns) {
    return eventually(() => this.now(), (now) => now > ns, `simulated time goes beyond ${ns} ns`);
  }

  /** The digest of each kernel's whole run; null for one that is not over. */
  async digests() {
    const shown = this.page.locator("[data-testid^=digest-]");
    return shown.evaluateAll((all) =>
      all.map((digest) => (digest.dataset.finished === "true" ? digest.textContent.trim() : null)),
    );
  }

  /** Waits for the runs to be over; gives their digests. */
  async finished() {
    const over = (digests) => digests.length > 0 && digests.every((digest) => /^[0-9a-f]{16}$/.test(digest));
    const digests = await eventually(() => this.digests(), over, "every run ends in a digest");
    await this.rests();
    return digests;
  }

  /** Waits for the page to rest: the last digest may be there a frame before that. */
  async rests() {
    await eventually(() => this.at("pause").count(), 0, "nothing plays");
  }

  /** Waits for the runs to end in these digests. */
  async endsIn(digests, message) {
    await eventually(() => this.digests(), digests, message);
    await this.rests();
  }

  /** Chooses a speed: a number of simulated seconds a second, or "max". */
  async speed(value) {
    await this.at("speed").selectOption(String(value));
  }

  /** Chooses a theme: auto, light, dark or contrast. */
  async theme(name) {
    await this.at("theme").click();
    await this.at(`theme-${name}`).check();
    await this.page.keyboard.press("Escape");
    await this.page.waitForFunction((name) => document.documentElement.dataset.theme === name, name);
  }

  /** The scenario's name. */
  async name() {
    return this.page.locator(".app h1").first().textContent();
  }

  /** Opens one of the left column's tabs. */
  async panel(name) {
    await this.page.getByRole("tablist", { name: "Parts of the scenario" }).getByRole("tab", { name }).click();
  }

  /** The address's fragment. */
  async fragment() {
    return this.page.evaluate(() => location.hash);
  }

  /** The whole link that "Copy link" shows. */
  async link() {
    await this.at("copy-link").click();
    const link = await this.at("link-text").inputValue();
    await this.page.getByRole("button", { name: "Close" }).click();
    return link;
  }

  /** Puts a fragment into the address bar of the open page, as pasting a link does. */
  async paste(fragment) {
    await this.page.evaluate((hash) => {
      location.hash = hash;
    }, fragment);
  }

  /** A chart's table of values: the heads of its columns, and rows of numbers, NaN where there is none. */
  async table(chart) {
    const figure = this.at(chart);
    const details = figure.locator("details");
    if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
    await figure.locator("tbody tr").first().waitFor();
    return figure.locator("table").evaluate((table) => {
      const number = (text) => (text === undefined || text === "" ? Number.NaN : Number(text));
      return {
        columns: [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent.trim()),
        rows: [...table.tBodies[0].rows].map((row) => ({
          time: number(row.cells[0].textContent),
          values: [...row.cells].slice(1).map((cell) => number(cell.dataset.value)),
        })),
      };
    });
  }

  /**
   * What is on an element's canvas: how many colours, the share of the commonest, a checksum of all, and how many
   * pixels there are of each of the colours that the style sheet's `tokens` name. A canvas that has just come into
   * sight has no size before the next layout: nothing is on it yet.
   */
  async picture(id, tokens = []) {
    return this.at(id).locator("canvas").evaluate((canvas, tokens) => {
      if (canvas.width === 0 || canvas.height === 0) {
        return { colours: 0, commonest: 1, checksum: 0, of: tokens.map(() => 0) };
      }
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const pixels = new Uint32Array(data.buffer);
      const counts = new Map();
      let checksum = 0;
      for (const pixel of pixels) {
        counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
        checksum = (Math.imul(checksum, 31) + pixel) | 0;
      }
      const swatch = document.createElement("span");
      document.body.append(swatch);
      const of = tokens.map((token) => {
        swatch.style.color = `var(${token})`;
        const [red, green, blue] = getComputedStyle(swatch).color.match(/\d+/g).map(Number);
        return counts.get(((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0) ?? 0;
      });
      swatch.remove();
      return { colours: counts.size, commonest: Math.max(...counts.values()) / pixels.length, checksum, of };
    }, tokens);
  }
}
