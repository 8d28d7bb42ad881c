//! The levels of a machine, bottom up, and what each level's domains are like.
//!
//! Source: kernel/sched/topology.c `default_topology`, `sched_init_numa`, `sd_init`; arch/x86
//! `x86_numa_in_package_topology` (v5.3; SCHED.md 4.1, 4.2 and 14).

use teeter_machine::{CpuId, CpuSet, Topology};

/// Flags of a domain (`SD_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flags(u16);

impl Flags {
    pub(crate) const LOAD_BALANCE: Self = Self(1);
    pub(crate) const BALANCE_NEWIDLE: Self = Self(1 << 1);
    pub(crate) const BALANCE_EXEC: Self = Self(1 << 2);
    pub(crate) const BALANCE_FORK: Self = Self(1 << 3);
    pub(crate) const WAKE_AFFINE: Self = Self(1 << 4);
    pub(crate) const SHARE_CPUCAPACITY: Self = Self(1 << 5);
    pub(crate) const SHARE_PKG_RESOURCES: Self = Self(1 << 6);
    pub(crate) const SERIALIZE: Self = Self(1 << 7);
    pub(crate) const PREFER_SIBLING: Self = Self(1 << 8);
    pub(crate) const OVERLAP: Self = Self(1 << 9);
    pub(crate) const NUMA: Self = Self(1 << 10);

    pub(crate) const ALL: Self = Self((1 << 11) - 1);

    /// What a domain of more than one group is for; with one group they mean nothing.
    pub(crate) const NEED_GROUPS: Self = Self(
        Self::LOAD_BALANCE.0
            | Self::BALANCE_NEWIDLE.0
            | Self::BALANCE_FORK.0
            | Self::BALANCE_EXEC.0
            | Self::SHARE_CPUCAPACITY.0
            | Self::SHARE_PKG_RESOURCES.0,
    );

    /// Whether any of these flags is set.
    #[inline]
    pub(crate) const fn has(self, flags: Self) -> bool {
        self.0 & flags.0 != 0
    }

    /// With these flags too.
    pub(crate) const fn with(self, flags: Self) -> Self {
        Self(self.0 | flags.0)
    }

    /// Without these flags.
    pub(crate) const fn without(self, flags: Self) -> Self {
        Self(self.0 & !flags.0)
    }
}

/// One level of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Hardware threads of a core.
    Smt,
    /// CPUs that share the last-level cache.
    Mc,
    /// CPUs of a node.
    Die,
    /// CPUs of a node again, where there are several nodes; folds away unless DIE is absent.
    Node,
    /// Nodes within this distance; numbered from 1.
    Numa { distance: u8, number: u8 },
}

/// The levels of a machine, bottom up.
pub(super) fn levels(topology: &Topology) -> Vec<Level> {
    let mut levels = vec![Level::Smt, Level::Mc];
    if !has_numa_in_package(topology) {
        levels.push(Level::Die);
    }
    let mut distances = topology.distances.clone();
    distances.sort_unstable();
    distances.dedup();
    let local = distances.first().copied().unwrap_or(10);
    let remote = distances
        .iter()
        .copied()
        .filter(|&distance| distance > local);
    let numa = remote
        .zip(1..)
        .map(|(distance, number)| Level::Numa { distance, number });
    let numa: Vec<_> = numa.collect();
    if !numa.is_empty() {
        levels.push(Level::Node);
        levels.extend(numa);
    }
    levels
}

/// Whether some package holds several nodes, in which case x86 leaves out DIE.
fn has_numa_in_package(topology: &Topology) -> bool {
    topology.cpus.iter().any(|a| {
        topology
            .cpus
            .iter()
            .any(|b| a.package == b.package && a.node != b.node)
    })
}

/// What `sd_init` gives a domain of a level.
pub(super) struct Init {
    pub(super) name: &'static str,
    pub(super) numa_level: u8,
    pub(super) flags: Flags,
    pub(super) imbalance_pct: u32,
    pub(super) cache_nice_tries: u32,
}

impl Level {
    /// The CPUs of the domain of `cpu`, offline ones among them.
    pub(super) fn span(self, topology: &Topology, cpu: CpuId) -> CpuSet {
        match self {
            Self::Smt => topology.peers(cpu, |c| c.core),
            Self::Mc => topology.peers(cpu, |c| c.llc),
            Self::Die | Self::Node => topology.nodes[topology.cpu(cpu).node.index()],
            Self::Numa { distance, .. } => {
                let own = topology.cpu(cpu).node;
                let within =
                    |&other: &CpuId| topology.distance(own, topology.cpu(other).node) <= distance;
                topology.cpu_ids().filter(within).collect()
            }
        }
    }

    /// Values of the level's domains (v5.3 and v5.5).
    pub(super) fn init(self, topology: &Topology) -> Init {
        let usual = Flags::LOAD_BALANCE
            .with(Flags::BALANCE_NEWIDLE)
            .with(Flags::BALANCE_EXEC)
            .with(Flags::BALANCE_FORK)
            .with(Flags::WAKE_AFFINE);
        let spread = usual.with(Flags::PREFER_SIBLING);
        let init = |name, flags, imbalance_pct, cache_nice_tries| Init {
            name,
            numa_level: 0,
            flags,
            imbalance_pct,
            cache_nice_tries,
        };
        let llc = Flags::SHARE_PKG_RESOURCES;
        match self {
            Self::Smt => init(
                "SMT",
                spread.with(llc).with(Flags::SHARE_CPUCAPACITY),
                110,
                0,
            ),
            Self::Mc => init("MC", spread.with(llc), 117, 1),
            Self::Die => init("DIE", spread, 125, 1),
            Self::Node => init("NODE", spread, 125, 1),
            Self::Numa { distance, number } => {
                let far = Flags::BALANCE_EXEC
                    .with(Flags::BALANCE_FORK)
                    .with(Flags::WAKE_AFFINE);
                let numa = Flags::NUMA.with(Flags::SERIALIZE).with(Flags::OVERLAP);
                let flags = if distance > topology.reclaim_distance {
                    usual.without(far)
                } else {
                    usual
                };
                Init {
                    numa_level: number,
                    ..init("NUMA", flags.with(numa), 125, 2)
                }
            }
        }
    }
}
