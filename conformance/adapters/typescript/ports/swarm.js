// @ts-check
/** The detector swarm (SW): the same call by many workers. */
import { Refused, isMain, serve, settings, take } from "../loopstone.js";
import { Run, evidence } from "./counting.js";
import { exactly, listOf, text, whole } from "./shape.js";
import { byCodePoint } from "./text.js";
import { fingerprint } from "./fingerprint.js";

/** @import * as kit from "../loopstone.js" */

/** @typedef {{fingerprint: string, tool: string, count: number, workers: string[]}} Entry */
/** @typedef {{tool: string, calls: Run, workers: Set<string>}} Total of one fingerprint */

const isShapedState = exactly({
  fingerprints: listOf(exactly({ fingerprint: text, tool: text, count: whole(1), workers: listOf(text) })),
});

/** The entries of a state, which is checked whole (SW-20 to SW-23). @param {unknown} state @returns {Entry[]} */
function entriesOf(state) {
  if (!isShapedState(state)) throw new Refused("invalid_state");
  const { fingerprints: entries } = state;
  const sound =
    new Set(entries.map((entry) => entry.fingerprint)).size === entries.length &&
    entries.every(
      ({ count, workers }) => workers.length > 0 && workers.length <= count && new Set(workers).size === workers.length,
    );
  if (!sound) throw new Refused("invalid_state");
  return entries;
}

/** The state of some totals, in order (SW-16, SW-17). @param {Map<string, Total>} totals @returns {{fingerprints: Entry[]}} */
function stateOf(totals) {
  const entries = Array.from(totals, ([id, { tool, calls, workers }]) => ({
    fingerprint: id,
    tool,
    count: calls.length,
    workers: [...workers].sort(byCodePoint),
  }));
  return { fingerprints: entries.sort((a, b) => byCodePoint(a.fingerprint, b.fingerprint)) };
}

/** @param {Entry} entry @returns {[string, Total]} */
const totalOf = ({ fingerprint: id, tool, count, workers }) => [
  id,
  { tool, calls: new Run(count), workers: new Set(workers) },
];

/** The sum of some states (SW-26 to SW-30). @param {kit.Json[]} states */
function merge(states) {
  /** @type {Map<string, Total>} */
  const totals = new Map();
  for (const entry of states.flatMap(entriesOf)) {
    const [id, added] = totalOf(entry);
    const total = totals.get(id);
    if (total && total.tool !== entry.tool) throw new Refused("invalid_state"); // SW-30
    if (!total) {
      totals.set(id, added);
    } else {
      total.calls.length = Math.min(total.calls.length + entry.count, Number.MAX_SAFE_INTEGER); // SW-25
      for (const worker of entry.workers) total.workers.add(worker);
    }
  }
  return stateOf(totals);
}

// SW-9
const message = (/** @type {string} */ tool, /** @type {number} */ count, /** @type {number} */ workers) =>
  `[System] GLOBAL DOOM LOOP: ${count} calls to ${tool} across
${workers} workers. The entire swarm is stuck on this approach.
1. Try a fundamentally different strategy
2. Do NOT retry the same tool/parameters
3. Consider whether the task goal itself needs re-evaluation`;

/** @implements {kit.Detector} */
export class Swarm {
  static detector = "swarm";
  static readings = /** @type {const} */ (["text"]);
  static features = ["messages", "merge", "snapshot", "evidence", "replies"];

  /** @type {Record<string, kit.PureFunction>} */
  static functions = {
    "swarm.merge": (members) => merge(take(members, { states: "array" }).states), // SW-31
  };

  /** @param {kit.Reading} _reading @param {kit.JsonObject} config */
  constructor(_reading, config) {
    this.settings = settings(config, { threshold: 10, min_workers: 2 }); // SW-12, SW-13
    /** @type {Map<string, Total>} */
    this.totals = new Map();
  }

  // SW-15
  reset() {
    this.totals = new Map();
  }

  // SW-2
  /** @param {kit.Event} event */
  check(event) {
    if (event.type === "tool_call" && event.worker === undefined) {
      throw new Refused("invalid_event", { field: "worker" });
    }
  }

  /** @param {kit.Event} event @param {number} index @returns {kit.Verdict} */
  observe(event, index) {
    if (event.type !== "tool_call" || event.worker === undefined) return { loop: false }; // SW-1
    const { tool, args, worker } = event;
    const id = fingerprint(tool, args); // SW-3
    const total = this.totals.get(id) ?? { tool, calls: new Run(), workers: new Set() };
    this.totals.set(id, total);
    total.calls.add(index); // SW-4
    total.workers.add(worker); // SW-5

    const count = total.calls.length;
    const workers = total.workers.size;
    // SW-6, SW-7, SW-14
    if (count < this.settings.threshold || workers < this.settings.min_workers) return { loop: false };
    const named = evidence(total.calls.indices); // SW-10
    return { loop: true, kind: "global", count, workers, message: message(tool, count, workers), evidence: named }; // SW-8
  }

  snapshot() {
    return stateOf(this.totals);
  }

  // SW-18, SW-24
  /** @param {kit.JsonObject} state */
  restore(state) {
    this.totals = new Map(entriesOf(state).map(totalOf));
  }
}

if (isMain(import.meta.url)) serve("loopstone-javascript-swarm", "1.0.0", Swarm);
