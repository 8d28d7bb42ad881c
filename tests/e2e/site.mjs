// The built page, served under a sub-path as any host might, and a browser to open it in.
//
//   const site = useSite();
//   test("…", async () => {
//     const { page, problems } = await site.open("#fragment");
//     …
//     assert.deepEqual(problems, []);
//   });
//
// TEETER_DIST names the built page and TEETER_BROWSER the browser's program; `cargo xtask` sets both.

import { after, afterEach, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "../../crates/xtask/server.mjs";

const DIST = process.env.TEETER_DIST ?? fileURLToPath(new URL("../../dist", import.meta.url));
const BROWSER = process.env.TEETER_BROWSER ?? "/usr/bin/chromium";

/** Not the root, so that an absolute address anywhere in the page shows as a failed request. */
const BASE = "/some/path/";

/** Keeps the browser from looking for anything beyond the page. */
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts the server and the browser before the tests of a file, and ends them after. */
export function useSite() {
  const site = new Site();
  before(() => site.start());
  afterEach(() => site.closePages());
  after(() => site.stop());
  return site;
}

/** A server of the page and a browser; to be started, and stopped. */
export class Site {
  #server;
  #browser;
  #contexts = [];

  /** The page's address, without a fragment. */
  url;

  async start() {
    const { server, url } = await serve(DIST, { base: BASE });
    this.#server = server;
    this.url = url;
    this.#browser = await chromium.launch({ executablePath: BROWSER, args: QUIET });
  }

  /**
   * Opens the page in a browser context of its own, at `address` relative to the page (a query, a fragment).
   * `options` are Playwright's for the context: viewport, colorScheme, …
   * `problems` fills with what goes wrong: console errors, uncaught exceptions, failed requests.
   */
  async open(address = "", options = {}) {
    const context = await this.#browser.newContext(options);
    this.#contexts.push(context);
    const page = await context.newPage();
    const problems = [];
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
    page.on("requestfailed", (request) => {
      problems.push(`request: ${request.url()} ${request.failure()?.errorText}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) problems.push(`request: ${response.url()} ${response.status()}`);
    });
    await page.goto(new URL(address, this.url).href);
    return { context, page, problems };
  }

  async closePages() {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
  }

  async stop() {
    await this.closePages();
    await this.#browser?.close();
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}
