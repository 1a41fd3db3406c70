// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Loopstone Authors
//! The detector `composed` in one file, to be taken into an agent. It needs Rust 1.63 and serde_json.
//!
//!     let rules = json!([{"same": {"results": "text"}, "pattern": {"sort": "streak"}, "rungs": [{"at": 3}]}]);
//!     let mut detector = LoopDetector::new(Some(&rules))?;
//!     detector.observe(Event::Call { tool: "read_file", args: &args, id: Some("1"), thought: "" });
//!     if let Some(loop_) = detector.observe(Event::Answer { call: Some("1"), ok: true, text: "x = 1" }) {
//!         println!("{} {} {} {} {:?}", loop_.rule, loop_.rung, loop_.severity, loop_.count, loop_.evidence);
//!     }
//!
//! The rules are those of a profile; without them three equal calls in a row are counted. What is wrong in them is a
//! Fault with its place. Tell the detector all that happens, in its order: the calls, with their ids where the agent
//! has them; what came of each; what user and assistant say; for rules about pieces, each piece of an answer; and, for
//! rules about steps, that a reply of the model begins, before its calls. `evidence` holds the numbers of the events
//! that were counted, the first of all being 0. What else has a number in your log is an Event::Other. Rules with
//! `seconds` need the times of events: observe(Event::At { at: ms, event: &event }).
//!
//! An event costs the same however many there were, but `seconds` looks through its window. Kept is what the patterns
//! look back at, and 100 calls that wait. snapshot() and restore(state) let another process go on. With serde_json's
//! feature `preserve_order` the order of members is seen, as `key_order: kept` demands; with `arbitrary_precision`
//! numbers may be beyond the doubles. spec/clauses/composed.md has the clauses, which the comments name.
#![allow(dead_code)] // an agent need not use all of it

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::{self, Write};
use std::rc::Rc;

use serde_json::{json, Map, Value};

const WAITING: usize = 100; // CO-2
const CALLS_OF_A_STEP: usize = 100; // CO-17
const NAMED: usize = 100; // CO-38
const LONGEST_PERIOD: u64 = 100; // CO-6
const MOST_SECONDS: u64 = 1_000_000; // CO-6
const REVISITED: u64 = 50; // CO-44

pub type Object = Map<String, Value>;

/// What happened.
#[derive(Clone, Copy)]
pub enum Event<'a> {
    Call { tool: &'a str, args: &'a Object, id: Option<&'a str>, thought: &'a str },
    /// What came of a call; of an error, `ok` is false and `text` its message.
    Answer { call: Option<&'a str>, ok: bool, text: &'a str },
    Message { role: &'a str, content: &'a str },
    /// A piece of the answer that the model is writing.
    Piece { text: &'a str },
    Reply,
    Other,
    /// One of the others with `at`, its time in milliseconds, for rules with `seconds`.
    At { at: f64, event: &'a Event<'a> },
}

/// What the first rule that speaks says (CO-37).
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub kind: &'static str,
    pub count: u64,
    pub severity: &'static str,
    pub rule: Rc<str>,
    pub rung: Rc<str>,
    pub period: Option<u64>,
    pub evidence: Vec<u64>,
}

/// What is wrong in the rules, and where: rules/0/pattern/to (CO-40).
#[derive(Debug, PartialEq)]
pub struct Fault {
    pub place: String,
    pub problem: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl std::error::Error for Fault {}

// The configuration.

#[derive(Clone, Copy, PartialEq)]
enum By {
    Call,
    Tool,
    Step,
    Speech,
    Message,
    Piece,
}

#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Any,
    Ok,
    Failed,
}

#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Run,
    Among,
    Cycle,
    Periodic,
    Streak,
    Revisit,
}

#[derive(Clone, Copy, PartialEq)]
enum Fresh {
    User,
    Reply,
    Message,
    Call,
    Change,
}

#[derive(Clone, Copy, PartialEq)]
enum Speaks {
    Each,
    Once,
    Restart,
    Stays,
}

struct Rule {
    name: Rc<str>,
    same: Same,
    pattern: Pattern,
    tools: Tools,
    fresh: Vec<Fresh>,
    changes: Vec<Name>,
    before: bool,
    rungs: Vec<Rung>,
}

struct Same {
    by: By,
    texts: bool, // the texts of results are compared
    awaited: bool, // a call awaits its result, compared or not
    prefix: u64,
    outcome: Outcome,
    kept: bool,
    any_order: bool,
    keep: Vec<String>,
    omit: Vec<String>,
    thought: bool,
}

#[derive(Clone, Copy)]
struct Pattern {
    sort: Sort,
    last: u64,
    from: u64,
    to: u64,
    varied: bool,
    highest: bool,
    full: bool,
    seconds: Option<u64>,
}

struct Tools {
    only: Vec<Name>,
    except: Vec<Name>,
    silent: Vec<Name>,
    watched: Vec<Name>,
}

struct Rung {
    name: Rc<str>,
    severity: &'static str,
    at: u64,
    speaks: Speaks,
}

/// An object of the configuration, and its place; empty where it is not written.
struct Members<'a> {
    place: String,
    written: Option<&'a Object>,
}

impl<'a> Members<'a> {
    /// CO-4: what is written is an object of members with these names.
    fn of(place: String, value: Option<&'a Value>, known: &[&str]) -> Result<Members<'a>, Fault> {
        let written = value.and_then(Value::as_object);
        let members = Members { place, written };
        if value.is_some() && written.is_none() {
            return Err(Fault { place: members.place, problem: "want an object".to_string() });
        }
        match written.and_then(|object| object.keys().find(|name| !known.contains(&name.as_str()))) {
            Some(name) => Err(members.fault(name, &format!("unknown; known are {}", known.join(", ")))),
            None => Ok(members),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.written?.get(name)
    }

    fn place(&self, name: &str) -> String {
        if self.place.is_empty() {
            return name.to_string();
        }
        format!("{}/{name}", self.place)
    }

    fn fault(&self, name: &str, problem: &str) -> Fault {
        Fault { place: self.place(name), problem: problem.to_string() }
    }

    fn part(&self, name: &str, known: &[&str]) -> Result<Members<'a>, Fault> {
        Members::of(self.place(name), self.get(name), known)
    }

    fn parsed<T, F>(&self, name: &str, default: T, want: &str, parse: F) -> Result<T, Fault>
    where
        F: Fn(&'a Value) -> Option<T>,
    {
        match self.get(name) {
            None => Ok(default),
            Some(value) => parse(value).ok_or_else(|| self.fault(name, &format!("want {want}"))),
        }
    }

    /// One of these words; without any, the first.
    fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<T, Fault> {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.parsed(name, words[0].1, &format!("one of {}", known.join(", ")), |value| meaning(words, value))
    }

    fn flag(&self, name: &str) -> Result<bool, Fault> {
        self.parsed(name, false, "true or false", Value::as_bool)
    }

    fn number(&self, name: &str, default: u64) -> Result<u64, Fault> {
        self.parsed(name, default, "an integer of at least 1", positive)
    }

    fn list<T>(&self, name: &str, want: &str, read: impl Fn(&'a Value) -> Option<T>) -> Result<Vec<T>, Fault> {
        let want = format!("an array of {want}");
        self.parsed(name, Vec::new(), &want, |value| value.as_array()?.iter().map(&read).collect())
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, Fault> {
        self.list(name, "texts that are not empty", filled)
    }

    fn names(&self, name: &str) -> Result<Vec<Name>, Fault> {
        self.list(name, "tools such as bash, file_* or bash?command=ls", |value| Name::of(value.as_str()?))
    }

    fn name(&self, number: usize) -> Result<Rc<str>, Fault> {
        let default = (number + 1).to_string();
        Ok(self.parsed("name", default, "a text that is not empty", filled)?.into())
    }

    /// CO-6: what has no meaning where it stands is not written.
    fn go_with(&self, names: &[&str], meant: bool, with: &str) -> Result<(), Fault> {
        match names.iter().find(|name| !meant && self.get(name).is_some()) {
            Some(name) => Err(self.fault(name, &format!("goes only with {with}"))),
            None => Ok(()),
        }
    }

    /// CO-6: what is written goes together.
    fn refuse(&self, name: &str, wrong: bool, problem: &str) -> Result<(), Fault> {
        if wrong {
            return Err(self.fault(name, problem));
        }
        Ok(())
    }
}

fn meaning<T: Copy>(words: &[(&str, T)], value: &Value) -> Option<T> {
    let written = value.as_str()?;
    words.iter().find(|(word, _)| *word == written).map(|(_, meaning)| *meaning)
}

fn filled(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(String::from)
}

/// An integer of at least 1; one that is too large for a count is the largest.
fn positive(value: &Value) -> Option<u64> {
    let digits = spelling(value)?;
    let whole = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    whole.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// A number as it is written.
fn spelling(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A set of calls (CO-19).
struct Name {
    tool: String,
    argument: Option<(String, String)>,
}

impl Name {
    /// CO-20
    fn of(text: &str) -> Option<Name> {
        let (tool, argument) = match text.split_once('?') {
            None => (text, None),
            Some((tool, argument)) => (tool, Some(argument.split_once('=').filter(|(name, _)| !name.is_empty())?)),
        };
        let argument = argument.map(|(name, text)| (name.to_string(), text.to_string()));
        (!tool.is_empty()).then(|| Name { tool: tool.to_string(), argument })
    }

    fn has(&self, tool: &str, args: &Object) -> bool {
        let given = |name: &String| args.get(name).and_then(Value::as_str);
        is_like(&self.tool, tool) && self.argument.iter().all(|(name, text)| given(name) == Some(text))
    }
}

fn is_like(pattern: &str, text: &str) -> bool {
    let (first, rest) = match pattern.split_once('*') {
        None => return pattern == text,
        Some(parts) => parts,
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let mut left = match text.strip_prefix(first).and_then(|text| text.strip_suffix(last)) {
        None => return false,
        Some(left) => left,
    };
    middle.split('*').all(|part| {
        let found = left.find(part);
        left = found.map_or("", |at| &left[at + part.len()..]);
        found.is_some()
    })
}

fn any_has(names: &[Name], tool: &str, args: &Object) -> bool {
    names.iter().any(|name| name.has(tool, args))
}

impl Rule {
    /// CO-3, CO-5
    fn all(rules: Option<&Value>) -> Result<Vec<Rule>, Fault> {
        let default = json!([{}]);
        let fault = |place: &str, problem: &str| Fault { place: place.to_string(), problem: problem.to_string() };
        let list = rules.unwrap_or(&default).as_array().ok_or_else(|| fault("rules", "want an array"))?;
        let mut read: Vec<Rule> = Vec::new();
        for (i, rule) in list.iter().enumerate() {
            let rule = Rule::of(i, rule)?;
            if read.iter().any(|other| other.name == rule.name) {
                return Err(fault(&format!("rules/{i}/name"), "another rule has it"));
            }
            read.push(rule);
        }
        if read.is_empty() {
            return Err(fault("rules", "want a rule"));
        }
        Ok(read)
    }

    fn of(i: usize, value: &Value) -> Result<Rule, Fault> {
        let known = ["name", "same", "pattern", "tools", "fresh", "changes", "judged", "rungs"];
        let members = Members::of(format!("rules/{i}"), Some(value), &known)?;
        let same = Same::of(&members)?;
        let pattern = Pattern::of(&members, &same)?;
        let tools = Tools::of(&members, &same)?;
        let (fresh, changes) = fresh_of(&members, &same)?;
        let before = members.word("judged", &[("after", false), ("before", true)])?;
        let late = pattern.highest
            || pattern.sort == Sort::Revisit
            || pattern.sort == Sort::Among && same.is_answered();
        members.refuse("judged", before && (late || !same.is_single()), "such items cannot be judged before")?;
        let rungs = Rung::all(&members)?;
        Ok(Rule { name: members.name(i)?, same, pattern, tools, fresh, changes, before, rungs })
    }

    fn starts_afresh(&self, fresh: Fresh) -> bool {
        self.fresh.contains(&fresh)
    }
}

impl Same {
    fn of(rule: &Members) -> Result<Same, Fault> {
        let known = ["by", "results", "prefix", "outcome", "key_order", "order", "keep", "omit", "thought"];
        let members = rule.part("same", &known)?;
        let by = [
            ("call", By::Call),
            ("tool", By::Tool),
            ("step", By::Step),
            ("speech", By::Speech),
            ("message", By::Message),
            ("piece", By::Piece),
        ];
        let outcomes = [("any", Outcome::Any), ("ok", Outcome::Ok), ("failed", Outcome::Failed)];
        let results = [("none", (false, false)), ("text", (true, true)), ("any", (false, true))];
        let (texts, awaited) = members.word("results", &results)?;
        let same = Same {
            by: members.word("by", &by)?,
            texts,
            awaited,
            prefix: members.number("prefix", u64::MAX)?,
            outcome: members.word("outcome", &outcomes)?,
            kept: members.word("key_order", &[("any", false), ("kept", true)])?,
            any_order: members.word("order", &[("kept", false), ("any", true)])?,
            keep: members.texts("keep")?,
            omit: members.texts("omit")?,
            thought: members.flag("thought")?,
        };
        let has_args = matches!(same.by, By::Call | By::Step);
        members.go_with(&["key_order", "keep", "omit", "thought"], has_args, "calls and steps")?;
        members.refuse("omit", !same.omit.is_empty() && !same.keep.is_empty(), "keep omits all others")?;
        members.refuse("results", awaited && !texts && !same.is_single(), "only a single call awaits any")?;
        members.go_with(&["results"], !same.is_spoken(), "calls and steps")?;
        members.go_with(&["outcome"], same.is_single(), "single calls")?;
        members.go_with(&["prefix"], same.texts, "results: text")?;
        members.go_with(&["order"], same.by == By::Step, "steps")?;
        Ok(same)
    }

    fn is_single(&self) -> bool {
        matches!(self.by, By::Call | By::Tool)
    }

    fn is_spoken(&self) -> bool {
        matches!(self.by, By::Speech | By::Message | By::Piece)
    }

    fn is_answered(&self) -> bool {
        self.awaited || self.outcome != Outcome::Any
    }

    /// CO-15
    fn is_blank(&self, ok: bool) -> bool {
        self.outcome == if ok { Outcome::Failed } else { Outcome::Ok }
    }
}

impl Pattern {
    fn of(rule: &Members, same: &Same) -> Result<Pattern, Fault> {
        let members = rule.part("pattern", &["sort", "last", "from", "to", "varied", "counts", "full", "seconds"])?;
        let sorts = [
            ("run", Sort::Run),
            ("among", Sort::Among),
            ("cycle", Sort::Cycle),
            ("periodic", Sort::Periodic),
            ("streak", Sort::Streak),
            ("revisit", Sort::Revisit),
        ];
        let pattern = Pattern {
            sort: members.word("sort", &sorts)?,
            last: members.number("last", 20)?,
            from: members.number("from", 2)?,
            to: members.number("to", 5)?,
            varied: members.flag("varied")?,
            highest: members.word("counts", &[("current", false), ("highest", true)])?,
            full: members.flag("full")?,
            seconds: members.parsed("seconds", None, "an integer of at least 1", |value| positive(value).map(Some))?,
        };
        members.go_with(&["last"], pattern.has_window(), "among, streak and revisit")?;
        members.go_with(&["from", "to", "varied"], pattern.has_periods(), "cycle and periodic")?;
        members.go_with(&["varied"], same.is_single(), "single calls")?;
        members.go_with(&["counts", "full", "seconds"], pattern.sort == Sort::Among, "among")?;
        members.refuse("to", pattern.to < pattern.from, "less than from")?;
        members.refuse("to", pattern.to > LONGEST_PERIOD, "more than 100")?;
        members.refuse("seconds", pattern.seconds > Some(MOST_SECONDS), "more than 1000000")?;
        let streak = pattern.sort != Sort::Streak || same.is_single() && same.is_answered();
        members.refuse("sort", !streak, "a streak is of calls with answers")?;
        Ok(pattern)
    }

    fn has_window(&self) -> bool {
        matches!(self.sort, Sort::Among | Sort::Streak | Sort::Revisit)
    }

    fn has_periods(&self) -> bool {
        matches!(self.sort, Sort::Cycle | Sort::Periodic)
    }

    fn kind(&self) -> &'static str {
        match self.sort {
            Sort::Run => "run",
            Sort::Among => "among",
            Sort::Cycle => "cycle",
            Sort::Periodic => "periodic",
            Sort::Streak => "streak",
            Sort::Revisit => "revisit",
        }
    }
}

impl Tools {
    fn of(rule: &Members, same: &Same) -> Result<Tools, Fault> {
        let members = rule.part("tools", &["only", "except", "silent", "watched"])?;
        rule.go_with(&["tools"], !same.is_spoken(), "calls and steps")?;
        members.go_with(&["silent", "watched"], same.is_single(), "single calls")?;
        Ok(Tools {
            only: members.names("only")?,
            except: members.names("except")?,
            silent: members.names("silent")?,
            watched: members.names("watched")?,
        })
    }

    /// CO-21
    fn see(&self, tool: &str, args: &Object) -> bool {
        (self.only.is_empty() || any_has(&self.only, tool, args)) && !any_has(&self.except, tool, args)
    }

    /// CO-22
    fn silence(&self, tool: &str, args: &Object) -> bool {
        any_has(&self.silent, tool, args) || !self.watched.is_empty() && !any_has(&self.watched, tool, args)
    }
}

fn fresh_of(rule: &Members, same: &Same) -> Result<(Vec<Fresh>, Vec<Name>), Fault> {
    let words = [
        ("user", Fresh::User),
        ("reply", Fresh::Reply),
        ("message", Fresh::Message),
        ("call", Fresh::Call),
        ("change", Fresh::Change),
    ];
    let fresh = rule.list("fresh", "user, reply, message, call and change", |value| meaning(&words, value))?;
    let changes = rule.names("changes")?;
    let own = match same.by {
        By::Speech | By::Message => fresh.contains(&Fresh::Message),
        By::Piece => false,
        By::Step => fresh.contains(&Fresh::Reply) || fresh.contains(&Fresh::Call),
        By::Call | By::Tool => fresh.contains(&Fresh::Call),
    };
    rule.refuse("fresh", own, "the items themselves would start afresh")?;
    let change = fresh.contains(&Fresh::Change);
    rule.refuse("changes", change && changes.is_empty(), "fresh: [change] needs calls that are changes")?;
    rule.go_with(&["changes"], change, "fresh: [change]")?;
    Ok((fresh, changes))
}

impl Rung {
    fn all(rule: &Members) -> Result<Vec<Rung>, Fault> {
        let default = Value::Object(Object::new());
        let written = rule.parsed("rungs", None, "an array", |value| value.as_array().map(Some))?;
        let list: Vec<&Value> = written.map_or(vec![&default], |list| list.iter().collect());
        rule.refuse("rungs", list.is_empty(), "want a rung")?;
        let mut rungs: Vec<Rung> = Vec::new();
        for (i, value) in list.into_iter().enumerate() {
            let known = ["name", "severity", "at", "speaks"];
            let members = Members::of(format!("{}/{i}", rule.place("rungs")), Some(value), &known)?;
            let rung = Rung::of(&members, i)?;
            members.refuse("name", rungs.iter().any(|other| other.name == rung.name), "another rung has it")?;
            members.refuse("at", rungs.last().map_or(false, |lower| lower.at >= rung.at), "not above the rung before")?;
            rungs.push(rung);
        }
        Ok(rungs)
    }

    fn of(members: &Members, i: usize) -> Result<Rung, Fault> {
        let severities = [("critical", "critical"), ("warning", "warning"), ("notice", "notice")];
        let speaks = [
            ("each", Speaks::Each),
            ("once", Speaks::Once),
            ("restart", Speaks::Restart),
            ("stays", Speaks::Stays),
        ];
        Ok(Rung {
            name: members.name(i)?,
            severity: members.word("severity", &severities)?,
            at: members.number("at", 3)?,
            speaks: members.word("speaks", &speaks)?,
        })
    }
}

// What makes items equal: texts that are equal for equal calls or answers, and for no others.

impl Same {
    fn key_of_call(&self, tool: &str, args: &Object, thought: &str) -> Rc<str> {
        let mut key = String::new();
        write_text(&mut key, tool); // CO-12
        if self.by != By::Tool {
            let keep = |name: &str| self.keep.iter().any(|kept| kept == name); // CO-10
            let omit = |name: &str| self.omit.iter().any(|omitted| omitted == name); // CO-45
            let all = !args.keys().any(|name| keep(name));
            let compared = args.iter().filter(|(name, _)| (all || keep(name)) && !omit(name));
            write_members(&mut key, compared.collect(), self.kept); // CO-9
        }
        if self.thought {
            write_text(&mut key, thought); // CO-11
        }
        key.into()
    }

    fn key_of_answer(&self, ok: bool, text: &str) -> Rc<str> {
        if !self.texts {
            return Rc::from("");
        }
        let mut key = String::from(if ok { "+" } else { "-" });
        let beyond = usize::try_from(self.prefix).ok().and_then(|n| text.char_indices().nth(n)); // CO-14
        write_text(&mut key, &text[..beyond.map_or(text.len(), |(at, _)| at)]); // CO-13
        key.into()
    }

    /// Whether two rules have the same keys of calls, so that they need to be made only once.
    fn is_like(&self, other: &Same) -> bool {
        let part = |same: &Same| (same.by == By::Tool, same.is_spoken(), same.kept, same.thought);
        part(self) == part(other) && self.keep == other.keep && self.omit == other.omit
    }
}

/// -0 is 0.
fn double(spelling: &str) -> f64 {
    spelling.parse::<f64>().expect("a JSON number") + 0.0
}

fn write_value(key: &mut String, value: &Value, kept: bool) {
    match value {
        Value::Null => key.push('n'),
        Value::Bool(value) => key.push(if *value { 't' } else { 'f' }),
        Value::Number(number) => write!(key, "{:e},", double(&number.to_string())).expect("a String takes all"),
        Value::String(text) => write_text(key, text),
        Value::Array(items) => {
            key.push('[');
            items.iter().for_each(|item| write_value(key, item, kept));
            key.push(']');
        }
        Value::Object(members) => write_members(key, members.iter().collect(), kept),
    }
}

fn write_text(key: &mut String, text: &str) {
    write!(key, "\"{}:{text}", text.len()).expect("a String takes all");
}

fn write_members(key: &mut String, mut members: Vec<(&String, &Value)>, kept: bool) {
    if kept {
        members.sort_by_key(|(name, _)| if is_index(name) { (0, name.as_str()) } else { (1, "") }); // a stable sort
    } else {
        members.sort_by_key(|(name, _)| *name);
    }
    key.push('{');
    for (name, value) in members {
        write_text(key, name);
        write_value(key, value, kept);
    }
    key.push('}');
}

/// Whether a member of this name has no order (CO-9).
fn is_index(name: &str) -> bool {
    let digits = name.bytes().all(|b| b.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    digits && name.parse().map_or(false, |number: u64| number <= 4_294_967_294)
}

// Items and patterns.

type Key = (Rc<str>, Rc<str>); // of the call, and of its answer or nothing

#[derive(Clone)]
struct Item {
    key: Key, // of a step in place of that of a call
    blank: bool,
    silent: bool,
    index: Option<u64>, // none where it is from before a restore
}

impl Item {
    fn equals(&self, other: &Item) -> bool {
        !self.blank && !other.blank && self.key == other.key
    }

    fn to_state(&self) -> Value {
        json!([*self.key.0, *self.key.1, self.blank, self.silent])
    }

    fn of_state(state: &Value) -> Option<Item> {
        let parts = state.as_array().filter(|parts| parts.len() == 4)?;
        let text = |i: usize| parts[i].as_str().map(Rc::from);
        let (blank, silent) = (parts[2].as_bool()?, parts[3].as_bool()?);
        Some(Item { key: (text(0)?, text(1)?), blank, silent, index: None })
    }
}

/// What a pattern has counted.
struct Counted {
    count: u64,
    period: Option<u64>,
    silent: bool,
    key: Option<Key>, // of the group in a window
}

/// The items that a rule looks back at.
enum Items {
    Tail(Tail),
    Window(Window),
    Recent(Recent),
    Revisits(Revisits),
}

impl Items {
    fn new(pattern: Pattern) -> Items {
        if pattern.sort == Sort::Revisit {
            return Items::Revisits(Revisits { last: pattern.last, items: VecDeque::new(), count: 0 });
        }
        if let Some(seconds) = pattern.seconds {
            return Items::Recent(Recent { pattern, age: 1000.0 * seconds as f64, items: VecDeque::new() });
        }
        if pattern.has_window() {
            let (items, groups, ranks) = Default::default();
            return Items::Window(Window { pattern, items, number: 0, groups, ranks });
        }
        let cycle = pattern.has_periods();
        let (from, to) = if cycle { (pattern.from as usize, pattern.to as usize) } else { (1, 1) };
        let (alike, items) = (vec![0; to + 1 - from], VecDeque::new());
        let periodic = pattern.sort == Sort::Periodic;
        Items::Tail(Tail { cycle, periodic, varied: pattern.varied, from, to, items, alike, equal: 0, calls: 0 })
    }

    /// `now` is the time of the current event, where it has one.
    fn push(&mut self, item: Item, now: Option<f64>) {
        match self {
            Items::Tail(tail) => tail.push(item),
            Items::Window(window) => window.push(item),
            Items::Recent(recent) => recent.push(item, now),
            Items::Revisits(revisits) => revisits.push(item, None),
        }
    }

    /// What is counted of an item that was recorded, or of a call before that.
    fn count(&self, item: &Item, now: Option<f64>, before: bool) -> Counted {
        match self {
            Items::Tail(tail) => tail.count(item, before),
            Items::Window(window) => window.count(item),
            Items::Recent(recent) => recent.count(item, now),
            Items::Revisits(revisits) => revisits.count(item),
        }
    }

    /// CO-38
    fn evidence(&self, counted: &Counted, item: &Item, now: Option<f64>, before: bool) -> Vec<u64> {
        let mut evidence: Vec<u64> = match self {
            Items::Tail(tail) => {
                let of_each = if tail.periodic { 1 } else { counted.period.unwrap_or(1) };
                let all = counted.count.saturating_mul(of_each).min(NAMED as u64);
                tail.latest(all as usize, item, before).filter_map(|item| item.index).collect()
            }
            Items::Window(window) => {
                let group = counted.key.as_ref().and_then(|key| window.groups.get(key));
                let places = group.map(|group| group.places.iter().rev().take(NAMED));
                places.into_iter().flatten().filter_map(|place| place.index).collect()
            }
            Items::Recent(recent) => {
                let group = counted.key.as_ref().map(|key| recent.group(key, now).rev().take(NAMED));
                group.into_iter().flatten().filter_map(|item| item.index).collect()
            }
            Items::Revisits(revisits) => revisits.latest(counted.count.min(NAMED as u64) as usize),
        };
        evidence.sort_unstable();
        evidence
    }

    fn to_state(&self) -> Value {
        match self {
            Items::Tail(tail) => {
                json!({"items": tail.items.iter().map(Item::to_state).collect::<Vec<_>>(), "alike": tail.alike})
            }
            Items::Window(window) => {
                json!({"items": window.items.iter().map(Item::to_state).collect::<Vec<_>>()})
            }
            Items::Recent(recent) => recent.to_state(),
            Items::Revisits(revisits) => revisits.to_state(),
        }
    }

    /// Takes the state over into what is empty, where such a pattern can have left it.
    fn take_over(&mut self, state: &Value) -> Option<()> {
        match self {
            Items::Recent(recent) => return recent.take_over(state.as_array()?),
            Items::Revisits(revisits) => return revisits.take_over(state.as_array()?),
            Items::Tail(_) | Items::Window(_) => {}
        }
        let items = state.get("items")?.as_array()?;
        let most = match self {
            Items::Tail(tail) => tail.kept() as u64,
            Items::Window(window) => window.pattern.last,
            Items::Recent(_) | Items::Revisits(_) => 0,
        };
        if items.len() as u64 > most {
            return None;
        }
        for item in items {
            self.push(Item::of_state(item)?, None);
        }
        match self {
            Items::Tail(tail) => tail.continue_from(state.get("alike")?.as_array()?),
            Items::Window(_) | Items::Recent(_) | Items::Revisits(_) => Some(()),
        }
    }
}

/// The latest items, for revisit, each with whether it is one: those of the window, and those that revisits are compared
/// with (CO-44).
struct Revisits {
    last: u64, // the size of the window
    items: VecDeque<(Item, bool)>,
    count: u64, // of the revisits in the window
}

impl Revisits {
    fn kept(&self) -> u64 {
        self.last.max(REVISITED)
    }

    fn push(&mut self, item: Item, given: Option<bool>) {
        let equals = || self.items.iter().rev().take(REVISITED as usize).any(|(before, _)| before.equals(&item));
        let revisit = given.unwrap_or_else(equals);
        let length = self.items.len() as u64;
        if length >= self.last && self.items[(length - self.last) as usize].1 {
            self.count -= 1;
        }
        self.count += revisit as u64;
        self.items.push_back((item, revisit));
        if length == self.kept() {
            self.items.pop_front();
        }
    }

    fn count(&self, item: &Item) -> Counted {
        let revisit = self.items.back().map_or(false, |latest| latest.1);
        let count = if revisit { self.count } else { 0 };
        Counted { count, period: None, silent: item.silent, key: None }
    }

    /// The indices of the latest revisits.
    fn latest(&self, n: usize) -> Vec<u64> {
        self.items.iter().rev().filter(|latest| latest.1).take(n).filter_map(|latest| latest.0.index).collect()
    }

    fn to_state(&self) -> Value {
        self.items.iter().map(|(item, revisit)| json!([item.to_state(), revisit])).collect()
    }

    /// Takes the state over. The items that the first ones were compared with may be gone, so the state says which of them
    /// are revisits.
    fn take_over(&mut self, state: &[Value]) -> Option<()> {
        if state.len() as u64 > self.kept() {
            return None;
        }
        for pair in state {
            let parts = pair.as_array().filter(|parts| parts.len() == 2)?;
            let (item, revisit) = (Item::of_state(&parts[0])?, parts[1].as_bool()?);
            if item.blank && revisit {
                return None;
            }
            self.push(item, Some(revisit));
        }
        Some(())
    }
}

/// The latest items one after another, for run, cycle and periodic.
struct Tail {
    cycle: bool,    // or periodic
    periodic: bool, // items are counted, not laps
    varied: bool,
    from: usize,
    to: usize,
    items: VecDeque<Item>,
    alike: Vec<u64>, // for each period: how many of the latest items equal the one a period before
    equal: u64,      // how many of the latest items are equal
    calls: u64,      // how many are of equal calls
}

impl Tail {
    fn kept(&self) -> usize {
        self.to.max(NAMED)
    }

    /// The item that stands so many before the one that comes next.
    fn ago(&self, n: usize) -> Option<&Item> {
        self.items.get(self.items.len().checked_sub(n)?)
    }

    fn push(&mut self, item: Item) {
        for period in self.from..=self.to {
            let equals = self.ago(period).map_or(false, |before| before.equals(&item));
            let alike = &mut self.alike[period - self.from];
            *alike = if equals { *alike + 1 } else { 0 };
        }
        let latest = self.items.back();
        let equals = latest.map_or(false, |latest| latest.equals(&item));
        let of_the_call = latest.map_or(false, |latest| latest.key.0 == item.key.0);
        self.equal = if equals { self.equal + 1 } else { 1 };
        self.calls = if of_the_call { self.calls + 1 } else { 1 };
        self.items.push_back(item);
        if self.items.len() > self.kept() {
            self.items.pop_front();
        }
    }

    /// The latest items, the latest first; a call that is judged before is the latest of a cycle (CO-38).
    fn latest<'a>(&'a self, n: usize, item: &'a Item, before: bool) -> impl Iterator<Item = &'a Item> {
        Some(item).filter(|_| before && self.cycle).into_iter().chain(self.items.iter().rev()).take(n)
    }

    fn count(&self, item: &Item, before: bool) -> Counted {
        if self.cycle {
            return self.count_laps(item, before);
        }
        let counts = match self.items.back() {
            Some(latest) => !latest.blank && latest.key.0 == item.key.0, // CO-25, CO-30
            None => false,
        };
        let count = if counts { self.alike[0] + 1 } else { 0 };
        Counted { count, period: None, silent: item.silent, key: None }
    }

    /// CO-31, CO-47
    fn count_laps(&self, item: &Item, before: bool) -> Counted {
        let (mut count, mut best) = (0, 0);
        for period in self.from..=self.to {
            let alike = self.alike_with(period, item, before);
            let p = period as u64;
            let even = period > 1 && (self.equal >= p || self.varied && self.calls >= p);
            let all = if self.periodic { alike + p } else { alike / p + 1 };
            if alike >= p && !even && all > count {
                (count, best) = (all, period);
            }
        }
        let lap: Vec<&Item> = self.latest(best, item, before).collect();
        Counted {
            count,
            period: Some(best as u64),
            silent: lap.iter().all(|item| item.silent), // CO-22
            key: None,
        }
    }

    /// How many of the latest items equal the one a period before, as though a call that is judged before were recorded
    /// with the answer that the call had then (CO-30).
    fn alike_with(&self, period: usize, item: &Item, before: bool) -> u64 {
        let alike = self.alike[period - self.from];
        match self.ago(period) {
            _ if !before => alike,
            Some(then) if !then.blank && then.key.0 == item.key.0 => alike + 1,
            _ => 0,
        }
    }

    /// Goes on with these numbers, which may reach further back than the items that are kept.
    fn continue_from(&mut self, state: &[Value]) -> Option<()> {
        let full = self.items.len() == self.kept();
        for (i, alike) in self.alike.iter_mut().enumerate() {
            let given = state.get(i)?.as_u64()?;
            let all = full && *alike == (self.items.len() - self.from - i) as u64;
            if given < *alike || given > *alike && !all {
                return None;
            }
            *alike = given;
        }
        (state.len() == self.alike.len()).then(|| ())
    }
}

/// The last items, for among and streak, by what is counted together.
struct Window {
    pattern: Pattern,
    items: VecDeque<Item>,
    number: u64,        // of the first item
    groups: HashMap<Key, Group>,
    ranks: BTreeMap<(usize, u64), Key>, // the groups by their size and their latest item, for `counts: highest`
}

struct Group {
    answer: Rc<str>, // of a streak
    places: VecDeque<Place>,
}

struct Place {
    number: u64,
    index: Option<u64>,
}

impl Window {
    /// What is counted together: equal items, or, of a streak, those of a call.
    fn group_of(&self, item: &Item) -> Key {
        match self.pattern.sort {
            Sort::Streak => (item.key.0.clone(), Rc::from("")),
            _ => item.key.clone(),
        }
    }

    fn push(&mut self, mut item: Item) {
        if self.items.len() as u64 == self.pattern.last {
            self.drop_first();
        }
        let mut key = self.group_of(&item);
        if let Some((known, _)) = self.groups.get_key_value(&key) {
            key = known.clone(); // so that equal texts are kept only once
            item.key.0 = key.0.clone();
        }
        if self.pattern.sort == Sort::Streak {
            let other = |group: &Group| item.blank || group.answer != item.key.1;
            if self.groups.get(&key).map_or(false, other) {
                self.groups.remove(&key); // CO-29
            }
        }
        if !item.blank {
            let place = Place { number: self.number + self.items.len() as u64, index: item.index };
            let answer = item.key.1.clone();
            let group = self.groups.entry(key.clone()).or_insert_with(|| Group { answer, places: VecDeque::new() });
            let before = group.rank();
            group.places.push_back(place);
            let now = group.rank();
            self.rank(key, before, now);
        }
        self.items.push_back(item);
    }

    fn drop_first(&mut self) {
        let item = self.items.pop_front().expect("a full window has an item");
        let key = self.group_of(&item);
        if let Some(group) = self.groups.get_mut(&key) {
            if group.places.front().map_or(false, |place| place.number == self.number) {
                let before = group.rank();
                group.places.pop_front();
                let now = group.rank();
                if group.places.is_empty() {
                    self.groups.remove(&key);
                }
                self.rank(key, before, now);
            }
        }
        self.number += 1;
    }

    fn rank(&mut self, key: Key, before: (usize, u64), now: (usize, u64)) {
        if self.pattern.highest {
            self.ranks.remove(&before);
            if now.0 > 0 {
                self.ranks.insert(now, key);
            }
        }
    }

    /// CO-26 to CO-30: before it is recorded, a call has no answer, and its group is found all the same.
    fn count(&self, item: &Item) -> Counted {
        let highest = self.pattern.highest;
        let key = if highest { self.ranks.values().next_back().cloned() } else { Some(self.group_of(item)) };
        let full = self.items.len() as u64 == self.pattern.last;
        let counts = (full || !self.pattern.full) && (highest || !item.blank);
        let group = key.as_ref().and_then(|key| self.groups.get(key)).filter(|_| counts);
        let count = group.map_or(0, |group| group.places.len() as u64);
        Counted { count, period: None, silent: item.silent, key }
    }
}

impl Group {
    fn rank(&self) -> (usize, u64) {
        (self.places.len(), self.places.back().map_or(0, |place| place.number))
    }
}

/// The last items, each with its time, for among with `seconds`. It looks through them, since they grow old.
struct Recent {
    pattern: Pattern,
    age: f64, // from which an item is not counted, in milliseconds
    items: VecDeque<(Item, Option<f64>)>,
}

impl Recent {
    fn push(&mut self, item: Item, at: Option<f64>) {
        if self.items.len() as u64 == self.pattern.last {
            self.items.pop_front();
        }
        self.items.push_back((item, at));
    }

    fn count(&self, item: &Item, now: Option<f64>) -> Counted {
        let full = self.items.len() as u64 == self.pattern.last; // CO-28: however old they are
        let key = match self.pattern.highest {
            _ if self.pattern.full && !full => None,
            true => self.most_frequent(now),
            false => Some(item.key.clone()).filter(|_| !item.blank),
        };
        let count = key.as_ref().map_or(0, |key| self.group(key, now).count() as u64);
        Counted { count, period: None, silent: item.silent, key }
    }

    /// CO-48: what is not blank and not too old.
    fn recent(&self, now: Option<f64>) -> impl DoubleEndedIterator<Item = &Item> {
        let is_old = move |at: f64| now.map_or(false, |now| now - at >= self.age);
        let counts = move |(item, at): &&(Item, Option<f64>)| !item.blank && !at.map_or(false, is_old);
        self.items.iter().filter(counts).map(|(item, _)| item)
    }

    fn group<'a>(&'a self, key: &'a Key, now: Option<f64>) -> impl DoubleEndedIterator<Item = &'a Item> {
        self.recent(now).filter(move |item| item.key == *key)
    }

    /// CO-27
    fn most_frequent(&self, now: Option<f64>) -> Option<Key> {
        let mut ranks: HashMap<&Key, (usize, usize)> = HashMap::new(); // by size and latest item
        for (place, item) in self.recent(now).enumerate() {
            let size = ranks.get(&item.key).map_or(0, |rank| rank.0);
            ranks.insert(&item.key, (size + 1, place));
        }
        ranks.into_iter().max_by_key(|(_, rank)| *rank).map(|(key, _)| key.clone())
    }

    /// A time as its bits, so that it comes back as it was.
    fn to_state(&self) -> Value {
        self.items.iter().map(|(item, at)| json!([item.to_state(), at.map(f64::to_bits)])).collect()
    }

    fn take_over(&mut self, state: &[Value]) -> Option<()> {
        if state.len() as u64 > self.pattern.last {
            return None;
        }
        for pair in state {
            let parts = pair.as_array().filter(|parts| parts.len() == 2)?;
            let at = match &parts[1] {
                Value::Null => None,
                bits => Some(f64::from_bits(bits.as_u64()?)),
            };
            self.push(Item::of_state(&parts[0])?, at);
        }
        Some(())
    }
}

// Rules.

/// A call that waits for its answer.
struct Call {
    id: Option<String>,
    index: Option<u64>,
    number: u64,
    roles: Vec<Role>,
}

/// What a call is to a rule.
struct Role {
    key: Rc<str>,
    seen: bool,
    silent: bool,
    change: bool,
}

impl Call {
    fn item(&self, role: &Role, answer: Rc<str>, blank: bool) -> Item {
        let key = (role.key.clone(), answer);
        Item { key, blank, silent: role.silent, index: self.index }
    }

    fn to_state(&self) -> Value {
        let parts = |role: &Role| json!([*role.key, role.seen, role.silent, role.change]);
        let roles: Vec<Value> = self.roles.iter().map(parts).collect();
        json!([self.id, self.number, roles])
    }

    fn of_state(state: &Value, rules: usize) -> Option<Call> {
        let parts = state.as_array().filter(|parts| parts.len() == 3)?;
        let id = match &parts[0] {
            Value::Null => None,
            id => Some(id.as_str()?.to_string()),
        };
        let given = parts[2].as_array().filter(|roles| roles.len() == rules)?;
        let roles = given.iter().map(Role::of_state).collect::<Option<_>>()?;
        Some(Call { id, index: None, number: parts[1].as_u64()?, roles })
    }
}

impl Role {
    fn of_state(state: &Value) -> Option<Role> {
        let parts = state.as_array().filter(|parts| parts.len() == 4)?;
        let flag = |i: usize| parts[i].as_bool();
        Some(Role { key: parts[0].as_str()?.into(), seen: flag(1)?, silent: flag(2)?, change: flag(3)? })
    }
}

/// The step that goes on: its calls by their numbers, with their answers.
#[derive(Default)]
struct Step {
    index: Option<u64>,
    calls: Vec<(u64, Rc<str>, Option<Rc<str>>)>,
}

impl Step {
    /// CO-16, CO-17
    fn item(self, any_order: bool) -> Item {
        let mut parts: Vec<_> = self.calls.iter().map(|(_, call, answer)| (call, answer)).collect();
        if any_order {
            parts.sort();
        }
        let mut key = String::new();
        for (call, answer) in parts {
            write_text(&mut key, call);
            match answer {
                Some(answer) => write_text(&mut key, answer),
                None => key.push('n'),
            }
        }
        let key = (Rc::from(key), Rc::from(""));
        Item { key, blank: self.calls.is_empty(), silent: false, index: self.index }
    }

    fn to_state(&self) -> Value {
        self.calls.iter().map(|(number, call, answer)| json!([number, **call, answer.as_deref()])).collect()
    }

    fn of_state(state: &Value) -> Option<Step> {
        let calls = state.as_array().filter(|calls| calls.len() <= CALLS_OF_A_STEP)?;
        let of = |call: &Value| {
            let parts = call.as_array().filter(|parts| parts.len() == 3)?;
            let answer = match &parts[2] {
                Value::Null => None,
                answer => Some(Rc::from(answer.as_str()?)),
            };
            Some((parts[0].as_u64()?, Rc::from(parts[1].as_str()?), answer))
        };
        let calls: Vec<_> = calls.iter().map(of).collect::<Option<_>>()?;
        let ascend = calls.windows(2).all(|pair| pair[0].0 < pair[1].0);
        ascend.then(|| Step { index: None, calls })
    }
}

/// A rule, and what it knows.
struct Judge {
    rule: Rc<Rule>,
    like: usize, // the first rule that has the same keys of calls
    items: Items,
    step: Option<Step>,
    now: Option<f64>, // the time of the current event
    judged: u64,      // the count before
    stays: Option<(usize, Verdict)>,
}

impl Judge {
    fn new(rule: Rc<Rule>, like: usize) -> Judge {
        let items = Items::new(rule.pattern);
        Judge { rule, like, items, step: None, now: None, judged: 0, stays: None }
    }

    /// CO-23
    fn start_afresh(&mut self) {
        *self = Judge { now: self.now, ..Judge::new(self.rule.clone(), self.like) };
    }

    fn start_at(&mut self, fresh: Fresh) {
        if self.rule.starts_afresh(fresh) {
            self.start_afresh();
        }
    }

    fn on_call(&mut self, call: &Call, role: &Role) -> Option<Verdict> {
        self.start_at(Fresh::Call);
        if !role.seen {
            return None;
        }
        if self.rule.same.by == By::Step {
            if let Some(step) = self.step.as_mut().filter(|step| step.calls.len() < CALLS_OF_A_STEP) {
                if step.calls.is_empty() {
                    step.index = call.index;
                }
                step.calls.push((call.number, role.key.clone(), None));
            }
            return None;
        }
        let item = call.item(role, Rc::from(""), false);
        let spoken = if self.rule.before { self.judge(&item) } else { None };
        if self.rule.same.is_answered() {
            return spoken; // CO-7: it is no item yet
        }
        spoken.or(self.take_in(item))
    }

    fn on_answer(&mut self, call: &Call, role: &Role, ok: bool, text: &str) -> Option<Verdict> {
        if ok && role.change {
            self.start_at(Fresh::Change); // CO-24
        }
        let same = &self.rule.same;
        if !role.seen || !same.is_answered() {
            return None;
        }
        if same.by == By::Step {
            let calls = self.step.iter_mut().flat_map(|step| &mut step.calls);
            for (_, _, answer) in calls.filter(|(number, _, _)| *number == call.number) {
                *answer = Some(same.key_of_answer(ok, text));
            }
            return None;
        }
        let item = call.item(role, same.key_of_answer(ok, text), same.is_blank(ok));
        self.take_in(item)
    }

    fn on_reply(&mut self) -> Option<Verdict> {
        self.start_at(Fresh::Reply);
        if self.rule.same.by != By::Step {
            return None;
        }
        let step = self.step.replace(Step::default())?;
        self.take_in(step.item(self.rule.same.any_order))
    }

    fn on_message(&mut self, role: &str, content: &str, index: u64) -> Option<Verdict> {
        match role {
            "user" => self.start_at(Fresh::User),
            "assistant" => self.start_at(Fresh::Message),
            _ => {}
        }
        match self.rule.same.by {
            By::Speech if role == "assistant" => self.on_text("", false, index), // CO-18
            By::Message if role == "assistant" => self.on_text(content, content.is_empty(), index), // CO-46
            _ => None,
        }
    }

    fn on_piece(&mut self, text: &str, index: u64) -> Option<Verdict> {
        if self.rule.same.by != By::Piece {
            return None;
        }
        self.on_text(text, text.is_empty(), index) // CO-46
    }

    fn on_text(&mut self, text: &str, blank: bool, index: u64) -> Option<Verdict> {
        let key = (Rc::from(text), Rc::from(""));
        self.take_in(Item { key, blank, silent: false, index: Some(index) })
    }

    /// Records an item, and judges it where that is not done before.
    fn take_in(&mut self, item: Item) -> Option<Verdict> {
        if self.stays.is_none() {
            self.items.push(item.clone(), self.now); // CO-36
        }
        if self.rule.before { None } else { self.judge(&item) }
    }

    fn judge(&mut self, item: &Item) -> Option<Verdict> {
        if let Some((_, verdict)) = &self.stays {
            return Some(verdict.clone()); // CO-36
        }
        let rule = self.rule.clone();
        let counted = self.items.count(item, self.now, rule.before);
        let earlier = std::mem::replace(&mut self.judged, counted.count);
        let reached = rule.rungs.iter().rposition(|rung| counted.count >= rung.at)?; // CO-32
        let rung = &rule.rungs[reached];
        if counted.silent || rung.speaks == Speaks::Once && earlier >= rung.at {
            return None; // CO-22, CO-34
        }
        let verdict = self.verdict(rung, &counted, self.items.evidence(&counted, item, self.now, rule.before));
        match rung.speaks {
            Speaks::Restart => {
                self.items = Items::new(rule.pattern); // CO-35
                self.judged = 0;
            }
            Speaks::Stays => {
                self.items = Items::new(rule.pattern); // nobody looks at them any more
                self.stays = Some((reached, verdict.clone()));
            }
            Speaks::Each | Speaks::Once => {}
        }
        Some(verdict)
    }

    fn verdict(&self, rung: &Rung, counted: &Counted, evidence: Vec<u64>) -> Verdict {
        Verdict {
            kind: self.rule.pattern.kind(),
            count: counted.count,
            severity: rung.severity,
            rule: self.rule.name.clone(),
            rung: rung.name.clone(),
            period: counted.period,
            evidence,
        }
    }

    fn to_state(&self) -> Value {
        let stays = self.stays.as_ref().map(|(rung, verdict)| json!([rung, verdict.count, verdict.period]));
        let step = self.step.as_ref().map(Step::to_state);
        json!({"items": self.items.to_state(), "step": step, "judged": self.judged, "stays": stays})
    }

    fn take_over(&mut self, state: &Value) -> Option<()> {
        let state = state.as_object().filter(|state| state.len() == 4)?;
        self.items.take_over(state.get("items")?)?;
        self.step = match state.get("step")? {
            Value::Null => None,
            step => Some(Step::of_state(step)?),
        };
        self.judged = state.get("judged")?.as_u64()?;
        self.stays = match state.get("stays")? {
            Value::Null => None,
            stays => Some(self.stays_of_state(stays)?),
        };
        let steps = self.step.is_none() || self.rule.same.by == By::Step;
        steps.then(|| ())
    }

    fn stays_of_state(&self, state: &Value) -> Option<(usize, Verdict)> {
        let parts = state.as_array().filter(|parts| parts.len() == 3)?;
        let (place, count) = (parts[0].as_u64()? as usize, positive(&parts[1])?);
        let rung = self.rule.rungs.get(place).filter(|rung| rung.speaks == Speaks::Stays)?;
        let pattern = &self.rule.pattern;
        let period = match &parts[2] {
            Value::Null => None,
            period => Some(period.as_u64().filter(|p| (pattern.from..=pattern.to).contains(p))?),
        };
        let counted = Counted { count, period, silent: false, key: None };
        let possible = period.is_some() == pattern.has_periods();
        possible.then(|| (place, self.verdict(rung, &counted, Vec::new())))
    }
}

// The detector.

pub struct LoopDetector {
    judges: Vec<Judge>,
    waiting: VecDeque<Call>,
    events: u64,
    calls: u64,
}

impl LoopDetector {
    /// `rules` is an array of rules, as CO-3 to CO-6 have them; without it there is one of defaults.
    pub fn new(rules: Option<&Value>) -> Result<LoopDetector, Fault> {
        let mut judges: Vec<Judge> = Vec::new();
        for rule in Rule::all(rules)? {
            let like = judges.iter().position(|judge| judge.rule.same.is_like(&rule.same)).unwrap_or(judges.len());
            judges.push(Judge::new(Rc::new(rule), like));
        }
        Ok(LoopDetector { judges, waiting: VecDeque::new(), events: 0, calls: 0 })
    }

    /// CO-39
    pub fn reset(&mut self) {
        self.judges.iter_mut().for_each(Judge::start_afresh);
        self.waiting.clear();
    }

    /// One event in, and the loop that is seen after it, if any. Every rule takes it in (CO-8).
    pub fn observe(&mut self, event: Event) -> Option<Verdict> {
        match event {
            Event::At { at, event } => self.observe_at(Some(at), *event),
            _ => self.observe_at(None, event),
        }
    }

    fn observe_at(&mut self, at: Option<f64>, event: Event) -> Option<Verdict> {
        let index = self.events;
        self.events += 1;
        self.judges.iter_mut().for_each(|judge| judge.now = at);
        let judges = self.judges.iter_mut();
        match event {
            Event::Call { .. } => self.on_call(event, index),
            Event::Answer { call, ok, text } => {
                let of_the_id = |waiting: &Call| call.map_or(true, |id| waiting.id.as_deref() == Some(id));
                let found = self.waiting.iter().position(of_the_id)?; // CO-2
                let call = self.waiting.remove(found)?;
                let roles = judges.zip(&call.roles);
                roles.map(|(judge, role)| judge.on_answer(&call, role, ok, text)).fold(None, Option::or)
            }
            Event::Message { role, content } => {
                judges.map(|judge| judge.on_message(role, content, index)).fold(None, Option::or)
            }
            Event::Piece { text } => judges.map(|judge| judge.on_piece(text, index)).fold(None, Option::or),
            Event::Reply => judges.map(Judge::on_reply).fold(None, Option::or),
            Event::Other | Event::At { .. } => None, // CO-1
        }
    }

    fn on_call(&mut self, event: Event, index: u64) -> Option<Verdict> {
        let (tool, args, id, thought) = match event {
            Event::Call { tool, args, id, thought } => (tool, args, id, thought),
            _ => return None,
        };
        let mut roles: Vec<Role> = Vec::with_capacity(self.judges.len());
        for judge in &self.judges {
            let rule = &judge.rule;
            roles.push(Role {
                key: match roles.get(judge.like) {
                    Some(role) => role.key.clone(),
                    None if rule.same.is_spoken() => Rc::from(""),
                    None => rule.same.key_of_call(tool, args, thought),
                },
                seen: !rule.same.is_spoken() && rule.tools.see(tool, args),
                silent: rule.tools.silence(tool, args),
                change: any_has(&rule.changes, tool, args),
            });
        }
        let (id, number) = (id.map(String::from), self.calls);
        let call = Call { id, index: Some(index), number, roles };
        self.calls += 1;
        let roles = self.judges.iter_mut().zip(&call.roles);
        let spoken = roles.map(|(judge, role)| judge.on_call(&call, role)).fold(None, Option::or);
        self.waiting.push_back(call);
        if self.waiting.len() > WAITING {
            self.waiting.pop_front(); // CO-2
        }
        spoken
    }

    /// CO-41
    pub fn snapshot(&self) -> Value {
        let waiting: Vec<Value> = self.waiting.iter().map(Call::to_state).collect();
        let rules: Vec<Value> = self.judges.iter().map(Judge::to_state).collect();
        json!({"waiting": waiting, "calls": self.calls, "rules": rules})
    }

    /// Goes on from a snapshot of a detector of the same rules; false, and nothing changes, where it is none (CO-42).
    pub fn restore(&mut self, state: &Value) -> bool {
        match self.restored(state) {
            Some(restored) => *self = restored,
            None => return false,
        }
        true
    }

    fn restored(&self, state: &Value) -> Option<LoopDetector> {
        let state = state.as_object().filter(|state| state.len() == 3)?;
        let rules = state.get("rules")?.as_array().filter(|rules| rules.len() == self.judges.len())?;
        let waiting = state.get("waiting")?.as_array().filter(|calls| calls.len() <= WAITING)?;
        let calls = state.get("calls")?.as_u64()?;
        let mut judges: Vec<Judge> = Vec::new();
        for (judge, state) in self.judges.iter().zip(rules) {
            let mut restored = Judge::new(judge.rule.clone(), judge.like);
            restored.take_over(state)?;
            judges.push(restored);
        }
        let waiting: VecDeque<Call> =
            waiting.iter().map(|call| Call::of_state(call, judges.len())).collect::<Option<_>>()?;
        let numbers: Vec<u64> = waiting.iter().map(|call| call.number).chain([calls]).collect();
        let ascend = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        ascend.then(|| LoopDetector { judges, waiting, events: self.events, calls })
    }
}
