//! What can go wrong.

use std::io;

use teeter_report::SweepError;
use teeter_scenario::link::LinkError;
use teeter_scenario::{Problem, Problems};

/// Why a command has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A file or stdin can not be read.
    #[error("{place}: {source}")]
    Read { place: String, source: io::Error },
    /// A file or stdout can not be written.
    #[error("{place}: {source}")]
    Write { place: String, source: io::Error },
    /// A scenario has problems.
    #[error("{}", located(.place, .problems))]
    Scenario { place: String, problems: Problems },
    /// A sweep has problems.
    #[error("{place}: {source}")]
    Sweep {
        place: String,
        source: Box<SweepError>,
    },
    /// A link can not be opened.
    #[error("{0}")]
    Link(#[from] LinkError),
    /// A scenario is too large for a link.
    #[error("a link of {length} characters is too long, at most {most}: share the JSON instead")]
    LongLink { length: usize, most: usize },
}

impl Error {
    pub(crate) fn read(place: &str, source: io::Error) -> Self {
        let place = place.to_owned();
        Self::Read { place, source }
    }

    pub(crate) fn write(place: &str, source: io::Error) -> Self {
        let place = place.to_owned();
        Self::Write { place, source }
    }

    pub(crate) fn scenario(place: &str, problems: Problems) -> Self {
        let place = place.to_owned();
        Self::Scenario { place, problems }
    }

    pub(crate) fn sweep(place: &str, source: SweepError) -> Self {
        let (place, source) = (place.to_owned(), Box::new(source));
        Self::Sweep { place, source }
    }

    /// The message, each of its lines marked as an error.
    pub(crate) fn lines(&self) -> String {
        let message = self.to_string();
        let lines: Vec<String> = message
            .lines()
            .map(|line| format!("error: {line}"))
            .collect();
        lines.join("\n") + "\n"
    }
}

/// Problems with the scenario's own place before each.
fn located(place: &str, problems: &Problems) -> String {
    let line = |problem: &Problem| format!("{place}: {problem}");
    let lines: Vec<String> = problems.0.iter().map(line).collect();
    lines.join("\n")
}
