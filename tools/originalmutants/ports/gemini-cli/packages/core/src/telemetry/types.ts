export enum LoopType {
  CONSECUTIVE_IDENTICAL_TOOL_CALLS = "calls",
  CONTENT_CHANTING_LOOP = "content",
  LLM_DETECTED_LOOP = "model",
}
export enum LlmRole {
  UTILITY_LOOP_DETECTOR = "loop_detector",
}
class Logged {
  readonly members: unknown[];
  constructor(...members: unknown[]) {
    this.members = members;
  }
}
export class LoopDetectedEvent extends Logged {}
export class LoopDetectionDisabledEvent extends Logged {}
export class LlmLoopCheckEvent extends Logged {}
