// The playground: whether it says what the reference says, and what a person does with it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { opened, playground, state, write } from "./site.js";

test("the playground says what the reference says of every case", async () => {
  const wanted = JSON.parse(readFileSync(new URL("../../../bin/verdicts.json", import.meta.url), "utf8"));
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
  await page.getByRole("combobox", { name: "with", exact: true }).selectOption("crow (code)");
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
  await page.getByText("history reports a loop first, after event 3").waitFor();
  await page.getByText("Settings of history").click();
  const slider = page.getByLabel("repeat_threshold");
  await slider.focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByText("history reports a loop first, after event 2").waitFor();
  await page.getByText("Copy link").click();
  await page.getByText("The link is copied.").waitFor();
  const hash = new URL(page.url()).hash;
  await close();

  const again = await opened("playground" + hash);
  await again.page.getByText("history reports a loop first, after event 2").waitFor();
  assert.equal(await again.page.locator("#trace-text").inputValue(), "- {type: tool_call, tool: ls, args: {}}\n".repeat(3));
  await again.close();
});

test("a profile is a lane, whose rungs are sliders and whose link is short", async () => {
  const { page, context, close } = await playground();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByLabel("Add an event").selectOption("tool_call");
  assert.match(await page.locator("#trace-text").inputValue(), /- \{"tool_call":.*\}\n$/);
  await write(page, "- {type: tool_call, tool: ls, args: {}}\n".repeat(5));
  await page.getByText("5 events.").waitFor();
  for (const box of await page.locator(".lane > label input").all()) await box.uncheck();
  await page.getByText("Profiles: detectors of known agents").click();
  await page.getByLabel("@roo").check();
  await page.getByText("@roo reports a loop first, after event 4").waitFor();
  await page.getByText("Settings of @roo").click();
  await page.getByLabel("repetition ask").focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByText("@roo reports a loop first, after event 3").waitFor();
  await page.getByRole("button", { name: "Reset to the defaults" }).click();
  await page.getByText("@roo reports a loop first, after event 4").waitFor();
  await page.getByText("Copy link").click();
  await page.getByText("The link is copied.").waitFor();
  const hash = new URL(page.url()).hash;
  await close();
  assert.ok(hash.length < 300, `the link has ${hash.length} characters`);
  const again = await playground(hash);
  await again.page.getByText("@roo reports a loop first, after event 4").waitFor();
  await again.close();
});

// Between a text that comes in and its first verdict on the screen lie reading, judging and drawing. The first
// answers are late: the browser compiles what they need. So the trace comes several times, each time as another.
test("the first verdict of a thousand events is seen before all are judged", async () => {
  const { page, close } = await playground();
  const took = await page.evaluate(async () => {
    const call = (tool, i) => `- tool_call: {tool: ${tool}, args: {page: ${i % 7}}}\n`;
    const trace = (tool) => Array.from({ length: 1000 }, (_, i) => call(tool, i)).join("");
    const area = document.querySelector("#trace-text");
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))));
    const seen = (what) => new Promise((done) => {
      const look = () => what() && (observer.disconnect(), done());
      const observer = new MutationObserver(look);
      observer.observe(document.querySelector(".playground"), { subtree: true, childList: true, characterData: true });
      look();
    });
    const took = [];
    for (const tool of ["a1", "a2", "a3", "a4", "a5", "a6"]) {
      const begin = performance.now();
      area.value = trace(tool);
      area.dispatchEvent(new Event("input", { bubbles: true }));
      const row = () => {
        const event = document.querySelector("#event-1 td.event");
        return event?.textContent.includes(tool) && document.querySelector("#event-1 .no");
      };
      await seen(row);
      const first = await painted();
      await seen(() => document.querySelector(".judged")?.textContent.includes("1000 events"));
      const last = await painted();
      took.push({ first: Math.round(first - begin), all: Math.round(last - begin) });
    }
    return took;
  });
  const each = (what) => took.map((t) => t[what]).join(", ");
  console.log(`# first verdicts after ${each("first")} ms, all after ${each("all")} ms`);
  for (const { first, all } of took) assert.ok(first < all, `the first verdict came with the last, after ${all} ms`);
  await close();
});

test("an alarm far down is told, shown on demand, and so is a difference", async () => {
  const { page, close } = await playground(state("history", "crow"));
  const stuckAfter = (count, length) =>
    Array.from({ length }, (_, i) => `- tool_call: {tool: ls, args: {page: ${Math.min(i, count)}}}\n`).join("");
  await write(page, stuckAfter(2500, 3000));
  await page.getByText(/history.* first, after event 2503\./).waitFor();
  await page.getByText("the first 2000 can be looked at").waitFor();
  await page.getByText("Their verdicts agree after every event that both have judged of the first 2000").waitFor();
  await page.getByRole("heading", { name: "After event 2503" }).waitFor();

  await write(page, stuckAfter(500, 700));
  await page.getByText(/history.* first, after event 503\./).waitFor();
  assert.equal(await page.locator("button.loop").count(), 0, "only some events are drawn");
  await page.getByRole("button", { name: "Go to event 503" }).click();
  await page.locator("#event-503 button.loop").first().waitFor();
  assert.ok((await page.locator(".arcs path").count()) > 0, "arcs join the evidence");
  await page.getByRole("button", { name: "Earlier events" }).click();
  await page.locator("#event-400").waitFor();
  await close();
});

test("the editor completes types, members and values, by keys alone", async () => {
  const { page, complaints, close } = await playground();
  const area = page.locator("#trace-text");
  const option = (name) => page.locator("#completions").getByRole("option", { name });
  await area.fill("");
  await page.keyboard.type("- mess");
  await option("message").waitFor();
  await page.keyboard.press("ArrowDown");
  assert.match(await area.getAttribute("aria-activedescendant"), /completion-0/);
  await page.keyboard.press("Enter");
  assert.match(await area.inputValue(), /^- message: \{.*"role":.*\}$/);
  await area.fill("- message: {");
  await page.keyboard.press("Control+Space");
  await option("role:").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type("us");
  await option("user").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await option("user").count(), 0);
  await page.keyboard.press("Enter");
  assert.equal(await area.inputValue(), "- message: {role: us\n", "Enter writes a line where nothing was chosen");
  assert.deepEqual(complaints, []);
  await close();
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

test("the playground works without a network, once it was loaded", async () => {
  const { page, context, close } = await playground();
  await page.waitForFunction(async () => {
    const store = await caches.open("loopstone-1");
    const kept = (await store.keys()).map((request) => request.url);
    const own = ["/playground", "/worker.js", "/wasm_exec.js", "/playground.bin"];
    const tags = document.querySelectorAll("script[src], link[rel=stylesheet], link[rel=modulepreload]");
    const imported = performance.getEntriesByType("resource").filter((entry) => entry.initiatorType !== "link");
    const needed = [...[...tags].map((tag) => tag.src ?? tag.href), ...imported.map((entry) => entry.name)];
    return own.every((end) => kept.some((url) => url.endsWith(end))) &&
      needed.filter((url) => url?.includes("/assets/")).every((url) => kept.includes(url));
  });
  await page.reload(); // now all that is asked for goes through what keeps it
  await page.locator(".judged").waitFor();
  await page.waitForLoadState("networkidle");
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

