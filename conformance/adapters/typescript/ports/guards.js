// @ts-check
/** The detector guards (GU): limits on iterations, runtime, loops and errors. */
import { Refused, is, isMain, serve, settings } from "../loopstone.js";
import { Run, evidence } from "./counting.js";
import { exactly, whole } from "./shape.js";
import { Signature } from "./signature.js";

/** @import * as kit from "../loopstone.js" */

/** @type {import("./shape.js").Shape<kit.JsonObject>} */
const isObject = (value) => is("object", value);
const isState = exactly({ iterations: whole(0), failures: whole(0), outputs: isObject });

/** The detector signature as the configuration has it (GU-12, GU-14). @param {kit.Json} config */
function signatureOf(config) {
  if (!is("object", config)) throw new Refused("invalid_config", { field: "signature" });
  const { reading = "text", ...numbers } = config;
  const sound = Object.entries(numbers).every(
    ([name, value]) => (name === "threshold" || name === "window") && is("integer", value) && value >= 1,
  );
  if (!sound || (reading !== "text" && reading !== "code")) {
    throw new Refused("invalid_config", { field: "signature" });
  }
  return new Signature(reading, numbers);
}

/** @implements {kit.Detector} */
export class Guards {
  static detector = "guards";
  static readings = /** @type {const} */ (["text"]);
  static features = ["snapshot", "evidence", "replies"];

  /** @param {kit.Reading} _reading @param {kit.JsonObject} config */
  constructor(_reading, config) {
    const { signature = {}, ...numbers } = config;
    // GU-12, GU-13
    this.settings = settings(numbers, { max_iterations: Infinity, max_runtime_s: Infinity, max_consecutive_errors: 3 });
    this.freshSignature = () => signatureOf(signature);
    this.signature = this.freshSignature();
    this.iterations = 0;
    this.failures = new Run();
  }

  // GU-15
  reset() {
    this.signature = this.freshSignature();
    this.iterations = 0;
    this.failures = new Run();
  }

  /** @param {kit.Event} event @param {number} index @returns {kit.Verdict} */
  observe(event, index) {
    if (event.type !== "iteration") return { loop: false }; // GU-1
    // GU-2: every guard takes in every iteration
    this.iterations++;
    if (event.failed) this.failures.add(index);
    else this.failures = new Run(); // GU-8
    const outputs = this.signature.observe({ type: "output", text: event.output }, index); // GU-7

    // GU-3, GU-4
    const { max_iterations, max_runtime_s, max_consecutive_errors } = this.settings;
    if (this.iterations >= max_iterations) {
      return { loop: true, kind: "max_iterations", count: this.iterations, evidence: [index] }; // GU-5
    }
    if (event.elapsed_s >= max_runtime_s) {
      return { loop: true, kind: "max_runtime", evidence: [index] }; // GU-6
    }
    if (outputs.loop) {
      return { loop: true, kind: "loop_detection", count: outputs.count, evidence: outputs.evidence };
    }
    const { length: count, indices } = this.failures;
    if (count >= max_consecutive_errors) {
      return { loop: true, kind: "consecutive_errors", count, evidence: evidence(indices) }; // GU-9
    }
    return { loop: false }; // GU-10
  }

  // GU-16
  snapshot() {
    return { iterations: this.iterations, failures: this.failures.length, outputs: this.signature.snapshot() };
  }

  // GU-17
  /** @param {kit.JsonObject} state */
  restore(state) {
    if (!isState(state) || state.failures > state.iterations) throw new Refused("invalid_state");
    const signature = this.freshSignature();
    signature.restore(state.outputs);
    if (!signature.isAfter(state.iterations)) throw new Refused("invalid_state");
    this.signature = signature;
    this.iterations = state.iterations;
    this.failures = new Run(state.failures);
  }
}

if (isMain(import.meta.url)) serve("loopstone-javascript-guards", "1.0.0", Guards);
