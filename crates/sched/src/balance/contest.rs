//! Which of two groups is the busier one.
//!
//! Source: kernel/sched/fair.c `update_sd_pick_busiest` of v5.5 to v6.17 (SCHED.md 5.4 and 14).

use super::group::{GroupStats, GroupType};
use crate::rules::{CapacityTest, Rework};

/// By what a kernel tells the busiest group on one domain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contest {
    /// Form of the decision.
    pub(crate) rework: Rework,
    /// Whether of fully busy groups equally loaded the later one wins unless that before it is of threads of
    /// a core (v6.5).
    pub(crate) smt_ties: bool,
    /// Whether threads of a core with one task are left alone in favour of other groups (v6.6).
    pub(crate) smt: bool,
    /// Whether a misfit task as big as the biggest so far is enough (to v6.11).
    pub(crate) misfit_ties: bool,
    /// On a level of different capacities: the pulling side.
    pub(crate) puller: Option<Puller>,
}

/// The pulling side where capacities differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Puller {
    pub(crate) test: CapacityTest,
    /// Capacity of the pulling CPU.
    pub(crate) cpu_capacity: u64,
    /// Of the smallest and the biggest CPU of the local group.
    pub(crate) local_capacities: (u64, u64),
    /// Whether the local group has spare capacity.
    pub(crate) has_spare: bool,
}

/// Whether one capacity is more than another by about 5 % (`capacity_greater`).
pub(crate) fn capacity_greater(a: u64, b: u64) -> bool {
    a * 1024 > b * 1078
}

/// Whether so much fits into a capacity with a fifth to spare (`fits_capacity`).
pub(crate) fn fits_capacity(amount: u64, capacity: u64) -> bool {
    amount * 1280 < capacity * 1024
}

impl Puller {
    /// Whether it could run a task too big for a CPU of the group.
    pub(crate) fn helps_misfit(&self, stats: &GroupStats) -> bool {
        let bigger = match self.test {
            CapacityTest::Fits => fits_capacity(stats.traits.max_capacity, self.local_capacities.1),
            CapacityTest::Greater => capacity_greater(self.cpu_capacity, stats.traits.max_capacity),
        };
        bigger && self.has_spare
    }

    /// Whether a task of the group would come to a smaller CPU for nothing.
    fn would_shrink(&self, stats: &GroupStats) -> bool {
        stats.group_type <= GroupType::FullyBusy
            && match self.test {
                CapacityTest::Fits => {
                    fits_capacity(self.local_capacities.0, stats.traits.min_capacity)
                }
                CapacityTest::Greater => {
                    capacity_greater(stats.traits.min_capacity, self.cpu_capacity)
                }
            }
    }
}

impl Contest {
    /// Whether `stats` is to be balanced rather than `busiest`.
    pub(crate) fn picks(&self, stats: &GroupStats, busiest: Option<&GroupStats>) -> bool {
        if stats.sum_h_nr_running == 0 {
            return false;
        }
        if let Some(puller) = self.puller
            && stats.group_type == GroupType::Misfit
            && !puller.helps_misfit(stats)
        {
            return false;
        }
        // Before there is one, the kernel compares with an empty group that has spare capacity and no idle
        // CPU counted: u32::MAX of them.
        let wins = match busiest {
            Some(busiest) if stats.group_type != busiest.group_type => {
                // The types decide, whatever the capacities.
                return stats.group_type > busiest.group_type;
            }
            None if stats.group_type > GroupType::HasSpare => return true,
            Some(busiest) => self.beats_equal(stats, busiest),
            None => true,
        };
        wins && !self.puller.is_some_and(|puller| puller.would_shrink(stats))
    }

    /// Of two groups of one type.
    fn beats_equal(&self, stats: &GroupStats, busiest: &GroupStats) -> bool {
        match stats.group_type {
            GroupType::Overloaded => stats.avg_load > busiest.avg_load,
            GroupType::Imbalanced => false,
            GroupType::AsymPacking => stats.traits.preferred >= busiest.traits.preferred,
            GroupType::Misfit if self.misfit_ties => {
                stats.misfit_task_load >= busiest.misfit_task_load
            }
            GroupType::Misfit => stats.misfit_task_load > busiest.misfit_task_load,
            GroupType::SmtBalance if stats.idle_cpus != 0 || busiest.idle_cpus != 0 => {
                fewer_idle(stats, busiest)
            }
            GroupType::SmtBalance | GroupType::FullyBusy => {
                stats.avg_load > busiest.avg_load
                    || (self.smt_ties && stats.avg_load == busiest.avg_load && !busiest.traits.smt)
            }
            GroupType::HasSpare | GroupType::Other => {
                if self.smt && stats.traits.smt != busiest.traits.smt {
                    return !stats.traits.smt || stats.sum_h_nr_running > 1;
                }
                match self.rework {
                    Rework::V2 => stats.idle_cpus < busiest.idle_cpus,
                    Rework::Merged => fewer_idle(stats, busiest),
                }
            }
        }
    }
}

/// Fewer idle CPUs, or as many and more tasks.
fn fewer_idle(stats: &GroupStats, busiest: &GroupStats) -> bool {
    stats.idle_cpus < busiest.idle_cpus
        || (stats.idle_cpus == busiest.idle_cpus && stats.sum_nr_running > busiest.sum_nr_running)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SgId;

    fn group(group_type: GroupType, smt: bool) -> GroupStats {
        let mut stats = GroupStats::new(SgId(0), 2, 2048);
        stats.group_type = group_type;
        stats.sum_h_nr_running = 2;
        stats.sum_nr_running = 2;
        stats.traits.smt = smt;
        stats
    }

    const V6_1: Contest = Contest {
        rework: Rework::Merged,
        smt_ties: false,
        smt: false,
        misfit_ties: true,
        puller: None,
    };
    const V6_6: Contest = Contest {
        smt_ties: true,
        smt: true,
        ..V6_1
    };

    #[test]
    fn of_fully_busy_groups_the_first_wins_until_threads_of_cores_count() {
        let (smt, plain) = (
            group(GroupType::FullyBusy, true),
            group(GroupType::FullyBusy, false),
        );
        assert!(!V6_1.picks(&smt, Some(&plain)));
        assert!(V6_6.picks(&smt, Some(&plain)));
        assert!(!V6_6.picks(&plain, Some(&smt)));
    }

    #[test]
    fn a_lone_task_of_a_core_is_left_to_its_thread() {
        let mut smt = group(GroupType::HasSpare, true);
        smt.sum_h_nr_running = 1;
        smt.sum_nr_running = 1;
        smt.idle_cpus = 1;
        let plain = group(GroupType::HasSpare, false);
        assert!(!V6_6.picks(&smt, Some(&plain)));
        assert!(V6_6.picks(&plain, Some(&smt)));
    }

    #[test]
    fn a_misfit_task_is_pulled_only_by_a_bigger_cpu_with_room() {
        let mut misfit = group(GroupType::Misfit, false);
        misfit.traits.max_capacity = 512;
        let by = |cpu_capacity, has_spare| Contest {
            puller: Some(Puller {
                test: CapacityTest::Greater,
                cpu_capacity,
                local_capacities: (cpu_capacity, cpu_capacity),
                has_spare,
            }),
            ..V6_1
        };
        assert!(by(1024, true).picks(&misfit, None));
        assert!(!by(1024, false).picks(&misfit, None));
        assert!(!by(512, true).picks(&misfit, None));
    }
}
