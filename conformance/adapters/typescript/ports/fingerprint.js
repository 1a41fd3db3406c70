// @ts-check
/** The detector fingerprint (FP): runs of identical or similar calls, and three other ways of being stuck. */
import { Refused, isMain, serve, settings, take } from "../loopstone.js";
import { Run, evidence } from "./counting.js";
import { exactly, flag, listOf, orNull, text, whole } from "./shape.js";
import { firstWord, isPlain, words } from "./text.js";

/** @import * as kit from "../loopstone.js" */

// Fingerprints.

/** @param {string} text */
const quoted = (text) => (isPlain(text) ? `"${text}"` : JSON.stringify(text));

/** A text that is equal for equal values (FP-6, FP-7). @param {kit.Json} value @returns {string} */
function canonical(value) {
  if (typeof value === "string") return quoted(value);
  // Not by JSON.stringify, for which a number beyond the doubles is null.
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return Array.isArray(value) ? `[${value.map(canonical).join()}]` : members(value, Object.keys(value));
}

/** Some members of an object, sorted. @param {kit.JsonObject} value @param {string[]} names */
function members(value, names) {
  let inside = "";
  for (const name of names.sort()) inside += `${inside === "" ? "" : ","}${quoted(name)}:${canonical(value[name])}`;
  return `{${inside}}`;
}

/** A text that is equal for equal calls (FP-6). @param {string} tool @param {kit.JsonObject} args @param {string[]} names of args */
const identity = (tool, args, names = Object.keys(args)) => `[${quoted(tool)},${members(args, names)}]`;

// FP-8
const PRIMARY = new Set("path file_path command pattern query url content filename offset limit".split(" "));

/** The path of a command that only reads one file (FP-12). @param {string} command */
function readPath(command) {
  const [program = "", ...rest] = words(command);
  const paths = rest.filter((word) => !word.startsWith("-"));
  return ["cat", "head", "tail"].includes(program) && paths.length === 1 ? paths[0] : undefined;
}

/** @param {string} tool @param {kit.JsonObject} args @param {string} [whole] the call's identity, where it is known */
export function fingerprint(tool, args, whole) {
  const { command } = args;
  if (tool === "bash" && typeof command === "string") {
    if (/[|><;&\n]/.test(command)) return whole ?? identity(tool, args); // FP-13
    const path = readPath(command);
    if (path !== undefined) return `bash:file_read:${path}`; // FP-11; all others begin with a bracket (FP-15)
  }
  // FP-8, FP-9, FP-14
  const names = Object.keys(args);
  const primary = names.filter((name) => PRIMARY.has(name));
  const some = primary.length > 0 && primary.length < names.length;
  return some ? identity(tool, args, primary) : (whole ?? identity(tool, args, names)); // FP-10
}

// Messages.

/** @param {number} count @returns {"notice" | "warning" | "critical"} */
const severity = (count) => (count < 4 ? "notice" : count < 6 ? "warning" : "critical"); // FP-24

/** @type {Record<ReturnType<typeof severity>, (tool: string, count: string) => string>} */
const NUDGES = {
  // FP-25
  notice: (tool, count) => `[System] You've called ${tool} with the same arguments ${count} times.
This indicates a stuck state. Either:
1. Try a DIFFERENT approach or tool
2. If blocked, explain what's preventing progress
3. If the task is complete, say so explicitly`,
  // FP-26
  warning: (tool, count) => `[System] WARNING: You've called ${tool} ${count} times with identical arguments.
This is a stuck state.
1. Try a DIFFERENT approach or tool
2. If blocked, explain the blocker`,
  // FP-27
  critical: (tool, count) => `[System] CRITICAL: You've called ${tool} with the same arguments ${count} times.
You are in a doom loop. You MUST:
1. STOP calling ${tool} immediately
2. Explain what you're stuck on
3. Try a completely different approach
Further identical calls will be rejected.`,
};

/** @param {string} tool @param {number} count */
const nudge = (tool, count) => NUDGES[severity(count)](tool, String(count));

// FP-30
const testFix = (
  /** @type {number} */ count,
) => `[System] You've had ${count} consecutive test failures. Step back and rethink:
1. Re-read the error messages carefully
2. Consider whether your approach is fundamentally wrong
3. Try a DIFFERENT fix strategy instead of iterating on the same one`;

// FP-35
const bashCascade = (/** @type {number} */ count, /** @type {boolean} */ edits) =>
  `[System] ${count} shell commands have failed in a row. Stop and find out why before you run another one.${
    edits ? " To work on files, use write_file, edit_file and read_file instead of the shell." : ""
  }`;

// FP-38
const summary = (/** @type {number} */ count) =>
  `[System] You have sent ${count} messages without calling a tool. Use a tool to make progress now.`;

/** Whether a command begins with one that had better be a tool for files (FP-35). @param {kit.Json | undefined} command */
const editsFiles = (command) => ["cat", "echo", "sed"].includes(firstWord(command) ?? "");

// The detector.

/** @typedef {{tool: string, edits: boolean}} Named what a result may ask of the call that it names */

/** How many calls with an id are remembered (FP-34). */
const REMEMBERED = 1000;

const isNamed = exactly({ tool: text, edits: flag });
const isState = exactly({
  last: orNull(exactly({ tool: text, identity: text, fingerprint: text })),
  exact: whole(0),
  fuzzy: whole(0),
  ids: listOf(exactly({ id: text, call: isNamed })),
  shellEdits: flag,
  failedEdits: flag,
  testFailures: whole(0),
  bashFailures: whole(0),
  textTurns: whole(0),
  warned: /** @type {import("./shape.js").Shape<number>} */ ((value) => typeof value === "number"),
});

/** What a session has observed. */
class Trace {
  /** @type {{tool: string, identity: string, fingerprint: string} | null} */
  last = null;
  exact = new Run();
  fuzzy = new Run();
  /** @type {Map<string, Named>} The calls that a result can name, the latest at the end. */
  ids = new Map();
  /** Whether the last bash call, and the last that failed, edits files. */
  shellEdits = false;
  failedEdits = false;
  testFailures = new Run();
  bashFailures = new Run();
  textTurns = new Run();
  warned = 0;
}

/** @implements {kit.Detector} */
export class Fingerprint {
  static detector = "fingerprint";
  static readings = /** @type {const} */ (["text"]);
  static features = ["messages", "layout", "functions", "state", "snapshot", "evidence", "replies"];

  /** @type {Record<string, kit.PureFunction>} */
  static functions = {
    // FP-45, FP-47
    "fingerprint.compute": (members) => {
      const { tool, args } = take(members, { tool: "string", args: "object" });
      return fingerprint(tool, args);
    },
    // FP-46, FP-47
    "fingerprint.nudge": (members) => {
      const { tool, count } = take(members, { tool: "string", count: "integer" });
      if (count < 1) throw new Refused("invalid_params");
      return nudge(tool, count);
    },
  };

  /** @param {kit.Reading} _reading @param {kit.JsonObject} config */
  constructor(_reading, config) {
    // FP-3, FP-4
    this.settings = settings(config, {
      threshold: 3,
      fuzzy_threshold: 4,
      window: 10,
      test_failures: 3,
      bash_failures: 3,
      text_turns: 2,
    });
    this.trace = new Trace();
  }

  // FP-5
  reset() {
    this.trace = new Trace();
  }

  /** @param {kit.Event} event @param {number} index @returns {kit.Verdict} */
  observe(event, index) {
    const verdict = this.judge(event, index);
    if (verdict.loop && event.at !== undefined) this.trace.warned = event.at; // FP-41
    return verdict;
  }

  /** @param {kit.Event} event @param {number} index @returns {kit.Verdict} */
  judge(event, index) {
    // FP-2
    switch (event.type) {
      case "tool_call":
        this.call(event, index);
        return this.repetition();
      case "tool_result":
        this.result(event, index);
        return this.cascade();
      case "message":
        this.message(event, index);
        return this.talk();
      case "test_run":
        // FP-28
        if (event.passed) this.trace.testFailures = new Run();
        else this.trace.testFailures.add(index);
        return this.failingTests();
      default:
        return { loop: false }; // FP-1
    }
  }

  /** @param {kit.ToolCall} event @param {number} index */
  call({ tool, args, id }, index) {
    const { trace } = this;
    const whole = identity(tool, args);
    const current = { tool, identity: whole, fingerprint: fingerprint(tool, args, whole) };
    // FP-16, FP-17, FP-23
    if (current.identity !== trace.last?.identity) trace.exact = new Run();
    if (current.fingerprint !== trace.last?.fingerprint) trace.fuzzy = new Run();
    trace.exact.add(index);
    trace.fuzzy.add(index);
    trace.last = current;

    trace.textTurns = new Run(); // FP-37
    const edits = editsFiles(args.command);
    if (tool === "bash") trace.shellEdits = edits;
    if (id === undefined) return;
    trace.ids.delete(id); // of calls with one id the latest (FP-32)
    trace.ids.set(id, { tool, edits });
    if (trace.ids.size > REMEMBERED) trace.ids.delete(trace.ids.keys().next().value ?? ""); // FP-34
  }

  /** A count within the window (FP-16, FP-17). @param {Run} run */
  within(run) {
    return Math.min(run.length, this.settings.window);
  }

  repetition() {
    const exact = this.within(this.trace.exact);
    const fuzzy = this.within(this.trace.fuzzy);
    if (exact >= this.settings.threshold) return this.loopOfCalls("exact", exact, this.trace.exact); // FP-18, FP-20
    if (fuzzy >= this.settings.fuzzy_threshold) return this.loopOfCalls("fuzzy", fuzzy, this.trace.fuzzy); // FP-19
    return { loop: false, count: exact }; // FP-21
  }

  /** @param {"exact" | "fuzzy"} kind @param {number} count @param {Run} run */
  loopOfCalls(kind, count, run) {
    const tool = this.trace.last?.tool ?? ""; // FP-22
    const named = evidence(run.indices.slice(-count)); // FP-42
    return { loop: true, kind, count, tool, severity: severity(count), message: nudge(tool, count), evidence: named };
  }

  failingTests() {
    const { length: count, indices } = this.trace.testFailures;
    if (count < this.settings.test_failures) return { loop: false };
    return { loop: true, kind: "test_fix", count, message: testFix(count), evidence: evidence(indices) }; // FP-29
  }

  /** @param {kit.ToolResult} event @param {number} index */
  result(event, index) {
    const call = event.call === undefined ? undefined : this.trace.ids.get(event.call);
    if ((event.tool ?? call?.tool) !== "bash") return; // FP-32, FP-33
    if (event.ok) {
      this.trace.bashFailures = new Run();
    } else {
      this.trace.bashFailures.add(index);
      this.trace.failedEdits = call?.edits ?? this.trace.shellEdits; // FP-35
    }
  }

  // FP-31
  cascade() {
    const { length: count, indices } = this.trace.bashFailures;
    if (count < this.settings.bash_failures) return { loop: false };
    const message = bashCascade(count, this.trace.failedEdits);
    return { loop: true, kind: "bash_cascade", count, message, evidence: evidence(indices) };
  }

  /** @param {kit.Message} event @param {number} index */
  message({ role, tool_calls: calls = [] }, index) {
    if (role !== "assistant") return; // FP-39
    if (calls.length > 0)
      this.trace.textTurns = new Run(); // FP-37
    else this.trace.textTurns.add(index);
  }

  // FP-36
  talk() {
    const { length: count, indices } = this.trace.textTurns;
    if (count < this.settings.text_turns) return { loop: false };
    return { loop: true, kind: "summary", count, message: summary(count), evidence: evidence(indices) };
  }

  // FP-40, FP-41
  state() {
    const { loop, count } = this.trace.last ? this.repetition() : { loop: false, count: 0 };
    return {
      doomLoopDetected: loop,
      lastTool: this.trace.last?.tool ?? null,
      consecutiveCount: count,
      threshold: this.settings.threshold,
      fuzzyThreshold: this.settings.fuzzy_threshold,
      lastWarningTime: this.trace.warned,
    };
  }

  // FP-43
  snapshot() {
    const { trace } = this;
    return {
      last: trace.last,
      exact: this.within(trace.exact),
      fuzzy: this.within(trace.fuzzy),
      ids: Array.from(trace.ids, ([id, call]) => ({ id, call })),
      shellEdits: trace.shellEdits,
      failedEdits: trace.failedEdits,
      testFailures: trace.testFailures.length,
      bashFailures: trace.bashFailures.length,
      textTurns: trace.textTurns.length,
      warned: trace.warned,
    };
  }

  // FP-44
  /** @param {kit.JsonObject} state */
  restore(state) {
    const sound =
      isState(state) &&
      state.exact <= state.fuzzy &&
      state.fuzzy <= this.settings.window &&
      state.exact > 0 === (state.last !== null) &&
      state.ids.length <= REMEMBERED &&
      new Set(state.ids.map(({ id }) => id)).size === state.ids.length;
    if (!sound) throw new Refused("invalid_state");
    const trace = new Trace();
    trace.last = state.last;
    trace.exact = new Run(state.exact);
    trace.fuzzy = new Run(state.fuzzy);
    trace.ids = new Map(state.ids.map(({ id, call }) => [id, call]));
    trace.shellEdits = state.shellEdits;
    trace.failedEdits = state.failedEdits;
    trace.testFailures = new Run(state.testFailures);
    trace.bashFailures = new Run(state.bashFailures);
    trace.textTurns = new Run(state.textTurns);
    trace.warned = state.warned;
    this.trace = trace;
  }
}

if (isMain(import.meta.url)) serve("loopstone-javascript-fingerprint", "1.0.0", Fingerprint);
