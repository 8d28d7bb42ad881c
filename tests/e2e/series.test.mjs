import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, luGroup } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

/** Both charts of a finished run beside the engine's series; `task` is the one they follow. */
async function chartsEqual(link, task, nodes) {
  const { page, problems } = await site.open(link);
  const desk = new Desk(page);
  await desk.speed("max");
  await desk.finished();
  const kernels = [...(await engine.series(link)).values()];
  const letters = ["A", "B"].slice(0, kernels.length);

  const threads = await desk.table("chart-threads");
  assert.deepEqual(threads.columns, letters.flatMap((letter) => nodes.map((node) => `${letter} n${node}`)));
  const throughput = await desk.table("chart-throughput");
  assert.equal(throughput.columns.length, kernels.length);
  assert.equal(threads.rows.length, kernels[0].length, "every sample is plotted");
  assert.equal(throughput.rows.length, kernels[0].length, "every sample is plotted");

  let greatest = 0;
  for (const [row, sample] of kernels[0].entries()) {
    const seconds = sample.time_ns / 1e9;
    for (const table of [threads, throughput]) {
      assert.ok(Math.abs(table.rows[row].time - seconds) < 0.0051, `row ${row} is of ${seconds} s`);
    }
    const samples = kernels.map((samples) => samples[row]);
    const wanted = samples.flatMap((sample) => nodes.map((node) => sample[`${task} on node ${node}`]));
    // The series are of single precision.
    assert.deepEqual(threads.rows[row].values.map(Math.fround), wanted.map(Math.fround), `threads at ${seconds} s`);
    const progress = samples.map((sample) => sample[`${task} progress`]);
    assert.deepEqual(throughput.rows[row].values.map(Math.fround), progress.map(Math.fround), `throughput at ${seconds} s`);
    greatest = Math.max(greatest, ...progress, ...wanted);
  }
  assert.ok(greatest > 0, "the task does something");
  assert.deepEqual(problems, []);
}

test("the charts of lu-group plot the run's series", async () => {
  await chartsEqual(luGroup("2s"), "lu", [0, 1, 2, 3]);
});

test("the charts of lu-normal plot the run's series", async () => {
  await chartsEqual("#p=lu-normal&/run/duration=1s", "lu", [0, 1, 2, 3]);
});

for (const link of [
  luGroup("1s"),
  luGroup("700ms", "&/run/seed=7&k=v5.5"),
  "#p=lu-normal&/run/duration=1s",
  "#p=laptop-mix&/run/duration=4s",
  "#p=milan-periodic&/run/duration=200ms",
]) {
  test(`page and command line come to the same digests on ${link}`, async () => {
    const { page, problems } = await site.open(link);
    const desk = new Desk(page);
    await desk.speed("max");
    assert.deepEqual(await desk.finished(), await engine.digests(link));
    assert.deepEqual(problems, []);
  });
}

test("the speed a run is watched at does not change it", async () => {
  const link = luGroup("300ms");
  const { page } = await site.open(link);
  const desk = new Desk(page);
  await desk.speed(0.25);
  await desk.passed(50e6);
  await desk.at("pause").click();
  await desk.at("run").click();
  await desk.speed(4);
  assert.deepEqual(await desk.finished(), await engine.digests(link));
});
