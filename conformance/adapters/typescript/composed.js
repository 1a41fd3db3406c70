// @ts-check
/**
 * The detector `composed` in one file, to be taken into an agent. It needs Node 20 (or a runtime with node:crypto) and
 * nothing else; in TypeScript its types are those of the comments.
 *
 *     import { LoopDetector } from "./composed.js";
 *
 *     const rules = [{ same: { results: "text" }, pattern: { sort: "streak" }, rungs: [{ at: 3 }] }];
 *     const detector = new LoopDetector(rules);
 *     detector.observe({ type: "tool_call", id: "1", tool: "read_file", args: { path: "a.py" } });
 *     const verdict = detector.observe({ type: "tool_result", call: "1", content: "x = 1" });
 *     if (verdict.loop) console.warn(verdict.rule, verdict.rung, verdict.severity, verdict.count, verdict.evidence);
 *
 * new LoopDetector(rules) takes the `rules` of a profile as plain arrays and objects, and without them counts three
 * equal calls in a row. What is wrong in them throws a ConfigError, whose message begins with the place. observe(event)
 * takes one event in and returns the verdict after it: { loop: false }, or `kind`, `count`, `severity`, `rule`, `rung`,
 * of cycle and periodic `period`, and `evidence`, the numbers of the events that were counted, the first of all being
 * 0. reset() forgets all events. The types AgentEvent and Verdict below say what events and verdicts have.
 *
 * An event costs the same however many there were, but that `counts: highest` looks through its window where the most
 * frequent item leaves it and others are as frequent, and `seconds` always looks through it. Kept is the latest that the
 * patterns look back at, long texts as digests. spec/clauses/composed.md has the clauses.
 */
import crypto from "node:crypto";

/** @typedef {Record<string, any>} Members an object of JSON */

/** @typedef {{type: "tool_call", tool: string, args?: Members, id?: string, thought?: string}} ToolCall */
/** @typedef {{type: "tool_result", content: string, call?: string, ok?: boolean}} ToolResult what came of a call */
/** @typedef {{type: "error", message: string, call?: string}} Failure of a call, too */
/** @typedef {{type: "message", role: "user" | "assistant" | "system", content: string}} Message */
/** @typedef {{type: "reply"}} Reply the model begins to answer: before its calls; for rules about steps */
/** @typedef {"answer" | "thought" | "arguments"} Channel what a piece is of; without one, the answer */
/** @typedef {{type: "delta", text: string, channel?: Channel}} Piece of what the model writes; only answers are read */
/** @typedef {{type: "output" | "test_run" | "iteration"}} Other changes nothing */
/** @typedef {{at?: number}} Timed when it happened, in milliseconds, which rules with `seconds` need */
/** @typedef {(ToolCall | ToolResult | Failure | Message | Reply | Piece | Other) & Timed} AgentEvent */

/** @typedef {"critical" | "warning" | "notice"} Severity */
/**
 * @typedef {object} Loop
 * @property {true} loop
 * @property {string} kind
 * @property {number} count
 * @property {Severity} severity
 * @property {string} rule
 * @property {string} rung
 * @property {number[]} evidence
 * @property {number} [period]
 */
/** @typedef {{loop: false} & {[Name in keyof Omit<Loop, "loop">]?: undefined} | Loop} Verdict */

const WAITING = 100; // CO-2
const STEP = 100; // CO-17
const NAMED = 100; // CO-38
const LONGEST_PERIOD = 100; // CO-6
const MOST_SECONDS = 1_000_000; // CO-6
const REVISITED = 50; // CO-44

/** What is wrong in the rules; the message begins with the place, such as rules/0/pattern/to (CO-40). */
export class ConfigError extends Error {
  /** @param {string} place @param {string} problem */
  constructor(place, problem) {
    super(`${place}: ${problem}`);
  }
}

// The configuration (CO-3, CO-4). A reader takes a place and a value, and returns the value or throws a ConfigError.

/** @template T @typedef {(place: string, value: unknown) => T} Reader */

/** @template {string} T @param {T[]} words @returns {Reader<T>} */
const word =
  (...words) =>
  (place, value) => {
    const found = words.find((each) => each === value);
    if (found === undefined) throw new ConfigError(place, `want one of ${words.join(", ")}`);
    return found;
  };

/** @type {Reader<string>} */
const name = (place, value) => {
  if (typeof value !== "string" || value === "") throw new ConfigError(place, "want a text that is not empty");
  return value;
};

/** @type {Reader<boolean>} */
const truth = (place, value) => {
  if (typeof value !== "boolean") throw new ConfigError(place, "want true or false");
  return value;
};

/** @type {Reader<number>} */
const whole = (place, value) => {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1) {
    throw new ConfigError(place, "want an integer of at least 1");
  }
  return value;
};

/** @type {Reader<Members>} */
const object = (place, value) => {
  if (!isObject(value)) throw new ConfigError(place, "want an object");
  return value;
};

/** @param {unknown} value @returns {value is Members} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @template T @param {Reader<T>} of @returns {Reader<T[]>} */
const array = (of) => (place, value) => {
  if (!Array.isArray(value)) throw new ConfigError(place, "want an array");
  return value.map((item, i) => of(`${place}/${i}`, item));
};

/**
 * An object of these members, each with its default, and of `written`: the names of those that are there.
 * @template {Record<string, [reader: Reader<any>, absent: any]>} T @param {T} shape
 * @returns {Reader<{[Name in keyof T]: ReturnType<T[Name][0]>} & {written: string[]}>}
 */
const members = (shape) => (place, value) => {
  const found = object(place, value);
  const written = Object.keys(found);
  const unknown = written.find((each) => !Object.hasOwn(shape, each));
  if (unknown !== undefined) {
    throw new ConfigError(`${place}/${unknown}`, `want one of ${Object.keys(shape).join(", ")}`);
  }
  const read = Object.entries(shape).map(([each, [reader, absent]]) => [
    each,
    reader(`${place}/${each}`, Object.hasOwn(found, each) ? found[each] : absent),
  ]);
  return { ...Object.fromEntries(read), written };
};

/** A set of calls, by the name of their tool and perhaps an argument (CO-19). */
class Calls {
  /** @type {Reader<Calls>} */
  static read = (place, value) => new Calls(place, name(place, value));

  /** @param {string} place @param {string} text */
  constructor(place, text) {
    const [tool, rest] = split(text, "?");
    const [argument, wanted] = rest === undefined ? [] : split(rest, "=");
    // CO-20
    if (tool === "" || argument === "" || (rest !== undefined && wanted === undefined)) {
      throw new ConfigError(place, "want a tool, or tool?argument=text");
    }
    this.pieces = tool.split("*");
    this.argument = argument;
    this.text = wanted;
  }

  /** @param {Call} call */
  has(call) {
    if (!this.names(call.tool)) return false;
    return this.argument === undefined || ownMember(call.args, this.argument) === this.text;
  }

  /** @param {string} tool */
  names(tool) {
    const [first, ...rest] = this.pieces;
    const last = rest.pop();
    if (last === undefined) return tool === first;
    if (tool.length < first.length + last.length || !tool.startsWith(first) || !tool.endsWith(last)) return false;
    const middle = tool.slice(first.length, tool.length - last.length);
    let place = 0;
    for (const piece of rest) {
      const found = middle.indexOf(piece, place);
      if (found < 0) return false;
      place = found + piece.length;
    }
    return true;
  }
}

/** What stands before a sign and behind it, where it is there. @param {string} text @param {string} sign */
function split(text, sign) {
  const place = text.indexOf(sign);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}

/** @param {Members} members @param {string} name @returns {unknown} */
const ownMember = (members, name) => (Object.hasOwn(members, name) ? members[name] : undefined);

const readRung = members({
  name: [(place, value) => (value === undefined ? "" : name(place, value)), undefined],
  severity: [word("critical", "notice", "warning"), "critical"],
  at: [whole, 3],
  speaks: [word("each", "once", "restart", "stays"), "each"],
});

const readRule = members({
  name: [(place, value) => (value === undefined ? "" : name(place, value)), undefined],
  same: [
    members({
      by: [word("call", "tool", "step", "speech", "message", "piece"), "call"],
      results: [word("none", "text", "any"), "none"],
      prefix: [(place, value) => (value === undefined ? Infinity : whole(place, value)), undefined],
      outcome: [word("any", "ok", "failed"), "any"],
      key_order: [word("any", "kept"), "any"],
      order: [word("kept", "any"), "kept"],
      keep: [array(name), []],
      omit: [array(name), []],
      thought: [truth, false],
    }),
    {},
  ],
  pattern: [
    members({
      sort: [word("run", "among", "cycle", "periodic", "streak", "revisit"), "run"],
      last: [whole, 20],
      from: [whole, 2],
      to: [whole, 5],
      varied: [truth, false],
      counts: [word("current", "highest"), "current"],
      full: [truth, false],
      seconds: [(place, value) => (value === undefined ? 0 : whole(place, value)), undefined],
    }),
    {},
  ],
  tools: [
    members({
      only: [array(Calls.read), []],
      except: [array(Calls.read), []],
      silent: [array(Calls.read), []],
      watched: [array(Calls.read), []],
    }),
    {},
  ],
  fresh: [array(word("user", "reply", "message", "call", "change")), []],
  changes: [array(Calls.read), []],
  judged: [word("after", "before"), "after"],
  rungs: [array(readRung), [{}]],
});

/** @typedef {ReturnType<typeof readRule>} Settings of a rule */
/** @typedef {ReturnType<typeof readRung>} Rung */

/** @param {Settings["same"]} same */
const isSingle = ({ by }) => by === "call" || by === "tool";

/** Whether an item is a call with its answer (CO-7). @param {Settings["same"]} same */
const isAnswered = (same) => isSingle(same) && (same.results !== "none" || same.outcome !== "any");

/** CO-6: after what a rule cannot start afresh. @type {Record<Settings["same"]["by"], string[]>} */
const NOT_FRESH = {
  call: ["call"],
  tool: ["call"],
  step: ["reply", "call"],
  speech: ["message"],
  message: ["message"],
  piece: [],
};

/**
 * CO-6: the places of what is written and may not be, each with the reason.
 * @param {Settings} rule @returns {Generator<[place: string, reason: string]>}
 */
function* whatDoesNotGoTogether({ same, pattern, tools, fresh, changes, judged, rungs, written }) {
  const { sort, from, to } = pattern;
  const single = isSingle(same);
  const ofCalls = same.by === "call" || same.by === "step";
  const answered = isAnswered(same);
  const said = !ofCalls && same.by !== "tool";
  /**
   * @param {string} part @param {string[]} there @param {string[]} names @param {boolean} fits @param {string} reason
   * @returns {[place: string, reason: string][]}
   */
  const each = (part, there, names, fits, reason) =>
    fits ? [] : names.filter((one) => there.includes(one)).map((one) => [`${part}/${one}`, reason]);

  yield* each("same", same.written, ["key_order", "keep", "omit", "thought"], ofCalls, "only calls have it");
  yield* each("same", same.written, ["order"], same.by === "step", "only steps have one");
  yield* each("same", same.written, ["results"], !said, "texts have none");
  yield* each("same", same.written, ["outcome"], single, "only single calls have one");
  yield* each("same", same.written, ["prefix"], same.results === "text", "only of results: text");
  const window = sort === "among" || sort === "streak" || sort === "revisit";
  yield* each("pattern", pattern.written, ["last"], window, `${sort} has no window`);
  const hasPeriods = sort === "cycle" || sort === "periodic";
  yield* each("pattern", pattern.written, ["from", "to", "varied"], hasPeriods, `${sort} has no period`);
  yield* each("pattern", pattern.written, ["varied"], single, "only of single calls");
  yield* each("pattern", pattern.written, ["counts", "full", "seconds"], sort === "among", "only of among");
  if (pattern.seconds > MOST_SECONDS) yield ["pattern/seconds", `want at most ${MOST_SECONDS}`];
  if (same.omit.length > 0 && same.keep.length > 0) yield ["same/omit", "keep omits all others"];
  if (same.results === "any" && !single) yield ["same/results", "only single calls await any"];

  if (hasPeriods && !(from <= to && to <= LONGEST_PERIOD)) {
    yield ["pattern/to", `want from ${from} to ${LONGEST_PERIOD}`];
  }
  if (sort === "streak" && !answered) yield ["pattern/sort", "a streak is of single calls with their answers"];
  yield* each("tools", tools.written, ["silent", "watched"], single, "only of single calls");
  if (said && written.includes("tools")) yield ["tools", "texts have none"];
  for (const [i, rung] of rungs.entries()) {
    if (i > 0 && rung.at <= rungs[i - 1].at) yield [`rungs/${i}/at`, `want more than ${rungs[i - 1].at}`];
  }
  const itself = NOT_FRESH[same.by];
  for (const [i, start] of fresh.entries()) {
    if (itself.includes(start)) yield [`fresh/${i}`, "is what the items themselves are"];
  }
  const changing = fresh.includes("change");
  if (changing ? changes.length === 0 : written.includes("changes")) yield ["changes", "goes with fresh: [change]"];
  if (judged === "after") return;
  if (!single) yield ["judged", "only single calls are judged before"];
  const open = sort === "revisit" || pattern.counts === "highest" || (answered && sort === "among");
  if (open) yield ["judged", "which items count is not known before"];
}

/**
 * Numbers for those without a name (CO-3), which must differ (CO-5).
 * @param {string} place @param {{name: string}[]} things
 */
function giveNames(place, things) {
  if (things.length === 0) throw new ConfigError(place, "want one at least");
  const seen = new Set();
  for (const [i, thing] of things.entries()) {
    thing.name ||= String(i + 1);
    if (seen.has(thing.name)) throw new ConfigError(`${place}/${i}/name`, `${thing.name} is there twice`);
    seen.add(thing.name);
  }
}

/** The rules with their defaults, or a ConfigError. @param {unknown} rules */
function readRules(rules) {
  const read = array(readRule)("rules", rules);
  giveNames("rules", read);
  for (const [i, rule] of read.entries()) {
    giveNames(`rules/${i}/rungs`, rule.rungs);
    for (const [place, reason] of whatDoesNotGoTogether(rule)) throw new ConfigError(`rules/${i}/${place}`, reason);
  }
  return read;
}

// What makes items equal. Equal things have equal keys, which are texts.

/**
 * CO-9: all numbers by their values, members in order unless that is kept.
 * @param {unknown} value @param {boolean} kept @returns {string}
 */
function canonical(value, kept) {
  if (typeof value === "number") return String(value); // -0 is 0, and beyond the doubles is no null but Infinity
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, kept)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value); // array indices first, which CO-9 has in no order
  if (!kept) names.sort();
  return `{${names.map((each) => `${JSON.stringify(each)}:${canonical(value[each], kept)}`).join()}}`;
}

/** A key that is equal for equal parts alone, and never long. @param {(string | number | boolean | null)[]} parts */
function keyOf(...parts) {
  const text = JSON.stringify(parts);
  return text.length <= 64 ? text : sha256(text);
}

/** Node 20.12 has a function for what a Hash does, without an object for each. @type {(text: string) => string} */
const sha256 = crypto.hash
  ? (text) => crypto.hash("sha256", text)
  : (text) => crypto.createHash("sha256").update(text).digest("hex");

/** CO-14: so many code points from the beginning of a text. @param {string} text @param {number} count */
function prefixOf(text, count) {
  if (text.length <= count) return text;
  let end = 0;
  for (const character of text) {
    if (count-- === 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** A tool call, and its answer as soon as that is there. */
class Call {
  /** @type {{ok: boolean, text: string} | undefined} */
  answer;

  /** @param {ToolCall} event @param {number} index */
  constructor({ tool, args = {}, thought = "", id }, index) {
    this.tool = tool;
    this.args = args;
    this.thought = thought;
    this.id = id;
    this.index = index;
  }
}

/** What makes calls equal, and their answers, as `same` says. */
class Identity {
  /** @param {Settings["same"]} same */
  constructor(same) {
    this.same = same;
    this.kept = same.key_order === "kept";
  }

  /** @param {Call} call */
  call({ tool, args, thought }) {
    if (this.same.by === "tool") return keyOf(tool); // CO-12
    return keyOf(tool, canonical(this.compared(args), this.kept), this.same.thought ? thought : ""); // CO-11
  }

  /** The arguments that are compared. @param {Members} args @returns {Members} */
  compared(args) {
    const { keep, omit } = this.same;
    const only = (/** @type {(name: string) => boolean} */ is) =>
      Object.fromEntries(Object.entries(args).filter(([each]) => is(each)));
    if (omit.length > 0) return only((each) => !omit.includes(each)); // CO-45
    return Object.keys(args).some((each) => keep.includes(each)) ? only((each) => keep.includes(each)) : args; // CO-10
  }

  /** Null where there is none, or none that counts (CO-16). @param {Call} call */
  answer({ answer }) {
    if (!answer || this.same.results !== "text") return null;
    return keyOf(answer.ok, prefixOf(answer.text, this.same.prefix)); // CO-13, CO-14
  }

  /** CO-15 @param {Call} call */
  isBlank({ answer }) {
    return this.same.outcome !== "any" && answer?.ok !== (this.same.outcome === "ok");
  }
}

/**
 * @typedef {object} Item
 * @property {string | null} key null of a blank one
 * @property {string} call the key of its call
 * @property {number} index of the event that evidence names
 * @property {boolean} silent CO-22
 * @property {number} [at] when it was completed
 */

/**
 * What a pattern has found.
 * @typedef {object} Found
 * @property {number} count
 * @property {number[]} indices the latest of what was counted, at least as many as are named
 * @property {number} named how many were counted
 * @property {Item[]} [lap] the latest, of a cycle
 * @property {number} [period]
 */

/** @type {Found} */
const NOTHING = { count: 0, indices: [], named: 0 };

/** Items that are counted together: how many, and the latest of them. */
class Tally {
  count = 0;
  /** @type {number[]} */
  indices = [];
  /** @type {Item | undefined} */
  latest;
  /** Which item of all the latest one is. */
  place = 0;

  /** @param {string | null} key */
  constructor(key = null) {
    this.key = key;
  }

  /** @param {Item} item @param {number} place */
  add(item, place = 0) {
    this.count++;
    addIndex(this.indices, item.index);
    this.latest = item;
    this.place = place;
  }

  /** @returns {Found} */
  found() {
    return { count: this.count, indices: this.indices, named: this.count };
  }
}

/** @param {number[]} indices @param {number} index */
function addIndex(indices, index) {
  indices.push(index);
  if (indices.length > NAMED) indices.shift();
}

// Patterns.

/**
 * @typedef {object} Pattern
 * @property {(item: Item) => void} add records an item
 * @property {(item: Item) => Found} after what is found then
 * @property {(item: Item) => Found} before what is found before the item of a call that is being made is recorded,
 *   whose key is that of its call (CO-30)
 */

/** CO-25 @implements {Pattern} */
class Run {
  tally = new Tally();

  /** @param {Item} item */
  add(item) {
    if (item.key === null || item.key !== this.tally.key) this.tally = new Tally(item.key);
    if (item.key !== null) this.tally.add(item);
  }

  after() {
    return this.tally.found();
  }

  /** @param {Item} item */
  before(item) {
    return this.tally.latest?.call === item.call ? this.tally.found() : NOTHING;
  }
}

/** CO-26. Items that are counted together share a tally; the window holds the tally of each. @implements {Pattern} */
class Among {
  /** A ring: the tally of an item that is not counted is undefined. @type {(Tally | undefined)[]} */
  window = [];
  /** @type {Map<string | null, Tally>} */
  tallies = new Map();
  recorded = 0;

  /** @param {Settings["pattern"]} pattern */
  constructor({ last, full }) {
    this.last = last;
    this.full = full;
  }

  /** @param {Item} item @returns {Tally | undefined} the one in which it was counted */
  add(item) {
    const place = this.recorded++ % this.last;
    const oldest = this.window[place];
    if (oldest) this.forget(oldest);
    const tally = this.tallyOf(item);
    tally?.add(item, this.recorded);
    this.window[place] = tally;
    return tally;
  }

  /** @param {Tally} tally of the item that leaves the window */
  forget(tally) {
    tally.count--;
    if (tally.count === 0 && this.tallies.get(tally.key) === tally) this.tallies.delete(tally.key);
  }

  /** Where the item is to be counted. @param {Item} item */
  tallyOf(item) {
    if (item.key === null) return undefined;
    return this.tallies.get(item.key) ?? this.newTally(item.key);
  }

  /** @param {string} key */
  newTally(key) {
    const tally = new Tally(key);
    this.tallies.set(key, tally);
    return tally;
  }

  // CO-27
  isReady() {
    return !this.full || this.recorded >= this.last;
  }

  /** @param {Item} item */
  after(item) {
    return (this.isReady() && this.tallies.get(item.key)?.found()) || NOTHING;
  }

  /** @param {Item} item */
  before(item) {
    return this.after(item);
  }
}

/** CO-27 */
class Highest extends Among {
  most = new Tally();
  /** @type {Map<number, number>} How many tallies count so much or more. */
  reached = new Map();

  /** @param {Item} item */
  add(item) {
    const tally = super.add(item);
    if (tally) {
      this.reached.set(tally.count, this.reaching(tally.count) + 1);
      if (tally.count >= this.most.count) this.most = tally;
    }
    return tally;
  }

  /** @param {number} count */
  reaching(count) {
    return this.reached.get(count) ?? 0;
  }

  /** @param {Tally} tally */
  forget(tally) {
    super.forget(tally);
    this.reached.set(tally.count + 1, this.reaching(tally.count + 1) - 1);
    const others = this.reaching(tally.count + 1) > 0 || this.reaching(tally.count) > 1;
    if (tally !== this.most || !others) return;
    for (const each of this.tallies.values()) {
      const later = each.place > this.most.place;
      if (each.count > this.most.count || (each.count === this.most.count && later)) this.most = each;
    }
  }

  after() {
    return (this.isReady() && this.most.count > 0 && this.most.found()) || NOTHING;
  }
}

/** CO-48. It looks through its window, since items grow old. @implements {Pattern} */
class Recent {
  /** @type {Item[]} */
  window = [];

  /** @param {Settings["pattern"]} pattern */
  constructor({ last, full, counts, seconds }) {
    this.last = last;
    this.full = full;
    this.highest = counts === "highest";
    this.age = 1000 * seconds;
  }

  /** @param {Item} item */
  add(item) {
    this.window.push(item);
    if (this.window.length > this.last) this.window.shift();
  }

  /** @param {Item} item @returns {Found} */
  after(item) {
    if (this.full && this.window.length < this.last) return NOTHING; // CO-28
    const recent = this.window.filter((each) => each.key !== null && !this.isTooOld(each, item));
    const key = this.highest ? this.mostFrequent(recent) : item.key;
    const indices = recent.filter((each) => each.key === key).map(({ index }) => index);
    return { count: indices.length, indices, named: indices.length };
  }

  /** @param {Item} item */
  before(item) {
    return this.after(item);
  }

  /** @param {Item} item @param {Item} current */
  isTooOld({ at }, current) {
    return at !== undefined && current.at !== undefined && current.at - at >= this.age;
  }

  /** CO-27 @param {Item[]} items */
  mostFrequent(items) {
    /** @type {Map<string | null, number>} */
    const counts = new Map();
    for (const { key } of items) counts.set(key, (counts.get(key) ?? 0) + 1);
    let most = null;
    let count = 0;
    for (const { key } of items.toReversed()) {
      const own = counts.get(key) ?? 0;
      if (own > count) [most, count] = [key, own];
    }
    return most;
  }
}

/** CO-29. A tally here is of a call, and another answer gives the call another tally. */
class Streak extends Among {
  /** @param {Item} item */
  tallyOf(item) {
    if (item.key === null) {
      this.tallies.delete(item.call);
      return undefined;
    }
    const tally = this.tallies.get(item.call);
    return tally?.latest?.key === item.key ? tally : this.newTally(item.call);
  }

  /** @param {Item} item */
  after(item) {
    return this.tallies.get(item.call)?.found() ?? NOTHING;
  }
}

/** CO-44 @implements {Pattern} */
class Revisit {
  /** The keys of the latest items. @type {(string | null)[]} */
  earlier = [];
  /** A ring: of each item of the window, whether it is a revisit. @type {boolean[]} */
  window = [];
  /** @type {number[]} */
  indices = [];
  recorded = 0;
  count = 0;
  isRevisit = false; // the latest item

  /** @param {Settings["pattern"]} pattern */
  constructor({ last }) {
    this.last = last;
  }

  /** @param {Item} item */
  add(item) {
    const slot = this.recorded++ % this.last;
    if (this.window[slot]) this.count--;
    this.isRevisit = item.key !== null && this.earlier.includes(item.key);
    this.window[slot] = this.isRevisit;
    if (this.isRevisit) {
      this.count++;
      addIndex(this.indices, item.index);
    }
    this.earlier.push(item.key);
    if (this.earlier.length > REVISITED) this.earlier.shift();
  }

  /** @returns {Found} */
  after() {
    return this.isRevisit ? { count: this.count, indices: this.indices, named: this.count } : NOTHING;
  }

  before() {
    return NOTHING; // CO-6
  }
}

/**
 * CO-31, CO-47. Of each period it keeps how many items in a row equal the one a period before them.
 * @implements {Pattern}
 */
class Cycle {
  /** The latest, as many as the longest period. @type {Item[]} */
  items = [];
  /** @type {number[]} */
  indices = [];
  equalItems = 0; // how many of the latest items in a row
  equalCalls = 0;

  /** @param {Settings["pattern"]} pattern */
  constructor({ from, to, varied, sort }) {
    this.longest = to;
    this.varied = varied;
    this.countsItems = sort === "periodic"; // CO-47
    this.periods = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    this.matches = this.periods.map(() => 0);
  }

  /** @param {Item} item */
  add(item) {
    this.matches = this.matchesWith(item, "key");
    const latest = this.items.at(-1);
    this.equalItems = latest && item.key !== null && latest.key === item.key ? this.equalItems + 1 : 1;
    this.equalCalls = latest?.call === item.call ? this.equalCalls + 1 : 1;
    this.items.push(item);
    if (this.items.length > this.longest) this.items.shift();
    addIndex(this.indices, item.index);
  }

  /**
   * The matches of each period when this item is added.
   * @param {Item} item @param {"key" | "call"} part that must be equal
   */
  matchesWith(item, part) {
    return this.periods.map((period, i) => {
      const before = this.items[this.items.length - period];
      return before && before.key !== null && before[part] === item[part] ? this.matches[i] + 1 : 0;
    });
  }

  after() {
    return this.found(this.matches, this.items, this.indices);
  }

  /** @param {Item} item */
  before(item) {
    return this.found(this.matchesWith(item, "call"), [...this.items, item], [...this.indices, item.index]);
  }

  /** @param {number[]} matches @param {Item[]} items @param {number[]} indices @returns {Found} */
  found(matches, items, indices) {
    let best = { period: 0, count: 0 };
    for (const [i, period] of this.periods.entries()) {
      const count = this.count(period, matches[i]);
      if (count > best.count) best = { period, count };
    }
    const { period, count } = best;
    const named = this.countsItems ? count : count * period;
    return count === 0 ? NOTHING : { count, indices, named, lap: items.slice(-period), period };
  }

  /** @param {number} period @param {number} matches */
  count(period, matches) {
    const run = this.varied ? Math.max(this.equalItems, this.equalCalls) : this.equalItems;
    const uniform = period > 1 && run >= period;
    if (uniform || matches < period) return 0;
    return this.countsItems ? period + matches : 1 + Math.floor(matches / period);
  }
}

const PATTERNS = { run: Run, among: Among, cycle: Cycle, periodic: Cycle, streak: Streak, revisit: Revisit };

/** @typedef {"user" | "message" | "reply" | "call" | "answer" | "piece"} What has come, as rules look at it */

class Rule {
  /** @type {Pattern} */
  pattern;
  countBefore = 0;
  /** @type {Loop | undefined} */
  stays;
  /** The calls since the last reply; without one there is no step. @type {Call[] | undefined} */
  step;
  /** The time of the current event, if it has one. @type {number | undefined} */
  now;

  /** @param {Settings} settings */
  constructor(settings) {
    this.settings = settings;
    this.by = settings.same.by;
    this.single = isSingle(settings.same);
    this.answered = isAnswered(settings.same);
    this.judgesBefore = settings.judged === "before";
    this.identity = new Identity(settings.same);
    this.pattern = this.newPattern();
  }

  /** @returns {Pattern} */
  newPattern() {
    const { pattern } = this.settings;
    if (pattern.seconds > 0) return new Recent(pattern);
    return new (pattern.counts === "highest" ? Highest : PATTERNS[pattern.sort])(pattern);
  }

  // CO-23
  startAfresh() {
    this.pattern = this.newPattern();
    this.countBefore = 0;
    this.stays = undefined;
    this.step = undefined;
  }

  /**
   * The verdict where the rule speaks.
   * @param {What} what @param {Call | undefined} call @param {number} index @param {string} text of a message or piece
   */
  observe(what, call, index, text) {
    if (this.startsAfresh(what, call)) this.startAfresh();
    if (what === "reply" && this.by === "step") return this.reply();
    // CO-18
    if (what === "message" && this.by === "speech") return this.take(this.item("", "", index));
    // CO-46
    if (what === this.by && !call) return this.take(this.item(text === "" ? null : keyOf(text), "", index));
    if (!call || !this.sees(call)) return undefined;
    return what === "call" ? this.call(call) : this.answer(call);
  }

  /** @param {What} what @param {Call | undefined} call */
  startsAfresh(what, call) {
    const { fresh, changes } = this.settings;
    if (what !== "answer") return fresh.some((word) => word === what);
    return fresh.includes("change") && call?.answer?.ok === true && isAmong(changes, call); // CO-24
  }

  /** CO-21 @param {Call} call */
  sees(call) {
    const { only, except } = this.settings.tools;
    return (only.length === 0 || isAmong(only, call)) && !isAmong(except, call);
  }

  /** @param {Call} call */
  call(call) {
    if (this.by === "step" && this.step && this.step.length < STEP) this.step.push(call); // CO-17
    if (!this.single || (this.answered && !this.judgesBefore)) return undefined;
    const key = this.identity.call(call);
    const item = this.item(key, key, call.index, call);
    if (!this.judgesBefore) return this.take(item);
    const verdict = this.stays ?? this.say(this.pattern.before(item), item); // CO-30
    if (!this.answered) this.record(item);
    return verdict;
  }

  /** @param {Call} call */
  answer(call) {
    if (!this.answered) return undefined; // CO-7
    const callKey = this.identity.call(call);
    const key = this.identity.isBlank(call) ? null : `${callKey} ${this.identity.answer(call)}`;
    const item = this.item(key, callKey, call.index, call);
    if (!this.judgesBefore) return this.take(item);
    this.record(item);
    return undefined;
  }

  // CO-16
  reply() {
    const calls = this.step;
    this.step = [];
    if (!calls) return undefined;
    if (calls.length === 0) return this.take(this.item(null, "", 0)); // CO-17
    const parts = calls.map((call) => keyOf(this.identity.call(call), this.identity.answer(call)));
    if (this.settings.same.order === "any") parts.sort();
    const key = keyOf(...parts);
    return this.take(this.item(key, key, calls[0].index));
  }

  /** @param {string | null} key @param {string} callKey @param {number} index @param {Call} [call] @returns {Item} */
  item(key, callKey, index, call) {
    const { silent, watched } = this.settings.tools;
    const spared = !!call && (isAmong(silent, call) || (watched.length > 0 && !isAmong(watched, call))); // CO-22
    return { key, call: callKey, index, silent: spared, at: this.now };
  }

  /** @param {Item} item */
  take(item) {
    if (this.stays) return this.stays; // CO-36
    this.pattern.add(item);
    return this.say(this.pattern.after(item), item);
  }

  /** @param {Item} item */
  record(item) {
    if (!this.stays) this.pattern.add(item);
  }

  /** The verdict on what was found, where a rung speaks (CO-32). @param {Found} found @param {Item} item */
  say(found, item) {
    const before = this.countBefore;
    this.countBefore = found.count;
    const rung = this.settings.rungs.findLast(({ at }) => found.count >= at);
    const silent = found.lap ? found.lap.every((each) => each.silent) : item.silent; // CO-22
    if (!rung || silent) return undefined;
    if (rung.speaks === "once" && before >= rung.at) return undefined; // CO-34
    const verdict = this.verdict(found, rung);
    // CO-35
    if (rung.speaks === "restart") {
      this.pattern = this.newPattern();
      this.countBefore = 0;
    }
    if (rung.speaks === "stays") this.stays = verdict;
    return verdict;
  }

  /** CO-37, CO-38 @param {Found} found @param {Rung} rung @returns {Loop} */
  verdict({ count, indices, named, period }, rung) {
    const evidence = indices.slice(-Math.min(named, NAMED)).sort((a, b) => a - b);
    const { name: rule, pattern } = this.settings;
    const verdict = { kind: pattern.sort, count, severity: rung.severity, rule, rung: rung.name, evidence };
    return { loop: true, ...verdict, ...(period === undefined ? {} : { period }) };
  }
}

/** @param {Calls[]} sets @param {Call} call */
const isAmong = (sets, call) => sets.some((calls) => calls.has(call));

export class LoopDetector {
  #events = 0;
  /** The calls that wait, the oldest first. @type {Call[]} */
  #waiting = [];
  /** @type {Rule[]} */
  #rules;

  /** @param {unknown} rules */
  constructor(rules = [{}]) {
    this.#rules = readRules(rules).map((rule) => new Rule(rule));
  }

  // CO-39
  reset() {
    this.#waiting = [];
    for (const rule of this.#rules) rule.startAfresh();
  }

  /** @param {AgentEvent} event @returns {Verdict} */
  observe(event) {
    const index = this.#events++;
    for (const rule of this.#rules) rule.now = event.at;
    switch (event.type) {
      case "tool_call":
        return this.#ask("call", index, this.#wait(new Call(event, index)));
      case "tool_result":
      case "error": {
        const call = this.#answered(event);
        return call ? this.#ask("answer", index, call) : { loop: false };
      }
      case "message": {
        const what = event.role === "assistant" ? "message" : event.role;
        return what === "system" ? { loop: false } : this.#ask(what, index, undefined, event.content);
      }
      case "reply":
        return this.#ask("reply", index);
      case "delta":
        if ((event.channel ?? "answer") !== "answer") return { loop: false };
        return this.#ask("piece", index, undefined, event.text);
      default:
        return { loop: false }; // CO-1
    }
  }

  /** CO-8 @param {What} what @param {number} index @param {Call} [call] @param {string} [text] @returns {Verdict} */
  #ask(what, index, call, text = "") {
    const verdicts = this.#rules.map((rule) => rule.observe(what, call, index, text));
    return verdicts.find((verdict) => verdict !== undefined) ?? { loop: false };
  }

  // CO-2

  /** @param {Call} call */
  #wait(call) {
    this.#waiting.push(call);
    if (this.#waiting.length > WAITING) this.#waiting.shift();
    return call;
  }

  /** The call that the event answers, with the answer. @param {ToolResult | Failure} event */
  #answered(event) {
    const place = event.call === undefined ? 0 : this.#waiting.findIndex(({ id }) => id === event.call);
    const [call] = place < 0 ? [] : this.#waiting.splice(place, 1);
    if (!call) return undefined;
    if (event.type === "error") call.answer = { ok: false, text: event.message };
    else call.answer = { ok: event.ok ?? true, text: event.content };
    return call;
  }
}
