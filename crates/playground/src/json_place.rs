//! Where in a JSON text a problem is. Pure.

use std::ops::Range;

/// The bytes of what a JSON Pointer points to; of a missing member, those of the object that lacks it. `None`:
/// the text is no JSON up to there.
pub fn of_pointer(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut place = value(text, skip(text, 0))?;
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        match child(text, place.start, &name) {
            Some(inner) => place = inner,
            None => break,
        }
    }
    Some(place)
}

/// The byte at a line and a column, both counted from 1 and the column in characters.
pub fn of_line(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let rest = &text[start..];
    let end = rest.find('\n').unwrap_or(rest.len());
    let mut columns = rest[..end].char_indices();
    let within = columns
        .nth(column.saturating_sub(1))
        .map_or(end, |(at, _)| at);
    start + within
}

/// Line and column in a message such as `expected `,` at line 3 column 7`.
pub fn line_and_column(message: &str) -> Option<(usize, usize)> {
    let number = |after: &str| {
        let rest = message.rsplit_once(after)?.1;
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..digits].parse().ok()
    };
    Some((number("line ")?, number("column ")?))
}

fn skip(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.len() - rest.trim_start().len()
}

/// The bytes of the string that begins here, its quotes with it.
fn string(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?.strip_prefix('"')?;
    let mut escaped = false;
    for (index, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at..at + index + 2),
            _ => {}
        }
    }
    None
}

/// The bytes of the value that begins here.
fn value(text: &str, at: usize) -> Option<Range<usize>> {
    match text.get(at..)?.chars().next()? {
        '"' => string(text, at),
        '{' | '[' => {
            let mut depth = 0_usize;
            let mut here = at;
            while let Some(c) = text.get(here..)?.chars().next() {
                match c {
                    '"' => {
                        here = string(text, here)?.end;
                        continue;
                    }
                    '{' | '[' => depth += 1,
                    '}' | ']' => {
                        depth -= 1;
                        if depth == 0 {
                            return Some(at..here + 1);
                        }
                    }
                    _ => {}
                }
                here += c.len_utf8();
            }
            None
        }
        _ => {
            let rest = &text[at..];
            let end = rest.find([',', '}', ']', '\n', ' ']).unwrap_or(rest.len());
            Some(at..at + end)
        }
    }
}

/// The member or element of that name in the object or array that begins here.
fn child(text: &str, at: usize, name: &str) -> Option<Range<usize>> {
    let is_array = text.get(at..)?.starts_with('[');
    if !is_array && !text[at..].starts_with('{') {
        return None;
    }
    let mut here = skip(text, at + 1);
    let mut index = 0_usize;
    loop {
        let key = if is_array {
            index.to_string()
        } else {
            let key = string(text, here)?;
            here = skip(text, key.end);
            text.get(here..)?.strip_prefix(':')?;
            here = skip(text, here + 1);
            text[key.start + 1..key.end - 1].to_owned()
        };
        let found = value(text, here)?;
        if key == name {
            return Some(found);
        }
        index += 1;
        here = skip(text, found.end);
        text.get(here..)?.strip_prefix(',')?;
        here = skip(text, here + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
  "machine": { "preset": "a,b}" },
  "tasks": [ { "name": "x\"y" }, { "name": "é", "threads": 7 } ]
}"#;

    fn at(pointer: &str) -> &'static str {
        &TEXT[of_pointer(TEXT, pointer).unwrap()]
    }

    #[test]
    fn values_are_found_by_their_pointer() {
        assert_eq!(at("/machine/preset"), "\"a,b}\"");
        assert_eq!(at("/tasks/1/threads"), "7");
        assert_eq!(at("/tasks/0/name"), "\"x\\\"y\"");
        assert_eq!(at("/machine/presett"), "{ \"preset\": \"a,b}\" }");
        assert_eq!(at(""), TEXT);
        assert_eq!(of_pointer("", "/a"), None);
        assert_eq!(of_pointer("{\"a\": [1,", "/a/0"), None);
    }

    #[test]
    fn a_line_and_column_are_a_byte() {
        let place = of_line(TEXT, 3, 4);
        assert!(TEXT[place..].starts_with("tasks"));
        assert_eq!(of_line("a", 9, 9), 1);
        assert_eq!(
            line_and_column("expected value at line 3 column 17"),
            Some((3, 17))
        );
        assert_eq!(line_and_column("a name is missing"), None);
    }
}
