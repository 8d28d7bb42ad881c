//! The idlest group by runnable load and average load.
//!
//! Source: kernel/sched/fair.c `find_idlest_group` of v5.3, for forks (SCHED.md 6.5).

use teeter_machine::{CpuId, CpuSet};

use super::load_margin;
use crate::balance::group::avg_load;
use crate::domain::Flags;
use crate::ids::{SdId, SgId};
use crate::sched::Sched;

/// Loads of a group for each 1024 of capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupLoad {
    pub(crate) runnable: u64,
    pub(crate) avg: u64,
}

impl GroupLoad {
    /// Whether this group takes the place of the idlest so far.
    fn is_idler_than(self, idlest: Self, imbalance_pct: u32) -> bool {
        let margin = load_margin(imbalance_pct);
        let scale = 100 + (u64::from(imbalance_pct) - 100) / 2;
        idlest.runnable > self.runnable + margin
            || (self.runnable < idlest.runnable + margin && 100 * idlest.avg > scale * self.avg)
    }

    /// Whether the fork stays in the local group although this is the idlest other one.
    pub(crate) fn stays_local(self, local: Self, imbalance_pct: u32, numa: bool) -> bool {
        let margin = load_margin(imbalance_pct);
        let scale = 100 + (u64::from(imbalance_pct) - 100) / 2;
        (numa && self.runnable + margin >= local.runnable)
            || self.runnable > local.runnable + margin
            || (local.runnable < self.runnable + margin && 100 * local.avg < scale * self.avg)
    }
}

impl Sched {
    /// `find_idlest_group`; `None` = the local group.
    pub(super) fn idlest_by_load(&self, sd: SdId, allowed: &CpuSet, cpu: CpuId) -> Option<SgId> {
        let domain = self.domains.sd(sd);
        let pct = domain.imbalance_pct;
        let mut local = None;
        let mut idlest: Option<(GroupLoad, SgId)> = None;
        for &group in &domain.groups {
            let sg = self.domains.sg(group);
            if !sg.span.intersects(allowed) {
                continue;
            }
            let (mut runnable, mut avg) = (0, 0);
            for cpu in &sg.cpus {
                let averages = &self.cfs_rqs[cpu.index()].avg;
                runnable += averages.runnable_avg;
                avg += averages.load_avg;
            }
            let load = GroupLoad {
                runnable: avg_load(runnable, sg.capacity),
                avg: avg_load(avg, sg.capacity),
            };
            if sg.span.contains(cpu) {
                local = Some(load);
            } else if idlest.is_none_or(|(idlest, _)| load.is_idler_than(idlest, pct)) {
                let runnable = match idlest {
                    // A group that wins by average load leaves the smallest runnable load as it was.
                    Some((old, _)) if old.runnable <= load.runnable + load_margin(pct) => {
                        old.runnable
                    }
                    _ => load.runnable,
                };
                idlest = Some((GroupLoad { runnable, ..load }, group));
            }
        }
        let (load, group) = idlest?;
        let numa = domain.flags.has(Flags::NUMA);
        match local {
            Some(local) if load.stays_local(local, pct, numa) => None,
            _ => Some(group),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GroupLoad;

    #[test]
    fn numa_forks_stay_unless_the_difference_is_a_good_part_of_a_task() {
        let load = |runnable, avg| GroupLoad { runnable, avg };
        assert!(load(100, 300).stays_local(load(300, 300), 125, false));
        assert!(load(100, 100).stays_local(load(350, 350), 125, true));
        assert!(!load(100, 100).stays_local(load(400, 400), 125, true));
        assert!(!load(100, 150).stays_local(load(200, 200), 117, false));
    }
}
