// @ts-check
/**
 * A whole detector beside the kit: `history`, which says that an agent is stuck when one call occurs often enough
 * among the last ones.
 *
 *     loopstone test -- node example.js
 *
 * It leaves out what is optional: it declares no features, so the suite does not ask for hashes, mitigations,
 * snapshots or evidence, and says so. ports/history.js has them.
 */
import { isMain, serve, settings } from "./loopstone.js";

/** @import * as kit from "./loopstone.js" */

/** A text that is equal for equal arguments, in whatever order their members stand. @param {kit.Json} value @returns {string} */
function canonical(value) {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

/** @implements {kit.Detector} */
export class History {
  static detector = "history";
  static readings = /** @type {const} */ (["code"]);
  static features = /** @type {string[]} */ ([]);

  /** @type {string[]} The calls in the window, the oldest first. */
  calls = [];

  /** @param {kit.Reading} _reading @param {kit.JsonObject} config */
  constructor(_reading, config) {
    this.settings = settings(config, { repeat_threshold: 3, history_size: 20 });
  }

  reset() {
    this.calls = [];
  }

  /** @param {kit.Event} event @returns {kit.Verdict} */
  observe(event) {
    if (event.type !== "tool_call") return { loop: false };
    this.calls.push(canonical([event.tool, event.args]));
    if (this.calls.length > this.settings.history_size) this.calls.shift();

    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const call of this.calls) counts.set(call, (counts.get(call) ?? 0) + 1);
    const count = Math.max(...counts.values());
    return count < this.settings.repeat_threshold ? { loop: false, count } : { loop: true, kind: "repeat", count };
  }
}

if (isMain(import.meta.url)) serve("loopstone-example", "1.0.0", History);
