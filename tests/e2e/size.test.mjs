// What the page transfers. The limits leave some room above what was reached, and are not what is wanted, which is
// 350 kB for the page: where one has to be raised, the commit says why.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const DIST = process.env.TEETER_DIST ?? fileURLToPath(new URL("../../dist", import.meta.url));

const WANTED_KB = 350;
const LIMITS_KB = { playground: 870, worker: 580 };

for (const [name, limit] of Object.entries(LIMITS_KB)) {
  test(`the wasm of the ${name} is below ${limit} kB, compressed`, async (context) => {
    const files = await readdir(DIST);
    const found = files.filter((file) => file.startsWith(name) && file.endsWith("_bg.wasm"));
    assert.equal(found.length, 1, `one wasm of the ${name}: ${found}`);
    const bytes = gzipSync(await readFile(path.join(DIST, found[0])), { level: 9 }).length;
    const kb = bytes / 1000;
    if (kb > WANTED_KB) context.diagnostic(`${kb.toFixed(0)} kB; wanted are ${WANTED_KB}`);
    assert.ok(kb <= limit, `${kb.toFixed(1)} kB`);
  });
}
