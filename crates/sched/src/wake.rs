//! Where a waking task runs.
//!
//! Source: kernel/sched/fair.c `select_task_rq_fair` (v5.3, v5.5, v6.1; SCHED.md 6.1); kernel/sched/core.c
//! `select_fallback_rq`.

pub(crate) mod affine;
mod effective_load;
pub(crate) mod fits;
mod idle_scan;
pub(crate) mod idle_sibling;
pub(crate) mod scan_limit;

use teeter_machine::CpuId;

use crate::decision::{Event, Placement, Step};
use crate::domain::Flags;
use crate::ids::TaskId;
use crate::rules::{Feature, LoadMetric, RecentUsed, SchedIdleCpus};
use crate::sched::Sched;
use idle_sibling::Search;

/// Who wakes a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waker {
    /// What runs on the waking CPU; `sync`: it is about to sleep.
    Task { sync: bool },
    /// An interrupt there, such as a timer's.
    Interrupt,
}

impl Sched {
    /// The CPU for a waking task (`select_task_rq_fair`, SD_BALANCE_WAKE).
    pub(crate) fn select_task_rq_wake(
        &mut self,
        task: TaskId,
        this_cpu: CpuId,
        waker: Waker,
    ) -> CpuId {
        let allowed = self.task(task).affinity;
        let prev = self.task(task).cpu;
        let mut placement = Placement {
            event: Event::Wakeup,
            task,
            prev_cpu: prev,
            target_cpu: None,
            chosen_cpu: prev,
            sync: waker == Waker::Task { sync: true },
            step: Step::Given,
        };
        if allowed.len() == 1 {
            placement.chosen_cpu = allowed.first().unwrap_or(prev);
            return self.note_placement(this_cpu, placement);
        }
        let current = self.rqs[this_cpu.index()].curr;
        if let Some(current) = current {
            self.record_wakee(current, task);
        }
        let want_affine = self.want_affine(task, this_cpu, prev);
        let mut target = prev;
        let mut slow = None;
        let mut next = self.rqs[this_cpu.index()].sd;
        while let Some(sd) = next {
            let domain = self.domains.sd(sd);
            next = domain.parent;
            let flags = domain.flags;
            if want_affine && flags.has(Flags::WAKE_AFFINE) && domain.span.contains(prev) {
                if this_cpu != prev {
                    let sync = waker == Waker::Task { sync: true };
                    target = self.wake_affine(sd, task, this_cpu, prev, sync);
                }
                slow = None;
                break;
            }
            if flags.has(Flags::BALANCE_WAKE) {
                slow = Some(sd);
            } else if !want_affine {
                break;
            }
        }
        if let Some(sd) = slow {
            let cpu = self.find_idlest_cpu(sd, task, this_cpu, Flags::BALANCE_WAKE);
            placement.step = Step::Idlest;
            placement.chosen_cpu = self.allowed_or_fallback(task, cpu);
            return self.note_placement(this_cpu, placement);
        }
        let (cpu, step) = self.select_idle_sibling(&Search {
            task,
            allowed,
            this_cpu,
            in_task: waker != Waker::Interrupt,
            prev,
            target,
        });
        if want_affine
            && self.rules.wake.recent_used == RecentUsed::OfWaker
            && let Some(current) = current
        {
            self.task_mut(current).recent_used_cpu = this_cpu;
        }
        placement.target_cpu = Some(target);
        placement.step = step;
        placement.chosen_cpu = self.allowed_or_fallback(task, cpu);
        self.note_placement(this_cpu, placement)
    }

    /// Whether the waker's CPU is to be considered at all.
    fn want_affine(&mut self, task: TaskId, this_cpu: CpuId, prev: CpuId) -> bool {
        let rq = &self.rqs[this_cpu.index()];
        let flips = rq.curr.map_or(0, |waker| self.task(waker).wakee_flips);
        let llc_size = self.domains.llcs[rq.llc].size;
        !affine::wake_wide(flips, self.task(task).wakee_flips, llc_size)
            && !self.wake_cap(task, this_cpu, prev)
            && self.task(task).affinity.contains(this_cpu)
    }

    /// The CPU, if the task may use it; else another.
    pub(crate) fn allowed_or_fallback(&mut self, task: TaskId, cpu: CpuId) -> CpuId {
        if self.task(task).affinity.contains(cpu) {
            cpu
        } else {
            self.select_fallback_rq(task, self.task(task).cpu)
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
        self.load_by(self.rules.load.metric, cpu)
    }

    /// Load of a CPU as this version sees it when it places woken and forked tasks.
    #[inline]
    pub(crate) fn wake_load(&self, cpu: CpuId) -> u64 {
        self.load_by(self.rules.load.wake_metric, cpu)
    }

    fn load_by(&self, metric: LoadMetric, cpu: CpuId) -> u64 {
        let avg = &self.cfs_rqs[cpu.index()].avg;
        match metric {
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

    /// Whether the CPU idles, or runs only tasks of idle policy where that counts as much.
    #[inline]
    pub(crate) fn available_for_wakeup(&self, cpu: CpuId) -> bool {
        self.rqs[cpu.index()].is_idle()
            || (self.rules.wake.sched_idle_cpus == SchedIdleCpus::Idle && self.sched_idle_cpu(cpu))
    }

    /// Whether all tasks of a busy CPU are of idle policy (`sched_idle_cpu`).
    pub(crate) fn sched_idle_cpu(&self, cpu: CpuId) -> bool {
        let rq = &self.rqs[cpu.index()];
        rq.nr_running > 0 && self.cfs_rqs[cpu.index()].idle_h_nr_running == rq.nr_running
    }
}
