//! How much imbalance between NUMA nodes is left alone, so that tasks that talk stay on one node.
//!
//! Source: the postings of "sched, fair: Allow a small load imbalance between low utilisation SD_NUMA
//! domains" from December 2019 on and the suggestions made there; kernel/sched/fair.c
//! `calculate_imbalance` of v5.6 (SCHED.md 5.5, 10).

use crate::rules::NumaImbalance;

/// What the rules look at, when a group with spare capacity is about to pull from one that is not
/// overloaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nodes {
    /// By how many tasks they differ; half of it is to move.
    pub(crate) difference: i64,
    pub(crate) imbalance_pct: u32,
    pub(crate) local_nr_running: u32,
    pub(crate) busiest_nr_running: u32,
    pub(crate) busiest_idle_cpus: u32,
    pub(crate) busiest_weight: u32,
    /// CPUs of the level below.
    pub(crate) child_weight: u32,
    /// `sd->imb_numa_nr` (v5.18).
    pub(crate) imb_numa_nr: u32,
}

/// The first posting's bound: what `imbalance_pct` allows on half a group's CPUs, two at least.
fn half_share(weight: i64, over: i64) -> i64 {
    ((weight * over / 100) >> 1).max(2)
}

impl Nodes {
    /// Tasks to move under a rule.
    pub(crate) fn allow(&self, rule: NumaImbalance) -> i64 {
        let (pct, imbalance) = (i64::from(self.imbalance_pct), self.imbalance());
        let (weight, running) = (
            i64::from(self.busiest_weight),
            i64::from(self.busiest_nr_running),
        );
        let over = pct - 100;
        let leave = |alone: bool| if alone { 0 } else { imbalance };
        match rule {
            NumaImbalance::None => imbalance,
            NumaImbalance::V1 => {
                let adj = half_share(weight, over);
                leave(imbalance <= adj && running < (weight >> 1) - adj)
            }
            NumaImbalance::V1b => {
                // In hundredths of a task, the least of two among them.
                let adj = ((weight * over) >> 1).max(2);
                leave(running < weight >> 1 && imbalance * 100 <= adj)
            }
            NumaImbalance::Squash => {
                leave(running < weight >> 1 && imbalance < weight * over / 100)
            }
            NumaImbalance::Idle => {
                leave(100 * weight <= pct * (i64::from(self.busiest_idle_cpus) << 1))
            }
            NumaImbalance::V2 => {
                let max = (weight >> 1) + half_share(weight, over);
                leave(i64::from(self.busiest_idle_cpus) >= max)
            }
            NumaImbalance::V3 => self.v3(over),
            NumaImbalance::V3Gated => {
                if i64::from(self.local_nr_running) * pct >= running * 100 {
                    return 0;
                }
                if running < (i64::from(self.child_weight) / 32).max(3) {
                    self.v3(over)
                } else {
                    imbalance
                }
            }
            NumaImbalance::Child => {
                let adj = (weight * over / 100).min(i64::from(self.child_weight)) >> 1;
                leave(running < adj)
            }
            NumaImbalance::Pair => leave(running <= 2),
            NumaImbalance::Quarter => leave(running < weight >> 2 && imbalance <= 2),
            NumaImbalance::NodeHalved => leave(self.within_node() && imbalance <= 2),
            // The rule is applied before the halving.
            NumaImbalance::Node => leave(self.within_node() && self.difference <= 2),
        }
    }

    /// Tasks to move if nothing is allowed.
    fn imbalance(&self) -> i64 {
        self.difference >> 1
    }

    /// Whether the local node has fewer tasks than it may before its neighbours matter.
    fn within_node(&self) -> bool {
        self.local_nr_running < self.imb_numa_nr
    }

    /// The third posting subtracts instead of leaving all. A pct of 100 would divide by zero: the rule
    /// is void then. The comparison is that of a 64-bit kernel: signed.
    fn v3(&self, over: i64) -> i64 {
        let Some(adj) = 100_i64.checked_div(over).map(|adj| adj - 1) else {
            return self.imbalance();
        };
        if i64::from(self.busiest_nr_running) < adj << 1 {
            self.imbalance() - self.imbalance().min(adj)
        } else {
            self.imbalance()
        }
    }
}
