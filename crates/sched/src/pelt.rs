//! Per-entity load tracking.
//!
//! Source: kernel/sched/pelt.c `decay_load`, `accumulate_sum`, `___update_load_sum`,
//! `___update_load_avg` as of v4.15 to v5.6; kernel/sched/fair.c `___update_load_avg` of v4.14, and
//! `__update_load_avg`, `__compute_runnable_contrib` of v4.11 (SCHED.md 2.1 to 2.4).

mod decay;
mod divider;

use crate::rules::Pelt;

pub(crate) use decay::LOAD_AVG_MAX;
use decay::{Decay, ShortDecay, whole_periods};
#[cfg(test)]
pub(crate) use decay::{accumulate_segments, decay_load, decay_load_or_keep};
use divider::Divider;
pub(crate) use divider::LEAST_DIVIDER;

#[cfg(test)]
mod golden;

/// The averages of an entity or a `cfs_rq` (`sched_avg`). Averages are unscaled weights or, for
/// `util`, parts of 1024.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SchedAvg {
    /// PELT clock of the last update, ns; 0 = attached to no `cfs_rq`.
    pub(crate) last_update_time: u64,
    pub(crate) load_sum: u64,
    /// Of the weight of what is queued (`runnable_load_sum`, to v5.6) or of how much is (v5.7).
    pub(crate) runnable_sum: u64,
    pub(crate) util_sum: u64,
    /// Part of the current period already counted, 0..1024 units of 1024 ns.
    pub(crate) period_contrib: u64,
    pub(crate) load_avg: u64,
    pub(crate) runnable_avg: u64,
    pub(crate) util_avg: u64,
    pub(crate) util_est: UtilEst,
}

/// Estimated utilization (`util_est`). For a root `cfs_rq` only `enqueued` is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UtilEst {
    pub(crate) enqueued: u64,
    pub(crate) ewma: u64,
}

/// What an entity or `cfs_rq` did since the last update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Activity {
    /// Factor of the load sum: 1 for a queued entity (its unscaled weight to v4.14), the unscaled weight for a
    /// `cfs_rq`.
    pub(crate) load: u64,
    /// Factor of the runnable sum: likewise (to v5.6), or 1024 for each runnable task (v5.7).
    pub(crate) runnable: u64,
    /// Whether it was running.
    pub(crate) running: bool,
}

impl Activity {
    /// Not queued.
    pub(crate) const BLOCKED: Self = Self {
        load: 0,
        runnable: 0,
        running: false,
    };
}

impl SchedAvg {
    /// What an average is multiplied by to give its sum, where load comes or goes.
    #[inline]
    pub(crate) fn divider(&self, form: Pelt) -> u64 {
        match form {
            Pelt::Weighted(_) | Pelt::WeightedSegments => LOAD_AVG_MAX,
            Pelt::RunnableLoad | Pelt::Runnable => LEAST_DIVIDER + self.period_contrib,
        }
    }

    /// What a sum that time added to is divided by to give its average: the same, but for v4.14.
    #[inline]
    fn window(&self, form: Pelt) -> u64 {
        match form {
            Pelt::Weighted(_) => LOAD_AVG_MAX,
            Pelt::WeightedSegments | Pelt::RunnableLoad | Pelt::Runnable => {
                LEAST_DIVIDER + self.period_contrib
            }
        }
    }

    /// Brings the sums to `now` (`___update_load_sum`). True if a period ended, so that the averages are due.
    #[expect(
        clippy::inline_always,
        reason = "a tick does this six times; a call costs a tenth of it"
    )]
    #[inline(always)]
    pub(crate) fn update_sum(&mut self, form: Pelt, now: u64, activity: Activity) -> bool {
        let delta_ns = now.wrapping_sub(self.last_update_time);
        if (delta_ns as i64) < 0 {
            self.last_update_time = now;
            return false;
        }
        let delta = delta_ns >> 10;
        if delta == 0 {
            return false;
        }
        let mut activity = activity;
        if let Pelt::Weighted(_) = form {
            self.last_update_time = now;
        } else {
            self.last_update_time += delta << 10;
            if activity.load == 0 {
                activity = Activity::BLOCKED;
            }
        }
        self.accumulate(form, delta, activity)
    }

    /// `accumulate_sum`. To v4.11 what belongs to the period that ends is added before the sums decay.
    #[expect(
        clippy::inline_always,
        reason = "a tick does this six times; a call costs a tenth of it"
    )]
    #[inline(always)]
    fn accumulate(&mut self, form: Pelt, delta: u64, activity: Activity) -> bool {
        let total = delta + self.period_contrib;
        let (periods, rest) = (total / 1024, total % 1024);
        let first = 1024 - self.period_contrib;
        self.period_contrib = rest;
        if periods == 0 {
            self.add(delta, activity);
            return false;
        }
        if let Pelt::Weighted(_) = form {
            self.add(first, activity);
        }
        let contrib = if let Some(decay) = ShortDecay::over(periods)
            && (self.load_sum | self.runnable_sum | self.util_sum) >> 32 == 0
        {
            self.load_sum = decay.of_small(self.load_sum);
            self.runnable_sum = decay.of_small(self.runnable_sum);
            self.util_sum = decay.of_small(self.util_sum);
            decay.segments(first, rest)
        } else {
            let decay = Decay::over(periods);
            self.load_sum = decay.of(self.load_sum);
            self.runnable_sum = decay.of(self.runnable_sum);
            self.util_sum = decay.of(self.util_sum);
            decay.segments(first, rest)
        };
        let contrib = if let Pelt::Weighted(_) = form {
            whole_periods(periods - 1) + rest
        } else {
            contrib
        };
        self.add(contrib, activity);
        true
    }

    #[inline]
    fn add(&mut self, contrib: u64, activity: Activity) {
        self.load_sum += activity.load * contrib;
        self.runnable_sum += activity.runnable * contrib;
        self.util_sum += u64::from(activity.running) * (contrib << 10);
    }

    /// Recomputes the averages from the sums (`___update_load_avg`). Weights unscaled.
    #[expect(
        clippy::inline_always,
        reason = "a tick does this six times; a call costs a tenth of it"
    )]
    #[inline(always)]
    pub(crate) fn update_avg(&mut self, form: Pelt, load_weight: u64, runnable_weight: u64) {
        let divider = Divider::new(self.window(form));
        self.load_avg = divider.divides(load_weight * self.load_sum);
        self.runnable_avg = divider.divides(runnable_weight * self.runnable_sum);
        self.util_avg = divider.divides(self.util_sum);
    }

    /// The average that a sum comes to: the sum divided by [`SchedAvg::divider`].
    #[inline]
    pub(crate) fn average(&self, form: Pelt, sum: u64) -> u64 {
        Divider::new(self.divider(form)).divides(sum)
    }
}

/// `max(0, value - by)` in place (`sub_positive`).
#[inline]
pub(crate) fn sub_positive(value: &mut u64, by: u64) {
    *value = value.saturating_sub(by);
}

/// `max(0, value + delta)` in place (`add_positive`).
#[inline]
pub(crate) fn add_positive(value: &mut u64, delta: i64) {
    *value = value.saturating_add_signed(delta);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Propagation;

    #[test]
    fn averages_are_exact_quotients() {
        let dividers = [0, 1, 511, 512, 1022, 1023];
        for period_contrib in dividers {
            let avg = SchedAvg {
                period_contrib,
                ..SchedAvg::default()
            };
            for form in [Pelt::Runnable, Pelt::Weighted(Propagation::Load)] {
                let divider = avg.divider(form);
                let quotients = (0..48).map(|bit| (1u64 << bit) / divider);
                let sums = quotients
                    .flat_map(|q| {
                        [
                            q * divider,
                            (q * divider).saturating_sub(1),
                            q * divider + 1,
                        ]
                    })
                    .chain([(1 << 48) - 1, 1 << 48, u64::MAX]);
                for sum in sums {
                    assert_eq!(avg.average(form, sum), sum / divider, "{sum} / {divider}");
                }
            }
        }
    }

    #[test]
    fn a_clock_that_goes_back_only_moves_the_stamp() {
        let mut avg = SchedAvg {
            last_update_time: 5000,
            load_sum: 7,
            ..SchedAvg::default()
        };
        let always = Activity {
            load: 1,
            runnable: 1,
            running: true,
        };
        assert!(!avg.update_sum(Pelt::RunnableLoad, 4000, always));
        assert_eq!((avg.last_update_time, avg.load_sum), (4000, 7));
    }

    /// Averages of a task of weight 1024 that runs from the beginning of a period on, updated at each of these
    /// times, us of 1024 ns.
    fn running(form: Pelt, times: &[u64]) -> SchedAvg {
        let mut avg = SchedAvg {
            last_update_time: 1024,
            ..SchedAvg::default()
        };
        let queued = if form.is_weighted() { 1024 } else { 1 };
        let always = Activity {
            load: queued,
            runnable: queued,
            running: true,
        };
        let scale = if form.is_weighted() { 1 } else { 1024 };
        for time in times {
            if avg.update_sum(form, 1024 + (time << 10), always) {
                avg.update_avg(form, scale, scale);
            }
        }
        avg
    }

    #[test]
    fn v4_14_sums_by_segments_with_weights_inside() {
        for times in [&[500, 1023, 1024, 1100, 9000][..], &[3000, 3001, 400_000]] {
            let (inside, outside) = (
                running(Pelt::WeightedSegments, times),
                running(Pelt::RunnableLoad, times),
            );
            assert_eq!(inside.util_sum, outside.util_sum);
            assert_eq!(inside.util_avg, outside.util_avg);
            assert_eq!(inside.period_contrib, outside.period_contrib);
            assert_eq!(inside.load_sum, inside.util_sum, "a weight of 1024");
            assert_eq!(inside.load_avg, inside.util_avg);
            // A part of the load that decays loses less than its last digit.
            assert!(inside.load_avg.abs_diff(outside.load_avg) <= 1);
        }
        // The window counts what has begun of a period; to v4.11 averages swing with it.
        let at = |form, into: u64| {
            let mut times: Vec<u64> = (1..=400).map(|period| period * 1024).collect();
            times.push(401 * 1024 + into);
            running(form, &times).load_avg
        };
        let v4_11 = Pelt::Weighted(Propagation::Load);
        assert_eq!([at(v4_11, 0), at(v4_11, 1023)], [1002, 1024]);
        let v4_14 = Pelt::WeightedSegments;
        assert!(at(v4_14, 0) >= 1022 && at(v4_14, 1023) >= 1022);
    }

    #[test]
    fn v4_14_keeps_what_is_less_than_a_microsecond() {
        let queued = Activity {
            load: 1024,
            runnable: 1024,
            running: true,
        };
        let summed = |form| {
            let mut avg = SchedAvg::default();
            for step in 1..=1024 {
                avg.update_sum(form, step * 1536, queued);
            }
            avg.util_sum
        };
        let whole = summed(Pelt::WeightedSegments);
        let cut = summed(Pelt::Weighted(Propagation::Load));
        assert!(whole > cut * 7 / 5, "{whole} and {cut}");
    }

    #[test]
    fn a_task_that_always_runs_tends_to_its_weight() {
        let mut avg = SchedAvg {
            last_update_time: 1024,
            ..SchedAvg::default()
        };
        let always = Activity {
            load: 1,
            runnable: 1,
            running: true,
        };
        for ms in 1..=400u64 {
            if avg.update_sum(Pelt::RunnableLoad, 1024 + ms * 1_000_000, always) {
                avg.update_avg(Pelt::RunnableLoad, 1024, 1024);
            }
        }
        assert!(
            avg.load_avg >= 1022 && avg.load_avg <= 1024,
            "{}",
            avg.load_avg
        );
        assert!(
            avg.util_avg >= 1022 && avg.util_avg <= 1024,
            "{}",
            avg.util_avg
        );
    }
}
