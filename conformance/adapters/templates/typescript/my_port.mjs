// @ts-check
/**
 * A first port: the detector `history`, with one fault.
 *
 * It counts the equal calls of the whole run; the specification counts them within a window of 20 calls. Fix the
 * fault, and delete the entries of known.yaml whose tests then pass.
 */
import { serve, settings } from "./loopstone.mjs";

/** @param {any} value @returns {string} JSON whose members are sorted, at every depth */
function sorted(value) {
  if (Array.isArray(value)) return "[" + value.map(sorted).join(",") + "]";
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return "{" + names.map((name) => JSON.stringify(name) + ":" + sorted(value[name])).join(",") + "}";
}

class MyHistory {
  static detector = "history";
  static readings = ["code"];
  static features = [];

  /** @param {string} reading @param {any} config */
  constructor(reading, config) {
    this.settings = settings(config, { repeat_threshold: 3, history_size: 20 });
    this.reset();
  }

  reset() {
    /** @type {Map<string, number>} */
    this.counts = new Map();
  }

  /** @param {any} event */
  observe(event) {
    if (event.type !== "tool_call") return { loop: false };
    const key = event.tool + ":" + sorted(event.args);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    const count = Math.max(...this.counts.values());
    if (count >= this.settings.repeat_threshold) return { loop: true, kind: "repeat", count };
    return { loop: false, count };
  }
}

serve("my-port", "0.1", MyHistory);
