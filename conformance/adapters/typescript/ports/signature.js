// @ts-check
/** The detector signature (SG): repeated signatures of outputs. */
import { Refused, is, isMain, serve, settings, take } from "../loopstone.js";
import { Queue, Run, Tally, UNKNOWN, evidence } from "./counting.js";
import { exactly, listOf, orNull, text, whole } from "./shape.js";
import { extractCode } from "./signature-code.js";
import { extractText } from "./signature-text.js";

/** @import * as kit from "../loopstone.js" */

/** The signature that a reading takes from an output. @param {kit.Reading} reading @param {string} output */
const extract = (reading, output) => (reading === "code" ? extractCode(output) : extractText(output));

// SG-36
const report = (/** @type {string} */ signature, /** @type {string} */ threshold, /** @type {string[]} */ lines) =>
  `## Loop Detected

**Pattern**: Same output signature repeated ${threshold} times
**Signature**: \`${signature}\`

**Iteration history**:

${lines.join("\n")} ← Loop detected

**Options**:

1. **Continue with different approach** - Agent will be instructed to try new strategy
2. **Review and debug** - Examine why same fix keeps failing
3. **Cancel** - Stop task`;

/** The rule of the code reading: equal signatures among the last ones, wherever they stand. */
class Among {
  /** @param {{threshold: number, window: number}} settings */
  constructor({ threshold, window }) {
    this.threshold = threshold;
    this.size = Math.min(threshold, window); // SG-15, SG-16
    /** @type {Queue<string>} */
    this.stored = new Queue();
    /** @type {Tally<string>} */
    this.counts = new Tally();
  }

  /** @param {string} signature @param {number} index */
  observe(signature, index) {
    const count = 1 + this.counts.count(signature);
    const named = count < this.threshold ? undefined : evidence([...this.counts.indices(signature), index]);
    this.store(signature, index);
    return { count, named };
  }

  /** @param {string} signature @param {number} index */
  store(signature, index) {
    if (this.stored.length === this.size) this.counts.remove(this.stored.shift());
    this.stored.push(signature);
    this.counts.add(signature, index);
  }

  static isState = exactly({ signatures: listOf(text) });

  snapshot() {
    return { signatures: this.stored.oldest() };
  }

  /** @param {unknown} state */
  restore(state) {
    if (!Among.isState(state) || state.signatures.length > this.size) throw new Refused("invalid_state");
    for (const signature of state.signatures) this.store(signature, UNKNOWN);
  }

  /** Whether so many outputs can have led here. @param {number} outputs */
  isAfter(outputs) {
    return this.stored.length === Math.min(outputs, this.size);
  }
}

/** The rule of the text reading: the run of equal signatures at the end. */
class AtTheEnd {
  /** @param {{threshold: number, window: number}} settings */
  constructor({ threshold, window }) {
    this.threshold = threshold;
    this.window = window;
    /** @type {string | null} */
    this.last = null;
    this.run = new Run();
  }

  get count() {
    return Math.min(this.run.length, this.window); // SG-30
  }

  /** @param {string} signature @param {number} index */
  observe(signature, index) {
    if (signature !== this.last) this.run = new Run(); // SG-29
    this.last = signature;
    this.run.add(index);
    const { count } = this;
    return { count, named: count < this.threshold ? undefined : evidence(this.run.indices.slice(-count)) };
  }

  static isState = exactly({ signature: orNull(text), count: whole(0) });

  snapshot() {
    return { signature: this.last, count: this.count };
  }

  /** @param {unknown} state */
  restore(state) {
    const sound =
      AtTheEnd.isState(state) && state.count <= this.window && state.count > 0 === (state.signature !== null);
    if (!sound) throw new Refused("invalid_state");
    this.last = state.signature;
    this.run = new Run(state.count);
  }

  /** Whether so many outputs can have led here. @param {number} outputs */
  isAfter(outputs) {
    return this.run.length <= outputs && this.run.length > 0 === outputs > 0;
  }
}

/** @implements {kit.Detector} */
export class Signature {
  static detector = "signature";
  static readings = /** @type {const} */ (["code", "text"]);
  static features = ["functions", "snapshot", "evidence", "replies"];

  /** @type {Record<string, kit.PureFunction>} */
  static functions = {
    // SG-35
    "signature.extract": (members, reading) => extract(reading, take(members, { output: "string" }).output),
    // SG-36
    "signature.report": (members) => {
      const { signature, threshold, iterations } = take(members, {
        signature: "string",
        threshold: "integer",
        iterations: "array",
      });
      if (threshold < 1 || iterations.length === 0) throw new Refused("invalid_params");
      const lines = iterations.map((iteration) => {
        if (!is("object", iteration)) throw new Refused("invalid_params");
        const { number, output } = take(iteration, { number: "integer", output: "string" });
        return `- Iteration ${number}: ${output}`;
      });
      return report(signature, String(threshold), lines);
    },
  };

  /** @param {kit.Reading} reading @param {kit.JsonObject} config */
  constructor(reading, config) {
    this.reading = reading;
    this.settings = settings(config, { threshold: 3, window: 5 }); // SG-2, SG-3
    this.rule = this.freshRule();
  }

  // SG-33
  reset() {
    this.rule = this.freshRule();
  }

  freshRule() {
    return this.reading === "code" ? new Among(this.settings) : new AtTheEnd(this.settings);
  }

  /** @param {kit.Event} event @param {number} index @returns {kit.Verdict} */
  observe(event, index) {
    if (event.type !== "output") return { loop: false }; // SG-1
    const signature = extract(this.reading, event.text);
    const { count, named } = this.rule.observe(signature, index); // SG-31
    if (count < this.settings.threshold) return { loop: false, signature, count }; // SG-4
    return { loop: true, kind: "signature", signature, count, evidence: named }; // SG-32
  }

  // SG-34
  snapshot() {
    return this.rule.snapshot();
  }

  /** @param {kit.JsonObject} state */
  restore(state) {
    const rule = this.freshRule();
    rule.restore(state);
    this.rule = rule;
  }

  /** Whether so many outputs can have led to the present state. @param {number} outputs */
  isAfter(outputs) {
    return this.rule.isAfter(outputs);
  }
}

if (isMain(import.meta.url)) serve("loopstone-javascript-signature", "1.0.0", Signature);
