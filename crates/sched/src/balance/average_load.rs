//! Busiest group and imbalance by average load.
//!
//! Source: kernel/sched/fair.c `group_classify`, `update_sd_pick_busiest`, `find_busiest_group`,
//! `calculate_imbalance`, `fix_small_imbalance` of v4.11 and v5.3 (SCHED.md 5.3).

use teeter_machine::CpuId;

use super::contest::{Puller, fits_capacity};
use super::group::{GroupStats, GroupType, IdleType, avg_load};

/// Where CPUs of a level differ: the pulling side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Side {
    /// If in capacity (v4.20).
    pub(crate) puller: Option<Puller>,
    /// If in priority: the pulling CPU, unless it is busy.
    pub(crate) packs_onto: Option<CpuId>,
}

/// What all groups of a domain come to, and the two that matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picture {
    pub(crate) idle: IdleType,
    /// Whether only a CPU about to idle may disregard loads (to v4.14).
    pub(crate) forced_newly_idle: bool,
    /// Where priorities differ: the pulling CPU, unless it is busy.
    pub(crate) packs_onto: Option<CpuId>,
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
    } else if stats.misfit_task_load > 0 {
        GroupType::Misfit
    } else {
        GroupType::Other
    }
}

/// Whether `stats` is to be balanced rather than `busiest` (`update_sd_pick_busiest`).
pub(crate) fn picks(stats: &GroupStats, busiest: Option<&GroupStats>, side: &Side) -> bool {
    let misfit = stats.group_type == GroupType::Misfit;
    if misfit
        && side
            .puller
            .is_some_and(|puller| !puller.helps_misfit(stats))
    {
        return false;
    }
    let (kind, load) = busiest.map_or((GroupType::Other, 0), |b| (b.group_type, b.avg_load));
    if stats.group_type != kind {
        return stats.group_type > kind;
    }
    if stats.avg_load <= load {
        return false;
    }
    if let Some(puller) = side.puller {
        let (smallest, _) = puller.local_capacities;
        let bigger = fits_capacity(smallest, stats.traits.min_capacity);
        let bigger_misfit = |b: &GroupStats| stats.misfit_task_load < b.misfit_task_load;
        if (stats.sum_nr_running <= stats.group_weight && bigger)
            || (misfit && busiest.is_some_and(bigger_misfit))
        {
            return false;
        }
    }
    side.packs_onto.is_none_or(|cpu| {
        let lowest = busiest.is_none_or(|b| b.traits.preferred < stats.traits.preferred);
        stats.sum_nr_running > 0 && cpu < stats.traits.preferred && lowest
    })
}

impl Picture {
    /// Average load of the whole domain.
    pub(crate) fn sds_avg_load(&self) -> u64 {
        avg_load(self.total_load, self.total_capacity)
    }

    /// Whether the busiest group is left as it is (`find_busiest_group`).
    pub(crate) fn leaves(&self) -> bool {
        !self.packs() && (self.busiest.sum_nr_running == 0 || !self.passes_gates())
    }

    /// Whether all load of the busiest group goes to the pulling CPU, for its priority (`check_asym_packing`).
    fn packs(&self) -> bool {
        self.packs_onto
            .is_some_and(|cpu| cpu < self.busiest.traits.preferred)
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
        if busiest.group_type == GroupType::Misfit {
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
        if self.packs() {
            return busiest.group_load;
        }
        let sds_avg = self.sds_avg_load();
        let misfit = busiest.group_type == GroupType::Misfit;
        if busiest.group_type == GroupType::Imbalanced {
            busiest.load_per_task = busiest.load_per_task.min(sds_avg);
        }
        if !misfit && (busiest.avg_load <= sds_avg || local.avg_load >= sds_avg) {
            return self.fix_small_imbalance(&busiest, 0);
        }
        // Unsigned, as in the kernel: for a misfit task the differences may wrap.
        let mut max_pull = busiest.avg_load.wrapping_sub(sds_avg);
        if busiest.group_type == GroupType::Overloaded && local.group_type == GroupType::Overloaded
        {
            let tasks = u64::from(busiest.sum_nr_running) * 1024;
            if let Some(above @ 1..) = tasks.checked_sub(busiest.group_capacity) {
                max_pull = max_pull.min(avg_load(above, busiest.group_capacity));
            }
        }
        let pull = max_pull.wrapping_mul(busiest.group_capacity);
        let room = sds_avg
            .wrapping_sub(local.avg_load)
            .wrapping_mul(local.group_capacity);
        let mut imbalance = pull.min(room) / 1024;
        if misfit {
            imbalance = imbalance.max(busiest.misfit_task_load);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SgId;
    use crate::rules::CapacityTest;

    fn group(capacity: u64, preferred: u16, load: u64) -> GroupStats {
        let mut stats = GroupStats::new(SgId(0), 4, 4 * capacity);
        (stats.traits.min_capacity, stats.traits.max_capacity) = (capacity, capacity);
        stats.traits.preferred = CpuId(preferred);
        (stats.sum_nr_running, stats.sum_h_nr_running) = (1, 1);
        (stats.group_load, stats.avg_load) = (load, avg_load(load, 4 * capacity));
        stats
    }

    fn from_big(has_spare: bool) -> Side {
        Side {
            puller: Some(Puller {
                test: CapacityTest::Fits,
                cpu_capacity: 1024,
                local_capacities: (1024, 1024),
                has_spare,
            }),
            packs_onto: None,
        }
    }

    #[test]
    fn a_misfit_task_is_pulled_where_it_helps() {
        let mut little = group(446, 4, 200);
        little.misfit_task_load = 1024;
        little.group_type = classify(&little, false);
        assert_eq!(little.group_type, GroupType::Misfit);
        assert!(picks(&little, None, &from_big(true)));
        assert!(!picks(&little, None, &from_big(false)));
        let local = group(1024, 0, 2000);
        let picture = Picture {
            idle: IdleType::Idle,
            forced_newly_idle: false,
            packs_onto: None,
            imbalance_pct: 125,
            total_load: 2200,
            total_capacity: 4 * 1470,
            local,
            busiest: little,
            dst_load_per_task: 0,
        };
        assert!(
            !picture.leaves(),
            "although the local group is above the average"
        );
        assert!(picture.calculate_imbalance() >= 1024);
    }

    #[test]
    fn load_goes_to_the_cpu_of_higher_priority() {
        let side = Side {
            puller: None,
            packs_onto: Some(CpuId(2)),
        };
        let (above, below) = (group(1024, 0, 500), group(1024, 4, 500));
        assert!(!picks(&above, None, &side));
        assert!(picks(&below, None, &side));
        assert!(!picks(&group(1024, 3, 600), Some(&below), &side));
    }
}
