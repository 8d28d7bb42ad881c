import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, eventually, luGroup, ownLink } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

test("a copied link opens the same scenario and the same digests elsewhere", async () => {
  const first = await site.open(ownLink("500ms"));
  await first.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const desk = new Desk(first.page);
  await desk.finished();
  await desk.at("entry-domain.NUMA.imbalance_pct").fill("117");
  await desk.at("entry-domain.NUMA.imbalance_pct").press("Enter");
  await eventually(() => desk.at("slider-domain.NUMA.imbalance_pct").inputValue(), "117");
  await desk.at("copy-link").click();
  const link = await desk.at("link-text").inputValue();
  await first.page.getByText("Link copied").waitFor();
  assert.equal(await first.page.evaluate(() => navigator.clipboard.readText()), link);
  assert.ok(link.startsWith(site.url), "it leads to where the page is hosted");
  assert.match(new URL(link).hash, /^#s=z1\.[A-Za-z0-9_.-]+$/);

  const wanted = await engine.digests(link);
  await desk.endsIn(wanted);
  const second = await site.open(new URL(link).hash);
  const there = new Desk(second.page);
  assert.deepEqual(await there.finished(), wanted);
  await eventually(() => there.name(), await desk.name());
  await eventually(() => there.link(), link, "it makes the same link");
  await eventually(() => there.at("entry-domain.NUMA.imbalance_pct").inputValue(), "117");
  assert.deepEqual([...first.problems, ...second.problems], []);
});

test("a preset with some knobs changed has a short, readable link", async () => {
  const { page } = await site.open(luGroup("500ms"));
  const desk = new Desk(page);
  const [a] = await desk.finished();
  await desk.at("kernel-b").selectOption("v5.3");
  await desk.endsIn([a, a]);
  await desk.at("entry-domain.NUMA.imbalance_pct").fill("117");
  await desk.at("entry-domain.NUMA.imbalance_pct").press("Enter");
  await eventually(() => desk.at("slider-domain.NUMA.imbalance_pct").inputValue(), "117");
  const { hash } = new URL(await desk.link());
  assert.ok(hash.startsWith("#p=lu-group&"), hash);
  assert.ok(hash.length < 200, `${hash.length} characters`);
});

test("the address follows the scenario, and loading it again changes nothing", async () => {
  const { page, problems } = await site.open(luGroup("400ms"));
  const desk = new Desk(page);
  await desk.finished();
  await desk.at("kernel-a").selectOption("v5.5");
  const { hash } = new URL(await desk.link());
  await eventually(() => desk.fragment(), hash, "the address bar follows");
  const digests = await engine.digests(hash);
  await desk.endsIn(digests);
  await page.reload();
  assert.deepEqual(await desk.finished(), digests);
  await eventually(() => desk.at("kernel-a").inputValue(), "v5.5");
  await eventually(() => desk.fragment(), hash);
  assert.deepEqual(problems, []);
});

test("a link pasted into the open page is opened, one undo from what was there", async () => {
  const { page, problems } = await site.open(luGroup("400ms"));
  const desk = new Desk(page);
  const before = await desk.finished();
  const pasted = "#p=laptop-mix&/run/duration=300ms";
  await desk.paste(pasted);
  await eventually(() => desk.name(), "A laptop at work");
  await desk.endsIn(await engine.digests(pasted));
  await desk.at("undo").click();
  await desk.endsIn(before, "undo brings the former scenario back");
  assert.deepEqual(problems, []);
});

test("without a link the page opens what was last worked on", async () => {
  const { page, context, problems } = await site.open("#p=laptop-mix&/run/duration=300ms");
  const desk = new Desk(page);
  const digests = await desk.finished();
  await eventually(() => page.evaluate(() => localStorage.length), (length) => length > 0, "the work is kept");
  const later = await context.newPage();
  await later.goto(site.url);
  assert.deepEqual(await new Desk(later).finished(), digests);
  assert.deepEqual(problems, []);
});
