/** gemini-cli's LoopDetectionService as a port of its two profiles. What it imports stands in beside it. */
import { isMain, serve } from "./loopstone.js";
import { GeminiEventType } from "./packages/core/src/core/turn.js";
import { LoopDetectionService } from "./packages/core/src/services/loopDetectionService.js";

const config = { getDisableLoopDetection: () => false };

class Calls {
  static detector = "@gemini-cli";
  static readings = ["code"] as const;
  static features: string[] = [];
  static members = ["loop"];
  static settings: string[] = [];

  service = new LoopDetectionService({ config } as never);

  reset() {
    this.service = new LoopDetectionService({ config } as never);
  }

  observe(event: any) {
    if (event.type === "message" && event.role === "user") this.service.reset("prompt");
    const taken = this.taken(event);
    return { loop: taken !== undefined && this.service.addAndCheck(taken as never).count > 0 };
  }

  taken(event: any): object | undefined {
    if (event.type !== "tool_call") return undefined;
    this.service.clearDetection();
    return { type: GeminiEventType.ToolCallRequest, value: { name: event.tool, args: event.args } };
  }
}

class Stream extends Calls {
  static detector = "@gemini-cli-stream";

  taken(event: any): object | undefined {
    if (event.type === "tool_call") {
      this.service.addAndCheck(super.taken(event) as never);
      this.service.clearDetection();
      return undefined;
    }
    if (event.type !== "delta" || event.channel !== "answer") return undefined;
    return { type: GeminiEventType.Content, value: event.text };
  }
}

export const classes = [Calls, Stream];

if (isMain(import.meta.url)) serve("gemini-cli", "original", Calls as never, Stream as never);
