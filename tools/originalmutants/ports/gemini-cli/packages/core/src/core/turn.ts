export enum GeminiEventType {
  Content = "content",
  ToolCallRequest = "tool_call_request",
}
