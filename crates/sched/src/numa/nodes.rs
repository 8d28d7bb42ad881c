//! The machine's nodes as NUMA balancing sees them.
//!
//! Source: kernel/sched/topology.c `init_numa_topology_type` (v4.11 on).

use teeter_machine::{CpuId, CpuSet, NodeId, Topology};

/// How nodes are connected (`numa_topology_type`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Connection {
    /// All are equally far from each other.
    #[default]
    Direct,
    /// Between nodes that are far apart lie others.
    GluelessMesh,
    /// Groups of nodes that are near each other hang on a backplane.
    Backplane,
}

/// The distance of a node from itself.
pub(crate) const LOCAL_DISTANCE: u8 = 10;

/// Nodes, their CPUs and distances.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    of: Vec<NodeId>,
    cpus: Vec<Vec<CpuId>>,
    distances: Vec<u8>,
    pub(crate) connection: Connection,
    /// The largest distance of all.
    pub(crate) max_distance: u8,
}

impl Nodes {
    /// Those of a machine, with its online CPUs.
    pub(crate) fn new(topology: &Topology) -> Self {
        let mut nodes = Self {
            of: topology.cpus.iter().map(|cpu| cpu.node).collect(),
            cpus: vec![Vec::new(); topology.nodes.len()],
            distances: topology.distances.clone(),
            connection: Connection::Direct,
            max_distance: topology.distances.iter().copied().max().unwrap_or(0),
        };
        nodes.connection = nodes.connect();
        nodes.set_online(&topology.online);
        nodes
    }

    /// Other CPUs are online now.
    pub(crate) fn set_online(&mut self, online: &CpuSet) {
        self.cpus.iter_mut().for_each(Vec::clear);
        for cpu in online {
            let node = self.of[cpu.index()];
            self.cpus[node.index()].push(cpu);
        }
    }

    fn connect(&self) -> Connection {
        let mut distances: Vec<u8> = self.distances.clone();
        distances.retain(|&distance| distance > LOCAL_DISTANCE);
        distances.sort_unstable();
        distances.dedup();
        if distances.len() <= 1 {
            return Connection::Direct;
        }
        let mut pairs = self.ids().flat_map(|a| self.ids().map(move |b| (a, b)));
        let furthest = pairs.find(|&(a, b)| self.distance(a, b) == self.max_distance);
        let between = furthest.is_some_and(|(a, b)| {
            let near = |c, from| self.distance(from, c) < self.max_distance;
            self.ids().any(|c| near(c, a) && near(c, b))
        });
        if between {
            Connection::GluelessMesh
        } else {
            Connection::Backplane
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.cpus.len()
    }

    /// All of them.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.cpus.len() as u16).map(NodeId)
    }

    /// The node of a CPU.
    pub(crate) fn of(&self, cpu: CpuId) -> NodeId {
        self.of[cpu.index()]
    }

    /// Online CPUs of a node.
    pub(crate) fn cpus(&self, node: NodeId) -> &[CpuId] {
        &self.cpus[node.index()]
    }

    /// Distance between two nodes, 10 within one.
    pub(crate) fn distance(&self, from: NodeId, to: NodeId) -> u8 {
        self.distances[from.index() * self.cpus.len() + to.index()]
    }

    /// Whether some pair of nodes is this far apart.
    pub(crate) fn has_distance(&self, distance: u8) -> bool {
        self.distances.contains(&distance)
    }

    /// The node itself if it has CPUs, else the nearest that has.
    pub(crate) fn with_cpus(&self, node: NodeId) -> NodeId {
        if !self.cpus(node).is_empty() {
            return node;
        }
        let others = self.ids().filter(|&other| !self.cpus(other).is_empty());
        others
            .min_by_key(|&other| self.distance(node, other))
            .unwrap_or(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::{Machine, MachineSource};

    fn connection(nodes: usize, distances: &[&[u8]]) -> Connection {
        let mut machine = Machine::new(MachineSource::Synthetic(format!("node:{nodes} core:1")));
        let rows = distances.iter().map(|row| row.iter().map(|&d| d.into()));
        machine.distances = Some(rows.map(Iterator::collect).collect());
        Nodes::new(&Topology::from_spec(&machine).unwrap()).connection
    }

    #[test]
    fn nodes_have_the_cpus_that_are_online() {
        let machine = Machine::new(MachineSource::Synthetic("node:2 core:2".to_owned()));
        let mut nodes = Nodes::new(&Topology::from_spec(&machine).unwrap());
        assert_eq!(nodes.cpus(NodeId(1)), [CpuId(2), CpuId(3)]);
        nodes.set_online(&[CpuId(0), CpuId(1)].into_iter().collect());
        assert_eq!(nodes.cpus(NodeId(0)), [CpuId(0), CpuId(1)]);
        assert_eq!(nodes.with_cpus(NodeId(1)), NodeId(0));
    }

    #[test]
    fn connections_are_told_by_distances() {
        let ring: [&[u8]; 4] = [
            &[10, 20, 30, 20],
            &[20, 10, 20, 30],
            &[30, 20, 10, 20],
            &[20, 30, 20, 10],
        ];
        let pairs: [&[u8]; 4] = [
            &[10, 15, 30, 30],
            &[15, 10, 30, 30],
            &[30, 30, 10, 15],
            &[30, 30, 15, 10],
        ];
        assert_eq!(connection(2, &[&[10, 21], &[21, 10]]), Connection::Direct);
        assert_eq!(connection(4, &ring), Connection::GluelessMesh);
        assert_eq!(connection(4, &pairs), Connection::Backplane);
    }
}
