//! Whose memory is where: the parts of accesses that go to a node, and whether a page should follow.
//!
//! Source: kernel/sched/fair.c `task_weight`, `group_weight`, `should_numa_migrate_memory` (v5.3; SCHED.md 7).

/// By how much a node must have more faults than another to count as the group's own
/// (`ACTIVE_NODE_FRACTION`).
pub(crate) const ACTIVE_NODE_FRACTION: u64 = 3;

/// Thousandths of all faults.
pub(crate) fn weight(faults: u64, total: u64) -> i64 {
    (1000 * faults).checked_div(total).unwrap_or(0) as i64
}

/// A group's faults on the node of a page and on the node of the task that touched it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupFaults {
    /// Weighted by the time its tasks ran there.
    pub(crate) cpu_src: u64,
    pub(crate) cpu_dst: u64,
    /// By where the memory lay.
    pub(crate) mem_src: u64,
    pub(crate) mem_dst: u64,
}

impl GroupFaults {
    /// Whether a page that the group shares should go to the node it was touched from: if that is used much
    /// more, or memory would then be spread more as the tasks are.
    pub(crate) fn wants_page(&self) -> bool {
        self.cpu_dst > self.cpu_src * ACTIVE_NODE_FRACTION
            || self.cpu_dst * self.mem_src * 3 > self.cpu_src * self.mem_dst * 4
    }
}
