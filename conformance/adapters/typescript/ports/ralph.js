// @ts-check
/** The detector ralph (RA): outputs that are nearly the same. */
import { Refused, isMain, serve, settings, take } from "../loopstone.js";
import { Queue, UNKNOWN, evidence } from "./counting.js";
import { exactly, listOf, text } from "./shape.js";

/** @import * as kit from "../loopstone.js" */

/** The code points of a text. @param {string} text */
function codePoints(text) {
  const units = new Uint32Array(text.length);
  for (let i = 0; i < text.length; i++) {
    units[i] = text.charCodeAt(i);
    if (units[i] >= 0xd800 && units[i] <= 0xdfff) {
      return Uint32Array.from(text, (character) => character.codePointAt(0) ?? 0);
    }
  }
  return units;
}

const ROWS = 30;
const ALL = (1 << ROWS) - 1;

/** The rows of the current block that each code point stands in; between uses, 0 everywhere. */
const matches = new Int32Array(0x110000);

/**
 * The length of the longest common subsequence, where that is at least `least`; else some smaller number. By Hyyrö's
 * bit-parallel algorithm: it goes through the table of a and b by 30 rows at once, where a bit is 0 if the table's value
 * is one more than in the row above. (30 bits and a carry are an integer of 32 bits when they are added, which is what
 * JavaScript is fast with.) Columns from which too little is left of a or b to reach `least` are left out.
 * @param {Uint32Array} a @param {Uint32Array} b
 */
function commonLength(a, b, least = 0) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  a = a.subarray(start);
  b = b.subarray(start);
  least -= start;

  const carries = new Uint8Array(b.length);
  let [first, last] = [0, 0]; // the columns that are not left out
  let [before, found] = [0, 0]; // what the rows so far have in common with b up to the first of them, and to the last
  for (let top = 0; top < a.length; top += ROWS) {
    const block = a.subarray(top, top + ROWS);
    while (first < last && before + Math.min(a.length - top, b.length - first) < least) before += carries[first++];
    last = Math.max(last, Math.min(b.length - least + found + block.length, b.length));
    if (first >= last) break;
    found += gains(block, b, carries, first, last);
  }
  return start + found;
}

/**
 * How many rows of a block gain something in the columns from first to last.
 * @param {Uint32Array} block @param {Uint32Array} b @param {Uint8Array} carries @param {number} first @param {number} last
 */
function gains(block, b, carries, first, last) {
  for (let row = 0; row < block.length; row++) matches[block[row]] |= 1 << row;
  let bits = ALL;
  for (let column = first; column < last; column++) {
    const match = matches[b[column]];
    const sum = bits + (bits & match) + carries[column];
    carries[column] = sum >>> ROWS;
    bits = (sum | (bits & ~match)) & ALL;
  }
  for (let row = 0; row < block.length; row++) matches[block[row]] = 0;
  let rows = 0;
  for (let zeros = bits ^ ALL; zeros !== 0; zeros &= zeros - 1) rows++;
  return rows;
}

/** How similar two texts are, in percent (RA-7). @param {Uint32Array} a @param {Uint32Array} b */
function ratio(a, b) {
  const both = a.length + b.length;
  return both === 0 ? 100 : (200 * commonLength(a, b)) / both;
}

/** @typedef {{text: string, characters: Uint32Array, index: number}} Stored an output */

const isState = exactly({ outputs: listOf(text) });

/** @implements {kit.Detector} */
export class Ralph {
  static detector = "ralph";
  static readings = /** @type {const} */ (["text"]);
  static features = ["functions", "snapshot", "evidence", "replies"];

  /** @type {Record<string, kit.PureFunction>} */
  static functions = {
    // RA-12
    "ralph.ratio": (members) => {
      const { a, b } = take(members, { a: "string", b: "string" });
      return ratio(codePoints(a), codePoints(b));
    },
  };

  /** @param {kit.Reading} _reading @param {kit.JsonObject} config */
  constructor(_reading, config) {
    this.settings = settings(config, { window: 5, similarity: 90 }); // RA-2
    /** @type {Queue<Stored>} */
    this.outputs = new Queue();
  }

  // RA-10
  reset() {
    this.outputs = new Queue();
  }

  /** @param {kit.Event} event @param {number} index @returns {kit.Verdict} */
  observe(event, index) {
    if (event.type !== "output") return { loop: false }; // RA-1
    if (event.text === "") return { loop: false }; // RA-4
    const current = { text: event.text, characters: codePoints(event.text), index };

    /** @type {kit.Verdict} */
    let verdict = { loop: false };
    let highest = 0;
    // RA-3; of equally similar outputs the latest (RA-9)
    for (const earlier of this.outputs.oldest().reverse()) {
      const similarity = this.reached(earlier.characters, current.characters, highest);
      if (similarity === undefined || similarity <= highest) continue;
      highest = similarity; // RA-8
      verdict = { loop: true, kind: "similar", similarity, evidence: evidence([earlier.index, index]) };
    }
    this.store(current);
    return verdict;
  }

  /**
   * The similarity where it is enough for a loop (RA-5) and about as high as the highest.
   * @param {Uint32Array} a @param {Uint32Array} b @param {number} highest
   */
  reached(a, b, highest) {
    const both = a.length + b.length;
    const needed = Math.max(Math.ceil((this.settings.similarity * both) / 200), Math.floor((highest * both) / 200));
    // What is common is no longer than the shorter one; where that is too little, there is nothing to work out.
    if (Math.min(a.length, b.length) < needed) return undefined;
    const common = commonLength(a, b, needed);
    return common >= needed ? (200 * common) / both : undefined;
  }

  /** @param {Stored} output */
  store(output) {
    if (this.outputs.length === this.settings.window) this.outputs.shift(); // RA-6
    this.outputs.push(output);
  }

  // RA-11
  snapshot() {
    return { outputs: this.outputs.oldest().map((output) => output.text) };
  }

  /** @param {kit.JsonObject} state */
  restore(state) {
    if (!isState(state) || state.outputs.length > this.settings.window || state.outputs.includes("")) {
      throw new Refused("invalid_state");
    }
    this.reset();
    for (const each of state.outputs) this.store({ text: each, characters: codePoints(each), index: UNKNOWN });
  }
}

if (isMain(import.meta.url)) serve("loopstone-javascript-ralph", "1.0.0", Ralph);
