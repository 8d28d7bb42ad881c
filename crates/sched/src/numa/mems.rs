//! Nodes on which a group's tasks may have memory (`cpuset.mems` of cgroup v2).
//!
//! Source: kernel/cgroup/cpuset.c `update_nodemasks_hier`, `cpuset_migrate_mm`; mm/migrate.c
//! `do_migrate_pages` (v5.3).

use teeter_machine::NodeId;
use teeter_scenario::Nanos;

use super::memory::{MmId, RegionId};
use crate::ids::{GroupId, TaskId};
use crate::sched::Sched;

/// A set of nodes, one bit each; a machine has 64 at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeMask(u64);

impl NodeMask {
    pub(crate) const ALL: Self = Self(u64::MAX);

    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn contains(self, node: NodeId) -> bool {
        self.0.checked_shr(u32::from(node.0)).unwrap_or(0) & 1 == 1
    }
}

impl FromIterator<NodeId> for NodeMask {
    fn from_iter<T: IntoIterator<Item = NodeId>>(nodes: T) -> Self {
        let bit = |node: NodeId| 1_u64.checked_shl(u32::from(node.0)).unwrap_or(0);
        Self(nodes.into_iter().map(bit).fold(0, |all, bit| all | bit))
    }
}

impl Sched {
    /// Writes `cpuset.mems` of a group; `None` = its parent's. Nodes that its parent has not count as not
    /// written. Memory that its tasks have elsewhere moves to the nodes it has now.
    pub fn set_group_mems(&mut self, now: Nanos, group: GroupId, mems: Option<&[NodeId]>) {
        self.advance(now);
        if group == GroupId::ROOT || group.index() >= self.groups.len() {
            return;
        }
        self.groups[group.index()].mems = mems.map(|mems| mems.iter().copied().collect());
        for task in (0..self.tasks.len() as u32).map(TaskId) {
            self.cpuset_migrate_mm(task);
        }
    }

    /// Nodes on which a group's tasks may have memory (`cpuset.mems.effective`).
    fn group_mems(&self, group: GroupId) -> NodeMask {
        if group == GroupId::ROOT {
            return NodeMask::ALL;
        }
        let held = &self.groups[group.index()];
        let above = self.group_mems(held.parent);
        match held.mems.map(|own| own.and(above)) {
            Some(own) if self.numa.nodes.ids().any(|node| own.contains(node)) => own,
            _ => above,
        }
    }

    /// The same for a task.
    pub(super) fn mems_allowed(&self, task: TaskId) -> NodeMask {
        self.group_mems(self.task(task).group)
    }

    /// Moves what the process of a task has on other nodes than its group's to those.
    pub(crate) fn cpuset_migrate_mm(&mut self, task: TaskId) {
        let Some(mm) = self.numa.task(task).map(|known| known.mm) else {
            return;
        };
        let allowed = self.mems_allowed(task);
        let to: Vec<NodeId> = self
            .numa
            .nodes
            .ids()
            .filter(|&node| allowed.contains(node))
            .collect();
        if to.len() < self.numa.nodes.len() {
            for at in 0..self.numa.mms[mm.index()].regions.len() {
                let region = self.numa.mms[mm.index()].regions[at];
                self.migrate_region(mm, region, &to);
            }
        }
    }

    fn migrate_region(&mut self, mm: MmId, region: RegionId, to: &[NodeId]) {
        for chunk in 0..self.numa.regions[region.index()].chunks.len() {
            let held = &mut self.numa.regions[region.index()];
            let Some(node) = held.chunks[chunk].node.filter(|node| !to.contains(node)) else {
                continue;
            };
            let pages = held.pages_of(chunk);
            held.chunks[chunk].node = None;
            held.on_node[node.index()] -= pages;
            self.numa.room.give(node, pages);
            self.numa.mms[mm.index()].rss -= pages;
            let place = to[node.index() % to.len()];
            self.place_chunk(region, chunk, place, to.iter().copied().collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_hold_what_they_are_made_of() {
        let mask: NodeMask = [NodeId(0), NodeId(63)].into_iter().collect();
        let held: Vec<u16> = (0..70)
            .filter(|&node| mask.contains(NodeId(node)))
            .collect();
        assert_eq!(held, [0, 63]);
        let other: NodeMask = [NodeId(63)].into_iter().collect();
        assert_eq!(mask.and(other), other);
    }
}
