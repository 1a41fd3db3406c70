//! The detector `composed` as a port; composed.rs is the file for one's own agent.

use serde_json::{json, Value};

use crate::composed::{self, LoopDetector};
use crate::loopstone::{Detector, Event, Object, Port, Refused};

pub const PORT: Port = Port::new("composed", &["code"], &["snapshot", "evidence", "replies"], open);

struct Composed(LoopDetector);

fn open(_reading: &str, config: &Object) -> Result<Box<dyn Detector>, Refused> {
    if let Some(field) = config.keys().find(|name| *name != "rules") {
        return Err(Refused::config(field));
    }
    match LoopDetector::new(config.get("rules")) {
        Ok(detector) => Ok(Box::new(Composed(detector))),
        Err(_) => Err(Refused::config("rules")), // CO-4
    }
}

/// What the event is to the detector.
fn told<'a>(event: &Event<'a>) -> composed::Event<'a> {
    use composed::Event::{Answer, Call, Message, Other, Piece, Reply};
    let call = event.text("call");
    match event.kind() {
        "tool_call" => Call {
            tool: event.need("tool"),
            args: event.args(),
            id: event.text("id"),
            thought: event.need("thought"), // empty where it is not there
        },
        "tool_result" => Answer { call, ok: event.flag("ok"), text: event.need("content") },
        "error" => Answer { call, ok: false, text: event.need("message") },
        "message" => Message { role: event.need("role"), content: event.need("content") },
        "delta" if event.text("channel").unwrap_or("answer") == "answer" => Piece { text: event.need("text") },
        "reply" => Reply,
        _ => Other,
    }
}

/// `at` as a double; 1e400 is infinity.
fn time(event: &Event) -> Option<f64> {
    event.members.get("at")?.to_string().parse().ok()
}

impl Detector for Composed {
    fn reset(&mut self) {
        self.0.reset();
    }

    fn observe(&mut self, event: &Event) -> Value {
        let (event, at) = (&told(event), time(event));
        let spoken = match self.0.observe(at.map_or(*event, |at| composed::Event::At { at, event })) {
            Some(spoken) => spoken,
            None => return json!({"loop": false}),
        };
        let mut verdict = json!({
            "loop": true,
            "kind": spoken.kind,
            "count": spoken.count,
            "severity": spoken.severity,
            "rule": *spoken.rule,
            "rung": *spoken.rung,
        });
        if let Some(period) = spoken.period {
            verdict["period"] = json!(period);
        }
        if !spoken.evidence.is_empty() {
            verdict["evidence"] = json!(spoken.evidence);
        }
        verdict
    }

    fn snapshot(&self) -> Result<Value, Refused> {
        Ok(self.0.snapshot())
    }

    fn restore(&mut self, state: &Object) -> Result<(), Refused> {
        if self.0.restore(&Value::Object(state.clone())) {
            return Ok(());
        }
        Err(Refused::state())
    }
}
