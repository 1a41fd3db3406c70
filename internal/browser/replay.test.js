// What loopstone replay --html writes, in a real browser: without network or script, wide and narrow, light and dark.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const pages = ["stuck.html"].map((name) => new URL(`../replay/testdata/${name}`, import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const sizes = [400, 800, 1280];

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});
after(() => browser?.close());

// opened opens a page and returns it with all that it complained of and all that it asked for beside itself.
async function opened(url, options) {
  const context = await browser.newContext({ ...options, offline: true });
  const page = await context.newPage();
  const complaints = [];
  const requests = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => request.url() !== url.href && requests.push(request.url()));
  await page.goto(url.href);
  return { page, complaints, requests, close: () => context.close() };
}

for (const url of pages) {
  const name = fileURLToPath(url).split("/").pop();
  for (const colorScheme of ["light", "dark"]) {
    for (const width of sizes) {
      test(`${name}, ${colorScheme}, ${width} px`, async () => {
        const { page, complaints, requests, close } = await opened(url, { colorScheme, viewport: { width, height: 900 } });
        const alarm = page.locator(".alarm a").first();
        assert.match(await alarm.textContent(), /Loop after event \d+/);
        assert.ok(await alarm.isVisible(), "the first alarm is in sight");
        assert.ok((await page.locator(".lane").first().boundingBox()).y < 900, "the lanes are on the first screen");
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "no line is cut");
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
    test(`${name}, ${colorScheme}: axe finds nothing`, async () => {
      const { page, close } = await opened(url, { colorScheme, viewport: { width: 800, height: 900 }, bypassCSP: true });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run());
      assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).slice(0, 3)}`), []);
      await close();
    });
  }
}
