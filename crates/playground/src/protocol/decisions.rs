//! Decisions as a worker tells them: only those that a filter lets through, and how many there were.

use serde::{Deserialize, Serialize};

/// Decisions since the last message, at most [`MOST`] of them, and counts since recording began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    /// Of the load they belong to.
    pub generation: u32,
    /// Decisions made since recording began.
    pub all: f64,
    /// Those of them that the filter let through.
    pub passed: f64,
    /// The newest of those, oldest first.
    pub told: Vec<Told>,
    /// The latest pass that weighed an imbalance, whatever the filter.
    pub weighed: Option<Told>,
}

/// Decisions of one message at most; more are counted, and left out.
pub const MOST: usize = 200;

/// One decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// When, simulated ns.
    pub at_ns: f64,
    /// The CPU that decided.
    pub cpu: u32,
    /// What about, as `teeter decisions` names it.
    pub kind: String,
    /// Its numbers by name, in the order of the vocabulary.
    pub fields: Vec<(String, Word)>,
    /// The tasks a pass looked at, and what became of them.
    pub candidates: Vec<(String, String)>,
}

/// One number of a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// A count, an amount, a time in ns or the number of a CPU.
    Number(f64),
    /// One of the vocabulary's names.
    Name(String),
    /// A thread.
    Task(String),
}

impl Told {
    /// The number or name of that name.
    pub fn get(&self, name: &str) -> Option<&Word> {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found.map(|(_, word)| word)
    }

    /// The same, if it is a number.
    pub fn number(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            Word::Number(number) => Some(*number as i64),
            _ => None,
        }
    }

    /// The same as text.
    pub fn text(&self, name: &str) -> Option<String> {
        Some(self.get(name)?.to_string())
    }
}

impl std::fmt::Display for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(text) | Self::Task(text) => f.write_str(text),
        }
    }
}
