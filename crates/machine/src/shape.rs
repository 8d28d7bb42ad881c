//! A machine whose CPUs have their numbers, before what stands beside it in the scenario.

use teeter_scenario::Bytes;

use crate::preset::{LOCAL_DISTANCE, RECLAIM_DISTANCE, REMOTE_DISTANCE};
use crate::{Cpu, CpuId, CpuSet, Topology};

/// What a source tells of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// One place a CPU, by number.
    pub(crate) cpus: Vec<Cpu>,
    /// Memory of each node where it is known.
    pub(crate) memory: Vec<Option<Bytes>>,
    /// CPUs that are switched off.
    pub(crate) offline: CpuSet,
    /// CPUs outside every sched domain.
    pub(crate) isolated: CpuSet,
    /// Distances between all nodes, row-major; `None` if the source does not tell.
    pub(crate) distances: Option<Vec<u8>>,
    /// RECLAIM_DISTANCE of the kernel.
    pub(crate) reclaim_distance: u8,
    /// Whether the kernel prefers some CPUs to others.
    pub(crate) asym_packing: bool,
    /// What was assumed, for an imported machine.
    pub(crate) assumptions: Vec<String>,
}

impl Shape {
    /// A machine of which only the CPUs and nodes are known.
    pub(crate) fn new(cpus: Vec<Cpu>, memory: Vec<Option<Bytes>>) -> Self {
        Self {
            cpus,
            memory,
            offline: CpuSet::EMPTY,
            isolated: CpuSet::EMPTY,
            distances: None,
            reclaim_distance: RECLAIM_DISTANCE,
            asym_packing: false,
            assumptions: Vec::new(),
        }
    }

    /// Puts nodes together in packages: `package[node]`. A die that held several nodes is cut.
    pub(crate) fn set_packages(&mut self, package: &[u16]) {
        let (mut packages, mut dies) = (Vec::new(), Vec::new());
        for place in &mut self.cpus {
            let given = package.get(place.node.index());
            place.die = number_of((given, place.die), &mut dies);
            place.package = number_of(given, &mut packages);
        }
    }
}

/// The number of a thing among those `known`, which it joins if it is new.
pub(crate) fn number_of<T: PartialEq>(thing: T, known: &mut Vec<T>) -> u16 {
    let found = known.iter().position(|other| *other == thing);
    found.unwrap_or_else(|| {
        known.push(thing);
        known.len() - 1
    }) as u16
}

/// The matrix of a machine whose nodes are all `remote` from each other.
fn uniform(nodes: usize) -> Vec<u8> {
    let distance = |from, to| {
        if from == to {
            LOCAL_DISTANCE
        } else {
            REMOTE_DISTANCE
        }
    };
    (0..nodes)
        .flat_map(|from| (0..nodes).map(move |to| distance(from, to)))
        .collect()
}

impl Topology {
    /// The finished machine.
    pub(crate) fn from_shape(shape: Shape) -> Self {
        let mut nodes = vec![CpuSet::EMPTY; shape.memory.len()];
        for (cpu, place) in shape.cpus.iter().enumerate() {
            nodes[place.node.index()].insert(CpuId(cpu as u16));
        }
        let distances = shape.distances.unwrap_or_else(|| uniform(nodes.len()));
        Self {
            online: CpuSet::first_n(shape.cpus.len()).minus(&shape.offline),
            cpus: shape.cpus,
            isolated: shape.isolated,
            nodes,
            memory: shape.memory,
            distances,
            reclaim_distance: shape.reclaim_distance,
            asym_packing: shape.asym_packing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    #[test]
    fn packages_cut_the_dies_that_span_them() {
        let cpus = (0..3).map(|cpu| Cpu {
            core: cpu,
            cluster: cpu,
            llc: 0,
            die: 0,
            package: 0,
            node: NodeId(cpu),
            capacity: 1024,
        });
        let mut shape = Shape::new(cpus.collect(), vec![None; 3]);
        shape.set_packages(&[1, 1, 0]);
        let places: Vec<_> = shape
            .cpus
            .iter()
            .map(|place| (place.package, place.die))
            .collect();
        assert_eq!(places, [(0, 0), (0, 0), (1, 1)]);
    }
}
