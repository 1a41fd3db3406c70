// A page in a real browser: without network unless the test asks for it, and with all that it complains of and asks for.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});
after(() => browser?.close());

// opened opens a page and returns it with all that it complained of and all that it asked for beside itself. A test that
// adds a route later asks for `routed`: on a page without any route, the first one may miss the next request.
export async function opened(url, { routed = false, ...options } = {}) {
  const context = await browser.newContext({ offline: true, ...options });
  if (routed) await context.route("**/nothing", (route) => route.continue());
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

// isCut says whether a line of the page is wider than the window.
export const isCut = (page) => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

// violations returns what axe finds on a page, with the elements.
export async function violations(url, colorScheme, options) {
  const { page, close } = await opened(url, { colorScheme, viewport: { width: 800, height: 900 }, bypassCSP: true, ...options });
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run());
  await close();
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).slice(0, 3)}`);
}
