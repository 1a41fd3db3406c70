// The site that make site has built, in a real browser: links, complaints, accessibility, and whether the playground says
// what the reference says. SHOTS names a folder for pictures of it, SITE another build.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, relative } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = process.env.SITE ?? fileURLToPath(new URL("../../bin/site", import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const patience = { timeout: 120_000 }; // a busy machine takes long to compile the playground
const types = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml",
};

// file returns the file that an address of the site names, as a static server finds it; undefined where there is none.
function file(path) {
  return [path, `${path}.html`, `${path}/index.html`].map((name) => join(root, name)).find((name) => {
    return statSync(name, { throwIfNoEntry: false })?.isFile();
  });
}

const server = createServer((request, response) => {
  const found = file(decodeURIComponent(new URL(request.url, "http://site").pathname));
  response.writeHead(found ? 200 : 404, { "Content-Type": types[extname(found ?? ".html")] ?? "application/octet-stream" });
  response.end(found ? readFileSync(found) : "no such page");
});

const pages = readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".html")).map((name) => name.slice(0, -5));
// few has all pages but those of clauses and cases, of which it has every so many: all would need an hour.
const few = pages.filter((name, i) => !/^(c|case)\//.test(name) || i % 150 === 0);

let browser;
let site;
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
async function opened(path, options) {
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
async function playground(hash = "", options) {
  const all = await opened("playground" + hash, options);
  await all.page.locator(".judged").waitFor();
  return all;
}

// violations returns what axe finds, of all rules or of those named.
async function violations(page, ...rules) {
  await page.evaluate(axe);
  const found = await page.evaluate((values) => window.axe.run(values.length ? { runOnly: { type: "rule", values } } : {}), rules);
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 200)).slice(0, 3)}`);
}

const write = (page, text) => page.locator("#trace-text").fill(text);

test("every internal link and anchor leads somewhere", () => {
  const texts = new Map(pages.map((name) => [name, readFileSync(join(root, `${name}.html`), "utf8")]));
  const ids = new Map([...texts].map(([name, text]) => [name, new Set([...text.matchAll(/\sid="([^"]+)"/g)].map((m) => m[1]))]));
  const broken = new Set();
  let links = 0;
  for (const [name, text] of texts) {
    for (const [, href] of text.matchAll(/<a\s[^>]*?href="([^"]+)"/g)) {
      const to = new URL(href.replaceAll("&amp;", "&"), `http://site/${name}`);
      if (to.host !== "site") continue;
      links++;
      const found = file(decodeURIComponent(to.pathname));
      const target = found && relative(root, found).slice(0, -5);
      const anchor = decodeURIComponent(to.hash.slice(1));
      if (!found) broken.add(`${name}: ${href}`);
      else if (anchor && target !== "playground" && !ids.get(target).has(anchor)) broken.add(`${name}: no anchor ${href}`);
    }
  }
  assert.ok(links > 10_000, `only ${links} links were found`);
  assert.deepEqual([...broken].slice(0, 20), []);
});

test("pages load without complaint, and axe finds nothing, in light and in dark", async () => {
  const wrong = [];
  const { page, complaints, close } = await opened("", { bypassCSP: true });
  for (const name of few) {
    complaints.length = 0;
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(site + name);
    await page.locator("main h1").waitFor();
    if (name === "playground") await page.locator(".judged").waitFor();
    const light = await violations(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("html.dark").waitFor({ state: "attached" });
    await page.evaluate(() => Promise.all(document.getAnimations().map((change) => change.finished))); // of colours
    for (const problem of [...complaints, ...light, ...(await violations(page, "color-contrast"))]) wrong.push(`${name}: ${problem}`);
  }
  await close();
  assert.ok(few.length > 50, `only ${few.length} pages`);
  assert.deepEqual(wrong, []);
});

test("the policy lets nothing else in, and the page still works", async () => {
  for (const name of ["index", "detector/history", "playground"]) {
    const { page, complaints, close } = await opened(name);
    await page.locator("main h1").waitFor();
    if (name === "playground") await page.locator(".judged").waitFor();
    assert.deepEqual(complaints, [], name);
    const ran = await page.evaluate(() => {
      document.body.append(Object.assign(document.createElement("script"), { textContent: "window.ran = true" }));
      return window.ran === true;
    });
    assert.equal(ran, false, "a script that the page does not have ran");
    await close();
  }
});

test("a page needs less than 200 kB, compressed, before the playground", async () => {
  const { gzipSync } = await import("node:zlib");
  const loaded = [];
  const { page, close } = await opened("");
  page.on("response", async (response) => loaded.push(response));
  await page.reload();
  await page.waitForLoadState("networkidle");
  const sizes = await Promise.all(loaded.map(async (r) => gzipSync(await r.body()).length));
  const total = sizes.reduce((a, b) => a + b, 0);
  console.log(`# ${loaded.length} files, ${total} bytes`);
  assert.ok(total > 10_000 && total < 200_000, `${total} bytes`);
  await close();
});

test("the playground says what the reference says of every case", async () => {
  const wanted = JSON.parse(readFileSync(new URL("../../bin/verdicts.json", import.meta.url), "utf8"));
  assert.ok(wanted.length > 1000, `only ${wanted.length} traces`);
  const { page, close } = await opened("playground");
  await page.exposeFunction("compare", (at, results) => {
    const want = wanted[at];
    const got = results[1].result?.lanes[0];
    if (!got) return assert.fail(`${want.case}: ${results.map((r) => r.error)}`);
    assert.equal(Boolean(got.refused), Boolean(want.refused), `${want.case}: ${got.refused}`);
    if (!want.refused) assert.deepEqual(got.verdicts, want.verdicts.slice(0, 2000), want.case);
  });
  await page.evaluate(async (all) => {
    const worker = new Worker("/play/worker.js");
    for (const [at, { lane, trace }] of all.entries()) {
      const answer = new Promise((resolve) => (worker.onmessage = ({ data }) => resolve(data.results)));
      worker.postMessage({ id: at, calls: [["load", trace], ["judge", 0, JSON.stringify([lane])]] });
      await window.compare(at, await answer);
    }
    worker.terminate();
  }, wanted);
  await close();
});

test("a trace is judged as it is typed, and the difference of two lanes is told", async () => {
  const { page, complaints, close } = await playground();
  await write(page, "- {type: tool_call, tool: ls, args: {}}\n".repeat(4));
  await page.getByText("4 events.").waitFor();
  assert.ok((await page.locator("button.loop").count()) > 0);
  await page.getByText("They first differ after").waitFor();
  assert.ok((await page.locator(".arcs path").count()) > 0, "arcs join the evidence");
  await write(page, "- {type: tool_call\n");
  assert.match(await page.locator(".problem").textContent(), /trace:/);
  assert.deepEqual(complaints, []);
  await close();
});

test("a slider changes the verdicts, and the link keeps trace and slider", async () => {
  const { page, context, close } = await playground();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await write(page, "- {type: tool_call, tool: ls, args: {}}\n".repeat(3));
  await page.getByText("3 events.").waitFor();
  for (const box of await page.locator(".lane > label input").all()) {
    if (!(await box.evaluate((e) => e.parentElement.textContent.includes("history")))) await box.uncheck();
  }
  await page.getByText("history speaks first after event 3").waitFor();
  await page.getByText("Settings of history").click();
  const slider = page.getByLabel("repeat_threshold");
  await slider.focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByText("history speaks first after event 2").waitFor();
  await page.getByText("Copy link").click();
  await page.getByText("The link is copied.").waitFor();
  const hash = new URL(page.url()).hash;
  await close();

  const again = await opened("playground" + hash);
  await again.page.getByText("history speaks first after event 2").waitFor();
  assert.equal(await again.page.locator("#trace-text").inputValue(), "- {type: tool_call, tool: ls, args: {}}\n".repeat(3));
  await again.close();
});

test("what is copied is a case, and a test in each language", async () => {
  const { page, context, close } = await playground();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const [button, part] of [
    ["Copy as case", "cases:\n  - id:"], ["Copy as Go test", "func TestTrace("], ["Copy as Python test", "def test_trace("],
    ["Copy as TypeScript test", "node:test"],
  ]) {
    await page.getByRole("button", { name: button }).click();
    await page.waitForFunction(async (text) => (await navigator.clipboard.readText()).includes(text), part);
  }
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download events and command" }).click();
  const events = readFileSync(await (await download).path(), "utf8").trim().split("\n");
  assert.equal(events.length, 6, "the file has a line for each event");
  assert.equal(JSON.parse(events[0]).type, "tool_call");
  assert.match(await page.locator(".told").textContent(), /loopstone replay --detector \w+ --reading \w+ trace\.jsonl -- /);
  await close();
});

test("a profile is a lane, whose rungs are sliders and whose link is short", async () => {
  const { page, context, close } = await playground();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByLabel("Add an event").selectOption("tool_call");
  assert.match(await page.locator("#trace-text").inputValue(), /- \{"tool_call":.*\}\n$/);
  await write(page, "- {type: tool_call, tool: ls, args: {}}\n".repeat(5));
  await page.getByText("5 events.").waitFor();
  for (const box of await page.locator(".lane > label input").all()) await box.uncheck();
  await page.getByText("Profiles of composed").click();
  await page.getByLabel("@roo").check();
  await page.getByText("@roo speaks first after event 4").waitFor();
  await page.getByText("Settings of @roo").click();
  await page.getByLabel("repetition ask").focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByText("@roo speaks first after event 3").waitFor();
  await page.getByRole("button", { name: "Back to the defaults" }).click();
  await page.getByText("@roo speaks first after event 4").waitFor();
  await page.getByText("Copy link").click();
  await page.getByText("The link is copied.").waitFor();
  const hash = new URL(page.url()).hash;
  await close();
  assert.ok(hash.length < 300, `the link has ${hash.length} characters`);
  const again = await playground(hash);
  await again.page.getByText("@roo speaks first after event 4").waitFor();
  await again.close();
});

test("a log of 10 MB that is pasted does not block the page", async () => {
  const { page, close } = await playground();
  const longest = await page.evaluate(async () => {
    const line = JSON.stringify({ type: "tool_result", ok: true, content: "x".repeat(1000) }) + "\n";
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", line.repeat(10_000));
    let longest = 0;
    let last = performance.now();
    const tick = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 10);
    const area = document.querySelector("#trace-text");
    area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    await new Promise((done) => setTimeout(done, 2000));
    clearInterval(tick);
    return longest;
  });
  console.log(`# the page was blocked for at most ${Math.round(longest)} ms`);
  await page.getByText("10000 events, format loopstone").waitFor();
  assert.ok(longest < 10_000, `the page was blocked for ${longest} ms`);
  await close();
});

test("hostile text is shown, and never run", async () => {
  const hostile = `<img src=x onerror=alert(1)><script>alert(2)</script>{{ alert(3) }}"'><svg onload=alert(4)>`;
  const { page, complaints, close } = await playground();
  await write(page, JSON.stringify([{ type: "message", role: "assistant", content: hostile }]));
  await page.getByText("1 event, format loopstone").waitFor();
  assert.match(await page.locator("td.event").textContent(), /<script>alert\(2\)<\/script>{{ alert\(3\) }}/);
  await write(page, `- {type: ${JSON.stringify(hostile)}}\n`);
  await page.locator(".problem").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

// The first answers are late: the browser compiles what they need. So the worker first judges a few events, as the page
// itself does when it is opened.
test("a thousand events are judged at once", async () => {
  const { page, close } = await playground();
  const took = await page.evaluate(async () => {
    const calls = (n) => Array.from({ length: n }, (_, i) => ({ type: "tool_call", tool: "ls", args: { n: i % 7 } }));
    const worker = new Worker("/play/worker.js");
    const judged = (n) => new Promise((resolve) => {
      const begin = performance.now();
      worker.onmessage = ({ data }) => resolve({ took: performance.now() - begin, said: data.results[1].result });
      const lane = { detector: "history", reading: "code" };
      worker.postMessage({ id: 1, calls: [["load", JSON.stringify(calls(n))], ["judge", 0, JSON.stringify([lane])]] });
    });
    await judged(20);
    const took = [];
    for (let i = 0; i < 5; i++) {
      const answer = await judged(1000);
      if (answer.said.total !== 1000) throw new Error("not all events were judged");
      took.push(Math.round(answer.took));
    }
    return took;
  });
  console.log(`# the verdicts of 1000 events took ${took.join(", ")} ms`);
  assert.ok(took[0] < 10_000);
  await close();
});

test("the playground works without a network, once it was loaded", async () => {
  const { page, context, close } = await playground();
  await page.waitForFunction(async () => {
    const store = await caches.open("loopstone-1");
    const kept = (await store.keys()).map((request) => request.url);
    return kept.some((url) => url.endsWith("playground.bin")) && kept.some((url) => url.endsWith("/playground"));
  });
  await context.setOffline(true);
  await page.reload();
  await page.locator(".judged").waitFor();
  await close();
});

test("the keyboard alone reaches a verdict", async () => {
  const { page, close } = await playground();
  await page.locator("#trace-text").focus();
  const verdict = page.locator("button.loop").last();
  for (let i = 0; i < 200 && !(await verdict.evaluate((e) => e === document.activeElement)); i++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await verdict.getAttribute("aria-pressed"), "true");
  await close();
});

const shown = ["index", "detector/history", "profile/roo", "c/HI-13", "case/crow-cycles-two", "docs/field", "playground"];
for (const width of [360, 768, 1280, 1920]) {
  test(`no page is wider than ${width} px`, async () => {
    for (const colorScheme of ["light", "dark"]) {
      for (const name of shown) {
        const { page, close } = await opened(name, { colorScheme, viewport: { width, height: 900 } });
        await page.locator("main h1").waitFor();
        if (name === "playground") await page.locator(".judged").waitFor();
        const shot = `${name.replace("/", "-")}-${width}-${colorScheme}.png`;
        if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, shot), fullPage: true });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${name} is wider`);
        await close();
      }
    }
  });
}
