//! The machine in parts, and what can be asked of it.

use teeter_scenario::document::{Machine, Numbering};
use teeter_scenario::{Bytes, CpuList};

use super::path::Path;

/// A machine in parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Distances between them.
    pub distances: Vec<Vec<u32>>,
    /// All that is not drawn.
    pub(super) rest: Machine,
}

/// A NUMA node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Its memory, where it is known.
    pub memory: Option<Bytes>,
    /// Its last-level caches; none: it holds memory only.
    pub llcs: Vec<Llc>,
    /// The package it is in, by any number that others of that package have too.
    pub package: usize,
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
    /// Threads that are switched off, a bit each.
    pub off: u64,
    /// Threads outside every sched domain, a bit each.
    pub(super) isolated: u64,
    /// Which cluster of its cache it is in.
    pub(super) cluster: u16,
}

impl Default for Core {
    fn default() -> Self {
        Self {
            pus: 1,
            capacity: 1024,
            off: 0,
            isolated: 0,
            cluster: 0,
        }
    }
}

impl Core {
    /// The same, with all its threads on.
    pub(super) fn awake(self) -> Self {
        Self {
            off: 0,
            isolated: 0,
            ..self
        }
    }

    /// Whether a thread is switched off.
    pub fn is_off(&self, thread: u32) -> bool {
        self.off & bit(thread) != 0
    }
}

/// The bit of a thread; none for one beyond the word.
pub(super) fn bit(thread: u32) -> u64 {
    1_u64.checked_shl(thread).unwrap_or(0)
}

impl Llc {
    pub(super) fn of(cores: usize) -> Self {
        Self {
            cores: vec![Core::default(); cores],
        }
    }
}

impl Drawing {
    /// How many CPUs it has.
    pub fn cpus(&self) -> u32 {
        self.cores().map(|(_, core)| core.pus).sum()
    }

    /// Every core with its place.
    pub fn cores(&self) -> impl Iterator<Item = (Path, &Core)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.flat_map(|(n, node)| {
            let llcs = node.llcs.iter().enumerate();
            llcs.flat_map(move |(l, llc)| {
                let cores = llc.cores.iter().enumerate();
                cores.map(move |(c, core)| (vec![n, l, c], core))
            })
        })
    }

    /// The CPU numbers of every core's threads, core by core, as the kernel will count them.
    pub fn numbers(&self) -> Vec<Vec<u32>> {
        let cores: Vec<u32> = self.cores().map(|(_, core)| core.pus).collect();
        let mut numbers: Vec<Vec<u32>> = vec![Vec::new(); cores.len()];
        let mut next = 0..;
        if self.rest.numbering == Some(Numbering::SiblingsLast) {
            let deepest = cores.iter().copied().max().unwrap_or(0);
            for thread in 0..deepest {
                for (own, _) in numbers
                    .iter_mut()
                    .zip(&cores)
                    .filter(|(_, pus)| **pus > thread)
                {
                    own.extend(next.next());
                }
            }
        } else {
            for (own, pus) in numbers.iter_mut().zip(&cores) {
                own.extend(next.by_ref().take(*pus as usize));
            }
        }
        numbers
    }

    /// The CPUs of the threads that have a bit set in a mask of their core.
    pub(super) fn masked(&self, mask: fn(&Core) -> u64) -> CpuList {
        let numbers = self.numbers();
        let cores = self.cores().zip(&numbers);
        cores
            .flat_map(|((_, core), own)| {
                let threads = (0..).zip(own);
                threads.filter(|(thread, _)| mask(core) & bit(*thread) != 0)
            })
            .map(|(_, cpu)| *cpu)
            .collect()
    }

    /// CPUs that are switched off.
    pub fn offline(&self) -> CpuList {
        self.masked(|core| core.off)
    }

    /// How many parts a part has.
    pub fn size(&self, path: &[usize]) -> usize {
        match *path {
            [] => self.nodes.len(),
            [node] => self.nodes.get(node).map_or(0, |node| node.llcs.len()),
            [node, llc] => self.llc(node, llc).map_or(0, |llc| llc.cores.len()),
            _ => self.core(path).map_or(0, |core| core.pus as usize),
        }
    }

    /// Whether there is such a part.
    pub fn has(&self, path: &[usize]) -> bool {
        path.len() < 4
            && path
                .split_last()
                .is_none_or(|(last, parent)| self.has(parent) && *last < self.size(parent))
    }

    pub(super) fn llc(&self, node: usize, llc: usize) -> Option<&Llc> {
        self.nodes.get(node)?.llcs.get(llc)
    }

    /// The core at a place.
    pub fn core(&self, path: &[usize]) -> Option<&Core> {
        let [node, llc, core] = *path else {
            return None;
        };
        self.llc(node, llc)?.cores.get(core)
    }

    /// What all cores of a part have; `None` where they differ.
    pub fn common(&self, path: &[usize], of: fn(&Core) -> u32) -> Option<u32> {
        let inside = self.cores().filter(|(place, _)| place.starts_with(path));
        let mut values = inside.map(|(_, core)| of(core));
        let first = values.next()?;
        values.all(|value| value == first).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::drawing;
    use super::*;
    use teeter_machine::{Topology, presets};

    #[test]
    fn cpus_are_numbered_as_the_kernel_counts_them() {
        for preset in presets() {
            let machine = Machine::preset(preset.name);
            let topology = Topology::from_spec(&machine).unwrap();
            let drawing = Drawing::of(&machine, &topology);
            let made = Topology::from_spec(&drawing.machine()).unwrap();
            for (core, numbers) in drawing.numbers().iter().enumerate() {
                let own = made.cpu_ids();
                let own = own.filter(|cpu| usize::from(made.cpu(*cpu).core) == core);
                let own: Vec<u32> = own.map(|cpu| u32::from(cpu.0)).collect();
                assert_eq!(*numbers, own, "{} core {core}", preset.name);
            }
        }
    }

    #[test]
    fn only_parts_that_are_there_are_had() {
        let drawing = drawing("node:2 l3:1 core:4 pu:2");
        assert!(drawing.has(&[]) && drawing.has(&[1, 0, 3]));
        assert!(!drawing.has(&[2]) && !drawing.has(&[0, 1]) && !drawing.has(&[0, 0, 0, 0]));
    }
}
