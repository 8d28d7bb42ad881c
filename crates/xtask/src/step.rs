//! A step of the set-up: one line that says what it does, one that says how long it took.

use std::time::{Duration, Instant};

/// A step under way.
#[derive(Debug)]
pub(crate) struct Step {
    name: String,
    began: Instant,
}

impl Step {
    /// Begins the step `name`; nothing is printed yet.
    #[expect(
        clippy::disallowed_methods,
        reason = "a build tool measures real time; the engine does not"
    )]
    pub(crate) fn begin(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            began: Instant::now(),
        }
    }

    /// The step's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Says what the step is about to do, for work that takes a while.
    pub(crate) fn doing(&self, what: &str) {
        println!("[xtask] {}: {what} …", self.name);
    }

    /// Ends the step: `how` it came out, and the time it took.
    pub(crate) fn done(self, how: &str) -> Duration {
        let took = self.began.elapsed();
        println!("[xtask] {}: {how} ({})", self.name, seconds(took));
        took
    }
}

/// A duration as a person reads it: `0.3 s`, `42 s`, `3 min 05 s`.
pub(crate) fn seconds(duration: Duration) -> String {
    match duration.as_secs() {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        whole @ 10..120 => format!("{whole} s"),
        whole => format!("{} min {:02} s", whole / 60, whole % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let texts = [300, 42_900, 185_000].map(|ms| seconds(Duration::from_millis(ms)));
        assert_eq!(texts, ["0.3 s", "42 s", "3 min 05 s"]);
    }
}
