//! The detector `history` in Rust, to be read with spec/clauses/history.md.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

use serde_json::{json, Value};

use crate::command::{command_of, is_blank, words};
use crate::loopstone::{object, positive, settings, text, Detector, Event, Object, Port, Refused};
use crate::python;

pub const PORT: Port = Port {
    functions: &[("history.hash", hash_function)],
    ..Port::new(
        "history",
        &["code"],
        &["hashes", "mitigations", "snapshot", "evidence", "int-float", "replies"],
        open,
    )
};

/// A call in the window.
struct Call {
    tool: Rc<str>,
    identity: Rc<str>,        // equal for equal calls: the hash, or a colon and the tool where it is normalized
    opening: Option<Rc<str>>, // the word, a blank, the tool; none where the call has no word
    index: Option<u64>,       // none where it is from before a restore
}

/// How often each key occurs, and how often the most frequent one does, at a cost that does not grow.
#[derive(Default)]
struct Tally {
    counts: HashMap<Rc<str>, u64>,
    reached: HashMap<u64, u64>, // n: how many keys occur n times or more
    highest: u64,
}

impl Tally {
    fn add(&mut self, key: &Rc<str>) {
        let count = self.counts.entry(key.clone()).or_default();
        *count += 1;
        *self.reached.entry(*count).or_default() += 1;
        self.highest = self.highest.max(*count);
    }

    fn remove(&mut self, key: &Rc<str>) {
        let count = self.counts.get_mut(key).expect("what is removed was added");
        let reached = self.reached.get_mut(count).expect("a count was reached");
        *reached -= 1;
        if *reached == 0 {
            self.reached.remove(count); // it was the highest
            self.highest -= 1;
        }
        *count -= 1;
        if *count == 0 {
            self.counts.remove(key);
        }
    }

    fn of(&self, key: &str) -> u64 {
        self.counts.get(key).copied().unwrap_or(0)
    }
}

/// HI-6, HI-27
fn digest(tool: &str, args: &Object) -> String {
    format!("{:x}", md5::compute(format!("{tool}:{}", python::dumps(args))))
}

/// HI-27, HI-28
fn hash_function(_reading: &str, args: &Object) -> Result<Value, Refused> {
    Ok(json!(digest(text(args, "tool")?, object(args, "args")?)))
}

struct History {
    threshold: u64,
    size: u64,
    normalize: BTreeSet<String>,
    limits: BTreeMap<String, u64>,
    word_threshold: Option<u64>,

    window: VecDeque<Call>,
    equal: Tally,
    tools: Tally,
    openings: Tally,
}

fn open(_reading: &str, config: &Object) -> Result<Box<dyn Detector>, Refused> {
    let mut config = config.clone();
    let normalize = taken(&mut config, "normalize", json!([]), |value| {
        value.as_array()?.iter().map(|tool| tool.as_str().map(String::from)).collect()
    })?;
    let limits = taken(&mut config, "tool_limits", json!({}), |value| {
        value.as_object()?.iter().map(|(tool, limit)| Some((tool.clone(), positive(limit)?))).collect()
    })?;
    let word_threshold = match config.remove("first_word_threshold") {
        None => None,
        Some(value) => Some(positive(&value).ok_or_else(|| Refused::config("first_word_threshold"))?),
    };
    let [threshold, size] = settings(&config, [("repeat_threshold", 3), ("history_size", 20)])?; // HI-2, HI-3, HI-4
    let (window, equal, tools, openings) = Default::default();
    Ok(Box::new(History { threshold, size, normalize, limits, word_threshold, window, equal, tools, openings }))
}

/// A mitigation, taken out of the configuration; refused where it is not legal (HI-17).
fn taken<T>(config: &mut Object, name: &str, default: Value, read: fn(&Value) -> Option<T>) -> Result<T, Refused> {
    read(&config.remove(name).unwrap_or(default)).ok_or_else(|| Refused::config(name))
}

impl History {
    fn remember(&mut self, tool: &str, hash: Option<&str>, word: Option<&str>, index: Option<u64>) {
        let identity = match hash {
            Some(hash) => Rc::from(hash),
            None => Rc::from(format!(":{tool}")), // HI-18: no hash is like that
        };
        let opening = word.map(|word| Rc::from(format!("{word} {tool}"))); // HI-20: no word has a blank
        let call = Call { tool: Rc::from(tool), identity, opening, index };
        self.equal.add(&call.identity);
        self.tools.add(&call.tool);
        if let Some(opening) = &call.opening {
            self.openings.add(opening);
        }
        self.window.push_back(call);
    }

    fn forget_oldest(&mut self) {
        let call = self.window.pop_front().expect("a full window has a call");
        self.equal.remove(&call.identity);
        self.tools.remove(&call.tool);
        if let Some(opening) = &call.opening {
            self.openings.remove(opening);
        }
    }

    /// The whole window is judged (HI-15); of several rules the first gives the verdict (HI-22).
    fn verdict(&self) -> Value {
        if self.equal.highest >= self.threshold {
            return self.found("repeat", self.equal.highest, &self.equal, |call| Some(&call.identity)); // HI-13
        }
        let above = self.limits.iter().filter(|(tool, limit)| self.tools.of(tool) > **limit);
        if let Some(count) = above.map(|(tool, _)| self.tools.of(tool)).max() {
            return self.found("tool_limit", count, &self.tools, |call| self.above(call)); // HI-19
        }
        match self.word_threshold {
            Some(threshold) if self.openings.highest >= threshold => {
                self.found("first_word", self.openings.highest, &self.openings, |call| call.opening.as_ref()) // HI-20
            }
            _ => json!({"loop": false, "count": self.equal.highest}), // HI-14
        }
    }

    fn above<'a>(&self, call: &'a Call) -> Option<&'a Rc<str>> {
        let limit = self.limits.get(&*call.tool)?;
        (self.tools.of(&call.tool) > *limit).then(|| &call.tool)
    }

    fn found<'a, F>(&'a self, kind: &str, count: u64, tally: &Tally, key_of: F) -> Value
    where
        F: Fn(&'a Call) -> Option<&'a Rc<str>>,
    {
        let mut keys = self.window.iter().rev().filter_map(&key_of);
        let spoken = keys.find(|key| tally.of(key) == count); // HI-24
        let counted = self.window.iter().rev().filter(|call| key_of(call) == spoken);
        let mut evidence: Vec<u64> = counted.filter_map(|call| call.index).take(100).collect(); // HI-23
        evidence.reverse();
        let mut verdict = json!({"loop": true, "kind": kind, "count": count});
        if !evidence.is_empty() {
            verdict["evidence"] = json!(evidence); // HI-30
        }
        verdict
    }

    /// What a snapshot holds of a call: its tool, its hash and its word, null where it has none.
    fn part(call: &Call) -> Value {
        let hash = Some(&*call.identity).filter(|identity| !identity.starts_with(':'));
        let word = call.opening.as_ref().and_then(|opening| opening.split_once(' ')).map(|(word, _)| word);
        json!([&*call.tool, hash, word])
    }

    /// The parts of a call, where one can have left them under this configuration (HI-26).
    fn possible<'a>(&self, part: &'a Value) -> Option<(&'a str, Option<&'a str>, Option<&'a str>)> {
        let parts = part.as_array().filter(|parts| parts.len() == 3)?;
        let (tool, hash, word) = (parts[0].as_str()?, optional(&parts[1])?, optional(&parts[2])?);
        let legal_hash = match hash {
            None => self.normalize.contains(tool),
            Some(hash) => !self.normalize.contains(tool) && is_hash(hash),
        };
        let legal_word = word.map_or(true, |word| !word.is_empty() && !word.contains(is_blank));
        (legal_hash && legal_word).then(|| (tool, hash, word))
    }
}

fn optional(value: &Value) -> Option<Option<&str>> {
    match value {
        Value::Null => Some(None),
        _ => value.as_str().map(Some),
    }
}

fn is_hash(hash: &str) -> bool {
    hash.len() == 32 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

impl Detector for History {
    fn reset(&mut self) {
        (self.window, self.equal, self.tools, self.openings) = Default::default(); // HI-5
    }

    fn observe(&mut self, event: &Event) -> Value {
        if event.kind() != "tool_call" {
            return json!({"loop": false}); // HI-1
        }
        if self.window.len() as u64 == self.size {
            self.forget_oldest(); // HI-10
        }
        let (tool, args) = (event.need("tool"), event.args());
        let hash = (!self.normalize.contains(tool)).then(|| digest(tool, args)); // HI-18
        let word = command_of(args).and_then(|command| words(command).next()); // HI-21
        self.remember(tool, hash.as_deref(), word, Some(event.index));
        self.verdict()
    }

    fn snapshot(&self) -> Result<Value, Refused> {
        Ok(json!({"calls": self.window.iter().map(History::part).collect::<Vec<_>>()})) // HI-25
    }

    fn restore(&mut self, state: &Object) -> Result<(), Refused> {
        let calls = state.get("calls").and_then(Value::as_array).ok_or_else(Refused::state)?;
        if state.len() != 1 || calls.len() as u64 > self.size {
            return Err(Refused::state()); // HI-29
        }
        let parts: Option<Vec<_>> = calls.iter().map(|call| self.possible(call)).collect();
        let parts = parts.ok_or_else(Refused::state)?; // HI-26
        self.reset();
        for (tool, hash, word) in parts {
            self.remember(tool, hash, word, None);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object_of(value: Value) -> Object {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_hash_of_the_document() {
        let args = object_of(json!({"path": "a.py"}));
        assert_eq!(digest("read_file", &args), "9e3dc59bb241e60390e6a908bfb21b43");
    }

    #[test]
    fn a_tally_follows_the_most_frequent() {
        let mut tally = Tally::default();
        let keys: Vec<Rc<str>> = ["a", "a", "b", "a", "b", "b"].map(Rc::from).into();
        keys.iter().for_each(|key| tally.add(key));
        assert_eq!(tally.highest, 3);
        keys[..3].iter().for_each(|key| tally.remove(key));
        assert_eq!((tally.highest, tally.of("a"), tally.of("b")), (2, 1, 2));
    }

    #[test]
    fn bad_states_are_refused() {
        let mut session = open("code", &object_of(json!({"history_size": 1, "normalize": ["n"]}))).unwrap();
        let hash = "0".repeat(32);
        assert_eq!(session.restore(&object_of(json!({"calls": [["t", hash, "ls"]]}))), Ok(()));
        for calls in [
            json!([["t", hash, null], ["t", hash, null]]), // too many
            json!([["t", null, null]]),                    // no hash
            json!([["n", hash, null]]),                    // a hash of what is normalized
            json!([["t", hash, "a b"]]),
            json!(["t"]),
            json!(5),
        ] {
            assert_eq!(session.restore(&object_of(json!({ "calls": calls }))), Err(Refused::state()), "{calls}");
        }
    }
}
