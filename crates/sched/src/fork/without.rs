//! A CPU without the task that is to leave it.
//!
//! Source: kernel/sched/fair.c `cpu_load_without`, `cpu_util_without`, `cpu_runnable_without`,
//! `idle_cpu_without` (v5.5, v5.7).

use teeter_machine::CpuId;

use crate::balance::group::GroupStats;
use crate::ids::TaskId;
use crate::rules::Feature;
use crate::sched::Sched;

/// What a CPU carries less when the task is gone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Without {
    pub(super) cpu: CpuId,
    load: u64,
    pub(super) util: u64,
    runnable: u64,
    /// The task is queued there.
    queued: bool,
    /// It is all that keeps the CPU from idling.
    leaves_idle: bool,
}

impl Without {
    /// Takes the task off what its group comes to.
    pub(super) fn apply(&self, stats: &mut GroupStats) {
        stats.group_load = stats.group_load.saturating_sub(self.load);
        stats.group_util = stats.group_util.saturating_sub(self.util);
        if let Some(runnable) = &mut stats.group_runnable {
            *runnable = runnable.saturating_sub(self.runnable);
        }
        let queued = u32::from(self.queued);
        stats.sum_nr_running = stats.sum_nr_running.saturating_sub(queued);
        stats.sum_h_nr_running = stats.sum_h_nr_running.saturating_sub(queued);
        stats.idle_cpus += u32::from(self.leaves_idle);
    }
}

impl Sched {
    /// The CPU of a task without it; `None` if it adds nothing there, as a new one.
    pub(super) fn without(&mut self, task: TaskId) -> Option<Without> {
        let (se, cpu) = (self.task(task).se, self.task(task).cpu);
        if self.se(se).avg.last_update_time == 0 {
            return None;
        }
        let h_load = self.task_h_load(se);
        let queued = self.se(se).on_rq;
        let rq = &self.rqs[cpu.index()];
        let own_runnable = self.se(se).avg.runnable_avg;
        Some(Without {
            cpu,
            load: h_load.min(self.wake_load(cpu)),
            util: self.lb_util(cpu) - self.cpu_util_without(cpu, task),
            runnable: own_runnable.min(self.cfs_rqs[cpu.index()].avg.runnable_avg),
            queued,
            leaves_idle: queued && rq.nr_running == 1 && rq.curr.is_none_or(|curr| curr == task),
        })
    }

    /// Estimated utilization of the task's CPU without it (`cpu_util_without`).
    pub(super) fn cpu_util_without(&self, cpu: CpuId, task: TaskId) -> u64 {
        let se = self.task(task).se;
        let avg = &self.cfs_rqs[cpu.index()].avg;
        let own = &self.se(se).avg;
        let mut util = avg.util_avg.saturating_sub(own.util_avg);
        if self.rules.features.has(Feature::UtilEst) {
            let queued = self.se(se).on_rq;
            let estimate = if queued {
                own.util_est.estimate(self.rules.load.util_est)
            } else {
                0
            };
            util = util.max(avg.util_est.enqueued.saturating_sub(estimate));
        }
        util.min(self.rqs[cpu.index()].cpu_capacity_orig)
    }
}
