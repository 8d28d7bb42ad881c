// What eight views look like, against pictures that were looked at and found good, in views/.
//
// TEETER_BLESS=1 takes the pictures anew: look at them before they are committed. Where a view differs, what it looks
// like now and where it differs are in out/. What is shown does not depend on how the scheduler decides: every task is
// bound to a CPU of its own.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { Desk, eventually } from "./desk.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

/** Pixels that may differ, of all: text is drawn a little differently from one machine to the next. */
const TOLERANCE = 0.004;
/** From which difference of colour on a pixel differs, of 1. */
const THRESHOLD = 0.15;

const directory = (name) => fileURLToPath(new URL(`${name}/`, import.meta.url));

/** Four CPUs of eight busy, under two kernels. */
const LINK = (() => {
  const bound = (name, cgroup, cpu) => ({ name, cgroup, workload: "hog", affinity: String(cpu), fork: { on: String(cpu) } });
  const scenario = {
    teeter: 1,
    name: "Four tasks, each on a CPU of its own",
    machine: { synthetic: "node:2 l3:1 core:2 pu:2" },
    cgroups: [{ path: "/a" }, { path: "/b", weight: 300 }],
    tasks: [bound("one", "/a", 0), bound("two", "/a", 1), bound("three", "/b", 4), bound("four", "/b", 6)],
    kernels: ["v5.3", "v5.5"],
    script: [{ at: "200ms", set: { "domain.NUMA.imbalance_pct": 115 } }],
    run: { duration: "400ms" },
  };
  return `#s=j1.${Buffer.from(JSON.stringify(scenario)).toString("base64url")}`;
})();

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

const view = (desk, name) => desk.page.getByRole("tablist", { name: "Parts of the page" }).getByRole("tab", { name }).click();

/** Name, size, theme, and how one comes there. */
const VIEWS = [
  ["desktop-light-kernel", DESKTOP, "light", (desk) => desk.panel("Kernel")],
  ["desktop-dark-script", DESKTOP, "dark", (desk) => desk.panel("Script")],
  ["desktop-contrast-tasks", DESKTOP, "contrast", (desk) => desk.panel("Tasks")],
  ["tablet-light-script", { width: 1024, height: 768 }, "light", (desk) => desk.panel("Script")],
  ["desktop-light-examples", DESKTOP, "light", async (desk) => {
    await desk.at("examples").click();
    await desk.at("example-search").fill("lu.C hogs");
    await desk.at("example-lu-group").locator("path.busy[d^=M]").first().waitFor();
  }],
  ["phone-light-machine", PHONE, "light", (desk) => view(desk, "Machine")],
  ["phone-dark-results", PHONE, "dark", (desk) => view(desk, "Results")],
  ["phone-contrast-tasks", PHONE, "contrast", async (desk) => {
    await view(desk, "Scenario");
    await desk.panel("Tasks");
  }],
];

for (const [name, viewport, theme, go] of VIEWS) {
  test(`${name} looks as it did`, async () => {
    const { page, problems } = await site.open(LINK, {
      viewport,
      colorScheme: theme === "dark" ? "dark" : "light",
      reducedMotion: "reduce",
    });
    const desk = new Desk(page);
    // One typeface for all: what a system's own looks like is its affair.
    await page.addStyleTag({ content: ":root { --mono: Inter; --sans: Inter } [data-testid^=digest-] { visibility: hidden }" });
    await page.evaluate(() => document.fonts.ready);
    await desk.at("guide-close").click();
    await desk.speed("max");
    await desk.at("run").click();
    await desk.finished();
    if (theme === "contrast") await desk.theme("contrast");
    await go(desk);
    await page.mouse.move(0, 0);
    await page.evaluate(() => document.activeElement?.blur());
    const shot = await still(page);
    assert.deepEqual(problems, []);
    await compare(name, shot);
  });
}

/** The page once two pictures in a row are the same. */
async function still(page) {
  let last = await page.screenshot();
  await eventually(async () => {
    const next = await page.screenshot();
    const same = next.equals(last);
    last = next;
    return same;
  }, true, "the page comes to rest");
  return last;
}

async function compare(name, shot) {
  const file = `${directory("views")}${name}.png`;
  if (process.env.TEETER_BLESS === "1") {
    await mkdir(directory("views"), { recursive: true });
    await writeFile(file, shot);
    return;
  }
  const [expected, actual] = [PNG.sync.read(await readFile(file)), PNG.sync.read(shot)];
  const { width, height } = expected;
  assert.deepEqual([actual.width, actual.height], [width, height]);
  const difference = new PNG({ width, height });
  const count = pixelmatch(expected.data, actual.data, difference.data, width, height, { threshold: THRESHOLD });
  if (count > TOLERANCE * width * height) {
    await mkdir(directory("out"), { recursive: true });
    await writeFile(`${directory("out")}${name}.png`, shot);
    await writeFile(`${directory("out")}${name}-difference.png`, PNG.sync.write(difference));
    assert.fail(`${count} pixels of ${width * height} differ: see out/${name}-difference.png; TEETER_BLESS=1 takes the picture anew`);
  }
}
