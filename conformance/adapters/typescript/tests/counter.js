// @ts-check
/**
 * A detector for the tests of the kit: it counts tool calls, refuses the tool "bad", fails at the tool "crash", answers
 * in its check at the tool "answer", and says at the tool "say" what it is told.
 */
import { Refused, serve, settings, take } from "../loopstone.js";

/** @import * as kit from "../loopstone.js" */

/** @implements {kit.Detector} */
class Counter {
  static detector = "counter";
  static readings = /** @type {const} */ (["text", "code"]);
  static features = ["snapshot"];
  /** @type {Record<string, kit.PureFunction>} */
  static functions = {
    "counter.echo": (args, reading) => ({ text: take(args, { text: "string" }).text, reading }),
  };
  count = 0;

  /** @param {kit.Reading} _reading @param {kit.JsonObject} config */
  constructor(_reading, config) {
    this.settings = settings(config, { threshold: 2 });
  }

  reset() {
    this.count = 0;
  }

  /** @param {kit.Event} event */
  check(event) {
    if (event.type === "tool_call" && event.tool === "bad") throw new Refused("invalid_event", { field: "tool" });
    if (event.type === "tool_call" && event.tool === "answer") return /** @type {any} */ ("run");
  }

  /** @param {kit.Event} event @param {number} index @returns {kit.Verdict} */
  observe(event, index) {
    if (event.type !== "tool_call") return { loop: false };
    if (event.tool === "crash") throw new Error("a mistake of the detector");
    if (event.tool === "say") return /** @type {any} */ (event.args.verdict);
    this.count++;
    const loop = this.count >= this.settings.threshold;
    return { loop, count: this.count, pattern: JSON.stringify(event.args), evidence: loop ? [index] : undefined };
  }

  snapshot() {
    return { count: this.count };
  }

  /** @param {kit.JsonObject} state */
  restore({ count }) {
    if (typeof count !== "number") throw new Refused("invalid_state");
    this.count = count;
  }
}

serve("counter", "1.0", Counter);
