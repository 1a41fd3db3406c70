//! The command of a call, and its words, as both detectors see them.

use crate::loopstone::Object;

pub fn command_of(args: &Object) -> Option<&str> {
    args.get("command")?.as_str()
}

/// What stands between the characters U+0009 to U+000D and U+0020 (FP-12, HI-21).
pub fn words(command: &str) -> impl Iterator<Item = &str> {
    command.split(is_blank).filter(|word| !word.is_empty())
}

pub fn is_blank(c: char) -> bool {
    matches!(c, '\t'..='\r' | ' ')
}
