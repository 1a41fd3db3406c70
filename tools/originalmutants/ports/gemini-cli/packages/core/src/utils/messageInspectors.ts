type Content = { role?: string; parts?: Record<string, unknown>[] };
const isAll = (content: Content, role: string, member: string) =>
  content.role === role && !!content.parts && content.parts.every((part) => !!part[member]);
export const isFunctionCall = (content: Content) => isAll(content, "model", "functionCall");
export const isFunctionResponse = (content: Content) => isAll(content, "user", "functionResponse");
