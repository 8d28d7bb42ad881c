//! Why a link can not be opened.

use std::fmt;

use crate::limits;
use crate::problem::{Problem, Problems};

/// How far the reading of a link came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Finding the scenario in the fragment, its codec and its version.
    Prefix,
    /// Checking that all characters arrived as they were sent.
    Checksum,
    /// Turning characters into bytes.
    Base64,
    /// Unpacking the bytes.
    Inflate,
    /// Reading the bytes as JSON.
    Json,
    /// Reading the JSON as a scenario.
    Field,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prefix => "prefix",
            Self::Checksum => "checksum",
            Self::Base64 => "base64",
            Self::Inflate => "inflate",
            Self::Json => "json",
            Self::Field => "field",
        })
    }
}

/// Why a link can not be opened or made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// There is no `s=` and no `p=`.
    #[error("this link holds no scenario: neither `s=` nor `p=`")]
    NoScenario,
    /// Longer than [`limits::LINK`].
    #[error("this link is too long: {} characters, at most {}", thousands(*length), thousands(limits::LINK))]
    TooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// A view that is not known.
    #[error("{0}")]
    View(Problem),
    /// A preset that is not known.
    #[error("{0}")]
    Preset(Problem),
    /// Neither `z` nor `j`.
    #[error("this link is written in a way that is not known: `{0}`")]
    Codec(String),
    /// `u`: the scenario is to be fetched from elsewhere.
    #[error(
        "this link points to a scenario elsewhere, which is not supported: open its JSON instead"
    )]
    External,
    /// The scenario is in a newer version of the format.
    #[error(
        "this link was made with a newer Teeter: format {found}, and this one reads up to {known}"
    )]
    Newer {
        /// The link's version.
        found: u32,
        /// The newest known here.
        known: u32,
    },
    /// The end is missing.
    #[error("this link was cut: {}", arrival(*arrived, *expected))]
    Cut {
        /// Characters that are there, counted from `s=`.
        arrived: usize,
        /// Characters there should be; `None` where not even that arrived.
        expected: Option<usize>,
    },
    /// Both ends are there, but characters are missing or too many in between.
    #[error("this link was damaged on its way: {} characters instead of {}", thousands(*arrived), thousands(*expected))]
    Length {
        /// Characters that are there.
        arrived: usize,
        /// Characters there should be.
        expected: usize,
    },
    /// A character was changed.
    #[error(
        "this link was changed on its way: its checksum is {expected}, and its characters give {found}"
    )]
    Checksum {
        /// The checksum in the link.
        expected: String,
        /// The checksum of what arrived.
        found: String,
    },
    /// A character that base64url does not have, or an impossible number of them.
    #[error("this link is not in base64url: {0}")]
    Base64(String),
    /// The bytes are not a DEFLATE stream.
    #[error("this link can not be unpacked: its data is damaged")]
    Inflate,
    /// The bytes unpack to more than [`limits::JSON`].
    #[error("this link unpacks to more than {} bytes", thousands(limits::JSON))]
    Bomb,
    /// The bytes are not JSON.
    #[error("this link's scenario can not be read: {0}")]
    Json(String),
    /// The JSON is not a valid scenario.
    #[error("this link's scenario has problems:\n{problems}")]
    Field {
        /// What is wrong with it.
        problems: Problems,
        /// The JSON, for [`read`](crate::wire::read) to save what can be saved.
        json: String,
    },
    /// A change to a preset that can not be made.
    #[error("this link changes `{key}`: {message}")]
    Change {
        /// The key in the link.
        key: String,
        /// What is wrong.
        message: String,
    },
}

impl LinkError {
    /// How far the reading came.
    pub fn stage(&self) -> Stage {
        match self {
            Self::NoScenario
            | Self::TooLong { .. }
            | Self::View(_)
            | Self::Preset(_)
            | Self::Codec(_)
            | Self::External
            | Self::Newer { .. } => Stage::Prefix,
            Self::Cut { .. } | Self::Length { .. } | Self::Checksum { .. } => Stage::Checksum,
            Self::Base64(_) => Stage::Base64,
            Self::Inflate | Self::Bomb => Stage::Inflate,
            Self::Json(_) => Stage::Json,
            Self::Field { .. } | Self::Change { .. } => Stage::Field,
        }
    }

    /// A short name that stays, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoScenario => "no-scenario",
            Self::TooLong { .. } => "too-long",
            Self::View(_) => "view",
            Self::Preset(_) => "preset",
            Self::Codec(_) => "codec",
            Self::External => "external",
            Self::Newer { .. } => "newer",
            Self::Cut { .. } => "cut",
            Self::Length { .. } => "length",
            Self::Checksum { .. } => "checksum",
            Self::Base64(_) => "base64",
            Self::Inflate => "inflate",
            Self::Bomb => "bomb",
            Self::Json(_) => "json",
            Self::Field { .. } => "field",
            Self::Change { .. } => "change",
        }
    }
}

/// `2,310 of 2,544 characters arrived`
fn arrival(arrived: usize, expected: Option<usize>) -> String {
    match expected {
        Some(expected) => format!(
            "{} of {} characters arrived",
            thousands(arrived),
            thousands(expected)
        ),
        None => format!("only {} characters arrived", thousands(arrived)),
    }
}

/// A number with commas.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas() {
        for (number, text) in [
            (7, "7"),
            (999, "999"),
            (2310, "2,310"),
            (1_048_576, "1,048,576"),
        ] {
            assert_eq!(thousands(number), text);
        }
    }
}
