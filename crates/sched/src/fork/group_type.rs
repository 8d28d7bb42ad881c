//! The idlest group by group types.
//!
//! Source: kernel/sched/fair.c `find_idlest_group`, `update_sg_wakeup_stats`, `update_pick_idlest` of
//! v5.5 (SCHED.md 6.5).

use teeter_machine::{CpuId, CpuSet};

use super::load_margin;
use crate::balance::group::{GroupStats, GroupType, avg_load};
use crate::balance::group_type::classify;
use crate::domain::Flags;
use crate::ids::{SdId, SgId};
use crate::sched::Sched;

/// Whether a group takes the place of the idlest so far (`update_pick_idlest`).
fn is_idler(stats: &GroupStats, idlest: &GroupStats) -> bool {
    if stats.group_type != idlest.group_type {
        return stats.group_type < idlest.group_type;
    }
    match stats.group_type {
        GroupType::Overloaded | GroupType::FullyBusy => stats.avg_load < idlest.avg_load,
        GroupType::Imbalanced => false,
        GroupType::HasSpare | GroupType::Other => stats.idle_cpus > idlest.idle_cpus,
    }
}

/// Whether a fork stays in the local group although `idlest` is the idlest other one.
fn stays_local(local: &GroupStats, idlest: &GroupStats, imbalance_pct: u32, numa: bool) -> bool {
    if local.group_type != idlest.group_type {
        return local.group_type < idlest.group_type;
    }
    let margin = load_margin(imbalance_pct);
    match local.group_type {
        GroupType::Overloaded | GroupType::FullyBusy => {
            (numa && idlest.avg_load + margin >= local.avg_load)
                || idlest.avg_load >= local.avg_load + margin
                || 100 * local.avg_load <= u64::from(imbalance_pct) * idlest.avg_load
        }
        GroupType::Imbalanced => true,
        GroupType::HasSpare | GroupType::Other => {
            (numa && local.idle_cpus > 0) || local.idle_cpus >= idlest.idle_cpus
        }
    }
}

impl Sched {
    /// `find_idlest_group`; `None` = the local group.
    pub(super) fn idlest_by_group_type(
        &self,
        sd: SdId,
        allowed: &CpuSet,
        cpu: CpuId,
    ) -> Option<SgId> {
        let domain = self.domains.sd(sd);
        let mut local: Option<GroupStats> = None;
        let mut idlest: Option<GroupStats> = None;
        for &group in &domain.groups {
            let sg = self.domains.sg(group);
            if !sg.span.intersects(allowed) {
                continue;
            }
            let stats = self.wakeup_stats(group, domain.imbalance_pct);
            if sg.span.contains(cpu) {
                local = Some(stats);
            } else if idlest.is_none_or(|idlest| is_idler(&stats, &idlest)) {
                idlest = Some(stats);
            }
        }
        let idlest = idlest?;
        let numa = domain.flags.has(Flags::NUMA);
        match local {
            Some(local) if stays_local(&local, &idlest, domain.imbalance_pct, numa) => None,
            _ => Some(idlest.group),
        }
    }

    /// `update_sg_wakeup_stats` for a task that is nowhere yet.
    fn wakeup_stats(&self, group: SgId, imbalance_pct: u32) -> GroupStats {
        let sg = self.domains.sg(group);
        let mut stats = GroupStats::new(group, sg.weight(), sg.capacity);
        for &cpu in &sg.cpus {
            let rq = &self.rqs[cpu.index()];
            stats.group_load += self.lb_load(cpu);
            stats.group_util += self.lb_util(cpu);
            stats.sum_h_nr_running += self.cfs_rqs[cpu.index()].h_nr_running;
            stats.sum_nr_running += rq.nr_running;
            stats.idle_cpus += u32::from(rq.is_idle());
        }
        stats.group_type = classify(&stats, imbalance_pct, sg.imbalance);
        // The test is the wrong way round until v5.8: groups that are full or overloaded compare as 0.
        if stats.group_type < GroupType::FullyBusy {
            stats.avg_load = avg_load(stats.group_load, stats.group_capacity);
        }
        stats
    }
}
