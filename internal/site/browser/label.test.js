// The page of loopstone label, in a real browser: runs are marked by keys alone, the program is killed in the middle, and
// what the page called saved is there afterwards.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { isCut, opened, violations } from "./opened.js";

const project = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "label-"));
const tool = join(folder, "loopstone");
const corpus = join(folder, "runs");
const count = 20;
const running = [];
after(() => {
  for (const program of running) program.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

const built = spawnSync("go", ["build", "-o", tool, "./cmd/loopstone"], { cwd: project, encoding: "utf8" });
assert.equal(built.status, 0, built.stderr);

// Each run has eight steps: every other run makes the same call with the same result from its third step to its sixth.
mkdirSync(corpus);
for (let n = 0; n < count; n++) {
  const lines = [{ run: { name: `run-${n}` } }, { type: "message", role: "user", content: "<b>Make it pass.</b>" }];
  for (let step = 1; step <= 8; step++) {
    const loops = n % 2 === 0 && step >= 3 && step <= 6;
    lines.push({ type: "tool_call", id: `c${step}`, tool: "bash", args: { command: loops ? "make" : `ls ${step}` } });
    lines.push({ type: "tool_result", call: `c${step}`, content: loops ? "error" : `file ${step}`, ok: true });
  }
  writeFileSync(join(corpus, `run-${n}.jsonl`), lines.map((line) => JSON.stringify(line) + "\n").join(""));
}

// started starts the tool for a labeller, in the folder of the labels, and returns its process with the address of its page.
async function started(labeller, ...flags) {
  const program = spawn(tool, ["label", "--labeller", labeller, ...flags, corpus], { cwd: folder });
  running.push(program);
  let said = "";
  for await (const chunk of program.stdout) {
    said += chunk;
    const url = said.match(/http:\S+\/\n/);
    if (url) return { program, url: new URL(url[0].trim()) };
  }
  throw new Error(`no address: ${said}`);
}

const lines = (file) => readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const online = { offline: false };

// pressed presses keys, and waits until the page says what it then must.
async function pressed(page, keys, says) {
  for (const key of keys) await page.keyboard.press(key);
  await page.getByText(says).first().waitFor();
}

// label marks the run that is shown, by keys alone, as its steps show; it returns the run's name.
async function label(page) {
  const run = await page.locator("#run").textContent();
  const calls = await page.locator("li pre:first-of-type").allTextContents();
  assert.equal(calls.length, 8);
  if (calls.filter((call) => call.includes("make")).length === 4) {
    await pressed(page, ["j", "j", "s"], "from 3 same");
    await pressed(page, ["ArrowDown", "ArrowDown", "ArrowDown", "s"], "Open: 3 to 6 same");
  } else {
    await page.getByText("Open: no loop").waitFor();
  }
  return run;
}

// leave presses a key that shows another run, and waits for that run.
async function leave(page, run, key) {
  await page.keyboard.press(key);
  await page.waitForFunction((run) => document.getElementById("run").textContent !== run, run);
}

const finish = (page, run) => leave(page, run, "Enter");

test("twenty runs are marked by keys alone; the program is killed in the middle, and nothing is lost", async () => {
  const file = join(folder, "ann.jsonl");
  const { program, url } = await started("ann", "--seed", "7");
  const { page, complaints, close } = await opened(url, online);
  await page.getByText(`run 1 of ${count}, 0 finished`).waitFor();
  for (let n = 0; n < 9; n++) await finish(page, await label(page));
  const left = await label(page); // not finished
  const saved = await page.locator("#label").textContent();
  program.kill("SIGKILL");
  await new Promise((ended) => program.on("close", ended));
  await pressed(page, ["u"], "Not saved: loopstone is not running any more.");
  await close();
  assert.deepEqual(complaints.filter((text) => !/ERR_CONNECTION_REFUSED|Failed to load resource/.test(text)), []);
  assert.equal(lines(file).filter((line) => line.finished).length, 9);

  // A killed program may leave half a line behind.
  writeFileSync(file, readFileSync(file, "utf8") + '{"corpus":"runs","ru');
  const again = await started("ann", "--seed", "7");
  const second = await opened(again.url, online);
  await second.page.getByText(`run 10 of ${count}, 9 finished`).waitFor();
  assert.equal(await second.page.locator("#run").textContent(), left);
  assert.equal(await second.page.locator("#label").textContent(), saved);
  await finish(second.page, left);
  for (let n = 10; n < count - 1; n++) await finish(second.page, await label(second.page));
  await label(second.page);
  await pressed(second.page, ["Enter"], "All runs are finished.");
  await second.close();
  again.program.kill("SIGINT");
  assert.equal(await new Promise((ended) => again.program.on("close", (code) => ended(code))), 0);

  const last = Object.fromEntries(lines(file).map((line) => [line.run, line]));
  for (let n = 0; n < count; n++) {
    const { spans, finished } = last[`run-${n}.jsonl`];
    assert.deepEqual({ n, spans, finished }, { n, spans: n % 2 ? [] : [{ first: 3, last: 6, kind: "same" }], finished: true });
  }
});

test("a second labeller has a file of their own, sees no mark of the first, and both can be compared", async () => {
  const before = lines(join(folder, "ann.jsonl"));
  const { program, url } = await started("ben");
  const { page, close } = await opened(url, online);
  await page.getByText(`run 1 of ${count}, 0 finished`).waitFor();
  for (let n = 0; n < count - 1; n++) await finish(page, await label(page));
  await label(page);
  await pressed(page, ["Enter"], "All runs are finished.");
  await close();
  program.kill("SIGINT");
  assert.deepEqual(lines(join(folder, "ann.jsonl")), before);
  const { stdout } = spawnSync(tool, ["label", "--agreement", "ann.jsonl", "ben.jsonl"], { cwd: folder, encoding: "utf8" });
  assert.match(stdout, /^runs decided by both +20$[^]*^kappa.* 1\.00$/m);
});

test("what cannot be is refused and told, and the label stays", async () => {
  const { url } = await started("bob");
  const { page, close } = await opened(url, online);
  await pressed(page, ["s", "j", "s"], "a loop has at least 3 steps");
  await pressed(page, ["Enter"], "mark the last step of the loop that begins at 1");
  await pressed(page, ["x"], "Open: no loop");
  await pressed(page, ["x"], "no loop is marked at step 2");
  await pressed(page, ["v", "j", "j", "v"], "Open: 2 to 4 in vain");
  await pressed(page, ["u"], "Open: 2 to 4 in vain; unsure");
  await pressed(page, ["x", "u"], "Open: no loop");
  await close();
});

test("equal and near steps are shown on demand only", async () => {
  const { url } = await started("eve");
  const { page, close } = await opened(url, online);
  while (!(await page.locator("li").nth(2).textContent()).includes("make")) {
    await leave(page, await page.locator("#run").textContent(), "]");
  }
  assert.doesNotMatch(await page.locator("#steps").textContent(), /call equal/);
  for (const key of ["j", "j", "e"]) await page.keyboard.press(key);
  await page.getByText("call equal, result equal").first().waitFor();
  assert.equal(await page.getByText("call equal, result equal").count(), 3);
  await close();
});

for (const colorScheme of ["light", "dark"]) {
  test(`label, ${colorScheme}: axe finds nothing, no line is cut, nothing else is asked for`, async () => {
    const { url } = await started(colorScheme);
    assert.deepEqual(await violations(url, colorScheme, online), []);
    const { page, complaints, requests, close } = await opened(url, { ...online, colorScheme, viewport: { width: 390, height: 800 } });
    await page.getByText("run 1 of").waitFor();
    assert.ok(!(await isCut(page)), "no line is cut");
    assert.deepEqual({ complaints, other: requests.filter((asked) => !asked.startsWith(url.href)) }, { complaints: [], other: [] });
    await close();
  });
}
