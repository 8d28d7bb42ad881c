//! What running threads ask of memory, and how much longer all wait where more is asked than nodes and
//! links give.
//!
//! A thread asks for what it would take at its speed if nothing were congested, so that what one has to
//! wait does not change what is asked. Congestion counts in sixteenths: speeds are computed anew only when
//! what is asked of a node or link has changed by so much.

use teeter_machine::NodeId;

use crate::code::FULL;
use crate::hardware::Hardware;

/// Step in which congestion changes.
const STEP: u64 = FULL / 16;

/// What is asked of one node's memory, or of the link that joins it to the others.
#[derive(Clone, Copy, Debug)]
struct Demand {
    /// MB/s.
    rate: u64,
    /// How many times longer an access takes, of [`FULL`].
    slower: u64,
}

impl Demand {
    const NONE: Self = Self {
        rate: 0,
        slower: FULL,
    };

    /// Takes back `old` and adds `new` MB/s; gives whether that changes how long accesses take.
    fn replace(&mut self, old: u64, new: u64, congestion: impl Fn(u64) -> u64) -> bool {
        self.rate = self.rate - old + new;
        let slower = congestion(self.rate) / STEP * STEP;
        std::mem::replace(&mut self.slower, slower) != slower
    }
}

/// What is asked of all of them.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    /// MB/s that each CPU's thread asks of each node, at `cpu * nodes + node`.
    asked: Vec<u64>,
    memory: Vec<Demand>,
    /// Of each node's memory by others' CPUs, and of others' memory by its CPUs.
    incoming: Vec<Demand>,
    outgoing: Vec<Demand>,
    /// Some congestion has changed.
    changed: bool,
}

impl Traffic {
    /// Nothing is asked.
    pub(crate) fn new(cpus: usize, nodes: usize) -> Self {
        Self {
            asked: vec![0; cpus * nodes],
            memory: vec![Demand::NONE; nodes],
            incoming: vec![Demand::NONE; nodes],
            outgoing: vec![Demand::NONE; nodes],
            changed: false,
        }
    }

    /// The thread of a CPU of `home` asks for `rate` MB/s of memory that lies on the nodes as `pages` do.
    /// Pages that nobody has touched yet will come to its own node.
    pub(crate) fn ask(
        &mut self,
        hardware: &Hardware,
        (cpu, home): (usize, NodeId),
        rate: u64,
        pages: &[u64],
    ) {
        let nodes = self.memory.len();
        let all: u64 = pages.iter().sum();
        let mut away = (0, 0);
        for node in 0..nodes {
            let here = node == home.index();
            let part = match pages.get(node) {
                Some(&pages) if all > 0 => {
                    (u128::from(rate) * u128::from(pages) / u128::from(all)) as u64
                }
                _ if here => rate,
                _ => 0,
            };
            let old = std::mem::replace(&mut self.asked[cpu * nodes + node], part);
            if old == part {
                continue;
            }
            let congestion = |rate| hardware.memory_congestion(rate);
            self.changed |= self.memory[node].replace(old, part, congestion);
            if !here {
                away = (away.0 + old, away.1 + part);
                let congestion = |rate| hardware.link_congestion(rate);
                self.changed |= self.incoming[node].replace(old, part, congestion);
            }
        }
        let congestion = |rate| hardware.link_congestion(rate);
        self.changed |= self.outgoing[home.index()].replace(away.0, away.1, congestion);
    }

    /// How many times longer a CPU of `home` waits for memory of `node` than without others, of [`FULL`].
    pub(crate) fn slower(&self, home: NodeId, node: NodeId) -> u64 {
        let memory = self.memory[node.index()].slower;
        if home == node {
            return memory;
        }
        let (incoming, outgoing) = (self.incoming[node.index()], self.outgoing[home.index()]);
        memory.max(incoming.slower).max(outgoing.slower)
    }

    /// Whether some congestion has changed since the last call.
    pub(crate) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }
}

#[cfg(test)]
mod tests {
    use teeter_machine::{Speed, Topology};
    use teeter_scenario::document::Machine;

    use super::*;

    const NODES: [NodeId; 2] = [NodeId(0), NodeId(1)];

    /// A node gives 60 GB/s, a link 34.
    fn haswell() -> (Hardware, Traffic) {
        let machine = Machine::preset("haswell-2s");
        let topology = Topology::from_spec(&machine).unwrap();
        let speed = Speed::for_machine(&machine, &topology).unwrap();
        let traffic = Traffic::new(topology.cpus.len(), topology.nodes.len());
        (Hardware::new(topology, speed), traffic)
    }

    #[test]
    fn a_node_that_is_asked_for_too_much_slows_all_down() {
        let (hardware, mut traffic) = haswell();
        for cpu in 0..8 {
            traffic.ask(&hardware, (cpu, NODES[0]), 10_000, &[5, 0]);
        }
        // 80 of 60 GB/s: 1.33, in sixteenths.
        assert!(traffic.take_changed() && !traffic.take_changed());
        assert_eq!(traffic.slower(NODES[0], NODES[0]), FULL * 21 / 16);
        assert_eq!(traffic.slower(NODES[1], NODES[0]), FULL * 21 / 16);
        assert_eq!(traffic.slower(NODES[0], NODES[1]), FULL);
        for cpu in 0..8 {
            traffic.ask(&hardware, (cpu, NODES[0]), 0, &[5, 0]);
        }
        assert_eq!(traffic.slower(NODES[0], NODES[0]), FULL);
    }

    #[test]
    fn what_goes_between_nodes_has_the_link_to_share() {
        let (hardware, mut traffic) = haswell();
        for cpu in 0..4 {
            traffic.ask(&hardware, (cpu, NODES[0]), 20_000, &[1, 3]);
        }
        // 60 of 34 GB/s go over it: 1.76, in sixteenths; of node 1's memory just what it gives.
        assert_eq!(traffic.slower(NODES[0], NODES[1]), FULL * 28 / 16);
        assert_eq!(traffic.slower(NODES[0], NODES[0]), FULL);
        assert_eq!(traffic.slower(NODES[1], NODES[1]), FULL);
    }

    #[test]
    fn small_changes_change_nothing() {
        let (hardware, mut traffic) = haswell();
        traffic.ask(&hardware, (0, NODES[0]), 90_000, &[0, 0]);
        assert!(traffic.take_changed());
        traffic.ask(&hardware, (1, NODES[0]), 3_000, &[0, 0]);
        assert!(!traffic.take_changed());
        traffic.ask(&hardware, (1, NODES[0]), 4_000, &[0, 0]);
        assert!(traffic.take_changed());
    }
}
