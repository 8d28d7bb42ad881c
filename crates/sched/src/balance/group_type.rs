//! Busiest group and imbalance by group types.
//!
//! Source: kernel/sched/fair.c `group_classify`, `update_sd_pick_busiest`, `find_busiest_group`,
//! `calculate_imbalance` of v5.5 (SCHED.md 5.4).

use super::group::{GroupStats, GroupType, IdleType, avg_load};
use super::numa_imbalance::Nodes;
use crate::rules::{AverageGuard, NumaImbalance};

/// What is to be moved, and how it is counted (`migration_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Migration {
    Load,
    Util,
    Task,
}

/// What is special about a domain of NUMA nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numa {
    pub(crate) rule: NumaImbalance,
    /// CPUs of the level below.
    pub(crate) child_weight: u32,
}

/// What all groups of a domain come to, and the two that matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picture {
    pub(crate) numa: Option<Numa>,
    pub(crate) idle: IdleType,
    pub(crate) imbalance_pct: u32,
    pub(crate) prefer_sibling: bool,
    /// Whether utilization may be pulled; if not, tasks are.
    pub(crate) by_util: bool,
    pub(crate) guard: AverageGuard,
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
    } else if running < weight || (capacity > util && !crowded) {
        GroupType::HasSpare
    } else {
        GroupType::FullyBusy
    }
}

/// Whether `stats` is to be balanced rather than `busiest` (`update_sd_pick_busiest`).
pub(crate) fn picks(stats: &GroupStats, busiest: Option<&GroupStats>) -> bool {
    if stats.sum_h_nr_running == 0 {
        return false;
    }
    // Before there is one, the kernel compares with an empty group that has spare capacity and no idle
    // CPU counted: u32::MAX of them.
    let Some(busiest) = busiest else { return true };
    if stats.group_type != busiest.group_type {
        return stats.group_type > busiest.group_type;
    }
    match stats.group_type {
        GroupType::Overloaded | GroupType::FullyBusy => stats.avg_load > busiest.avg_load,
        GroupType::Imbalanced => false,
        GroupType::HasSpare | GroupType::Other => {
            stats.idle_cpus < busiest.idle_cpus
                || (stats.idle_cpus == busiest.idle_cpus
                    && stats.sum_nr_running > busiest.sum_nr_running)
        }
    }
}

impl Picture {
    /// Average load of the whole domain.
    fn sds_avg_load(&self) -> u64 {
        avg_load(self.total_load, self.total_capacity)
    }

    /// What to pull from the busiest group and how much; `None` = leave it (`find_busiest_group`).
    pub(crate) fn imbalance(&self) -> Option<(Migration, i64)> {
        if !self.passes_gates() {
            return None;
        }
        let (migration, imbalance) = self.calculate_imbalance();
        (imbalance != 0).then_some((migration, imbalance))
    }

    /// Whether the difference is worth a move at all.
    pub(crate) fn passes_gates(&self) -> bool {
        let (local, busiest) = (&self.local, &self.busiest);
        if busiest.group_type == GroupType::Imbalanced {
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
            && busiest.sum_nr_running > local.sum_nr_running + 1
        {
            return true;
        }
        if busiest.group_type != GroupType::Overloaded {
            if self.idle == IdleType::NotIdle {
                return false;
            }
            if busiest.group_weight > 1 && local.idle_cpus <= busiest.idle_cpus + 1 {
                return false;
            }
            if busiest.sum_h_nr_running == 1 {
                return false;
            }
        }
        true
    }

    /// `calculate_imbalance`.
    pub(crate) fn calculate_imbalance(&self) -> (Migration, i64) {
        let (local, busiest) = (&self.local, &self.busiest);
        if busiest.group_type == GroupType::Imbalanced {
            return (Migration::Task, 1);
        }
        if local.group_type == GroupType::HasSpare {
            if busiest.group_type > GroupType::FullyBusy && self.by_util {
                let spare = local.group_capacity.saturating_sub(local.group_util);
                if spare == 0 && self.idle != IdleType::NotIdle {
                    return (Migration::Task, 1);
                }
                return (Migration::Util, spare as i64);
            }
            let tasks = if busiest.group_weight == 1 || self.prefer_sibling {
                busiest.sum_nr_running.saturating_sub(local.sum_nr_running)
            } else {
                // Unsigned, as in the kernel: the gates see to it that the local group has more.
                local.idle_cpus.wrapping_sub(busiest.idle_cpus)
            };
            return (Migration::Task, self.allow_numa(i64::from(tasks >> 1)));
        }
        let mut local_avg = local.avg_load;
        if local.group_type < GroupType::Overloaded {
            local_avg = avg_load(local.group_load, local.group_capacity);
        }
        let sds_avg = self.sds_avg_load();
        if self.guard != AverageGuard::None && local_avg >= busiest.avg_load {
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

    /// Between nodes, what is left of a difference in tasks after that which is allowed.
    fn allow_numa(&self, imbalance: i64) -> i64 {
        let Some(numa) = self.numa else {
            return imbalance;
        };
        let nodes = Nodes {
            imbalance,
            imbalance_pct: self.imbalance_pct,
            local_nr_running: self.local.sum_nr_running,
            busiest_nr_running: self.busiest.sum_nr_running,
            busiest_idle_cpus: self.busiest.idle_cpus,
            busiest_weight: self.busiest.group_weight,
            child_weight: numa.child_weight,
        };
        nodes.allow(numa.rule)
    }
}
