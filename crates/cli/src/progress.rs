//! A bar on stderr while runs are under way; nothing where stderr is not a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use teeter_scenario::Nanos;

/// How much simulated time of all runs has passed.
#[derive(Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Nothing has passed of so much.
    pub(crate) fn new(total: Nanos) -> Self {
        let bar = ProgressBar::new(total.as_nanos());
        let template = "{percent:>3} % {bar:40} {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Nothing is done of so many steps.
    pub(crate) fn steps(total: u64) -> Self {
        Self::new(Nanos(total))
    }

    /// One more step is done.
    pub(crate) fn step(&self) {
        self.passed(Nanos(1));
    }

    /// So much more has passed.
    pub(crate) fn passed(&self, time: Nanos) {
        self.0.inc(time.as_nanos());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
