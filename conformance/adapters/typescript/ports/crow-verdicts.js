// @ts-check
/** What both readings of crow have in common: the words of a verdict, and when things are equal. */
import { evidence } from "./counting.js";
import { start } from "./text.js";
import { dumps } from "./python.js";

/** @import * as kit from "../loopstone.js" */

/** A text that is equal for identical calls (CR-2, CR-3, CR-4). @param {kit.ToolCall} call */
export const identity = (call) => dumps([call.tool, call.args]);

/** Whether an assistant's message has no tool calls (CR-25, CR-41). @param {kit.Message} message */
export const isTalk = (message) => message.role === "assistant" && (message.tool_calls ?? []).length === 0;

/**
 * Whether an error is one of the context: it has the type, or a message that matches (CR-30, CR-45). The flag i of a
 * pattern without u folds ASCII letters with nothing else.
 * @param {kit.ErrorEvent} error @param {RegExp} pattern
 */
export const isContextError = (error, pattern) =>
  error.error_type === "context_length_exceeded" || pattern.test(error.message);

// The verdicts: CR-14 and CR-16 to CR-20.

/** @param {{index: number}[]} entries */
const named = (entries) => evidence(entries.map(({ index }) => index));

/** @typedef {{index: number}[]} Counted the latest of the events that a rule counted */

/** @param {number} count @param {string} tool @param {Counted} calls @returns {kit.Verdict} */
export const repeatingAction = (count, tool, calls) => ({
  loop: true,
  kind: "repeating_action",
  count,
  confidence: 0.9,
  pattern: `Executed action '${tool}' ${count} times with identical results`,
  suggestion: "Try a different approach or tool",
  evidence: named(calls),
});

/** @param {number} count @param {string} message @param {Counted} events @returns {kit.Verdict} */
export const repeatingError = (count, message, events) => ({
  loop: true,
  kind: "repeating_error",
  count,
  confidence: 0.95,
  pattern: `Error '${message}' occurred ${count} times`,
  suggestion: `Fix the error causing: ${start(message, 100)}...`,
  evidence: named(events),
});

/** @param {number} count @param {Counted} messages @returns {kit.Verdict} */
export const monologue = (count, messages) => ({
  loop: true,
  kind: "monologue",
  count,
  confidence: 0.85,
  pattern: `Agent sent ${count} consecutive messages without action`,
  suggestion: "Either execute a tool or ask the user for clarification",
  evidence: named(messages),
});

/** @param {number} count @param {string[]} tools of the first two calls @param {Counted} calls @returns {kit.Verdict} */
export const alternating = (count, [first, second], calls) => ({
  loop: true,
  kind: "alternating",
  count,
  confidence: 0.8,
  pattern: `Alternating between '${first}' and '${second}'`,
  suggestion: "Break the cycle by trying a different strategy",
  evidence: named(calls),
});

/** @param {number} count @param {Counted} errors @returns {kit.Verdict} */
export const contextError = (count, errors) => ({
  loop: true,
  kind: "context_error",
  count,
  confidence: 0.95,
  pattern: `Context window exceeded ${count} times`,
  suggestion: "Use conversation compaction to reduce context size",
  evidence: named(errors),
});
