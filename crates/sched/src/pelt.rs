//! Per-entity load tracking.
//!
//! Source: kernel/sched/pelt.c `decay_load`, `accumulate_sum`, `___update_load_sum`,
//! `___update_load_avg` as of v4.15 to v5.6; kernel/sched/fair.c `__update_load_avg`,
//! `__compute_runnable_contrib` of v4.11 (SCHED.md 2.1 to 2.4).

use crate::rules::Pelt;

#[cfg(test)]
mod golden;

/// Limit of the sum of 1024 * y^k (`LOAD_AVG_MAX`).
pub(crate) const LOAD_AVG_MAX: u64 = 47742;

/// 2^32 * y^n for n = 0 to 31 (`runnable_avg_yN_inv`).
const Y_INV: [u32; 32] = [
    0xffff_ffff,
    0xfa83_b2da,
    0xf525_7d14,
    0xefe4_b99a,
    0xeac0_c6e6,
    0xe5b9_06e6,
    0xe0cc_deeb,
    0xdbfb_b796,
    0xd744_fcc9,
    0xd2a8_1d91,
    0xce24_8c14,
    0xc9b9_bd85,
    0xc567_2a10,
    0xc12c_4cc9,
    0xbd08_a39e,
    0xb8fb_af46,
    0xb504_f333,
    0xb123_f581,
    0xad58_3ee9,
    0xa9a1_5ab4,
    0xa5fe_d6a9,
    0xa270_4302,
    0x9ef5_325f,
    0x9b8d_39b9,
    0x9837_f050,
    0x94f4_efa8,
    0x91c3_d373,
    0x8ea4_398a,
    0x8b95_c1e3,
    0x8898_0e80,
    0x85aa_c367,
    0x82cd_8698,
];

/// `value * y^periods`, y^32 = 1/2 (`decay_load`).
#[inline]
pub(crate) fn decay_load(value: u64, periods: u64) -> u64 {
    if periods > 32 * 63 {
        return 0;
    }
    let halved = value >> (periods / 32);
    ((u128::from(halved) * u128::from(Y_INV[(periods % 32) as usize])) >> 32) as u64
}

/// 1024 * (y + y^2 + … + y^n), rounded down, for n = 0 to 32 (`runnable_avg_yN_sum`).
const Y_SUM: [u64; 33] = [
    0, 1002, 1982, 2941, 3880, 4798, 5697, 6576, 7437, 8279, 9103, 9909, 10698, 11470, 12226,
    12966, 13690, 14398, 15091, 15769, 16433, 17082, 17718, 18340, 18949, 19545, 20128, 20698,
    21256, 21802, 22336, 22859, 23371,
];

/// Periods after which that sum is at its limit (`LOAD_AVG_MAX_N`).
const LOAD_AVG_MAX_N: u64 = 345;

/// `decay_load` of v4.11, which leaves a value alone that is not to decay at all.
#[inline]
pub(crate) fn decay_load_or_keep(value: u64, periods: u64) -> u64 {
    if periods == 0 {
        value
    } else {
        decay_load(value, periods)
    }
}

/// Contribution of so many whole periods, the last of them over (`__compute_runnable_contrib`, v4.11).
pub(crate) fn whole_periods(periods: u64) -> u64 {
    if periods <= 32 {
        return Y_SUM[periods as usize];
    }
    if periods >= LOAD_AVG_MAX_N {
        return LOAD_AVG_MAX;
    }
    let mut contrib = 0;
    let mut left = periods;
    while left > 32 {
        contrib = contrib / 2 + Y_SUM[32];
        left -= 32;
    }
    decay_load_or_keep(contrib, left) + Y_SUM[left as usize]
}

/// Sum over a first part `d1`, full periods and a last part `d3` (`__accumulate_pelt_segments`).
#[inline]
pub(crate) fn accumulate_segments(periods: u64, d1: u64, d3: u64) -> u64 {
    let c1 = decay_load(d1, periods);
    let c2 = LOAD_AVG_MAX - decay_load(LOAD_AVG_MAX, periods) - 1024;
    c1 + c2 + d3
}

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
    /// What a sum is divided by to give an average.
    #[inline]
    pub(crate) fn divider(&self, form: Pelt) -> u64 {
        match form {
            Pelt::Weighted(_) => LOAD_AVG_MAX,
            Pelt::RunnableLoad | Pelt::Runnable => LEAST_DIVIDER + self.period_contrib,
        }
    }

    /// Brings the sums to `now` (`___update_load_sum`). True if a period ended, so that the averages
    /// are due.
    #[inline]
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
        if form.is_weighted() {
            self.last_update_time = now;
            return self.accumulate_by_period(delta, activity);
        }
        self.last_update_time += delta << 10;
        let activity = if activity.load == 0 {
            Activity::BLOCKED
        } else {
            activity
        };
        self.accumulate(delta, activity)
    }

    /// `accumulate_sum`.
    fn accumulate(&mut self, delta: u64, activity: Activity) -> bool {
        let total = delta + self.period_contrib;
        let periods = total / 1024;
        let rest = total % 1024;
        let contrib = if periods == 0 {
            delta
        } else {
            self.decay(periods);
            accumulate_segments(periods, 1024 - self.period_contrib, rest)
        };
        self.period_contrib = rest;
        self.add(contrib, activity);
        periods > 0
    }

    /// As `__update_load_avg` of v4.11: to the end of the period, whole periods, and the rest.
    fn accumulate_by_period(&mut self, delta: u64, activity: Activity) -> bool {
        let Some(beyond) = (delta + self.period_contrib).checked_sub(1024) else {
            self.period_contrib += delta;
            self.add(delta, activity);
            return false;
        };
        self.add(1024 - self.period_contrib, activity);
        let (periods, rest) = (beyond / 1024, beyond % 1024);
        self.decay(periods + 1);
        self.add(whole_periods(periods), activity);
        self.period_contrib = rest;
        self.add(rest, activity);
        true
    }

    fn decay(&mut self, periods: u64) {
        self.load_sum = decay_load(self.load_sum, periods);
        self.runnable_sum = decay_load(self.runnable_sum, periods);
        self.util_sum = decay_load(self.util_sum, periods);
    }

    fn add(&mut self, contrib: u64, activity: Activity) {
        self.load_sum += activity.load * contrib;
        self.runnable_sum += activity.runnable * contrib;
        if activity.running {
            self.util_sum += contrib << 10;
        }
    }

    /// Recomputes the averages from the sums (`___update_load_avg`). Weights unscaled.
    #[inline]
    pub(crate) fn update_avg(&mut self, form: Pelt, load_weight: u64, runnable_weight: u64) {
        self.load_avg = self.average(form, load_weight * self.load_sum);
        self.runnable_avg = self.average(form, runnable_weight * self.runnable_sum);
        self.util_avg = self.average(form, self.util_sum);
    }

    /// The average that a sum comes to: the sum divided by [`SchedAvg::divider`].
    #[inline]
    pub(crate) fn average(&self, form: Pelt, sum: u64) -> u64 {
        let divider = self.divider(form);
        // A multiplication is cheaper than a division, and as exact for all sums that occur.
        match INVERSE.get((divider - LEAST_DIVIDER) as usize) {
            Some(&inverse) if sum < 1 << 48 => {
                ((u128::from(sum) * u128::from(inverse)) >> 64) as u64
            }
            _ => sum / divider,
        }
    }
}

/// The divider of a window that has just begun a period.
const LEAST_DIVIDER: u64 = LOAD_AVG_MAX - 1024;

/// 2^64 / D, rounded up, for each divider D from [`LEAST_DIVIDER`] to [`LOAD_AVG_MAX`]. It is too large by less than
/// 1, so that `sum * inverse >> 64` is `sum / D` for sums below 2^64 / D, and thus below 2^48.
static INVERSE: [u64; 1025] = {
    let mut inverse = [0; 1025];
    let mut at = 0;
    while at < inverse.len() {
        inverse[at] = u64::MAX / (LEAST_DIVIDER + at as u64) + 1;
        at += 1;
    }
    inverse
};

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
    fn decay_is_the_kernels() {
        assert_eq!(decay_load(LOAD_AVG_MAX, 1), LOAD_AVG_MAX - 1024);
        assert_eq!(decay_load(1000, 0), 999);
        assert_eq!(decay_load(u64::from(u32::MAX), 2017), 0);
    }

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
