// adapter.txt in JavaScript, line by line.
import { readFileSync, writeSync } from "node:fs";

const text = readFileSync("adapter.txt", "utf8");
const ABOUT = JSON.parse(/^ABOUT = ([^]*?)^NEEDS/m.exec(text)[1]);
const NEEDS = {
  "initialize": {}, "session/open": { session: "string", detector: "string", reading: "string" },
  "session/observe": { session: "string", events: "array" }, "session/reset": { session: "string" },
  "session/close": { session: "string" }, "function/call": { function: "string" }, "shutdown": {},
};
const EVENTS = new Map();
for (const line of /^EVENTS = .*\n([^]*?)\nsessions/m.exec(text)[1].split("\n")) {
  const [, name, members] = /^ +(\w+) +(.*)/.exec(line);
  EVENTS.set(name, [...members.matchAll(/(\w+)(\??): (\w+|"user", "assistant" or "system")/g)]);
}
const sessions = new Map();

const has = (object, name) => Object.hasOwn(object, name);
const type = (v) => v === null ? "null" : Array.isArray(v) ? "array" : typeof v; // of a member that is missing: undefined
const fault = (code, data = {}) => ({ error: { code, message: "refused", data } });
const refusal = (kind, more = {}) => fault(-32602, { kind, ...more });
const answer = (id, result) => writeSync(1, JSON.stringify({ jsonrpc: "2.0", id, ...result }) + "\n");

function carryOut(method, params) {
  if (!has(NEEDS, method)) return fault(-32601);
  const needs = NEEDS[method];
  if (type(params) !== "object" || Object.keys(needs).some((name) => type(params[name]) !== needs[name])) {
    return refusal("invalid_params");
  }
  const name = params.session;
  if (method === "session/open") {
    if (sessions.has(name) || has(params, "config") && type(params.config) !== "object") return refusal("invalid_params");
    if (params.detector !== "history") return refusal("unsupported", { feature: params.detector });
    if (params.reading !== "code") return refusal("unsupported", { feature: params.reading });
    for (const field of Object.keys(params.config ?? {})) return refusal("invalid_config", { field });
    sessions.set(name, {});
  } else if (has(needs, "session") && !sessions.has(name)) return refusal("unknown_session");
  if (method === "session/observe") {
    for (const event of params.events) {
      const field = wrong(event);
      if (field) return refusal("invalid_event", { field });
    }
    return { result: { verdicts: params.events.map(() => ({ loop: false })) } };
  }
  if (method === "session/reset") sessions.set(name, {});
  if (method === "session/close") sessions.delete(name);
  if (method === "function/call") return refusal("unknown_function");
  return { result: method === "initialize" ? ABOUT : {} };
}

function wrong(event) {
  if (type(event) !== "object" || !EVENTS.has(event.type)) return "type";
  for (const [, name, optional, wanted] of EVENTS.get(event.type)) {
    if (optional && !has(event, name)) continue;
    if (wanted.startsWith('"') ? !["user", "assistant", "system"].includes(event[name]) : type(event[name]) !== wanted) {
      return name;
    }
  }
  return undefined;
}

function take(bytes) {
  if (bytes.every((b) => b === 32 || b === 9 || b === 13)) return;
  let request;
  try {
    request = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return answer(null, fault(-32700));
  }
  const isObject = type(request) === "object";
  const id = isObject && ["string", "number"].includes(type(request.id)) ? request.id : null;
  if (!isObject || has(request, "id") && id === null || request.jsonrpc !== "2.0" || type(request.method) !== "string") {
    return answer(id, fault(-32600));
  }
  const result = carryOut(request.method, has(request, "params") ? request.params : {});
  if (has(request, "id")) answer(id, result);
  if (request.method === "shutdown" && !result.error) process.exit(0);
}

let rest = [];
for await (let chunk of process.stdin) {
  for (let end; (end = chunk.indexOf(10)) >= 0; chunk = chunk.subarray(end + 1)) {
    take(Buffer.concat([...rest, chunk.subarray(0, end)]));
    rest = [];
  }
  rest.push(chunk);
}
if (Buffer.concat(rest).length) take(Buffer.concat(rest));
