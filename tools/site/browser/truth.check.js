// The playground tells the truth about itself: what it bounds, what a link holds, what it compares, what it shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { opened, playground, state, write } from "./site.js";

const call = "- {type: tool_call, tool: ls, args: {}}\n";
const link = (state) => "#t=" + Buffer.from(JSON.stringify(state)).toString("base64url");
const history = { detector: "history", reading: "code" };
const fingerprint = { detector: "fingerprint", reading: "text" };
const lanes = (...detectors) => detectors.map((detector) => ({ detector, reading: "code" }));
const told = (page, text) => page.locator(".problem").getByText(text).waitFor();

// only unchecks every detector but those named.
async function only(page, ...names) {
  for (const box of await page.locator("div.lanes .lane > label").all()) {
    const name = (await box.textContent()).trim();
    if (!names.includes(name)) await box.locator("input").uncheck();
  }
}

const list = (page, name) => page.getByRole("combobox", { name, exact: true });
const chosen = (page, name) => list(page, name).evaluate((list) => list.selectedOptions[0]?.textContent);

test("a link that asks for too many events is told, and the page goes on", async () => {
  const trace = "- {tool_call: {tool: ls}, times: 100000}\n".repeat(400);
  const { page, complaints, close } = await opened("playground" + link({ trace, lanes: [history] }));
  await told(page, "event 2: the steps repeat more than 100000 events");
  await write(page, call.repeat(4));
  await page.getByText("4 events.").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("once the program has exited it is started again, and reads the trace again", async () => {
  const { page, close } = await opened("");
  await page.addInitScript(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message) {
      post.call(this, window.broken ? { ...message, calls: message.calls.map(() => []) } : message); // no method: Go panics
    };
  });
  await page.goto(page.url() + "playground" + state("history"));
  await page.getByText("history reports a loop first, after event 5").waitFor();
  await page.evaluate(() => (window.broken = true));
  await page.getByLabel("crow (code)").check();
  await told(page, "failed on this trace");
  await page.evaluate(() => (window.broken = false));
  await page.getByLabel("crow (text)").check();
  await page.getByText("history reports a loop first, after event 5").waitFor();
  await close();
});

test("a damaged link is told, and shows no verdicts", async () => {
  const { page, context, close } = await playground(state("history"));
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByText("Copy link").click();
  await page.getByText("The link is copied.").waitFor();
  const whole = new URL(page.url()).hash;
  await close();
  const trace = call.repeat(3);
  const damaged = [whole.slice(0, -1), whole.slice(0, -40), "#z=AAAA", "#t=%", link({ trace, lanes: [null] }), link({ lanes: [history] })];
  for (const hash of damaged) {
    const { page, close } = await opened("playground" + hash);
    await told(page, "The link is damaged");
    assert.equal(await page.locator("table.trace").count(), 0, `${hash} shows verdicts`);
    assert.equal(await page.locator("#trace-text").inputValue(), "", `${hash} shows the example`);
    await write(page, trace);
    await page.getByText("3 events.").waitFor();
    assert.equal(await page.locator(".problem").count(), 0, "the problem outlives the link");
    await close();
  }
});

test("a link tells which of its detectors the page does not have", async () => {
  const { page, close } = await playground(link({ trace: call.repeat(3), lanes: [history, { detector: "crows", reading: "code" }] }));
  await told(page, "does not have: crows (code)");
  await page.getByText("history reports a loop first, after event 3").waitFor();
  await close();
  const none = await opened("playground" + link({ trace: call.repeat(3), lanes: [] }));
  await told(none.page, "The link names no detector");
  await none.close();
});

test("Compare follows names, never a lane that is unchecked", async () => {
  const { page, close } = await playground(link({ trace: call.repeat(5), lanes: [fingerprint, ...lanes("history", "crow", "composed")] }));
  await list(page, "Compare").selectOption("history");
  await list(page, "with").selectOption("crow (code)");
  const before = await page.locator(".compare").textContent();
  await page.getByLabel("fingerprint", { exact: true }).uncheck();
  await page.getByRole("columnheader", { name: "fingerprint" }).waitFor({ state: "detached" });
  assert.equal(await chosen(page, "Compare"), "history");
  assert.equal(await chosen(page, "with"), "crow (code)");
  await page.getByLabel("history", { exact: true }).uncheck();
  await page.getByRole("columnheader", { name: "history" }).waitFor({ state: "detached" });
  const [a, b] = [await chosen(page, "Compare"), await chosen(page, "with")];
  assert.ok(a && b && a !== b, `compares ${a} with ${b}; before: ${before}`);
  await list(page, "Compare").selectOption(b);
  await page.getByText("Choose two detectors to compare.").waitFor();
  await close();
});

const twoRuns = [["a", 1], ["b", 5]]
  .map(([name, calls]) => `{"run":{"name":"${name}"}}\n` + `{"type":"tool_call","tool":"ls","args":{}}\n`.repeat(calls))
  .join("");

test("a link holds the chosen run", async () => {
  const { page, context, close } = await playground();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await only(page, "history");
  await write(page, twoRuns);
  await list(page, "Run").selectOption({ label: "b" });
  await page.getByText("history reports a loop first, after event 3").waitFor();
  await page.getByText("Copy link").click();
  await page.getByText("The link is copied.").waitFor();
  const hash = new URL(page.url()).hash;
  await close();
  const again = await playground(hash);
  await again.page.getByText("history reports a loop first, after event 3").waitFor();
  assert.equal(await chosen(again.page, "Run"), "b");
  await again.close();
});

test("a chosen run does not outlive its log", async () => {
  const { page, close } = await playground();
  await write(page, twoRuns);
  await list(page, "Run").selectOption({ label: "b" });
  await page.getByText("5 events,").waitFor();
  await write(page, "- tool_call: {tool: ls}\n".repeat(2));
  await page.getByText("2 events.").waitFor();
  assert.equal(await page.locator(".problem").count(), 0);
  await close();
});

test("who speaks first is told by the event, not by the column", async () => {
  const two = [
    { ...fingerprint, config: { threshold: 5 } },
    { ...history, config: { repeat_threshold: 2 } },
  ];
  const { page, close } = await playground(link({ trace: call.repeat(5), lanes: two }));
  await page.locator("button.loop").nth(1).waitFor(); // both speak
  await page.getByText("history reports a loop first, after event 2.").waitFor();
  await page.getByRole("heading", { name: "After event 2, history" }).waitFor();
  await page.locator("button.loop").last().click();
  await page.getByText("history reports a loop first, after event 2.").waitFor();
  await close();
});

test("numbers and invisible characters are shown as they are", async () => {
  const args = [`{"id":12345678901234567891}`, `{"id":12345678901234567892}`, `{"x":1.0}`, `{"x":1}`, `{"x":1e400}`, `{"x":"a\u200bb"}`];
  const { page, close } = await playground();
  await write(page, args.map((args) => `{"type":"tool_call","tool":"ls","args":${args}}\n`).join(""));
  await page.getByText("6 events").waitFor();
  const shown = await page.locator("td.event code").allTextContents();
  for (const [i, want] of args.entries()) assert.ok(shown[i].includes(want.replace("\u200b", "\\u200b")), `${shown[i]} lacks ${want}`);
  await close();
});

test("no setting of a link blanks the page, and each is put right by one press", async () => {
  const configs = [{ repeat_threshold: { toString: "x" } }, "text", 7, { repeat_threshold: [1] }, { repeat_threshold: null }];
  for (const config of configs) {
    const { page, complaints, close } = await opened("playground" + link({ trace: call.repeat(5), lanes: [{ ...history, config }] }));
    await page.getByText("history: ").first().waitFor({ state: "attached" });
    await page.getByText("Settings of history").click();
    await page.getByLabel("repeat_threshold").focus();
    await page.keyboard.press("Home");
    await page.getByText("history reports a loop first, after event").waitFor();
    await page.getByRole("button", { name: "Reset to the defaults" }).click();
    await page.getByText("history reports a loop first, after event 3").waitFor();
    assert.deepEqual(complaints, [], JSON.stringify(config));
    await close();
  }
});

test("a trace that is nested too deeply is told, and the page goes on", async () => {
  const { page, close } = await playground();
  for (const depth of [101, 3000, 20_000]) {
    const args = '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
    await write(page, `[{"type":"tool_call","tool":"ls","args":${args}}]`);
    await told(page, /nested/);
    await write(page, call.repeat(3));
    await page.getByText("3 events.").waitFor();
  }
  await close();
});

test("a print shows every detector", async () => {
  const { page, close } = await playground("", { viewport: { width: 700, height: 900 } });
  await page.emulateMedia({ media: "print" });
  const edges = await page.locator("table.trace thead th").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().right));
  assert.ok(edges.length > 2 && Math.max(...edges) <= 700, `columns end at ${edges.map(Math.round)}`);
  await close();
});

test("the table has the detectors that observe something, and tells which it leaves out and that it is cut", async () => {
  const { page, close } = await playground("", { viewport: { width: 390, height: 800 } });
  await write(page, "- message: {role: assistant, content: hi}\n".repeat(3));
  await page.getByText("3 events.").waitFor();
  const heads = await page.locator("table.trace thead th").allTextContents();
  assert.ok(heads.includes("fingerprint") && !heads.includes("history (code)") && !heads.includes("history"), String(heads));
  await page.locator(".absent").getByText(/observe none of these events: .*history/).waitFor();
  await write(page, call.repeat(3));
  await page.getByRole("columnheader", { name: "history" }).waitFor();
  await page.locator(".wider").waitFor();
  const [table, text] = await Promise.all(["table.trace", "#trace-text"].map((what) => page.locator(what).boundingBox()));
  assert.ok(table.y < text.y, "a phone shows the verdicts first");
  await close();
});

test("a phone shows the cases of a clause as cards", async () => {
  const { page, close } = await opened("c/HI-13", { viewport: { width: 390, height: 800 } });
  const widths = await page.locator(".cards tbody td").evaluateAll((all) => all.map((e) => e.getBoundingClientRect()).map((r) => [r.left, r.right]));
  assert.ok(widths.length > 2 && widths.every(([left, right]) => left >= 0 && right <= 390), String(widths.slice(0, 6)));
  assert.equal(await page.locator(".cards tbody td").first().evaluate((e) => getComputedStyle(e).display), "block");
  await close();
});

for (const width of [390, 1280]) {
  test(`a trace on a page of ${width} px shows its verdicts, and its link opens it`, async () => {
    const { page, complaints, close } = await opened("", { viewport: { width, height: 900 } });
    const verdicts = page.locator("table.trace").first().locator("tbody tr td:last-child");
    const edges = await verdicts.evaluateAll((all) => all.map((e) => e.getBoundingClientRect()).map((r) => [r.left, r.right]));
    assert.ok(edges.length > 4 && edges.every(([left, right]) => left >= 0 && right <= width), String(edges));
    const scrolls = await page.locator(".scroll:has(table.trace)").first().evaluate((e) => e.scrollWidth > e.clientWidth);
    assert.equal(scrolls, false, "the verdicts begin beyond the edge");
    await page.getByRole("link", { name: "Open it in the playground" }).click();
    await page.getByText("5 events. history reports a loop first, after event 5").waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });
}

test("the matrix shows every implementation, and its statement is the file that it links to", async (t) => {
  const { page, complaints, close } = await opened("implementations");
  const heads = await page.locator(".matrix thead th").allTextContents();
  const missing = (await page.locator("main").textContent()).match(/Not run when this site was built: (.*?)\. make matrix/)?.[1].split(", ") ?? [];
  if (missing.length) t.diagnostic(`not run: ${missing.join(", ")}; make matrix runs them`);
  assert.ok(Math.max(heads.length - 1, 0) + missing.length >= 5, `${heads}; not run: ${missing}`); // Go, Python, TypeScript, Rust, Java
  assert.equal(await page.locator("a[download]").count(), Math.max(heads.length - 1, 0));
  for (const row of await page.locator(".matrix tbody tr").all()) assert.equal(await row.locator("td").count(), heads.length);
  for (const link of await page.locator("a[download]").all()) {
    const response = await page.request.get(new URL(await link.getAttribute("href"), page.url()).href);
    assert.match((await response.text()).split("\n")[0], /^\{"type":"run",/);
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("a copied test holds no character that its language refuses or nobody sees", async () => {
  const { page, context, close } = await playground();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await write(page, `[{"type":"tool_call","tool":"a\ufeffb\u2028c\uffffd","args":{}}]`);
  await page.getByText("1 event").waitFor();
  for (const language of ["Go", "Python", "TypeScript"]) {
    await page.getByRole("button", { name: `Copy as ${language} test` }).click();
    await page.getByText(`The test in ${language} is copied.`).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(text.includes("a\\ufeffb\\u2028c\\uffffd"), text);
  }
  await close();
});
