// @ts-check
/** The rules of the reading text of crow (CR-31 to CR-45). What an event costs does not depend on the window. */
import { NAMED, Queue } from "./counting.js";
import * as verdicts from "./crow-verdicts.js";

/** @import * as kit from "../loopstone.js" */
/** @import { Entry } from "./crow.js" */

/**
 * A call, which is a step as soon as it has an outcome (CR-31).
 * @typedef {object} Call
 * @property {number} number in the order of calls, from 0
 * @property {number} index
 * @property {string} tool
 * @property {string | undefined} id
 * @property {string} identity
 * @property {kit.ToolResult | kit.ErrorEvent} [outcome]
 */

/** Marked numbers, and how long the runs of them are. Each step is constant in time: a run knows its ends. */
class Runs {
  /** @type {Map<number, number>} Where the run begins that ends at a number. */
  #starts = new Map();
  /** @type {Map<number, number>} Where the run ends that begins at a number. */
  #ends = new Map();

  /** Marks a number for the first time. @param {number} number */
  mark(number) {
    const start = this.#starts.get(number - 1) ?? number;
    const end = this.#ends.get(number + 1) ?? number;
    this.#starts.set(end, start);
    this.#ends.set(start, end);
  }

  /** How many marked numbers there are up to this one, after which none is marked. @param {number} number */
  lengthUpTo(number) {
    return number - (this.#starts.get(number) ?? number + 1) + 1;
  }

  /** Forgets a number before which all are forgotten. @param {number} number */
  forget(number) {
    this.#starts.delete(number);
    this.#ends.delete(number);
  }
}

/** Whether two outcomes are equal (CR-35). @param {kit.ToolResult | kit.ErrorEvent} a @param {kit.ToolResult | kit.ErrorEvent} b */
function equalOutcomes(a, b) {
  if (a.type === "tool_result") return b.type === "tool_result" && a.content === b.content && a.ok === b.ok;
  return b.type === "error" && a.message === b.message;
}

/** Whether two calls are steps, and equal ones (CR-35). @param {Call | undefined} a @param {Call | undefined} b */
const equalSteps = (a, b) =>
  a?.outcome !== undefined &&
  b?.outcome !== undefined &&
  a.identity === b.identity &&
  equalOutcomes(a.outcome, b.outcome);

// CR-45
const CONTEXT = /context (?:window|length)/i;

export class TextRules {
  /** @type {Map<number, Call>} */
  #calls = new Map();
  /** The numbers of the oldest call and of the next one, and that of the last step. */
  #first = 0;
  #next = 0;
  #lastStep = -1;
  /** @type {Map<string, Call>} The latest call of each id. */
  #ids = new Map();
  /** @type {Map<string | null, Queue<Call>>} Calls that may be without an outcome, by tool and, with null, all. */
  #open = new Map();
  /** The calls that equal the call before, and those that go on with an alternation, as steps. */
  #equal = new Runs();
  #alternating = new Runs();
  /** @type {Queue<{index: number, place: number}>} The assistant's messages since the last break. */
  #talk = new Queue();
  /** @type {Queue<{index: number}>} */
  #contextErrors = new Queue();

  /** @param {Entry} entry */
  add({ event, place, index }) {
    switch (event.type) {
      case "tool_call":
        if (this.#talk.length > 0) this.#talk = new Queue(); // CR-41
        this.#addCall(event, index);
        break;
      case "error":
        if (verdicts.isContextError(event, CONTEXT)) this.#contextErrors.push({ index });
        this.#settle(event);
        break;
      case "tool_result":
        this.#settle(event);
        break;
      case "message":
        if (verdicts.isTalk(event)) this.#talk.push({ index, place });
        else if (event.role !== "system") this.#talk = new Queue(); // CR-41, CR-42
    }
  }

  /** @param {kit.ToolCall} event @param {number} index */
  #addCall(event, index) {
    const call = { number: this.#next++, index, tool: event.tool, id: event.id, identity: verdicts.identity(event) };
    this.#calls.set(call.number, call);
    if (call.id !== undefined) this.#ids.set(call.id, call);
    for (const key of [null, call.tool]) {
      const open = this.#open.get(key) ?? new Queue();
      this.#open.set(key, open);
      open.push(call);
    }
  }

  /** @param {Entry} oldest */
  remove({ event, place }) {
    if (event.type === "tool_call") this.#removeCall();
    if (event.type === "error" && verdicts.isContextError(event, CONTEXT)) this.#contextErrors.shift();
    if (event.type === "message" && this.#talk.at(0)?.place === place) this.#talk.shift();
  }

  #removeCall() {
    const call = /** @type {Call} */ (this.#calls.get(this.#first));
    this.#calls.delete(this.#first);
    this.#equal.forget(this.#first);
    this.#alternating.forget(this.#first);
    this.#first++;
    if (call.id !== undefined && this.#ids.get(call.id) === call) this.#ids.delete(call.id);
    for (const key of [null, call.tool]) {
      const open = this.#open.get(key);
      if (open?.at(0) === call) open.shift();
      if (open?.length === 0) this.#open.delete(key);
    }
  }

  /** Gives an outcome to the call that it belongs to. @param {kit.ToolResult | kit.ErrorEvent} outcome */
  #settle(outcome) {
    // CR-32, CR-33
    const call = outcome.call === undefined ? this.#latestOpen(outcome.tool ?? null) : this.#ids.get(outcome.call);
    if (!call || call.outcome) return; // CR-34
    call.outcome = outcome;
    this.#lastStep = Math.max(this.#lastStep, call.number);
    // An outcome may come late and close a gap (CR-36): it decides about the steps behind it, too.
    for (const number of [call.number, call.number + 1]) {
      if (this.#equals(number, number - 1)) this.#equal.mark(number);
    }
    for (const number of [call.number, call.number + 1, call.number + 2]) {
      const between = this.#calls.get(number - 1);
      const alternates = between?.outcome && this.#equals(number, number - 2) && !this.#equals(number, number - 1);
      if (alternates) this.#alternating.mark(number);
    }
  }

  /** The latest call without an outcome. @param {string | null} key its tool, null for any */
  #latestOpen(key) {
    const open = this.#open.get(key);
    while (open?.at(-1)?.outcome) open.pop();
    return open?.at(-1);
  }

  /** @param {number} a @param {number} b */
  #equals(a, b) {
    return equalSteps(this.#calls.get(a), this.#calls.get(b));
  }

  verdict() {
    // CR-15, CR-38
    return (
      this.#repeatingError() ??
      this.#contextError() ??
      this.#repeatingAction() ??
      this.#monologue() ??
      this.#alternation()
    );
  }

  /** How long a run is at the end of the steps in the window. @param {Runs} runs @param {number} before steps before the marked ones */
  #runAtEnd(runs, before) {
    const marked = runs.lengthUpTo(this.#lastStep);
    return Math.min(marked === 0 ? 1 : marked + before, this.#lastStep - this.#first + 1);
  }

  /** The latest of the calls at the end of the steps. @param {number} count */
  #stepsAtEnd(count) {
    const steps = [];
    for (let number = this.#lastStep - Math.min(count, NAMED) + 1; number <= this.#lastStep; number++) {
      steps.push(/** @type {Call} */ (this.#calls.get(number)));
    }
    return steps;
  }

  // CR-39
  #repeatingAction() {
    const count = this.#runAtEnd(this.#equal, 1);
    const last = this.#calls.get(this.#lastStep);
    if (count < 4 || last?.outcome?.type !== "tool_result") return undefined;
    return verdicts.repeatingAction(count, last.tool, this.#stepsAtEnd(count));
  }

  // CR-40
  #repeatingError() {
    const count = this.#runAtEnd(this.#equal, 1);
    const outcome = this.#calls.get(this.#lastStep)?.outcome;
    if (count < 3 || outcome?.type !== "error") return undefined;
    return verdicts.repeatingError(count, outcome.message, this.#stepsAtEnd(count));
  }

  // CR-41
  #monologue() {
    const count = this.#talk.length;
    return count < 3 ? undefined : verdicts.monologue(count, this.#talk.latest(NAMED));
  }

  // CR-43, CR-44
  #alternation() {
    const count = Math.floor(this.#runAtEnd(this.#alternating, 2) / 2);
    if (count < 6) return undefined;
    const tools = [0, 1].map((i) => this.#calls.get(this.#lastStep - 2 * count + 1 + i)?.tool ?? "");
    return verdicts.alternating(count, tools, this.#stepsAtEnd(2 * count));
  }

  // CR-45
  #contextError() {
    const count = this.#contextErrors.length;
    return count < 2 ? undefined : verdicts.contextError(count, this.#contextErrors.latest(NAMED));
  }
}
