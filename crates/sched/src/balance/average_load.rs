//! Busiest group and imbalance by average load.
//!
//! Source: kernel/sched/fair.c `group_classify`, `update_sd_pick_busiest`, `find_busiest_group`,
//! `calculate_imbalance`, `fix_small_imbalance` of v4.11 and v5.3 (SCHED.md 5.3).

use super::group::{GroupStats, GroupType, IdleType, avg_load};

/// What all groups of a domain come to, and the two that matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picture {
    pub(crate) idle: IdleType,
    /// Whether only a CPU about to idle may disregard loads (to v4.14).
    pub(crate) forced_newly_idle: bool,
    pub(crate) imbalance_pct: u32,
    pub(crate) total_load: u64,
    pub(crate) total_capacity: u64,
    pub(crate) local: GroupStats,
    pub(crate) busiest: GroupStats,
    /// Load per task of the pulling CPU, for an empty local group.
    pub(crate) dst_load_per_task: u64,
}

/// More tasks than CPUs and no capacity left (`group_is_overloaded`).
pub(crate) fn is_overloaded(stats: &GroupStats, imbalance_pct: u32) -> bool {
    stats.sum_nr_running > stats.group_weight
        && stats.group_capacity * 100 < stats.group_util * u64::from(imbalance_pct)
}

/// Room for more tasks (`group_has_capacity`).
pub(crate) fn has_capacity(stats: &GroupStats, imbalance_pct: u32) -> bool {
    stats.sum_nr_running < stats.group_weight
        || stats.group_capacity * 100 > stats.group_util * u64::from(imbalance_pct)
}

/// `group_classify`; `imbalanced`: the group's flag.
pub(crate) fn classify(stats: &GroupStats, imbalanced: bool) -> GroupType {
    if stats.no_capacity {
        GroupType::Overloaded
    } else if imbalanced {
        GroupType::Imbalanced
    } else {
        GroupType::Other
    }
}

/// Whether `stats` is to be balanced rather than `busiest` (`update_sd_pick_busiest`).
pub(crate) fn picks(stats: &GroupStats, busiest: Option<&GroupStats>) -> bool {
    let (kind, load) = busiest.map_or((GroupType::Other, 0), |b| (b.group_type, b.avg_load));
    stats.group_type > kind || (stats.group_type == kind && stats.avg_load > load)
}

impl Picture {
    /// Average load of the whole domain.
    pub(crate) fn sds_avg_load(&self) -> u64 {
        avg_load(self.total_load, self.total_capacity)
    }

    /// Whether the busiest group is left as it is (`find_busiest_group`).
    pub(crate) fn leaves(&self) -> bool {
        self.busiest.sum_nr_running == 0 || !self.passes_gates()
    }

    /// Whether the difference is worth a move at all.
    pub(crate) fn passes_gates(&self) -> bool {
        let (local, busiest) = (&self.local, &self.busiest);
        let sds_avg = self.sds_avg_load();
        let pct = self.imbalance_pct;
        if busiest.group_type == GroupType::Imbalanced {
            return true;
        }
        let forces = match self.idle {
            IdleType::NotIdle => false,
            IdleType::Idle => !self.forced_newly_idle,
            IdleType::NewlyIdle => true,
        };
        if forces && has_capacity(local, pct) && busiest.no_capacity {
            return true;
        }
        if local.avg_load >= busiest.avg_load || local.avg_load >= sds_avg {
            return false;
        }
        if self.idle == IdleType::Idle {
            busiest.group_type == GroupType::Overloaded || local.idle_cpus > busiest.idle_cpus + 1
        } else {
            100 * busiest.avg_load > u64::from(pct) * local.avg_load
        }
    }

    /// `calculate_imbalance`, of load.
    pub(crate) fn calculate_imbalance(&self) -> u64 {
        let (local, mut busiest) = (self.local, self.busiest);
        let sds_avg = self.sds_avg_load();
        if busiest.group_type == GroupType::Imbalanced {
            busiest.load_per_task = busiest.load_per_task.min(sds_avg);
        }
        if busiest.avg_load <= sds_avg || local.avg_load >= sds_avg {
            return self.fix_small_imbalance(&busiest, 0);
        }
        let mut max_pull = busiest.avg_load - sds_avg;
        if busiest.group_type == GroupType::Overloaded && local.group_type == GroupType::Overloaded
        {
            let tasks = u64::from(busiest.sum_nr_running) * 1024;
            if let Some(above @ 1..) = tasks.checked_sub(busiest.group_capacity) {
                max_pull = max_pull.min(avg_load(above, busiest.group_capacity));
            }
        }
        let pull = max_pull * busiest.group_capacity;
        let room = (sds_avg - local.avg_load) * local.group_capacity;
        let imbalance = pull.min(room) / 1024;
        if imbalance < busiest.load_per_task {
            return self.fix_small_imbalance(&busiest, imbalance);
        }
        imbalance
    }

    /// Whether one task is still worth moving when the amount is less than a task
    /// (`fix_small_imbalance`).
    pub(crate) fn fix_small_imbalance(&self, busiest: &GroupStats, imbalance: u64) -> u64 {
        let mut local = self.local;
        let mut imbn = 2;
        if local.sum_nr_running == 0 {
            local.load_per_task = self.dst_load_per_task;
        } else if busiest.load_per_task > local.load_per_task {
            imbn = 1;
        }
        let scaled = avg_load(busiest.load_per_task, busiest.group_capacity);
        if busiest.avg_load + scaled >= local.avg_load + scaled * imbn {
            return busiest.load_per_task;
        }
        let min = |a: u64, b: u64| a.min(b);
        let now = (busiest.group_capacity * min(busiest.load_per_task, busiest.avg_load)
            + local.group_capacity * min(local.load_per_task, local.avg_load))
            / 1024;
        let mut moved = 0;
        if busiest.avg_load > scaled {
            moved = busiest.group_capacity * min(busiest.load_per_task, busiest.avg_load - scaled);
        }
        let added = if busiest.avg_load * busiest.group_capacity < busiest.load_per_task * 1024 {
            busiest.avg_load * busiest.group_capacity / local.group_capacity
        } else {
            busiest.load_per_task * 1024 / local.group_capacity
        };
        moved = (moved + local.group_capacity * min(local.load_per_task, local.avg_load + added))
            / 1024;
        if moved > now {
            busiest.load_per_task
        } else {
            imbalance
        }
    }
}
