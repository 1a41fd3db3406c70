// @ts-check
/** The rules of the reading code of crow (CR-21 to CR-30). What an event costs does not depend on the window. */
import { NAMED, Queue } from "./counting.js";
import * as verdicts from "./crow-verdicts.js";
import { dumps } from "./python.js";

/** @import * as kit from "../loopstone.js" */
/** @import { Entry } from "./crow.js" */

/**
 * @typedef {object} Call
 * @property {number} index
 * @property {string} tool
 * @property {string} identity
 * @property {number} repeats how many calls up to this one are identical, one after the other
 * @property {number} alternates how many calls up to this one are identical to the one two places before each
 */
/** @typedef {{index: number, message: string, repeats: number}} Failure */
/** @typedef {{index: number, identity: string, talks: number}} Turn `talks`: how many turns up to this one have no tool calls */

/** A text that is equal for equal messages (CR-26). @param {kit.Message} message */
const identityOf = ({ role, content, tool_calls: calls }) => `${role} ${calls ? dumps(calls) : ""} ${content}`;

export class CodeRules {
  /** @type {Queue<Call>} */
  #calls = new Queue();
  /** @type {Queue<Failure>} */
  #errors = new Queue();
  /** @type {Queue<{index: number}>} */
  #contextErrors = new Queue();
  /** @type {Queue<Turn>} */
  #turns = new Queue();
  /** @type {Map<string, Queue<number>>} Where equal messages stand; their position is the first of these places. */
  #places = new Map();
  /** The latest position that a user message has, or had before it left the window. */
  #userPosition = -1;

  /** @param {number} cycles */
  constructor(cycles) {
    this.cycles = cycles; // n
  }

  /** @param {Entry} entry */
  add({ event, place, index }) {
    switch (event.type) {
      case "tool_call": {
        const identity = verdicts.identity(event);
        const before = this.#calls.at(-1);
        const twoBefore = this.#calls.at(-2);
        const repeats = identity === before?.identity ? before.repeats + 1 : 1;
        const alternates = before && identity === twoBefore?.identity ? before.alternates + 1 : 0;
        this.#calls.push({ index, tool: event.tool, identity, repeats, alternates });
        break;
      }
      case "error": {
        const before = this.#errors.at(-1);
        const repeats = event.message === before?.message ? before.repeats + 1 : 1;
        this.#errors.push({ index, message: event.message, repeats });
        if (verdicts.isContextError(event, /context/i)) this.#contextErrors.push({ index }); // CR-30
        break;
      }
      case "message": {
        const identity = identityOf(event);
        const places = this.#places.get(identity) ?? new Queue();
        this.#places.set(identity, places);
        places.push(place);
        if (event.role === "user" && places.length === 1) this.#userPosition = place;
        if (event.role === "assistant") {
          const talks = verdicts.isTalk(event) ? (this.#turns.at(-1)?.talks ?? 0) + 1 : 0;
          this.#turns.push({ index, identity, talks });
        }
      }
    }
  }

  /** @param {Entry} oldest */
  remove({ event }) {
    switch (event.type) {
      case "tool_call":
        this.#calls.shift();
        break;
      case "error":
        this.#errors.shift();
        if (verdicts.isContextError(event, /context/i)) this.#contextErrors.shift();
        break;
      case "message": {
        const identity = identityOf(event);
        const places = this.#places.get(identity) ?? new Queue();
        places.shift();
        const position = places.at(0);
        if (position === undefined) this.#places.delete(identity);
        else if (event.role === "user") this.#userPosition = Math.max(this.#userPosition, position); // CR-26
        if (event.role === "assistant") this.#turns.shift();
      }
    }
  }

  /** @param {number} events */
  verdict(events) {
    if (events < 2 * this.cycles) return undefined; // CR-21
    // CR-15
    return (
      this.#repeatingError() ??
      this.#contextError() ??
      this.#repeatingAction() ??
      this.#monologue() ??
      this.#alternating()
    );
  }

  // CR-24
  #repeatingError() {
    const last = this.#errors.at(-1);
    if (!last || this.#errors.length < 3 || last.repeats < 3) return undefined;
    return verdicts.repeatingError(3, last.message, this.#errors.latest(3));
  }

  // CR-30
  #contextError() {
    const count = this.#contextErrors.length;
    return count < 2 ? undefined : verdicts.contextError(count, this.#contextErrors.latest(NAMED));
  }

  // CR-22, CR-23
  #repeatingAction() {
    const last = this.#calls.at(-1);
    if (!last || this.#calls.length < this.cycles || last.repeats < this.cycles) return undefined;
    return verdicts.repeatingAction(this.cycles, last.tool, this.#calls.latest(Math.min(this.cycles, NAMED)));
  }

  // CR-25, CR-27
  #monologue() {
    const first = this.#turns.at(-3);
    if (!first || (this.#turns.at(-1)?.talks ?? 0) < 3) return undefined;
    const position = this.#places.get(first.identity)?.at(0) ?? 0;
    if (this.#userPosition >= position) return undefined;
    return verdicts.monologue(3, this.#turns.latest(3));
  }

  // CR-28, CR-29
  #alternating() {
    const count = this.cycles + 3;
    const last = this.#calls.at(2 * count - 1);
    if (!last || last.alternates < 2 * count - 2) return undefined;
    const calls = this.#calls.oldest(2 * count);
    return verdicts.alternating(count, [calls[0].tool, calls[1].tool], calls);
  }
}
