// The page of loopstone label, where it is not one person with one window: two windows, logs that change, keys that are
// held, a program that does not answer, addresses and names that are odd. Each has its control: what is usual, works.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lines, log, made, online, pressed, stop } from "./labelling.js";
import { opened } from "./opened.js";

// shown opens the page of a labeller of a corpus, and waits until it shows a run: a key that comes before marks none.
async function shown(url, path = "", options = online) {
  const all = await opened(new URL(url.href + path), { ...options, routed: true });
  await all.page.getByText(/^run \d+ of/).waitFor();
  await all.page.locator("#run:not(:empty)").waitFor();
  return all;
}

const problem = (page) => page.locator("#problem");
const slow = (page, ms) =>
  page.route("**/run/*", async (route) => {
    await new Promise((done) => setTimeout(done, ms));
    await route.continue();
  });

test("a window that is behind replaces no label, and shows what another one saved", async () => {
  const { folder, started } = made(2);
  const { url } = await started("ann");
  const [a, b] = [await shown(url), await shown(url)];
  await pressed(b.page, ["s", "j", "j", "s"], "Open: 1 to 3 same");
  await pressed(a.page, ["u"], "another window has changed the label");
  await a.page.getByText("Open: 1 to 3 same").waitFor();
  assert.equal(lines(join(folder, "ann.jsonl")).at(-1).spans.length, 1);
  await pressed(a.page, ["u"], "Open: 1 to 3 same; unsure"); // the control
  await a.close();
  await b.close();
});

test("a log that has changed is not labelled by what the page showed before", async () => {
  const { folder, corpus, started } = made(2);
  const { url } = await started("ann");
  const { page, close } = await shown(url);
  const run = await page.locator("#run").textContent();
  writeFileSync(join(corpus, run), log(run, 12, () => "other", () => "x"));
  await pressed(page, ["s"], "the log has changed");
  await page.getByText("step 1 of 12").waitFor();
  assert.equal(readFileSync(join(folder, "ann.jsonl"), "utf8"), "");
  await pressed(page, ["s", "j", "j", "s"], "Open: 1 to 3 same");
  await close();
});

test("a key that is held marks once; one that is pressed while a run is saved marks no other run", async () => {
  const { folder, started } = made(4);
  const { url } = await started("ann");
  const { page, close } = await shown(url);
  for (let n = 0; n < 5; n++) await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await page.getByText("run 2 of 4, 1 finished").waitFor();
  await slow(page, 500);
  for (const key of ["Enter", "Enter", "s"]) await page.keyboard.press(key);
  await page.getByText("run 3 of 4, 2 finished").waitFor();
  await pressed(page, ["]"], "run 4 of 4, 2 finished"); // it comes after the keys before
  assert.equal(lines(join(folder, "ann.jsonl")).length, 2);
  for (let n = 0; n < 4; n++) await page.keyboard.down("j"); // the control
  await page.keyboard.up("j");
  await page.getByText("step 5 of 8").waitFor();
  await close();
});

test("a loop ends with the key that began it", async () => {
  const { url } = await made(2).started("ann");
  const { page, close } = await shown(url);
  await pressed(page, ["s", "j", "j", "v"], "the loop that begins at 1 is same");
  await pressed(page, ["S"], "Open: 1 to 3 same"); // with CapsLock
  await close();
});

test("an address that names no run leads to one, and one that is edited to its run", async () => {
  const { url } = await made(3).started("ann");
  for (const odd of ["#0", "#-1", "#1.5", "#4", "#1e3", "#Infinity", "#99999999999999999999", "#%", "#<b>", "?q=<b>"]) {
    const { page, complaints, close } = await shown(url, odd);
    await page.getByText("run 1 of 3").waitFor();
    await pressed(page, ["j"], "step 2 of 8");
    assert.deepEqual(complaints.filter((text) => !text.includes("400 (Bad Request)")), [], odd);
    await close();
  }
  const { page, close } = await shown(url, "#2");
  await page.getByText("run 2 of 3").waitFor();
  await page.evaluate(() => { location.hash = "#3"; });
  await page.getByText("run 3 of 3").waitFor();
  await close();
});

test("the page names what did not happen: a run that is not shown, an answer that does not come", async () => {
  const { folder, started } = made(3);
  const { program, url } = await started("ann");
  const { page, close } = await shown(url);
  await page.route("**/next", (route) => route.abort());
  await pressed(page, ["Enter"], "Not shown: loopstone is not running any more.");
  assert.equal(lines(join(folder, "ann.jsonl")).at(-1).finished, true, "the label is saved");
  await stop(program);
  await pressed(page, ["u"], "Loopstone has not answered yet.");
  program.kill("SIGCONT");
  await page.getByText("unsure", { exact: false }).and(page.locator("#label")).waitFor();
  assert.equal(await problem(page).textContent(), "");
  program.kill("SIGKILL");
  await new Promise((ended) => program.on("close", ended));
  await pressed(page, ["]"], "Not shown: loopstone is not running any more.");
  await pressed(page, ["s"], "Not saved: loopstone is not running any more.");
  await close();
});

test("long names, many loops and long answers leave room for the steps, on a phone too", async () => {
  const { folder, corpus, started } = made(1);
  const name = "x".repeat(200) + ".jsonl";
  writeFileSync(join(corpus, name), log("long", 600, (step) => `ls ${step}`, (step) => `file ${step}`));
  const spans = Array.from({ length: 150 }, (_, i) => ({ first: 4 * i + 1, last: 4 * i + 3, kind: "same" }));
  writeFileSync(join(folder, "ann.jsonl"), JSON.stringify({ corpus: "runs", run: name, labeller: "ann", steps: 600, spans, finished: false }) + "\n");
  const { url } = await started("ann");
  for (const viewport of [{ width: 1280, height: 900 }, { width: 640, height: 450 }, { width: 390, height: 844 }]) {
    const { page, close } = await shown(url, "", { ...online, viewport });
    if ((await page.locator("#run").textContent()) !== name) await pressed(page, ["]"], name);
    await page.route("**/alike/*", (route) => route.fulfill({ status: 500, body: "no ".repeat(100_000) }));
    await pressed(page, ["e"], "Not shown: no no");
    const { height, all } = await page.evaluate(() => ({ height: document.querySelector("header").offsetHeight, all: innerHeight }));
    assert.ok(height < 0.7 * all, `the header has ${height} of ${all}`);
    await close();
  }
});
