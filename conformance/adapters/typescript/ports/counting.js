// @ts-check
/** What the ports count with: windows, runs, how often something occurs, and the evidence of it. */

/** The index of what was observed before a restore: it has none in its session (PR-35). */
export const UNKNOWN = -1;

/** As many events as evidence has to name (PR-35). */
export const NAMED = 100;

/** The evidence of a rule that counted these events, in their order; absent where none has an index. @param {number[]} indices */
export function evidence(indices) {
  const known = indices.lastIndexOf(UNKNOWN) + 1; // what was restored came before all else
  return known < indices.length ? indices.slice(Math.max(known, indices.length - NAMED)) : undefined;
}

/** So many items that have left a queue stay in its memory, or as many as are in it: to move the others costs time. */
const LEFT = 16;

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
    if (this.#head >= Math.max(LEFT, this.length)) {
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
  /** How many keys occur how often, by how often. @type {number[]} */
  #keys = [0];
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
    let indices = this.#indices.get(key);
    if (!indices) this.#indices.set(key, (indices = new Queue()));
    indices.push(index);
    const count = indices.length;
    if (count > this.top) this.#keys[(this.top = count)] = 0;
    this.#keys[count - 1]--;
    this.#keys[count]++;
  }

  /** Takes the oldest occurrence of a key out; there must be one. @param {K} key */
  remove(key) {
    const indices = /** @type {Queue<number>} */ (this.#indices.get(key));
    indices.shift();
    const count = indices.length;
    if (count === 0) this.#indices.delete(key);
    this.#keys[count]++;
    this.#keys[count + 1]--;
    if (this.#keys[this.top] === 0) this.top--;
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
