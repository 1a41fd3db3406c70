# adapter.txt in jq, line by line: jq -Rcn --unbuffered --rawfile text adapter.txt -f port.jq

def ABOUT: $text | capture("ABOUT = (?<json>.*?)\nNEEDS"; "m").json | fromjson;
def NEEDS:
  {"initialize": {}, "session/open": {"session": "string", "detector": "string", "reading": "string"},
   "session/observe": {"session": "string", "events": "array"}, "session/reset": {"session": "string"},
   "session/close": {"session": "string"}, "function/call": {"function": "string"}, "shutdown": {}};
def EVENTS:
  $text | capture("EVENTS = .*?\n(?<table>.*?)\nsessions"; "m").table | split("\n")
  | map(capture("^ +(?<type>[a-z_]+) +(?<members>.*)") | {key: .type, value:
      ([.members | scan("([a-z_]+)([?]?): ([a-z]+|\"user\", \"assistant\" or \"system\")") | {name: .[0], optional: (.[1] == "?"), type: .[2]}])})
  | from_entries;
def fault(code; data): {code: code, message: "refused", data: data};
def refusal(kind): fault(-32602; {kind: kind});
def detector: {};

def hasType($want):
  if $want | startswith("\"") then . == "user" or . == "assistant" or . == "system" else type == $want end;
def wrong($events):
  . as $event
  | if type != "object" or (.type | type) != "string" or (.type as $type | $events | has($type) | not) then "type"
    else [$events[.type][] | .name as $name | .optional as $optional | .type as $type
          | select(if $event | has($name) then $event[$name] | hasType($type) | not else $optional | not end) | $name][0]
    end;

# carry_out takes {sessions, method, params} and returns {sessions, result} or {sessions, error}.
def carry_out($events):
  .method as $method | .params as $params | NEEDS[$method] as $needs
  | def refuse(f): {sessions, error: f};
  if $needs == null then refuse(fault(-32601; {}))
  elif ($params | type) != "object" or any($needs | to_entries[]; . as $n | ($params[$n.key] | type) != $n.value) then
    refuse(refusal("invalid_params"))
  elif $method == "session/open" then
    if .sessions[$params.session] or ($params | has("config") and (.config | type) != "object") then refuse(refusal("invalid_params"))
    elif $params.detector != "history" then refuse(fault(-32602; {kind: "unsupported", feature: $params.detector}))
    elif $params.reading != "code" then refuse(fault(-32602; {kind: "unsupported", feature: $params.reading}))
    elif ($params.config // {}) != {} then refuse(fault(-32602; {kind: "invalid_config", field: ($params.config | keys[0])}))
    else .sessions[$params.session] = detector | {sessions, result: {}} end
  elif ($needs | has("session")) and (.sessions | has($params.session) | not) then refuse(refusal("unknown_session"))
  elif $method == "session/observe" then
    [$params.events[] | wrong($events) | select(.)][0] as $field
    | if $field then refuse(fault(-32602; {kind: "invalid_event", field: $field}))
      else {sessions, result: {verdicts: [$params.events[] | {loop: false}]}} end
  elif $method == "session/reset" then .sessions[$params.session] = detector | {sessions, result: {}}
  elif $method == "session/close" then del(.sessions[$params.session]) | {sessions, result: {}}
  elif $method == "function/call" then refuse(refusal("unknown_function"))
  else {sessions, result: (if $method == "initialize" then ABOUT else {} end)} end;

EVENTS as $events | label $stop
| foreach inputs as $line ({sessions: {}};
    {sessions}
    | if $line | test("^[ \t\r]*$") then .
      else
        ([try ($line | {request: fromjson}) catch null] | .[0]) as $read
        | $read.request as $request
        | (if ($request | type) == "object" and ($request.id | type | . == "string" or . == "number") then $request.id else null end) as $id
        | if $read == null then .answer = {jsonrpc: "2.0", id: null, error: fault(-32700; {})}
          elif ($request | type) != "object" or ($request | has("id")) and $id == null or $request.jsonrpc != "2.0"
               or ($request.method | type) != "string" then
            .answer = {jsonrpc: "2.0", id: $id, error: fault(-32600; {})}
          else
            ({sessions, method: $request.method, params: (if $request | has("params") then $request.params else {} end)}
             | carry_out($events)) as $done
            | .sessions = $done.sessions
            | if $request | has("id") then .answer = {jsonrpc: "2.0", id: $id} + ($done | del(.sessions)) else . end
            | if $request.method == "shutdown" and $done.error == null then .exit = true else . end
          end
      end;
    (.answer // empty), (if .exit then break $stop else empty end))
