// @ts-check
/** Documented examples of each port. The suite has them all: loopstone test -- node ports/all.js */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ConfigError, LoopDetector } from "../composed.js";
import { Adapter, withAdapter } from "./adapter.js";

const PORTS = ["fingerprint", "signature", "history", "crow", "swarm", "ralph", "guards", "composed", "stream"];

/** @param {string} name @param {string} program @param {(adapter: Adapter) => Promise<void>} body */
const check = (name, program, body) => test(name, { timeout: 20_000 }, withAdapter(program, body));

/** @param {Adapter} adapter @param {string} detector @param {string} reading @param {object} [config] */
async function open(adapter, detector, reading, config) {
  const { error } = await adapter.ask("session/open", { session: "s", detector, reading, config });
  assert.equal(error, undefined);
}

/** The events as one session sees them, one after the other. @param {number} times @param {object[]} events */
const repeated = (times, ...events) => Array.from({ length: times }, () => events).flat();

const call = (/** @type {string} */ tool, /** @type {object} */ args, /** @type {object} */ more = {}) => ({
  type: "tool_call",
  tool,
  args,
  ...more,
});

check("history holds the conversation of docs/protocol.md", "../ports/history.js", async (adapter) => {
  const page = readFileSync(new URL("../../../../docs/protocol.md", import.meta.url), "utf8");
  const [, conversation] = page.split("## A conversation");
  const lines = conversation
    .split("\n## ")[0]
    .split("\n")
    .filter((line) => /^[<>] /.test(line));
  assert.ok(lines.length > 20);
  for (const line of lines) {
    if (line.startsWith(">")) {
      adapter.write(`${line.slice(2)}\n`);
      continue;
    }
    const expected = JSON.parse(line.slice(2));
    const answer = await adapter.answer();
    for (const { error, result } of [expected, answer]) {
      if (error) delete error.message;
      if (result?.detectors) for (const name of Object.keys(result)) if (name !== "protocol") delete result[name];
    }
    assert.deepEqual(answer, expected);
  }
  assert.equal(await adapter.status(), 0);
});

for (const port of PORTS) {
  check(`${port} is a port of its own`, `../ports/${port}.js`, async (adapter) => {
    const { detectors } = (await adapter.ask("initialize", { protocol: 1 })).result;
    assert.deepEqual(
      detectors.map((/** @type {{id: string}} */ { id }) => id),
      [port],
    );
  });
}

check("all of them are one adapter", "../ports/all.js", async (adapter) => {
  const { detectors } = (await adapter.ask("initialize", { protocol: 1 })).result;
  assert.deepEqual(
    detectors.map((/** @type {{id: string}} */ { id }) => id),
    PORTS,
  );
});

check("the example is a history", "../example.js", async (adapter) => {
  await open(adapter, "history", "code", { repeat_threshold: 2 });
  const verdicts = await adapter.observe("s", call("t", { a: 1, b: [2] }), call("u", {}), call("t", { b: [2], a: 1 }));
  assert.deepEqual(verdicts, [
    { loop: false, count: 1 },
    { loop: false, count: 1 },
    { loop: true, kind: "repeat", count: 2 },
  ]);
});

check("fingerprint: the tone of the nudge rises (D1)", "../ports/fingerprint.js", async (adapter) => {
  await open(adapter, "fingerprint", "text");
  const verdicts = await adapter.observe("s", ...repeated(6, call("read_file", { path: "a.py" })));
  const tones = verdicts.map((/** @type {{severity?: string}} */ { severity }) => severity);
  assert.deepEqual(tones, [undefined, undefined, "notice", "warning", "warning", "critical"]);
  assert.match(
    verdicts[5].message,
    /^\[System\] CRITICAL: You've called read_file with the same arguments 6 times\.\n/,
  );
  assert.deepEqual(verdicts[5].evidence, [0, 1, 2, 3, 4, 5]);
});

check(
  "fingerprint: reads of one file by cat, head and tail are one (D1)",
  "../ports/fingerprint.js",
  async (adapter) => {
    const compute = (/** @type {string} */ command) =>
      adapter.call("fingerprint.compute", { tool: "bash", args: { command } });
    assert.equal(await compute("cat a.ts"), "bash:file_read:a.ts");
    assert.equal(await compute(" head -20 a.ts"), "bash:file_read:a.ts");
    assert.notEqual(await compute("cat a.ts | wc"), "bash:file_read:a.ts");
    assert.notEqual(await compute("head -n 20 a.ts"), "bash:file_read:a.ts");
  },
);

check("signature: the four of D2's prose", "../ports/signature.js", async (adapter) => {
  const extract = (/** @type {string} */ output) => adapter.call("signature.extract", { output }, "text");
  assert.equal(await extract("Error: TypeError - value is null at auth.ts:45"), "error:TypeError-null-auth.ts");
  assert.equal(await extract("Fixed auth.ts - added null check"), "auth.ts:null-check");
  assert.equal(await extract("Searched for 'OAuth2 flow'"), "search:oauth2-flow");
  assert.equal(await extract("3 tests failing - auth, login test, logout"), "test-fail:3-auth,login");
});

check("signature: the same of D2's listing", "../ports/signature.js", async (adapter) => {
  const extract = (/** @type {string} */ output) => adapter.call("signature.extract", { output }, "code");
  assert.equal(await extract("Fixed auth.ts - added null check"), "file:auth.ts-auth");
  assert.equal(await extract("Error: format\ndone"), "error:form-done");
  assert.equal(await extract("1 test failed: a"), "test-fail:failed: a");
  assert.equal(await extract("ΑΣ  İ"), "ας-i̇");
});

check("history: the hashes are Python's (D4)", "../ports/history.js", async (adapter) => {
  const hash = (/** @type {string} */ tool, /** @type {object} */ args) => adapter.call("history.hash", { tool, args });
  assert.equal(await hash("read_file", { path: "a.py" }), "9e3dc59bb241e60390e6a908bfb21b43");
  assert.equal(await hash("t", { b: 2, a: 1 }), "66e25ef632afd6f7364deafb4092f9cd");
  assert.equal(await hash("t", { s: "a😀b" }), "2082374b94fd2f147ee4ec627e58848a");
  assert.equal(
    await hash("t", { "～": 6, "😀": 7, "": 8, b: 1, B: 2, 10: 3, 9: 4, _: 5 }),
    "fa13ddb23fcd0adaa41a6e8977ec0c8d",
  );
});

check("crow: four rounds with the same result (D5)", "../ports/crow.js", async (adapter) => {
  await open(adapter, "crow", "text");
  const result = { type: "tool_result", content: "file1 file2" };
  const verdicts = await adapter.observe("s", ...repeated(4, call("shell", { command: "ls" }), result));
  assert.deepEqual(
    verdicts.slice(0, 7).filter((/** @type {{loop: boolean}} */ { loop }) => loop),
    [],
  );
  assert.deepEqual(verdicts[7], {
    loop: true,
    kind: "repeating_action",
    count: 4,
    confidence: 0.9,
    pattern: "Executed action 'shell' 4 times with identical results",
    suggestion: "Try a different approach or tool",
    evidence: [0, 2, 4, 6],
  });
});

check("crow: an outcome that comes late closes a gap", "../ports/crow.js", async (adapter) => {
  await open(adapter, "crow", "text", { recent: 0 });
  const round = (/** @type {string} */ id) => [call("t", {}, { id }), { type: "tool_result", content: "x", call: id }];
  const events = [...round("a"), call("t", {}, { id: "late" }), ...round("c"), ...round("d")];
  const before = await adapter.observe("s", ...events);
  assert.equal(before.at(-1).loop, false);
  const [verdict] = await adapter.observe("s", { type: "tool_result", content: "x", call: "late" });
  assert.deepEqual([verdict.kind, verdict.count, verdict.evidence], ["repeating_action", 4, [0, 2, 3, 5]]);
});

check("crow: arguments in the prompt are Python's", "../ports/crow.js", async (adapter) => {
  const args = { a: "it's", b: [true, null, 0.00001, 1.5], c: "\u0085\u200b\u{e0001} \n" };
  const prompt = await adapter.call("crow.ai_prompt", { events: [call("sh", args)] });
  const line = String.raw`Action: sh({'a': "it's", 'b': [True, None, 1e-05, 1.5], 'c': '\x85\u200b\U000e0001 \n'})`;
  assert.equal(prompt.split("\n")[3], line);
});

check("swarm: ten calls by two workers (D1)", "../ports/swarm.js", async (adapter) => {
  await open(adapter, "swarm", "text");
  const events = repeated(9, call("web_search", { query: "x" }, { worker: "w1" }));
  const verdicts = await adapter.observe("s", ...events, call("web_search", { query: "x", page: 2 }, { worker: "w2" }));
  assert.deepEqual(
    [verdicts[8].loop, verdicts[9].kind, verdicts[9].count, verdicts[9].workers],
    [false, "global", 10, 2],
  );
  assert.match(verdicts[9].message, /^\[System\] GLOBAL DOOM LOOP: 10 calls to web_search across\n2 workers\./);
  const { error } = await adapter.ask("session/observe", { session: "s", events: [call("t", {})] });
  assert.deepEqual(error.data, { kind: "invalid_event", field: "worker" });
});

check("swarm: totals are merged in the order of code points", "../ports/swarm.js", async (adapter) => {
  const state = (/** @type {string[]} */ ...workers) => ({
    fingerprints: [{ fingerprint: "f", tool: "t", count: 3, workers }],
  });
  assert.deepEqual(await adapter.call("swarm.merge", { states: [state("😀", "a"), state("～", "a")] }), {
    fingerprints: [{ fingerprint: "f", tool: "t", count: 6, workers: ["a", "～", "😀"] }],
  });
});

check("ralph: exactly 90 percent are enough", "../ports/ralph.js", async (adapter) => {
  await open(adapter, "ralph", "text");
  const [, verdict] = await adapter.observe(
    "s",
    { type: "output", text: "012345678😀" },
    { type: "output", text: "012345678x" },
  );
  assert.deepEqual(verdict, { loop: true, kind: "similar", similarity: 90, evidence: [0, 1] });
  assert.equal(await adapter.call("ralph.ratio", { a: "ab".repeat(40), b: "ba".repeat(40) }), 98.75);
  assert.equal(await adapter.call("ralph.ratio", { a: "", b: "" }), 100);
});

check("guards: the first guard that holds speaks (D2)", "../ports/guards.js", async (adapter) => {
  await open(adapter, "guards", "text", { max_iterations: 5 });
  const failing = (/** @type {string} */ output) => ({ type: "iteration", elapsed_s: 1, output, failed: true });
  const verdicts = await adapter.observe("s", ...["a", "b", "c", "c", "c"].map(failing));
  const kinds = verdicts.map((/** @type {{kind?: string}} */ { kind }) => kind);
  assert.deepEqual(kinds, [undefined, undefined, "consecutive_errors", "consecutive_errors", "max_iterations"]);
  assert.deepEqual(verdicts[3].evidence, [0, 1, 2, 3]);
});

test("composed: an agent gives what it has", () => {
  const detector = new LoopDetector([{ same: { results: "text" }, rungs: [{ name: "stop", at: 2 }] }]);
  /** @type {import("../composed.js").AgentEvent[]} */
  const step = [
    { type: "tool_call", tool: "t" },
    { type: "tool_result", content: "r" },
  ];
  const verdict = [...step, { type: /** @type {const} */ ("reply") }, ...step].map((e) => detector.observe(e)).at(-1);
  assert.deepEqual([verdict?.rung, verdict?.count, verdict?.evidence], ["stop", 2, [0, 3]]);
  detector.reset();
  assert.deepEqual(step.map((event) => detector.observe(event)).at(-1), { loop: false });
});

test("composed: a fault is told with its place", () => {
  for (const [rule, place] of /** @type {[object, string][]} */ ([
    [{ pattern: { sort: "cycle", from: 3, to: 2 } }, "rules/0/pattern/to"],
    [{ rungs: [{ at: 2 }, { at: 2 }] }, "rules/0/rungs/1/at"],
    [{ tools: { only: ["t", "t?a"] } }, "rules/0/tools/only/1"],
    [{ same: { keeps: [] } }, "rules/0/same/keeps"],
  ])) {
    assert.throws(
      () => new LoopDetector([rule]),
      (fault) => fault instanceof ConfigError && fault.message.startsWith(`${place}: `),
    );
  }
});

test("composed: the most frequent is found again when it leaves", () => {
  const pattern = { sort: "among", last: 5, counts: "highest" };
  const detector = new LoopDetector([{ pattern, rungs: [{ at: 2 }] }]);
  const verdicts = [..."bbaaccdd"].map((tool) => detector.observe({ type: "tool_call", tool }).evidence);
  assert.deepEqual(verdicts, [undefined, [0, 1], [0, 1], [2, 3], [2, 3], [4, 5], [4, 5], [6, 7]]);
});

check("composed: rules and other settings are refused", "../ports/composed.js", async (adapter) => {
  for (const [config, field] of /** @type {[object, string][]} */ ([
    [{ rules: null }, "rules"],
    [{ threshold: 3 }, "threshold"],
  ])) {
    const request = { session: "s", detector: "composed", reading: "code", config };
    const { error } = await adapter.ask("session/open", request);
    assert.deepEqual(error.data, { kind: "invalid_config", field });
  }
});
