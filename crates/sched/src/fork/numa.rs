//! How long forks stay on their node although another has more idle CPUs.
//!
//! Source: kernel/sched/fair.c `find_idlest_group` (v5.5, v5.11, v5.18, v6.0; SCHED.md 5.5 and 14).

use crate::balance::group::GroupStats;
use crate::rules::ForkNuma;

/// What a domain of NUMA nodes adds for groups with spare capacity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeLimit {
    pub(crate) rule: ForkNuma,
    /// CPUs of the domain.
    pub(crate) span_weight: u32,
    pub(crate) imb_numa_nr: u32,
    /// CPUs of the local group that the task may use.
    pub(crate) allowed_cpus: u32,
}

/// Difference in idle CPUs up to which a node that runs few tasks keeps one more (`NUMA_IMBALANCE_MIN`).
const IMBALANCE_MIN: u32 = 2;

impl NodeLimit {
    /// Whether the local node is good enough.
    pub(crate) fn keeps(self, local: &GroupStats, idlest: &GroupStats) -> bool {
        let with_task = local.sum_nr_running + 1;
        match self.rule {
            ForkNuma::WhileIdle => local.idle_cpus > 0,
            ForkNuma::Quarter => local.sum_nr_running < self.span_weight >> 2,
            ForkNuma::ImbNumaNr => with_task <= self.imb_numa_nr,
            ForkNuma::IdleDifference => {
                let most = self.imb_numa_nr.min(self.allowed_cpus);
                match local.idle_cpus.abs_diff(idlest.idle_cpus) {
                    0 => true,
                    difference => with_task <= most && difference <= IMBALANCE_MIN,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SgId;

    fn group(running: u32, idle: u32) -> GroupStats {
        GroupStats {
            sum_nr_running: running,
            idle_cpus: idle,
            ..GroupStats::new(SgId(0), 16, 16 * 1024)
        }
    }

    fn limit(rule: ForkNuma) -> NodeLimit {
        NodeLimit {
            rule,
            span_weight: 32,
            imb_numa_nr: 4,
            allowed_cpus: 16,
        }
    }

    /// Tasks that a node of 16 idle CPUs takes before one goes to another idle node.
    fn taken(limit: NodeLimit) -> u32 {
        let stays = |running: &u32| limit.keeps(&group(*running, 16 - running), &group(0, 16));
        (0..16).take_while(stays).count() as u32
    }

    #[test]
    fn nodes_keep_fewer_forks_from_release_to_release() {
        assert_eq!(taken(limit(ForkNuma::WhileIdle)), 16);
        assert_eq!(taken(limit(ForkNuma::Quarter)), 8);
        assert_eq!(taken(limit(ForkNuma::ImbNumaNr)), 4);
        assert_eq!(taken(limit(ForkNuma::IdleDifference)), 3);
    }

    #[test]
    fn affinity_lowers_the_limit() {
        let pinned = NodeLimit {
            allowed_cpus: 1,
            ..limit(ForkNuma::IdleDifference)
        };
        assert_eq!(taken(pinned), 1);
    }

    #[test]
    fn nodes_with_as_many_idle_cpus_are_alike() {
        let keeps = limit(ForkNuma::IdleDifference).keeps(&group(9, 7), &group(9, 7));
        assert!(keeps);
        assert!(!limit(ForkNuma::ImbNumaNr).keeps(&group(9, 7), &group(9, 7)));
    }
}
