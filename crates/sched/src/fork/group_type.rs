//! The idlest group by group types.
//!
//! Source: kernel/sched/fair.c `find_idlest_group`, `update_sg_wakeup_stats`, `update_pick_idlest` of
//! v5.5 (SCHED.md 6.5).

use teeter_machine::CpuId;

use super::numa::NodeLimit;
use super::{Placement, load_margin};
use crate::balance::contest::fits_capacity;
use crate::balance::group::{GroupStats, GroupType, avg_load};
use crate::balance::group_type::classify;
use crate::decision::Compared;
use crate::domain::Flags;
use crate::ids::{SdId, SgId};
use crate::rules::Idlest;
use crate::sched::Sched;

/// Whether a group takes the place of the idlest so far (`update_pick_idlest`).
fn is_idler(stats: &GroupStats, idlest: &GroupStats, rule: Idlest) -> bool {
    if stats.group_type != idlest.group_type {
        return stats.group_type < idlest.group_type;
    }
    match stats.group_type {
        GroupType::Overloaded | GroupType::FullyBusy => stats.avg_load < idlest.avg_load,
        GroupType::Misfit => stats.traits.max_capacity > idlest.traits.max_capacity,
        GroupType::SmtBalance | GroupType::AsymPacking | GroupType::Imbalanced => false,
        GroupType::HasSpare | GroupType::Other => {
            stats.idle_cpus > idlest.idle_cpus
                || (rule >= Idlest::GroupTypeUtil
                    && stats.idle_cpus == idlest.idle_cpus
                    && stats.group_util < idlest.group_util)
        }
    }
}

/// Whether a fork stays in the local group although `idlest` is the idlest other one.
fn stays_local(
    local: &GroupStats,
    idlest: &GroupStats,
    imbalance_pct: u32,
    numa: Option<NodeLimit>,
) -> bool {
    if local.group_type != idlest.group_type {
        return local.group_type < idlest.group_type;
    }
    let margin = load_margin(imbalance_pct);
    match local.group_type {
        GroupType::Overloaded | GroupType::FullyBusy => {
            (numa.is_some() && idlest.avg_load + margin >= local.avg_load)
                || idlest.avg_load >= local.avg_load + margin
                || 100 * local.avg_load <= u64::from(imbalance_pct) * idlest.avg_load
        }
        GroupType::Misfit => local.traits.max_capacity >= idlest.traits.max_capacity,
        GroupType::SmtBalance | GroupType::AsymPacking | GroupType::Imbalanced => true,
        GroupType::HasSpare | GroupType::Other => {
            numa.is_some_and(|numa| numa.keeps(local, idlest))
                || local.idle_cpus >= idlest.idle_cpus
        }
    }
}

impl Sched {
    /// `find_idlest_group`; `None` = the local group.
    pub(super) fn idlest_by_group_type(
        &self,
        sd: SdId,
        placement: &Placement,
        cpu: CpuId,
    ) -> (Option<SgId>, Compared) {
        let domain = self.domains.sd(sd);
        let mut local: Option<GroupStats> = None;
        let mut idlest: Option<GroupStats> = None;
        for &group in &domain.groups {
            let sg = self.domains.sg(group);
            if !sg.span.intersects(&placement.allowed) {
                continue;
            }
            let stats = self.wakeup_stats(group, sd, placement);
            if sg.span.contains(cpu) {
                local = Some(stats);
            } else if idlest.is_none_or(|idlest| is_idler(&stats, &idlest, self.rules.fork.idlest))
            {
                idlest = Some(stats);
            }
        }
        let Some(idlest) = idlest else {
            return (None, Compared::default());
        };
        let Some(local) = local else {
            return (Some(idlest.group), Compared::default());
        };
        let compared = Compared {
            stats: Some((local, idlest)),
            loads: None,
        };
        let numa = domain.flags.has(Flags::NUMA);
        if numa
            && let Some(preferred) = placement.preferred
            && (local.group_type, idlest.group_type) == (GroupType::HasSpare, GroupType::HasSpare)
        {
            let node = self.topology.nodes[preferred.index()];
            if node.contains(cpu) {
                return (None, compared);
            }
            let there = self.domains.sg(idlest.group).span.first();
            if there.is_some_and(|first| node.contains(first)) {
                return (Some(idlest.group), compared);
            }
        }
        let numa = numa.then(|| NodeLimit {
            rule: self.rules.fork.numa,
            span_weight: domain.span_weight,
            imb_numa_nr: domain.imb_numa_nr,
            allowed_cpus: self
                .domains
                .sg(local.group)
                .span
                .and(&placement.allowed)
                .len() as u32,
        });
        let stays = stays_local(&local, &idlest, domain.imbalance_pct, numa);
        ((!stays).then_some(idlest.group), compared)
    }

    /// `update_sg_wakeup_stats`: the group as it is without the task.
    fn wakeup_stats(&self, group: SgId, sd: SdId, placement: &Placement) -> GroupStats {
        let (sg, domain) = (self.domains.sg(group), self.domains.sd(sd));
        let mut stats = self.group_stats(group, &sg.span);
        if let Some(without) = &placement.without
            && sg.span.contains(without.cpu)
        {
            without.apply(&mut stats);
        }
        if domain.flags.has(Flags::ASYM_CPUCAPACITY)
            && !fits_capacity(placement.util_est, sg.max_capacity)
        {
            stats.misfit_task_load = 1;
        }
        stats.group_type = classify(&stats, domain.imbalance_pct, sg.imbalance);
        // The test is the wrong way round to v5.7: groups that are full or overloaded compare as 0.
        let full = stats.group_type >= GroupType::FullyBusy;
        if full == (self.rules.fork.idlest >= Idlest::GroupTypeLoad) {
            stats.avg_load = avg_load(stats.group_load, stats.group_capacity);
        }
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(group_type: GroupType) -> GroupStats {
        GroupStats {
            group_type,
            ..GroupStats::new(SgId(0), 8, 8 * 1024)
        }
    }

    #[test]
    fn of_full_groups_the_less_loaded_is_idler_by_the_domains_margin() {
        let loaded = |avg_load| GroupStats {
            avg_load,
            ..group(GroupType::Overloaded)
        };
        assert!(is_idler(&loaded(900), &loaded(1000), Idlest::GroupType));
        assert!(!is_idler(&loaded(1000), &loaded(1000), Idlest::GroupType));
        // 117 %, and 174 of load at least.
        assert!(stays_local(&loaded(1170), &loaded(1000), 117, None));
        assert!(!stays_local(&loaded(1171), &loaded(1000), 117, None));
        assert!(stays_local(&loaded(1000), &loaded(1174), 117, None));
        // Loads that are not computed compare as equal: the fork stays.
        assert!(stays_local(&loaded(0), &loaded(0), 117, None));
    }

    #[test]
    fn of_groups_with_spare_capacity_the_one_with_more_idle_cpus() {
        let spare = |idle_cpus, group_util| GroupStats {
            group_util,
            idle_cpus,
            ..group(GroupType::HasSpare)
        };
        assert!(is_idler(&spare(5, 0), &spare(4, 0), Idlest::GroupTypeLoad));
        assert!(!is_idler(&spare(4, 1), &spare(4, 2), Idlest::GroupTypeLoad));
        assert!(is_idler(&spare(4, 1), &spare(4, 2), Idlest::GroupTypeUtil));
        assert!(stays_local(&spare(4, 0), &spare(4, 0), 117, None));
        assert!(!stays_local(&spare(4, 0), &spare(5, 0), 117, None));
    }

    #[test]
    fn the_kind_of_group_comes_first() {
        let (spare, busy) = (group(GroupType::HasSpare), group(GroupType::FullyBusy));
        assert!(is_idler(&spare, &busy, Idlest::GroupType));
        assert!(stays_local(&spare, &busy, 117, None));
        assert!(!stays_local(&busy, &spare, 117, None));
    }
}
