//! Busiest group and imbalance by group types.
//!
//! Source: kernel/sched/fair.c `group_classify`, `update_sd_pick_busiest`, `find_busiest_group`,
//! `calculate_imbalance` of v5.5 (SCHED.md 5.4).

use super::group::{GroupStats, GroupType, IdleType, avg_load};
use super::numa_imbalance::Nodes;
use crate::rules::{AverageGuard, NumaImbalance, Rework};

/// What is to be moved, and how it is counted (`migration_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Migration {
    Load,
    Util,
    Task,
    /// The task too big for its CPU (`migrate_misfit`).
    Misfit,
}

/// What is special about a domain of NUMA nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numa {
    pub(crate) rule: NumaImbalance,
    /// CPUs of the level below.
    pub(crate) child_weight: u32,
    /// Tasks that two nodes may be apart (`sd->imb_numa_nr`, v5.18).
    pub(crate) imb_numa_nr: u32,
}

/// What all groups of a domain come to, and the two that matter.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a point of its own where versions or levels differ"
)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picture {
    pub(crate) rework: Rework,
    pub(crate) numa: Option<Numa>,
    pub(crate) idle: IdleType,
    pub(crate) imbalance_pct: u32,
    pub(crate) prefer_sibling: bool,
    /// Whether utilization may be pulled; if not, tasks are.
    pub(crate) by_util: bool,
    pub(crate) guard: AverageGuard,
    /// Whether capacities differ on the level, so that a task too big for its CPU moves for its size.
    pub(crate) asym_capacity: bool,
    /// Whether tasks are counted for each core, and groups of threads told from others (v6.6).
    pub(crate) smt: bool,
    /// Whether one idle CPU more than an overloaded group has is enough.
    pub(crate) even_idle: bool,
    pub(crate) total_load: u64,
    pub(crate) total_capacity: u64,
    pub(crate) local: GroupStats,
    pub(crate) busiest: GroupStats,
}

/// `group_classify`; `imbalanced`: the group's flag.
pub(crate) fn classify(stats: &GroupStats, imbalance_pct: u32, imbalanced: bool) -> GroupType {
    let pct = u64::from(imbalance_pct);
    let (capacity, util) = (stats.group_capacity * 100, stats.group_util * pct);
    let crowded = stats
        .group_runnable
        .is_some_and(|runnable| stats.group_capacity * pct < runnable * 100);
    let (running, weight) = (stats.sum_nr_running, stats.group_weight);
    if running > weight && (capacity < util || crowded) {
        GroupType::Overloaded
    } else if imbalanced {
        GroupType::Imbalanced
    } else if let Some(special) = stats.special {
        special
    } else if stats.misfit_task_load > 0 {
        GroupType::Misfit
    } else if running < weight || (capacity > util && !crowded) {
        GroupType::HasSpare
    } else {
        GroupType::FullyBusy
    }
}

/// What is to be moved between groups to even out tasks in proportion to their cores, times two
/// (`sibling_imbalance`, v6.6).
pub(crate) fn sibling_imbalance(local: &GroupStats, busiest: &GroupStats) -> u32 {
    let (busy, own) = (busiest.sum_nr_running, local.sum_nr_running);
    let (busy_cores, own_cores) = (busiest.traits.cores, local.traits.cores);
    if busy == 0 {
        return 0;
    }
    if busy_cores == own_cores {
        return busy.saturating_sub(own);
    }
    let cores = own_cores + busy_cores;
    let difference = (own_cores * busy).saturating_sub(busy_cores * own);
    let imbalance = (2 * difference + cores) / cores;
    if imbalance <= 1 && own == 0 && busy > 1 {
        // An empty group takes one in any case.
        2
    } else {
        imbalance
    }
}

impl Picture {
    /// Average load of the whole domain.
    fn sds_avg_load(&self) -> u64 {
        avg_load(self.total_load, self.total_capacity)
    }

    /// Whether the difference is worth a move at all.
    pub(crate) fn passes_gates(&self) -> bool {
        let (local, busiest) = (&self.local, &self.busiest);
        if matches!(
            busiest.group_type,
            GroupType::Misfit | GroupType::AsymPacking | GroupType::Imbalanced
        ) {
            return true;
        }
        if local.group_type > busiest.group_type {
            return false;
        }
        if local.group_type == GroupType::Overloaded {
            let sds_avg = self.sds_avg_load();
            let pct = u64::from(self.imbalance_pct);
            if local.avg_load >= busiest.avg_load
                || local.avg_load >= sds_avg
                || 100 * busiest.avg_load <= pct * local.avg_load
            {
                return false;
            }
        }
        if self.prefer_sibling
            && local.group_type == GroupType::HasSpare
            && self.sibling_difference() > 1
        {
            return true;
        }
        if busiest.group_type != GroupType::Overloaded {
            if self.idle == IdleType::NotIdle {
                return false;
            }
            if busiest.group_type == GroupType::SmtBalance && local.traits.smt != busiest.traits.smt
            {
                return true;
            }
            let as_idle = local.idle_cpus <= busiest.idle_cpus + 1;
            let balanced = match self.rework {
                Rework::V2 => as_idle,
                Rework::Merged => {
                    (busiest.group_weight > 1 && as_idle) || busiest.sum_h_nr_running == 1
                }
            };
            if balanced {
                return false;
            }
        }
        true
    }

    /// `calculate_imbalance`.
    pub(crate) fn calculate_imbalance(&self) -> (Migration, i64) {
        let (local, busiest) = (&self.local, &self.busiest);
        match busiest.group_type {
            GroupType::Misfit if self.rework == Rework::V2 => {
                return (Migration::Misfit, busiest.misfit_task_load as i64);
            }
            GroupType::AsymPacking if self.rework == Rework::V2 => {
                return (Migration::Load, busiest.group_load as i64);
            }
            GroupType::Misfit if self.asym_capacity => return (Migration::Misfit, 1),
            GroupType::Misfit => return (Migration::Load, busiest.misfit_task_load as i64),
            GroupType::AsymPacking => {
                return (Migration::Task, i64::from(busiest.sum_h_nr_running));
            }
            GroupType::SmtBalance | GroupType::Imbalanced => return (Migration::Task, 1),
            _ => {}
        }
        if local.group_type == GroupType::HasSpare {
            if busiest.group_type > GroupType::FullyBusy && self.by_util {
                let spare = local.group_capacity.saturating_sub(local.group_util);
                if spare == 0 && self.idle != IdleType::NotIdle {
                    return (Migration::Task, 1);
                }
                return (Migration::Util, spare as i64);
            }
            return (Migration::Task, self.allow_numa(self.difference()));
        }
        let mut local_avg = local.avg_load;
        if local.group_type < GroupType::Overloaded {
            local_avg = avg_load(local.group_load, local.group_capacity);
        }
        let sds_avg = self.sds_avg_load();
        let guarded = match self.guard {
            AverageGuard::None => false,
            AverageGuard::Busiest => local_avg >= busiest.avg_load,
            AverageGuard::BusiestAndDomain => local_avg >= busiest.avg_load || local_avg >= sds_avg,
        };
        if guarded {
            return (Migration::Load, 0);
        }
        // Both differences wrap, as in the kernel, where a fully busy local group is above the average.
        let pull = busiest
            .avg_load
            .wrapping_sub(sds_avg)
            .wrapping_mul(busiest.group_capacity);
        let room = sds_avg
            .wrapping_sub(local_avg)
            .wrapping_mul(local.group_capacity);
        (Migration::Load, (pull.min(room) / 1024) as i64)
    }

    /// By how much the groups differ where the local one has spare capacity and tasks are moved: in tasks, or
    /// in idle CPUs. Half of it is to be moved.
    fn difference(&self) -> i64 {
        let (local, busiest) = (&self.local, &self.busiest);
        if busiest.group_weight == 1 || self.prefer_sibling {
            return i64::from(match self.rework {
                // Unsigned, as posted: it wraps where the local group has more.
                Rework::V2 => busiest
                    .sum_h_nr_running
                    .wrapping_sub(local.sum_h_nr_running),
                Rework::Merged => self.sibling_difference(),
            });
        }
        // Unsigned, as in the kernel: the gates see to it that the local group has more.
        let more = local.idle_cpus.wrapping_sub(busiest.idle_cpus);
        let evened = self.even_idle && more == 1 && busiest.group_type > GroupType::FullyBusy;
        i64::from(if evened { 2 } else { more })
    }

    /// Tasks to move before the rule for NUMA nodes, where that rule has a say.
    pub(crate) fn before_numa(&self) -> Option<i64> {
        let forced = matches!(
            self.busiest.group_type,
            GroupType::Misfit
                | GroupType::AsymPacking
                | GroupType::SmtBalance
                | GroupType::Imbalanced
        );
        let by_util = self.busiest.group_type > GroupType::FullyBusy && self.by_util;
        let asked = self.numa.is_some() && self.local.group_type == GroupType::HasSpare;
        (asked && !forced && !by_util).then(|| self.difference() >> 1)
    }

    /// How many tasks more the busiest group has, those for each core counted if cores differ.
    fn sibling_difference(&self) -> u32 {
        let (local, busiest) = (&self.local, &self.busiest);
        if !self.smt {
            return busiest.sum_nr_running.saturating_sub(local.sum_nr_running);
        }
        match self.idle {
            IdleType::NotIdle => 0,
            IdleType::Idle | IdleType::NewlyIdle => sibling_imbalance(local, busiest),
        }
    }

    /// Half the difference in tasks is to be moved; between nodes, what is left of it after that which is
    /// allowed.
    fn allow_numa(&self, difference: i64) -> i64 {
        let Some(numa) = self.numa else {
            return difference >> 1;
        };
        let nodes = Nodes {
            difference,
            imbalance_pct: self.imbalance_pct,
            local_nr_running: self.local.sum_nr_running,
            busiest_nr_running: self.busiest.sum_nr_running,
            busiest_idle_cpus: self.busiest.idle_cpus,
            busiest_weight: self.busiest.group_weight,
            child_weight: numa.child_weight,
            imb_numa_nr: numa.imb_numa_nr,
        };
        nodes.allow(numa.rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SgId;

    fn group(sum_nr_running: u32, idle_cpus: u32) -> GroupStats {
        let mut stats = GroupStats::new(SgId(0), 20, 20 * 1024);
        stats.group_type = GroupType::HasSpare;
        (stats.sum_h_nr_running, stats.sum_nr_running) = (sum_nr_running, sum_nr_running);
        stats.idle_cpus = idle_cpus;
        stats
    }

    fn picture(rework: Rework, local: GroupStats, busiest: GroupStats) -> Picture {
        Picture {
            rework,
            numa: None,
            idle: IdleType::Idle,
            imbalance_pct: 125,
            prefer_sibling: true,
            by_util: true,
            guard: AverageGuard::None,
            asym_capacity: false,
            smt: false,
            even_idle: false,
            total_load: 0,
            total_capacity: 40 * 1024,
            local,
            busiest,
        }
    }

    #[test]
    fn the_second_posting_counts_tasks_without_a_floor() {
        let (local, busiest) = (group(18, 9), group(16, 4));
        let merged = picture(Rework::Merged, local, busiest).calculate_imbalance();
        assert_eq!(merged, (Migration::Task, 0));
        let posted = picture(Rework::V2, local, busiest).calculate_imbalance();
        assert_eq!(posted, (Migration::Task, i64::from((-2i32 as u32) >> 1)));
    }

    #[test]
    fn the_second_posting_pulls_from_a_group_of_one_task() {
        let (local, busiest) = (group(10, 10), group(1, 5));
        assert!(picture(Rework::V2, local, busiest).passes_gates());
        assert!(!picture(Rework::Merged, local, busiest).passes_gates());
    }

    /// A fully busy local group above the average of its domain, but below an overloaded one that a quota made
    /// look so, of three groups of a CPU.
    fn beside_a_limited_group(guard: AverageGuard) -> i64 {
        let mut local = group(1, 0);
        local.group_type = GroupType::FullyBusy;
        local.group_weight = 1;
        local.group_capacity = 1024;
        local.group_load = 900;
        let mut busiest = local;
        busiest.group_type = GroupType::Overloaded;
        busiest.group_load = 1000;
        busiest.avg_load = 1000;
        let picture = Picture {
            guard,
            total_load: 900 + 1000 + 200,
            total_capacity: 3 * 1024,
            ..picture(Rework::Merged, local, busiest)
        };
        picture.calculate_imbalance().1
    }

    #[test]
    fn imbalance_underflow_cpu_max() {
        // The room below the average wraps, so that all the busiest is above it is pulled.
        assert_eq!(beside_a_limited_group(AverageGuard::None), 300);
        assert_eq!(beside_a_limited_group(AverageGuard::Busiest), 300);
        assert_eq!(beside_a_limited_group(AverageGuard::BusiestAndDomain), 0);
    }
}
