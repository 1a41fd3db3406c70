// What loopstone replay --html writes, in a real browser: without network or script, wide and narrow, light and dark.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isCut, opened, violations } from "./opened.js";

const url = new URL("../../../internal/lab/replay/testdata/stuck.html", import.meta.url);

for (const colorScheme of ["light", "dark"]) {
  for (const width of [400, 800, 1280]) {
    test(`replay, ${colorScheme}, ${width} px`, async () => {
      const { page, complaints, requests, close } = await opened(url, { colorScheme, viewport: { width, height: 900 } });
      const alarm = page.locator(".alarm a").first();
      assert.match(await alarm.textContent(), /Alarm after event \d+/);
      assert.ok(await alarm.isVisible(), "the first alarm is in sight");
      assert.ok((await page.locator(".lane").first().boundingBox()).y < 900, "the lanes are on the first screen");
      assert.ok(!(await isCut(page)), "no line is cut");
      await alarm.click();
      const step = page.locator("details:target");
      assert.ok(await step.isVisible(), "the link leads to the event");
      await step.locator("summary").focus();
      await page.keyboard.press("Enter");
      assert.ok(await step.locator("pre").isVisible(), "the keyboard opens it");
      assert.deepEqual({ complaints, requests }, { complaints: [], requests: [] });
      await close();
    });
  }
  test(`replay, ${colorScheme}: axe finds nothing`, async () => {
    assert.deepEqual(await violations(url, colorScheme), []);
  });
}
