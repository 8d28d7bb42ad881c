//! A finished machine, taken apart.

use teeter_machine::speed::hardware;
use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::CpuList;
use teeter_scenario::document::{Machine, MachineSource, Numbering};

use super::drawing::{Core, Drawing, Llc, Node, bit};

/// RECLAIM_DISTANCE where no source tells another.
const RECLAIM_DISTANCE: u8 = 30;

impl Drawing {
    /// A machine taken apart.
    pub fn of(machine: &Machine, topology: &Topology) -> Self {
        let memory = |node: usize| topology.memory.get(node).copied().flatten();
        let count = topology.nodes.len();
        let mut nodes: Vec<Node> = Vec::with_capacity(count);
        for (number, cpus) in topology.nodes.iter().enumerate() {
            let package = cpus
                .first()
                .map(|cpu| usize::from(topology.cpu(cpu).package));
            nodes.push(Node {
                memory: memory(number),
                llcs: llcs(topology, cpus),
                // Without CPUs nothing tells it: that of the node before, where there is one.
                package: package.unwrap_or_else(|| nodes.last().map_or(0, |node| node.package)),
            });
        }
        let rows = topology.distances.chunks(count.max(1));
        let drawing = Self {
            nodes,
            distances: rows
                .map(|row| row.iter().map(|&distance| u32::from(distance)).collect())
                .collect(),
            rest: Machine {
                hardware: hardware_of(machine, topology),
                speed: machine.speed.clone(),
                asym_packing: topology.asym_packing.then_some(true),
                reclaim_distance: (topology.reclaim_distance != RECLAIM_DISTANCE)
                    .then_some(u32::from(topology.reclaim_distance)),
                ..Machine::new(MachineSource::Nodes(Vec::new()))
            },
        };
        drawing.numbered_as(topology)
    }

    /// With that rule of numbering, of the two there are, which numbers its CPUs as this machine's are; if
    /// neither does, they get new numbers.
    fn numbered_as(mut self, topology: &Topology) -> Self {
        // Cores in the order of the drawing; a topology may count them in another.
        let order: Vec<u16> = topology
            .nodes
            .iter()
            .flat_map(|cpus| llc_cores(topology, cpus))
            .flatten()
            .map(|(core, _)| core)
            .collect();
        for numbering in [None, Some(Numbering::SiblingsLast)] {
            self.rest.numbering = numbering;
            let numbers = self.numbers();
            let mut cores = order.iter().zip(&numbers);
            let alike = cores.all(|(core, cpus)| {
                let mut cpus = cpus
                    .iter()
                    .filter_map(|cpu| topology.cpus.get(*cpu as usize));
                cpus.all(|cpu| cpu.core == *core)
            });
            if alike {
                return self;
            }
        }
        self.rest.numbering = None;
        self
    }

    /// Switches off exactly these CPUs.
    pub fn set_offline(&mut self, offline: &CpuList) {
        let numbers = self.numbers();
        for (core, cpus) in self.cores_mut().zip(&numbers) {
            core.off = (0..)
                .zip(cpus)
                .filter(|(_, cpu)| offline.contains(**cpu))
                .map(|(thread, _)| bit(thread))
                .sum();
        }
    }

    /// Every core, to be changed.
    pub(super) fn cores_mut(&mut self) -> impl Iterator<Item = &mut Core> {
        let llcs = self.nodes.iter_mut().flat_map(|node| &mut node.llcs);
        llcs.flat_map(|llc| &mut llc.cores)
    }
}

/// The hardware whose speed the drawing keeps: that which is named, or that of the preset it was.
fn hardware_of(machine: &Machine, topology: &Topology) -> Option<String> {
    let of_preset = matches!(machine.source, MachineSource::Preset(_));
    let named = of_preset.then(|| hardware::name_of(machine, topology).to_owned());
    machine.hardware.clone().or(named)
}

/// A core by number, with its CPUs.
type Numbered = (u16, Vec<CpuId>);

/// The cores of each cache of a node.
fn llc_cores(topology: &Topology, cpus: &CpuSet) -> Vec<Vec<Numbered>> {
    let mut llcs: Vec<(u16, Vec<Numbered>)> = Vec::new();
    for id in cpus {
        let cpu = topology.cpu(id);
        let at = llcs.iter().position(|(number, _)| *number == cpu.llc);
        let at = at.unwrap_or_else(|| {
            llcs.push((cpu.llc, Vec::new()));
            llcs.len() - 1
        });
        let cores = &mut llcs[at].1;
        match cores.iter_mut().find(|(number, _)| *number == cpu.core) {
            Some((_, threads)) => threads.push(id),
            None => cores.push((cpu.core, vec![id])),
        }
    }
    llcs.into_iter().map(|(_, cores)| cores).collect()
}

fn llcs(topology: &Topology, cpus: &CpuSet) -> Vec<Llc> {
    let mask = |threads: &[CpuId], has: &dyn Fn(CpuId) -> bool| -> u64 {
        let threads = (0..).zip(threads).filter(|(_, cpu)| has(**cpu));
        threads.map(|(thread, _)| bit(thread)).sum()
    };
    let core = |(_, threads): &Numbered| {
        let place = topology.cpu(*threads.first()?);
        Some(Core {
            pus: threads.len() as u32,
            capacity: place.capacity,
            off: mask(threads, &|cpu| !topology.online.contains(cpu)),
            isolated: mask(threads, &|cpu| topology.isolated.contains(cpu)),
            cluster: place.cluster,
        })
    };
    let llc = |cores: Vec<Numbered>| {
        let mut cores: Vec<Core> = cores.iter().filter_map(core).collect();
        let first = cores.first().map_or(0, |core| core.cluster);
        // Clusters are counted from the cache's first; where each core is its own there are none.
        let alone = cores
            .windows(2)
            .all(|pair| pair[0].cluster != pair[1].cluster);
        for core in &mut cores {
            core.cluster = if alone {
                0
            } else {
                core.cluster.saturating_sub(first)
            };
        }
        Llc { cores }
    };
    llc_cores(topology, cpus).into_iter().map(llc).collect()
}
