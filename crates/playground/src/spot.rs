//! A place on the machine, at any of its levels, where tasks are started or bound. Pure.

use teeter_machine::{Cpu, CpuId, Topology};
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
}
