// @ts-check
/** The detector ralph (RA): outputs that are nearly the same. */
import { Refused, isMain, serve, settings, take } from "../loopstone.js";
import { Queue, UNKNOWN, evidence } from "./counting.js";
import { exactly, listOf, text } from "./shape.js";

/** @import * as kit from "../loopstone.js" */

/** @param {string} characters */
const codePoints = (characters) => Uint32Array.from(characters, (character) => character.codePointAt(0) ?? 0);

const ROWS = 30;
const ALL = (1 << ROWS) - 1;

/**
 * The length of the longest common subsequence, by Hyyrö's bit-parallel algorithm: it goes through the table of a and
 * b by 30 rows at once, where a bit is 0 if the table's value is one more than in the row above. (30 bits and a carry are
 * an integer of 32 bits when they are added, which is what JavaScript is fast with.)
 * @param {Uint32Array} a @param {Uint32Array} b
 */
function commonLength(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  a = a.subarray(start);
  b = b.subarray(start);

  /** @type {Map<number, number>} The characters of a, by numbers from 1 on. */
  const numbers = new Map();
  for (const character of a) if (!numbers.has(character)) numbers.set(character, numbers.size + 1);
  const numbered = (/** @type {number} */ character) => numbers.get(character) ?? 0;
  const rows = a.map(numbered);
  const columns = b.map(numbered);

  const matches = new Int32Array(numbers.size + 1);
  const carries = new Int32Array(b.length);
  let length = start;
  for (let top = 0; top < rows.length; top += ROWS) {
    const block = rows.subarray(top, top + ROWS);
    block.forEach((character, row) => (matches[character] |= 1 << row));
    let bits = ALL;
    for (let column = 0; column < columns.length; column++) {
      const match = matches[columns[column]];
      const sum = bits + (bits & match) + carries[column];
      carries[column] = sum >>> ROWS;
      bits = (sum | (bits & ~match)) & ALL;
    }
    for (let zeros = bits ^ ALL; zeros !== 0; zeros &= zeros - 1) length++;
    block.forEach((character) => (matches[character] = 0));
  }
  return length;
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
    for (const earlier of this.outputs.oldest()) {
      const similarity = this.reached(earlier.characters, current.characters);
      if (similarity === undefined || similarity < highest) continue;
      highest = similarity; // RA-8
      verdict = { loop: true, kind: "similar", similarity, evidence: evidence([earlier.index, index]) };
    }
    this.store(current);
    return verdict;
  }

  /** The similarity where it is enough for a loop (RA-5). @param {Uint32Array} a @param {Uint32Array} b */
  reached(a, b) {
    const both = a.length + b.length;
    const needed = this.settings.similarity * both;
    // What is common is no longer than the shorter one; where that is too little, there is nothing to work out.
    if (200 * Math.min(a.length, b.length) < needed) return undefined;
    const common = commonLength(a, b);
    return 200 * common >= needed ? (200 * common) / both : undefined;
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
