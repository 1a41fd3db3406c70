// The page of loopstone label, in a real browser: runs are marked by keys alone, the program is killed in the middle, and
// what the page called saved is there afterwards.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lines, made, online, pressed, tool } from "./labelling.js";
import { isCut, opened, violations } from "./opened.js";

const count = 20;
const { folder, started } = made(count);

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
  await page.getByText(`run 1 of ${count}`).waitFor();
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

test("a run opens at its first step, wherever the one before was left; a step that was begun is in view", async () => {
  const { url } = await started("dot");
  const { page, close } = await opened(url, { ...online, viewport: { width: 800, height: 400 } });
  const scrolled = () => page.evaluate(() => scrollY);
  await page.getByText(`run 1 of ${count}, 0 finished`).waitFor();
  await pressed(page, Array(7).fill("j"), "step 8 of 8");
  assert.ok((await scrolled()) > 0);
  await finish(page, await page.locator("#run").textContent());
  await page.getByText("step 1 of 8").waitFor();
  assert.equal(await scrolled(), 0);
  await pressed(page, [...Array(6).fill("j"), "s"], "from 7 same");
  const begun = await page.locator("#run").textContent();
  await leave(page, begun, "]");
  assert.equal(await scrolled(), 0);
  await page.keyboard.press("[");
  await page.getByText("step 7 of 8").waitFor();
  assert.ok(await page.locator("li[aria-current]").evaluate((li) => {
    const { top, bottom } = li.getBoundingClientRect();
    return top >= document.querySelector("header").getBoundingClientRect().bottom && bottom <= innerHeight;
  }));
  await close();
});

test("on a phone a run is marked and finished by touch, with buttons that a thumb hits", async () => {
  const { url } = await started("tim");
  const { page, complaints, close } = await opened(url, { ...online, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const tap = async (name, says) => {
    await page.getByRole("button", { name }).tap();
    await page.getByText(says).first().waitFor();
  };
  await page.getByText(`run 1 of ${count}, 0 finished`).waitFor();
  for (const button of await page.getByRole("button").all()) {
    const { width, height, x, y } = await button.boundingBox();
    assert.ok(width >= 44 && height >= 44 && x >= 0 && x + width <= 390 && y + height <= 844, await button.textContent());
  }
  await page.locator("li").nth(1).tap();
  await tap("in vain", "from 2 in vain");
  await page.locator("li").nth(3).tap();
  await tap("in vain", "Open: 2 to 4 in vain");
  await tap("remove", "Open: no loop");
  await tap("remove", "no loop is marked at step 4");
  await tap("unsure", "Open: no loop; unsure");
  await tap("↓ step", "step 5 of 8");
  await tap("↑ step", "step 4 of 8");
  await tap("done", `run 2 of ${count}, 1 finished`);
  await tap("prev run", "Finished: no loop; unsure");
  await tap("next run", `run 2 of ${count}`);
  assert.ok(!(await isCut(page)), "no line is cut");
  assert.deepEqual(complaints, []);
  await close();
});

test("a second tap on done does not finish the next run, which nobody has seen", async () => {
  const { url } = await started("max");
  const { page, close } = await opened(url, online);
  await page.getByText(`run 1 of ${count}, 0 finished`).waitFor();
  await page.getByRole("button", { name: "done" }).dblclick();
  await page.getByText(`run 2 of ${count}, 1 finished`).waitFor(); // a key that comes before it marks no run
  await pressed(page, ["u"], "Open: no loop; unsure");
  await page.getByText(`run 2 of ${count}, 1 finished`).waitFor();
  await close();
});

test("a button that was clicked does not take Enter for itself; one that Tab reached does", async () => {
  const { url } = await started("kay");
  const { page, close } = await opened(url, online);
  await page.getByText(`run 1 of ${count}, 0 finished`).waitFor(); // a click that comes before it marks no run
  await page.getByRole("button", { name: "unsure" }).click();
  await page.getByText("Open: no loop; unsure").waitFor();
  await pressed(page, ["Enter"], `run 2 of ${count}, 1 finished`);
  await page.getByRole("button", { name: "unsure" }).focus();
  await pressed(page, ["Enter"], "Open: no loop; unsure");
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
