// The site that make site has built, in a real browser. SITE names another build of it.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = process.env.SITE ?? fileURLToPath(new URL("../../../bin/site", import.meta.url));
if (!statSync(join(root, "index.html"), { throwIfNoEntry: false })) throw new Error(`there is no site in ${root}: run make site`);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const patience = { timeout: 120_000 }; // a busy machine takes long to compile the playground
const types = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml",
};

// file returns the file that an address of the site names, as a static server finds it; undefined where there is none.
export function file(path) {
  return [path, `${path}.html`, `${path}/index.html`].map((name) => join(root, name)).find((name) => {
    return statSync(name, { throwIfNoEntry: false })?.isFile();
  });
}

// instead has by path what a broken server answers: {status, type, body}.
export const instead = new Map();

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://site");
  const other = instead.get(pathname);
  if (other) {
    response.writeHead(other.status ?? 200, { "Content-Type": other.type ?? types[extname(pathname)] ?? "application/octet-stream" });
    response.end(other.body);
    return;
  }
  const found = file(decodeURIComponent(pathname));
  response.writeHead(found ? 200 : 404, { "Content-Type": types[extname(found ?? ".html")] ?? "application/octet-stream" });
  response.end(found ? readFileSync(found) : "no such page");
});

export const pages = readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".html")).map((name) => name.slice(0, -5));
// few has all pages but those of clauses and cases, of which it has every so many: all would need an hour.
export const few = pages.filter((name, i) => !/^(c|case)\//.test(name) || i % 150 === 0);

let browser;
// site is the address of the site, with a slash at its end.
export let site;
before(async () => {
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  site = `http://127.0.0.1:${server.address().port}/`;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});
after(async () => {
  await browser?.close();
  server.close();
});

// opened opens a page and returns it with all that it complained of and all that it asked others for.
export async function opened(path, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patience.timeout);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => /^https?:/.test(request.url()) && !request.url().startsWith(site) && complaints.push(request.url()));
  await page.goto(site + path);
  return { page, context, complaints, close: () => context.close() };
}

// playground opens the playground and waits for the first verdicts.
export async function playground(hash = "", options) {
  const all = await opened("playground" + hash, options);
  await all.page.locator(".judged").waitFor();
  return all;
}

// violations returns what axe finds, of all rules or of those named.
export async function violations(page, ...rules) {
  await page.evaluate(axe);
  const found = await page.evaluate((values) => window.axe.run(values.length ? { runOnly: { type: "rule", values } } : {}), rules);
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 200)).slice(0, 3)}`);
}

// write puts a text where the trace is. At once, since Chromium types a thousand lines for seconds.
export const write = (page, text) =>
  page.locator("#trace-text").evaluate((area, text) => {
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }, text);

// state is the address of the playground for detectors in their usual reading, with the playground's own trace.
export function state(...detectors) {
  const lanes = detectors.map((detector) => ({ detector, reading: "code" }));
  return "#t=" + Buffer.from(JSON.stringify({ trace: loop, lanes })).toString("base64url");
}

const loop = `- tool_call: {tool: Bash, args: {command: npm test}}
- tool_result: {ok: false, content: "1 failed"}
`.repeat(3);
