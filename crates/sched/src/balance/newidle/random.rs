//! Trying a domain as often as that succeeded of late.
//!
//! Source: kernel/sched/fair.c `sched_balance_newidle`, `update_newidle_stats` (NI_RANDOM; v6.19 and late stable
//! releases; SCHED.md 14).

use crate::ids::SdId;
use crate::sched::Sched;

/// Seed of the dice where none is given.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// How often the passes of a domain for CPUs about to idle pulled a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Success {
    calls: u32,
    successes: u32,
    /// Successes of 1024 calls.
    ratio: u32,
}

impl Default for Success {
    /// Half of all, before anything is known.
    fn default() -> Self {
        Self {
            calls: 512,
            successes: 256,
            ratio: 512,
        }
    }
}

impl Success {
    /// Counts a call that stands for so many successes (`update_newidle_stats`).
    pub(crate) fn note(&mut self, successes: u32) {
        self.calls += 1;
        self.successes += successes;
        if self.calls >= 1024 {
            self.ratio = self.successes;
            self.calls /= 2;
            self.successes /= 2;
        }
    }

    /// For a throw of 0..1024: how many successes one stands for, or `None` if the domain is passed over.
    pub(crate) fn weight(self, thrown: u32) -> Option<u32> {
        let chances = 1 + self.ratio;
        (thrown <= chances).then(|| (1024 + chances / 2) / chances)
    }
}

/// A stream of throws (a 64-bit xorshift).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dice(u64);

impl Default for Dice {
    fn default() -> Self {
        Self(SEED)
    }
}

impl Dice {
    /// The stream of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        // A xorshift of 0 would stay 0.
        Self(if seed == 0 { SEED } else { seed })
    }

    /// The next throw, 0..1024.
    fn throw(&mut self) -> u32 {
        (self.next() >> 54) as u32
    }

    /// The next throw, 0..`below`, which must not be 0 and far below 2^64.
    pub(crate) fn below(&mut self, below: u64) -> u64 {
        (self.next() >> 16) % below
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

impl Sched {
    /// Throws the dice for a domain. `None`: it is passed over this time; else what a success counts for.
    pub(super) fn draw(&mut self, sd: SdId) -> Option<u32> {
        if !self.rules.idle.random {
            return Some(1);
        }
        let thrown = self.dice.throw();
        let weight = self.domains.sd(sd).newidle.weight(thrown);
        if weight.is_none() {
            self.note_success(sd, 0);
        }
        weight
    }

    /// Counts a pass of a domain, if this kernel does.
    pub(super) fn note_success(&mut self, sd: SdId, successes: u32) {
        if self.rules.idle.random {
            self.domains.sd_mut(sd).newidle.note(successes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_that_never_helps_is_tried_ever_less() {
        let mut success = Success::default();
        assert_eq!(success.weight(513), Some(2));
        assert_eq!(success.weight(514), None);
        for _ in 0..20_000 {
            success.note(0);
        }
        assert_eq!(success.ratio, 0);
        assert_eq!(success.weight(1), Some(1024));
        assert_eq!(success.weight(2), None);
    }

    #[test]
    fn one_that_always_helps_is_tried_at_least_as_often_as_at_first() {
        let mut success = Success::default();
        let mut dice = Dice::default();
        let mut tried = 0;
        for at in 0..20_000 {
            let weight = success.weight(dice.throw());
            success.note(weight.unwrap_or(0));
            tried += u32::from(weight.is_some() && at >= 10_000);
        }
        // Weights are rounded to whole successes, so that the ratio settles well below all.
        assert!(tried > 5_000, "{tried}");
    }
}
