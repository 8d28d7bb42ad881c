//! The search for an idle CPU among those that share the target's cache.
//!
//! Source: kernel/sched/fair.c `select_idle_core`, `select_idle_cpu`, `select_idle_smt` (v5.3, v5.15, v6.12),
//! `select_idle_capacity` (v5.7 to v6.12, and "Prefer fully-idle SMT cores in asym-capacity idle selection" of 2026;
//! SCHED.md 6.4 and 14).

use teeter_machine::{CpuId, CpuSet};

use super::idle_sibling::Search;
use super::scan_limit::Budget;
use crate::balance::contest::fits_capacity;
use crate::domain::Flags;
use crate::ids::SdId;
use crate::rules::{AsymWake, Feature, IdleScan, SchedIdleCpus};
use crate::sched::Sched;

impl Sched {
    /// An idle core, an idle CPU, an idle hardware thread of the target (to v5.11).
    pub(super) fn scan_apart(&mut self, search: &Search, sd: SdId) -> Option<CpuId> {
        self.idle_core_apart(search, sd)
            .or_else(|| self.idle_cpu_apart(search, sd))
            .or_else(|| self.select_idle_smt(search, sd, search.target))
    }

    /// The first CPU of a core whose hardware threads all idle.
    fn idle_core_apart(&mut self, search: &Search, sd: SdId) -> Option<CpuId> {
        let llc = self.rqs[search.target.index()].llc;
        if !self.domains.smt_present || !self.domains.llcs[llc].has_idle_cores {
            return None;
        }
        let span = self.domains.sd(sd).span.and(&search.allowed);
        let mut seen = CpuSet::EMPTY;
        for core in span.iter_wrap(search.target) {
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
    fn idle_cpu_apart(&mut self, search: &Search, sd: SdId) -> Option<CpuId> {
        let (this_cpu, allowed) = (search.this_cpu, &search.allowed);
        let this_sd = self.rqs[this_cpu.index()].sd_llc?;
        let mut budget = self.prop_budget(this_cpu, this_sd, sd);
        let span = self.domains.sd(sd).span;
        let searched = if self.rules.wake.sis_counts_forbidden {
            span
        } else {
            span.and(allowed)
        };
        let spares = self.rules.wake.sched_idle_cpus == SchedIdleCpus::Spare;
        let (mut found, mut spare) = (None, None);
        for cpu in searched.iter_wrap(search.target) {
            if !budget.spend() {
                return spare;
            }
            if !allowed.contains(cpu) {
                continue;
            }
            if self.available_for_wakeup(cpu) {
                found = Some(cpu);
                break;
            }
            if spares && spare.is_none() && self.sched_idle_cpu(cpu) {
                spare = Some(cpu);
            }
        }
        self.charge_scan(this_cpu, this_sd, budget);
        found
    }

    /// An idle hardware thread of a core.
    fn select_idle_smt(&self, search: &Search, sd: SdId, core: CpuId) -> Option<CpuId> {
        if !self.domains.smt_present {
            return None;
        }
        let span = self.domains.sd(sd).span;
        let leaves = self.rules.wake.smt_leaves_domain;
        let mut threads = self.domains.smt[core.index()]
            .iter()
            .filter(|&cpu| search.allowed.contains(cpu) && (leaves || span.contains(cpu)));
        let spares = self.rules.wake.sched_idle_cpus == SchedIdleCpus::Spare;
        let idle = threads.clone().find(|&cpu| self.available_for_wakeup(cpu));
        idle.or_else(|| threads.find(|&cpu| spares && self.sched_idle_cpu(cpu)))
    }

    /// An idle core where the cache has some, else an idle CPU (from v5.12 on).
    pub(super) fn scan_merged(&mut self, search: &Search, sd: SdId) -> Option<CpuId> {
        let Search { prev, target, .. } = *search;
        let llc = self.rqs[target.index()].llc;
        let has_idle_core = self.domains.smt_present && self.domains.llcs[llc].has_idle_cores;
        if self.rules.wake.idle_scan >= IdleScan::PrevCoreFirst
            && !has_idle_core
            && self.shares_llc(prev, target)
            && let Some(cpu) = self.select_idle_smt(search, sd, prev)
        {
            return Some(cpu);
        }
        let this_sd = self.rqs[search.this_cpu.index()].sd_llc?;
        let mut budget = if has_idle_core {
            Budget::UNLIMITED
        } else {
            self.prop_budget(search.this_cpu, this_sd, sd)
        };
        if self.rules.features.has(Feature::SisUtil) {
            let nr = self.domains.llcs[llc].nr_idle_scan;
            if nr == 0 {
                return None;
            }
            budget = Budget::new(u64::from(nr) + 1);
        }
        let mut scan = Scan {
            cpus: self.domains.sd(sd).span.and(&search.allowed),
            core_fallback: None,
            budget,
        };
        let start = if self.rules.wake.idle_scan >= IdleScan::PastTarget {
            CpuId(target.0 + 1)
        } else {
            target
        };
        if let Some(cluster) = self.cluster_group(sd) {
            match self.scan_part(search, &mut scan, &cluster, start, has_idle_core) {
                Part::Found(cpu) => return Some(cpu),
                Part::Spent => return None,
                Part::Nothing => scan.cpus = scan.cpus.minus(&cluster),
            }
        }
        let rest = scan.cpus;
        let found = match self.scan_part(search, &mut scan, &rest, start, has_idle_core) {
            Part::Found(cpu) if has_idle_core => return Some(cpu),
            Part::Found(cpu) => Some(cpu),
            Part::Spent => return None,
            Part::Nothing => scan.core_fallback,
        };
        if has_idle_core {
            self.domains.llcs[llc].has_idle_cores = false;
        } else {
            self.charge_scan(search.this_cpu, this_sd, scan.budget);
        }
        found
    }

    /// CPUs of the target's cluster, where the cache's domain consists of clusters.
    fn cluster_group(&self, sd: SdId) -> Option<CpuSet> {
        let clusters = self.rules.wake.idle_scan >= IdleScan::ClusterFirst
            && self.domains.has_clusters
            && self.domains.group_flags(sd, 0).has(Flags::CLUSTER);
        clusters.then(|| self.domains.sg(self.domains.local_group(sd)).span)
    }

    /// Searches those of `part` that are left.
    fn scan_part(
        &self,
        search: &Search,
        scan: &mut Scan,
        part: &CpuSet,
        start: CpuId,
        has_idle_core: bool,
    ) -> Part {
        for cpu in part.iter_wrap(start) {
            if !scan.cpus.contains(cpu) {
                continue;
            }
            if has_idle_core {
                if self.idle_core(search, scan, cpu) {
                    return Part::Found(cpu);
                }
            } else if !scan.budget.spend() {
                return Part::Spent;
            } else if self.available_for_wakeup(cpu) {
                return Part::Found(cpu);
            }
        }
        Part::Nothing
    }

    /// Whether all hardware threads of a core idle; if not, one that does is remembered, and the core is left
    /// out from here on (`select_idle_core`).
    fn idle_core(&self, search: &Search, scan: &mut Scan, core: CpuId) -> bool {
        let within = if self.rules.wake.core_leaves_domain {
            search.allowed
        } else {
            scan.cpus
        };
        let threads = &self.domains.smt[core.index()];
        let mut idle = true;
        for cpu in threads {
            let fallback = scan.core_fallback.is_none() && within.contains(cpu);
            if self.rqs[cpu.index()].is_idle() {
                if fallback {
                    scan.core_fallback = Some(cpu);
                }
                continue;
            }
            idle = false;
            if fallback && self.sched_idle_cpu(cpu) {
                scan.core_fallback = Some(cpu);
            }
            if scan.core_fallback.is_some() {
                break;
            }
        }
        if !idle {
            scan.cpus = scan.cpus.minus(threads);
        }
        idle
    }

    /// The first idle CPU that is big enough for the task, else the biggest idle one, else the target. `None`:
    /// the target is in no domain of several capacities. Under the postings of 2026 any CPU of a core that idles as a
    /// whole comes before all others.
    pub(super) fn select_idle_capacity(&mut self, search: &Search) -> Option<CpuId> {
        let sd = self.sd_asym_cpucapacity(search.target)?;
        let util = self.synced_util_est(search.task);
        let cpus = self.domains.sd(sd).span.and(&search.allowed);
        let llc = self.rqs[search.target.index()].llc;
        let by_core = self.rules.wake.asym == AsymWake::FitsIdleCores
            && self.domains.smt_present
            && self.domains.llcs[llc].has_idle_cores;
        let mut best = None;
        for cpu in cpus.iter_wrap(search.target) {
            if !self.available_for_wakeup(cpu) {
                continue;
            }
            let capacity = self.rqs[cpu.index()].cpu_capacity;
            let whole = !by_core || self.is_core_idle(cpu);
            let fits = fits_capacity(util, capacity);
            if whole && fits {
                return Some(cpu);
            }
            let worth = (whole, fits, capacity);
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, cpu));
            }
        }
        if by_core && best.is_none_or(|((whole, ..), _)| !whole) {
            self.domains.llcs[llc].has_idle_cores = false;
        }
        Some(best.map_or(search.target, |(_, cpu)| cpu))
    }

    /// Notes that a whole core idles, when the last of its hardware threads does (`update_idle_core`).
    pub(crate) fn update_idle_core(&mut self, cpu: CpuId) {
        let llc = self.rqs[cpu.index()].llc;
        if !self.domains.smt_present || self.domains.llcs[llc].has_idle_cores {
            return;
        }
        if self.is_core_idle(cpu) {
            self.domains.llcs[llc].has_idle_cores = true;
        }
    }
}

/// A merged search under way.
#[derive(Clone, Debug)]
struct Scan {
    /// CPUs that are left to look at.
    cpus: CpuSet,
    /// An idle CPU of a core that is not idle.
    core_fallback: Option<CpuId>,
    budget: Budget,
}

/// What searching a part of the CPUs came to.
#[derive(Clone, Copy, Debug)]
enum Part {
    Found(CpuId),
    /// No more CPU may be looked at.
    Spent,
    Nothing,
}
