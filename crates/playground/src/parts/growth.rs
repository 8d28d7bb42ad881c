//! Parts that come and go.

use teeter_scenario::{Bytes, limits};

use super::drawing::{Core, Drawing, Llc, Node};
use super::path::Path;

/// Hardware threads that a core may be stretched to.
const PUS: usize = 8;

impl Drawing {
    /// Whether it is no larger than a machine may be.
    pub fn fits(&self) -> bool {
        self.cpus() <= limits::CPUS && self.nodes.len() <= limits::NODES
    }

    /// Adds a part to another: a node to the machine, a cache to a node, a core to a cache, each like its last
    /// sibling. Gives its place; `None` where there is no room for more.
    pub fn add(&mut self, to: &[usize]) -> Option<Path> {
        let before = self.clone();
        let added = match *to {
            [] => {
                let like = self.nodes.iter().rev().find(|node| !node.llcs.is_empty());
                let node = like.cloned().unwrap_or_else(|| Node {
                    llcs: vec![Llc::of(4)],
                    ..Node::default()
                });
                vec![self.add_node(self.nodes.len(), node, None)]
            }
            [node] => {
                let llcs = &mut self.nodes.get_mut(node)?.llcs;
                let llc = llcs.last().map_or_else(|| Llc::of(4), awake);
                llcs.push(llc);
                vec![node, llcs.len() - 1]
            }
            [node, llc, ..] => {
                let cores = &mut self.nodes.get_mut(node)?.llcs.get_mut(llc)?.cores;
                let core = cores.last().copied().unwrap_or_default();
                cores.push(core.awake());
                vec![node, llc, cores.len() - 1]
            }
        };
        if self.fits() {
            Some(added)
        } else {
            *self = before;
            None
        }
    }

    /// Adds a node that holds memory only, after another or last. Gives its place.
    pub fn add_memory(&mut self, after: Option<usize>) -> Option<Path> {
        if self.nodes.len() >= limits::NODES {
            return None;
        }
        let at = after.map_or(self.nodes.len(), |node| node + 1);
        let at = at.min(self.nodes.len());
        let node = Node {
            memory: Some(Bytes::from_gb(64)),
            ..Node::default()
        };
        Some(vec![self.add_node(at, node, None)])
    }

    /// Puts a node there, in a package of its own unless the one it is like shares a package.
    fn add_node(&mut self, at: usize, node: Node, like: Option<usize>) -> usize {
        let shared = self
            .nodes
            .iter()
            .filter(|other| other.package == node.package);
        let package = if like.is_some() && shared.count() > 1 {
            node.package
        } else {
            let used = self.nodes.iter().map(|node| node.package);
            used.max().map_or(0, |most| most + 1)
        };
        let mut node = Node { package, ..node };
        for core in node.llcs.iter_mut().flat_map(|llc| &mut llc.cores) {
            *core = core.awake();
        }
        self.insert_distances(at, like);
        self.nodes.insert(at, node);
        at
    }

    /// Puts a copy of a part after it, all its CPUs on. Gives the copy's place; `None` where there is no room.
    pub fn duplicate(&mut self, path: &[usize]) -> Option<Path> {
        let before = self.clone();
        let copied = match *path {
            [node] => {
                let copy = self.nodes.get(node)?.clone();
                vec![self.add_node(node + 1, copy, Some(node))]
            }
            [node, llc] => {
                let llcs = &mut self.nodes.get_mut(node)?.llcs;
                let copy = awake(llcs.get(llc)?);
                llcs.insert(llc + 1, copy);
                vec![node, llc + 1]
            }
            [node, llc, core] => {
                let cores = &mut self.nodes.get_mut(node)?.llcs.get_mut(llc)?.cores;
                let copy = cores.get(core)?.awake();
                cores.insert(core + 1, copy);
                vec![node, llc, core + 1]
            }
            _ => return None,
        };
        if self.fits() {
            Some(copied)
        } else {
            *self = before;
            None
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
                    self.remove_distances(node);
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
            if !self.runs() {
                *self = before;
            }
        }
    }

    /// Whether a CPU is left that is on.
    pub(super) fn runs(&self) -> bool {
        let on = |core: &Core| (0..core.pus).any(|thread| !core.is_off(thread));
        self.cores().any(|(_, core)| on(core))
    }

    /// Stretches a part to so many parts: the last one is repeated, or taken away. Of a core: its threads.
    pub fn stretch(&mut self, path: &[usize], size: usize) {
        if path.len() == 3 {
            self.set_pus(path, size.clamp(1, PUS) as u32);
            return;
        }
        let size = size.clamp(1, limits::CPUS as usize);
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

    /// Stretches every cache of a part to so many cores.
    pub fn set_cores(&mut self, path: &[usize], cores: usize) {
        for node in 0..self.nodes.len() {
            for llc in 0..self.size(&[node]) {
                if [node, llc].starts_with(path) {
                    self.stretch(&[node, llc], cores);
                }
            }
        }
    }
}

fn awake(llc: &Llc) -> Llc {
    Llc {
        cores: llc.cores.iter().map(|core| core.awake()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::drawing;
    use super::*;
    use teeter_machine::Topology;
    use teeter_scenario::CpuList;
    use teeter_scenario::document::Machine;

    #[test]
    fn irregular_machines_can_be_built() {
        let mut drawing = drawing("node:2 l3:2 core:2 pu:2");
        drawing.set_capacity(&[1], 512);
        assert_eq!(drawing.add_memory(None), Some(vec![2]));
        drawing.remove(&[vec![0, 0, 0], vec![0, 1]]);
        drawing.set_distance(0, 2, 30);
        drawing.set_offline(&CpuList::range(1, 1));
        let topology = Topology::from_spec(&drawing.machine()).unwrap();
        assert_eq!(topology.cpus.len(), 10);
        assert_eq!(topology.nodes.len(), 3);
        assert!(topology.nodes[2].is_empty());
        assert_eq!(topology.online.len(), 9);
        assert_eq!(topology.cpus[9].capacity, 512);
        assert_eq!(topology.distances[2], 30);
    }

    #[test]
    fn the_last_cpu_stays() {
        let mut drawing = drawing("node:1 l3:1 core:2 pu:1");
        drawing.remove(&[vec![0, 0, 0], vec![0, 0, 1]]);
        assert_eq!(drawing.cpus(), 1);
        drawing.remove(&[vec![0]]);
        assert_eq!(drawing.cpus(), 1);
    }

    #[test]
    fn a_cpu_that_is_off_stays_so_whatever_is_added_before_it() {
        let mut drawing = drawing("node:2 l3:1 core:2 pu:2");
        drawing.set_offline(&CpuList::range(6, 6));
        drawing.stretch(&[0, 0], 5);
        assert_eq!(drawing.offline(), CpuList::range(12, 12));
        assert_eq!(drawing.duplicate(&[1]), Some(vec![2]));
        assert_eq!(drawing.offline(), CpuList::range(12, 12), "copies are on");
    }

    #[test]
    fn no_machine_grows_beyond_what_one_may_have() {
        let mut drawing = drawing("node:1 l3:1 core:4 pu:1");
        drawing.stretch(&[0, 0], 9_999);
        assert_eq!(drawing.cpus(), 1_024);
        assert_eq!(drawing.duplicate(&[0]), None);
        assert!(Topology::from_spec(&drawing.machine()).is_ok());
    }

    #[test]
    fn a_copied_node_is_in_the_package_only_where_packages_have_several() {
        let preset = |name: &str| {
            let machine = Machine::preset(name);
            Drawing::of(&machine, &Topology::from_spec(&machine).unwrap())
        };
        let mut shared = preset("snc3-2s");
        shared.duplicate(&[0]);
        assert_eq!(shared.machine().packages, [vec![0, 1, 2, 3], vec![4, 5, 6]]);
        let mut own = preset("haswell-2s");
        own.duplicate(&[0]);
        assert!(own.machine().packages.is_empty());
    }
}
