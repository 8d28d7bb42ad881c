//! The search for an idle CPU near the target.
//!
//! Source: kernel/sched/fair.c `select_idle_sibling`, `select_idle_core`, `select_idle_cpu`,
//! `select_idle_smt` (v5.3, v5.5; SCHED.md 6.4).

use teeter_machine::{CpuId, CpuSet};

use crate::ids::{SdId, TaskId};
use crate::rules::Feature;
use crate::sched::Sched;

/// What examining one CPU costs, ns: one or two cache lines of another CPU's run-queue. Sets how soon
/// SIS_PROP narrows its search; an assumption of ours.
const SCAN_COST_PER_CPU_NS: u64 = 20;

/// How many CPUs a search may look at, less one (`select_idle_cpu`, SIS_PROP of v4.13 to v5.11).
pub(crate) fn sis_prop(avg_idle_ns: u64, avg_scan_cost_ns: u64, span_weight: u64) -> u64 {
    let avg_idle = avg_idle_ns / 512;
    let avg_cost = avg_scan_cost_ns + 1;
    let span_avg = span_weight * avg_idle;
    if span_avg > 4 * avg_cost {
        span_avg / avg_cost
    } else {
        4
    }
}

impl Sched {
    /// An idle CPU that shares the target's cache, or the target.
    pub(super) fn select_idle_sibling(
        &mut self,
        task: TaskId,
        this_cpu: CpuId,
        prev: CpuId,
        target: CpuId,
    ) -> CpuId {
        let allowed = self.task(task).affinity;
        if self.available_for_wakeup(target) {
            return target;
        }
        if prev != target && self.shares_llc(prev, target) && self.available_for_wakeup(prev) {
            return prev;
        }
        let recent = self.task(task).recent_used_cpu;
        if recent != prev
            && recent != target
            && self.shares_llc(recent, target)
            && self.available_for_wakeup(recent)
            && allowed.contains(recent)
        {
            self.task_mut(task).recent_used_cpu = prev;
            return recent;
        }
        let Some(sd) = self.rqs[target.index()].sd_llc else {
            return target;
        };
        self.select_idle_core(sd, &allowed, target)
            .or_else(|| self.select_idle_cpu(sd, &allowed, this_cpu, target))
            .or_else(|| self.select_idle_smt(&allowed, target))
            .unwrap_or(target)
    }

    /// The first CPU of a core whose hardware threads all idle.
    fn select_idle_core(&mut self, sd: SdId, allowed: &CpuSet, target: CpuId) -> Option<CpuId> {
        let llc = self.rqs[target.index()].llc;
        if self.domains.smt[target.index()].len() < 2 || !self.domains.llcs[llc].has_idle_cores {
            return None;
        }
        let span = self.domains.sd(sd).span.and(allowed);
        let mut seen = CpuSet::EMPTY;
        for core in span.iter_wrap(target) {
            if seen.contains(core) {
                continue;
            }
            let smt = &self.domains.smt[core.index()];
            seen = seen.or(smt);
            if smt.iter().all(|cpu| self.rqs[cpu.index()].is_idle()) {
                return Some(core);
            }
        }
        self.domains.llcs[llc].has_idle_cores = false;
        None
    }

    /// The first idle CPU, of as many as are worth looking at.
    fn select_idle_cpu(
        &mut self,
        sd: SdId,
        allowed: &CpuSet,
        this_cpu: CpuId,
        target: CpuId,
    ) -> Option<CpuId> {
        let this_rq = &self.rqs[this_cpu.index()];
        let (avg_idle, this_sd) = (this_rq.avg_idle, this_rq.sd_llc?);
        let avg_scan_cost = self.domains.sd(this_sd).avg_scan_cost;
        let domain = self.domains.sd(sd);
        let weight = u64::from(domain.span_weight);
        let mut nr = if self.rules.features.has(Feature::SisProp) {
            sis_prop(avg_idle, avg_scan_cost, weight)
        } else {
            u64::MAX
        };
        let mut found = None;
        let mut looked = 0;
        let searched = if self.rules.wake.sis_counts_forbidden {
            domain.span
        } else {
            domain.span.and(allowed)
        };
        for cpu in searched.iter_wrap(target) {
            nr -= 1;
            if nr == 0 {
                return None;
            }
            looked += 1;
            if allowed.contains(cpu) && self.available_for_wakeup(cpu) {
                found = Some(cpu);
                break;
            }
        }
        let cost = looked * SCAN_COST_PER_CPU_NS;
        let domain = self.domains.sd_mut(this_sd);
        let delta = (cost as i64 - domain.avg_scan_cost as i64) / 8;
        domain.avg_scan_cost = domain.avg_scan_cost.saturating_add_signed(delta);
        found
    }

    /// An idle hardware thread of the target's core.
    fn select_idle_smt(&self, allowed: &CpuSet, target: CpuId) -> Option<CpuId> {
        let smt = &self.domains.smt[target.index()];
        smt.iter()
            .find(|&cpu| allowed.contains(cpu) && self.available_for_wakeup(cpu))
    }

    /// Notes that a whole core idles, when the last of its hardware threads does (`update_idle_core`).
    pub(crate) fn update_idle_core(&mut self, cpu: CpuId) {
        let llc = self.rqs[cpu.index()].llc;
        let smt = &self.domains.smt[cpu.index()];
        if smt.len() < 2 || self.domains.llcs[llc].has_idle_cores {
            return;
        }
        if smt
            .iter()
            .all(|other| other == cpu || self.rqs[other.index()].is_idle())
        {
            self.domains.llcs[llc].has_idle_cores = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sis_prop;

    #[test]
    fn searches_are_cut_by_idle_time_and_cost() {
        assert_eq!(sis_prop(1_000_000, 500, 24), 93);
        assert_eq!(sis_prop(50_000, 3000, 24), 4);
        assert_eq!(sis_prop(1000, 10_000, 128), 4);
    }
}
