// Accessibility, as axe-core judges it.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds wrong with the page as it is: each rule with the elements that break it. */
export async function violations(page) {
  await page.evaluate(await source);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
  });
}
