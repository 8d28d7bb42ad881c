//! A place on the machine, at any of its levels, where tasks are started or bound. Pure.

use teeter_machine::{Cpu, CpuId, NodeId, Topology};
use teeter_scenario::CpuList;

/// The levels, smallest first, with their names.
pub const LEVELS: [(Level, &str); 4] = [
    (Level::Cpu, "CPU"),
    (Level::Core, "core"),
    (Level::Llc, "cache"),
    (Level::Node, "node"),
];

/// A level of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// One hardware thread.
    Cpu,
    /// All hardware threads of a core.
    Core,
    /// All CPUs of a last-level cache.
    Llc,
    /// All CPUs of a NUMA node.
    Node,
}

impl Level {
    /// The level of that name.
    pub fn named(name: &str) -> Option<Self> {
        let found = LEVELS.iter().find(|(_, known)| *known == name);
        found.map(|(level, _)| *level)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = LEVELS.iter().find(|(level, _)| *level == self);
        found.map_or("", |(_, name)| *name)
    }

    fn key(self, cpu: CpuId, of: &Cpu) -> u16 {
        match self {
            Self::Cpu => cpu.0,
            Self::Core => of.core,
            Self::Llc => of.llc,
            Self::Node => of.node.0,
        }
    }

    /// The numbers there are of it.
    pub fn numbers(self, topology: &Topology) -> Vec<u16> {
        let keys = topology
            .cpu_ids()
            .map(|cpu| self.key(cpu, topology.cpu(cpu)));
        let mut numbers: Vec<u16> = keys.collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The number of the one that a CPU is in.
    pub fn of(self, topology: &Topology, cpu: CpuId) -> u16 {
        self.key(cpu, topology.cpu(cpu))
    }

    /// The CPUs of the one with that number.
    pub fn cpus(self, topology: &Topology, number: u16) -> CpuList {
        let within = |cpu: &CpuId| self.key(*cpu, topology.cpu(*cpu)) == number;
        let cpus = topology.cpu_ids().filter(within);
        cpus.map(|cpu| u32::from(cpu.0)).collect()
    }
}

/// A place of the machine, under a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A CPU, and with it its core, cache and node.
    Cpu(CpuId),
    /// A cache, and with it its node.
    Llc(u16),
    /// A node.
    Node(NodeId),
}

impl Spot {
    /// The places here, smallest first: each level with its number.
    pub fn places(self, topology: &Topology) -> Vec<(Level, u16)> {
        let level = match self {
            Self::Cpu(_) => Level::Cpu,
            Self::Llc(_) => Level::Llc,
            Self::Node(_) => Level::Node,
        };
        let within = |cpu: &CpuId| match self {
            Self::Cpu(own) => *cpu == own,
            Self::Llc(llc) => topology.cpu(*cpu).llc == llc,
            Self::Node(node) => topology.cpu(*cpu).node == node,
        };
        let Some(cpu) = topology.cpu_ids().find(within) else {
            return Vec::new();
        };
        let levels = LEVELS.iter().map(|(level, _)| *level);
        let levels = levels.skip_while(|known| *known != level);
        levels
            .map(|level| (level, level.of(topology, cpu)))
            .collect()
    }

    /// What it is called: "CPU 3", "cache 1".
    pub fn name(self) -> String {
        match self {
            Self::Cpu(cpu) => format!("CPU {}", cpu.0),
            Self::Llc(number) => format!("cache {number}"),
            Self::Node(node) => format!("node {}", node.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::{Machine, MachineSource};

    #[test]
    fn a_place_is_found_at_each_level() {
        let source = MachineSource::Synthetic("node:2 l3:2 core:2 pu:2".to_owned());
        let topology = Topology::from_spec(&Machine::new(source)).unwrap();
        let at = |level: Level| {
            let number = level.of(&topology, CpuId(13));
            level.cpus(&topology, number).to_string()
        };
        assert_eq!(at(Level::Cpu), "13");
        assert_eq!(at(Level::Core), "12-13");
        assert_eq!(at(Level::Llc), "12-15");
        assert_eq!(at(Level::Node), "8-15");
        assert_eq!(Level::Llc.numbers(&topology).len(), 4);
        assert_eq!(Level::named("cache"), Some(Level::Llc));
        assert!(Level::Node.cpus(&topology, 9).is_empty());
    }

    #[test]
    fn a_spot_has_the_places_it_lies_in() {
        let source = MachineSource::Synthetic("node:2 l3:2 core:2 pu:2".to_owned());
        let topology = Topology::from_spec(&Machine::new(source)).unwrap();
        let places = |spot: Spot| spot.places(&topology);
        let (core, llc, node) = ((Level::Core, 6), (Level::Llc, 3), (Level::Node, 1));
        assert_eq!(
            places(Spot::Cpu(CpuId(13))),
            [(Level::Cpu, 13), core, llc, node]
        );
        assert_eq!(places(Spot::Llc(3)), [llc, node]);
        assert_eq!(places(Spot::Node(NodeId(1))), [node]);
        assert!(places(Spot::Node(NodeId(7))).is_empty());
        assert_eq!(Spot::Llc(3).name(), "cache 3");
    }
}
