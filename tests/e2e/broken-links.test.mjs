import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Desk, eventually, ownLink } from "./desk.mjs";
import { useSite } from "./site.mjs";

const site = useSite();
const CORPUS = fileURLToPath(new URL("../links/", import.meta.url));
const OWN = "#p=laptop-mix&/run/duration=300ms";

/** The fragments of the corpus of bad links, with the lines that tell what is wrong with each. */
async function corpus() {
  const names = (await readdir(CORPUS)).filter((name) => name.startsWith("bad-"));
  const cases = names.map(async (name) => {
    const [link, ...lines] = (await readFile(CORPUS + name, "utf8")).trimEnd().split("\n");
    const fragment = link.slice(link.indexOf("#"));
    // Several problems are told one by one, without the heading.
    const told = lines.length > 1 ? lines.slice(1) : lines.map((line) => line.replace(/^error .*? at \w+: /, ""));
    return { name, fragment, told };
  });
  return (await Promise.all(cases)).filter(({ fragment }) => fragment.startsWith("#"));
}

/** A page with work of its own: the laptop's run. */
async function withWork() {
  const opened = await site.open(OWN);
  const desk = new Desk(opened.page);
  const digests = await desk.finished();
  await eventually(() => desk.page.evaluate(() => localStorage.length), (length) => length > 0);
  return { ...opened, desk, digests };
}

test("every broken link pasted is told about, and the work stays", async () => {
  const { desk, problems, digests } = await withWork();
  const all = await corpus();
  assert.ok(all.length > 10);
  const { hash: own } = new URL(await desk.link());
  await eventually(() => desk.fragment(), own);
  for (const { name, fragment, told } of all) {
    await desk.paste(fragment);
    const alert = desk.at("alert");
    await alert.waitFor();
    assert.equal(await alert.getAttribute("role"), "alert");
    const plain = (text) => text.replaceAll("`", "").toLowerCase();
    for (const line of told) {
      await eventually(
        async () => plain(await alert.textContent()),
        (text) => text.includes(plain(line)),
        `${name}: the alert tells “${line}”`,
      );
    }
    await eventually(() => desk.name(), "A laptop at work", name);
    assert.deepEqual(await desk.digests(), digests, name);
    await desk.at("alert-keep").click();
    await alert.waitFor({ state: "detached" });
    await eventually(() => desk.fragment(), own, `${name}: the address is the work's again`);
  }
  assert.deepEqual(problems, []);
});

test("a broken link opened afresh leaves the work of the last visit on the desk", async () => {
  const { context, digests } = await withWork();
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto(`${site.url}#s=z1.752.jVNLbtswEL2KMWva0ceKU`);
  const desk = new Desk(page);
  await desk.at("alert").getByText("Your own work is as it was").waitFor();
  await desk.at("alert").getByText("this link was cut", { exact: false }).waitFor();
  assert.deepEqual(await desk.finished(), digests);
  assert.equal(await desk.fragment(), "#s=z1.752.jVNLbtswEL2KMWva0ceKU", "nothing is decided for the visitor");
  await desk.at("alert-keep").click();
  await eventually(() => desk.fragment(), (fragment) => fragment.startsWith("#p=laptop-mix"));
  assert.deepEqual(problems, []);
});

test("on a first visit a broken link still shows a scenario that runs", async () => {
  const { page, problems } = await site.open("#s=garbage");
  const desk = new Desk(page);
  await desk.at("alert").waitFor();
  await desk.passed(0);
  await eventually(() => desk.at("preset").inputValue(), "lu-group");
  await desk.at("pause").click();
  await desk.at("run").waitFor();
  assert.deepEqual(problems, []);
});

test("a link cut anywhere or changed anywhere is told about", async () => {
  const { page, problems } = await site.open(ownLink("200ms"));
  const desk = new Desk(page);
  await desk.finished();
  const { hash } = new URL(await desk.link());
  assert.ok(hash.startsWith("#s=z1."), hash);
  const name = await desk.name();
  const flip = (at) => hash.slice(0, at) + (hash[at] === "A" ? "B" : "A") + hash.slice(at + 1);
  const body = hash.indexOf(".", "#s=z1.".length) + 1;
  const broken = [hash.length - 1, hash.length - 4, body + 40, body + 1, body].map((end) => hash.slice(0, end));
  broken.push(flip(body + 5), flip(hash.length - 12), flip(hash.length - 1), hash.toLowerCase());
  for (const fragment of broken) {
    await desk.paste(fragment);
    await desk.at("alert").waitFor();
    await desk.at("alert-keep").click();
    await desk.at("alert").waitFor({ state: "detached" });
    await eventually(() => desk.name(), name, fragment);
  }
  await desk.finished();
  assert.deepEqual(problems, []);
});

test("an unknown kernel is told about, and another can be chosen", async () => {
  const { page, problems } = await site.open("#p=lu-group&/run/duration=300ms&k=v9.9");
  const desk = new Desk(page);
  await desk.at("alert").getByText("v9.9", { exact: false }).waitFor();
  await desk.at("kernel-a").selectOption("v5.5");
  await desk.finished();
  await desk.at("alert").waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
});

test("what could be read of a broken link can be opened, and undone", async () => {
  const { desk, problems, digests } = await withWork();
  await desk.paste("#p=lu-normal&/run/duration=300ms&/run/sed=3");
  await desk.at("alert").getByText("sed", { exact: false }).first().waitFor();
  await desk.at("alert-salvage").click();
  await eventually(() => desk.at("alert").count(), 0);
  assert.match(await desk.name(), /^lu\.C beside two CPU hogs/);
  await eventually(() => desk.fragment(), (fragment) => fragment.startsWith("#p=lu-normal"));
  await desk.at("undo").click();
  await desk.endsIn(digests, "the work is one undo away");
  assert.deepEqual(problems, []);
});

test("in place of a broken link the default preset can be opened, or its text copied", async () => {
  const { desk, context, page, problems } = await withWork();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await desk.paste("#s=z1.9.garbage");
  await desk.at("alert-copy").click();
  await desk.at("alert-copy").getByText("Copied").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "#s=z1.9.garbage");
  await desk.at("alert-default").click();
  await eventually(() => desk.at("preset").inputValue(), "lu-group");
  await eventually(() => desk.at("alert").count(), 0);
  await desk.at("undo").click();
  await eventually(() => desk.name(), "A laptop at work");
  assert.deepEqual(problems, []);
});
