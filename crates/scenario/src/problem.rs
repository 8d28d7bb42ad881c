//! What is wrong with a scenario, and where.

use std::fmt;

/// One thing that is wrong with a scenario.
///
/// Crates above this one report what only they can know (an unknown kernel, a machine that has no such
/// CPU) in the same form, so that all problems are shown alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: a JSON Pointer (RFC 6901) into the document, such as `/tasks/0/workload/periodic/run`.
    /// Empty for the document as a whole.
    pub path: String,
    /// What is wrong, as a lower-case phrase.
    pub message: String,
    /// How to mend it, if that is known.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem at a place.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
            hint: None,
        }
    }

    /// The same problem with advice.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// A name that is not among the `known` ones, with the nearest as a hint.
    ///
    /// ```
    /// let problem = teeter_scenario::Problem::unknown("/kernels/0", "kernel", "v5.4", ["v5.3", "v5.5"]);
    /// assert_eq!(problem.to_string(), "/kernels/0: unknown kernel `v5.4` (did you mean `v5.3`?)");
    /// ```
    pub fn unknown<'a>(
        path: impl Into<String>,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        Self::new(path, format!("unknown {what} `{name}`")).suggesting(name, &known)
    }

    /// The same problem with the known name that is nearest to `name` as a hint, or with all of them if none is
    /// near and they are few.
    pub(crate) fn suggesting(self, name: &str, known: &[&str]) -> Self {
        match nearest(name, known) {
            Some(near) => self.with_hint(format!("did you mean `{near}`?")),
            None if known.is_empty() || known.len() > FEW => self,
            None => self.with_hint(format!("known: {}", known.join(", "))),
        }
    }
}

/// As many names as can be taken in at a glance.
const FEW: usize = 20;

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "{}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// All that is wrong with a scenario: at least one problem, in the order of the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", list(.0))]
pub struct Problems(pub Vec<Problem>);

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

fn list(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    lines.join("\n")
}

/// The known name that a misspelt one most likely stands for.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), *candidate))
        .filter(|(distance, candidate)| {
            *distance <= 1 + candidate.len() / 4 && *distance < candidate.len()
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `path` and then `step`, escaped as RFC 6901 asks.
///
/// ```
/// assert_eq!(teeter_scenario::problem::join("/tasks", 0), "/tasks/0");
/// ```
pub fn join(path: &str, step: impl fmt::Display) -> String {
    let step = step.to_string().replace('~', "~0").replace('/', "~1");
    format!("{path}/{step}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_when_it_is_near() {
        assert_eq!(nearest("threds", &["threads", "start"]), Some("threads"));
        assert_eq!(nearest("xyzzy", &["threads", "start"]), None);
        let far = Problem::unknown("", "preset", "xyzzy", ["lu-group"]);
        assert_eq!(far.to_string(), "unknown preset `xyzzy` (known: lu-group)");
    }

    #[test]
    fn pointer_steps_are_escaped() {
        assert_eq!(join("/a", "b/c~d"), "/a/b~1c~0d");
    }
}
