// @ts-check
/** The detector stream (ST): text that repeats while it is streamed. */
import { Refused, is, isMain, serve, settings } from "../loopstone.js";
import { NAMED, Queue, evidence } from "./counting.js";
import { exactly, flag, listOf, text, whole } from "./shape.js";

/** @import * as kit from "../loopstone.js" */

/** What a rule finds: members of the verdict, and how many characters ago what repeats begins. */
/** @typedef {{members: {count: number, period?: number}, back: number} | undefined} Found */

const NUMBERS = {
  tail_from: 64,
  tail_to: 1024,
  tail_copies: 4,
  chunk_size: 50,
  chunk_copies: 10,
  chunk_distance: 250,
  chunk_texts: 5,
  lines_copies: 5,
  lines_share: 50,
  lines_different: 50,
  lines_least: 400,
  lines_window: 64000,
};
const LISTS = {
  rules: ["tail", "chunk", "lines"],
  channels: ["answer", "thought", "arguments"],
  fresh: ["user", "call", "reply"],
};
const ELEMENT = /^(?:[ \t\r]*(?:\|.*\||[|+-]{3}|(?:[*+]|[0-9]+\.)[ \t\r\n])|(?:#+|>)[ \t\r\n])/s; // ST-13
const DIVIDER = /^[-+_=*\u2500-\u257f]+$/; // ST-14

/** @param {boolean} sound */
function checkState(sound) {
  if (!sound) throw new Refused("invalid_state");
}

/** ST-8: for each period, how many of the latest characters equal the one a period before. */
class Tail {
  /** @type {string[]} */
  #text = [];
  /** @type {number[]} by period, from the shortest on */
  #runs = [];

  /** @param {typeof NUMBERS} numbers */
  constructor(numbers) {
    this.numbers = numbers;
  }

  start() {
    this.#text = [];
    this.#runs = [];
  }

  /** @param {string} character @returns {Found} */
  add(character) {
    const { tail_from: shortest, tail_to: longest, tail_copies: copies } = this.numbers;
    if (this.#text.length >= 2 * longest) this.#text.splice(0, this.#text.length - longest);
    const length = this.#text.push(character);
    if (length >= shortest && this.#runs.length <= Math.min(longest, length) - shortest) this.#runs.push(0);
    let found = 0;
    for (let i = 0; i < this.#runs.length; i++) {
      const period = shortest + i;
      this.#runs[i] = this.#text[length - 1 - period] === character ? this.#runs[i] + 1 : 0;
      if (found === 0 && this.#runs[i] >= period * (copies - 1)) found = period;
    }
    if (found === 0) return undefined;
    const count = Math.floor(this.#runs[found - shortest] / found) + 1;
    return { members: { count, period: found }, back: count * found };
  }

  snapshot() {
    return { text: this.#text.slice(-this.numbers.tail_to).join(""), runs: this.#runs };
  }

  /** @param {unknown} state */
  restore(state) {
    if (!exactly({ text, runs: listOf(whole(0)) })(state)) throw new Refused("invalid_state");
    this.#text = [...state.text];
    this.#runs = [...state.runs];
    const most = Math.min(this.numbers.tail_to, this.#text.length);
    checkState(this.#text.length <= most && this.#runs.length === Math.max(0, most - this.numbers.tail_from + 1));
  }
}

/** ST-9 to ST-14: what is recorded, as its latest characters, and what is known of the current line. */
class Chunk {
  state = { text: "", line: "", block: false, out: false, element: false };
  /** @type {string[]} the characters of the recorded text */
  #recorded = [];

  /** @param {typeof NUMBERS} numbers */
  constructor(numbers) {
    this.numbers = numbers;
    this.reach = numbers.chunk_distance * (numbers.chunk_copies - 1) + numbers.chunk_size;
  }

  // ST-12: a code block goes on
  start() {
    this.#recorded = [];
    this.state = { ...this.state, line: "", out: false, element: false };
  }

  /** @param {string} character @returns {Found} */
  add(character) {
    const state = this.state;
    let out = state.block || state.out;
    state.line += character;
    let ticks = 0;
    while (state.line.at(-1 - ticks) === "`") ticks++;
    if (character === "`" && ticks % 3 === 0) {
      state.block = !state.block; // ST-11
      state.out = out = true;
      this.#recorded = [];
    }
    if (!out) {
      this.#recorded.push(character);
      if (!state.element && ELEMENT.test(state.line)) {
        state.element = true; // ST-13
        this.#recorded = [...state.line];
      }
      if (this.#recorded.length >= 2 * this.reach) this.#recorded.splice(0, this.#recorded.length - this.reach);
    }
    const judged = !out && !DIVIDER.test(state.line);
    if (character === "\n") Object.assign(state, { line: "", out: false, element: false });
    return judged ? this.#judge() : undefined;
  }

  /** @returns {Found} */
  #judge() {
    const { chunk_size: size, chunk_copies: copies, chunk_distance: distance, chunk_texts: most } = this.numbers;
    const all = this.#recorded;
    const start = all.length - size;
    /** @type {number[]} */
    const places = [];
    // ST-9
    for (let at = start; at >= 0 && start - at <= distance * (copies - 1) && places.length < copies; at--) {
      let same = 0;
      while (same < size && all[at + same] === all[start + same]) same++;
      if (same === size) places.push(at);
    }
    if (places.length < copies) return undefined;
    const between = places.slice(1).map((at, i) => all.slice(at, places[i]).join(""));
    if (new Set(between).size > most) return undefined; // ST-10
    return { members: { count: copies }, back: all.length - places[copies - 1] };
  }

  snapshot() {
    return { ...this.state, text: this.#recorded.slice(-this.reach).join("") };
  }

  /** @param {unknown} state */
  restore(state) {
    const shape = exactly({ text, line: text, block: flag, out: flag, element: flag });
    if (!shape(state)) throw new Refused("invalid_state");
    this.state = { ...state };
    this.#recorded = [...state.text];
  }
}

/** ST-15 and ST-16: the window, as lines without the blanks at their ends, and their lengths with them. */
class Lines {
  /** @type {Queue<{line: string, length: number}>} */
  #window = new Queue();
  /** @type {Map<string, number>} */
  #counts = new Map();
  #total = 0;
  #filled = 0;
  #text = "";
  #length = 0;

  /** @param {typeof NUMBERS} numbers */
  constructor(numbers) {
    this.numbers = numbers;
  }

  start() {
    this.#window = new Queue();
    this.#counts = new Map();
    this.#total = this.#filled = this.#length = 0;
    this.#text = "";
  }

  /** @param {string} character @returns {Found} */
  add(character) {
    const numbers = this.numbers;
    this.#length++;
    this.#text = this.#length > numbers.lines_window ? "" : this.#text + character;
    if (character !== "\n") return undefined;
    const line = this.#text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
    this.#push(line, this.#length);
    this.#text = "";
    this.#length = 0;
    const copies = this.#counts.get(line) ?? 0;
    if (copies < numbers.lines_copies || this.#total < numbers.lines_least) return undefined;
    if (100 * copies * [...line].length < numbers.lines_share * this.#total) return undefined;
    if (100 * this.#counts.size > numbers.lines_different * this.#filled) return undefined;
    let back = this.#total;
    for (const earlier of this.#window.oldest()) {
      if (earlier.line === line) break;
      back -= earlier.length;
    }
    return { members: { count: copies }, back };
  }

  /** @param {string} line @param {number} length */
  #push(line, length) {
    this.#window.push({ line, length });
    this.#count(line, length, 1);
    while (this.#total > this.numbers.lines_window) {
      const oldest = this.#window.shift();
      this.#count(oldest.line, oldest.length, -1);
    }
  }

  /** @param {string} line @param {number} length @param {number} by */
  #count(line, length, by) {
    this.#total += by * length;
    if (line === "") return;
    this.#filled += by;
    const count = (this.#counts.get(line) ?? 0) + by;
    if (count === 0) this.#counts.delete(line);
    else this.#counts.set(line, count);
  }

  snapshot() {
    return { window: this.#window.oldest(), text: this.#text, length: this.#length };
  }

  /** @param {unknown} state */
  restore(state) {
    const shape = exactly({ window: listOf(exactly({ line: text, length: whole(1) })), text, length: whole(0) });
    if (!shape(state)) throw new Refused("invalid_state");
    for (const { line, length } of state.window) this.#push(line, length);
    this.#text = state.text;
    this.#length = state.length;
  }
}

/** The text of a channel (ST-2), as its rules remember it. */
class Channel {
  #length = 0;
  /** @type {Queue<{index: number, end: number}>} */
  #pieces = new Queue();

  /** @param {string[]} rules @param {typeof NUMBERS} numbers */
  constructor(rules, numbers) {
    const make = { tail: () => new Tail(numbers), chunk: () => new Chunk(numbers), lines: () => new Lines(numbers) };
    this.rules = new Map(rules.map((name) => [name, make[/** @type {keyof typeof make} */ (name)]()]));
  }

  start() {
    for (const rule of this.rules.values()) rule.start();
    this.#length = 0;
    this.#pieces = new Queue();
  }

  /** @param {string} piece @param {number} index @returns {kit.Verdict} */
  observe(piece, index) {
    /** @type {kit.Verdict} */
    let verdict = { loop: false };
    let begin = 0;
    for (const character of piece) {
      this.#length++;
      for (const [kind, rule] of this.rules) {
        const found = rule.add(character); // ST-6
        if (!found || verdict.loop) continue; // ST-5
        verdict = { loop: true, kind, ...found.members };
        begin = this.#length - found.back;
      }
    }
    this.#pieces.push({ index, end: this.#length });
    if (this.#pieces.length > NAMED) this.#pieces.shift();
    if (!verdict.loop) return verdict;
    const named = this.#pieces.oldest().filter(({ end }) => end > begin); // ST-18
    return { ...verdict, evidence: evidence(named.map((each) => each.index)) };
  }
}

/** A list of words (ST-3), all of them where the configuration has none. @param {kit.JsonObject} config @param {keyof typeof LISTS} name @returns {string[]} */
function words(config, name) {
  const value = config[name] ?? LISTS[name];
  if (config[name] === null || !listOf(text)(value) || !value.every((word) => LISTS[name].includes(word))) {
    throw new Refused("invalid_config", { field: name });
  }
  return value;
}

export class Stream {
  static detector = "stream";
  static readings = /** @type {const} */ (["code"]);
  static features = ["snapshot", "evidence", "replies"];
  /** @type {Map<string, Channel>} */
  channels = new Map();

  /** @param {kit.Reading} _reading @param {kit.JsonObject} config */
  constructor(_reading, config) {
    const numbers = Object.entries(config).filter(([name]) => !Object.hasOwn(LISTS, name));
    this.numbers = settings(Object.fromEntries(numbers), NUMBERS);
    this.rules = words(config, "rules");
    this.watched = words(config, "channels");
    this.fresh = words(config, "fresh");
  }

  // ST-19
  reset() {
    this.channels = new Map();
  }

  /** @param {kit.Event} event @param {number} index @returns {kit.Verdict} */
  observe(event, index) {
    const what = event.type === "tool_call" ? "call" : event.type === "message" ? event.role : event.type;
    if (this.fresh.includes(what)) for (const channel of this.channels.values()) channel.start(); // ST-4
    if (event.type !== "delta" || !this.watched.includes(event.channel)) return { loop: false }; // ST-1, ST-2
    let channel = this.channels.get(event.channel);
    if (!channel) this.channels.set(event.channel, (channel = new Channel(this.rules, this.numbers)));
    return channel.observe(event.text, index);
  }

  // ST-20
  snapshot() {
    const rules = (/** @type {Channel} */ channel) => [...channel.rules].map(([kind, rule]) => [kind, rule.snapshot()]);
    const channels = [...this.channels].map(([name, channel]) => [name, Object.fromEntries(rules(channel))]);
    return { channels: Object.fromEntries(channels) };
  }

  /** ST-21 @param {kit.JsonObject} state */
  restore(state) {
    const saved = state.channels;
    if (Object.keys(state).length !== 1 || !is("object", saved)) throw new Refused("invalid_state");
    const channels = new Map();
    for (const [name, rules] of Object.entries(saved)) {
      const channel = new Channel(this.rules, this.numbers);
      if (!this.watched.includes(name) || !is("object", rules)) throw new Refused("invalid_state");
      checkState(Object.keys(rules).length === channel.rules.size);
      for (const [kind, rule] of channel.rules) rule.restore(rules[kind]);
      channels.set(name, channel);
    }
    this.channels = channels;
  }
}

if (isMain(import.meta.url)) serve("loopstone-javascript-stream", "1.0.0", Stream);
