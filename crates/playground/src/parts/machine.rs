//! The drawn machine, put together again as a scenario describes it: in words where words can say it.

use teeter_scenario::document::{ClusterSpec, CoreSpec, LlcSpec, Machine, MachineSource, NodeSpec};

use super::distance::{LOCAL, REMOTE};
use super::drawing::{Core, Drawing, Llc};

impl Drawing {
    /// The machine put together again.
    pub fn machine(&self) -> Machine {
        let is_default = self.distances.iter().enumerate().all(|(from, row)| {
            let mut row = row.iter().enumerate();
            row.all(|(to, distance)| *distance == if from == to { LOCAL } else { REMOTE })
        });
        let source = match self.words() {
            Ok(words) => MachineSource::Synthetic(words),
            Err(_) => MachineSource::Nodes(self.specs()),
        };
        Machine {
            source,
            distances: (!is_default).then(|| self.distances.clone()),
            offline: self.offline(),
            isolcpus: self.masked(|core| core.isolated),
            packages: self.packages(),
            ..self.rest.clone()
        }
    }

    /// The machine as an hwloc synthetic description.
    ///
    /// # Errors
    /// Where it has none: why.
    pub fn words(&self) -> Result<String, &'static str> {
        let specs = self.specs();
        let only = |alike: bool, why| if alike { Ok(()) } else { Err(why) };
        only(
            self.nodes.iter().all(|node| !node.llcs.is_empty()),
            "a node holds memory only",
        )?;
        only(
            self.nodes.iter().all(|node| node.memory.is_none()),
            "sizes of memory are told",
        )?;
        only(
            self.cores().all(|(_, core)| core.capacity == 1024),
            "some CPUs have less capacity",
        )?;
        let [node] = specs.as_slice() else {
            return Err("its nodes are not alike");
        };
        let [llc] = node.llcs.as_slice() else {
            return Err("its caches are not alike");
        };
        only(llc.clusters.is_empty(), "its cores are in clusters")?;
        let [core] = llc.cores.as_slice() else {
            return Err("its cores are not alike");
        };
        Ok(format!(
            "node:{} l3:{} core:{} pu:{}",
            node.count, llc.count, core.count, core.pus
        ))
    }

    fn specs(&self) -> Vec<NodeSpec> {
        let nodes = self.nodes.iter().map(|node| NodeSpec {
            count: 1,
            llcs: counted(node.llcs.iter().map(llc_spec), |llc| &mut llc.count),
            memory: node.memory,
        });
        counted(nodes, |node| &mut node.count)
    }

    /// The nodes of each package; nothing where each node is one.
    fn packages(&self) -> Vec<Vec<u32>> {
        let mut packages: Vec<(usize, Vec<u32>)> = Vec::new();
        for (number, node) in (0_u32..).zip(&self.nodes) {
            match packages.iter_mut().find(|(of, _)| *of == node.package) {
                Some((_, nodes)) => nodes.push(number),
                None => packages.push((node.package, vec![number])),
            }
        }
        if packages.iter().all(|(_, nodes)| nodes.len() == 1) {
            return Vec::new();
        }
        packages.into_iter().map(|(_, nodes)| nodes).collect()
    }
}

fn llc_spec(llc: &Llc) -> LlcSpec {
    let cores = |cores: &[Core]| {
        let specs = cores.iter().map(|core| CoreSpec {
            count: 1,
            pus: core.pus,
            capacity: core.capacity,
        });
        counted(specs, |core| &mut core.count)
    };
    let clusters: Vec<&[Core]> = llc.cores.chunk_by(|a, b| a.cluster == b.cluster).collect();
    let clustered = clusters.len() > 1;
    let clusters = clusters.iter().map(|of| ClusterSpec {
        count: 1,
        cores: cores(of),
    });
    LlcSpec {
        count: 1,
        clusters: if clustered {
            counted(clusters, |cluster| &mut cluster.count)
        } else {
            Vec::new()
        },
        cores: if clustered {
            Vec::new()
        } else {
            cores(&llc.cores)
        },
        size: None,
    }
}

/// Alike ones that follow each other, counted.
fn counted<T: PartialEq + Clone>(
    parts: impl Iterator<Item = T>,
    count: fn(&mut T) -> &mut u32,
) -> Vec<T> {
    let mut list: Vec<T> = Vec::new();
    for part in parts {
        let same = list.last().cloned().is_some_and(|mut last| {
            *count(&mut last) = 1;
            last == part
        });
        match list.last_mut().filter(|_| same) {
            Some(last) => *count(last) += 1,
            None => list.push(part),
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::super::tests::drawing;
    use super::*;
    use teeter_machine::{Speed, Topology, presets};

    #[test]
    fn every_preset_comes_back_as_the_same_machine() {
        for preset in presets() {
            let machine = Machine::preset(preset.name);
            let topology = Topology::from_spec(&machine).unwrap();
            let back = Drawing::of(&machine, &topology).machine();
            let mut again = Topology::from_spec(&back).unwrap();
            // Dies of several nodes are not drawn.
            for (cpu, own) in again.cpus.iter_mut().zip(&topology.cpus) {
                cpu.die = own.die;
            }
            assert!(again == topology, "{}", preset.name);
            let speed = |machine, topology| Speed::for_machine(machine, topology).unwrap();
            assert_eq!(speed(&back, &again), speed(&machine, &topology));
        }
    }

    #[test]
    fn words_and_drawing_stay_in_step() {
        let mut drawing = drawing("node:2 l3:1 core:4 pu:2");
        drawing.stretch(&[0, 0], 6);
        assert_eq!(drawing.words(), Err("its nodes are not alike"));
        drawing.stretch(&[1, 0], 6);
        assert_eq!(drawing.words().as_deref(), Ok("node:2 l3:1 core:6 pu:2"));
        drawing.add(&[]);
        drawing.set_pus(&[], 1);
        assert_eq!(drawing.words().as_deref(), Ok("node:3 l3:1 core:6 pu:1"));
        let source = MachineSource::Synthetic("node:3 l3:1 core:6 pu:1".to_owned());
        assert_eq!(drawing.machine().source, source);
    }

    #[test]
    fn what_words_cannot_say_is_told() {
        let changed = |change: &dyn Fn(&mut Drawing)| {
            let mut drawing = drawing("node:2 l3:2 core:4 pu:2");
            change(&mut drawing);
            drawing.words().unwrap_err()
        };
        assert_eq!(
            changed(&|drawing| drawing.set_capacity(&[0], 512)),
            "some CPUs have less capacity"
        );
        let memory = |drawing: &mut Drawing| drop(drawing.add_memory(None));
        assert_eq!(changed(&memory), "a node holds memory only");
        let nodes = |drawing: &mut Drawing| drawing.stretch(&[0, 0], 5);
        assert_eq!(changed(&nodes), "its nodes are not alike");
        let caches = |drawing: &mut Drawing| {
            drawing.stretch(&[0, 0], 5);
            drawing.stretch(&[1, 0], 5);
        };
        assert_eq!(changed(&caches), "its caches are not alike");
        let cores = |drawing: &mut Drawing| {
            for (node, llc) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                drawing.set_pus(&[node, llc, 1], 1);
            }
        };
        assert_eq!(changed(&cores), "its cores are not alike");
    }
}
