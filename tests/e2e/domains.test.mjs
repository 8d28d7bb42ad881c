// The sched domains of a CPU: as the kernel builds them, those that are dropped with the reason.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually } from "./desk.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

async function opened(address, options) {
  const { page, problems } = await site.open(address, options);
  const desk = new Desk(page);
  await desk.at("domains-toggle").click();
  await desk.at("domains-table").waitFor();
  return { desk, page, problems };
}

/** The rows of the table: level, whether it was dropped, and the words after it. */
const rows = (desk) =>
  desk.at("domains-table").locator("tbody tr").evaluateAll((rows) =>
    rows.map((row) => ({
      level: row.cells[0].textContent.trim(),
      dropped: row.cells[0].querySelector("s") !== null,
      span: row.cells[1].textContent,
      rest: [...row.cells].slice(2).map((cell) => cell.textContent),
    })),
  );

test("each level has its span, groups, flags and imbalance_pct; a dropped one is struck out with the reason", async () => {
  const { desk, problems } = await opened("#p=lu-group&/run/duration=50ms");
  await desk.at("domains-cpu").fill("43");
  await desk.at("domains-cpu").press("Enter");
  await eventually(async () => (await rows(desk))[0].span, "3,43");
  const levels = await rows(desk);
  const numa = levels.find(({ level }) => level.startsWith("NUMA"));
  assert.equal(numa.span, "0-79");
  assert.ok(numa.rest[0].startsWith("0-9,40-49"), "the CPU's own group comes first");
  assert.ok(numa.rest.at(-1).includes("SD_NUMA"));
  assert.equal(Number.parseInt(numa.rest[1], 10), 125);
  const dropped = levels.filter(({ dropped }) => dropped);
  assert.ok(dropped.length > 0 && dropped.every(({ rest }) => /^(dropped|not built) because/.test(rest.at(-1))), JSON.stringify(levels));
  await desk.at("domains-cpu").fill("80");
  await desk.at("domains-cpu").press("Enter");
  await desk.page.getByText("a number from 0 to 79").waitFor();
  assert.deepEqual(problems, []);
});

test("what is set of a level is there, and each kernel has its own", async () => {
  const { desk, page, problems } = await opened("#p=lu-group&/run/duration=50ms&/kernels/1/base=v6.12&/kernels/1/set/domain.NUMA.imbalance_pct=143");
  const numa = async () => (await rows(desk)).find(({ level }) => level.startsWith("NUMA"))?.rest[1];
  await eventually(numa, (pct) => pct?.startsWith("125"), "kernel A has its own");
  await page.getByRole("tablist", { name: "Whose kernel builds them" }).getByRole("tab", { name: /^B/ }).click();
  await eventually(numa, (pct) => pct?.startsWith("143"), "kernel B as it is set");
  assert.deepEqual(problems, []);
});

test("the groups of a level are marked on the picture, and a click on it looks at another CPU", async () => {
  const { desk, page, problems } = await opened("#p=lu-group&/run/duration=50ms");
  const marks = desk.at("machine-a").getByTestId("groups");
  const count = (kind) => marks.locator(`.${kind}`).count();
  await desk.at("level-NUMA").first().click();
  await eventually(() => count("other"), 60, "three other nodes");
  assert.equal((await count("own")) + (await count("local")), 20);
  await desk.at("level-SMT").click();
  await eventually(() => count("other"), 1, "the other thread of the core");
  assert.equal(await count("beyond"), 78);
  const cell = marks.locator("span").nth(57);
  await cell.scrollIntoViewIfNeeded();
  const box = await cell.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await eventually(() => desk.at("domains-cpu").inputValue(), "57");
  await eventually(async () => (await rows(desk))[0].span, "17,57");
  await page.getByRole("tab", { name: "Edit machine" }).click();
  await eventually(() => desk.at("editor").getByTestId("groups").locator(".own").count(), 1, "on the edited picture too");
  assert.deepEqual(problems, []);
});

test("a CPU that is off has none, and says so", async () => {
  const scenario = { teeter: 1, name: "off", machine: { synthetic: "node:1 core:2 pu:2", offline: "3" }, tasks: [{ name: "h", workload: "hog" }], kernels: ["v6.12"], run: { duration: "50ms" } };
  const { page, problems } = await site.open(`#s=j1.${Buffer.from(JSON.stringify(scenario)).toString("base64url")}`);
  const desk = new Desk(page);
  await desk.at("domains-toggle").click();
  await desk.at("domains-table").waitFor();
  await desk.at("domains-cpu").fill("3");
  await desk.at("domains-cpu").press("Enter");
  await desk.at("domains-none").getByText("no domains: the CPU is offline").waitFor();
  assert.deepEqual(problems, []);
});
