export type ToolUse = { name: string; params: object; nativeArgs?: object };
