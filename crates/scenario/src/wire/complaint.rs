//! Turns serde's complaints into problems with a place and a hint.

use serde_path_to_error::{Error, Path, Segment};

use crate::problem::{Problem, join};

/// The message of a problem at a key that must be there.
pub(super) const MISSING: &str = "is missing";

/// A text that is not JSON; the message ends in line and column.
pub(super) fn syntax(error: &Error<serde_json::Error>) -> Problem {
    let message = error.inner().to_string();
    if error.inner().is_data() {
        Problem::new(pointer(error.path()), message)
    } else {
        Problem::new("", format!("not JSON: {message}"))
    }
}

/// JSON that is not a scenario.
pub(super) fn problem(error: &Error<serde_json::Error>) -> Problem {
    let message = error.inner().to_string();
    let path = pointer(error.path());
    let words = quoted(&message);
    if message.starts_with("unknown field") {
        let Some((key, known)) = words.split_first() else {
            return Problem::new(path, message);
        };
        let path = if last_key(error.path()) == Some(key) {
            path
        } else {
            join(&path, key)
        };
        Problem::new(path, "unknown key").suggesting(key, known)
    } else if message.starts_with("unknown variant") {
        let Some((name, known)) = words.split_first() else {
            return Problem::new(path, message);
        };
        Problem::new(path, format!("unknown value `{name}`")).suggesting(name, known)
    } else if let (true, Some(key)) = (message.starts_with("missing field"), words.first()) {
        Problem::new(join(&path, key), MISSING)
    } else {
        Problem::new(path, in_words(&message))
    }
}

/// The place as a JSON Pointer.
fn pointer(path: &Path) -> String {
    path.iter()
        .fold(String::new(), |place, segment| match segment {
            Segment::Seq { index } => join(&place, index),
            Segment::Map { key } => join(&place, key),
            Segment::Enum { variant } => join(&place, variant),
            Segment::Unknown => place,
        })
}

/// The key at the end of a path.
fn last_key(path: &Path) -> Option<&str> {
    match path.iter().next_back() {
        Some(Segment::Map { key }) => Some(key),
        _ => None,
    }
}

/// What stands between backquotes.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// Says in words what serde says in Rust's types.
fn in_words(message: &str) -> String {
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return message.to_owned();
    };
    let expected = match expected {
        "u8" | "u16" | "u32" | "u64" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "a sequence" => "a list",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    if found.starts_with("invalid length") {
        return format!("expected {expected}; found a list");
    }
    let found = found
        .replace("invalid type: ", "found ")
        .replace("invalid value: ", "found ")
        .replace("sequence", "a list")
        .replace("map", "an object");
    format!("expected {expected}; {found}")
}
