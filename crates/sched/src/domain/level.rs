//! The levels of a machine, bottom up, and which CPUs each of them puts together.
//!
//! Source: kernel/sched/topology.c `default_topology`, `sched_init_numa`, `sd_numa_mask`; arch/x86
//! `build_sched_topology` (SCHED.md 4.1 and 14).

use teeter_machine::{Cpu, CpuId, CpuSet, NodeId, Topology};

use crate::rules::{Clusters, DomainRules, NumaDistances};

/// Which level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Hardware threads of a core.
    Smt,
    /// Cores that share a second-level cache.
    Cls,
    /// CPUs that share the last-level cache.
    Mc,
    /// CPUs of a node: DIE or PKG.
    Package,
    /// CPUs of a node again, below NUMA levels; folds away unless the level above is absent.
    Node,
    /// Nodes within this distance; numbered from 1.
    Numa { distance: u8, number: u8 },
}

impl Kind {
    /// As the kernel calls it.
    pub(super) fn name(self, rules: &DomainRules) -> &'static str {
        match self {
            Self::Smt => "SMT",
            Self::Cls => "CLS",
            Self::Mc => "MC",
            Self::Package => rules.package_name,
            Self::Node => "NODE",
            Self::Numa { .. } => "NUMA",
        }
    }

    /// Which NUMA level, from 1; 0 for others.
    pub(super) fn numa_level(self) -> u8 {
        match self {
            Self::Numa { number, .. } => number,
            _ => 0,
        }
    }
}

/// The CPUs that a level puts together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// All that are online.
    pub(super) mask: CpuSet,
    /// Those of them that are balanced: the span of the level's domains.
    pub(super) span: CpuSet,
}

/// One level of the machine.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) kind: Kind,
    /// Each different one once.
    pub(super) units: Vec<Unit>,
    /// By CPU, as an index into the units.
    unit_of: Vec<u16>,
}

impl Level {
    /// Which unit a CPU is in.
    #[inline]
    pub(super) fn unit_of(&self, cpu: CpuId) -> usize {
        usize::from(self.unit_of[cpu.index()])
    }

    /// The span of a CPU's domain.
    #[inline]
    pub(super) fn span(&self, cpu: CpuId) -> &CpuSet {
        &self.units[self.unit_of(cpu)].span
    }

    /// Puts together the CPUs of which `key` is the same.
    fn by(topology: &Topology, map: &CpuSet, kind: Kind, key: impl Fn(&Cpu) -> u16) -> Self {
        let keys = topology
            .cpus
            .iter()
            .map(&key)
            .max()
            .map_or(0, |k| usize::from(k) + 1);
        let mut unit_of_key: Vec<Option<u16>> = vec![None; keys];
        let mut masks: Vec<CpuSet> = Vec::new();
        let mut unit_of = Vec::with_capacity(topology.cpus.len());
        for (cpu, place) in topology.cpu_ids().zip(&topology.cpus) {
            let unit = *unit_of_key[usize::from(key(place))].get_or_insert_with(|| {
                masks.push(CpuSet::EMPTY);
                masks.len() as u16 - 1
            });
            unit_of.push(unit);
            if topology.online.contains(cpu) {
                masks[usize::from(unit)].insert(cpu);
            }
        }
        let units = masks.into_iter().map(|mask| Unit {
            mask,
            span: mask.and(map),
        });
        Self {
            kind,
            units: units.collect(),
            unit_of,
        }
    }

    /// For each node, the CPUs of all nodes within a distance.
    fn within(topology: &Topology, seen: &[u8], map: &CpuSet, distance: u8, number: u8) -> Self {
        let nodes = topology.nodes.len() as u16;
        let mut units: Vec<Unit> = Vec::new();
        let mut unit_of_node = Vec::with_capacity(topology.nodes.len());
        for from in (0..nodes).map(NodeId) {
            let row = &seen[from.index() * usize::from(nodes)..];
            let near = (0..nodes).filter(|&to| row[usize::from(to)] <= distance);
            let mask = near
                .fold(CpuSet::EMPTY, |mask, to| {
                    mask.or(&topology.nodes[usize::from(to)])
                })
                .and(&topology.online);
            let unit = Unit {
                mask,
                span: mask.and(map),
            };
            let known = units.iter().position(|other| *other == unit);
            unit_of_node.push(known.unwrap_or(units.len()) as u16);
            if known.is_none() {
                units.push(unit);
            }
        }
        let unit_of = topology
            .cpus
            .iter()
            .map(|cpu| unit_of_node[cpu.node.index()]);
        Self {
            kind: Kind::Numa { distance, number },
            units,
            unit_of: unit_of.collect(),
        }
    }
}

/// Why a kernel gives a machine no level of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absent {
    /// Clusters came with v5.16.
    Clusters,
    /// v5.16 to v6.5 left them out on x86 hybrids.
    ClustersOfHybrid,
    /// Some package holds several nodes.
    NumaInPackage,
}

/// All kinds of level, bottom up, with the reason for those of which the machine has none.
pub(super) fn kinds(topology: &Topology, rules: &DomainRules) -> Vec<(Kind, Option<Absent>)> {
    let clusters = match rules.clusters {
        Clusters::None => Some(Absent::Clusters),
        Clusters::NotHybrid if is_hybrid(topology) => Some(Absent::ClustersOfHybrid),
        Clusters::NotHybrid | Clusters::All => None,
    };
    let package = has_numa_in_package(topology).then_some(Absent::NumaInPackage);
    let mut kinds = vec![
        (Kind::Smt, None),
        (Kind::Cls, clusters),
        (Kind::Mc, None),
        (Kind::Package, package),
    ];
    let remote = if rules.numa_levels {
        remote_distances(topology, rules)
    } else {
        Vec::new()
    };
    // From v5.12 on it is there even where no other node is.
    let alone = remote.is_empty() && rules.numa_distances == NumaDistances::FromNode0;
    if rules.node_level && !alone {
        kinds.push((Kind::Node, None));
    }
    let numa = remote.into_iter().zip(1..);
    kinds.extend(numa.map(|(distance, number)| (Kind::Numa { distance, number }, None)));
    kinds
}

/// The levels that the machine has, bottom up. `map` holds the CPUs that are balanced.
pub(super) fn levels(topology: &Topology, rules: &DomainRules, map: &CpuSet) -> Vec<Level> {
    let seen = seen_distances(topology, rules);
    kinds(topology, rules)
        .into_iter()
        .filter(|(_, absent)| absent.is_none())
        .map(|(kind, _)| match kind {
            Kind::Smt => Level::by(topology, map, kind, |cpu| cpu.core),
            Kind::Cls => Level::by(topology, map, kind, |cpu| cpu.cluster),
            Kind::Mc => Level::by(topology, map, kind, |cpu| cpu.llc),
            Kind::Package | Kind::Node => Level::by(topology, map, kind, |cpu| cpu.node.0),
            Kind::Numa { distance, number } => {
                Level::within(topology, &seen, map, distance, number)
            }
        })
        .collect()
}

/// The distance from which on a node is in another package (`REMOTE_DISTANCE`).
const REMOTE_DISTANCE: u8 = 20;

/// Distances between nodes as domains are built by them, row by row (`arch_sched_node_distance`).
fn seen_distances(topology: &Topology, rules: &DomainRules) -> Vec<u8> {
    let mut distances = topology.distances.clone();
    let packages = topology.cpus.iter().map(|cpu| cpu.package).max();
    if rules.far_nodes_alike && packages > Some(0) && has_numa_in_package(topology) {
        let far = |distance: &&u8| **distance >= REMOTE_DISTANCE;
        let sum: usize = distances.iter().filter(far).map(|&d| usize::from(d)).sum();
        let mean = sum.checked_div(distances.iter().filter(far).count());
        let mean = mean.and_then(|mean| u8::try_from(mean).ok());
        for distance in &mut distances {
            if *distance >= REMOTE_DISTANCE {
                *distance = mean.unwrap_or(REMOTE_DISTANCE);
            }
        }
    }
    distances
}

/// Distances to other nodes that make NUMA levels, nearest first.
fn remote_distances(topology: &Topology, rules: &DomainRules) -> Vec<u8> {
    let seen = seen_distances(topology, rules);
    let nodes = topology.nodes.len();
    let counts = |node: usize| match rules.numa_distances {
        NumaDistances::OfCpuNodes => topology.nodes[node].intersects(&topology.online),
        NumaDistances::All | NumaDistances::FromNode0 => true,
    };
    let from = match rules.numa_distances {
        NumaDistances::FromNode0 => nodes.min(1),
        NumaDistances::All | NumaDistances::OfCpuNodes => nodes,
    };
    let rows = (0..from).filter(|&from| counts(from));
    let mut distances: Vec<u8> = rows
        .flat_map(|from| {
            let others = (0..nodes).filter(move |&to| to != from && counts(to));
            others.map({
                let seen = &seen;
                move |to| seen[from * nodes + to]
            })
        })
        .collect();
    distances.sort_unstable();
    distances.dedup();
    distances
}

/// Whether some package holds several nodes, in which case x86 leaves out DIE.
fn has_numa_in_package(topology: &Topology) -> bool {
    let packages = topology.cpus.iter().map(|cpu| cpu.package).max();
    let mut node_of: Vec<Option<NodeId>> = vec![None; packages.map_or(0, |p| usize::from(p) + 1)];
    topology.cpus.iter().any(|cpu| {
        let node = node_of[usize::from(cpu.package)].get_or_insert(cpu.node);
        *node != cpu.node
    })
}

/// Whether it is an x86 machine whose cores differ in kind: cores of several capacities with priorities.
pub(super) fn is_hybrid(topology: &Topology) -> bool {
    let mut capacities = topology.cpus.iter().map(|cpu| cpu.capacity);
    let first = capacities.next();
    topology.asym_packing && capacities.any(|capacity| Some(capacity) != first)
}
