//! A finished machine as a scenario describes it.

use std::fmt::Write as _;

use teeter_scenario::CpuList;
use teeter_scenario::document::{
    ClusterSpec, CoreSpec, ImportKind, LlcSpec, Machine, MachineSource, NodeSpec, Numbering,
};

use crate::preset::RECLAIM_DISTANCE;
use crate::{Cpu, CpuSet, NodeId, Topology};

impl Topology {
    /// A description from which [`Topology::from_spec`] makes this machine again: its nodes, if its CPUs
    /// are numbered by one of the two rules and its packages are whole nodes, else a table of its CPUs
    /// (in which sizes of memory are lost).
    ///
    /// ```
    /// use teeter_machine::Topology;
    /// use teeter_scenario::document::Machine;
    ///
    /// let topology = Topology::from_spec(&Machine::preset("rome-2s")).unwrap();
    /// assert_eq!(Topology::from_spec(&topology.describe()).unwrap(), topology);
    /// ```
    pub fn describe(&self) -> Machine {
        let numberings = [None, Some(Numbering::SiblingsLast)];
        let rebuilt = |machine: &Machine| Self::from_spec(machine).is_ok_and(|made| made == *self);
        let nodes = self.node_specs();
        let each_its_own = Vec::new();
        for packages in [each_its_own, self.packages()] {
            for numbering in numberings {
                let machine = Machine {
                    numbering,
                    packages: packages.clone(),
                    ..self.beside(MachineSource::Nodes(nodes.clone()))
                };
                if rebuilt(&machine) {
                    return machine;
                }
            }
        }
        self.beside(MachineSource::Import {
            text: self.table(),
            from: ImportKind::LscpuP,
        })
    }

    /// A machine of that source, with what no source tells.
    fn beside(&self, source: MachineSource) -> Machine {
        let nodes = self.nodes.len();
        let rows = self.distances.chunks(nodes.max(1));
        let rows = rows.map(|row| row.iter().map(|&distance| u32::from(distance)).collect());
        let all = CpuSet::first_n(self.cpus.len());
        Machine {
            distances: (nodes > 1).then(|| rows.collect()),
            offline: list(&all.minus(&self.online)),
            isolcpus: list(&self.isolated),
            asym_packing: self.asym_packing.then_some(true),
            reclaim_distance: (self.reclaim_distance != RECLAIM_DISTANCE)
                .then_some(u32::from(self.reclaim_distance)),
            ..Machine::new(source)
        }
    }

    /// The nodes of each package, those without CPUs in the last one.
    fn packages(&self) -> Vec<Vec<u32>> {
        let mut packages: Vec<Vec<u32>> = Vec::new();
        for (node, cpus) in (0_u32..).zip(&self.nodes) {
            let package = cpus.first().map(|cpu| usize::from(self.cpu(cpu).package));
            let package = package.unwrap_or_else(|| packages.len().saturating_sub(1));
            if packages.len() <= package {
                packages.resize(package + 1, Vec::new());
            }
            packages[package].push(node);
        }
        packages
    }

    /// The machine node by node; what is alike and follows each other is counted.
    fn node_specs(&self) -> Vec<NodeSpec> {
        let mut cores: Vec<(Cpu, u32)> = Vec::new();
        let highest = self.cpus.iter().map(|cpu| cpu.core).max();
        let mut index = vec![None; highest.map_or(0, |core| usize::from(core) + 1)];
        for cpu in &self.cpus {
            let slot = &mut index[usize::from(cpu.core)];
            let at = *slot.get_or_insert_with(|| {
                cores.push((*cpu, 0));
                cores.len() - 1
            });
            cores[at].1 += 1;
        }
        let node = |number: usize| {
            let here = cores
                .iter()
                .filter(|(place, _)| place.node.index() == number);
            NodeSpec {
                count: 1,
                llcs: llcs(here),
                memory: self.memory.get(number).copied().flatten(),
            }
        };
        let nodes = (0..self.nodes.len()).map(node);
        counted(
            nodes,
            |node| NodeSpec {
                count: 1,
                ..node.clone()
            },
            |node| &mut node.count,
        )
    }

    /// The CPUs as `lscpu -p` lists them, with columns of our own.
    fn table(&self) -> String {
        let mut table = "# CPU,Core,Cluster,LLC,Die,Socket,Node,Capacity\n".to_owned();
        for (number, cpu) in self.cpus.iter().enumerate() {
            let Cpu {
                core,
                cluster,
                llc,
                die,
                package,
                node: NodeId(node),
                capacity,
            } = cpu;
            // Writing to a text does not fail.
            let _ = writeln!(
                table,
                "{number},{core},{cluster},{llc},{die},{package},{node},{capacity}"
            );
        }
        table
    }
}

fn list(cpus: &CpuSet) -> CpuList {
    cpus.iter().map(|cpu| u32::from(cpu.0)).collect()
}

/// The last-level caches of some cores with their numbers of threads.
fn llcs<'a>(cores: impl Iterator<Item = &'a (Cpu, u32)>) -> Vec<LlcSpec> {
    let llcs = grouped(cores, |place| place.llc).into_iter().map(|cores| {
        let clusters = grouped(cores.iter().copied(), |place| place.cluster);
        if clusters.iter().all(|cluster| cluster.len() == 1) {
            return LlcSpec {
                count: 1,
                clusters: Vec::new(),
                cores: core_specs(&cores),
                size: None,
            };
        }
        let clusters = clusters.iter().map(|cores| ClusterSpec {
            count: 1,
            cores: core_specs(cores),
        });
        LlcSpec {
            count: 1,
            clusters: counted(
                clusters,
                |cluster| ClusterSpec {
                    count: 1,
                    ..cluster.clone()
                },
                |cluster| &mut cluster.count,
            ),
            cores: Vec::new(),
            size: None,
        }
    });
    counted(
        llcs,
        |llc| LlcSpec {
            count: 1,
            ..llc.clone()
        },
        |llc| &mut llc.count,
    )
}

fn core_specs(cores: &[&(Cpu, u32)]) -> Vec<CoreSpec> {
    let cores = cores.iter().map(|&&(place, pus)| CoreSpec {
        count: 1,
        pus,
        capacity: place.capacity,
    });
    counted(
        cores,
        |core| CoreSpec { count: 1, ..*core },
        |core| &mut core.count,
    )
}

/// Cores by what `key` gives, in the order of their first.
fn grouped<'a>(
    cores: impl Iterator<Item = &'a (Cpu, u32)>,
    key: impl Fn(&Cpu) -> u16,
) -> Vec<Vec<&'a (Cpu, u32)>> {
    let mut groups: Vec<(u16, Vec<&(Cpu, u32)>)> = Vec::new();
    for core in cores {
        let key = key(&core.0);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, group)) => group.push(core),
            None => groups.push((key, vec![core])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Neighbours that are alike, but for their count, as one.
fn counted<T: PartialEq>(
    items: impl Iterator<Item = T>,
    one: impl Fn(&T) -> T,
    count: impl Fn(&mut T) -> &mut u32,
) -> Vec<T> {
    let mut counted: Vec<T> = Vec::new();
    for item in items {
        match counted.last_mut() {
            Some(last) if one(last) == item => *count(last) += 1,
            _ => counted.push(item),
        }
    }
    counted
}
