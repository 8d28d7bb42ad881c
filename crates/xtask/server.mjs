// A server of static files on the loopback interface: what `cargo xtask serve` and the browser tests use.
//
//   node server.mjs [--port N] [--open] DIRECTORY

import { spawn } from "node:child_process";
import { createReadStream, realpathSync } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HOST = "127.0.0.1";
const TRIES = 100;

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

/**
 * Serves `directory` under the path `base`, at `port` or the next free one (0: any).
 * Resolves to the server and the address of the page.
 */
export async function serve(directory, { port = 0, base = "/" } = {}) {
  const root = path.resolve(directory);
  const server = createServer((request, response) => answer(root, base, request, response));
  for (let tries = 1; ; tries += 1) {
    try {
      await listen(server, port);
      return { server, url: `http://${HOST}:${server.address().port}${base}` };
    } catch (error) {
      if (error.code !== "EADDRINUSE" || tries === TRIES || port >= 65535) throw error;
      port += 1;
    }
  }
}

function listen(server, port) {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

async function answer(root, base, request, response) {
  if (request.method !== "GET" && request.method !== "HEAD") {
    refuse(response, 405, "only GET and HEAD");
    return;
  }
  const file = fileOf(root, base, request.url);
  const found = file && (await stat(file).catch(() => null));
  if (!found?.isFile()) {
    refuse(response, 404, "not found");
    return;
  }
  response.writeHead(200, {
    "content-type": TYPES[path.extname(file)] ?? "application/octet-stream",
    "content-length": found.size,
    // The next build may give a file of the same name other contents.
    "cache-control": "no-store",
    // Pages elsewhere may take teeter.js as a module from here.
    "access-control-allow-origin": "*",
  });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  createReadStream(file)
    .on("error", () => response.destroy())
    .pipe(response);
}

/** The file a request's target names, or null if it names none inside `root`. */
export function fileOf(root, base, target) {
  let name;
  try {
    name = decodeURIComponent(target.split(/[?#]/, 1)[0]);
  } catch {
    return null;
  }
  if (!name.startsWith(base) || name.includes("\0")) return null;
  const file = path.join(root, name.slice(base.length) || "index.html");
  const inside = path.relative(root, file);
  return inside.startsWith("..") || path.isAbsolute(inside) ? null : file;
}

function refuse(response, status, reason) {
  response.writeHead(status, { "content-type": TYPES[".txt"] });
  response.end(`${reason}\n`);
}

function openBrowser(url) {
  const [program, ...args] = {
    darwin: ["open"],
    win32: ["cmd", "/c", "start", ""],
  }[process.platform] ?? ["xdg-open"];
  spawn(program, [...args, url], { stdio: "ignore", detached: true })
    .on("error", () => console.log(`[xtask] no browser could be opened, visit ${url}`))
    .unref();
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: "string", default: "8080" }, open: { type: "boolean" } },
  });
  const wanted = Number(values.port);
  const { server, url } = await serve(positionals[0], { port: wanted });
  const { port } = server.address();
  if (wanted !== 0 && port !== wanted) console.log(`[xtask] port ${wanted} is in use, taking ${port}`);
  console.log(`[xtask] Teeter is at ${url} (Ctrl-C ends)`);
  if (values.open) openBrowser(url);
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
