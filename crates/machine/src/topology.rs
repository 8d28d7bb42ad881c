//! The finished machine: which core, cache and node each CPU belongs to.

use teeter_scenario::Bytes;

use crate::CpuSet;

/// The most NUMA nodes a machine may have.
pub const MAX_NODES: usize = teeter_scenario::limits::NODES;

/// A CPU (hardware thread) number as the kernel counts them, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuId(pub u16);

impl CpuId {
    /// The number as an index into per-CPU arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A NUMA node number, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u16);

impl NodeId {
    /// The number as an index into per-node arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where one CPU sits. Numbers of cores, clusters, LLCs, dies and packages are machine-wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// Physical core.
    pub core: u16,
    /// Cluster of cores that share an L2 (one core's own where there are none).
    pub cluster: u16,
    /// Group of CPUs that share the last-level cache.
    pub llc: u16,
    /// Die within the package.
    pub die: u16,
    /// Package (socket).
    pub package: u16,
    /// NUMA node.
    pub node: NodeId,
    /// Compute capacity, 1024 for the biggest CPU.
    pub capacity: u32,
}

/// A machine as the kernel sees it once booted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// One entry a CPU, by number.
    pub cpus: Vec<Cpu>,
    /// CPUs that are online.
    pub online: CpuSet,
    /// CPUs outside every sched domain (`isolcpus`), online or not.
    pub isolated: CpuSet,
    /// CPUs of each node; empty for a node that holds memory only.
    pub nodes: Vec<CpuSet>,
    /// Memory of each node where it is known; no bytes for a node that has CPUs only.
    pub memory: Vec<Option<Bytes>>,
    /// ACPI SLIT distances, row-major, `nodes.len()` squared; 10 on the diagonal.
    pub distances: Vec<u8>,
    /// Distance above which the kernel neither reclaims nor spreads forks (30; 32 on some AMD).
    pub reclaim_distance: u8,
    /// Whether the kernel prefers lower-numbered CPUs (SD_ASYM_PACKING).
    pub asym_packing: bool,
}

impl Topology {
    /// All CPU numbers, online or not.
    pub fn cpu_ids(&self) -> impl Iterator<Item = CpuId> + use<> {
        (0..self.cpus.len() as u16).map(CpuId)
    }

    /// The CPU's place, which the caller knows to exist.
    #[inline]
    pub fn cpu(&self, cpu: CpuId) -> &Cpu {
        &self.cpus[cpu.index()]
    }

    /// Distance between two nodes (10 is local).
    #[inline]
    pub fn distance(&self, from: NodeId, to: NodeId) -> u8 {
        self.distances[from.index() * self.nodes.len() + to.index()]
    }

    /// Whether a node has memory (`N_MEMORY`); one of which nothing is known does.
    pub fn has_memory(&self, node: NodeId) -> bool {
        self.memory.get(node.index()) != Some(&Some(Bytes(0)))
    }

    /// CPUs for which `key` gives the same value as for `cpu`, itself among them.
    pub fn peers<K: PartialEq>(&self, cpu: CpuId, key: impl Fn(&Cpu) -> K) -> CpuSet {
        let own = key(self.cpu(cpu));
        self.cpu_ids()
            .filter(|&other| key(self.cpu(other)) == own)
            .collect()
    }
}
