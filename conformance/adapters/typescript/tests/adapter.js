// @ts-check
/** Runs an adapter as a process of its own, as a runner does. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** @typedef {any} Answer a parsed line: tests look into it without checking what is there */

export class Adapter {
  #id = 0;

  /** @param {string} program relative to this folder */
  constructor(program) {
    const path = fileURLToPath(new URL(program, import.meta.url));
    this.process = spawn(process.execPath, [path], { stdio: ["pipe", "pipe", "pipe"] });
    this.ended = once(this.process, "exit");
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  /** @param {string | Uint8Array} input */
  write(input) {
    this.process.stdin.write(input);
  }

  /** The next line that the adapter prints. @returns {Promise<Answer>} */
  async answer() {
    const { value } = await this.lines.next();
    return JSON.parse(value);
  }

  /** Sends a request and waits for its answer. @param {string} method @param {object} [params] */
  async ask(method, params) {
    const id = ++this.#id;
    this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const answer = await this.answer();
    if (answer.id !== id) throw new Error(`answer ${answer.id} to request ${id}`);
    return answer;
  }

  /** The verdicts on some events. @param {string} session @param {object[]} events */
  async observe(session, ...events) {
    return (await this.ask("session/observe", { session, events })).result.verdicts;
  }

  /** The value of a function. @param {string} name @param {object} args @param {string} [reading] */
  async call(name, args, reading) {
    return (await this.ask("function/call", { function: name, args, reading })).result.value;
  }

  /** Ends the input, and tells all that was still printed and the exit status. @param {string | Uint8Array} [input] */
  async end(input = "") {
    this.process.stdin.end(input);
    /** @type {Answer[]} */
    const answers = [];
    for (let next = await this.lines.next(); !next.done; next = await this.lines.next())
      answers.push(JSON.parse(next.value));
    return { answers, status: await this.status() };
  }

  /** The exit status, as soon as there is one. */
  async status() {
    return (await this.ended)[0];
  }
}

/**
 * Gives a test an adapter, which is gone when the test has ended.
 * @param {string} program @param {(adapter: Adapter) => Promise<void>} test
 */
export const withAdapter = (program, test) => async () => {
  const adapter = new Adapter(program);
  try {
    await test(adapter);
  } finally {
    adapter.process.kill();
  }
};
