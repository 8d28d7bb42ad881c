//! The picture of a machine that is edited: where each part lies, and what lies at a point. Pure, in CSS pixels.

use super::arrangement::{Arrangement, Counts, thread};
use super::rect::Rect;
use crate::parts::{Drawing, Path};

/// Height of the words above the cores of a cache.
pub const STRIP: f64 = 18.0;

/// Where each part lies, nodes before their caches before the cores of those.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Every part but the machine.
    pub parts: Vec<(Path, Rect)>,
    /// The CPU numbers of each core, in the order of the cores.
    pub numbers: Vec<Vec<u32>>,
}

impl Plan {
    /// Lays a drawing out in a picture of `width` by `height`.
    pub fn new(drawing: &Drawing, width: f64, height: f64) -> Self {
        let counts: Counts = drawing
            .nodes
            .iter()
            .map(|node| {
                let cores = node.llcs.iter().map(|llc| &llc.cores);
                cores
                    .map(|cores| cores.iter().map(|core| core.pus as usize).collect())
                    .collect()
            })
            .collect();
        let areas = Arrangement::new(&counts, width, height, STRIP);
        let mut parts = Vec::new();
        for (n, node) in areas.nodes.iter().enumerate() {
            parts.push((vec![n], node.rect));
            for (l, llc) in node.llcs.iter().enumerate() {
                parts.push((vec![n, l], llc.rect));
                let cores = llc.cores.iter().enumerate();
                parts.extend(cores.map(|(c, rect)| (vec![n, l, c], *rect)));
            }
        }
        Self {
            parts,
            numbers: drawing.numbers(),
        }
    }

    /// Where a part lies.
    pub fn rect(&self, path: &[usize]) -> Option<Rect> {
        let found = self.parts.iter().find(|(place, _)| place == path);
        found.map(|(_, rect)| *rect)
    }

    /// Each CPU's cell, by number.
    pub fn cells(&self) -> Vec<Rect> {
        let count = self.numbers.iter().map(Vec::len).sum();
        let mut cells = vec![Rect::default(); count];
        let cores = self.parts.iter().filter(|(path, _)| path.len() == 3);
        for ((_, core), cpus) in cores.zip(&self.numbers) {
            for (place, cpu) in cpus.iter().enumerate() {
                if let Some(cell) = cells.get_mut(*cpu as usize) {
                    *cell = thread(core, cpus.len(), place);
                }
            }
        }
        cells
    }

    /// The smallest part at a point that is no deeper than `depth`; the machine where there is none.
    pub fn at(&self, x: f64, y: f64, depth: usize) -> Path {
        let inside = self
            .parts
            .iter()
            .filter(|(path, rect)| path.len() <= depth && rect.contains(x, y));
        let deepest = inside.max_by_key(|(path, _)| path.len());
        deepest.map_or_else(Path::new, |(path, _)| path.clone())
    }

    /// The parts in a lasso: the largest that lie wholly in it.
    pub fn within(&self, lasso: &Rect) -> Vec<Path> {
        let mut found: Vec<Path> = Vec::new();
        for (path, rect) in &self.parts {
            let known = found.iter().any(|larger| path.starts_with(larger));
            if !known && lasso.holds(rect) {
                found.push(path.clone());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_machine::Topology;
    use teeter_scenario::document::{Machine, MachineSource};

    fn plan(words: &str, change: impl Fn(&mut Drawing)) -> Plan {
        let machine = Machine::new(MachineSource::Synthetic(words.to_owned()));
        let mut drawing = Drawing::of(&machine, &Topology::from_spec(&machine).unwrap());
        change(&mut drawing);
        Plan::new(&drawing, 800.0, 500.0)
    }

    #[test]
    fn every_part_is_found_where_it_lies() {
        let plan = plan("node:2 l3:2 core:4 pu:2", |drawing| {
            drawing.add_memory(None);
            drawing.stretch(&[0, 1], 7);
        });
        assert_eq!(plan.parts.len(), 3 + 4 + 4 * 4 + 3);
        for (path, rect) in plan.parts.iter().filter(|(path, _)| path.len() == 3) {
            let (x, y) = rect.centre();
            assert_eq!(plan.at(x, y, 3), *path);
            assert_eq!(plan.at(x, y, 1), path[..1]);
        }
        let memory = plan.rect(&[2]).unwrap();
        assert_eq!(plan.at(memory.centre().0, memory.centre().1, 3), [2]);
        assert_eq!(plan.at(-5.0, 3.0, 3), Path::new());
        assert_eq!(plan.numbers.concat().len(), 38);
    }

    #[test]
    fn a_lasso_takes_the_largest_parts_in_it() {
        let plan = plan("node:2 l3:2 core:4 pu:2", |_| ());
        let around = |path: &[usize]| plan.rect(path).unwrap().inset(-1.0);
        assert_eq!(plan.within(&around(&[1])), [vec![1]]);
        assert_eq!(plan.within(&around(&[0, 1])), [vec![0, 1]]);
        assert_eq!(plan.within(&around(&[0, 1, 2])), [vec![0, 1, 2]]);
        assert_eq!(plan.within(&Rect::default()), Vec::<Path>::new());
    }
}
