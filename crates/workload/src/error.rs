//! What is wrong with a recording or an rt-app document.

use thiserror::Error;

/// A recording or an rt-app document that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// A line of an event that is read, but does not say what it should.
    #[error("line {line}: {error}")]
    Line {
        /// Its number, from 1.
        line: u32,
        /// What is wrong with it.
        error: Unreadable,
    },
    /// There is nothing to replay.
    #[error("holds no sched_switch or sched_wakeup event")]
    Empty,
    /// A task is named that is not among those recorded.
    #[error("a task is named that is not there")]
    Unknown,
    /// An rt-app document is no JSON.
    #[error("not JSON: {0}")]
    Json(String),
    /// More of something than is taken.
    #[error("holds more than {most} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many are taken.
        most: u64,
    },
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// A part is not there.
    #[error("`{}` is missing", .0.trim())]
    Missing(&'static str),
    /// The number of a task is none, or too large.
    #[error("`{0}` is not a number of a task")]
    Pid(String),
    /// The number of a CPU is none, or too large.
    #[error("`{0}` is not a number of a CPU")]
    Cpu(String),
    /// A priority is none.
    #[error("`{0}` is not a priority")]
    Prio(String),
    /// The letters of a state are unknown.
    #[error("`{0}` is not a state of a task")]
    State(String),
    /// The time is none, or too long: the trace clock may have counted something else.
    #[error("`{0}` is not a time in seconds")]
    Seconds(String),
    /// The time is none, or longer than any run.
    #[error("`{0}` is not a time in ns")]
    Time(String),
    /// A piece of a recording in short is none.
    #[error("`{0}` is not a run, a sleep or a wakeup")]
    Piece(String),
}
