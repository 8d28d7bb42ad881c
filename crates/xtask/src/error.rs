//! What can go wrong, each with a word on what to do about it.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// The result of a step.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Why a step did not succeed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A program could not be started at all.
    #[error("cannot start `{program}`: {source}")]
    Start {
        /// The command line.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A program ran and reported failure; its output has been shown already.
    #[error("`{program}` failed ({status})")]
    Failed {
        /// The command line.
        program: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// A program whose output went to a log failed.
    #[error("`{program}` failed ({status}); the whole log is {}, its end:\n{tail}", log.display())]
    Logged {
        /// The command line.
        program: String,
        /// How it ended.
        status: ExitStatus,
        /// Where its output is.
        log: PathBuf,
        /// The last lines of its output.
        tail: String,
    },
    /// A file could not be read, written, moved or locked.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// The verb: read, write, move.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something this machine lacks and xtask cannot put there.
    #[error("{what}")]
    Missing {
        /// What is missing.
        what: String,
        /// What to do.
        help: String,
    },
    /// A step failed; `help` says what can be done.
    #[error("{step}: {source}")]
    Step {
        /// The step's name.
        step: String,
        /// What to do.
        help: String,
        /// Why.
        source: Box<Error>,
    },
    /// Some scenarios take more instructions than before.
    #[error("more instructions than before: {}", scenarios.join(", "))]
    Slower {
        /// Which, and by how much.
        scenarios: Vec<String>,
    },
    /// Some parts of the test suite failed.
    #[error("failed: {}", parts.join(", "))]
    Tests {
        /// The failed parts, as `--only` spells them.
        parts: Vec<String>,
    },
}

impl Error {
    /// A file error, ready for `map_err`.
    pub(crate) fn file(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self::File {
            action,
            path,
            source,
        }
    }

    /// Names the step that failed and says what to do, ready for `map_err`.
    pub(crate) fn step(step: &str, help: &str) -> impl FnOnce(Self) -> Self + use<> {
        let (step, help) = (step.to_owned(), help.to_owned());
        move |source| Self::Step {
            step,
            help,
            source: Box::new(source),
        }
    }

    /// What a person can do about it.
    pub(crate) fn help(&self) -> Option<String> {
        match self {
            Self::Missing { help, .. } => Some(help.clone()),
            Self::Step { help, source, .. } => Some(source.help().unwrap_or_else(|| help.clone())),
            Self::Tests { parts } => Some(format!(
                "run only these again with `cargo xtask test --only {}`",
                parts.join(",")
            )),
            Self::Slower { .. } => Some(
                "find what it is, or keep the new counts with `cargo xtask bench --bless` in a commit that says why"
                    .into(),
            ),
            Self::Start { .. } | Self::Failed { .. } | Self::Logged { .. } | Self::File { .. } => {
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_help_wins() {
        let missing = Error::Missing {
            what: "no node".into(),
            help: "install node".into(),
        };
        let error = Error::step("wasm-opt", "try again")(missing);
        assert_eq!(error.help().as_deref(), Some("install node"));
        assert_eq!(error.to_string(), "wasm-opt: no node");
    }

    #[test]
    fn failed_parts_can_be_selected_again() {
        let error = Error::Tests {
            parts: vec!["clippy".into(), "e2e".into()],
        };
        assert_eq!(error.to_string(), "failed: clippy, e2e");
        assert!(
            error
                .help()
                .is_some_and(|help| help.ends_with("--only clippy,e2e`"))
        );
    }
}
