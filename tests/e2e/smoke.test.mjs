import assert from "node:assert/strict";
import { test } from "node:test";
import { useSite } from "./site.mjs";

const site = useSite();

test("the page loads from a sub-path without an error", async () => {
  const { page, problems } = await site.open();
  const started = page.evaluate(
    () => new Promise((resolve) => {
      if (window.wasmBindings) resolve(true);
      addEventListener("TrunkApplicationStarted", () => resolve(true), { once: true });
    }),
  );
  assert.equal(await started, true);
  assert.match(await page.title(), /^Teeter/);
  assert.deepEqual(problems, []);
});

test("a missing file is reported as a problem", async () => {
  const { page, problems } = await site.open();
  await page.evaluate(() => fetch("no-such-file"));
  assert.equal(problems.filter((problem) => problem.includes("no-such-file 404")).length, 1);
});
