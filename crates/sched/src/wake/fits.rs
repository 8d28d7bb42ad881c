//! Whether a CPU has room for a task.
//!
//! Source: kernel/sched/fair.c `wake_cap` (v5.3), `asym_fits_capacity` (v5.10); the postings of
//! "sched/fair: Introduce UTIL_FITS_CAPACITY feature" (SCHED.md 6.6).

use teeter_machine::CpuId;

use crate::balance::contest::fits_capacity;
use crate::ids::TaskId;
use crate::rules::{AsymWake, Feature, OwnPoint, UtilFits};
use crate::sched::Sched;

/// Whether tasks of `task_util` come beside queued ones of `enqueued`
/// (`task_fits_remaining_cpu_capacity`). All parts of 1024.
pub(crate) fn fits_remaining(form: UtilFits, enqueued: u64, task_util: u64, capacity: u64) -> bool {
    let total = enqueued + task_util;
    match form {
        UtilFits::Whole => total <= capacity,
        UtilFits::Margin | UtilFits::MarginOneBit => fits_capacity(total, capacity),
    }
}

/// What a waking task needs, as far as this kernel and machine ask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    task: TaskId,
    /// Whether the kernel asks where there is room (UTIL_FITS_CAPACITY), beside a rule of the user's own.
    by_feature: bool,
    /// Its estimated utilization, of which every CPU must have the capacity.
    capacity_for: Option<u64>,
    /// The same, where a busy CPU that has it to spare will do.
    room_for: Option<u64>,
}

impl Sched {
    /// Looks at what the task needs.
    pub(super) fn needs(&mut self, task: TaskId) -> Needs {
        let rules = &self.rules;
        let asym = rules.wake.asym.fits() && self.domains.asym_capacity;
        let features = rules.features;
        let fits = features.has(Feature::UtilFitsCapacity)
            && (features.has(Feature::UtilEst) || rules.wake.util_fits == UtilFits::MarginOneBit);
        let own = rules.own.at(OwnPoint::Fits).is_some();
        if !asym && !fits && !own {
            return Needs {
                task,
                by_feature: false,
                capacity_for: None,
                room_for: None,
            };
        }
        let util = self.synced_util_est(task);
        Needs {
            task,
            by_feature: fits,
            capacity_for: asym.then_some(util),
            room_for: (fits || own).then_some(util),
        }
    }

    /// The task's estimated utilization with what decayed while it slept.
    pub(super) fn synced_util_est(&mut self, task: TaskId) -> u64 {
        let se = self.task(task).se;
        self.sync_entity_load_avg(se);
        self.task_util_est(task)
    }

    /// Whether a single CPU will do for the task: it idles or has room, and is big enough.
    pub(super) fn suits(&mut self, needs: Needs, cpu: CpuId) -> bool {
        (self.available_for_wakeup(cpu) || self.has_room(needs, cpu))
            && self.is_big_enough(needs, cpu)
    }

    /// `asym_fits_capacity`: any CPU is, on machines of one capacity. Under the postings of 2026 one whose core is
    /// busy is not.
    pub(super) fn is_big_enough(&self, needs: Needs, cpu: CpuId) -> bool {
        let capacity = self.rqs[cpu.index()].cpu_capacity;
        let whole = self.rules.wake.asym == AsymWake::FitsIdleCores;
        needs
            .capacity_for
            .is_none_or(|util| fits_capacity(util, capacity) && (!whole || self.is_core_idle(cpu)))
    }

    fn has_room(&mut self, needs: Needs, cpu: CpuId) -> bool {
        let Some(util) = needs.room_for else {
            return false;
        };
        let enqueued = self.cfs_rqs[cpu.index()].avg.util_est.enqueued;
        let capacity = self.rqs[cpu.index()].cpu_capacity;
        let amount = |n: u64| i64::try_from(n).ok();
        let said = self.rules.own.eval(OwnPoint::Fits, |input| match input {
            0 => Some(cpu.0.into()),
            1 => Some(self.task(needs.task).cpu.0.into()),
            2 => amount(util),
            3 => amount(self.lb_util(cpu)),
            4 => amount(enqueued),
            5 => amount(capacity),
            _ => Some(self.rqs[cpu.index()].nr_running.into()),
        });
        if let Some(fits) = said.and_then(|said| self.heed(OwnPoint::Fits, said)) {
            return fits != 0;
        }
        needs.by_feature && fits_remaining(self.rules.wake.util_fits, enqueued, util, capacity)
    }

    /// Whether the task is too big for the smaller of two CPUs, and there are bigger ones (`wake_cap`).
    pub(super) fn wake_cap(&mut self, task: TaskId, a: CpuId, b: CpuId) -> bool {
        if self.rules.wake.asym != AsymWake::WakeCap || !self.domains.asym_capacity {
            return false;
        }
        let capacity = |cpu: CpuId| self.rqs[cpu.index()].cpu_capacity_orig;
        let least = capacity(a).min(capacity(b));
        let most = self.rqs.iter().map(|rq| rq.cpu_capacity_orig).max();
        let most = most.unwrap_or(least);
        if most - least < most >> 3 {
            return false;
        }
        !fits_capacity(self.synced_util_est(task), least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_keeps_a_fifth_free() {
        assert!(fits_remaining(UtilFits::Margin, 619, 200, 1024));
        assert!(!fits_remaining(UtilFits::Margin, 620, 200, 1024));
        assert!(fits_remaining(UtilFits::Whole, 824, 200, 1024));
        assert!(!fits_remaining(UtilFits::Margin, 824, 200, 1024));
    }
}
