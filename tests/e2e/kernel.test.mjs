// The kernel panel: every rule and tunable, one kernel alone, a rule of one's own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually, luGroup } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

/** Opens a link, waits for its runs to end, and opens the list of all rules. */
async function withAllKnobs(link) {
  const { page, problems } = await site.open(link);
  const desk = new Desk(page);
  await desk.speed("max");
  const digests = await desk.finished();
  await desk.at("all-knobs").locator("> summary").click();
  return { desk, page, problems, digests };
}

/** The kernels of the link that the page shows. */
async function kernels(desk) {
  return (await engine.decode(await desk.link())).kernels;
}

test("a rule is found by words, switched for one kernel alone, and taken back from the list of changes", async () => {
  const { desk, page, problems, digests } = await withAllKnobs(luGroup("300ms"));
  await page.getByRole("tablist", { name: "Which kernels the knobs turn" }).getByRole("tab", { name: "B", exact: true }).click();
  await desk.at("knob-search").fill("fork numa");
  const rule = desk.at("entry-fork.idlest");
  await desk.at("knob-search").fill("detach_load");
  await eventually(() => rule.count(), 0, "what does not match is not shown");
  const load = desk.at("entry-detach_load");
  const own = await load.inputValue();
  const other = await load.locator("option").evaluateAll((all, own) => all.map((o) => o.value).find((v) => v !== own), own);
  await load.selectOption(other);
  await eventually(async () => (await kernels(desk)).map((kernel) => kernel.rules), [undefined, { detach_load: other }]);
  await desk.endsIn(await engine.digests(await desk.link()), "the page runs what the link says");
  assert.equal((await desk.digests())[0], digests[0], "A is as it was");
  const changes = desk.at("kernel-changes");
  await changes.getByText("detach_load").waitFor();
  await changes.getByRole("button", { name: "Reset detach_load of kernel B" }).click();
  await desk.endsIn(digests, "taken back, it is the same run");
  assert.deepEqual(problems, []);
});

test("tunables of every kind are set exactly, and refused beside their field", async () => {
  const { desk, page, problems } = await withAllKnobs("#p=laptop-mix&/run/duration=100ms");
  const type = async (name, text) => {
    await desk.at(`entry-${name}`).first().fill(text);
    await desk.at(`entry-${name}`).first().press("Enter");
  };
  await type("migration_cost", "1.2ms");
  await desk.at("slider-nr_migrate").fill("8");
  await desk.at("knob-search").fill("scan_size");
  await type("numa_balancing_scan_size", "512MB");
  await desk.at("knob-search").fill("hz");
  await type("hz", "1000");
  await type("hz", "1");
  await page.getByText("a whole number from 10 to 10000").waitFor();
  const [{ set }] = await kernels(desk);
  assert.deepEqual(set, { hz: 1000, migration_cost: "1200us", nr_migrate: 8, numa_balancing_scan_size: "512MB" });
  for (const kernel of ["A", "B"]) await page.getByRole("button", { name: `Reset all of kernel ${kernel}` }).click();
  await eventually(async () => (await engine.decode(await desk.link())).kernels, (k) => !k || k.every((kernel) => !kernel.set));
  assert.deepEqual(problems, []);
});

test("a feature that a kernel lacks is said to be lacking, and is left alone there", async () => {
  const { desk, page, problems } = await withAllKnobs(luGroup("200ms"));
  await desk.at("kernel-b").selectOption("v6.5+fits+bias");
  await desk.endsIn(await engine.digests(await desk.link()));
  const bias = desk.at("entry-features.SELECT_BIAS_PREV").first();
  await eventually(() => bias.isChecked(), true, "the series has it on");
  await page.getByText("A none, B true").first().waitFor();
  await bias.uncheck();
  await eventually(async () => (await kernels(desk)).map((kernel) => kernel.set?.["features.SELECT_BIAS_PREV"]), [undefined, false]);
  await desk.endsIn(await engine.digests(await desk.link()), "both run");
  assert.deepEqual(problems, []);
});

test("a rule of one's own is read as it is typed, tried on the latest pass, and run", async () => {
  const { page, problems } = await site.open(luGroup("2s"));
  const desk = new Desk(page);
  await desk.passed(0);
  await page.getByTestId("own-rule").locator("> summary").click();
  const area = desk.at("own-expr");
  await area.fill("busiest.sum_nr_runing");
  await page.getByText("column 1: unknown name `busiest.sum_nr_runing` (did you mean `busiest.sum_nr_running`?)").waitFor();
  assert.equal(await desk.at("own-use").isDisabled(), true);
  await area.fill("imbalance * 0 + busiest.sum_nr_running");
  await desk.at("own-trial").getByText("it gives").first().waitFor();
  const [, running, gives] = /busiest\.sum_nr_running = (-?\d+) it gives (-?\d+)/.exec(await desk.at("own-trial").textContent());
  assert.equal(gives, running);
  const third = "busiest.sum_nr_running < 2 * a ? max(0, imbalance - a) : imbalance where a = 100 / (imbalance_pct - 100) - 1";
  await area.fill(third);
  await area.press("Control+Enter");
  await eventually(async () => (await kernels(desk)).map((kernel) => kernel.rules), [
    { numa_imbalance: { expr: third } },
    { numa_imbalance: { expr: third } },
  ]);
  await desk.speed("max");
  const digests = await desk.finished();
  assert.deepEqual(digests, await engine.digests(await desk.link()));
  await desk.at("own-out").click();
  await eventually(async () => (await kernels(desk))[0].rules, undefined);
  assert.deepEqual(problems, []);
});

test("what a preset changed is listed", async () => {
  const { page, problems } = await site.open(luGroup("100ms"));
  const desk = new Desk(page);
  await desk.at("kernel-b").selectOption("v5.5+numa-v3");
  await page.getByText("What changed since v5.5").click();
  await page.locator(".diff").getByText("numa_imbalance").waitFor();
  assert.deepEqual(problems, []);
});
