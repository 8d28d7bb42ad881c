// Takes the pictures of the running page that the README shows:
//
//   node picture.mjs DIRECTORY

import assert from "node:assert/strict";
import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { Desk, eventually } from "./desk.mjs";
import { Site } from "./site.mjs";

/** Large enough a picture to read, small enough to load, bytes. */
const MOST = 300_000;

const directory = path.resolve(process.argv[2]);
await mkdir(directory, { recursive: true });
const site = new Site();
await site.start();
try {
  for (const colorScheme of ["light", "dark"]) {
    const { page, problems } = await site.open("#p=lu-group", { viewport: { width: 1440, height: 900 }, colorScheme });
    const desk = new Desk(page);
    await desk.speed(4);
    await desk.passed(12e9);
    // Slow enough that what moves is in sight.
    await desk.speed(1);
    await desk.passed(13e9);
    await page.evaluate(() => document.fonts.ready);
    // lu waits for itself now and then; most of the time v5.5 leaves next to no CPU idle.
    const words = page.locator(".machine", { has: desk.at("machine-b") }).locator(".note");
    await eventually(async () => Number.parseInt(await words.textContent(), 10), (idle) => idle < 6, "B is busy");
    const file = path.join(directory, `lu-group-${colorScheme}.png`);
    await page.screenshot({ path: file });
    const { size } = await stat(file);
    assert.ok(size < MOST, `${file} has ${size} bytes`);
    assert.deepEqual(problems, []);
    await site.closePages();
    console.log(`${path.basename(file)}: ${size} bytes`);
  }
} finally {
  await site.stop();
}
