// How long a frame takes while a machine of 256 CPUs is edited on its picture:
//
//   node bench/edit-frames.mjs
//
// It prints, and judges nothing: a frame has 16.7 ms where a screen shows 60 of them a second. "work" is what the
// page's own thread does for a frame (script, style, layout, paint commands), "between" the time from one frame to the
// next, which a browser without a graphics card, or a busy machine, makes longer than the page does.

import { cpus, loadavg } from "node:os";
import { Desk, eventually } from "../desk.mjs";
import { Site } from "../site.mjs";

/** How many pointer moves a drag has. */
const MOVES = 120;

const site = new Site();
await site.start();
try {
  const scenario = { teeter: 1, name: "256 CPUs", machine: { preset: "milan-2s" }, tasks: [{ name: "h", workload: "hog", threads: 64 }], kernels: ["v6.12"], run: { duration: "50ms" } };
  const link = `#s=j1.${Buffer.from(JSON.stringify(scenario)).toString("base64url")}`;
  const { page } = await site.open(link, { viewport: { width: 1440, height: 900 } });
  const desk = new Desk(page);
  await desk.speed("max");
  await desk.finished();
  await page.getByRole("tab", { name: "Edit machine" }).click();
  await desk.at("editor-stage").waitFor();
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable");
  console.log(`${cpus().length} CPUs, load ${loadavg()[0].toFixed(1)}`);

  const centre = async (locator) => {
    const box = await locator.boundingBox();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  await page.getByRole("treeitem", { name: /^cache 0 of node 0,/ }).click({ position: { x: 5, y: 5 } });
  await desk.at("handle-0-0").waitFor();
  const handle = await centre(desk.at("handle-0-0"));
  await measure("a handle is stretched from 8 cores to some 20 and back", async () => {
    await page.mouse.move(handle.x, handle.y);
    await page.mouse.down();
    for (let step = 0; step < MOVES; step += 1) {
      await page.mouse.move(handle.x + 180 * Math.sin((step / MOVES) * Math.PI), handle.y);
    }
    await page.keyboard.press("Escape");
    await page.mouse.up();
  });
  const stage = await centre(desk.at("editor-stage"));
  await measure("the picture is moved", async () => {
    await page.mouse.move(stage.x, stage.y);
    await page.mouse.down();
    for (let step = 0; step < MOVES; step += 1) await page.mouse.move(stage.x + step, stage.y + step / 2);
    await page.mouse.up();
  });
  await measure("the picture is zoomed", async () => {
    await page.keyboard.down("Control");
    for (let step = 0; step < MOVES; step += 1) await page.mouse.wheel(0, step < MOVES / 2 ? -20 : 20);
    await page.keyboard.up("Control");
  });
  await desk.at("fit").click();
  await measure("a core is carried from the stock across the picture", async () => {
    const stock = await centre(desk.at("stock-core"));
    await page.mouse.move(stock.x, stock.y);
    await page.mouse.down();
    for (let step = 0; step < MOVES; step += 1) await page.mouse.move(stage.x - 300 + 5 * step, stage.y - 60 + step);
    await page.keyboard.press("Escape");
    await page.mouse.up();
  });
  await measure("a cache is copied and the copy undone, 10 times", async () => {
    for (let step = 0; step < 10; step += 1) {
      await page.getByRole("treeitem", { name: /^cache 0 of node 0,/ }).press("d");
      await eventually(() => page.getByRole("treeitem", { name: /^cache 8 of node 0,/ }).count(), 1);
      await desk.at("undo").click();
      await eventually(() => page.getByRole("treeitem", { name: /^cache 8 of node 0,/ }).count(), 0);
    }
  });

  /** Prints how long the frames took in which something was done. */
  async function measure(name, act) {
    await page.evaluate(() => {
      globalThis.frames = [];
      let last = performance.now();
      const next = (now) => {
        globalThis.frames.push(now - last);
        last = now;
        globalThis.frame = requestAnimationFrame(next);
      };
      globalThis.frame = requestAnimationFrame(next);
    });
    const busy = async () => {
      const { metrics } = await client.send("Performance.getMetrics");
      return metrics.find((metric) => metric.name === "TaskDuration").value * 1e3;
    };
    const before = await busy();
    await act();
    const spent = (await busy()) - before;
    const frames = await page.evaluate(() => {
      cancelAnimationFrame(globalThis.frame);
      return globalThis.frames.slice(1);
    });
    frames.sort((a, b) => a - b);
    const at = (share) => frames[Math.min(frames.length - 1, Math.floor(share * frames.length))]?.toFixed(1);
    console.log(`${name}: ${frames.length} frames; work ${(spent / Math.max(1, frames.length)).toFixed(1)} ms a frame; between: median ${at(0.5)}, 95 % ${at(0.95)}, most ${at(1)} ms`);
  }
} finally {
  await site.stop();
}
