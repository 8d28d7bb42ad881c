//! The words of an expression.

use super::ExprError;

/// One word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word<'a> {
    Number(i64),
    Name(&'a str),
    /// An operator or a bracket.
    Sign(&'static str),
    End,
}

/// A word and its column, characters from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) word: Word<'a>,
    pub(super) column: usize,
}

impl Token<'_> {
    /// For a message.
    pub(super) fn describe(&self) -> String {
        match self.word {
            Word::Number(n) => format!("`{n}`"),
            Word::Name(name) => format!("`{name}`"),
            Word::Sign(sign) => format!("`{sign}`"),
            Word::End => "the end".to_owned(),
        }
    }
}

/// Longer ones first.
const SIGNS: [&str; 22] = [
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "!", "?",
    ":", "(", ")", ",", "=",
];

/// Cuts an expression into words; the last one is [`Word::End`].
pub(super) fn tokens(source: &str) -> Result<Vec<Token<'_>>, ExprError> {
    let mut tokens = Vec::new();
    let mut rest = source;
    let mut column = 1;
    loop {
        let trimmed = rest.trim_start();
        column += rest[..rest.len() - trimmed.len()].chars().count();
        rest = trimmed;
        let Some(first) = rest.chars().next() else {
            tokens.push(Token {
                word: Word::End,
                column,
            });
            return Ok(tokens);
        };
        let (word, length) = if first.is_ascii_digit() {
            let length = span(rest, |c| c.is_ascii_alphanumeric() || c == '_');
            let number = number(&rest[..length]).ok_or(ExprError::Number { column })?;
            (Word::Number(number), length)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = span(rest, |c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
            (Word::Name(&rest[..length]), length)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Word::Sign(sign), sign.len())
        } else {
            return Err(ExprError::Character {
                column,
                found: first,
            });
        };
        tokens.push(Token { word, column });
        column += length;
        rest = &rest[length..];
    }
}

/// How many bytes from the beginning on are of a kind.
fn span(text: &str, kind: impl Fn(char) -> bool) -> usize {
    text.find(|c| !kind(c)).unwrap_or(text.len())
}

/// A decimal or hexadecimal number; `_` may part its digits.
fn number(text: &str) -> Option<i64> {
    let digits = text.replace('_', "");
    match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}
