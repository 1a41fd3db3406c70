// @ts-check
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { withAdapter } from "./adapter.js";

/** @import { Adapter, Answer } from "./adapter.js" */

/** @param {string} name @param {(adapter: Adapter) => Promise<void>} body */
const check = (name, body) => test(name, { timeout: 20_000 }, withAdapter("counter.js", body));

const call = { type: "tool_call", tool: "t" };
const open = { session: "s", detector: "counter", reading: "text" };
const request = (/** @type {unknown} */ id, /** @type {string} */ method, /** @type {object} */ params = {}) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const counts = (/** @type {Answer[]} */ verdicts) => verdicts.map((verdict) => verdict.count);

check("an adapter says what it is", async (adapter) => {
  const { result } = await adapter.ask("initialize", { protocol: 7 });
  assert.deepEqual(result, {
    protocol: 1,
    name: "counter",
    version: "1.0",
    language: "javascript",
    detectors: [{ id: "counter", readings: ["text", "code"], features: ["snapshot"] }],
  });
});

check("a line may arrive in pieces, and several lines in one", async (adapter) => {
  const line = Buffer.from(request("é😀", "session/close", { session: "nobody" }));
  for (const byte of line) {
    adapter.write(Uint8Array.of(byte));
    await new Promise(setImmediate);
  }
  assert.equal((await adapter.answer()).id, "é😀");
  adapter.write(request(1, "session/open", open) + request(2, "nope") + request(3, "session/close", { session: "s" }));
  const answers = [await adapter.answer(), await adapter.answer(), await adapter.answer()];
  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, 2, 3],
  );
});

check("a line ends at a line feed and nowhere else", async (adapter) => {
  adapter.write(`{"jsonrpc":"2.0",\r"id":"a\u2028b\u2029","method":"nope"}\r\n`);
  assert.equal((await adapter.answer()).id, "a\u2028b\u2029");
});

check("empty lines are skipped", async (adapter) => {
  adapter.write(`\n  \n\r\n\t\n${request(1, "nope")}`);
  assert.equal((await adapter.answer()).id, 1);
});

check("a line of a mebibyte is read", async (adapter) => {
  await adapter.ask("session/open", open);
  const text = "ü".repeat(1 << 20);
  const [verdict] = await adapter.observe("s", { ...call, args: { text } });
  assert.deepEqual(JSON.parse(verdict.pattern), { text });
});

check("a request may be spelled in any way", async (adapter) => {
  await adapter.ask("session/open", open);
  const events = JSON.stringify([{ ...call, args: { a: "}}" } }]);
  const usual = `{"jsonrpc":"2.0","id":1,"method":"session/observe","params":{"session":"s","events":${events}}}`;
  const ways = [
    usual,
    usual.replaceAll(/[,:]/g, " $& "),
    usual.replace('"s"', '"\\u0073"'),
    `{"params":{"events":${events},"session":"s"},"method":"session/observe","id":1,"jsonrpc":"2.0"}`,
    usual.replace(`"events":${events}`, `"events":[],"events":${events}`), // of equal names the last
    usual.replace("]}}", `],"more":{}}}`),
    `${usual} \r`,
  ];
  for (const [i, way] of ways.entries()) {
    adapter.write(`${way}\n`);
    const { id, result } = await adapter.answer();
    assert.deepEqual([id, counts(result.verdicts), result.verdicts[0].pattern], [1, [i + 1], '{"a":"}}"}'], way);
  }
  /** @type {[string, number, object | undefined][]} */
  const wrong = [
    [usual.replace('"id":1', '"id":01'), -32700, undefined],
    [usual.replace('"s"', '"\t"'), -32700, undefined],
    [usual.replace("]}}", "]}}}"), -32700, undefined],
    [usual.replace("]}}", "]}"), -32700, undefined],
    [usual.replace("]}}", "]},{}}"), -32700, undefined],
    [usual.replace(events, ""), -32700, undefined],
    [usual.replace(events, "{}"), -32602, { kind: "invalid_params" }],
    [usual.replace(events, `${events},"session":"other"`), -32602, { kind: "unknown_session" }],
  ];
  for (const [line, code, data] of wrong) {
    adapter.write(`${line}\n`);
    const { error } = await adapter.answer();
    assert.deepEqual([error?.code, error?.data], [code, data], line);
  }
});

check("a verdict is written alike, alone and with others", async (adapter) => {
  await adapter.ask("session/open", open);
  const verdicts = [
    { loop: false, kind: 'a "b" \\ \n é \u2028 \u007f', count: 1e21, similarity: 0.5, evidence: [1, 2] },
    { loop: false, tool: undefined, "odd name": { a: [null] }, confidence: -0 },
    { loop: false, message: "\ud83d\ude00\ud83d" },
    { loop: true, evidence: [1] },
    {},
    null,
    "no verdict",
  ];
  for (const verdict of verdicts) {
    const say = { ...call, tool: "say", args: { verdict } };
    const [alone] = await adapter.observe("s", say);
    const [first, second] = await adapter.observe("s", say, say);
    const want = JSON.parse(JSON.stringify(verdict));
    assert.deepEqual([alone, first, second], [want, want, want]);
  }
});

check("an id comes back as it was sent", async (adapter) => {
  for (const id of ["7", "-1.50", "12345678901234567890123", '"7"', '"\\u00e9\\n"', "1e400"]) {
    adapter.write(`{"method":"nope","params":{"id":1,"a":["id",{"id":2}]},"\\u0069d" : ${id},"jsonrpc":"2.0"}\n`);
  }
  const { answers } = await adapter.end();
  const printed = answers.map(({ id }) => id);
  assert.deepEqual(printed, [7, -1.5, 12345678901234567890123, "7", "é\n", Infinity]);
});

check("a long id keeps its digits", async (adapter) => {
  adapter.write(`{"jsonrpc":"2.0","id":12345678901234567890123,"method":"nope"}\n`);
  const { value: line } = await adapter.lines.next();
  assert.match(line, /"id":12345678901234567890123,/);
});

check("a notification is acted on and never answered", async (adapter) => {
  const notify = (/** @type {object} */ message) => adapter.write(`${JSON.stringify(message)}\n`);
  notify({ jsonrpc: "2.0", method: "session/open", params: open });
  notify({ jsonrpc: "2.0", method: "session/open", params: open });
  notify({ jsonrpc: "2.0", method: "nope" });
  assert.deepEqual((await adapter.ask("session/close", { session: "s" })).result, {});
});

check("what is no request has an error of its own", async (adapter) => {
  /** @type {[string | Uint8Array, number, unknown][]} */
  const wrong = [
    ["{", -32700, null],
    [Buffer.from([0x22, 0xff, 0x22]), -32700, null],
    ["12", -32600, null],
    ["null", -32600, null],
    ["{}", -32600, null],
    ['{"jsonrpc":"1.0","method":"shutdown"}', -32600, null],
    [`[${request(1, "shutdown").trim()}]`, -32600, null],
    ['{"jsonrpc":"2.0","id":null,"method":"shutdown"}', -32600, null],
    ['{"jsonrpc":"2.0","id":{},"method":"shutdown"}', -32600, null],
    ['{"jsonrpc":"1.0","id":5,"method":"shutdown"}', -32600, 5],
    ['{"jsonrpc":"2.0","id":6,"method":["shutdown"]}', -32600, 6],
    [request(7, "__proto__").trim(), -32601, 7],
  ];
  for (const [line, code, id] of wrong) {
    adapter.write(line);
    adapter.write("\n");
    const answer = await adapter.answer();
    assert.deepEqual([answer.error.code, answer.id, "data" in answer.error], [code, id, false], String(line));
  }
});

check("a line that is not UTF-8 spoils no other", async (adapter) => {
  adapter.write(
    Buffer.concat([Buffer.from(request("ä�", "nope")), Buffer.from([0xff, 0x0a]), Buffer.from(request("ö", "nope"))]),
  );
  const answers = [await adapter.answer(), await adapter.answer(), await adapter.answer()];
  assert.deepEqual(
    answers.map(({ id }) => id),
    ["ä�", null, "ö"],
  );
});

check("what cannot be carried out is refused by its kind", async (adapter) => {
  await adapter.ask("session/open", open);
  const other = { ...open, session: "other" };
  /** @type {[string, unknown, object][]} */
  const wrong = [
    ["session/open", open, { kind: "invalid_params" }],
    ["session/open", { ...other, session: 5 }, { kind: "invalid_params" }],
    ["session/open", { ...other, config: null }, { kind: "invalid_params" }],
    ["session/open", { ...other, detector: "nope" }, { kind: "unsupported", feature: "nope" }],
    ["session/open", { ...other, reading: "nope" }, { kind: "unsupported", feature: "nope" }],
    ["session/open", { ...other, config: { nope: 1 } }, { kind: "invalid_config", field: "nope" }],
    ["session/open", { ...other, config: { toString: 1 } }, { kind: "invalid_config", field: "toString" }],
    ["session/open", { ...other, config: { threshold: true } }, { kind: "invalid_config", field: "threshold" }],
    ["session/open", { ...other, config: { threshold: 0 } }, { kind: "invalid_config", field: "threshold" }],
    ["session/observe", { session: "s" }, { kind: "invalid_params" }],
    ["session/observe", { session: "s", events: {} }, { kind: "invalid_params" }],
    ["session/observe", { session: "ghost", events: [] }, { kind: "unknown_session" }],
    ["session/state", { session: "s" }, { kind: "unsupported", feature: "state" }],
    ["session/restore", { session: "s" }, { kind: "invalid_params" }],
    ["session/restore", { session: "s", state: [] }, { kind: "invalid_state" }],
    ["session/restore", { session: "s", state: {} }, { kind: "invalid_state" }],
    ["session/close", [], { kind: "invalid_params" }],
    ["session/close", null, { kind: "invalid_params" }],
    ["function/call", { function: "nope", args: {} }, { kind: "unknown_function" }],
    ["function/call", { function: "counter.echo", args: {} }, { kind: "invalid_params" }],
    ["function/call", { function: "counter.echo", args: [] }, { kind: "invalid_params" }],
    ["function/call", { function: "counter.echo", args: {}, reading: null }, { kind: "invalid_params" }],
    [
      "function/call",
      { function: "counter.echo", args: {}, reading: "nope" },
      { kind: "unsupported", feature: "nope" },
    ],
  ];
  for (const [method, params, data] of wrong) {
    const { error } = await adapter.ask(method, /** @type {object} */ (params));
    assert.deepEqual([error?.code, error?.data], [-32602, data], JSON.stringify([method, params]));
  }
  assert.deepEqual((await adapter.ask("session/open", other)).result, {}, "a name whose opening was refused is free");
});

check("an event is checked whole", async (adapter) => {
  await adapter.ask("session/open", open);
  /** @type {[unknown, string][]} */
  const wrong = [
    [null, "type"],
    [[], "type"],
    [{}, "type"],
    [{ type: "constructor" }, "type"],
    [{ type: "tool_call" }, "tool"],
    [{ ...call, args: [] }, "args"],
    [{ ...call, args: null }, "args"],
    [{ ...call, at: "noon" }, "at"],
    [{ ...call, worker: null }, "worker"],
    [{ ...call, thought: 1 }, "thought"],
    [{ type: "reply", cost_usd: "1" }, "cost_usd"],
    [{ type: "delta" }, "text"],
    [{ type: "delta", text: "a", channel: "thinking" }, "channel"],
    [{ type: "output", text: "", input_tokens: null }, "input_tokens"],
    [{ type: "output", text: "", output_tokens: true }, "output_tokens"],
    [{ ...call, tool: "bad" }, "tool"],
    [{ type: "tool_result", content: "", ok: 1 }, "ok"],
    [{ type: "error", message: "", call: 1 }, "call"],
    [{ type: "message", role: "robot", content: "" }, "role"],
    [{ type: "message", role: "user", content: "", tool_calls: {} }, "tool_calls"],
    [{ type: "output" }, "text"],
    [{ type: "test_run", passed: "true" }, "passed"],
    [{ type: "iteration", elapsed_s: 1, output: "", failed: null }, "failed"],
  ];
  for (const [event, field] of wrong) {
    const { error } = await adapter.ask("session/observe", { session: "s", events: [call, event] });
    assert.deepEqual(error?.data, { kind: "invalid_event", field }, JSON.stringify(event));
  }
  const [verdict] = await adapter.observe("s", { ...call, colour: [1] });
  assert.deepEqual([verdict.count, verdict.pattern], [1, "{}"], "no event of a refused batch was observed");
});

check("sessions are apart, and a reset keeps configuration and indices", async (adapter) => {
  await adapter.ask("session/open", { ...open, config: { threshold: 3 } });
  await adapter.ask("session/open", { ...open, session: "other" });
  assert.deepEqual(counts(await adapter.observe("s", call, call)), [1, 2]);
  assert.deepEqual(counts(await adapter.observe("other", call)), [1]);
  assert.deepEqual((await adapter.ask("session/reset", { session: "s" })).result, {});
  const verdicts = await adapter.observe("s", call, { type: "output", text: "" }, call, call);
  assert.deepEqual(counts(verdicts), [1, undefined, 2, 3]);
  assert.deepEqual(verdicts[3].evidence, [5]);
  assert.deepEqual(verdicts[1], { loop: false }, "what is undefined is left out");
  await adapter.ask("session/close", { session: "s" });
  await adapter.ask("session/open", open);
  assert.deepEqual((await adapter.observe("s", call, call))[1].evidence, [1]);
  assert.deepEqual(await adapter.observe("s"), []);
});

check("snapshots and functions reach the detector", async (adapter) => {
  await adapter.ask("session/open", open);
  await adapter.observe("s", call, call);
  const { state } = (await adapter.ask("session/snapshot", { session: "s" })).result;
  await adapter.ask("session/open", { ...open, session: "other" });
  assert.deepEqual((await adapter.ask("session/restore", { session: "other", state })).result, {});
  assert.deepEqual(counts(await adapter.observe("other", call)), [3]);
  assert.deepEqual(await adapter.call("counter.echo", { text: "a", more: 1 }), { text: "a", reading: "text" });
  assert.deepEqual(await adapter.call("counter.echo", { text: "a" }, "code"), { text: "a", reading: "code" });
});

check("at the end of input all is answered, and the status is 0", async (adapter) => {
  const { answers, status } = await adapter.end(request(1, "session/open", open) + request(2, "nope").trimEnd());
  assert.deepEqual([answers.map(({ id }) => id), status], [[1, 2], 0]);
});

check("without any input the status is 0", async (adapter) => {
  assert.deepEqual(await adapter.end(), { answers: [], status: 0 });
});

check("after a shutdown the adapter exits with 0 though its input stays open", async (adapter) => {
  adapter.write(request(1, "shutdown") + request(2, "initialize"));
  assert.deepEqual(await adapter.answer(), { jsonrpc: "2.0", id: 1, result: {} });
  assert.equal(await adapter.status(), 0);
  assert.ok((await adapter.lines.next()).done, "nothing is answered after the shutdown");
});

check("many requests that wait are answered in their order", async (adapter) => {
  const many = 20_000;
  let input = request(0, "session/open", open);
  for (let id = 1; id <= many; id++) input += request(id, "session/observe", { session: "s", events: [call] });
  const { answers, status } = await adapter.end(input);
  assert.equal(status, 0);
  assert.ok(answers.every(({ id, result }, i) => id === i && (i === 0 || result.verdicts[0].count === i)));
  assert.equal(answers.length, many + 1);
});

check("a check that answers is no check of the kit", async (adapter) => {
  const answer = request(2, "session/observe", { session: "s", events: [{ ...call, tool: "answer" }] });
  const trouble = once(adapter.process.stderr.setEncoding("utf8"), "data");
  const { status } = await adapter.end(request(1, "session/open", open) + answer);
  assert.deepEqual([status, /check\(event\) throws what the kit is to refuse/.test((await trouble)[0])], [1, true]);
});

check("a mistake of the detector ends the adapter, after what it has answered", async (adapter) => {
  const crash = request(2, "session/observe", { session: "s", events: [{ ...call, tool: "crash" }] });
  const trouble = once(adapter.process.stderr.setEncoding("utf8"), "data");
  const { answers, status } = await adapter.end(request(1, "session/open", open) + crash);
  assert.deepEqual([answers.map(({ id }) => id), status], [[1], 1]);
  assert.match((await trouble)[0], /a mistake of the detector|counter\.js/);
});
