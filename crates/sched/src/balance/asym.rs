//! CPUs of different priority: tasks go to the CPU of higher priority while it idles.
//!
//! Source: kernel/sched/fair.c `sched_asym`, `asym_smt_can_pull_tasks`, `sched_use_asym_prio`,
//! `asym_active_balance` (v5.5 to v6.17; SCHED.md 5.10). A lower number is a higher priority.

use teeter_machine::CpuId;

use super::group::GroupStats;
use super::{Env, IdleType};
use crate::domain::Flags;
use crate::rules::AsymPull;
use crate::sched::Sched;

/// Whether a CPU is of higher priority than another (`sched_asym_prefer`).
fn prefers(a: CpuId, b: CpuId) -> bool {
    a < b
}

/// Whether the busy threads of two groups let the pulling CPU take a task (`asym_smt_can_pull_tasks`, v5.15
/// to v6.4).
fn by_busy_threads(dst: CpuId, local: &GroupStats, stats: &GroupStats) -> bool {
    let higher = prefers(dst, stats.traits.preferred);
    if !local.traits.smt {
        return stats.busy_cpus() >= 2 || higher;
    }
    if stats.traits.smt {
        let more = i64::from(stats.busy_cpus()) - i64::from(local.busy_cpus());
        return more >= 2 || (more == 1 && higher);
    }
    local.sum_nr_running == 0 && higher
}

impl Sched {
    /// Whether the pulling CPU takes from a group for its priority.
    pub(super) fn asym_pulls(&self, env: &Env, local: &GroupStats, stats: &GroupStats) -> bool {
        let dst = env.dst_cpu;
        let higher = prefers(dst, stats.traits.preferred);
        match self.rules.balance.asym_pull {
            AsymPull::BusyThreads if local.traits.smt || stats.traits.smt => {
                by_busy_threads(dst, local, stats)
            }
            AsymPull::Priority | AsymPull::BusyThreads => higher,
            AsymPull::IdleCore => {
                self.uses_priority(env, dst)
                    && (!stats.traits.smt || stats.busy_cpus() == 1)
                    && higher
            }
        }
    }

    /// Whether a queue of one task keeps it since its CPU is of higher priority than the pulling one (v5.15).
    pub(super) fn keeps_by_priority(&self, env: &Env, cpu: CpuId) -> bool {
        let higher = prefers(cpu, env.dst_cpu);
        match self.rules.balance.asym_pull {
            AsymPull::Priority => false,
            AsymPull::BusyThreads => higher,
            AsymPull::IdleCore => higher && self.uses_priority(env, cpu),
        }
    }

    /// Whether a running task is pushed to the idle CPU for its priority (`asym_active_balance`).
    pub(super) fn asym_active_balance(&self, env: &Env) -> bool {
        let packing = self.domains.sd(env.sd).flags.has(Flags::ASYM_PACKING);
        let idles = match env.idle {
            IdleType::NewlyIdle => true,
            IdleType::Idle => !self.rules.balance.asym_newly_idle,
            IdleType::NotIdle => false,
        };
        if !idles || !packing {
            return false;
        }
        let higher = prefers(env.dst_cpu, env.src_cpu);
        match self.rules.balance.asym_pull {
            AsymPull::Priority | AsymPull::BusyThreads => higher,
            AsymPull::IdleCore => {
                self.uses_priority(env, env.dst_cpu)
                    && (higher || !self.uses_priority(env, env.src_cpu))
            }
        }
    }

    /// Priorities of threads of one core mean something among themselves only, or while the rest of the core
    /// idles (`sched_use_asym_prio`).
    fn uses_priority(&self, env: &Env, cpu: CpuId) -> bool {
        let smt = self.domains.sd(env.sd).flags.has(Flags::SHARE_CPUCAPACITY);
        smt || self.is_core_idle(cpu)
    }

    /// Whether the other threads of the CPU's core idle (`is_core_idle`).
    pub(crate) fn is_core_idle(&self, cpu: CpuId) -> bool {
        let threads = &self.domains.smt[cpu.index()];
        threads
            .iter()
            .all(|thread| thread == cpu || self.rqs[thread.index()].is_idle())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SgId;

    fn group(smt: bool, idle_cpus: u32, preferred: u16) -> GroupStats {
        let mut stats = GroupStats::new(SgId(0), 2, 2048);
        stats.traits.smt = smt;
        stats.traits.preferred = CpuId(preferred);
        stats.idle_cpus = idle_cpus;
        stats.sum_nr_running = 2 - idle_cpus;
        stats
    }

    #[test]
    fn a_lone_core_helps_one_of_two_busy_threads_whatever_its_priority() {
        let local = group(false, 2, 4);
        assert!(by_busy_threads(CpuId(4), &local, &group(true, 0, 0)));
        assert!(!by_busy_threads(CpuId(4), &local, &group(true, 1, 0)));
        assert!(by_busy_threads(CpuId(0), &local, &group(true, 1, 4)));
    }
}
