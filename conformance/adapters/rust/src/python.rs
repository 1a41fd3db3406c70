//! The text that Python's json.dumps(value, sort_keys=True) gives.

use crate::loopstone::Object;
use serde_json::Value;
use std::fmt::Write;

pub fn dumps(members: &Object) -> String {
    let mut text = String::new();
    write_object(&mut text, members);
    text
}

fn write_value(text: &mut String, value: &Value) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => text.push_str(&write_number(&number.to_string())),
        Value::String(string) => write_string(text, string),
        Value::Array(items) => write_items(text, "[]", items, write_value),
        Value::Object(members) => write_object(text, members),
    }
}

/// HI-7. The map is sorted by the bytes of UTF-8, whose order is that of the code points.
fn write_object(text: &mut String, members: &Object) {
    write_items(text, "{}", members, |text, (name, member)| {
        write_string(text, name);
        text.push_str(": ");
        write_value(text, member);
    });
}

/// HI-7: between items stands a comma and a blank.
fn write_items<T>(text: &mut String, brackets: &str, items: impl IntoIterator<Item = T>, write: impl Fn(&mut String, T)) {
    text.push_str(&brackets[..1]);
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        write(text, item);
    }
    text.push_str(&brackets[1..]);
}

/// HI-8
fn write_string(text: &mut String, string: &str) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            ' '..='~' => text.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(text, "\\u{unit:04x}").expect("a String takes all");
                }
            }
        }
    }
    text.push('"');
}

/// HI-9, given the number as it is written.
fn write_number(spelling: &str) -> String {
    if !spelling.contains(['.', 'e', 'E']) {
        return if spelling == "-0" { "0".to_string() } else { spelling.to_string() };
    }
    let double: f64 = spelling.parse().expect("a JSON number");
    if double.is_infinite() {
        return if double > 0.0 { "Infinity".to_string() } else { "-Infinity".to_string() };
    }
    if double == 0.0 || (1e-4..1e16).contains(&double.abs()) {
        return format!("{double:?}"); // the fewest digits, with a point
    }
    let scientific = format!("{double:e}"); // 1.5e-7
    let (digits, exponent) = scientific.split_once('e').expect("it has an exponent");
    let exponent: i32 = exponent.parse().expect("an integer");
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dumped(json: &str) -> String {
        let mut text = String::new();
        write_value(&mut text, &serde_json::from_str(json).unwrap());
        text
    }

    #[test]
    fn texts_are_those_of_python() {
        for (json, want) in [
            (r#"{"b":[1,{}],"a":[]}"#, r#"{"a": [], "b": [1, {}]}"#),
            ("{\"\u{ff61}\":1,\"\u{1f600}\":2}", r#"{"\uff61": 1, "\ud83d\ude00": 2}"#), // by code points, not by UTF-16
            (r#"["\u007f\b/<\n\u0001"]"#, r#"["\u007f\b/<\n\u0001"]"#),
        ] {
            assert_eq!(dumped(json), want);
        }
    }

    #[test]
    fn numbers_are_those_of_python() {
        for (json, want) in [
            ("-0", "0"),
            ("-0.0", "-0.0"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("1e0", "1.0"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("15e-8", "1.5e-07"),
            ("5e-324", "5e-324"),
            ("5.684341886080801e-14", "5.684341886080801e-14"),
            ("5.6843418860808015e-14", "5.684341886080802e-14"), // a power of two
            ("1e400", "Infinity"),
            ("-1E400", "-Infinity"),
        ] {
            assert_eq!(dumped(json), want);
        }
    }
}
