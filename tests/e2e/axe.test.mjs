import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { Desk, ownLink } from "./desk.mjs";
import { useSite } from "./site.mjs";

const site = useSite();

for (const theme of ["light", "dark", "contrast"]) {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    test(`axe-core finds nothing wrong at ${viewport.width}x${viewport.height}, ${theme}`, async () => {
      const colorScheme = theme === "dark" ? "dark" : "light";
      const { page, problems } = await site.open(ownLink("300ms"), { viewport, colorScheme, reducedMotion: "reduce" });
      const desk = new Desk(page);
      await desk.speed("max");
      await desk.at("run").click();
      await desk.finished();
      if (theme === "contrast") await desk.theme(theme);
      const faults = {};
      const look = async (name) => {
        const found = await violations(page);
        if (found.length > 0) faults[name] = found;
      };
      const views = page.getByRole("tablist", { name: "Parts of the page" });
      const view = async (name) => {
        if (await views.isVisible()) await views.getByRole("tab", { name }).click();
      };
      await look("as it opens");
      await view("Scenario");
      await desk.panel("Machine");
      await look("machine");
      await desk.panel("Tasks");
      await desk.at("task-tree").getByRole("button", { name: "a", exact: true }).click();
      await look("a cgroup");
      await desk.at("task-tree").getByRole("button", { name: /^tick/ }).click();
      await desk.at("task-add").click();
      await look("a task and the catalogue");
      await desk.panel("Kernel");
      await desk.at("own-rule").locator("> summary").click();
      await desk.at("all-knobs").locator("> summary").click();
      await look("every rule");
      await desk.panel("Script");
      await desk.at("script-add").selectOption({ index: 1 });
      await desk.at("steps").locator("> summary").click();
      await desk.at("json").locator("> summary").click();
      await look("script, steps and JSON");
      await view("Machine");
      await desk.at("decisions").locator("> summary").click();
      await look("decisions");
      await view("Results");
      await look("results");
      await desk.at("theme").click();
      await look("the themes");
      await page.keyboard.press("Escape");
      await desk.at("help").click();
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
