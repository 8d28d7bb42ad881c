//! What moving a task asks of its node and of another.
//!
//! Source: kernel/sched/fair.c `load_too_imbalanced`, `numa_has_capacity`, `numa_classify` (v4.11, v5.3,
//! v5.7; SCHED.md 7).

use crate::rules::NumaMove;

/// Kinds of nodes, by how much they could take (v5.7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NodeType {
    #[default]
    HasSpare,
    FullyBusy,
    Overloaded,
}

/// Sums over the CPUs of a node (`numa_stats`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeStats {
    pub(crate) load: u64,
    /// 1024 for each runnable task on average (v5.7).
    pub(crate) runnable: u64,
    pub(crate) util: u64,
    /// 1024 a CPU.
    pub(crate) compute_capacity: u64,
    pub(crate) nr_running: u32,
    /// Its CPUs.
    pub(crate) weight: u32,
    pub(crate) node_type: NodeType,
}

impl NodeStats {
    /// Kind of the node, by a percentage half that of the NUMA domain.
    pub(crate) fn classify(&self, imbalance_pct: u64) -> NodeType {
        let capacity = self.compute_capacity * 100;
        let util = self.util * imbalance_pct;
        let (weighted, runnable) = (self.compute_capacity * imbalance_pct, self.runnable * 100);
        if self.nr_running > self.weight && (capacity < util || weighted < runnable) {
            NodeType::Overloaded
        } else if self.nr_running < self.weight || (capacity > util && weighted > runnable) {
            NodeType::HasSpare
        } else {
            NodeType::FullyBusy
        }
    }

    /// Tasks that it takes to use the node's cores, or its capacity if that is less (`task_capacity`, to
    /// v4.18).
    pub(crate) fn task_capacity(&self) -> u64 {
        let cpus = u64::from(self.weight);
        let smt = (1024 * cpus).div_ceil(self.compute_capacity.max(1)).max(1);
        (cpus / smt).min((self.compute_capacity + 512) / 1024)
    }

    /// Whether it runs fewer tasks than it could (`has_free_capacity`, to v4.18).
    pub(crate) fn has_free_capacity(&self) -> bool {
        u64::from(self.nr_running) < self.task_capacity()
    }
}

/// Loads of a task's node and of another, as they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loads {
    pub(crate) src: u64,
    pub(crate) dst: u64,
    pub(crate) src_capacity: u64,
    pub(crate) dst_capacity: u64,
    /// 100 and half of what the NUMA domain's percentage is above that.
    pub(crate) imbalance_pct: u64,
}

impl Loads {
    /// How far the nodes are apart with this much load on each, by their capacities.
    fn distance(&self, src: i128, dst: i128, rule: NumaMove) -> i128 {
        let (src_capacity, dst_capacity) =
            (i128::from(self.src_capacity), i128::from(self.dst_capacity));
        match rule {
            NumaMove::Slope => {
                // The loads are put in order, the capacities are not.
                let (low, high) = (src.min(dst), src.max(dst));
                high * src_capacity * 100 - low * dst_capacity * i128::from(self.imbalance_pct)
            }
            NumaMove::Load | NumaMove::Spare => (dst * src_capacity - src * dst_capacity).abs(),
        }
    }

    /// Whether so much load more on the destination, and less on the source, is too much
    /// (`load_too_imbalanced`).
    pub(crate) fn too_imbalanced(&self, moved: i64, rule: NumaMove) -> bool {
        let (src, dst, moved) = (
            i128::from(self.src),
            i128::from(self.dst),
            i128::from(moved),
        );
        let after = self.distance(src - moved, dst + moved, rule);
        let allowed = rule == NumaMove::Slope && after <= 0;
        !allowed && after > self.distance(src, dst, rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: NodeStats = NodeStats {
        load: 0,
        runnable: 0,
        util: 0,
        compute_capacity: 4 * 1024,
        nr_running: 4,
        weight: 4,
        node_type: NodeType::HasSpare,
    };

    #[test]
    fn nodes_are_told_apart_by_tasks_and_use() {
        let classify = |nr_running, util, runnable| {
            let node = NodeStats {
                runnable,
                util,
                nr_running,
                ..NODE
            };
            node.classify(112)
        };
        assert_eq!(classify(3, 4096, 9000), NodeType::HasSpare);
        assert_eq!(classify(4, 1000, 1000), NodeType::HasSpare);
        assert_eq!(classify(4, 4000, 4000), NodeType::FullyBusy);
        assert_eq!(classify(5, 4000, 4000), NodeType::Overloaded);
        assert_eq!(classify(5, 1000, 4588), NodeType::Overloaded);
        assert_eq!(classify(5, 3657, 4587), NodeType::HasSpare);
    }

    #[test]
    fn cores_count_until_v4_18() {
        // Hardware threads of 589 each: two a core.
        let node = NodeStats {
            compute_capacity: 8 * 589,
            weight: 8,
            ..NODE
        };
        assert_eq!((node.task_capacity(), node.has_free_capacity()), (4, false));
        assert_eq!(NODE.task_capacity(), 4);
    }

    #[test]
    fn until_v4_18_some_imbalance_is_allowed() {
        let loads = Loads {
            src: 4_000,
            dst: 4_000,
            src_capacity: 8_192,
            dst_capacity: 8_192,
            imbalance_pct: 112,
        };
        // 4200 is within 112 % of 3800, 4300 of 3700 is not.
        assert!(!loads.too_imbalanced(200, NumaMove::Slope));
        assert!(loads.too_imbalanced(300, NumaMove::Slope));
        assert!(loads.too_imbalanced(200, NumaMove::Load));
        assert!(!loads.too_imbalanced(0, NumaMove::Load));
    }
}
