//! What NUMA balancing knows: of tasks, of groups of tasks that share memory, of memory.

use teeter_machine::{NodeId, Topology};

use super::memory::{Mm, MmId, Region, Room};
use super::nodes::Nodes;
use super::share::ACTIVE_NODE_FRACTION;
use super::{NumaStats, Sharing};
use crate::ids::TaskId;

/// Index of faults on memory that others touch too, and on that which is the task's own.
pub(crate) const SHARED: usize = 0;
pub(crate) const PRIVATE: usize = 1;

/// Faults that have to do with one node, shared and private ones apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OnNode {
    /// On memory of the node, averaged over scans (`NUMA_MEM`).
    pub(crate) mem: [u64; 2],
    /// From CPUs of the node, averaged and weighted by run time (`NUMA_CPU`).
    pub(crate) cpu: [u64; 2],
}

impl OnNode {
    /// Faults on memory of the node.
    pub(crate) fn mem(&self) -> u64 {
        self.mem[SHARED] + self.mem[PRIVATE]
    }

    /// Faults from CPUs of the node.
    pub(crate) fn cpu(&self) -> u64 {
        self.cpu[SHARED] + self.cpu[PRIVATE]
    }

    fn add(&mut self, other: &Self) {
        for kind in [SHARED, PRIVATE] {
            self.mem[kind] += other.mem[kind];
            self.cpu[kind] += other.cpu[kind];
        }
    }

    fn sub(&mut self, other: &Self) {
        for kind in [SHARED, PRIVATE] {
            self.mem[kind] = self.mem[kind].saturating_sub(other.mem[kind]);
            self.cpu[kind] = self.cpu[kind].saturating_sub(other.cpu[kind]);
        }
    }
}

/// Faults of a task or group by node.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultMap {
    pub(crate) nodes: Vec<OnNode>,
    /// All on memory.
    pub(crate) total: u64,
}

impl FaultMap {
    pub(crate) fn new(nodes: usize) -> Self {
        Self {
            nodes: vec![OnNode::default(); nodes],
            total: 0,
        }
    }

    fn add(&mut self, other: &Self) {
        self.total += other.total;
        for (own, other) in self.nodes.iter_mut().zip(&other.nodes) {
            own.add(other);
        }
    }

    fn sub(&mut self, other: &Self) {
        self.total = self.total.saturating_sub(other.total);
        for (own, other) in self.nodes.iter_mut().zip(&other.nodes) {
            own.sub(other);
        }
    }
}

/// A task with memory.
#[derive(Clone, Debug)]
pub(crate) struct NumaTask {
    pub(crate) mm: MmId,
    /// `numa_preferred_nid`
    pub(crate) preferred: Option<NodeId>,
    /// Averages; `None` until the first fault.
    pub(crate) faults: Option<FaultMap>,
    /// Faults since the last placement, in the same terms (`NUMA_MEMBUF`, `NUMA_CPUBUF`).
    pub(crate) buffer: Vec<OnNode>,
    /// Which group, if it shares memory.
    pub(crate) group: Option<u32>,
    pub(crate) scan_seq: u32,
    /// ms
    pub(crate) scan_period: u64,
    /// ms
    pub(crate) scan_period_max: u64,
    /// Run time at which its scan was last due, ns.
    pub(crate) node_stamp: u64,
    /// Jiffy after which it may be placed again.
    pub(crate) migrate_retry: u64,
    /// Faults since the scan period was last set (`numa_faults_locality`).
    pub(crate) local: u64,
    pub(crate) remote: u64,
    pub(crate) failed: u64,
    /// Clock and run time at the last placement, ns; 0 before the first.
    pub(crate) last_placement: u64,
    pub(crate) last_runtime: u64,
    /// It has had a fault since its last tick.
    pub(crate) faulted: bool,
}

/// Tasks that share memory (`numa_group`).
#[derive(Clone, Debug, Default)]
pub(crate) struct NumaGroup {
    pub(crate) tasks: u64,
    pub(crate) faults: FaultMap,
    /// Most faults from CPUs of one node.
    pub(crate) max_faults_cpu: u64,
    /// Nodes it runs on in good part.
    pub(crate) active_nodes: u32,
}

impl NumaGroup {
    /// A group of one task.
    pub(crate) fn of(faults: &FaultMap) -> Self {
        Self {
            tasks: 1,
            faults: faults.clone(),
            max_faults_cpu: 0,
            active_nodes: 1,
        }
    }

    /// Whether the node is among those it runs on in good part (`numa_is_active_node`).
    pub(crate) fn is_active(&self, node: NodeId) -> bool {
        self.faults.nodes[node.index()].cpu() * ACTIVE_NODE_FRACTION > self.max_faults_cpu
    }

    /// `numa_group_count_active_nodes`
    pub(crate) fn count_active_nodes(&mut self) {
        let cpu = self.faults.nodes.iter().map(OnNode::cpu);
        self.max_faults_cpu = cpu.max().unwrap_or(0);
        let active = |node: &&OnNode| node.cpu() * ACTIVE_NODE_FRACTION > self.max_faults_cpu;
        self.active_nodes = self.faults.nodes.iter().filter(active).count() as u32;
    }

    /// How its memory is shared.
    pub(crate) fn sharing(&self) -> Sharing {
        let sum = |kind: usize| self.faults.nodes.iter().map(|node| node.mem[kind]).sum();
        Sharing {
            tasks: self.tasks,
            shared: sum(SHARED),
            private: sum(PRIVATE),
        }
    }
}

/// The whole state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numa {
    pub(crate) nodes: Nodes,
    pub(crate) room: Room,
    pub(crate) mms: Vec<Mm>,
    pub(crate) regions: Vec<Region>,
    /// By task; `None` for one without memory.
    tasks: Vec<Option<Box<NumaTask>>>,
    pub(crate) groups: Vec<NumaGroup>,
    pub(crate) stats: NumaStats,
}

impl Numa {
    pub(crate) fn new(topology: &Topology) -> Self {
        Self {
            nodes: Nodes::new(topology),
            room: Room::new(topology),
            ..Self::default()
        }
    }

    /// Gives a task an address space.
    pub(crate) fn add(&mut self, task: TaskId, mm: MmId) {
        if self.tasks.len() <= task.index() {
            self.tasks.resize(task.index() + 1, None);
        }
        self.tasks[task.index()] = Some(Box::new(NumaTask {
            mm,
            preferred: None,
            faults: None,
            buffer: vec![OnNode::default(); self.nodes.len()],
            group: None,
            scan_seq: 0,
            scan_period: 0,
            scan_period_max: 0,
            node_stamp: 0,
            migrate_retry: 0,
            local: 0,
            remote: 0,
            failed: 0,
            last_placement: 0,
            last_runtime: 0,
            faulted: false,
        }));
    }

    /// What is known of a task; `None` if it has no memory.
    #[inline]
    pub(crate) fn task(&self, task: TaskId) -> Option<&NumaTask> {
        self.tasks.get(task.index())?.as_deref()
    }

    #[inline]
    pub(crate) fn task_mut(&mut self, task: TaskId) -> Option<&mut NumaTask> {
        self.tasks.get_mut(task.index())?.as_deref_mut()
    }

    /// The group of a task.
    pub(crate) fn group_of(&self, task: TaskId) -> Option<&NumaGroup> {
        let group = self.task(task)?.group?;
        self.groups.get(group as usize)
    }

    /// The node a task is said to belong to.
    #[inline]
    pub(crate) fn preferred(&self, task: TaskId) -> Option<NodeId> {
        self.task(task)?.preferred
    }

    /// Makes a group of a task that has none yet. Gives its group.
    pub(crate) fn found_group(&mut self, task: TaskId) -> Option<u32> {
        let known = self.task(task)?;
        if known.group.is_some() {
            return known.group;
        }
        let founded = NumaGroup::of(known.faults.as_ref()?);
        let unused = self.groups.iter().position(|group| group.tasks == 0);
        let group = unused.unwrap_or(self.groups.len());
        match self.groups.get_mut(group) {
            Some(slot) => *slot = founded,
            None => self.groups.push(founded),
        }
        self.task_mut(task)?.group = Some(group as u32);
        Some(group as u32)
    }

    /// Takes a task out of its group, and into another if there is one.
    pub(crate) fn move_to_group(&mut self, task: TaskId, to: Option<u32>) {
        let Some(Some(known)) = self.tasks.get_mut(task.index()) else {
            return;
        };
        let from = std::mem::replace(&mut known.group, to);
        let Some(faults) = &known.faults else {
            return;
        };
        if let Some(group) = from.and_then(|from| self.groups.get_mut(from as usize)) {
            group.faults.sub(faults);
            group.tasks -= 1;
        }
        if let Some(group) = to.and_then(|to| self.groups.get_mut(to as usize)) {
            group.faults.add(faults);
            group.tasks += 1;
        }
    }
}
