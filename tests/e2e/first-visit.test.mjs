import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually } from "./desk.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

test("a first visit shows lu-group, running, under both kernels", async () => {
  const { page, problems } = await site.open();
  const desk = new Desk(page);
  await desk.passed(0);
  await desk.passed(await desk.now());
  await desk.at("pause").waitFor();
  assert.match(await desk.name(), /^lu\.C beside two CPU hogs/);
  await eventually(() => desk.at("preset").inputValue(), "lu-group");
  await eventually(() => desk.at("kernel-a").inputValue(), "v5.3");
  await eventually(() => desk.at("kernel-b").inputValue(), "v5.5");
  await eventually(() => page.getByText("4 nodes · 80 CPUs · 78 threads").isVisible(), true);
  assert.deepEqual(problems, []);
});

test("the machines are drawn, and tasks move on them", async () => {
  const { page, problems } = await site.open();
  const desk = new Desk(page);
  await desk.passed(100e6);
  for (const machine of ["machine-a", "machine-b"]) {
    const first = await eventually(
      () => desk.picture(machine),
      ({ colours, commonest }) => colours > 8 && commonest < 0.9,
      `${machine} is drawn`,
    );
    await eventually(
      () => desk.picture(machine),
      ({ checksum }) => checksum !== first.checksum,
      `${machine} is drawn anew as time goes by`,
    );
  }
  assert.deepEqual(problems, []);
});

test("the charts are drawn, and grow", async () => {
  const { page, problems } = await site.open();
  const desk = new Desk(page);
  await desk.passed(500e6);
  const inks = {
    "chart-threads": ["--node-0", "--node-1", "--node-2", "--node-3"],
    "chart-throughput": ["--ink"],
  };
  for (const [chart, tokens] of Object.entries(inks)) {
    const first = await eventually(
      () => desk.picture(chart, tokens),
      ({ of }) => of.every((pixels) => pixels > 50),
      `${chart} has lines of ${tokens}`,
    );
    await eventually(
      () => desk.picture(chart),
      ({ checksum }) => checksum !== first.checksum,
      `${chart} is drawn anew as time goes by`,
    );
    const { rows } = await desk.table(chart);
    assert.ok(rows.length > 1, `${chart} has ${rows.length} samples`);
    await eventually(
      async () => (await desk.table(chart)).rows.length,
      (length) => length > rows.length,
      `${chart} gets more samples`,
    );
  }
  assert.deepEqual(problems, []);
});

test("what the page says of the run fits the two kernels", async () => {
  const { page } = await site.open("#p=lu-group&/run/duration=10s");
  const desk = new Desk(page);
  await desk.speed("max");
  await desk.finished();
  const row = (name) =>
    page.locator(".comparison tr", { has: page.getByText(name, { exact: true }) }).locator("td[data-value]")
      .evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.value)));
  const nodes = await Promise.all([0, 1, 2, 3].map((node) => row(`lu on node ${node}`)));
  const [a, b] = [0, 1].map((slot) => nodes.map((node) => node[slot]));
  const spread = (threads) => Math.max(...threads) - Math.min(...threads);
  assert.ok(spread(a) > 20, `v5.3 drives lu from the nodes with a hog: ${a}`);
  assert.ok(spread(b) < 4, `v5.5 spreads lu: ${b}`);
  const [slow, fast] = await row("Mop/s");
  assert.ok(fast / slow > 6 && fast / slow < 25, `throughput ${slow} and ${fast} Mop/s`);
});

test("with less motion nothing runs before it is asked to", async () => {
  const { page, problems } = await site.open("", { reducedMotion: "reduce" });
  const desk = new Desk(page);
  await desk.at("run").waitFor();
  // Both machines are there, and the page has had every chance to go on.
  await page.getByText("80 CPUs idle", { exact: false }).nth(1).waitFor();
  await page.evaluate(async () => {
    for (let frame = 0; frame < 40; frame += 1) await new Promise(requestAnimationFrame);
  });
  assert.equal(await desk.now(), 0);
  await desk.at("run").click();
  await desk.passed(0);
  await desk.at("pause").click();
  await desk.at("run").waitFor();
  assert.deepEqual(problems, []);
});
