// @ts-check
/** What several ports need: texts, windows, counts with their evidence, and the shapes of states. */
import { is, wrongMember } from "../loopstone.js";

/** @import * as kit from "../loopstone.js" */

/** The index of what was observed before a restore: it has none in its session (PR-35). */
export const UNKNOWN = -1;

/** As many events as evidence has to name (PR-35). */
export const NAMED = 100;

/** The evidence of a rule that counted these events; absent where none of them has an index. @param {number[]} indices */
export function evidence(indices) {
  const known = indices.slice(-NAMED).filter((index) => index !== UNKNOWN);
  return known.length > 0 ? known : undefined;
}

// Texts.

/** Orders texts by code points. Where two UTF-16 units differ, a surrogate stands for a larger one. @param {string} a @param {string} b */
export function byCodePoint(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return Number(isSurrogate(x)) - Number(isSurrogate(y)) || x - y;
  }
  return a.length - b.length;
}

/** @param {number} unit */
const isSurrogate = (unit) => unit >= 0xd800 && unit <= 0xdfff;

/** The beginning of a text. @param {string} text @param {number} length in code points */
export const start = (text, length) => [...text.slice(0, 2 * length)].slice(0, length).join("");

/** The words of a command: what stands between U+0009 to U+000D and U+0020 (FP-12, HI-21). @param {string} command */
export const words = (command) => command.match(/[^\t-\r ]+/g) ?? [];

/** The first word of a command. @param {kit.Json | undefined} command */
export const firstWord = (command) => (is("string", command) ? command.match(/[^\t-\r ]+/)?.[0] : undefined);

// Windows and counts.

/** A queue whose oldest item leaves in constant time. @template T */
export class Queue {
  /** @type {T[]} */
  #items = [];
  #head = 0;

  get length() {
    return this.#items.length - this.#head;
  }

  /** The item at a place, counted from the end where it is negative. @param {number} place @returns {T | undefined} */
  at(place) {
    return place < -this.length ? undefined : this.#items[place < 0 ? this.#items.length + place : this.#head + place];
  }

  /** @param {T} item */
  push(item) {
    this.#items.push(item);
  }

  pop() {
    this.#items.pop();
  }

  /** Takes the oldest item out; there must be one. */
  shift() {
    const item = this.#items[this.#head++];
    if (2 * this.#head >= this.#items.length) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** @param {number} [count] how many; all without it */
  oldest(count = this.length) {
    return this.#items.slice(this.#head, this.#head + count);
  }

  /** The latest items, in their order. @param {number} count */
  latest(count) {
    return this.#items.slice(Math.max(this.#head, this.#items.length - count));
  }

  /** The latest item that passes; there must be one. @param {(item: T) => boolean} test */
  findLast(test) {
    let place = this.#items.length - 1;
    while (!test(this.#items[place])) place--;
    return this.#items[place];
  }
}

/** How often each key occurs in a window, which forgets its oldest. @template K */
export class Tally {
  /** @type {Map<K, Queue<number>>} */
  #indices = new Map();
  /** @type {Map<number, number>} How many keys occur how often. */
  #keys = new Map();
  /** How often the most frequent key occurs. */
  top = 0;

  /** @param {K} key */
  count(key) {
    return this.#indices.get(key)?.length ?? 0;
  }

  /** The indices of the latest occurrences of a key, in their order. @param {K} key */
  indices(key) {
    return this.#indices.get(key)?.latest(NAMED) ?? [];
  }

  /** @param {K} key @param {number} index */
  add(key, index) {
    const indices = this.#indices.get(key) ?? new Queue();
    this.#indices.set(key, indices);
    indices.push(index);
    this.#move(indices.length - 1, indices.length);
    this.top = Math.max(this.top, indices.length);
  }

  /** Takes the oldest occurrence of a key out; there must be one. @param {K} key */
  remove(key) {
    const indices = /** @type {Queue<number>} */ (this.#indices.get(key));
    indices.shift();
    this.#move(indices.length + 1, indices.length);
    if (indices.length === 0) this.#indices.delete(key);
    if (!this.#keys.has(this.top)) this.top--;
  }

  /** A key now occurs more often, or less. @param {number} before @param {number} after */
  #move(before, after) {
    const left = (this.#keys.get(before) ?? 0) - 1;
    if (left > 0) this.#keys.set(before, left);
    else this.#keys.delete(before);
    if (after > 0) this.#keys.set(after, (this.#keys.get(after) ?? 0) + 1);
  }
}

/** A run of events that is counted as far as JSON keeps integers (SW-25), and of which the latest can be named. */
export class Run {
  /** @param {number} length of events from before a restore */
  constructor(length = 0) {
    this.length = length;
    /** @type {number[]} */
    this.indices = [];
  }

  /** @param {number} index */
  add(index) {
    this.length = Math.min(this.length + 1, Number.MAX_SAFE_INTEGER);
    this.indices.push(index);
    if (this.indices.length > NAMED) this.indices.shift();
  }
}

// Shapes, above all those of states.

/** @template T @typedef {(value: unknown) => value is T} Shape */

/** @type {Shape<string>} */
export const text = (value) => is("string", value);

/** @type {Shape<boolean>} */
export const flag = (value) => is("boolean", value);

/** An event of the protocol; fills in its defaults. @type {Shape<kit.Event>} */
export const isEvent = /** @type {any} */ ((/** @type {unknown} */ value) => wrongMember(value) === undefined);

/** An integer that JSON keeps exactly. @param {number} least @returns {Shape<number>} */
export const whole = (least) =>
  /** @type {Shape<number>} */ ((value) => Number.isSafeInteger(value) && /** @type {number} */ (value) >= least);

/** @template T @param {Shape<T>} shape @returns {Shape<T | null>} */
export const orNull = (shape) => /** @type {Shape<T | null>} */ ((value) => value === null || shape(value));

/** @template T @param {Shape<T>} shape @returns {Shape<T[]>} */
export const listOf = (shape) => /** @type {Shape<T[]>} */ ((value) => Array.isArray(value) && value.every(shape));

/**
 * An object with exactly these members.
 * @template {Record<string, Shape<any>>} T @param {T} shapes
 * @returns {Shape<{[Name in keyof T]: T[Name] extends Shape<infer U> ? U : never}>}
 */
export const exactly = (shapes) =>
  /** @type {any} */ (
    (/** @type {unknown} */ value) =>
      is("object", value) &&
      Object.keys(value).every((name) => Object.hasOwn(shapes, name)) &&
      Object.entries(shapes).every(([name, shape]) => Object.hasOwn(value, name) && shape(value[name]))
  );
