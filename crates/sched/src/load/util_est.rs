//! Estimated utilization.
//!
//! Source: kernel/sched/fair.c `util_est_enqueue`, `util_est_dequeue` (v5.3, v5.5; SCHED.md 2.12).

use teeter_machine::CpuId;

use crate::ids::{EntityId, TaskId};
use crate::pelt::UtilEst;
use crate::rules::{self, Feature};
use crate::sched::Sched;

/// Set in a task's `enqueued` while its utilization has not changed since (`UTIL_AVG_UNCHANGED`).
const UNCHANGED: u64 = 1;

/// Differences below this are noise: about 1 % of 1024.
const MARGIN: i64 = 1024 / 100;

impl UtilEst {
    /// The estimate of a task (`_task_util_est`); odd, since the flag is left in.
    pub(crate) fn estimate(self) -> u64 {
        self.ewma.max(self.enqueued) | UNCHANGED
    }

    /// Utilization has changed (`cfs_se_util_change`).
    pub(super) fn set_changed(&mut self) {
        self.enqueued &= !UNCHANGED;
    }

    /// The task slept with this utilization (`util_est_dequeue`, task_sleep).
    pub(crate) fn slept(&mut self, util_avg: u64, capacity: u64, rule: rules::UtilEst) {
        if self.enqueued & UNCHANGED != 0 {
            return;
        }
        let enqueued = util_avg | UNCHANGED;
        if rule == rules::UtilEst::FastUp && self.ewma < enqueued {
            *self = Self {
                enqueued,
                ewma: enqueued,
            };
            return;
        }
        let diff = enqueued as i64 - self.ewma as i64;
        if diff.abs() < MARGIN || util_avg > capacity {
            return;
        }
        self.enqueued = enqueued;
        self.ewma = ((4 * self.ewma as i64 + diff) >> 2) as u64;
    }
}

impl Sched {
    /// Adds a task's estimate to its CPU.
    pub(crate) fn util_est_enqueue(&mut self, cpu: CpuId, se: EntityId) {
        if !self.rules.features.has(Feature::UtilEst) {
            return;
        }
        let estimate = self.se(se).avg.util_est.estimate();
        self.cfs_rqs[cpu.index()].avg.util_est.enqueued += estimate;
    }

    /// Takes a task's estimate off its CPU, and renews the estimate if the task goes to sleep.
    pub(crate) fn util_est_dequeue(&mut self, cpu: CpuId, task: TaskId, sleep: bool) {
        if !self.rules.features.has(Feature::UtilEst) {
            return;
        }
        let se = self.task(task).se;
        let estimate = self.se(se).avg.util_est.estimate();
        let enqueued = &mut self.cfs_rqs[cpu.index()].avg.util_est.enqueued;
        *enqueued = enqueued.saturating_sub(estimate);
        if sleep {
            let capacity = self.rqs[cpu.index()].cpu_capacity_orig;
            let rule = self.rules.load.util_est;
            let avg = &mut self.se_mut(se).avg;
            avg.util_est.slept(avg.util_avg, capacity, rule);
        }
    }
}
