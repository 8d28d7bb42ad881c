//! The order in which CPUs are tried for a waking task.
//!
//! Source: kernel/sched/fair.c `select_idle_sibling` (v5.3, v5.11, v5.15, v6.12; SCHED.md 6.4, 6.6 and 14).

use teeter_machine::{CpuId, CpuSet};

use super::fits::Needs;
use crate::decision::Step;
use crate::ids::TaskId;
use crate::rules::{AsymWake, Feature, IdleScan, KthreadStacking, RecentUsed};
use crate::sched::Sched;

/// A search for a CPU.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) task: TaskId,
    /// CPUs it may use.
    pub(crate) allowed: CpuSet,
    /// The CPU it is woken from.
    pub(crate) this_cpu: CpuId,
    /// Whether by what runs there, not by an interrupt.
    pub(crate) in_task: bool,
    /// The CPU it was on.
    pub(crate) prev: CpuId,
    /// The CPU to search around: that one or the waker's.
    pub(crate) target: CpuId,
}

impl Sched {
    /// An idle CPU that shares the target's cache, or the target; with the step at which it was found.
    pub(crate) fn select_idle_sibling(&mut self, search: &Search) -> (CpuId, Step) {
        let Search { prev, target, .. } = *search;
        if self.rules.wake.asym == AsymWake::CapacityFirst
            && let Some(cpu) = self.select_idle_capacity(search)
        {
            return (cpu, Step::Capacity);
        }
        let needs = self.needs(search.task);
        let biased = self.rules.features.has(Feature::SelectBiasPrev);
        let prev_is_near = prev == target || self.shares_llc(prev, target);
        if biased && prev_is_near && self.suits(needs, prev) {
            return (prev, Step::Prev);
        }
        if self.suits(needs, target) {
            return (target, Step::Target);
        }
        // Idle CPUs of the cache, but not of the target's cluster: taken if the search finds nothing.
        let mut near_prev = None;
        if !biased && prev != target && prev_is_near && self.suits(needs, prev) {
            if self.shares_cluster(prev, target) {
                return (prev, Step::Prev);
            }
            near_prev = Some(prev);
        }
        if self.stacks_on_kthread(search, needs) {
            return (prev, Step::PerCpuKthread);
        }
        let recent = self.recent_used_cpu(search, needs);
        if let Some(recent) = recent.filter(|&recent| self.shares_cluster(recent, target)) {
            return (recent, Step::Recent);
        }
        if self.rules.wake.asym.fits()
            && let Some(cpu) = self.select_idle_capacity(search)
        {
            return (cpu, Step::Capacity);
        }
        let Some(sd) = self.rqs[target.index()].sd_llc else {
            return (target, Step::Fallback);
        };
        let found = match self.rules.wake.idle_scan {
            IdleScan::Apart => self.scan_apart(search, sd),
            _ => self.scan_merged(search, sd),
        };
        if let Some(cpu) = found {
            return (cpu, Step::Scan);
        }
        let near = if biased && prev_is_near {
            Some(prev)
        } else {
            near_prev.or(recent)
        };
        (near.unwrap_or(target), Step::Fallback)
    }

    /// Whether the task is to stay on the CPU of the per-CPU kernel thread that wakes it: that has done
    /// what the task waited for, and is about to sleep.
    fn stacks_on_kthread(&self, search: &Search, needs: Needs) -> bool {
        let fits = match self.rules.wake.kthread_stacking {
            KthreadStacking::Never => false,
            KthreadStacking::Running => true,
            KthreadStacking::Waking => search.in_task && self.is_big_enough(needs, search.prev),
        };
        let rq = &self.rqs[search.this_cpu.index()];
        let waker = rq.curr.map(|waker| self.task(waker));
        fits && search.prev == search.this_cpu
            && rq.nr_running <= 1
            && waker.is_some_and(|waker| waker.per_cpu_kthread && waker.cpus_mask.len() == 1)
    }

    /// The task's `recent_used_cpu`, if it will do; renews it.
    fn recent_used_cpu(&mut self, search: &Search, needs: Needs) -> Option<CpuId> {
        let (prev, target) = (search.prev, search.target);
        let rule = self.rules.wake.recent_used;
        let recent = self.task(search.task).recent_used_cpu;
        let tested = match rule {
            RecentUsed::None => return None,
            RecentUsed::OfWaker | RecentUsed::Prev => recent,
            RecentUsed::PrevTested => prev,
        };
        let suits = recent != prev
            && recent != target
            && self.shares_llc(recent, target)
            && self.suits(needs, recent)
            && search.allowed.contains(tested);
        if suits || rule != RecentUsed::OfWaker {
            self.task_mut(search.task).recent_used_cpu = prev;
        }
        suits.then_some(recent)
    }

    /// Whether two CPUs share the smallest cache that counts (`cpus_share_resources`): on machines without
    /// clusters, and kernels that know none, any do.
    fn shares_cluster(&self, a: CpuId, b: CpuId) -> bool {
        self.rules.wake.idle_scan < IdleScan::ClusterFirst
            || !self.domains.has_clusters
            || self.rqs[a.index()].share_id == self.rqs[b.index()].share_id
    }
}

#[cfg(test)]
mod tests;
