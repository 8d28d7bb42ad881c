//! Estimated utilization.
//!
//! Source: kernel/sched/fair.c `util_est_enqueue`, `util_est_update` (v5.3 to v6.12; SCHED.md 2.12 and 14).

use teeter_machine::CpuId;

use crate::ids::{EntityId, TaskId};
use crate::pelt::{SchedAvg, UtilEst};
use crate::rules::{self, Feature};
use crate::sched::Sched;

/// Differences below this are noise: about 1 % of 1024.
const MARGIN: i64 = 1024 / 100;

/// Set in a task's estimate while its utilization has not changed since (`UTIL_AVG_UNCHANGED`).
const fn unchanged(rule: rules::UtilEst) -> u64 {
    match rule {
        rules::UtilEst::LowMark => 1,
        rules::UtilEst::HighMark | rules::UtilEst::Single => 1 << 31,
    }
}

/// A task that goes to sleep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sleeper {
    pub(crate) util_avg: u64,
    pub(crate) runnable_avg: u64,
    /// Capacity of its CPU.
    pub(crate) capacity: u64,
}

impl UtilEst {
    /// The estimate of a task (`_task_util_est`).
    pub(crate) fn estimate(self, rule: rules::UtilEst) -> u64 {
        let mark = unchanged(rule);
        match rule {
            rules::UtilEst::LowMark => self.ewma.max(self.enqueued) | mark,
            rules::UtilEst::HighMark => self.ewma.max(self.enqueued & !mark),
            rules::UtilEst::Single => self.ewma & !mark,
        }
    }

    /// Utilization has changed (`cfs_se_util_change`).
    pub(super) fn set_changed(&mut self, rule: rules::UtilEst) {
        let marked = match rule {
            rules::UtilEst::LowMark | rules::UtilEst::HighMark => &mut self.enqueued,
            rules::UtilEst::Single => &mut self.ewma,
        };
        *marked &= !unchanged(rule);
    }

    /// A task goes to sleep. `fast_up`: the average follows a rise at once.
    pub(crate) fn slept(&mut self, task: Sleeper, rule: rules::UtilEst, fast_up: bool) {
        match rule {
            rules::UtilEst::LowMark => self.slept_low(task, fast_up),
            rules::UtilEst::HighMark => self.slept_high(task, fast_up),
            rules::UtilEst::Single => self.slept_single(task),
        }
    }

    fn slept_low(&mut self, task: Sleeper, fast_up: bool) {
        let mark = unchanged(rules::UtilEst::LowMark);
        if self.enqueued & mark != 0 {
            return;
        }
        let enqueued = task.util_avg | mark;
        if fast_up && self.ewma < enqueued {
            (self.enqueued, self.ewma) = (enqueued, enqueued);
            return;
        }
        let diff = enqueued as i64 - self.ewma as i64;
        if diff.abs() < MARGIN || task.util_avg > task.capacity {
            return;
        }
        self.enqueued = enqueued;
        self.ewma = moved(self.ewma, diff);
    }

    fn slept_high(&mut self, task: Sleeper, fast_up: bool) {
        let mark = unchanged(rules::UtilEst::HighMark);
        if self.enqueued & mark != 0 {
            return;
        }
        let enqueued = task.util_avg;
        if fast_up && self.ewma < enqueued {
            (self.enqueued, self.ewma) = (enqueued | mark, enqueued);
            return;
        }
        let diff = enqueued as i64 - self.ewma as i64;
        if diff.abs() < MARGIN {
            if (self.enqueued as i64 - enqueued as i64).abs() >= MARGIN {
                self.enqueued = enqueued | mark;
            }
            return;
        }
        if task.util_avg > task.capacity {
            return;
        }
        self.enqueued = enqueued | mark;
        self.ewma = moved(self.ewma, diff);
    }

    fn slept_single(&mut self, task: Sleeper) {
        let mark = unchanged(rules::UtilEst::Single);
        if self.ewma & mark != 0 {
            return;
        }
        let diff = task.util_avg as i64 - self.ewma as i64;
        if diff >= 0 {
            self.ewma = task.util_avg;
        } else if diff <= -MARGIN {
            if task.util_avg > task.capacity {
                return;
            }
            if task.util_avg + MARGIN as u64 >= task.runnable_avg {
                self.ewma = moved(self.ewma, diff);
            }
        }
        self.ewma |= mark;
    }
}

/// The average, moved by a quarter of the difference.
fn moved(ewma: u64, diff: i64) -> u64 {
    ((4 * ewma as i64 + diff) >> 2) as u64
}

impl SchedAvg {
    /// Utilization of a task, estimated or as it is, whichever is more (`task_util_est`).
    pub(crate) fn task_util_est(&self, rule: rules::UtilEst) -> u64 {
        self.util_avg.max(self.util_est.estimate(rule))
    }
}

impl Sched {
    /// Adds a task's estimate to its CPU.
    pub(crate) fn util_est_enqueue(&mut self, cpu: CpuId, se: EntityId) {
        if !self.rules.features.has(Feature::UtilEst) {
            return;
        }
        let rule = self.rules.load.util_est;
        let estimate = self.se(se).avg.util_est.estimate(rule);
        self.cfs_rqs[cpu.index()].avg.util_est.enqueued += estimate;
    }

    /// Takes a task's estimate off its CPU, and renews the estimate if the task goes to sleep.
    pub(crate) fn util_est_dequeue(&mut self, cpu: CpuId, task: TaskId, sleep: bool) {
        let features = self.rules.features;
        if !features.has(Feature::UtilEst) {
            return;
        }
        let se = self.task(task).se;
        let rule = self.rules.load.util_est;
        let estimate = self.se(se).avg.util_est.estimate(rule);
        let enqueued = &mut self.cfs_rqs[cpu.index()].avg.util_est.enqueued;
        *enqueued = enqueued.saturating_sub(estimate);
        if sleep {
            let capacity = self.rqs[cpu.index()].cpu_capacity_orig;
            let avg = &mut self.se_mut(se).avg;
            let sleeper = Sleeper {
                util_avg: avg.util_avg,
                runnable_avg: avg.runnable_avg,
                capacity,
            };
            let fast_up = features.has(Feature::UtilEstFastup);
            avg.util_est.slept(sleeper, rule, fast_up);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleeper(util_avg: u64, runnable_avg: u64) -> Sleeper {
        Sleeper {
            util_avg,
            runnable_avg,
            capacity: 1024,
        }
    }

    fn slept(rule: rules::UtilEst, enqueued: u64, ewma: u64, util_avg: u64) -> UtilEst {
        let mut est = UtilEst { enqueued, ewma };
        est.slept(sleeper(util_avg, util_avg), rule, true);
        est
    }

    #[test]
    fn the_last_utilization_is_renewed_near_the_average_from_v5_13_on() {
        let mark = unchanged(rules::UtilEst::HighMark);
        let est = slept(rules::UtilEst::HighMark, 300, 400, 396);
        assert_eq!((est.enqueued, est.ewma), (mark + 396, 400));
        let est = slept(rules::UtilEst::LowMark, 300, 400, 396);
        assert_eq!((est.enqueued, est.ewma), (300, 400));
        assert_eq!(est.estimate(rules::UtilEst::LowMark), 401);
    }

    #[test]
    fn one_average_rises_at_once_and_falls_by_a_quarter() {
        let rule = rules::UtilEst::Single;
        assert_eq!(slept(rule, 0, 400, 500).estimate(rule), 500);
        assert_eq!(slept(rule, 0, 400, 391).estimate(rule), 400);
        assert_eq!(slept(rule, 0, 400, 200).estimate(rule), 350);
    }

    #[test]
    fn one_average_does_not_fall_while_the_task_had_to_wait() {
        let rule = rules::UtilEst::Single;
        let mut est = UtilEst {
            enqueued: 0,
            ewma: 400,
        };
        est.slept(sleeper(200, 211), rule, true);
        assert_eq!(est.estimate(rule), 400);
        // Nothing has changed since, so nothing is learned.
        est.slept(sleeper(200, 200), rule, true);
        assert_eq!(est.estimate(rule), 400);
        est.set_changed(rule);
        est.slept(sleeper(200, 200), rule, true);
        assert_eq!(est.estimate(rule), 350);
    }
}
