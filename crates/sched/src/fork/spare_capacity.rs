//! The idlest group by runnable load and average load.
//!
//! Source: kernel/sched/fair.c `find_idlest_group` of v5.3 (SCHED.md 6.5).

use teeter_machine::CpuId;

use super::{Placement, load_margin};
use crate::balance::group::avg_load;
use crate::decision::Compared;
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
    pub(super) fn idlest_by_load(
        &self,
        sd: SdId,
        placement: &Placement,
        cpu: CpuId,
    ) -> (Option<SgId>, Compared) {
        let domain = self.domains.sd(sd);
        let pct = domain.imbalance_pct;
        let mut local = None;
        let mut idlest: Option<(GroupLoad, SgId)> = None;
        let mut spare = Spare::default();
        for &group in &domain.groups {
            let sg = self.domains.sg(group);
            if !sg.span.intersects(&placement.allowed) {
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
            if placement.util.is_some() {
                let most = sg
                    .cpus
                    .iter()
                    .map(|&cpu| self.capacity_spare(cpu, placement));
                spare.note(group, sg.span.contains(cpu), most.max().unwrap_or(0));
            }
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
        let loads = local.zip(idlest.map(|(load, _)| load));
        let compared = Compared { stats: None, loads };
        if let Some(util) = placement.util {
            match spare.choice(util, pct) {
                Choice::Local => return (None, compared),
                Choice::Group(group) => return (Some(group), compared),
                Choice::ByLoad => {}
            }
        }
        let Some((load, group)) = idlest else {
            return (None, compared);
        };
        let numa = domain.flags.has(Flags::NUMA) && self.rules.fork.stays_on_node;
        let stays = local.is_some_and(|local| load.stays_local(local, pct, numa));
        ((!stays).then_some(group), compared)
    }
}

impl Sched {
    /// Capacity that the CPU has to spare without the task (`capacity_spare_without`).
    fn capacity_spare(&self, cpu: CpuId, placement: &Placement) -> u64 {
        let util = match placement.without {
            Some(without) if without.cpu == cpu => self.lb_util(cpu) - without.util,
            _ => self.lb_util(cpu),
        };
        self.rqs[cpu.index()].cpu_capacity.saturating_sub(util)
    }
}

/// Spare capacity, which decides for tasks that have been running already.
#[derive(Clone, Copy, Debug, Default)]
struct Spare {
    local: u64,
    most: u64,
    most_group: Option<SgId>,
}

/// What spare capacity says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Local,
    Group(SgId),
    ByLoad,
}

impl Spare {
    fn note(&mut self, group: SgId, local: bool, spare: u64) {
        if local {
            self.local = spare;
        } else if spare > self.most {
            (self.most, self.most_group) = (spare, Some(group));
        }
    }

    /// The local group if it has room for half the task and nearly as much as any, else the one with most.
    fn choice(&self, task_util: u64, imbalance_pct: u32) -> Choice {
        let scale = 100 + (u64::from(imbalance_pct) - 100) / 2;
        if self.local > task_util / 2 && scale * self.local > 100 * self.most {
            return Choice::Local;
        }
        match self.most_group {
            Some(group) if self.most > task_util / 2 => Choice::Group(group),
            _ => Choice::ByLoad,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, GroupLoad, Spare};
    use crate::ids::SgId;

    #[test]
    fn spare_capacity_comes_before_load() {
        let spare = |local, most| {
            let most_group = Some(SgId(1));
            Spare {
                local,
                most,
                most_group,
            }
            .choice(400, 125)
        };
        assert_eq!(spare(900, 1000), Choice::Local);
        assert_eq!(spare(890, 1000), Choice::Group(SgId(1)));
        assert_eq!(spare(100, 200), Choice::ByLoad);
    }

    #[test]
    fn numa_forks_stay_unless_the_difference_is_a_good_part_of_a_task() {
        let load = |runnable, avg| GroupLoad { runnable, avg };
        assert!(load(100, 300).stays_local(load(300, 300), 125, false));
        assert!(load(100, 100).stays_local(load(350, 350), 125, true));
        assert!(!load(100, 100).stays_local(load(400, 400), 125, true));
        assert!(!load(100, 150).stays_local(load(200, 200), 117, false));
    }
}
