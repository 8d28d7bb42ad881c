//! Why a simulation cannot be made or changed.

use teeter_scenario::Nanos;
use teeter_scenario::problem::{Problem, Problems};

/// Why a simulation cannot be made or changed. The simulation, where there is one, goes on as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// What is wrong with the scenario, with paths into the document.
    #[error("{}", Problems(.0.clone()))]
    Problems(Vec<Problem>),
    /// A change at a time that has passed.
    #[error("a change at {at} is too late: the simulation is at {now}")]
    Past {
        /// When it should have happened.
        at: Nanos,
        /// Where the simulation is.
        now: Nanos,
    },
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Problems(vec![problem])
    }
}
