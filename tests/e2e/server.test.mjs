import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileOf, serve } from "../../crates/xtask/server.mjs";

const root = path.resolve("site");

test("a target names a file under the root, whatever follows it", () => {
  assert.equal(fileOf(root, "/", "/"), path.join(root, "index.html"));
  assert.equal(fileOf(root, "/", "/a%20b.js?x=1#y"), path.join(root, "a b.js"));
  assert.equal(fileOf(root, "/base/", "/base/a.css"), path.join(root, "a.css"));
});

test("no target leads out of the root", () => {
  const targets = ["/../secret", "/%2e%2e/secret", "/a/../../secret", "/..%2fsecret", "/%", "/a%00b"];
  for (const target of targets) assert.equal(fileOf(root, "/", target), null, target);
  assert.equal(fileOf(root, "/base/", "/a.css"), null);
});

test("a port in use gives way to the next", async (context) => {
  const first = await serve(".");
  context.after(() => first.server.close());
  const { port } = first.server.address();
  const second = await serve(".", { port });
  context.after(() => second.server.close());
  assert.ok(second.server.address().port > port);
});

test("wasm is served as wasm, and only read", async (context) => {
  const site = await mkdtemp(path.join(tmpdir(), "teeter-"));
  context.after(() => rm(site, { recursive: true }));
  await writeFile(path.join(site, "a.wasm"), "\0asm");
  const { server, url } = await serve(site);
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const wasm = await fetch(`${url}a.wasm`);
  assert.equal(wasm.headers.get("content-type"), "application/wasm");
  assert.equal(await wasm.text(), "\0asm");
  assert.equal((await fetch(`${url}b.wasm`)).status, 404);
  assert.equal((await fetch(`${url}a.wasm`, { method: "POST" })).status, 405);
});
