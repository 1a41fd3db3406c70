//! The detector `composed` as an agent takes it: the file alone. The suite itself judges what it says.

#[path = "../src/composed.rs"]
mod composed;

use composed::{Event, LoopDetector, Object, Verdict};
use serde_json::{json, Value};

fn detector(rule: Value) -> LoopDetector {
    LoopDetector::new(Some(&json!([rule]))).unwrap()
}

fn call(detector: &mut LoopDetector, tool: &str, args: Value) -> Option<Verdict> {
    detector.observe(Event::Call { tool, args: args.as_object().unwrap(), id: None, thought: "" })
}

fn count(verdict: Option<Verdict>) -> u64 {
    verdict.map_or(0, |verdict| verdict.count)
}

#[test]
fn an_agent_is_told_of_a_loop() {
    let mut detector = detector(json!({"same": {"results": "text"}, "pattern": {"sort": "streak"}}));
    let args = Object::new();
    let mut spoken = None;
    for _ in 0..3 {
        assert_eq!(spoken, None);
        detector.observe(Event::Call { tool: "read_file", args: &args, id: Some("1"), thought: "" });
        spoken = detector.observe(Event::Answer { call: Some("1"), ok: true, text: "x = 1" });
    }
    let spoken = spoken.unwrap();
    assert_eq!((spoken.kind, spoken.count, spoken.severity), ("streak", 3, "critical"));
    assert_eq!((&*spoken.rule, &*spoken.rung, spoken.evidence), ("1", "1", vec![0, 2, 4]));
}

#[test]
fn a_fault_is_told_with_its_place() {
    for (rule, place) in [
        (json!(5), "rules/0"),
        (json!({"same": {"by": "cal"}}), "rules/0/same/by"),
        (json!({"pattern": {"sort": "cycle", "to": 1}}), "rules/0/pattern/to"),
        (json!({"tools": {"only": ["bash?x"]}}), "rules/0/tools/only"),
        (json!({"fresh": ["change"]}), "rules/0/changes"),
        (json!({"rungs": [{"at": 2}, {"at": 2}]}), "rules/0/rungs/1/at"),
        (json!({"rungs": [{"own": {"bash": 0}}]}), "rules/0/rungs/0/own"),
    ] {
        let fault = LoopDetector::new(Some(&json!([rule]))).err().expect(place).to_string();
        assert!(fault.starts_with(&format!("{place}: ")), "{fault}");
    }
}

#[test]
fn names_stand_for_sets_of_calls() {
    for (name, tool, has) in [
        ("a*", "a\nb", true),
        ("a*a", "a", false), // each part of the name has a part of its own
        ("*b*c", "abcbc", true),
        ("*b*b", "ab", false),
        ("t?x=*", "t", false), // behind the sign a star is a star
        ("t?x=1", "t", true),
    ] {
        let mut detector = detector(json!({"tools": {"only": [name]}, "rungs": [{"at": 1}]}));
        assert_eq!(count(call(&mut detector, tool, json!({"x": "1"}))) == 1, has, "{name}");
    }
}

/// What is counted reaches further back than what is kept of it.
#[test]
fn a_long_count_goes_on_after_a_restore() {
    for (pattern, tools, want) in [
        (json!({"sort": "run"}), &["a"][..], 151),
        (json!({"sort": "cycle"}), &["a", "b"][..], 75),
    ] {
        let rule = json!({"pattern": pattern, "rungs": [{"at": 1}]});
        let mut before = detector(rule.clone());
        (0..150).for_each(|i| drop(call(&mut before, tools[i % tools.len()], json!({}))));
        let mut after = detector(rule);
        assert!(after.restore(&before.snapshot()));
        for detector in [&mut before, &mut after] {
            assert_eq!(count(call(detector, tools[0], json!({}))), want);
        }
    }
}

#[test]
fn a_refused_state_changes_nothing() {
    let mut detector = detector(json!({"pattern": {"sort": "among", "last": 2}, "rungs": [{"speaks": "stays"}]}));
    call(&mut detector, "t", json!({}));
    let good = detector.snapshot();
    let changed = |path: &str, value: Value| {
        let mut state = good.clone();
        *state.pointer_mut(path).expect(path) = value;
        state
    };
    let item = good["rules"][0]["items"]["items"][0].clone();
    for bad in [
        changed("/rules", json!([])),
        changed("/rules/0/items/items", json!([item, item, item])), // two are the most
        changed("/rules/0/stays", json!([1, 3, null])),                   // there is no such rung
        changed("/rules/0/stays", json!([0, 3, 2])),                      // nothing else has a period
        changed("/rules/0/step", json!([])),                              // nor steps
        changed("/rules/0/judged", json!(-1)),
        changed("/calls", json!(0)), // one waits
        changed("/waiting/0/2", json!([])),
        json!({}),
        json!(5),
    ] {
        assert!(!detector.restore(&bad), "{bad}");
        assert_eq!(detector.snapshot(), good);
    }
}
