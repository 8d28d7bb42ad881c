//! Lines of a text, and what is wrong with one.

use std::fmt;

/// Why a text could not be read. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Something is not as it should be at a place in the text.
    #[error("line {line}, column {column}: {message}")]
    At {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// What was expected, and what is there.
        message: String,
    },
    /// Something is wrong with the text as a whole.
    #[error("{0}")]
    Whole(String),
    /// A synthetic description is wrong.
    #[error("{0}")]
    Synthetic(String),
    /// It looks like nothing that is known.
    #[error(
        "line 1, column 1: expected the output of lscpu, numactl -H or lstopo, /proc/cpuinfo, a listing of \
         /sys/devices/system, or words such as `node:4 core:10`"
    )]
    Unknown,
    /// More than can be read.
    #[error("longer than {most} bytes")]
    TooLong {
        /// The limit, in bytes.
        most: usize,
    },
}

/// A part of a line, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span<'a> {
    /// Line, from 1.
    pub(super) line: usize,
    /// The whole line.
    whole: &'a str,
    /// Where the part begins, in bytes.
    at: usize,
    /// The part.
    pub(super) text: &'a str,
}

/// The lines of a text.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Span<'_>> {
    text.lines().enumerate().map(|(index, whole)| Span {
        line: index + 1,
        whole,
        at: 0,
        text: whole,
    })
}

impl<'a> Span<'a> {
    /// A part of this part, which `text` has to be a slice of.
    fn part(self, at: usize, text: &'a str) -> Self {
        Self {
            at: self.at + at,
            text,
            ..self
        }
    }

    /// Without white space around it.
    pub(super) fn trim(self) -> Self {
        let start = self.text.len() - self.text.trim_start().len();
        self.part(start, self.text.trim())
    }

    /// What stands before and after the first `mark`.
    pub(super) fn split_once(self, mark: char) -> Option<(Self, Self)> {
        let (before, after) = self.text.split_once(mark)?;
        let at = before.len() + mark.len_utf8();
        Some((self.part(0, before), self.part(at, after)))
    }

    /// What follows `prefix`.
    pub(super) fn strip_prefix(self, prefix: &str) -> Option<Self> {
        let rest = self.text.strip_prefix(prefix)?;
        Some(self.part(prefix.len(), rest))
    }

    /// The parts between marks.
    pub(super) fn split(self, mark: char) -> impl Iterator<Item = Self> {
        let mut at = 0;
        self.text.split(mark).map(move |text| {
            let part = self.part(at, text);
            at += text.len() + mark.len_utf8();
            part
        })
    }

    /// The words between white space.
    pub(super) fn words(self) -> impl Iterator<Item = Self> {
        let start = self.text.as_ptr() as usize;
        self.text
            .split_whitespace()
            .map(move |word| self.part(word.as_ptr() as usize - start, word))
    }

    /// The number that the part is.
    pub(super) fn number(self, expected: &str) -> Result<u32, ImportError> {
        let digits = self.text.bytes().all(|b| b.is_ascii_digit());
        let number = self.text.parse().ok().filter(|_| digits);
        number.ok_or_else(|| self.expected(expected))
    }

    /// The error that something else was expected here.
    pub(super) fn expected(self, expected: &str) -> ImportError {
        let found = match self.text {
            "" => "nothing".to_owned(),
            text => format!("`{}`", shorten(text)),
        };
        self.error(format!("expected {expected}, found {found}"))
    }

    /// An error at this place.
    pub(super) fn error(self, message: impl fmt::Display) -> ImportError {
        let before = self.whole.get(..self.at).unwrap_or(self.whole);
        ImportError::At {
            line: self.line,
            column: before.chars().count() + 1,
            message: message.to_string(),
        }
    }
}

/// The beginning of a text, for messages.
pub(super) fn shorten(text: &str) -> String {
    const LENGTH: usize = 40;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_know_their_place() {
        let line = lines("a\né: 12, x").nth(1).unwrap();
        let (_, rest) = line.split_once(':').unwrap();
        let parts: Vec<_> = rest.split(',').map(Span::trim).collect();
        assert_eq!(parts[0].number("a number"), Ok(12));
        let error = parts[1].number("a number").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 2, column 8: expected a number, found `x`"
        );
        let words: Vec<_> = line.words().map(|word| word.text).collect();
        assert_eq!(words, ["é:", "12,", "x"]);
    }
}
