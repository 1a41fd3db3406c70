// The playground where something is against it: a program that does not load, a store that is denied or full, links and
// files that are made to harm. Each has its control: afterwards, or without the fault, the page judges a trace.
import assert from "node:assert/strict";
import { readFileSync, truncateSync, writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { deflateRawSync, gzipSync } from "node:zlib";
import { instead, opened, playground, root, site, state, write } from "./site.js";

const alone = { serviceWorkers: "block" };
const call = "- tool_call: {tool: TOOL, args: {}}\n".repeat(3);
let count = 0;

// judges asserts that the page still judges what somebody writes.
async function judges(page) {
  const tool = `control-${++count}`;
  await write(page, call.replaceAll("TOOL", tool));
  await page.locator("#event-3 td.event", { hasText: tool }).waitFor();
  await page.locator(".judged").waitFor();
}

const program = readFileSync(join(root, "play/playground.bin"));
const broken = {
  "is not there": ["playground.bin", { status: 404, body: "" }],
  "is refused": ["playground.bin", { status: 503, body: "later" }],
  "is a page": ["playground.bin", { body: "<html>" }],
  "is cut": ["playground.bin", { body: program.subarray(0, program.length >> 1) }],
  "is no WebAssembly": ["playground.bin", { body: gzipSync("hello") }],
  "has no runtime": ["wasm_exec.js", { status: 404, body: "" }],
  "has an empty runtime": ["wasm_exec.js", { body: "" }],
  "has no worker": ["worker.js", { status: 404, body: "" }],
};

test("a program that does not load is blamed, not the trace; the next change loads it again", async () => {
  for (const [reason, [name, answer]] of Object.entries(broken)) {
    instead.set(`/play/${name}`, answer);
    const { page, close } = await opened("playground", alone);
    try {
      const said = await page.locator(".problem").textContent();
      assert.match(said, /^The playground did not load\. It is loaded again with the next change: /, reason);
    } finally {
      instead.clear();
    }
    await judges(page);
    await close();
  }
});

const denied = {
  "the store is denied": "CacheStorage.prototype.open = () => Promise.reject(new Error('denied'));",
  "the store is full": "Cache.prototype.put = Cache.prototype.add = () => Promise.reject(new Error('full'));",
  "the store is broken": "Cache.prototype.match = () => Promise.reject(new Error('broken'));",
  "nothing is wrong": "",
};

test("a store that is denied, full or broken does not break the site", async () => {
  const keeper = readFileSync(join(root, "sw.js"), "utf8");
  for (const [reason, fault] of Object.entries(denied)) {
    instead.set("/sw.js", { body: fault + keeper });
    const { page, complaints, close } = await playground();
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await page.goto(site + "detector/history");
    await page.locator("main h1").waitFor();
    await page.goto(site + "playground");
    await judges(page);
    assert.deepEqual(complaints, [], reason);
    await close();
    instead.clear();
  }
});

test("a page is kept once, whatever its query; what is no page, never as one", async () => {
  const { page, close } = await playground();
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  const asset = "/assets/late.js";
  instead.set(asset, { type: "text/html", body: "log in" });
  const read = (path) => page.evaluate(async (path) => (await fetch(path)).text(), path);
  const kept = (part) =>
    page.evaluate(async (part) => (await (await caches.open("loopstone-1")).keys()).filter(({ url }) => url.includes(part)).length, part);
  assert.equal(await read(asset), "log in");
  for (let n = 0; n < 20; n++) await read(`/playground?n=${n}`);
  await page.waitForFunction(async () => (await caches.open("loopstone-1")).match("/playground"));
  assert.deepEqual([await kept("/playground?"), await kept(asset)], [0, 0]);
  instead.set(asset, { body: "good" });
  assert.equal(await read(asset), "good");
  instead.clear();
  await close();
});

const link = (value) => "#z=" + deflateRawSync(typeof value === "string" ? value : JSON.stringify(value), { level: 9 }).toString("base64url");
const lane = { detector: "history", reading: "code" };

test("a link that is made to harm is damaged, or names little of what it names", async () => {
  const { page, complaints, close } = await playground();
  const follow = (hash) => page.evaluate((hash) => { location.hash = hash; }, hash);
  const deep = JSON.stringify({ trace: call, lanes: [{ ...lane, config: "DEEP" }] }).replace('"DEEP"', "[".repeat(20_000) + "]".repeat(20_000));
  const large = { trace: "#".repeat(100_000_000), lanes: [lane] };
  const bad = [deep, large, "null", { trace: call, lanes: [null] }, { trace: call, lanes: [lane], run: -1 }];
  for (const hash of ["#z=%", "#t=%E0%A4%A", ...bad.map(link)]) {
    await follow(link({ trace: call, lanes: [lane] }));
    await page.locator("#event-3").waitFor();
    await follow(hash);
    await page.getByText("The link is damaged").waitFor();
    await judges(page);
  }
  const unknown = (detector) => ({ detector, reading: "code" });
  for (const lanes of [[unknown("x".repeat(100_000))], Array.from({ length: 5000 }, (_, i) => unknown(`d${i}`))]) {
    await follow(link({ trace: call, lanes: [lane, ...lanes] }));
    await page.getByText("The link names detectors that this page does not have").waitFor();
    assert.ok((await page.locator(".problem").textContent()).length < 500);
    await judges(page);
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("a file that is too large, or is gone, is named; the same file can be opened again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "opened-"));
  const { page, complaints, close } = await playground();
  const file = join(folder, "log.jsonl");
  const open = async (path) => {
    const chooser = page.waitForEvent("filechooser");
    await page.locator("input[type=file]").click();
    await (await chooser).setFiles(path);
  };
  writeFileSync(file, "");
  truncateSync(file, 60_000_000);
  await open(file);
  await page.getByText("log.jsonl has more than 50 MB").waitFor();
  writeFileSync(file, JSON.stringify({ type: "tool_call", tool: "first", args: {} }) + "\n");
  await open(file);
  await page.locator("td.event", { hasText: "first" }).waitFor();
  await judges(page);
  await open(file);
  await page.locator("td.event", { hasText: "first" }).waitFor();
  await page.locator("input[type=file]").evaluate((input) => {
    const gone = new File([], "gone.jsonl");
    gone.text = () => Promise.reject(new Error("it was removed"));
    Object.defineProperty(input, "files", { value: [gone] });
    input.dispatchEvent(new Event("change"));
  });
  await page.getByText("gone.jsonl cannot be read: it was removed").waitFor();
  assert.deepEqual(complaints, []);
  await close();
  rmSync(folder, { recursive: true });
});

test("a browser that lacks what the page needs is named", async () => {
  const { page, close } = await opened("index", alone);
  await page.addInitScript(() => { delete window.Worker; });
  await page.goto(site + "playground");
  await page.locator(".problem", { hasText: "Worker is not defined" }).waitFor();
  await close();
});

test("no test is copied that could not fail, nor one of a part; a download that is a part is called one", async () => {
  const { page, close } = await playground(link({ trace: call, lanes: [{ ...lane, config: { repeat_threshold: 0 } }] }));
  await page.getByRole("button", { name: "Copy as Go test" }).click();
  await page.getByText("history judges no event, so there is nothing to test").waitFor();
  await page.goto("about:blank");
  await page.goto(site + "playground" + state("history"));
  await page.locator(".judged").waitFor();
  await write(page, call + "  times: 2500\n");
  await page.getByText("2502 events").waitFor();
  await page.getByRole("button", { name: "Copy as Go test" }).click();
  await page.getByText("The trace has 2502 events; a test that people read has at most 2000.").waitFor();
  await page.getByRole("button", { name: "Download events and command" }).click();
  await page.getByText("The file has the first 2000 of 2502 events. Then run:").waitFor();
  await close();
});
