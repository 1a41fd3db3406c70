// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Loopstone Authors
/** The types of the Loopstone adapter kit; loopstone.js has the tutorial. */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

/** Which half of a document a detector follows where the two disagree. */
export type Reading = "code" | "text";

interface Timed {
  /** When it happened, in milliseconds. */
  at?: number;
  /** What it cost, in US dollars, and in tokens. */
  cost_usd?: number;
  input_tokens?: number;
  output_tokens?: number;
}
export interface ToolCall extends Timed {
  type: "tool_call";
  tool: string;
  /** `{}` where the line had none. */
  args: JsonObject;
  id?: string;
  worker?: string;
  /** What the model thought before it made the call. */
  thought?: string;
}
export interface ToolResult extends Timed {
  type: "tool_result";
  content: string;
  tool?: string;
  /** The `id` of the call that this belongs to. */
  call?: string;
  /** `true` where the line had none. */
  ok: boolean;
}
export interface ErrorEvent extends Timed {
  type: "error";
  message: string;
  error_type?: string;
  call?: string;
  tool?: string;
}
export interface Message extends Timed {
  type: "message";
  role: "user" | "assistant" | "system";
  content: string;
  tool_calls?: Json[];
}
export interface Output extends Timed {
  type: "output";
  text: string;
}
export interface TestRun extends Timed {
  type: "test_run";
  passed: boolean;
}
export interface Iteration extends Timed {
  type: "iteration";
  elapsed_s: number;
  output: string;
  failed: boolean;
}
/** A reply of the model began; only who declares the feature `replies` gets to see it. */
export interface Reply extends Timed {
  type: "reply";
}
/** A piece of the text that the model is writing; only detectors that observe it get to see it. */
export interface Delta extends Timed {
  type: "delta";
  text: string;
  channel: "answer" | "thought" | "arguments";
}
/** One thing that an agent did or saw, as `observe` gets it: checked, with its defaults filled in. */
export type Event = ToolCall | ToolResult | ErrorEvent | Message | Output | TestRun | Iteration | Reply | Delta;

/** What a detector says after an event. A member that is `undefined` is left out of the answer. */
export interface Verdict {
  loop: boolean;
  kind?: string;
  count?: number;
  tool?: string;
  workers?: number;
  severity?: "notice" | "warning" | "critical";
  signature?: string;
  similarity?: number;
  confidence?: number;
  pattern?: string;
  suggestion?: string;
  message?: string;
  /** The rule and the rung that spoke, and the period of a cycle; of composed. */
  rule?: string;
  rung?: string;
  period?: number;
  evidence?: number[];
}

/** One session of a detector. */
export interface Detector {
  /** Takes in an event, and says what is so after it. `index` is the event's, as `evidence` names it. */
  observe(event: Event, index: number): Verdict;
  /** Forgets all events and keeps the configuration. */
  reset(): void;
  /** Refuses an event that the detector cannot take, before any of its batch is observed. */
  check?(event: Event): void;
  /** What the document shows to the outside: the feature `state`. */
  state?(): object;
  /** All that is needed to go on: the feature `snapshot`, together with `restore`. */
  snapshot?(): object;
  /** Puts a snapshot back, or refuses it with `invalid_state` and changes nothing. */
  restore?(state: JsonObject): void;
}

/** A pure function. Arguments that it does not know, it ignores. */
export type PureFunction = (args: JsonObject, reading: Reading) => unknown;

/** A class of sessions; what it declares stands in static members. */
export interface DetectorClass {
  new (reading: Reading, config: JsonObject): Detector;
  readonly detector: string;
  readonly readings: readonly Reading[];
  readonly features: readonly string[];
  /** The kinds of loop that it knows; all without it, and so on. */
  readonly rules?: readonly string[];
  /** Of its verdicts; `loop` is always there. */
  readonly members?: readonly string[];
  /** That its configuration takes. */
  readonly settings?: readonly string[];
  /** `"own"`: the runner sends the defaults of the specification. */
  readonly defaults?: string;
  /** The rules of a detector whose name begins with `@` and is no profile's: a configuration of composed. */
  readonly config?: JsonObject;
  readonly functions?: Readonly<Record<string, PureFunction>>;
}

export type FaultKind =
  | "invalid_config"
  | "invalid_event"
  | "invalid_state"
  | "invalid_params"
  | "unknown_session"
  | "unknown_function"
  | "unsupported";

/** What a detector throws, before it has changed anything, to refuse a request. */
export class Refused extends Error {
  constructor(kind: FaultKind, data?: { field?: string; feature?: string }, message?: string);
}

interface TypesByName {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  object: JsonObject;
  array: Json[];
}
export type TypeName = keyof TypesByName;

/** Whether a value of JSON has a type. A boolean is no integer, and neither null nor an array is an object. */
export function is<T extends TypeName>(type: T, value: unknown): value is TypesByName[T];

/** These members of some params or arguments, or `invalid_params` where one is missing or of another type. */
export function take<T extends Record<string, TypeName>>(
  members: JsonObject,
  types: T,
): { [Name in keyof T]: TypesByName[T[Name]] };

/** A configuration of integers that are at least 1, with these defaults, or `invalid_config`. */
export function settings<T extends Record<string, number>>(config: JsonObject, defaults: T): Record<keyof T, number>;

/** The first member that is wrong in what should be an event, `type` where it is none; fills in the defaults. */
export function wrongMember(event: unknown): string | undefined;

/** Whether the module with this `import.meta.url` is the program itself, and not imported by it. */
export function isMain(url: string): boolean;

/** Answers the runner until it asks to shut down or closes the input. */
export function serve(name: string, version: string, ...detectors: DetectorClass[]): Promise<void>;
