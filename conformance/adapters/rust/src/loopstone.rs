// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Loopstone Authors
//! The Loopstone adapter kit for Rust 1.63 and later: makes a loop detector answer to the conformance suite.
//!
//! Copy this file beside your detector, depend on serde_json, and write a type:
//!
//!     mod loopstone;
//!     use loopstone::{settings, Detector, Event, Object, Port, Refused};
//!     use serde_json::{json, Value};
//!
//!     struct Repeats { threshold: u64, calls: u64 }
//!
//!     fn open(_reading: &str, config: &Object) -> Result<Box<dyn Detector>, Refused> {   // empty for the defaults
//!         let [threshold] = settings(config, [("repeat_threshold", 3)])?;
//!         Ok(Box::new(Repeats { threshold, calls: 0 }))
//!     }
//!
//!     impl Detector for Repeats {
//!         fn reset(&mut self) {                          // forget all events, keep the configuration
//!             self.calls = 0;
//!         }
//!
//!         fn observe(&mut self, event: &Event) -> Value {    // one event in, one verdict out
//!             if event.kind() != "tool_call" {
//!                 return json!({"loop": false});
//!             }
//!             self.calls += 1;
//!             if self.calls < self.threshold {
//!                 return json!({"loop": false, "count": self.calls});
//!             }
//!             json!({"loop": true, "kind": "repeat", "count": self.calls})
//!         }
//!     }
//!
//!     fn main() -> std::io::Result<()> {
//!         loopstone::serve("my-port", "1.0", &[Port::new("history", &["code"], &[], open)])
//!     }
//!
//! and run the suite on it:  loopstone test -- cargo run --quiet --release
//!
//! A detector may have more; declare the feature when it does: state(), snapshot() and restore(state), check(event),
//! which refuses an event that the detector cannot take, and in its Port `functions`, pure functions of a reading and
//! arguments by their names. `event.index` is what `evidence` names. What is refused returns a Refused, before anything
//! has changed: Refused::config("window"), Refused::event("worker"), Refused::state(), Refused::params("count: want 1").
//!
//! A detector may have less: declare what it has, and nobody asks for the rest. Without these, it has all:
//!
//!     Port {
//!         rules: Some(&["exact"]),                       // the kinds of loop that it knows
//!         members: Some(&["loop"]),                      // of its verdicts; this one just says yes or no
//!         settings: Some(&["threshold"]),                // that its config takes; &[] for one that cannot be set
//!         defaults: Some("own"),                         // without a config it differs; the runner sends every setting
//!         config: Some("{\"rules\":[{}]}"),              // of composed: the rules of a detector whose id begins with @
//!         ..Port::new("fingerprint", &["text"], &[], open)
//!     }
//!
//! Events arrive checked: members have their types, `args` and `ok` their defaults. Batches, sessions, errors and ids are
//! the kit's. It reads whatever waits and answers it with one write, so it keeps up with a runner that pipelines. Standard
//! output belongs to the protocol: print with eprintln!. With serde_json's feature `arbitrary_precision` numbers keep
//! their spelling, which the feature `int-float` demands; without it leave that out.
#![allow(dead_code)] // a detector need not use all of the kit

use serde_json::{json, Map, Value};
use std::collections::HashMap;
use std::io::{self, BufWriter, Read, Write};

pub type Object = Map<String, Value>;

/// What makes detectors of one kind, and says what they have.
#[derive(Clone, Copy)]
pub struct Port {
    pub detector: &'static str,
    pub readings: &'static [&'static str],
    pub features: &'static [&'static str],
    pub rules: Option<&'static [&'static str]>,
    pub members: Option<&'static [&'static str]>,
    pub settings: Option<&'static [&'static str]>,
    pub defaults: Option<&'static str>,
    pub config: Option<&'static str>,
    pub functions: &'static [(&'static str, Function)],
    pub open: Open,
}

/// Makes a detector, given a reading that the port has and a configuration.
pub type Open = fn(&str, &Object) -> Result<Box<dyn Detector>, Refused>;
/// A pure function, given a reading that the port has and the arguments.
pub type Function = fn(&str, &Object) -> Result<Value, Refused>;

impl Port {
    /// A port that has all rules, members and settings of the detector, and no functions.
    pub const fn new(
        detector: &'static str,
        readings: &'static [&'static str],
        features: &'static [&'static str],
        open: Open,
    ) -> Port {
        let (rules, members, settings, defaults, config) = (None, None, None, None, None);
        Port { detector, readings, features, rules, members, settings, defaults, config, functions: &[], open }
    }

    fn offer(&self) -> Value {
        let mut offer = json!({"id": self.detector, "readings": self.readings, "features": self.features});
        for (part, names) in [("rules", self.rules), ("members", self.members), ("settings", self.settings)] {
            if let Some(names) = names {
                offer[part] = json!(names);
            }
        }
        if let Some(defaults) = self.defaults {
            offer["defaults"] = json!(defaults);
        }
        if let Some(config) = self.config {
            offer["config"] = serde_json::from_str(config).expect("the config of a port is JSON");
        }
        offer
    }

    fn check_reading(&self, reading: &str) -> Result<(), Refused> {
        if self.readings.contains(&reading) {
            return Ok(());
        }
        Err(Refused::unsupported(reading))
    }
}

/// One trace, as a detector sees it.
pub trait Detector {
    fn reset(&mut self);
    fn observe(&mut self, event: &Event) -> Value;
    /// Refuses an event before any of its batch is observed.
    fn check(&self, _event: &Object) -> Result<(), Refused> {
        Ok(())
    }
    fn state(&self) -> Result<Value, Refused> {
        Err(Refused::unsupported("state"))
    }
    fn snapshot(&self) -> Result<Value, Refused> {
        Err(Refused::unsupported("snapshot"))
    }
    fn restore(&mut self, _state: &Object) -> Result<(), Refused> {
        Err(Refused::unsupported("snapshot"))
    }
}

/// An event that was checked, and its place in the session.
pub struct Event<'a> {
    pub members: &'a Object,
    pub index: u64,
}

impl<'a> Event<'a> {
    pub fn kind(&self) -> &'a str {
        self.need("type")
    }
    /// A text that every event of the type has, such as `tool` of a `tool_call`.
    pub fn need(&self, name: &str) -> &'a str {
        self.text(name).unwrap_or_default()
    }
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.members.get(name)?.as_str()
    }
    pub fn flag(&self, name: &str) -> bool {
        self.members.get(name) == Some(&Value::Bool(true))
    }
    pub fn list(&self, name: &str) -> Option<&'a Vec<Value>> {
        self.members.get(name)?.as_array()
    }
    /// The `args` of a `tool_call`.
    pub fn args(&self) -> &'a Object {
        self.members["args"].as_object().expect("the kit gives every call its args")
    }
}

/// A request that cannot be carried out: the kind of the fault, and the field or feature that it is about.
#[derive(Debug, PartialEq)]
pub struct Refused {
    code: i32,
    message: String,
    data: Value,
}

impl Refused {
    fn of(message: String, data: Value) -> Refused {
        Refused { code: -32602, message, data }
    }
    fn request(code: i32, message: impl ToString) -> Refused {
        Refused { code, message: message.to_string(), data: Value::Null }
    }
    pub fn config(field: &str) -> Refused {
        Refused::of(format!("{field}: unknown or wrong"), json!({"kind": "invalid_config", "field": field}))
    }
    pub fn event(field: &str) -> Refused {
        Refused::of(format!("{field}: missing or wrong"), json!({"kind": "invalid_event", "field": field}))
    }
    pub fn state() -> Refused {
        Refused::of("no such state".to_string(), json!({"kind": "invalid_state"}))
    }
    pub fn params(message: &str) -> Refused {
        Refused::of(message.to_string(), json!({"kind": "invalid_params"}))
    }
    pub fn unsupported(feature: &str) -> Refused {
        Refused::of(format!("{feature} is not there"), json!({"kind": "unsupported", "feature": feature}))
    }
}

/// The integers of a configuration, each at least 1, in the order of their defaults; refuses what is not among them.
pub fn settings<const N: usize>(config: &Object, defaults: [(&str, u64); N]) -> Result<[u64; N], Refused> {
    let mut values = defaults.map(|(_, value)| value);
    for (name, value) in config {
        let place = defaults.iter().position(|(known, _)| known == name);
        match (place, positive(value)) {
            (Some(i), Some(value)) => values[i] = value,
            _ => return Err(Refused::config(name)),
        }
    }
    Ok(values)
}

/// The value, where it is an integer of at least 1.
pub fn positive(value: &Value) -> Option<u64> {
    value.as_u64().filter(|&n| n >= 1)
}

/// The text of this name, which must be there.
pub fn text<'a>(members: &'a Object, name: &str) -> Result<&'a str, Refused> {
    let found = members.get(name).and_then(Value::as_str);
    found.ok_or_else(|| Refused::params(&format!("{name}: want a string")))
}

/// The object of this name, which must be there.
pub fn object<'a>(members: &'a Object, name: &str) -> Result<&'a Object, Refused> {
    let found = members.get(name).and_then(Value::as_object);
    found.ok_or_else(|| Refused::params(&format!("{name}: want an object")))
}

// Events.

type Members = &'static [(&'static str, fn(&Value) -> bool)];

/// The members of an event by its type, those required first, with their number.
fn members_of(kind: &str) -> Option<(usize, Members)> {
    Some(match kind {
        "tool_call" => (1, &[("tool", is_text), ("args", is_object), ("id", is_text), ("worker", is_text), ("thought", is_text)]),
        "tool_result" => (1, &[("content", is_text), ("tool", is_text), ("call", is_text), ("ok", is_bool)]),
        "error" => (1, &[("message", is_text), ("error_type", is_text), ("call", is_text), ("tool", is_text)]),
        "message" => (2, &[("role", is_role), ("content", is_text), ("tool_calls", is_list)]),
        "output" => (1, &[("text", is_text)]),
        "test_run" => (1, &[("passed", is_bool)]),
        "iteration" => (3, &[("elapsed_s", is_number), ("output", is_text), ("failed", is_bool)]),
        "reply" => (0, &[]), // like thought, cost and tokens for those only that declare the feature `replies`
        "delta" => (1, &[("text", is_text), ("channel", is_channel)]), // for those only that observe it
        _ => return None,
    })
}
const ANY: Members = &[
    ("at", is_number),
    ("cost_usd", is_number),
    ("input_tokens", is_number),
    ("output_tokens", is_number),
];

/// Where it is absent, it is answer.
fn is_channel(value: &Value) -> bool {
    matches!(value.as_str(), Some("answer" | "thought" | "arguments"))
}

fn is_text(value: &Value) -> bool {
    value.is_string()
}
fn is_bool(value: &Value) -> bool {
    value.is_boolean()
}
fn is_number(value: &Value) -> bool {
    value.is_number()
}
fn is_list(value: &Value) -> bool {
    value.is_array()
}
fn is_object(value: &Value) -> bool {
    value.is_object()
}
fn is_role(value: &Value) -> bool {
    matches!(value.as_str(), Some("user" | "assistant" | "system"))
}

/// Refuses an event that is not as the protocol says, and fills in the defaults.
fn check_event(event: &mut Value) -> Result<&Object, Refused> {
    let event = event.as_object_mut().ok_or_else(|| Refused::event("type"))?;
    let kind = event.get("type").and_then(Value::as_str);
    let (required, members) = kind.and_then(members_of).ok_or_else(|| Refused::event("type"))?;
    let default = match kind {
        Some("tool_call") => Some(("args", json!({}))),
        Some("tool_result") => Some(("ok", json!(true))),
        _ => None,
    };
    for (i, (name, is_legal)) in members.iter().chain(ANY).enumerate() {
        if !event.get(*name).map_or(i >= required, is_legal) {
            return Err(Refused::event(name));
        }
    }
    if let Some((name, value)) = default {
        event.entry(name).or_insert(value);
    }
    Ok(event)
}

// The protocol.

struct Session {
    detector: Box<dyn Detector>,
    events: u64,
}

impl Session {
    /// The verdicts on a batch, which is checked whole before the detector sees any of it.
    fn observe(&mut self, batch: &mut [Value]) -> Result<Value, Refused> {
        for event in batch.iter_mut() {
            self.detector.check(check_event(event)?)?;
        }
        let mut verdicts = Vec::with_capacity(batch.len());
        for members in batch.iter().filter_map(Value::as_object) {
            verdicts.push(self.detector.observe(&Event { members, index: self.events }));
            self.events += 1;
        }
        Ok(json!({ "verdicts": verdicts }))
    }
}

/// Answers requests, line by line.
pub struct Adapter<'a> {
    hello: Value,
    ports: &'a [Port],
    sessions: HashMap<String, Session>,
    done: bool,
}

impl<'a> Adapter<'a> {
    pub fn new(name: &str, version: &str, ports: &'a [Port]) -> Adapter<'a> {
        let detectors: Vec<Value> = ports.iter().map(Port::offer).collect();
        let hello =
            json!({"protocol": 1, "name": name, "version": version, "language": "rust", "detectors": detectors});
        Adapter { hello, ports, sessions: HashMap::new(), done: false }
    }

    /// The answer to a line; none for an empty line and for a notification.
    pub fn answer(&mut self, line: &[u8]) -> Option<Value> {
        if line.iter().all(|b| b" \t\r".contains(b)) {
            return None;
        }
        let mut id = Value::Null;
        let result = match parse(line, &mut id) {
            Ok((method, mut params)) => match self.handle(&method, &mut params) {
                _ if id.is_null() => return None,
                result => result,
            },
            Err(Wrong { silent: true, .. }) => return None,
            Err(Wrong { refused, .. }) => Err(refused),
        };
        Some(match result {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(Refused { code, message, data }) if data.is_null() => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
            }
            Err(Refused { code, message, data }) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, "data": data}})
            }
        })
    }

    fn handle(&mut self, method: &str, params: &mut Object) -> Result<Value, Refused> {
        match method {
            "initialize" => Ok(self.hello.clone()),
            "shutdown" => {
                self.done = true;
                Ok(json!({}))
            }
            "function/call" => self.call(params),
            "session/open" => self.open(params),
            "session/observe" | "session/reset" | "session/close" | "session/state" | "session/snapshot"
            | "session/restore" => self.ask(&method["session/".len()..], params),
            _ => Err(Refused::request(-32601, format!("no method {method:?}"))),
        }
    }

    fn open(&mut self, params: &Object) -> Result<Value, Refused> {
        let (name, detector, reading) = (text(params, "session")?, text(params, "detector")?, text(params, "reading")?);
        let empty = Object::new();
        let config = if params.contains_key("config") { object(params, "config")? } else { &empty };
        let port = self.ports.iter().find(|port| port.detector == detector);
        let port = port.ok_or_else(|| Refused::unsupported(detector))?;
        port.check_reading(reading)?;
        if self.sessions.contains_key(name) {
            return Err(Refused::params(&format!("{name:?} is open")));
        }
        let declared = |name: &String| port.settings.map_or(true, |settings| settings.contains(&name.as_str()));
        if let Some(name) = config.keys().find(|name| !declared(name)) {
            return Err(Refused::config(name));
        }
        let detector = (port.open)(reading, config)?;
        self.sessions.insert(name.to_string(), Session { detector, events: 0 });
        Ok(json!({}))
    }

    fn ask(&mut self, action: &str, params: &mut Object) -> Result<Value, Refused> {
        let name = text(params, "session")?;
        let session = self.sessions.get_mut(name).ok_or_else(|| {
            Refused::of(format!("no session {name:?} is open"), json!({"kind": "unknown_session"}))
        })?;
        match action {
            "observe" => {
                let events = params.get_mut("events").and_then(Value::as_array_mut);
                return session.observe(events.ok_or_else(|| Refused::params("events: want an array"))?);
            }
            "state" => return Ok(json!({"state": session.detector.state()?})),
            "snapshot" => return Ok(json!({"state": session.detector.snapshot()?})),
            "restore" => match params.get("state") {
                Some(Value::Object(state)) => session.detector.restore(state)?,
                Some(_) => return Err(Refused::state()),
                None => return Err(Refused::params("state is missing")),
            },
            "close" => drop(self.sessions.remove(name)),
            _ => session.detector.reset(),
        }
        Ok(json!({}))
    }

    fn call(&self, params: &Object) -> Result<Value, Refused> {
        let (name, args) = (text(params, "function")?, object(params, "args")?);
        let named = |port: &'a Port| Some((port, port.functions.iter().find(|(known, _)| *known == name)?.1));
        let (port, function) = self.ports.iter().find_map(named).ok_or_else(|| {
            Refused::of(format!("no function {name:?}"), json!({"kind": "unknown_function"}))
        })?;
        let reading = if params.contains_key("reading") { text(params, "reading")? } else { port.readings[0] };
        port.check_reading(reading)?;
        Ok(json!({"value": function(reading, args)?}))
    }
}

/// Why a message cannot be carried out; silent where it is a notification.
struct Wrong {
    refused: Refused,
    silent: bool,
}

/// The method and params of a request. The id, where it has a usable one, is told even where the rest is wrong.
fn parse(line: &[u8], id: &mut Value) -> Result<(String, Object), Wrong> {
    let wrong = |code, message: &str| Wrong { refused: Refused::request(code, message), silent: false };
    let message = serde_json::from_slice(line).map_err(|problem| wrong(-32700, &problem.to_string()))?;
    let mut request: Object = match message {
        Value::Object(request) => request,
        _ => return Err(wrong(-32600, "no object")),
    };
    let silent = !request.contains_key("id");
    match request.remove("id") {
        Some(given @ (Value::String(_) | Value::Number(_))) => *id = given,
        Some(_) => return Err(wrong(-32600, "id: want a string or a number")),
        None => {}
    }
    let method = match (request.remove("jsonrpc"), request.remove("method")) {
        (Some(Value::String(version)), Some(Value::String(method))) if version == "2.0" => method,
        _ => return Err(wrong(-32600, "no request")),
    };
    match request.remove("params") {
        None => Ok((method, Object::new())),
        Some(Value::Object(params)) => Ok((method, params)),
        Some(_) => Err(Wrong { refused: Refused::params("params: want an object"), silent }),
    }
}

/// Answers the runner until it asks to shut down or closes the input.
pub fn serve(name: &str, version: &str, ports: &[Port]) -> io::Result<()> {
    converse(Adapter::new(name, version, ports), io::stdin().lock(), io::stdout().lock())
}

/// Reads whatever waits, and answers it with one write.
pub fn converse(mut adapter: Adapter, mut input: impl Read, output: impl Write) -> io::Result<()> {
    let (mut rest, mut chunk) = (Vec::new(), vec![0; 1 << 20]);
    let mut output = BufWriter::with_capacity(1 << 20, output); // written even where a detector panics
    while !adapter.done {
        let n = input.read(&mut chunk)?;
        let read = if n == 0 { &b"\n"[..] } else { &chunk[..n] }; // the last line may have no line feed
        let end = match read.iter().rposition(|&b| b == b'\n') {
            Some(end) => end,
            None => {
                rest.extend_from_slice(read);
                continue;
            }
        };
        rest.extend_from_slice(&read[..end]);
        for line in rest.split(|&b| b == b'\n') {
            if let Some(answer) = adapter.answer(line) {
                serde_json::to_writer(&mut output, &answer)?;
                output.write_all(b"\n")?;
            }
            if adapter.done {
                break;
            }
        }
        output.flush()?;
        rest.clear();
        rest.extend_from_slice(&read[end + 1..]);
        if n == 0 {
            break;
        }
    }
    Ok(())
}
