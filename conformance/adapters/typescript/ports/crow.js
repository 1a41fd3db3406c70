// @ts-check
/** The detector crow (CR): five patterns among the last events. */
import { Refused, is, isMain, serve, settings } from "../loopstone.js";
import { Queue, UNKNOWN } from "./counting.js";
import { exactly, isEvent, listOf, whole } from "./shape.js";
import { CodeRules } from "./crow-code.js";
import { functions } from "./crow-functions.js";
import { TextRules } from "./crow-text.js";

/** @import * as kit from "../loopstone.js" */

/** @typedef {kit.ToolCall | kit.ToolResult | kit.ErrorEvent | kit.Message} Observed */

/**
 * @template {Observed} [E=Observed]
 * @typedef {object} Entry a stored event
 * @property {E} event
 * @property {number} place in the order of all stored events
 * @property {number} index as evidence names it
 */

/**
 * The rules of a reading, which are told what comes into the window and what leaves it.
 * @typedef {object} Rules
 * @property {(entry: Entry) => void} add
 * @property {(oldest: Entry) => void} remove
 * @property {(events: number) => kit.Verdict | undefined} verdict the first rule that holds, with so many events in the window
 */

/** What a snapshot holds of an event: what any rule looks at. @type {Record<Observed["type"], string[]>} */
const MEMBERS = {
  tool_call: ["type", "tool", "args", "id"],
  tool_result: ["type", "content", "ok", "tool", "call"],
  error: ["type", "message", "error_type", "tool", "call"],
  message: ["type", "role", "content", "tool_calls"],
};

/** @param {kit.Event} event @returns {event is Observed} */
const isObserved = (event) => Object.hasOwn(MEMBERS, event.type); // CR-1

/** @type {import("./shape.js").Shape<Observed>} */
const isStored = (value) =>
  isEvent(value) && isObserved(value) && Object.keys(value).every((name) => MEMBERS[value.type].includes(name));

const isState = exactly({ events: listOf(isStored), unchecked: whole(0) });

/** What a session has observed. */
class Trace {
  /** @type {Queue<Entry>} */
  window = new Queue();
  stored = 0;
  /** How many events were stored since the last check. */
  unchecked = 0;

  /** @param {number} recent @param {Rules} rules */
  constructor(recent, rules) {
    this.recent = recent;
    this.rules = rules;
  }

  // CR-5
  /** @param {Observed} event @param {number} index */
  store(event, index) {
    if (this.window.length === this.recent) this.rules.remove(this.window.shift());
    const entry = { event, place: this.stored++, index };
    this.window.push(entry);
    this.rules.add(entry);
  }
}

/** @implements {kit.Detector} */
export class Crow {
  static detector = "crow";
  static readings = /** @type {const} */ (["code", "text"]);
  static features = ["functions", "ai", "snapshot", "evidence", "replies"];
  static functions = functions;

  /** @param {kit.Reading} reading @param {kit.JsonObject} config */
  constructor(reading, config) {
    const { recent = reading === "code" ? 20 : 50, ...numbers } = config; // CR-6, CR-7
    if (!is("integer", recent) || recent < 0) throw new Refused("invalid_config", { field: "recent" }); // CR-10
    this.recent = recent || Infinity; // CR-5
    if (reading === "code") {
      const { check_every, threshold_cycles } = settings(numbers, { check_every: 1, threshold_cycles: 3 }); // CR-8, CR-9
      this.checkEvery = check_every;
      this.freshRules = () => /** @type {Rules} */ (new CodeRules(threshold_cycles));
    } else {
      this.checkEvery = settings(numbers, { check_every: 1 }).check_every;
      this.freshRules = () => /** @type {Rules} */ (new TextRules());
    }
    this.trace = this.emptyTrace();
  }

  emptyTrace() {
    return new Trace(this.recent, this.freshRules());
  }

  // CR-58
  reset() {
    this.trace = this.emptyTrace();
  }

  /** @param {kit.Event} event @param {number} index @returns {kit.Verdict} */
  observe(event, index) {
    if (!isObserved(event)) return { loop: false }; // CR-1
    this.trace.store(event, index);
    this.trace.unchecked = (this.trace.unchecked + 1) % this.checkEvery;
    if (this.trace.unchecked > 0) return { loop: false }; // CR-8
    return this.trace.rules.verdict(this.trace.window.length) ?? { loop: false }; // CR-12, CR-13
  }

  // CR-59
  snapshot() {
    const events = this.trace.window.oldest().map(({ event }) => {
      const names = MEMBERS[event.type];
      return Object.fromEntries(Object.entries(event).filter(([name]) => names.includes(name)));
    });
    return { events, unchecked: this.trace.unchecked };
  }

  // CR-60
  /** @param {kit.JsonObject} state */
  restore(state) {
    if (!isState(state) || state.events.length > this.recent || state.unchecked >= this.checkEvery) {
      throw new Refused("invalid_state");
    }
    const { events, unchecked } = state;
    if (events.length < this.recent && events.length % this.checkEvery !== unchecked)
      throw new Refused("invalid_state");
    this.reset();
    for (const event of events) this.trace.store(event, UNKNOWN);
    this.trace.unchecked = unchecked;
  }
}

if (isMain(import.meta.url)) serve("loopstone-javascript-crow", "1.0.0", Crow);
