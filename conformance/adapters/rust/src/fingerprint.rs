//! The detector `fingerprint` in Rust, to be read with spec/clauses/fingerprint.md.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde_json::{json, Value};

use crate::command::{command_of, words};
use crate::loopstone::{object, positive, settings, text, Detector, Event, Object, Port, Refused};

pub const PORT: Port = Port {
    functions: &[("fingerprint.compute", compute_function), ("fingerprint.nudge", nudge_function)],
    ..Port::new(
        "fingerprint",
        &["text"],
        &["messages", "layout", "functions", "state", "snapshot", "evidence", "replies"],
        open,
    )
};

const PRIMARY: [&str; 10] = [
    "path", "file_path", "command", "pattern", "query", "url", "content", "filename", "offset", "limit", // FP-8
];
const KNOWN_IDS: usize = 1000; // FP-34

// {tool} and {N} are put in.
const NOTICE: &str = "\
[System] You've called {tool} with the same arguments {N} times.
This indicates a stuck state. Either:
1. Try a DIFFERENT approach or tool
2. If blocked, explain what's preventing progress
3. If the task is complete, say so explicitly";

const WARNING: &str = "\
[System] WARNING: You've called {tool} {N} times with identical arguments.
This is a stuck state.
1. Try a DIFFERENT approach or tool
2. If blocked, explain the blocker";

const CRITICAL: &str = "\
[System] CRITICAL: You've called {tool} with the same arguments {N} times.
You are in a doom loop. You MUST:
1. STOP calling {tool} immediately
2. Explain what you're stuck on
3. Try a completely different approach
Further identical calls will be rejected.";

const TESTS_FAIL: &str = "\
[System] You've had {N} consecutive test failures. Step back and rethink:
1. Re-read the error messages carefully
2. Consider whether your approach is fundamentally wrong
3. Try a DIFFERENT fix strategy instead of iterating on the same one";

const BASH_FAILS: &str = "[System] {N} commands of the shell failed one after another. Find out why before the next.";
const USE_FILE_TOOLS: &str = " To look at files and to change them there are read_file, write_file and edit_file.";
const TALK: &str = "[System] {N} messages, and nothing was done. Use a tool, or say that you are done.";

// When calls are the same.

/// Writes the value so that equal ones are written alike: numbers as doubles, where -0 is 0 (FP-7), members sorted, as
/// the map is (FP-6).
fn write_canonical(out: &mut String, value: &Value) {
    match value {
        Value::Number(number) => out.push_str(&format!("{:e}", double(&number.to_string()) + 0.0)),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(out, item);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(members) => write_members(out, members.iter().map(|(name, value)| (name.as_str(), value))),
        _ => out.push_str(&value.to_string()),
    }
}

fn write_members<'a>(out: &mut String, members: impl Iterator<Item = (&'a str, &'a Value)>) {
    out.push('{');
    for (name, value) in members {
        out.push_str(&json!(name).to_string());
        out.push(':');
        write_canonical(out, value);
        out.push(',');
    }
    out.push('}');
}

fn double(spelling: &str) -> f64 {
    spelling.parse().expect("a JSON number")
}

/// Equal for equal tools and equal members, and for no others.
fn text_of<'a>(tool: &str, members: impl Iterator<Item = (&'a str, &'a Value)>) -> String {
    let mut out = json!(tool).to_string();
    write_members(&mut out, members);
    out
}

/// FP-6
fn text_of_call(tool: &str, args: &Object) -> String {
    text_of(tool, args.iter().map(|(name, value)| (name.as_str(), value)))
}

fn fingerprint(tool: &str, args: &Object) -> String {
    if let Some(command) = command_of(args).filter(|_| tool == "bash") {
        if command.contains(['|', '>', '<', ';', '&', '\n']) {
            return text_of_call(tool, args); // FP-13
        }
        if let Some(path) = file_read(command) {
            return format!("bash:file_read:{path}"); // FP-11
        }
    } // FP-14
    let mut primary = PRIMARY.iter().filter_map(|name| Some((*name, args.get(*name)?))).peekable(); // FP-8, FP-9
    if primary.peek().is_none() {
        return text_of_call(tool, args); // FP-10
    }
    text_of(tool, primary) // it begins with a quote, so it is no file read (FP-15)
}

/// The path, where the command only reads one file (FP-12).
fn file_read(command: &str) -> Option<&str> {
    let mut words = words(command);
    words.next().filter(|first| ["cat", "head", "tail"].contains(first))?;
    let mut paths = words.filter(|word| !word.starts_with('-'));
    paths.next().filter(|_| paths.next().is_none())
}

/// Whether the command is one that D1 has better tools for (FP-35).
fn calls_for_file_tools(args: &Object) -> bool {
    let first = command_of(args).and_then(|command| words(command).next());
    matches!(first, Some("cat" | "echo" | "sed"))
}

// Nudges.

/// FP-24
fn severity(count: u64) -> &'static str {
    match count {
        0..=3 => "notice",
        4..=5 => "warning",
        _ => "critical",
    }
}

/// FP-25 to FP-27. The count is put in first: the tool may be called {N}.
fn nudge(tool: &str, count: u64) -> String {
    let text = match severity(count) {
        "notice" => NOTICE,
        "warning" => WARNING,
        _ => CRITICAL,
    };
    with_count(text, count).replace("{tool}", tool)
}

fn with_count(text: &str, count: u64) -> String {
    text.replace("{N}", &count.to_string())
}

/// FP-45, FP-47
fn compute_function(_reading: &str, args: &Object) -> Result<Value, Refused> {
    Ok(json!(fingerprint(text(args, "tool")?, object(args, "args")?)))
}

/// FP-46, FP-47
fn nudge_function(_reading: &str, args: &Object) -> Result<Value, Refused> {
    let count = args.get("count").and_then(positive).ok_or_else(|| Refused::params("count: want 1 or more"))?;
    Ok(json!(nudge(text(args, "tool")?, count)))
}

// The detector.

/// The indices of the latest events of a run, the latest last; none stands for one from before a restore.
#[derive(Default)]
struct Run {
    length: u64,
    indices: VecDeque<u64>,
}

impl Run {
    fn of(length: u64) -> Run {
        Run { length, indices: VecDeque::new() }
    }

    fn lengthen(&mut self, index: u64) {
        self.length += 1;
        self.indices.push_back(index);
        if self.indices.len() > 100 {
            self.indices.pop_front(); // FP-42
        }
    }
}

struct Config {
    threshold: u64,
    fuzzy_threshold: u64,
    window: u64,
    test_failures: u64,
    bash_failures: u64,
    text_turns: u64,
}

/// What is remembered of a call with an id.
struct Known {
    tool: String,
    for_files: bool,
    place: u64, // of the call among those with an id
}

/// What a session has seen.
#[derive(Default)]
struct Seen {
    last: Option<Last>,
    calls: VecDeque<u64>, // the indices of the latest
    ids: HashMap<String, Known>,
    order: BTreeMap<u64, String>, // the ids by their places
    places: u64,
    bash_for_files: bool,    // the last bash call
    failure_for_files: bool, // the last failing command
    tests: Run,
    bash: Run,
    talk: Run,
    warned: Option<Value>,
}

/// The last call: another one ends a run for good, so no more has to be remembered (FP-23).
struct Last {
    tool: String,
    args: Object,
    text: String,
    fingerprint: String,
    exact: u64,
    fuzzy: u64,
}

struct Fingerprint {
    config: Config,
    seen: Seen,
}

fn open(_reading: &str, config: &Object) -> Result<Box<dyn Detector>, Refused> {
    let defaults = [
        ("threshold", 3),
        ("fuzzy_threshold", 4),
        ("window", 10),
        ("test_failures", 3),
        ("bash_failures", 3),
        ("text_turns", 2),
    ];
    let [threshold, fuzzy_threshold, window, test_failures, bash_failures, text_turns] = settings(config, defaults)?;
    let config = Config { threshold, fuzzy_threshold, window, test_failures, bash_failures, text_turns }; // FP-3, FP-4
    Ok(Box::new(Fingerprint { config, seen: Seen::default() }))
}

impl Last {
    fn of(tool: &str, args: &Object, exact: u64, fuzzy: u64) -> Last {
        let (text, fingerprint) = (text_of_call(tool, args), fingerprint(tool, args));
        Last { tool: tool.to_string(), args: args.clone(), text, fingerprint, exact, fuzzy }
    }
}

impl Seen {
    /// FP-32: the latest call of an id is meant. FP-34: the oldest of many are forgotten.
    fn know(&mut self, id: &str, tool: &str, for_files: bool) {
        let known = Known { tool: tool.to_string(), for_files, place: self.places };
        if let Some(before) = self.ids.insert(id.to_string(), known) {
            self.order.remove(&before.place);
        }
        self.order.insert(self.places, id.to_string());
        self.places += 1;
        if self.order.len() > KNOWN_IDS {
            let oldest = self.order.keys().next().copied().and_then(|place| self.order.remove(&place));
            oldest.map(|id| self.ids.remove(&id));
        }
    }
}

impl Fingerprint {
    fn on_call(&mut self, event: &Event) -> Value {
        let (tool, args) = (event.need("tool"), event.args());
        let mut last = Last::of(tool, args, 1, 1);
        if let Some(before) = &self.seen.last {
            let next = |count: u64, equal| if equal { (count + 1).min(self.config.window) } else { 1 };
            last.exact = next(before.exact, before.text == last.text); // FP-16
            last.fuzzy = next(before.fuzzy, before.fingerprint == last.fingerprint); // FP-17
        }
        let seen = &mut self.seen;
        seen.last = Some(last);
        seen.calls.push_back(event.index);
        if seen.calls.len() > 100 {
            seen.calls.pop_front(); // FP-42
        }
        seen.talk = Run::default(); // FP-37
        let for_files = calls_for_file_tools(args);
        if tool == "bash" {
            seen.bash_for_files = for_files;
        }
        if let Some(id) = event.text("id") {
            seen.know(id, tool, for_files);
        }
        self.verdict_on_call()
    }

    fn verdict_on_call(&self) -> Value {
        let last = match &self.seen.last {
            Some(last) => last,
            None => return json!({"loop": false, "count": 0}),
        };
        let (kind, count) = match last {
            _ if last.exact >= self.config.threshold => ("exact", last.exact), // FP-18, FP-20
            _ if last.fuzzy >= self.config.fuzzy_threshold => ("fuzzy", last.fuzzy), // FP-19
            _ => return json!({"loop": false, "count": last.exact}),           // FP-21
        };
        let counted = self.seen.calls.iter().rev().take(count.min(100) as usize).rev(); // FP-42
        let mut verdict = found(kind, count, nudge(&last.tool, count), counted);
        verdict["tool"] = json!(last.tool); // FP-22
        verdict["severity"] = json!(severity(count));
        verdict
    }

    fn on_test_run(&mut self, event: &Event) -> Value {
        if event.flag("passed") {
            self.seen.tests = Run::default(); // FP-28
        } else {
            self.seen.tests.lengthen(event.index);
        }
        verdict_on_run("test_fix", &self.seen.tests, self.config.test_failures, TESTS_FAIL, "") // FP-29, FP-30
    }

    fn on_result(&mut self, event: &Event) -> Value {
        let seen = &mut self.seen;
        let known = event.text("call").and_then(|call| seen.ids.get(call));
        let tool = event.text("tool").or_else(|| known.map(|call| call.tool.as_str())); // FP-32
        if tool == Some("bash") && event.flag("ok") {
            seen.bash = Run::default(); // FP-31; of other tools, or none, the result is neutral (FP-33)
        } else if tool == Some("bash") {
            seen.bash.lengthen(event.index);
            seen.failure_for_files = known.map_or(seen.bash_for_files, |call| call.for_files); // FP-50, FP-51
        }
        let more = if seen.failure_for_files { USE_FILE_TOOLS } else { "" }; // FP-35
        verdict_on_run("bash_cascade", &seen.bash, self.config.bash_failures, BASH_FAILS, more)
    }

    fn on_message(&mut self, event: &Event) -> Value {
        if event.need("role") == "assistant" {
            if event.list("tool_calls").map_or(false, |calls| !calls.is_empty()) {
                self.seen.talk = Run::default(); // FP-37
            } else {
                self.seen.talk.lengthen(event.index); // FP-36
            }
        } // FP-39
        verdict_on_run("summary", &self.seen.talk, self.config.text_turns, TALK, "") // FP-38
    }

    /// What was seen, of a state that such a session can have left (FP-44).
    fn possible(&self, state: &Object) -> Option<Seen> {
        let number = |name| state.get(name)?.as_u64();
        let warned = state.get("warned").filter(|at| at.is_null() || at.is_number())?;
        let mut seen = Seen {
            last: self.possible_last(state.get("last")?)?,
            bash_for_files: state.get("bash_for_files")?.as_bool()?,
            failure_for_files: state.get("failure_for_files")?.as_bool()?,
            tests: Run::of(number("tests")?),
            bash: Run::of(number("bash")?),
            talk: Run::of(number("talk")?),
            warned: Some(warned.clone()).filter(|at| !at.is_null()),
            ..Seen::default()
        };
        let ids = state.get("ids")?.as_array().filter(|ids| ids.len() <= KNOWN_IDS)?;
        for known in ids {
            let known = known.as_array().filter(|known| known.len() == 3)?;
            seen.know(known[0].as_str()?, known[1].as_str()?, known[2].as_bool()?);
        }
        let called = seen.last.is_some() || ids.is_empty();
        (called && seen.ids.len() == ids.len() && state.len() == 8).then(|| seen)
    }

    fn possible_last(&self, state: &Value) -> Option<Option<Last>> {
        if state.is_null() {
            return Some(None);
        }
        let state = state.as_object().filter(|state| state.len() == 4)?;
        let (tool, args) = (state.get("tool")?.as_str()?, state.get("args")?.as_object()?);
        let (exact, fuzzy) = (positive(state.get("exact")?)?, positive(state.get("fuzzy")?)?);
        (exact <= fuzzy && fuzzy <= self.config.window).then(|| Some(Last::of(tool, args, exact, fuzzy))) // FP-48
    }
}

fn verdict_on_run(kind: &str, run: &Run, threshold: u64, text: &str, more: &str) -> Value {
    if run.length < threshold {
        return json!({"loop": false});
    }
    found(kind, run.length, with_count(text, run.length) + more, run.indices.iter())
}

fn found<'a>(kind: &str, count: u64, message: String, counted: impl Iterator<Item = &'a u64>) -> Value {
    let mut verdict = json!({"loop": true, "kind": kind, "count": count, "message": message});
    let evidence: Vec<u64> = counted.copied().collect();
    if !evidence.is_empty() {
        verdict["evidence"] = json!(evidence); // PR-35: there is none where all is from before a restore
    }
    verdict
}

impl Detector for Fingerprint {
    fn reset(&mut self) {
        self.seen = Seen::default(); // FP-5
    }

    fn observe(&mut self, event: &Event) -> Value {
        let verdict = match event.kind() {
            "tool_call" => self.on_call(event), // FP-2
            "test_run" => self.on_test_run(event),
            "tool_result" => self.on_result(event),
            "message" => self.on_message(event),
            _ => return json!({"loop": false}), // FP-1
        };
        if verdict["loop"] == true && event.members.contains_key("at") {
            self.seen.warned = event.members.get("at").cloned(); // FP-41
        }
        verdict
    }

    fn state(&self) -> Result<Value, Refused> {
        let verdict = self.verdict_on_call();
        Ok(json!({
            "doomLoopDetected": verdict["loop"], // FP-40
            "lastTool": self.seen.last.as_ref().map(|last| &last.tool),
            "consecutiveCount": verdict["count"],
            "threshold": self.config.threshold,
            "fuzzyThreshold": self.config.fuzzy_threshold,
            "lastWarningTime": self.seen.warned.clone().unwrap_or_else(|| json!(0)),
        }))
    }

    fn snapshot(&self) -> Result<Value, Refused> {
        let seen = &self.seen;
        let last = seen.last.as_ref().map(|last| {
            json!({"tool": last.tool, "args": last.args, "exact": last.exact, "fuzzy": last.fuzzy})
        });
        let ids = seen.order.values().map(|id| json!([id, seen.ids[id].tool, seen.ids[id].for_files]));
        Ok(json!({
            "last": last, // FP-43
            "ids": ids.collect::<Vec<_>>(),
            "bash_for_files": seen.bash_for_files,
            "failure_for_files": seen.failure_for_files,
            "tests": seen.tests.length,
            "bash": seen.bash.length,
            "talk": seen.talk.length,
            "warned": seen.warned,
        }))
    }

    fn restore(&mut self, state: &Object) -> Result<(), Refused> {
        self.seen = self.possible(state).ok_or_else(Refused::state)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(tool: &str, args: Value) -> String {
        fingerprint(tool, args.as_object().unwrap())
    }

    #[test]
    fn plain_reads_are_one() {
        for command in ["cat a", "head -20 a", " tail\ta "] {
            assert_eq!(print("bash", json!({ "command": command })), "bash:file_read:a");
        }
        for command in ["cat a b", "head -n 20 a", "cat a | wc", "ls a", "cat"] {
            assert!(!print("bash", json!({ "command": command })).starts_with("bash:"), "{command}");
        }
    }

    #[test]
    fn numbers_are_doubles() {
        let parsed = |text: &str| print("t", serde_json::from_str(text).unwrap());
        assert_eq!(parsed(r#"{"a":[1,-0.0]}"#), parsed(r#"{"a":[1e0,0]}"#));
        assert_ne!(parsed(r#"{"a":1}"#), parsed(r#"{"a":true}"#));
        assert_ne!(parsed(r#"{"a":1}"#), parsed(r#"{"a":"1"}"#));
        parsed(r#"{"a":1e999}"#);
    }

    #[test]
    fn a_tool_may_be_called_like_a_placeholder() {
        assert!(nudge("{N}", 3).starts_with("[System] You've called {N} with the same arguments 3 times."));
    }

    #[test]
    fn only_so_many_ids_are_known() {
        let mut seen = Seen::default();
        for i in 0..=KNOWN_IDS {
            seen.know("again", "t", false);
            seen.know(&i.to_string(), "t", false);
        }
        assert_eq!((seen.ids.len(), seen.order.len()), (KNOWN_IDS, KNOWN_IDS));
        assert!(seen.ids.contains_key("again") && !seen.ids.contains_key("0"));
    }
}
