//! What the page keeps of one kernel's decisions.

use std::collections::VecDeque;

use crate::protocol::decisions::{Decisions, Told};

/// Decisions that are kept, the newest ones.
pub const KEPT: usize = 400;

/// The newest decisions that passed the filter, and counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecisionLog {
    /// Oldest first.
    pub told: VecDeque<Told>,
    /// Decisions since recording began.
    pub all: f64,
    /// Those of them that passed.
    pub passed: f64,
    /// The latest pass that weighed an imbalance.
    pub weighed: Option<Told>,
}

impl DecisionLog {
    /// Takes in what a worker tells.
    pub fn take(&mut self, news: Decisions) {
        self.all = news.all;
        self.passed = news.passed;
        if news.weighed.is_some() {
            self.weighed = news.weighed;
        }
        self.told.extend(news.told);
        let surplus = self.told.len().saturating_sub(KEPT);
        self.told.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept_and_the_last_weighed_one_stays() {
        let mut log = DecisionLog::default();
        let told = |at: usize| Told {
            at_ns: at as f64,
            ..Told::default()
        };
        log.take(Decisions {
            told: (0..300).map(told).collect(),
            weighed: Some(told(7)),
            ..Decisions::default()
        });
        log.take(Decisions {
            passed: 600.0,
            told: (300..600).map(told).collect(),
            ..Decisions::default()
        });
        assert_eq!(log.told.len(), KEPT);
        assert_eq!(log.told.back().map(|told| told.at_ns), Some(599.0));
        assert_eq!(log.weighed, Some(told(7)));
        assert_eq!(log.passed as u64, 600);
    }
}
