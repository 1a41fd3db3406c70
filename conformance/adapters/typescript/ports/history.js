// @ts-check
/** The detector history (HI): equal calls within a window. */
import { createHash } from "node:crypto";
import { Refused, is, isMain, serve, settings, take } from "../loopstone.js";
import { Queue, Tally, evidence, UNKNOWN } from "./counting.js";
import { exactly, listOf, orNull, text } from "./shape.js";
import { firstWord } from "./text.js";
import { dumps } from "./python.js";

/** @import * as kit from "../loopstone.js" */

/** @typedef {{key: string, tool: string, pair: string | null}} Call what of a call the rules look at */

/** The hash of a call (HI-6). @param {string} tool @param {kit.JsonObject} args */
const hash = (tool, args) =>
  createHash("md5")
    .update(`${tool}:${dumps(args)}`)
    .digest("hex");

/** The mark of the calls of a normalized tool, which is no hash of 32 digits (HI-18). @param {string} tool */
const normalized = (tool) => `tool:${tool}`;

/** The calls of the window, and how often what occurs among them. */
class Window {
  /** @type {Queue<Call>} */
  calls = new Queue();
  /** @type {Tally<string>} */
  keys = new Tally();
  /** @type {Tally<string>} */
  tools = new Tally();
  /** @type {Tally<string | null>} */
  pairs = new Tally();

  /** @param {number} size */
  constructor(size) {
    this.size = size;
  }

  // HI-10
  /** @param {Call} call @param {number} index */
  add(call, index) {
    if (this.calls.length === this.size) {
      const oldest = this.calls.shift();
      this.keys.remove(oldest.key);
      this.tools.remove(oldest.tool);
      if (oldest.pair !== null) this.pairs.remove(oldest.pair);
    }
    this.calls.push(call);
    this.keys.add(call.key, index);
    this.tools.add(call.tool, index);
    if (call.pair !== null) this.pairs.add(call.pair, index);
  }
}

const isState = exactly({ calls: listOf(exactly({ key: text, tool: text, pair: orNull(text) })) });

/** @implements {kit.Detector} */
export class History {
  static detector = "history";
  static readings = /** @type {const} */ (["code"]);
  static features = ["hashes", "mitigations", "snapshot", "evidence", "replies"];

  /** @type {Record<string, kit.PureFunction>} */
  static functions = {
    // HI-27, HI-28
    "history.hash": (members) => {
      const { tool, args } = take(members, { tool: "string", args: "object" });
      return hash(tool, args);
    },
  };

  /** @param {kit.Reading} _reading @param {kit.JsonObject} config */
  constructor(_reading, config) {
    const { normalize = [], tool_limits: limits = {}, ...numbers } = config;
    // HI-17
    if (!listOf(text)(normalize)) throw new Refused("invalid_config", { field: "normalize" });
    const sound = is("object", limits) && Object.values(limits).every((limit) => is("integer", limit) && limit >= 1);
    if (!sound) throw new Refused("invalid_config", { field: "tool_limits" });
    this.normalize = new Set(normalize);
    this.limits = /** @type {[string, number][]} */ (Object.entries(limits));
    // HI-2, HI-3, HI-4
    this.settings = settings(numbers, { repeat_threshold: 3, history_size: 20, first_word_threshold: Infinity });
    this.window = this.emptyWindow();
  }

  emptyWindow() {
    return new Window(this.settings.history_size);
  }

  // HI-5
  reset() {
    this.window = this.emptyWindow();
  }

  /** @param {kit.Event} event @param {number} index @returns {kit.Verdict} */
  observe(event, index) {
    if (event.type !== "tool_call") return { loop: false }; // HI-1
    const { tool, args } = event;
    const word = firstWord(args.command); // HI-21
    this.window.add(
      {
        key: this.normalize.has(tool) ? normalized(tool) : hash(tool, args), // HI-18
        tool,
        pair: word === undefined ? null : `${word} ${tool}`, // a word has no blank
      },
      index,
    );
    // HI-22, HI-14
    return this.repeat() ?? this.toolLimit() ?? this.firstWord() ?? { loop: false, count: this.window.keys.top };
  }

  // HI-12, HI-13, HI-15: whatever the current call is
  repeat() {
    const { calls, keys } = this.window;
    const count = keys.top;
    if (count < this.settings.repeat_threshold) return undefined;
    const latest = calls.findLast((call) => keys.count(call.key) === count); // HI-24
    return { loop: true, kind: "repeat", count, evidence: evidence(keys.indices(latest.key)) }; // HI-23
  }

  // HI-19
  toolLimit() {
    const { calls, tools } = this.window;
    const counts = this.limits.map(([tool, limit]) => ({ tool, limit, count: tools.count(tool) }));
    const above = counts.filter(({ count, limit }) => count > limit);
    if (above.length === 0) return undefined;
    const count = Math.max(...above.map((each) => each.count));
    const highest = new Set(above.filter((each) => each.count === count).map(({ tool }) => tool));
    const latest = calls.findLast((call) => highest.has(call.tool)); // HI-24
    return { loop: true, kind: "tool_limit", count, evidence: evidence(tools.indices(latest.tool)) };
  }

  // HI-20
  firstWord() {
    const { calls, pairs } = this.window;
    const count = pairs.top;
    if (count < this.settings.first_word_threshold) return undefined;
    const latest = calls.findLast((call) => pairs.count(call.pair) === count); // HI-24
    return { loop: true, kind: "first_word", count, evidence: evidence(pairs.indices(latest.pair)) };
  }

  // HI-25
  snapshot() {
    return { calls: this.window.calls.oldest() };
  }

  // HI-26
  /** @param {kit.JsonObject} state */
  restore(state) {
    const sound =
      isState(state) &&
      state.calls.length <= this.settings.history_size &&
      state.calls.every(({ key, tool, pair }) => {
        const ownKey = this.normalize.has(tool) ? key === normalized(tool) : /^[0-9a-f]{32}$/.test(key);
        const word = firstWord(pair);
        return ownKey && (pair === null || pair === `${word} ${tool}`);
      });
    if (!sound) throw new Refused("invalid_state");
    this.reset();
    for (const call of state.calls) this.window.add(call, UNKNOWN);
  }
}

if (isMain(import.meta.url)) serve("loopstone-javascript-history", "1.0.0", History);
