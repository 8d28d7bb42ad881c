//! Where a waking task runs.
//!
//! Source: kernel/sched/fair.c `select_task_rq_fair` for SD_BALANCE_WAKE (v5.3, v5.5; SCHED.md 6.1).

pub(crate) mod affine;
pub(crate) mod idle_sibling;

use teeter_machine::CpuId;

use crate::domain::Flags;
use crate::ids::TaskId;
use crate::rules::{Feature, LoadMetric};
use crate::sched::Sched;

impl Sched {
    /// The CPU for a waking task (`select_task_rq_fair`, SD_BALANCE_WAKE).
    pub(crate) fn select_task_rq_wake(
        &mut self,
        task: TaskId,
        this_cpu: CpuId,
        sync: bool,
    ) -> CpuId {
        let allowed = self.task(task).affinity;
        let prev = self.task(task).cpu;
        if allowed.len() == 1 {
            return allowed.first().unwrap_or(prev);
        }
        let waker = self.rqs[this_cpu.index()].curr;
        if let Some(waker) = waker {
            self.record_wakee(waker, task);
        }
        let flips = waker.map_or(0, |waker| self.task(waker).wakee_flips);
        let llc_size = self.domains.llcs[self.rqs[this_cpu.index()].llc].size;
        let wide = affine::wake_wide(flips, self.task(task).wakee_flips, llc_size);
        let want_affine = !wide && allowed.contains(this_cpu);
        let mut target = prev;
        if want_affine && this_cpu != prev {
            let mut next = self.rqs[this_cpu.index()].sd;
            while let Some(sd) = next {
                let domain = self.domains.sd(sd);
                if domain.flags.has(Flags::WAKE_AFFINE) && domain.span.contains(prev) {
                    target = self.wake_affine(sd, task, this_cpu, prev, sync);
                    break;
                }
                next = domain.parent;
            }
        }
        let cpu = self.select_idle_sibling(task, this_cpu, prev, target);
        if want_affine && let Some(waker) = waker {
            self.task_mut(waker).recent_used_cpu = this_cpu;
        }
        if allowed.contains(cpu) {
            cpu
        } else {
            self.select_fallback_rq(task, prev)
        }
    }

    /// Whether two CPUs share the last-level cache (`cpus_share_cache`).
    #[inline]
    pub(crate) fn shares_llc(&self, a: CpuId, b: CpuId) -> bool {
        self.rqs[a.index()].llc == self.rqs[b.index()].llc
    }

    /// Load of a CPU as this version's balancer sees it.
    #[inline]
    pub(crate) fn lb_load(&self, cpu: CpuId) -> u64 {
        let avg = &self.cfs_rqs[cpu.index()].avg;
        match self.rules.load.metric {
            LoadMetric::RunnableLoad => avg.runnable_avg,
            LoadMetric::Load => avg.load_avg,
        }
    }

    /// Estimated utilization of a CPU (`cpu_util`).
    #[inline]
    pub(crate) fn lb_util(&self, cpu: CpuId) -> u64 {
        let avg = &self.cfs_rqs[cpu.index()].avg;
        let estimate = if self.rules.features.has(Feature::UtilEst) {
            avg.util_est.enqueued
        } else {
            0
        };
        avg.util_avg
            .max(estimate)
            .min(self.rqs[cpu.index()].cpu_capacity_orig)
    }

    /// Whether the CPU idles or runs only tasks of idle policy, where that counts.
    #[inline]
    pub(crate) fn available_for_wakeup(&self, cpu: CpuId) -> bool {
        let rq = &self.rqs[cpu.index()];
        rq.is_idle() || (self.rules.wake.sched_idle_cpus && self.sched_idle_cpu(cpu))
    }

    /// Whether all tasks of a busy CPU are of idle policy (`sched_idle_cpu`).
    pub(crate) fn sched_idle_cpu(&self, cpu: CpuId) -> bool {
        let rq = &self.rqs[cpu.index()];
        rq.nr_running > 0 && rq.nr_idle_policy == rq.nr_running
    }
}
