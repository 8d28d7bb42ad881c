import assert from "node:assert/strict";
import { test } from "node:test";
import { poorContrasts } from "./contrast.mjs";
import { Desk, eventually, luGroup } from "./desk.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];
const VIEWS = ["Machine", "Scenario", "Results"];
const PANELS = ["Machine", "Tasks", "Kernel", "Script"];

/** The page's views at this size: one where there is room for three columns, else one for each tab. */
async function eachView(page, look) {
  const tabs = page.getByRole("tablist", { name: "Parts of the page" });
  const names = (await tabs.isVisible()) ? VIEWS : [null];
  for (const name of names) {
    if (name) await tabs.getByRole("tab", { name }).click();
    await look(name ?? "all columns");
    if (name && name !== "Scenario") continue;
    for (const panel of PANELS) {
      await new Desk(page).panel(panel);
      await look(`panel ${panel}`);
    }
  }
}

/** What reaches beyond the page sideways, or beyond the column, card or bar it is in. */
function overflowing() {
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  const name = (element) => {
    const words = element.textContent.trim().slice(0, 30);
    return `${element.tagName.toLowerCase()}.${[...element.classList].join(".")} “${words}”`;
  };
  const faults = [];
  const root = document.scrollingElement;
  if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth - root.clientWidth} px too wide`);
  for (const box of document.querySelectorAll(".top-bar, .alert, .guide, .popped, .gallery, .column, .card, .panel, .section, .tabs, .machine")) {
    if (!seen(box)) continue;
    if (box.scrollWidth > box.clientWidth + 1) faults.push(`${name(box)} scrolls sideways by ${box.scrollWidth - box.clientWidth} px`);
    const { left, right } = box.getBoundingClientRect();
    for (const element of box.querySelectorAll("*")) {
      // A table that scrolls in its own box may be wide; a scrolled box's contents are not the page's.
      if (!seen(element) || element.closest(".twin, .visually-hidden, svg, option, .share")) continue;
      const at = element.getBoundingClientRect();
      if (at.width && (at.right > right + 1 || at.left < left - 1)) {
        faults.push(`${name(element)} reaches ${Math.round(Math.max(at.right - right, left - at.left))} px out of ${name(box)}`);
      }
    }
  }
  for (const button of document.querySelectorAll("button, summary, label, .clock")) {
    // A scenario's name may be any length; the whole of it is its title.
    if (seen(button) && !button.closest(".visually-hidden, .rename") && button.scrollWidth > button.clientWidth + 1 && getComputedStyle(button).display !== "inline") {
      faults.push(`${name(button)} cuts its words`);
    }
  }
  return faults;
}

for (const viewport of SIZES) {
  for (const theme of ["light", "dark", "contrast"]) {
    test(`nothing overflows and all text can be read at ${viewport.width}x${viewport.height}, ${theme}`, async () => {
      const colorScheme = theme === "dark" ? "dark" : "light";
      const { page, problems } = await site.open(luGroup("500ms"), { viewport, colorScheme });
      await page.getByTestId("time").waitFor();
      // The same runs in each view: over, with all figures there are.
      const desk = new Desk(page);
      await desk.finished();
      if (theme === "contrast") await desk.theme(theme);
      const faults = {};
      const look = async (view) => {
        const found = [...(await page.evaluate(overflowing)), ...(await poorContrasts(page))];
        if (found.length > 0) faults[view] = found;
      };
      await eachView(page, look);
      await desk.paste("#s=z1.752.jVNLbtswEL2KMWva0ceKU");
      await desk.at("alert").waitFor();
      await desk.at("copy-link").click();
      await desk.at("link-text").waitFor();
      await look("an alert, and a link to copy");
      await page.keyboard.press("Escape");
      await desk.at("help").click();
      await desk.at("terms").waitFor();
      await look("help");
      await page.keyboard.press("Escape");
      await desk.at("examples").click();
      await desk.at("example-lu-group").waitFor();
      await look("the examples");
      assert.deepEqual(faults, {});
      assert.deepEqual(problems, []);
    });
  }
}
