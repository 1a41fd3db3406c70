// @ts-check
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Loopstone Authors
/**
 * The Loopstone adapter kit for Node 20 and later: makes a loop detector answer to the conformance suite.
 *
 * Copy this file, and loopstone.d.ts if you want types, beside your detector and write a class:
 *
 *     import { serve, settings } from "./loopstone.js";
 *
 *     class Repeats {
 *       static detector = "history";
 *       static readings = ["code"];
 *       static features = [];
 *
 *       constructor(reading, config) {                // config: an object, {} for the defaults
 *         this.threshold = settings(config, { repeat_threshold: 3, history_size: 20 }).repeat_threshold;
 *         this.reset();
 *       }
 *
 *       reset() {                                     // forget all events, keep the configuration
 *         this.calls = 0;
 *       }
 *
 *       observe(event) {                              // one event in, one verdict out
 *         if (event.type !== "tool_call") return { loop: false };
 *         this.calls++;
 *         return this.calls < this.threshold ? { loop: false } : { loop: true, kind: "repeat", count: this.calls };
 *       }
 *     }
 *
 *     serve("my-port", "1.0", Repeats);
 *
 * and run the suite on it:  loopstone test -- node my_port.mjs
 *
 * (Outside a package with "type": "module" a file with `import` in it is named .mjs, this one too.) In TypeScript
 * write `class Repeats implements Detector`; example.js beside this file is a whole detector.
 *
 * A class may have more; declare the feature when it does. state() and snapshot() return an object, restore(state)
 * takes one back, check(event) refuses an event that the detector cannot take, and the static member `functions` maps
 * the names of pure functions to functions of (args, reading). observe gets the event's index as its second argument,
 * which is what `evidence` names. To refuse, throw before anything has changed:
 *
 *     throw new Refused("invalid_config", { field: "window" });      new Refused("invalid_event", { field: "worker" })
 *     throw new Refused("invalid_state");                            new Refused("invalid_params")
 *
 * A class may have less: declare what it has, and nobody asks for the rest. Without these, it has all:
 *
 *       static rules = ["exact"];                     // the kinds of loop that it knows
 *       static members = ["loop"];                    // of its verdicts; this one just says yes or no
 *       static settings = ["threshold"];              // that its config takes; [] for one that cannot be set
 *       static defaults = "own";                      // without a config it differs; the runner sends every setting
 *
 * A detector of the field is called as its profile is, detector = "@roo", and one with rules of your own as you like,
 * detector = "@mine", config = { rules: [...] }: a configuration of composed. Both have settings = [].
 *
 * Events arrive checked: members have their types, `args` and `ok` their defaults. Batches, sessions, errors and ids
 * are the kit's. It answers all the lines of one read with one write, so it keeps up with a runner that pipelines.
 * Standard output belongs to the protocol: use console.error.
 *
 * Events are what JSON.parse makes of them, so 1.0 is 1, integers beyond 2^53 are rounded, and members whose names
 * are array indices come first. Do not declare the feature int-float.
 *
 * The kit is JavaScript with types in comments, checked by tsc --strict, so that what you read is what runs: no build
 * and no second copy.
 */
import { isUtf8 } from "node:buffer";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** @import * as kit from "./loopstone.js" */

/** @type {Record<string, [required: Record<string, kit.TypeName>, optional: Record<string, kit.TypeName>]>} */
const EVENTS = {
  tool_call: [{ tool: "string" }, { args: "object", id: "string", worker: "string", thought: "string" }],
  tool_result: [{ content: "string" }, { tool: "string", call: "string", ok: "boolean" }],
  error: [{ message: "string" }, { error_type: "string", call: "string", tool: "string" }],
  message: [{ role: "string", content: "string" }, { tool_calls: "array" }],
  output: [{ text: "string" }, {}],
  test_run: [{ passed: "boolean" }, {}],
  iteration: [{ elapsed_s: "number", output: "string", failed: "boolean" }, {}],
  reply: [{}, {}], // like thought, cost and tokens for those only that declare the feature replies
  delta: [{ text: "string" }, { channel: "string" }], // for those only that observe it
};
/** @type {Record<string, kit.TypeName>} */
const ANY = { at: "number", cost_usd: "number", input_tokens: "number", output_tokens: "number" };
const CHANNELS = ["answer", "thought", "arguments"];
const ROLES = ["user", "assistant", "system"];

/**
 * The members of each type of event, as a list, which each event goes through. Loops on this way count: until V8 has
 * compiled what is hot, a tenth of a second has passed, and `for (const each of all)` is twice as long for it.
 */
const MEMBERS = new Map(
  Object.entries(EVENTS).map(([type, [required, optional]]) => [
    type,
    Object.entries({ ...required, ...optional, ...ANY }).map(([name, want]) => ({
      name,
      want,
      required: name in required,
    })),
  ]),
);

class Fault extends Error {
  /** @param {number} code @param {string} message @param {object} [data] */
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class Refused extends Fault {
  /** @param {kit.FaultKind} kind @param {{field?: string, feature?: string}} data */
  constructor(kind, data = {}, message = /** @type {string} */ (kind)) {
    super(-32602, message, { kind, ...data });
  }
}

/**
 * @template {kit.TypeName} T @param {T} type @param {unknown} value
 * @returns {value is ReturnType<typeof kit.take<{value: T}>>["value"]}
 */
export function is(type, value) {
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

/** @type {typeof kit.take} */
export function take(members, types) {
  for (const name in types) {
    if (!is(types[name], members[name])) throw new Refused("invalid_params", {}, `${name}: want ${types[name]}`);
  }
  return /** @type {any} */ (members);
}

/** @type {typeof kit.settings} */
export function settings(config, defaults) {
  for (const [field, value] of Object.entries(config)) {
    if (!Object.hasOwn(defaults, field) || !is("integer", value) || value < 1) {
      throw new Refused("invalid_config", { field }, `${field}: ${JSON.stringify(value)}`);
    }
  }
  return /** @type {any} */ ({ ...defaults, ...config });
}

/** @type {typeof kit.wrongMember} */
export function wrongMember(event) {
  const members = is("object", event) && is("string", event.type) ? MEMBERS.get(event.type) : undefined;
  if (!members) return "type";
  const found = /** @type {kit.JsonObject} */ (event);
  for (let i = 0; i < members.length; i++) {
    const { name, want, required } = members[i];
    const value = found[name];
    if (value === undefined ? required : !is(want, value)) return name;
  }
  if (found.type === "message" && !ROLES.includes(/** @type {string} */ (found.role))) return "role";
  if (found.type === "delta" && !CHANNELS.includes(/** @type {string} */ (found.channel ??= "answer"))) return "channel";
  if (found.type === "tool_call") found.args ??= {};
  if (found.type === "tool_result") found.ok ??= true;
  return undefined;
}

/** @type {typeof kit.isMain} */
export function isMain(url) {
  const [, program = ""] = process.argv;
  return existsSync(program) && realpathSync(program) === fileURLToPath(url);
}

// The protocol.

class Session {
  #events = 0;

  /** @param {kit.Detector} detector */
  constructor(detector) {
    this.detector = detector;
  }

  /** The verdicts on a batch, which is checked whole before the detector sees any of it. @param {unknown[]} batch */
  observe(batch) {
    for (let i = 0; i < batch.length; i++) {
      const event = batch[i];
      const field = wrongMember(event);
      if (field !== undefined) throw new Refused("invalid_event", { field });
      const refused = /** @type {unknown} */ (this.detector.check?.(/** @type {kit.Event} */ (event)));
      if (refused !== undefined) throw new TypeError("check(event) throws what the kit is to refuse; rename yours");
    }
    const events = /** @type {kit.Event[]} */ (batch);
    const verdicts = [];
    for (let i = 0; i < events.length; i++) verdicts.push(this.detector.observe(events[i], this.#events++));
    return verdicts;
  }
}

class Adapter {
  done = false;
  /** @type {Map<string, Session>} */
  #sessions = new Map();
  /** @type {Map<string, {port: kit.DetectorClass, evaluate: kit.PureFunction}>} */
  #functions = new Map();

  /** @param {string} name @param {string} version @param {kit.DetectorClass[]} ports */
  constructor(name, version, ports) {
    this.ports = new Map(ports.map((port) => [port.detector, port]));
    const detectors = ports.map(({ detector: id, readings, features, rules, members, settings, defaults, config }) => ({
      ...{ id, readings, features, rules, members, settings, defaults, config }, // JSON has no member for undefined
    }));
    this.hello = { protocol: 1, name, version, language: "javascript", detectors };
    for (const port of ports) {
      for (const [id, evaluate] of Object.entries(port.functions ?? {})) this.#functions.set(id, { port, evaluate });
    }
  }

  /** The answer to a line, with its line feed; nothing for an empty line and for a notification. @param {string} line */
  answer(line) {
    if (!/[^ \t\r]/.test(line)) return "";
    let id = "null";
    let silent = false;
    try {
      const request = parse(line);
      if (!is("object", request)) throw new Fault(-32600, "no object");
      const { jsonrpc, method, params = {} } = request;
      if (is("string", request.id)) id = JSON.stringify(request.id);
      else if (is("number", request.id)) id = Number.isSafeInteger(request.id) ? `${request.id}` : spelledId(line);
      else if (request.id !== undefined) throw new Fault(-32600, "id: want string or number");
      if (jsonrpc !== "2.0" || !is("string", method)) throw new Fault(-32600, "no request");
      silent = request.id === undefined;
      if (!is("object", params)) throw new Refused("invalid_params", {}, "params: want object");
      const result = this.#result(method, params);
      return silent ? "" : `{"jsonrpc":"2.0","id":${id},"result":${result}}\n`;
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      const { code, message, data } = fault;
      return silent ? "" : `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}\n`;
    }
  }

  /** The text of a result. @param {string} method @param {kit.JsonObject} params */
  #result(method, params) {
    if (method !== "session/observe") return JSON.stringify(this.#handle(method, params));
    const session = this.#session(params);
    if (!is("array", params.events)) throw new Refused("invalid_params", {}, "events: want array");
    const verdicts = session.observe(params.events);
    const short = verdicts.length === 1 && verdicts[0]?.loop === false;
    return `{"verdicts":${short ? `[${written(verdicts[0])}]` : JSON.stringify(verdicts)}}`;
  }

  /** @param {string} method @param {kit.JsonObject} params */
  #handle(method, params) {
    switch (method) {
      case "session/open":
        return this.#open(params);
      case "session/reset":
        this.#session(params).detector.reset();
        return {};
      case "session/close":
        this.#session(params);
        this.#sessions.delete(/** @type {string} */ (params.session));
        return {};
      case "session/state": {
        const { detector } = this.#session(params);
        if (!detector.state) throw new Refused("unsupported", { feature: "state" });
        return { state: detector.state() };
      }
      case "session/snapshot": {
        const { detector } = this.#session(params);
        if (!detector.snapshot) throw new Refused("unsupported", { feature: "snapshot" });
        return { state: detector.snapshot() };
      }
      case "session/restore": {
        const { detector } = this.#session(params);
        if (!detector.restore) throw new Refused("unsupported", { feature: "snapshot" });
        if (params.state === undefined) throw new Refused("invalid_params", {}, "state is missing");
        if (!is("object", params.state)) throw new Refused("invalid_state", {}, "no object");
        detector.restore(params.state);
        return {};
      }
      case "function/call":
        return { value: this.#call(params) };
      case "initialize":
        return this.hello;
      case "shutdown":
        this.done = true;
        return {};
      default:
        throw new Fault(-32601, `no method ${JSON.stringify(method)}`);
    }
  }

  /** The session that the params name. @param {kit.JsonObject} params */
  #session(params) {
    const session = this.#sessions.get(/** @type {string} */ (params.session));
    if (session) return session;
    const { session: name } = take(params, { session: "string" });
    throw new Refused("unknown_session", {}, `no session ${JSON.stringify(name)} is open`);
  }

  /** @param {kit.JsonObject} params */
  #open(params) {
    const { session, detector, reading, config } = take(
      { config: {}, ...params },
      { session: "string", detector: "string", reading: "string", config: "object" },
    );
    const port = this.ports.get(detector);
    if (!port) throw new Refused("unsupported", { feature: detector }, "no such detector");
    if (this.#sessions.has(session)) throw new Refused("invalid_params", {}, `${JSON.stringify(session)} is open`);
    for (const field of Object.keys(config)) {
      if (port.settings?.includes(field) === false) throw new Refused("invalid_config", { field }, `${field}: not declared`);
    }
    this.#sessions.set(session, new Session(new port(known(reading, port), config)));
    return {};
  }

  /** @param {kit.JsonObject} params */
  #call(params) {
    const { function: name, args } = take(params, { function: "string", args: "object" });
    const found = this.#functions.get(name);
    if (!found) throw new Refused("unknown_function", {}, `no function ${JSON.stringify(name)}`);
    const { reading } = take({ reading: found.port.readings[0], ...params }, { reading: "string" });
    return found.evaluate(args, known(reading, found.port));
  }
}

/** The reading, where the port has it. @param {string} reading @param {kit.DetectorClass} port */
function known(reading, port) {
  const found = port.readings.find((each) => each === reading);
  if (!found) throw new Refused("unsupported", { feature: reading }, "no such reading");
  return found;
}

/** How the suite begins what it asks most, up to the events. */
const OBSERVE = new RegExp(
  String.raw`^\{"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14}),"method":"session/observe",` +
    String.raw`"params":\{"session":"([^"\\\0-\x1f]*)","events":`,
);

/** The request on a line. Where it is spelled as usual, only its events are left to parse. @param {string} line */
function parse(line) {
  const usual = OBSERVE.exec(line);
  if (usual && line.endsWith("}}")) {
    try {
      const params = { session: usual[2], events: JSON.parse(line.slice(usual[0].length, -2)) };
      return { jsonrpc: "2.0", id: Number(usual[1]), method: "session/observe", params };
    } catch {} // it goes on with more than its events, or is no JSON: all of it is parsed
  }
  try {
    return JSON.parse(line);
  } catch (problem) {
    throw new Fault(-32700, String(problem));
  }
}

/** Most texts are in JSON as they are, and to find that out takes less than JSON.stringify. @param {string} text */
const quoted = (text) => (/[^ !#-[\]-~]/.test(text) ? JSON.stringify(text) : `"${text}"`);

/** The names of members as JSON, which are always the same. @type {Map<string, string>} */
const NAMES = new Map();

/** What JSON.stringify writes, which takes longer to begin than a short verdict to write. @param {kit.Verdict} verdict */
function written(verdict) {
  let members = "";
  for (const name of Object.keys(verdict)) {
    const value = verdict[/** @type {keyof kit.Verdict} */ (name)];
    if (value === undefined) continue;
    let text;
    if (typeof value === "string") text = quoted(value);
    else if (typeof value === "boolean" || Number.isSafeInteger(value)) text = `${value}`;
    else return JSON.stringify(verdict);
    let known = NAMES.get(name);
    if (known === undefined) NAMES.set(name, (known = `${JSON.stringify(name)}:`));
    members += members === "" ? known : `,${known}`;
    members += text;
  }
  return `{${members}}`;
}

/** The id as the line spells it: JSON.parse rounds long numbers. @param {string} line */
function spelledId(line) {
  let depth = 0;
  let name = "";
  for (const [token, text, colon] of line.matchAll(/("(?:[^"\\]|\\.)*")\s*(:)?|[[\]{}]|[^[\]{}",:\s]+/g)) {
    if (depth === 1 && colon) name = JSON.parse(text);
    else if (depth === 1 && name === "id") return token;
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
  }
  throw new Error("a request with an id has none");
}

/** The lines of some input; one that is not UTF-8 becomes one that is not JSON. @param {Buffer} input */
function split(input) {
  if (isUtf8(input)) return input.toString().split("\n");
  const lines = input
    .toString("latin1")
    .split("\n")
    .map((line) => Buffer.from(line, "latin1"));
  return lines.map((line) => (isUtf8(line) ? line.toString() : "not UTF-8"));
}

/** @type {typeof kit.serve} */
export async function serve(name, version, ...ports) {
  const adapter = new Adapter(name, version, ports);
  /** @type {Buffer[]} The beginning of a line whose end has not arrived. */
  let rest = [];
  for await (const chunk of process.stdin) {
    const end = chunk.lastIndexOf("\n");
    if (end < 0) {
      rest.push(chunk);
      continue;
    }
    await answer(adapter, Buffer.concat([...rest, chunk.subarray(0, end)]));
    if (adapter.done) return;
    rest = [chunk.subarray(end + 1)];
  }
  await answer(adapter, Buffer.concat(rest));
}

/** Answers some lines with one write, up to the one at which a detector failed. @param {Adapter} adapter @param {Buffer} input */
async function answer(adapter, input) {
  let answers = "";
  try {
    for (const line of split(input)) {
      if (!adapter.done) answers += adapter.answer(line);
    }
  } finally {
    if (!process.stdout.write(answers)) await once(process.stdout, "drain");
  }
}
