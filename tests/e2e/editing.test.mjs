import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually, luGroup } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();
const PCT = "domain.NUMA.imbalance_pct";

/** Opens a link and waits for its runs to end. */
async function finished(link) {
  const { page, problems } = await site.open(link);
  const desk = new Desk(page);
  await desk.speed("max");
  return { desk, page, problems, digests: await desk.finished() };
}

test("another kernel gives another result, the kernel's own", async () => {
  const { desk, problems, digests } = await finished(luGroup("500ms"));
  const [a, b] = digests;
  assert.notEqual(a, b);
  await desk.at("kernel-a").selectOption("v5.5");
  await desk.endsIn([b, b], "A under v5.5 runs as B does");
  await desk.at("kernel-b").selectOption("v5.3");
  await desk.endsIn([b, a], "the kernels have changed places");
  assert.deepEqual(await engine.digests(await desk.link()), [b, a]);
  assert.deepEqual(problems, []);
});

test("a kernel can be added and taken away", async () => {
  const { desk, page, problems, digests } = await finished(luGroup("300ms"));
  await page.getByRole("button", { name: "Remove kernel A" }).click();
  await desk.endsIn([digests[1]], "B is left");
  await desk.at("kernel-add").click();
  await eventually(() => desk.at("kernel-b").inputValue(), "v6.17", "the newest comes after it");
  await desk.endsIn(await engine.digests(await desk.link()));
  assert.deepEqual(problems, []);
});

test("undo and redo walk through the changes", async () => {
  const { desk, problems, digests } = await finished(luGroup("300ms"));
  const [a, b] = digests;
  await eventually(() => desk.at("undo").isDisabled(), true);
  await desk.at("kernel-a").selectOption("v5.5");
  await desk.endsIn([b, b]);
  await desk.at("undo").click();
  await desk.endsIn([a, b], "undone");
  await eventually(() => desk.at("kernel-a").inputValue(), "v5.3");
  await eventually(() => desk.at("undo").isDisabled(), true);
  await desk.at("redo").click();
  await desk.endsIn([b, b], "done again");
  await desk.page.locator("body").press("Control+z");
  await desk.endsIn([a, b], "undone by keyboard");
  await desk.page.locator("body").press("Control+Shift+z");
  await desk.endsIn([b, b], "done again by keyboard");
  await eventually(() => desk.at("redo").isDisabled(), true);
  assert.deepEqual(problems, []);
});

test("imbalance_pct set while nothing runs counts from the start", async () => {
  const { desk, problems, digests } = await finished(luGroup("2s"));
  await desk.at("slider-domain.NUMA.imbalance_pct").fill("200");
  await eventually(() => desk.at("entry-domain.NUMA.imbalance_pct").inputValue(), "200");
  const link = await desk.link();
  const scenario = await engine.decode(link);
  assert.equal(scenario.script, undefined);
  assert.deepEqual(scenario.kernels.map((kernel) => kernel.set[PCT]), [200, 200]);
  const changed = await engine.digests(link);
  assert.notDeepEqual(changed, digests);
  await desk.at("run").click();
  await desk.endsIn(changed);

  await desk.at("entry-domain.NUMA.imbalance_pct").fill("117");
  await desk.at("entry-domain.NUMA.imbalance_pct").press("Enter");
  await eventually(() => desk.at("slider-domain.NUMA.imbalance_pct").inputValue(), "117");
  await desk.at("entry-domain.NUMA.imbalance_pct").fill("99");
  await desk.at("entry-domain.NUMA.imbalance_pct").press("Enter");
  await desk.page.getByText("a whole number from 100 to 1000").waitFor();
  const kept = await engine.decode(await desk.link());
  assert.deepEqual(kept.kernels.map((kernel) => kernel.set[PCT]), [117, 117], "what was refused changed nothing");
  assert.deepEqual(problems, []);
});

test("imbalance_pct turned while it runs is written into the script, at its time", async () => {
  const { page, problems } = await site.open(luGroup("4s"));
  const desk = new Desk(page);
  await desk.speed(0.25);
  await desk.passed(100e6);
  await desk.at("slider-domain.NUMA.imbalance_pct").fill("101");
  await desk.panel("Script");
  await desk.at("script").getByText(`${PCT} = 101`).waitFor();
  const shown = await desk.now();
  assert.ok(shown < 4e9, "the run goes on");
  await desk.speed("max");
  const digests = await desk.finished();

  const link = await desk.link();
  const { script, kernels } = await engine.decode(link);
  assert.equal(script.length, 1);
  assert.deepEqual(script[0].set, { [PCT]: 101 });
  const ms = Number(/^(\d+)ms$/.exec(script[0].at)?.[1]);
  assert.ok(ms > 100 && ms < 4000, `written at ${script[0].at}`);
  assert.deepEqual(kernels.map((kernel) => kernel.set[PCT]), [undefined, undefined]);

  assert.deepEqual(digests, await engine.digests(link), "the run that was changed on its way is the link's run");
  assert.notDeepEqual(digests, await engine.digests(luGroup("4s")), "the write had an effect");
  const again = await finished(new URL(link).hash);
  assert.deepEqual(again.digests, digests, "the link runs the same from the start");

  await desk.at("script").getByRole("button", { name: "Remove the change" }).click();
  await eventually(() => desk.at("script").locator("li").count(), 0);
  await desk.at("undo").click();
  await desk.at("script").getByText(`${PCT} = 101`).waitFor();
  assert.deepEqual([...problems, ...again.problems], []);
});

test("one cgroup for all, or one for each task", async () => {
  const { desk, problems, digests } = await finished(luGroup("500ms"));
  await desk.panel("Tasks");
  await eventually(() => desk.at("group-toggle").isChecked(), true);
  await desk.at("group-toggle").click();
  const link = await desk.link();
  const scenario = await engine.decode(link);
  assert.equal(new Set(scenario.tasks.map((task) => task.cgroup ?? "/")).size, 1);
  const together = await engine.digests(link);
  assert.notEqual(together[0], digests[0], "v5.3 minds the cgroups");
  await desk.endsIn(together);
  await desk.at("group-toggle").click();
  await desk.endsIn(digests, "grouped again, it is the same scenario");
  assert.deepEqual(problems, []);
});

test("pause holds the time, run goes on, begin again begins again", async () => {
  const { page, problems } = await site.open("#p=lu-group");
  const desk = new Desk(page);
  await desk.passed(200e6);
  await desk.at("pause").click();
  await desk.at("run").waitFor();
  // What was granted before the pause is still simulated.
  let held = -1;
  await eventually(
    async () => {
      const before = held;
      held = await desk.now();
      await page.evaluate(async () => {
        for (let frame = 0; frame < 30; frame += 1) await new Promise(requestAnimationFrame);
      });
      return before === held && held === (await desk.now());
    },
    true,
    "time stands still",
  );
  assert.ok(held > 200e6);
  await desk.at("run").click();
  await desk.passed(held);
  await desk.at("pause").click();
  await desk.at("restart").click();
  await eventually(() => desk.now(), 0, "back at the start");
  await desk.at("run").click();
  await desk.passed(0);
  assert.deepEqual(problems, []);
});

test("a finished run can be run again, and ends the same", async () => {
  const { desk, problems, digests } = await finished(luGroup("400ms"));
  await desk.speed(0.25);
  await desk.at("run").click();
  await eventually(() => desk.digests(), [null, null], "it runs again");
  await desk.speed("max");
  await desk.endsIn(digests);
  assert.deepEqual(problems, []);
});

test("machine, threads, weights, duration and seed reach the link", async () => {
  const { desk, page, problems } = await finished("#p=laptop-mix&/run/duration=200ms");
  await desk.panel("Machine");
  await desk.at("machine-synthetic").fill("node:2 core:3 pu:2");
  await desk.at("machine-synthetic").press("Enter");
  await page.getByText("2 nodes · 12 CPUs").waitFor();
  await desk.panel("Tasks");
  await page.getByLabel("threads of compile").fill("9");
  await page.getByLabel("threads of compile").press("Enter");
  await page.getByLabel("cpu.weight of /user/call").fill("300");
  await page.getByLabel("cpu.weight of /user/call").press("Enter");
  await desk.panel("Script");
  await desk.at("duration").fill("250ms");
  await desk.at("duration").press("Enter");
  await desk.at("seed").fill("5");
  await desk.at("seed").press("Enter");
  await page.getByText("of 0.25 s").waitFor();

  const link = await desk.link();
  const scenario = await engine.decode(link);
  assert.deepEqual(scenario.machine, { synthetic: "node:2 core:3 pu:2" });
  assert.equal(scenario.tasks.find((task) => task.name === "compile").threads, 9);
  assert.equal(scenario.cgroups.find((cgroup) => cgroup.path === "/user/call").weight, 300);
  assert.deepEqual([scenario.run.duration, scenario.run.seed], ["250ms", 5]);
  const digests = await engine.digests(link);
  await desk.endsIn(digests);
  assert.deepEqual(problems, []);
});

test("a machine that cannot be built is refused where it was typed, and nothing is lost", async () => {
  const { desk, page, problems, digests } = await finished(luGroup("300ms"));
  await desk.panel("Machine");
  await desk.at("machine-synthetic").fill("node:4 cor:10");
  await desk.at("machine-synthetic").press("Enter");
  await page.getByRole("alert").filter({ hasText: "cor" }).waitFor();
  await eventually(() => desk.at("machine-synthetic").inputValue(), "node:4 cor:10");
  assert.deepEqual(await desk.digests(), digests);
  assert.deepEqual(problems, []);
});
