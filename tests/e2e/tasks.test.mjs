// Cgroups and tasks: the tree is edited with mouse, touch and keyboard.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually, ownLink } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

async function opened(options) {
  const { page, problems, context } = await site.open(ownLink("100ms"), options);
  const desk = new Desk(page);
  await desk.speed("max");
  await desk.finished();
  await desk.panel("Tasks");
  return { desk, page, problems, context, tree: desk.at("task-tree") };
}

const scenario = async (desk) => engine.decode(await desk.link());

async function type(page, label, text) {
  await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByLabel(label, { exact: true }).press("Enter");
}

test("cgroups are added, renamed, limited and removed", async () => {
  const { desk, page, problems, tree } = await opened();
  await tree.getByRole("button", { name: "a", exact: true }).click();
  await desk.at("cgroup-add").click();
  await type(page, "path of /a/group", "/a/batch");
  await tree.getByRole("button", { name: "batch" }).click();
  await type(page, "cpu.max of /a/batch", "50000 100000");
  await type(page, "cpuset.cpus of /a/batch", "0-3");
  await type(page, "cpuset.cpus of /a/batch", "zero");
  await page.getByRole("alert").filter({ hasText: "zero" }).waitFor();
  const { cgroups } = await scenario(desk);
  assert.deepEqual(cgroups.find((cgroup) => cgroup.path === "/a/batch"), { path: "/a/batch", max: "50000 100000", cpus: "0-3" });
  await tree.getByRole("button", { name: "a", exact: true }).focus();
  await page.keyboard.press("Delete");
  const after = await scenario(desk);
  assert.equal(after.tasks.find((task) => task.name === "spin").cgroup ?? "/", "/");
  assert.ok(after.cgroups.some((cgroup) => cgroup.path === "/batch"), "what was below went up");
  await desk.endsIn(await engine.digests(await desk.link()));
  assert.deepEqual(problems, []);
});

test("a task is added from the catalogue, and its parameters are set and refused beside their fields", async () => {
  const { desk, page, problems, tree } = await opened();
  await desk.at("task-add").click();
  await desk.at("catalogue").getByText("Computes for ever and never sleeps.").waitFor();
  await page.getByRole("button", { name: "Add periodic" }).click();
  await tree.getByRole("button", { name: /^periodic/ }).click();
  const run = page.getByLabel(/^run: CPU time/);
  await run.fill("five");
  await run.press("Enter");
  await page.getByRole("alert").filter({ hasText: "five" }).waitFor();
  await run.fill("5ms");
  await run.press("Enter");
  await type(page, "nice of periodic", "5");
  await type(page, "affinity of periodic", "1-2");
  await type(page, "threads of periodic", "3");
  await type(page, "name of periodic", "ticker");
  const task = (await scenario(desk)).tasks.find((task) => task.name === "ticker");
  assert.deepEqual(task, {
    name: "ticker", workload: { periodic: { run: "5ms", period: "10ms" } }, threads: 3, nice: 5, affinity: "1-2",
  });
  await desk.endsIn(await engine.digests(await desk.link()));
  await page.getByRole("button", { name: "Duplicate ticker" }).click();
  await tree.getByRole("button", { name: /^ticker-2/ }).waitFor();
  assert.deepEqual(problems, []);
});

test("a program is made of steps", async () => {
  const { desk, page, problems, tree } = await opened();
  await desk.at("task-add").click();
  await page.getByRole("button", { name: "Add program" }).click();
  await tree.getByRole("button", { name: /^program/ }).click();
  await desk.at("step-add").click();
  await page.getByLabel("Step 3", { exact: true }).selectOption("yield");
  await page.getByRole("button", { name: "Move step 3 up" }).click();
  await type(page, "Value of step 1", "2ms");
  const { workload } = (await scenario(desk)).tasks.find((task) => task.name === "program");
  assert.deepEqual(workload, { program: [{ run: "2ms" }, { yield: true }, { sleep: "10ms" }] });
  await page.getByLabel("Step 2", { exact: true }).selectOption("loop");
  await type(page, "times of step 2", "4");
  await page.getByRole("button", { name: "Add a step to 2" }).click();
  await page.getByLabel("Step 2.2", { exact: true }).selectOption("timer");
  await type(page, "period of step 2.2", "never");
  await page.getByRole("alert").filter({ hasText: "never" }).waitFor();
  await type(page, "period of step 2.2", "5ms");
  await page.getByRole("button", { name: "Remove step 2.1" }).click();
  await eventually(
    async () => (await scenario(desk)).tasks.find((task) => task.name === "program").workload,
    { program: [{ run: "2ms" }, { loop: { times: 4, steps: [{ timer: { period: "5ms" } }] } }, { sleep: "10ms" }] },
  );
  await desk.endsIn(await engine.digests(await desk.link()));
  assert.deepEqual(problems, []);
});

test("a task is dragged onto a cgroup, and onto the machine to be bound there", async () => {
  const { desk, page, problems, tree } = await opened();
  const grip = tree.locator("li").filter({ hasText: /^spin/ }).locator(".grip");
  const drag = async (from, to) => {
    const [a, b] = [await from.boundingBox(), await to.boundingBox()];
    await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
    await page.mouse.down();
    await page.mouse.move(b.x + 40, b.y + b.height * 0.6, { steps: 5 });
    await page.mouse.up();
  };
  await drag(grip, tree.getByRole("button", { name: "b", exact: true }));
  await eventually(async () => (await scenario(desk)).tasks.find((task) => task.name === "spin").cgroup, "/b");
  await drag(tree.locator("li").filter({ hasText: /^spin/ }).last().locator(".grip"), desk.at("machine-a"));
  const menu = desk.at("drop-menu");
  await menu.getByText("node 0").waitFor();
  await menu.getByRole("button", { name: "Bind to node 0" }).click();
  const task = (await scenario(desk)).tasks.find((task) => task.name === "spin");
  assert.deepEqual([task.affinity, task.fork], ["0-5", { on: "0-5" }]);
  await desk.endsIn(await engine.digests(await desk.link()));
  await desk.at("undo").click();
  await eventually(async () => (await scenario(desk)).tasks.find((task) => task.name === "spin").affinity, undefined);
  assert.deepEqual(problems, []);
});

test("the same by keyboard and by touch: placed through its form, the cgroup as a whole", async () => {
  const { desk, page, problems, tree } = await opened({ hasTouch: true });
  await tree.getByRole("button", { name: "b", exact: true }).tap();
  await page.getByLabel("Where /b goes").selectOption("core");
  await page.getByLabel("Which core").selectOption("1");
  await page.getByRole("button", { name: "Start there: /b" }).tap();
  const task = (await scenario(desk)).tasks.find((task) => task.name === "tick");
  assert.deepEqual([task.affinity, task.fork], [undefined, { on: "2-3" }]);
  await page.getByRole("button", { name: "Anywhere: /b" }).tap();
  await eventually(async () => (await scenario(desk)).tasks.find((task) => task.name === "tick").fork, undefined);
  assert.deepEqual(problems, []);
});

test("copied in one place, pasted in another", async () => {
  const { desk, page, problems, tree, context } = await opened();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await tree.getByRole("button", { name: "a", exact: true }).click();
  await page.keyboard.press("Control+c");
  await page.getByText("Copied: paste it into any cgroup").waitFor();
  await tree.getByRole("button", { name: "b", exact: true }).click();
  await page.keyboard.press("Control+v");
  await page.getByText("Pasted into /b.").waitFor();
  const { tasks, cgroups } = await scenario(desk);
  assert.ok(cgroups.some((cgroup) => cgroup.path === "/b/a"));
  assert.deepEqual(tasks.at(-1), { name: "spin-2", cgroup: "/b/a", workload: "hog", threads: 9 });
  assert.deepEqual(problems, []);
});

test("what is pasted anywhere is taken for what it is: a machine, a scenario, or nothing that is known", async () => {
  const { desk, page, problems } = await opened();
  const paste = (text) =>
    page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
  await paste("# CPU,Core,Socket,Node\n0,0,0,0\n1,1,0,0\n2,2,1,1\n3,3,1,1\n");
  await page.getByText("2 nodes · 4 CPUs").waitFor();
  await desk.at("alert").getByText("The machine was read.").waitFor();
  await paste("good morning");
  await desk.at("alert").getByText("This text is nothing that can be opened here.").waitFor();
  await desk.at("alert-keep").click();
  await paste(JSON.stringify({ teeter: 1, name: "pasted", machine: { preset: "laptop" }, tasks: [{ name: "h", workload: "hog" }] }));
  await eventually(() => desk.name(), "pasted");
  await desk.at("undo").click();
  await page.getByText("2 nodes · 4 CPUs").waitFor();
  assert.deepEqual(problems, []);
});
