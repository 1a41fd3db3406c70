/** Roo Code's ToolRepetitionDetector as a port of its profile. What it imports stands in beside it. */
import { isMain, serve } from "./loopstone.js";
import { ToolRepetitionDetector } from "./src/core/tools/ToolRepetitionDetector.js";

class Roo {
  static detector = "@roo";
  static readings = ["code"] as const;
  static features: string[] = [];
  static members = ["loop"];
  static settings: string[] = [];

  original = new ToolRepetitionDetector();

  reset() {
    this.original = new ToolRepetitionDetector();
  }

  observe(event: any) {
    if (event.type !== "tool_call") return { loop: false };
    return { loop: !this.original.check({ name: event.tool, params: {}, nativeArgs: event.args }).allowExecution };
  }
}

export const classes = [Roo];

if (isMain(import.meta.url)) serve("roo", "original", Roo as never);
