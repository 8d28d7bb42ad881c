// Why: decisions on the page are those of `teeter decisions`, with the same filters.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually, luGroup } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

async function opened(link) {
  const { page, problems } = await site.open(link);
  const desk = new Desk(page);
  await desk.speed("max");
  await desk.finished();
  await desk.at("decisions").locator("> summary").click();
  return { desk, page, problems };
}

/** Sets a filter, runs from the start and gives the counts of both kernels. */
async function counted(desk, filter) {
  await desk.at("decisions-filter").fill(filter);
  await desk.at("decisions-filter").press("Enter");
  await desk.at("restart").click();
  await desk.at("run").click().catch(() => {});
  await desk.finished();
  const text = () => desk.at("decisions-counts").textContent();
  const shown = await eventually(text, (text) => /A: [\d\s\u202f\u00a0]+ of [1-9]/.test(text), "decisions are counted");
  return [...shown.matchAll(/[AB]: ([\d\s\u202f\u00a0]+) of ([\d\s\u202f\u00a0]+)/g)].map((match) =>
    match.slice(1).map((number) => Number(number.replace(/\D/g, ""))),
  );
}

test("counts and numbers are those of the command line", async () => {
  const link = luGroup("200ms");
  const { desk, problems } = await opened(link);
  for (const filter of ["kind == balance && nr_moved > 0", "kind == fork"]) {
    const counts = await counted(desk, filter);
    const decisions = await engine.decisions(link, filter);
    for (const [slot, kernel] of ["v5.3", "v5.5"].entries()) {
      assert.equal(counts[slot][0], decisions.filter((decision) => decision.kernel === kernel).length, `${kernel}: ${filter}`);
    }
  }
  const forks = await engine.decisions(link, "kind == fork");
  const last = forks.toSorted((a, b) => a.t_ns - b.t_ns).at(-1);
  const first = desk.at("decisions").locator(".told li").first();
  await first.getByRole("button").click();
  const shown = await first.locator("dl > div").evaluateAll((all) =>
    Object.fromEntries(all.map((row) => [row.querySelector("dt").textContent, row.querySelector("dd").textContent])),
  );
  assert.equal(shown.task, last.task);
  assert.equal(shown.chosen_cpu, String(last.chosen_cpu));
  assert.deepEqual(problems, []);
});

test("a filter that does not read is shown where it is wrong, and the last one stays in force", async () => {
  const { desk, page, problems } = await opened(luGroup("100ms"));
  await counted(desk, "kind == fork");
  const rows = await desk.at("decisions").locator(".told li").count();
  assert.ok(rows > 0);
  await desk.at("decisions-filter").fill("kind == fort");
  await page.getByText("unknown name `fort` (did you mean `fork`?)").waitFor();
  assert.equal(await desk.at("decisions").locator(".told li").count(), rows);
  assert.deepEqual(problems, []);
});
