import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { serve } from "../../crates/xtask/server.mjs";
import { violations } from "./axe.mjs";
import { eventually } from "./desk.mjs";
import * as engine from "./engine.mjs";
import { useSite } from "./site.mjs";

const site = useSite();
/** Another origin: another port. */
let hosts;

before(async () => {
  hosts = await serve(fileURLToPath(new URL("hosts", import.meta.url)));
});
after(() => {
  hosts.server.closeAllConnections();
  hosts.server.close();
});

/** The article that shows two figures; `view` are options of the browser's context. */
async function article(view) {
  const opened = await site.open(`${hosts.url}article.html?home=${encodeURIComponent(site.url)}`, view);
  const told = (id, name) =>
    opened.page.evaluate(([id, name]) => window.told.filter((said) => said[0] === id && said[1] === name).map((said) => said[2]), [id, name]);
  const figure = (id) => opened.page.frameLocator(`#${id} >> iframe`);
  const api = (id, name, ...args) =>
    opened.page.evaluate(([id, name, args]) => document.getElementById(id).api(1)[name](...args), [id, name, args]);
  return { ...opened, told, figure, api };
}

test("a figure opens in a page of another origin, as high as its contents, without a console error", async () => {
  const { page, problems, told, figure } = await article();
  await figure("first").getByTestId("embedded").waitFor();
  await eventually(async () => (await told("first", "ready")).length > 0, true);
  const frame = page.locator("#first >> iframe");
  assert.equal(await frame.getAttribute("title"), "Two hogs and lu under two kernels");
  const inside = () => figure("first").getByTestId("embedded").evaluate((root) => Math.ceil(root.getBoundingClientRect().height));
  await eventually(async () => (await frame.evaluate((frame) => frame.offsetHeight)) - (await inside()), 0, "no bar to scroll by");
  await eventually(async () => (await told("first", "metrics")).some(({ time_s }) => time_s > 0), true, "it runs in sight");
  assert.deepEqual(problems, []);
});

test("a figure far below is not simulated before it is seen, and its JSON is the scenario", async () => {
  const { page, told, api } = await article();
  await eventually(async () => (await told("first", "ready")).length > 0, true);
  assert.deepEqual(await told("second", "metrics"), []);
  await page.locator("#second").scrollIntoViewIfNeeded();
  const last = async () => (await told("second", "metrics")).at(-1);
  const end = await eventually(last, (said) => said?.finished === true, "its run comes to its end");
  const scenario = await api("second", "getScenario");
  assert.equal(scenario.name, "Three hogs");
  const link = await api("second", "getLink");
  assert.ok(link.startsWith(`${site.url}#`), link);
  assert.deepEqual(end.kernels.map(([, result]) => result.digest), await engine.digests(link));
});

test("a figure pauses out of sight and goes on in sight", async () => {
  const { page, told, api } = await article();
  await eventually(async () => (await told("first", "metrics")).some(({ time_s }) => time_s > 0), true);
  await page.locator("#second").scrollIntoViewIfNeeded();
  const time = () => api("first", "getMetrics").then(({ time_s }) => time_s);
  const step = async () => {
    const before = await time();
    await sleep(700);
    return (await time()) - before;
  };
  await eventually(step, 0, "out of sight it stands");
  await page.locator("#first").scrollIntoViewIfNeeded();
  await eventually(step, (step) => step > 0, "in sight it goes on");
});

test("the host sets, loads, pauses and asks; a fault is told with its reason", async () => {
  const { page, api, told } = await article();
  await eventually(async () => (await told("first", "ready")).length > 0, true);
  await api("first", "pause");
  await api("first", "restart");
  await api("first", "set", "domain.NUMA.imbalance_pct", 117);
  await api("first", "set", "/run/duration", "400ms");
  const scenario = await eventually(() => api("first", "getScenario"), (now) => now.run?.duration === "400ms");
  assert.ok(JSON.stringify(scenario).includes("117"));
  assert.ok((await told("first", "change")).length > 0);
  const refused = (name, ...args) => api("first", name, ...args).then(() => "done", (error) => error.message);
  assert.match(await refused("set", "/run/duration", "soon"), /duration/);
  assert.match(await refused("load", "#p=no-such-preset"), /no-such-preset/);
  await api("first", "load", "#p=laptop-mix&/run/duration=200ms");
  await api("first", "run");
  const end = await eventually(async () => (await told("first", "metrics")).at(-1), (said) => said.finished);
  const wanted = await engine.digests("#p=laptop-mix&/run/duration=200ms");
  assert.deepEqual(end.kernels.map(([, result]) => result.digest), wanted);
  // Attributes are live.
  await page.evaluate(() => document.getElementById("first").setAttribute("preset", "schbench-root"));
  await eventually(() => api("first", "getLink").then((link) => new URL(link).hash), "#p=schbench-root");
});

test("only the page around a figure is heard, and other people's messages are passed over", async () => {
  const { page, told } = await article();
  await eventually(async () => (await told("first", "ready")).length > 0, true);
  const before = await told("first", "change");
  await page.evaluate(() => {
    const frame = document.getElementById("first").shadowRoot.querySelector("iframe").contentWindow;
    const circle = { teeter: 1, type: "load" };
    circle.circle = circle;
    for (const data of [null, "x", 7, [], { type: "load", preset: "laptop-mix" }, { teeter: 1, tasks: [] }, circle]) {
      frame.postMessage(data, "*");
    }
    // A frame beside it, of the host's own origin, is not the page around it.
    const other = document.body.appendChild(document.createElement("iframe"));
    const script = other.contentDocument.createElement("script");
    script.textContent = `parent.document.getElementById("first").shadowRoot.querySelector("iframe").contentWindow
      .postMessage({ teeter: 1, type: "load", preset: "laptop-mix" }, "*")`;
    other.contentDocument.body.append(script);
    frame.postMessage({ teeter: 1, type: "fly" }, "*");
  });
  await eventually(async () => (await told("first", "error")).map(({ code }) => code), ["message"]);
  assert.deepEqual(await told("first", "change"), before, "nothing was loaded");
});

test("the reader turns the author's knob, opens the current state, and is not trapped", async () => {
  const { page, figure, told } = await article();
  const first = figure("first");
  await first.getByTestId("pause").click();
  assert.equal(await first.locator("[data-knob]").count(), 1, "only what its author chose");
  await first.getByTestId("entry-domain.NUMA.imbalance_pct").fill("140");
  await first.getByTestId("entry-domain.NUMA.imbalance_pct").press("Enter");
  await eventually(async () => (await told("first", "change")).length > 0, true);
  assert.match(await first.getByTestId("open-in-teeter").getAttribute("href"), /#p=lu-group&.*140/);
  assert.equal(await first.getByTestId("open-in-teeter").getAttribute("target"), "_blank");
  // Tab goes in and out again.
  await page.locator("#before").focus();
  let steps = 0;
  const outside = () => page.evaluate(() => document.activeElement.id);
  do {
    await page.keyboard.press("Tab");
    steps += 1;
  } while (steps < 60 && (await outside()) !== "next");
  assert.ok(steps > 1 && steps < 60, `${steps} steps of the tabulator`);
  // The wheel scrolls the page around it.
  await page.evaluate(() => scrollTo(0, 0));
  await page.locator("#first").hover();
  await page.mouse.wheel(0, 400);
  await eventually(() => page.evaluate(() => scrollY > 0), true, "the wheel belongs to the page");
});

test("nothing is stored by a figure, and it wears the theme it is given", async () => {
  const { page, figure } = await article();
  const first = figure("first");
  await first.getByTestId("embedded").waitFor();
  const ground = () => first.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
  const light = await ground();
  await page.evaluate(() => document.getElementById("first").setAttribute("theme", "dark"));
  await eventually(ground, (now) => now !== light, "dark after light");
  assert.equal(await first.locator("body").evaluate(() => localStorage.length), 0);
});

for (const width of [320, 480, 900]) {
  test(`a figure ${width} px wide has nothing cut off, and axe-core finds nothing wrong`, async () => {
    const link = "#embed?controls=full&panels=machine,threads,throughput,comparison&run=0&p=lu-group";
    for (const colorScheme of ["light", "dark"]) {
      const { page, problems } = await site.open(link, { viewport: { width, height: 900 }, colorScheme });
      await page.getByTestId("embedded").waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
      assert.deepEqual(await violations(page), []);
      assert.deepEqual(problems, []);
    }
  });
}

test("a figure whose link is bad says why, and leads to the playground", async () => {
  const { page } = await site.open("#embed?p=lu-grup");
  await page.getByRole("alert").getByText(/lu-grup/).waitFor();
  assert.equal(await page.getByRole("link").count(), 1);
  const odd = await site.open("#embed?run=later&p=lu-group");
  await odd.page.getByText(/run=later is not one of 0, 1, visible/).waitFor();
});
