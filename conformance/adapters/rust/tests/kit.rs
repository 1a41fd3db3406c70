//! The kit as a runner sees it: lines in, lines out.

#[path = "../src/loopstone.rs"]
mod loopstone;

use loopstone::{converse, settings, Adapter, Detector, Event, Object, Port, Refused};
use serde_json::{json, Value};
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};

/// Counts the tool calls, and refuses those of the tool "bad" before it has seen them.
struct Calls {
    threshold: u64,
    calls: u64,
}

impl Detector for Calls {
    fn reset(&mut self) {
        self.calls = 0;
    }
    fn check(&self, event: &Object) -> Result<(), Refused> {
        if event.get("tool") == Some(&json!("bad")) {
            return Err(Refused::event("tool"));
        }
        Ok(())
    }
    fn observe(&mut self, event: &Event) -> Value {
        self.calls += u64::from(event.kind() == "tool_call");
        json!({"loop": self.calls >= self.threshold, "seen": event.members, "index": event.index})
    }
    fn snapshot(&self) -> Result<Value, Refused> {
        Ok(json!({"calls": self.calls}))
    }
    fn restore(&mut self, state: &Object) -> Result<(), Refused> {
        self.calls = state.get("calls").and_then(Value::as_u64).ok_or_else(Refused::state)?;
        Ok(())
    }
}

fn open(_reading: &str, config: &Object) -> Result<Box<dyn Detector>, Refused> {
    let [threshold] = settings(config, [("repeat_threshold", 3)])?;
    Ok(Box::new(Calls { threshold, calls: 0 }))
}

fn echo(reading: &str, args: &Object) -> Result<Value, Refused> {
    Ok(json!([reading, args]))
}

const PORT: Port = Port {
    rules: Some(&["repeat"]),
    defaults: Some("own"),
    functions: &[("history.echo", echo)],
    ..Port::new("history", &["code", "text"], &["snapshot"], open)
};

/// Gives its bytes in pieces.
struct Pieces<'a>(Vec<&'a [u8]>);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Ok(0);
        }
        let piece = self.0.remove(0);
        buffer[..piece.len()].copy_from_slice(piece);
        Ok(piece.len())
    }
}

fn raw(pieces: Vec<&[u8]>) -> Vec<Value> {
    let mut output = Vec::new();
    converse(Adapter::new("test-port", "1.0", &[PORT]), Pieces(pieces), &mut output).unwrap();
    output.split_inclusive(|&b| b == b'\n').map(|line| serde_json::from_slice(line).unwrap()).collect()
}

fn ask(messages: &[Value]) -> Vec<Value> {
    let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
    raw(vec![lines.as_bytes()])
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn opened(config: Value) -> Value {
    request("session/open", json!({"session": "s", "detector": "history", "reading": "code", "config": config}))
}

fn observe(events: Value) -> Value {
    request("session/observe", json!({"session": "s", "events": events}))
}

/// The code of an answer's error, and what its data say.
fn fault(message: Value) -> (i64, Value) {
    let answer = ask(&[opened(json!({})), message]).pop().unwrap();
    (answer["error"]["code"].as_i64().unwrap_or(0), answer["error"]["data"].clone())
}

#[test]
fn ids_come_back_as_they_were_sent() {
    for id in ["7", "\"7\"", "1.50", "-1", "1180591620717411303424", "\"\u{e9}\u{1f600}\u{2028}\""] {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"initialize\"}}\n");
        assert_eq!(raw(vec![line.as_bytes()])[0]["id"].to_string(), id);
    }
}

#[test]
fn a_line_may_arrive_in_pieces_and_the_last_needs_no_end() {
    let line = "{\"jsonrpc\":\"2.0\",\"id\":\"\u{e9}\",\"method\":\"initialize\"}".as_bytes();
    let within = line.iter().position(|&b| b >= 0x80).unwrap() + 1;
    let answers = raw(vec![&line[..within], &line[within..], b"\n \t\r\n\n", line]);
    assert_eq!(answers.iter().map(|answer| &answer["id"]).collect::<Vec<_>>(), ["\u{e9}", "\u{e9}"]);
}

#[test]
fn what_is_no_request_is_told_and_the_adapter_goes_on() {
    for (line, code) in [
        ("{", -32700),
        ("\u{feff}{}", -32700),
        ("{\"id\":1} x", -32700),
        ("[]", -32600),
        ("{\"id\":null,\"jsonrpc\":\"2.0\",\"method\":\"initialize\"}", -32600),
        ("{\"id\":1,\"jsonrpc\":\"1.0\",\"method\":\"initialize\"}", -32600),
        ("{\"jsonrpc\":\"2.0\"}", -32600),
        ("{\"id\":1,\"jsonrpc\":\"2.0\",\"method\":\"x\"}", -32601),
    ] {
        let answers = raw(vec![line.as_bytes(), b"\n", request("initialize", json!({})).to_string().as_bytes()]);
        assert_eq!((&answers[0]["error"]["code"], &answers[1]["result"]["protocol"]), (&json!(code), &json!(1)), "{line}");
    }
}

#[test]
fn a_notification_is_acted_on_and_not_answered() {
    let mut close = request("session/close", json!({"session": "s"}));
    close.as_object_mut().unwrap().remove("id");
    let answers = ask(&[opened(json!({})), close.clone(), close, opened(json!({}))]);
    assert_eq!(answers.iter().map(|answer| &answer["result"]).collect::<Vec<_>>(), [&json!({}), &json!({})]);
}

#[test]
fn a_bad_event_leaves_the_batch_unseen() {
    let call = json!({"type": "tool_call", "tool": "t"});
    let bad = observe(json!([call, {"type": "tool_call", "tool": "bad"}]));
    let answers = ask(&[opened(json!({})), bad, observe(json!([call, {"type": "tool_result", "content": ""}]))]);
    assert_eq!(answers[1]["error"]["data"], json!({"kind": "invalid_event", "field": "tool"}));
    let verdicts = &answers[2]["result"]["verdicts"];
    assert_eq!((&verdicts[0]["index"], &verdicts[0]["seen"]["args"]), (&json!(0), &json!({})));
    assert_eq!((&verdicts[1]["index"], &verdicts[1]["seen"]["ok"]), (&json!(1), &json!(true)));
}

#[test]
fn members_of_events_have_their_types() {
    for (event, field) in [
        (json!(5), "type"),
        (json!({"type": "no_such"}), "type"),
        (json!({"type": "tool_call"}), "tool"),
        (json!({"type": "tool_call", "tool": "t", "id": null}), "id"),
        (json!({"type": "message", "role": "robot", "content": ""}), "role"),
        (json!({"type": "iteration", "elapsed_s": 1, "output": ""}), "failed"),
        (json!({"type": "reply", "cost_usd": "1"}), "cost_usd"),
    ] {
        assert_eq!(fault(observe(json!([event]))), (-32602, json!({"kind": "invalid_event", "field": field})));
    }
}

#[test]
fn what_cannot_be_carried_out_is_refused_by_its_kind() {
    let other = |detector, reading| json!({"session": "t", "detector": detector, "reading": reading});
    for (message, data) in [
        (opened(json!({})), json!({"kind": "invalid_params"})),
        (request("session/open", other("crow", "code")), json!({"kind": "unsupported", "feature": "crow"})),
        (request("session/open", other("history", "prose")), json!({"kind": "unsupported", "feature": "prose"})),
        (request("session/state", json!({"session": "s"})), json!({"kind": "unsupported", "feature": "state"})),
        (request("session/reset", json!({"session": "t"})), json!({"kind": "unknown_session"})),
        (request("session/restore", json!({"session": "s"})), json!({"kind": "invalid_params"})),
        (request("session/restore", json!({"session": "s", "state": 1})), json!({"kind": "invalid_state"})),
        (request("function/call", json!({"function": "x", "args": {}})), json!({"kind": "unknown_function"})),
        (request("session/reset", json!(null)), json!({"kind": "invalid_params"})),
    ] {
        assert_eq!(fault(message), (-32602, data));
    }
}

#[test]
fn settings_are_integers_of_at_least_one() {
    for (config, field) in [
        (json!({"repeat_threshold": 0}), "repeat_threshold"),
        (json!({"repeat_threshold": true}), "repeat_threshold"),
        (json!({"treshold": 1}), "treshold"),
    ] {
        let data = ask(&[opened(config)])[0]["error"]["data"].clone();
        assert_eq!(data, json!({"kind": "invalid_config", "field": field}));
    }
}

#[test]
fn a_port_says_what_it_has_and_a_function_gets_its_reading() {
    let call = request("function/call", json!({"function": "history.echo", "args": {"a": 1}}));
    let answers = ask(&[request("initialize", json!({})), call]);
    let offer = json!({
        "id": "history", "readings": ["code", "text"], "features": ["snapshot"], "rules": ["repeat"], "defaults": "own",
    });
    assert_eq!(answers[0]["result"]["detectors"], json!([offer]));
    assert_eq!(answers[1]["result"]["value"], json!(["code", {"a": 1}]));
}

#[test]
fn a_snapshot_goes_on() {
    let call = json!({"type": "tool_call", "tool": "t"});
    let restore = request("session/restore", json!({"session": "s", "state": {"calls": 2}}));
    let answers = ask(&[opened(json!({})), restore, observe(json!([call]))]);
    assert_eq!(answers[2]["result"]["verdicts"][0]["loop"], json!(true));
}

#[test]
fn a_process_ends_when_it_is_asked_to() {
    let mut process = Command::new(env!("CARGO_BIN_EXE_all"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap(); // it stays open
    writeln!(input, "{}", request("shutdown", json!({}))).unwrap();
    let output = process.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout, b"{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{}}\n");
}
