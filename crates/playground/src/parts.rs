//! A machine as it is drawn: nodes, last-level caches and cores, each by itself, to be added, copied, moved,
//! stretched and taken away. Pure.

use teeter_machine::{CpuSet, Topology};
use teeter_scenario::document::{
    ClusterSpec, CoreSpec, LlcSpec, Machine, MachineSource, NodeSpec, Numbering,
};
use teeter_scenario::{Bytes, CpuList};

/// Distance to a node where nothing else is known, as the kernel has it.
const REMOTE: u32 = 20;
/// Distance of a node to itself.
const LOCAL: u32 = 10;

/// Where a part is: nothing for the machine; a node; a cache of a node; a core of that.
pub type Path = Vec<usize>;

/// A machine in parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Distances between them.
    pub distances: Vec<Vec<u32>>,
    /// All that is not drawn.
    rest: Machine,
}

/// A NUMA node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Its memory, where it is known.
    pub memory: Option<Bytes>,
    /// Its last-level caches; none: it holds memory only.
    pub llcs: Vec<Llc>,
}

/// Cores that share a last-level cache.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Llc {
    /// Its cores.
    pub cores: Vec<Core>,
}

/// A core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Core {
    /// Hardware threads.
    pub pus: u32,
    /// 1024 for the biggest.
    pub capacity: u32,
    /// Which cluster of its cache it is in.
    cluster: u16,
}

impl Drawing {
    /// A machine taken apart.
    pub fn of(machine: &Machine, topology: &Topology) -> Self {
        let described = topology.describe();
        let memory = |node: usize| topology.memory.get(node).copied().flatten();
        let nodes = topology.nodes.iter().enumerate();
        let count = topology.nodes.len();
        let distances = topology.distances.chunks(count.max(1));
        let drawing = Self {
            nodes: nodes
                .map(|(number, cpus)| Node {
                    memory: memory(number),
                    llcs: llcs(topology, cpus),
                })
                .collect(),
            distances: distances
                .map(|row| row.iter().map(|&distance| u32::from(distance)).collect())
                .collect(),
            rest: Machine {
                speed: machine.speed.clone(),
                offline: described.offline,
                isolcpus: described.isolcpus,
                asym_packing: described.asym_packing,
                reclaim_distance: described.reclaim_distance,
                ..Machine::new(MachineSource::Nodes(Vec::new()))
            },
        };
        drawing.numbered_as(topology)
    }

    /// With that rule of numbering, of the two there are, which numbers its CPUs as this machine's are; if
    /// neither does, they get new numbers.
    fn numbered_as(mut self, topology: &Topology) -> Self {
        for numbering in [None, Some(Numbering::SiblingsLast)] {
            self.rest.numbering = numbering;
            let alike = |made: &Topology| {
                let mut cpus = made.cpus.iter().zip(&topology.cpus);
                cpus.all(|(a, b)| (a.core, a.llc, a.node) == (b.core, b.llc, b.node))
            };
            if Topology::from_spec(&self.machine()).is_ok_and(|made| alike(&made)) {
                return self;
            }
        }
        self.rest.numbering = None;
        self
    }

    /// The machine put together again: in words where words can say it.
    pub fn machine(&self) -> Machine {
        let cpus = self.cpus();
        let within = |list: &CpuList| list.iter().filter(|cpu| *cpu < cpus).collect();
        let is_default = self.distances.iter().enumerate().all(|(from, row)| {
            let mut row = row.iter().enumerate();
            row.all(|(to, distance)| *distance == if from == to { LOCAL } else { REMOTE })
        });
        let source = match self.words() {
            Some(words) => MachineSource::Synthetic(words),
            None => MachineSource::Nodes(self.specs()),
        };
        Machine {
            source,
            distances: (!is_default).then(|| self.distances.clone()),
            offline: within(&self.rest.offline),
            isolcpus: within(&self.rest.isolcpus),
            ..self.rest.clone()
        }
    }

    /// How many CPUs it has.
    pub fn cpus(&self) -> u32 {
        let cores = self.nodes.iter().flat_map(|node| &node.llcs);
        cores.flat_map(|llc| &llc.cores).map(|core| core.pus).sum()
    }

    /// The machine as an hwloc synthetic description, if all its parts are alike.
    pub fn words(&self) -> Option<String> {
        let first = self.nodes.first()?;
        let llc = first.llcs.first()?;
        let core = llc.cores.first()?;
        let alike = self.nodes.iter().all(|node| node == first)
            && first.memory.is_none()
            && first.llcs.iter().all(|other| other == llc)
            && llc.cores.iter().all(|other| other == core)
            && core.capacity == 1024;
        let words = format!(
            "node:{} l3:{} core:{} pu:{}",
            self.nodes.len(),
            first.llcs.len(),
            llc.cores.len(),
            core.pus
        );
        alike.then_some(words)
    }

    fn specs(&self) -> Vec<NodeSpec> {
        let nodes = self.nodes.iter().map(|node| NodeSpec {
            count: 1,
            llcs: counted(node.llcs.iter().map(llc_spec), |llc| &mut llc.count),
            memory: node.memory,
        });
        counted(nodes, |node| &mut node.count)
    }

    /// Adds a part to another: a node to the machine, a cache to a node, a core to a cache, each like its last
    /// sibling. Gives its place.
    pub fn add(&mut self, to: &[usize]) -> Option<Path> {
        match *to {
            [] => {
                let like = self.nodes.iter().rev().find(|node| !node.llcs.is_empty());
                let node = like.cloned().unwrap_or_else(|| Node {
                    memory: None,
                    llcs: vec![Llc::of(4)],
                });
                Some(vec![self.add_node(self.nodes.len(), node)])
            }
            [node] => {
                let llcs = &mut self.nodes.get_mut(node)?.llcs;
                let llc = llcs.last().cloned().unwrap_or_else(|| Llc::of(4));
                llcs.push(llc);
                Some(vec![node, llcs.len() - 1])
            }
            [node, llc, ..] => {
                let cores = &mut self.nodes.get_mut(node)?.llcs.get_mut(llc)?.cores;
                let core = cores.last().copied().unwrap_or_default();
                cores.push(core);
                Some(vec![node, llc, cores.len() - 1])
            }
        }
    }

    /// Adds a node that holds memory only.
    pub fn add_memory(&mut self) -> Path {
        let node = Node {
            memory: Some(Bytes::from_gb(64)),
            llcs: Vec::new(),
        };
        vec![self.add_node(self.nodes.len(), node)]
    }

    fn add_node(&mut self, at: usize, node: Node) -> usize {
        self.nodes.insert(at, node);
        for row in &mut self.distances {
            row.insert(at, REMOTE);
        }
        let mut row = vec![REMOTE; self.nodes.len()];
        row[at] = LOCAL;
        self.distances.insert(at, row);
        at
    }

    /// Puts a copy of a part after it. Gives the copy's place.
    pub fn duplicate(&mut self, path: &[usize]) -> Option<Path> {
        match *path {
            [node] => {
                let copy = self.nodes.get(node)?.clone();
                let old: Vec<u32> = self.distances.get(node)?.clone();
                let at = self.add_node(node + 1, copy);
                // As far from all others as what it is a copy of.
                for (other, distance) in old.iter().enumerate().filter(|(other, _)| *other != node)
                {
                    let other = other + usize::from(other > node);
                    self.distances[at][other] = *distance;
                    self.distances[other][at] = *distance;
                }
                Some(vec![at])
            }
            [node, llc] => {
                let llcs = &mut self.nodes.get_mut(node)?.llcs;
                let copy = llcs.get(llc)?.clone();
                llcs.insert(llc + 1, copy);
                Some(vec![node, llc + 1])
            }
            [node, llc, core] => {
                let cores = &mut self.nodes.get_mut(node)?.llcs.get_mut(llc)?.cores;
                let copy = *cores.get(core)?;
                cores.insert(core + 1, copy);
                Some(vec![node, llc, core + 1])
            }
            _ => None,
        }
    }

    /// Takes parts away, all at once; those that the last CPU would go with stay.
    pub fn remove(&mut self, paths: &[Path]) {
        let mut paths = paths.to_vec();
        // The last first, so that places stay what they are.
        paths.sort();
        for path in paths.iter().rev() {
            let before = self.clone();
            match **path {
                [node] if node < self.nodes.len() => {
                    self.nodes.remove(node);
                    self.distances.remove(node);
                    for row in &mut self.distances {
                        row.remove(node);
                    }
                }
                [node, llc] => {
                    if let Some(node) = self.nodes.get_mut(node)
                        && llc < node.llcs.len()
                    {
                        node.llcs.remove(llc);
                    }
                }
                [node, llc, core] => {
                    if let Some(llcs) = self.nodes.get_mut(node).map(|node| &mut node.llcs)
                        && let Some(of) = llcs.get_mut(llc)
                        && core < of.cores.len()
                    {
                        of.cores.remove(core);
                        if of.cores.is_empty() {
                            llcs.remove(llc);
                        }
                    }
                }
                _ => {}
            }
            if self.cpus() == 0 {
                *self = before;
            }
        }
    }

    /// Moves a part among its siblings. Gives its new place.
    pub fn shift(&mut self, path: &[usize], down: bool) -> Option<Path> {
        let (&last, parent) = path.split_last()?;
        let to = if down { last + 1 } else { last.checked_sub(1)? };
        match *parent {
            [] if to < self.nodes.len() => {
                self.nodes.swap(last, to);
                self.distances.swap(last, to);
                for row in &mut self.distances {
                    row.swap(last, to);
                }
            }
            [node] if to < self.nodes.get(node)?.llcs.len() => {
                self.nodes[node].llcs.swap(last, to);
            }
            [node, llc] if to < self.nodes.get(node)?.llcs.get(llc)?.cores.len() => {
                self.nodes[node].llcs[llc].cores.swap(last, to);
            }
            _ => return None,
        }
        Some(parent.iter().copied().chain([to]).collect())
    }

    /// How many parts a part has.
    pub fn size(&self, path: &[usize]) -> usize {
        match *path {
            [] => self.nodes.len(),
            [node] => self.nodes.get(node).map_or(0, |node| node.llcs.len()),
            [node, llc] => {
                let llc = self.nodes.get(node).and_then(|node| node.llcs.get(llc));
                llc.map_or(0, |llc| llc.cores.len())
            }
            _ => self.core(path).map_or(0, |core| core.pus as usize),
        }
    }

    /// Stretches a part to so many parts: the last one is repeated, or taken away. Of a core: its threads.
    pub fn stretch(&mut self, path: &[usize], size: usize) {
        let size = size.clamp(1, 1024);
        if let [node, llc, core] = *path {
            let cores = self
                .nodes
                .get_mut(node)
                .and_then(|node| node.llcs.get_mut(llc));
            if let Some(core) = cores.and_then(|llc| llc.cores.get_mut(core)) {
                core.pus = size.min(8) as u32;
            }
            return;
        }
        while self.size(path) < size {
            if self.add(path).is_none() {
                return;
            }
        }
        while self.size(path) > size {
            let last: Path = path.iter().copied().chain([self.size(path) - 1]).collect();
            let before = self.size(path);
            self.remove(&[last]);
            if self.size(path) == before {
                return;
            }
        }
    }

    fn core(&self, path: &[usize]) -> Option<Core> {
        let [node, llc, core] = *path else {
            return None;
        };
        self.nodes
            .get(node)?
            .llcs
            .get(llc)?
            .cores
            .get(core)
            .copied()
    }

    fn each_core(&mut self, path: &[usize], mut change: impl FnMut(&mut Core)) {
        for (n, node) in self.nodes.iter_mut().enumerate() {
            for (l, llc) in node.llcs.iter_mut().enumerate() {
                for (c, core) in llc.cores.iter_mut().enumerate() {
                    if [n, l, c].starts_with(path) {
                        change(core);
                    }
                }
            }
        }
    }

    /// What all cores of a part have; `None` where they differ.
    pub fn common(&self, path: &[usize], of: fn(&Core) -> u32) -> Option<u32> {
        let mut drawing = self.clone();
        let mut values = Vec::new();
        drawing.each_core(path, |core| values.push(of(core)));
        let first = *values.first()?;
        values.iter().all(|value| *value == first).then_some(first)
    }

    /// Hardware threads of every core of a part.
    pub fn set_pus(&mut self, path: &[usize], pus: u32) {
        self.each_core(path, |core| core.pus = pus);
    }

    /// Capacity of every core of a part.
    pub fn set_capacity(&mut self, path: &[usize], capacity: u32) {
        self.each_core(path, |core| core.capacity = capacity);
    }

    /// CPUs that are switched off.
    pub fn offline(&self) -> &CpuList {
        &self.rest.offline
    }

    /// Switches CPUs off.
    pub fn set_offline(&mut self, offline: CpuList) {
        self.rest.offline = offline;
    }

    /// The distance between two nodes, both ways.
    pub fn set_distance(&mut self, from: usize, to: usize, distance: u32) {
        for (from, to) in [(from, to), (to, from)] {
            if let Some(place) = self.distances.get_mut(from).and_then(|row| row.get_mut(to)) {
                *place = distance;
            }
        }
    }
}

impl Llc {
    fn of(cores: usize) -> Self {
        Self {
            cores: vec![Core::default(); cores],
        }
    }
}

impl Default for Core {
    fn default() -> Self {
        Self {
            pus: 1,
            capacity: 1024,
            cluster: 0,
        }
    }
}

fn llcs(topology: &Topology, cpus: &CpuSet) -> Vec<Llc> {
    // Numbers of the caches and cores met so far, beside what they became.
    let mut llcs: Vec<(u16, Vec<(u16, Core)>)> = Vec::new();
    for cpu in cpus.iter().map(|cpu| topology.cpu(cpu)) {
        let at = llcs.iter().position(|(number, _)| *number == cpu.llc);
        let at = at.unwrap_or_else(|| {
            llcs.push((cpu.llc, Vec::new()));
            llcs.len() - 1
        });
        let cores = &mut llcs[at].1;
        match cores.iter_mut().find(|(number, _)| *number == cpu.core) {
            Some((_, core)) => core.pus += 1,
            None => cores.push((
                cpu.core,
                Core {
                    pus: 1,
                    capacity: cpu.capacity,
                    cluster: cpu.cluster,
                },
            )),
        }
    }
    let llc = |(_, cores): (u16, Vec<(u16, Core)>)| {
        let mut cores: Vec<Core> = cores.into_iter().map(|(_, core)| core).collect();
        let first = cores.first().map_or(0, |core| core.cluster);
        // Clusters are counted from the cache's first; where each core is its own there are none.
        let alone = cores
            .windows(2)
            .all(|pair| pair[0].cluster != pair[1].cluster);
        for core in &mut cores {
            core.cluster = if alone { 0 } else { core.cluster - first };
        }
        Llc { cores }
    };
    llcs.into_iter().map(llc).collect()
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
    use teeter_machine::presets;

    use super::*;

    fn drawing(words: &str) -> Drawing {
        let machine = Machine::new(MachineSource::Synthetic(words.to_owned()));
        Drawing::of(&machine, &Topology::from_spec(&machine).unwrap())
    }

    #[test]
    fn every_preset_comes_back_as_the_same_machine() {
        for preset in presets() {
            let machine = Machine::preset(preset.name);
            let topology = Topology::from_spec(&machine).unwrap();
            let back = Drawing::of(&machine, &topology).machine();
            let mut again = Topology::from_spec(&back).unwrap();
            // Packages of several nodes are not drawn.
            for (cpu, own) in again.cpus.iter_mut().zip(&topology.cpus) {
                (cpu.package, cpu.die) = (own.package, own.die);
            }
            assert_eq!(again, topology, "{}", preset.name);
        }
    }

    #[test]
    fn words_and_drawing_stay_in_step() {
        let mut drawing = drawing("node:2 l3:1 core:4 pu:2");
        drawing.stretch(&[0, 0], 6);
        assert_eq!(drawing.words(), None, "one node is larger");
        drawing.stretch(&[1, 0], 6);
        assert_eq!(drawing.words().as_deref(), Some("node:2 l3:1 core:6 pu:2"));
        drawing.add(&[]);
        drawing.set_pus(&[], 1);
        assert_eq!(drawing.words().as_deref(), Some("node:3 l3:1 core:6 pu:1"));
        let source = MachineSource::Synthetic("node:3 l3:1 core:6 pu:1".to_owned());
        assert_eq!(drawing.machine().source, source);
    }

    #[test]
    fn irregular_machines_can_be_built() {
        let mut drawing = drawing("node:2 l3:2 core:2 pu:2");
        drawing.set_capacity(&[1], 512);
        let memory = drawing.add_memory();
        assert_eq!(memory, [2]);
        drawing.remove(&[vec![0, 0, 0], vec![0, 1]]);
        drawing.set_distance(0, 2, 30);
        drawing.set_offline(CpuList::range(1, 1));
        let topology = Topology::from_spec(&drawing.machine()).unwrap();
        assert_eq!(topology.cpus.len(), 10);
        assert_eq!(topology.nodes.len(), 3);
        assert!(topology.nodes[2].is_empty());
        assert_eq!(topology.online.len(), 9);
        assert_eq!(topology.cpus[9].capacity, 512);
        assert_eq!(topology.distances[2], 30);
    }

    #[test]
    fn copies_are_as_far_away_as_what_they_were_made_of() {
        let mut drawing = drawing("node:3 l3:1 core:1 pu:1");
        drawing.set_distance(0, 1, 12);
        drawing.set_distance(1, 2, 31);
        assert_eq!(drawing.duplicate(&[1]), Some(vec![2]));
        assert_eq!(drawing.distances[2], [12, 20, 10, 31]);
        assert_eq!(drawing.distances[0], [10, 12, 12, 20]);
        assert_eq!(drawing.shift(&[0], true), Some(vec![1]));
        assert_eq!(drawing.distances[1], [12, 10, 12, 20]);
        assert_eq!(drawing.shift(&[0], false), None);
    }

    #[test]
    fn the_last_cpu_stays() {
        let mut drawing = drawing("node:1 l3:1 core:2 pu:1");
        drawing.remove(&[vec![0, 0, 0], vec![0, 0, 1]]);
        assert_eq!(drawing.cpus(), 1);
        drawing.remove(&[vec![0]]);
        assert_eq!(drawing.cpus(), 1);
    }
}
