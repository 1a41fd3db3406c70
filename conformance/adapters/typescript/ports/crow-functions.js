// @ts-check
/** The functions of crow: the way out of a loop (CR-46 to CR-48), and the variant that asks a model (CR-49 to CR-57). */
import { Refused, is, take } from "../loopstone.js";
import { isEvent, listOf } from "./shape.js";
import { start } from "./text.js";
import { repr } from "./python.js";

/** @import * as kit from "../loopstone.js" */

/** @typedef {{pattern: string, count: string, task: string}} Case */

/** CR-46 @type {Record<string, (loop: Case) => string>} */
const RECOVERY = {
  repeating_action: ({
    task,
    pattern,
    count,
  }) => `You have been attempting the same action repeatedly with identical results.

Original task: ${task}

You have executed '${pattern}' ${count} times.

Please:
1. Stop this action
2. Reflect on why this approach isn't working
3. Try a completely different strategy
4. If stuck, ask the user for guidance

DO NOT repeat this action again.`,

  repeating_error: ({ pattern, count }) => `The same error is occurring repeatedly.

Error: ${pattern}

The operation has failed ${count} times.

Please:
1. Analyze the error message carefully
2. Identify what is causing it
3. Fix the underlying issue
4. If you cannot fix it, explain to the user what needs to be done

DO NOT retry the same failing operation.`,

  monologue: ({ task, count }) => `You have sent ${count} consecutive messages without taking action.

Original task: ${task}

Please:
1. Either execute a tool to make progress
2. Or ask the user a specific question
3. Do not continue sending messages without action

You need to DO something, not just TALK.`,

  alternating: ({ pattern, count }) => `You are stuck alternating between two actions.

${pattern}

Alternating ${count} times without progress.

Please:
1. Break the cycle
2. Try a different approach
3. Consider neither of these two actions

The current pattern is unproductive.`,

  context_error: ({ pattern }) => `The conversation has grown too large.

${pattern}

The system will now compress the conversation history. Please continue your work after the compression.`,
};

/** @param {unknown} kind @returns {kind is string} */
const isKind = (kind) => is("string", kind) && Object.hasOwn(RECOVERY, kind);

/** @param {kit.JsonObject} members */
function recovery(members) {
  // CR-48
  const { kind, pattern, suggestion, task, count } = take(
    { kind: "", pattern: "", suggestion: "", task: "", count: 0, ...members },
    { kind: "string", pattern: "string", suggestion: "string", task: "string", count: "integer" },
  );
  if (count < 0) throw new Refused("invalid_params");
  if (!isKind(kind)) return `Detected stuck pattern: ${pattern}\n\n${suggestion}`; // CR-47
  return RECOVERY[kind]({ pattern, task, count: String(count) });
}

/** The lines of an event in the prompt; none for a type that the detector does not observe (CR-50). @param {kit.Event} event */
function linesOf(event) {
  switch (event.type) {
    case "tool_call":
      return [`Action: ${event.tool}(${repr(event.args)})`]; // CR-51
    case "tool_result":
      return [`Observation: ${start(event.content, 100)}...`];
    case "error":
      return [`Error: ${event.message}`];
    case "message":
      return [`${event.role}: ${start(event.content, 100)}...`];
    default:
      return [];
  }
}

// CR-49
const prompt = (
  /** @type {string[]} */ lines,
) => `Analyze the following event sequence and determine if the agent is stuck in a loop.

Events:
${lines.join("\n")}

Identify:
1. Is there a loop? Yes/No
2. What type of loop (repeating action, repeating error, monologue, alternating)?
3. How many cycles have occurred?
4. Brief explanation of the pattern
5. Suggestion for breaking the loop

Format your response as JSON:
{
    "is_stuck": true/false,
    "loop_type": "repeating_action|repeating_error|monologue|alternating|null",
    "cycle_count": number,
    "explanation": string,
    "suggestion": string,
    "confidence": 0.0-1.0
}`;

/** @param {kit.JsonObject} members */
function aiPrompt(members) {
  /** @type {unknown} */
  const events = take(members, { events: "array" }).events;
  if (!listOf(isEvent)(events)) throw new Refused("invalid_params"); // CR-56
  return prompt(events.slice(-20).flatMap(linesOf));
}

/** What a text says as JSON; undefined where it is none. @param {string} text @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {kit.JsonObject} members */
function aiParse(members) {
  const reply = parsed(take(members, { reply: "string" }).reply);
  if (!is("object", reply) || reply.is_stuck !== true) return { loop: false }; // CR-55
  const {
    loop_type: type,
    cycle_count: count = 0,
    explanation: pattern = "",
    suggestion = "",
    confidence = 0.7,
  } = reply;
  const verdict = { loop: true, count, pattern, suggestion, confidence }; // CR-53, CR-54
  if (!type) return verdict;
  return isKind(type) ? { ...verdict, kind: type } : { loop: false };
}

/** CR-57: the same in both readings @type {Record<string, kit.PureFunction>} */
export const functions = {
  "crow.recovery": recovery,
  "crow.ai_prompt": aiPrompt,
  "crow.ai_parse": aiParse,
};
