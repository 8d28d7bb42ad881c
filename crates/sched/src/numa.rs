//! NUMA balancing: memory that follows its tasks, and tasks that follow their memory.
//!
//! Source: kernel/sched/fair.c, the part under `CONFIG_NUMA_BALANCING` (v4.11, v5.3, v5.7 and later;
//! SCHED.md 7).
//!
//! The engine says which task touches what ([`Sched::touch`]); a task that is given no memory has nothing
//! to do with any of it. From the bottom up: `scan`, `share` and `node` are arithmetic; `nodes`, `memory` and
//! `state` are what is known; `fault` is what a touch does, `work` what a tick does, `placement` where
//! a task belongs, `migrate` and `compare` how it gets there, and `locality` what load balancing asks.

mod compare;
mod fault;
mod locality;
mod memory;
mod mems;
mod migrate;
mod node;
mod nodes;
mod placement;
mod scan;
mod share;
mod state;
#[cfg(test)]
mod tests;
mod watch;
mod work;

use teeter_machine::NodeId;
use teeter_scenario::Bytes;

use crate::ids::TaskId;
use crate::sched::Sched;
pub(crate) use locality::FbqType;
use memory::{Mm, Region};
pub use memory::{MmId, RegionId};
pub(crate) use mems::NodeMask;
#[cfg(test)]
pub(crate) use node::Loads;
pub(crate) use scan::{Faults, ScanBounds, Sharing};
#[cfg(test)]
pub(crate) use share::{GroupFaults, weight};
pub(crate) use state::Numa;

/// Bytes of a page.
pub(crate) const PAGE: u64 = 4096;

/// Counters of NUMA balancing since boot, pages of 4 KB; those of `/proc/vmstat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumaStats {
    /// Pages marked so that the next touch is a fault (`numa_pte_updates`).
    pub pte_updates: u64,
    /// Faults on marked pages (`numa_hint_faults`).
    pub hint_faults: u64,
    /// Those on pages of the toucher's node (`numa_hint_faults_local`).
    pub hint_faults_local: u64,
    /// Pages that moved to the node they were touched from (`numa_pages_migrated`).
    pub pages_migrated: u64,
}

/// What touching memory led to, in pages of 4 KB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Pages touched for the first time.
    pub allocated: u64,
    /// Hinting faults.
    pub faults: u64,
    /// Pages that moved to the toucher's node.
    pub migrated: u64,
}

impl Sched {
    /// Makes an address space, for the tasks of one process.
    pub fn add_mm(&mut self) -> MmId {
        self.numa.mms.push(Mm::default());
        MmId(self.numa.mms.len() as u32 - 1)
    }

    /// Gives a task an address space. Do so before it is forked.
    pub fn set_mm(&mut self, task: TaskId, mm: MmId) {
        self.numa.add(task, mm);
    }

    /// Maps memory into an address space. It lies evenly on the nodes `on` from the start, with no policy
    /// that would keep it there; with none named each page goes where it is first touched.
    pub fn map(&mut self, mm: MmId, size: Bytes, on: &[NodeId]) -> RegionId {
        let nodes = self.numa.nodes.len();
        let id = RegionId(self.numa.regions.len() as u32);
        let region = Region::new(mm, size, nodes);
        let chunks = region.chunks.len();
        self.numa.regions.push(region);
        self.numa.mms[mm.index()].regions.push(id);
        if let Some(&first) = on.first() {
            for chunk in 0..chunks {
                let node = on.get(chunk % on.len()).unwrap_or(&first);
                self.place_chunk(id, chunk, *node, NodeMask::ALL);
            }
        }
        id
    }

    /// Pages of a region that lie on each node. Those that nobody has touched lie on none.
    pub fn pages_on_node(&self, region: RegionId) -> &[u64] {
        &self.numa.regions[region.index()].on_node
    }

    /// How often pages of a region have come to a node or gone to another: while it stays the same, so do
    /// [`Sched::pages_on_node`].
    pub fn page_moves(&self, region: RegionId) -> u64 {
        self.numa.regions[region.index()].moves
    }

    /// Size of a region in pages of 4 KB.
    pub fn region_pages(&self, region: RegionId) -> u64 {
        self.numa.regions[region.index()].pages
    }

    /// The node to which NUMA balancing wants to bring a task; `None`: none yet.
    pub fn preferred_node(&self, task: TaskId) -> Option<NodeId> {
        self.numa.preferred(task)
    }

    /// Counters since boot.
    pub fn numa_stats(&self) -> NumaStats {
        self.numa.stats
    }
}
