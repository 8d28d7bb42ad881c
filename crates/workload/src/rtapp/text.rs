//! The text of an rt-app document: JSON with comments, with commas behind the last of a list, and with keys given
//! more than once.

use std::fmt;

use serde::Deserializer;
use serde::de::{Deserialize, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::error::Error;

/// Reads a text as rt-app and workgen do: with comments, and keys that are given twice set apart by a number
/// (`sleep` and `sleep1`).
///
/// # Errors
/// Where it is no JSON, with line and column.
pub fn document(text: &str) -> Result<Value, Error> {
    let plain = without_comments(text.trim_start_matches('\u{feff}'));
    let plain = without_last_commas(&plain);
    let mut deserializer = serde_json::Deserializer::from_str(&plain);
    let read = Apart::deserialize(&mut deserializer).and_then(|Apart(value)| {
        deserializer.end()?;
        Ok(value)
    });
    read.map_err(|error| Error::Json(error.to_string()))
}

/// Comments become spaces, so that lines and columns stay.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut in_text = false;
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(&next)) if in_text => {
                plain.extend([c, next]);
                chars.next();
            }
            ('"', _) => {
                in_text = !in_text;
                plain.push(c);
            }
            ('/', Some('*')) if !in_text => {
                chars.next();
                plain.push_str("  ");
                let mut before = ' ';
                for c in chars.by_ref() {
                    plain.push(if c == '\n' { c } else { ' ' });
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
            }
            ('/', Some('/')) if !in_text => {
                plain.push(' ');
                while let Some(c) = chars.next_if(|&c| c != '\n') {
                    plain.push(if c == '\t' { c } else { ' ' });
                }
            }
            _ => plain.push(c),
        }
    }
    plain
}

/// A comma before a closing bracket becomes a space, as json-c passes it over.
fn without_last_commas(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut in_text = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        in_text ^= c == '"' && !escaped;
        escaped = c == '\\' && in_text && !escaped;
        let closes = || text[at + 1..].trim_start().starts_with(['}', ']']);
        let last = c == ',' && !in_text && closes();
        plain.push(if last { ' ' } else { c });
    }
    plain
}

/// A value whose keys have been set apart.
struct Apart(Value);

impl<'de> Deserialize<'de> for Apart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ApartVisitor).map(Self)
    }
}

struct ApartVisitor;

impl<'de> Visitor<'de> for ApartVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Apart(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        // How often each key has been given, so that many of one do not take long.
        let mut given = std::collections::BTreeMap::<String, u32>::new();
        while let Some(key) = object.next_key::<String>()? {
            let Apart(value) = object.next_value()?;
            let mut name = key.clone();
            let count = given.entry(key.clone()).or_default();
            while values.contains_key(&name) {
                *count = count
                    .checked_add(1)
                    .ok_or_else(|| A::Error::custom("too many keys"))?;
                name = format!("{key}{count}");
            }
            values.insert(name, value);
        }
        Ok(Value::Object(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out() {
        let text = "{ /* one\n * two */ \"a\": 1, // three \"\n \"b /* no */\": \"//\\\"/*\" }";
        let value = document(text).unwrap();
        assert_eq!(value.to_string(), r#"{"a":1,"b /* no */":"//\"/*"}"#);
    }

    #[test]
    fn commas_may_come_last() {
        let value = document("{ \"a\": [1, 2, ], \"b\": \",}\\\"\", /* last */ }").unwrap();
        assert_eq!(value.to_string(), r#"{"a":[1,2],"b":",}\""}"#);
        assert!(document("{,}").is_ok());
        assert!(document("[1,,2]").is_err());
    }

    #[test]
    fn keys_given_twice_keep_their_order() {
        let value = document(r#"{"run":1,"sleep":2,"run":3,"run1":4,"sleep":5}"#).unwrap();
        assert_eq!(
            value.to_string(),
            r#"{"run":1,"sleep":2,"run1":3,"run11":4,"sleep1":5}"#
        );
    }

    #[test]
    fn what_is_no_json_is_told_where() {
        let message = |text| document(text).unwrap_err().to_string();
        assert_eq!(
            message("{\n/* x */ 5 }"),
            "not JSON: key must be a string at line 2 column 9"
        );
        assert_eq!(
            message("{} 1"),
            "not JSON: trailing characters at line 1 column 4"
        );
        assert!(document("{} /* never ends").is_ok());
    }
}
