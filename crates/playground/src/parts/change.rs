//! What is done with the parts that are chosen.

use teeter_scenario::{Bytes, CpuList};

use super::drawing::Drawing;
use super::path::{Path, kind, name, several};

/// A change of some parts of a machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A part more, like the last one.
    Add,
    /// A node that holds memory only.
    AddMemory,
    /// A copy of each, after it.
    Duplicate,
    /// Away with them.
    Remove,
    /// One place up (or down) among its siblings.
    Shift(bool),
    /// So many parts.
    Stretch(usize),
    /// So many cores in each cache.
    Cores(usize),
    /// Siblings into a part of their own.
    Group,
    /// Hardware threads of every core.
    Pus(u32),
    /// Capacity of every core, 1024 for the biggest.
    Capacity(u32),
    /// The memory of a node.
    Memory(Option<Bytes>),
    /// Exactly these CPUs off.
    Offline(CpuList),
    /// All CPUs on, or off.
    Switch(bool),
    /// One thread of a core on, or off.
    Thread(u32, bool),
    /// The distance from the chosen node to another.
    Distance(usize, u32),
}

impl Change {
    /// Does it; gives what undo calls it, and what is chosen then.
    pub fn apply(&self, drawing: &mut Drawing, chosen: &[Path]) -> (String, Option<Vec<Path>>) {
        let last = chosen.last().cloned().unwrap_or_default();
        let new = |path: Option<Path>| path.map(|path| vec![path]);
        match self {
            Self::Add => {
                let added = drawing.add(&last);
                (format!("add a {}", kind(last.len() + 1)), new(added))
            }
            Self::AddMemory => {
                let added = drawing.add_memory(last.first().copied());
                ("add a node of memory".to_owned(), new(added))
            }
            Self::Duplicate => {
                let copies = duplicate_all(drawing, chosen);
                let label = format!("duplicate {}", several(chosen));
                (label, (!copies.is_empty()).then_some(copies))
            }
            Self::Remove => {
                let label = format!("remove {}", several(chosen));
                drawing.remove(chosen);
                let parent = last.split_last().map(|(_, parent)| parent.to_vec());
                (label, new(parent))
            }
            Self::Shift(down) => {
                let label = format!("move {}", name(&last));
                (label, new(drawing.shift(&last, *down)))
            }
            Self::Group => {
                let label = format!("group {}", several(chosen));
                (label, new(drawing.group(chosen)))
            }
            Self::Stretch(size) => {
                for path in chosen {
                    drawing.stretch(path, *size);
                }
                (format!("stretch {}", several(chosen)), None)
            }
            Self::Cores(cores) => {
                for path in chosen {
                    drawing.set_cores(path, *cores);
                }
                let label = format!("give the caches of {} {cores} cores", several(chosen));
                (label, None)
            }
            Self::Pus(pus) => {
                for path in chosen {
                    drawing.set_pus(path, *pus);
                }
                let label = format!("give {} {pus} threads a core", several(chosen));
                (label, None)
            }
            Self::Capacity(capacity) => {
                for path in chosen {
                    drawing.set_capacity(path, *capacity);
                }
                (format!("set the capacity of {}", several(chosen)), None)
            }
            Self::Memory(memory) => {
                for path in chosen {
                    if let [node] = **path
                        && let Some(node) = drawing.nodes.get_mut(node)
                    {
                        node.memory = *memory;
                    }
                }
                ("set the memory of a node".to_owned(), None)
            }
            Self::Offline(cpus) => {
                let before = drawing.clone();
                drawing.set_offline(cpus);
                keep_running(drawing, before);
                (format!("switch CPUs {cpus} off"), None)
            }
            Self::Switch(on) => {
                let before = drawing.clone();
                for path in chosen {
                    drawing.switch(path, *on);
                }
                keep_running(drawing, before);
                (format!("switch {} {}", several(chosen), on_off(*on)), None)
            }
            Self::Thread(thread, on) => {
                let before = drawing.clone();
                drawing.switch_thread(&last, *thread, *on);
                keep_running(drawing, before);
                let label = format!("switch thread {thread} of {} {}", name(&last), on_off(*on));
                (label, None)
            }
            Self::Distance(to, distance) => {
                let from = last.first().copied().unwrap_or(0);
                drawing.set_distance(from, *to, *distance);
                let label = format!("set the distance of nodes {from} and {to} to {distance}");
                (label, None)
            }
        }
    }
}

fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// A machine all of whose CPUs are off cannot be: it stays what it was.
fn keep_running(drawing: &mut Drawing, before: Drawing) {
    if !drawing.runs() {
        *drawing = before;
    }
}

/// Copies each; gives the places of the copies.
fn duplicate_all(drawing: &mut Drawing, chosen: &[Path]) -> Vec<Path> {
    let mut paths = chosen.to_vec();
    paths.sort();
    paths.dedup();
    let mut copies: Vec<Path> = Vec::new();
    // The last first, so that places stay what they are; copies made before move up by one.
    for path in paths.iter().rev() {
        if let Some(copy) = drawing.duplicate(path) {
            let depth = copy.len() - 1;
            for other in &mut copies {
                if other.len() > depth
                    && other[..depth] == copy[..depth]
                    && other[depth] >= copy[depth]
                {
                    other[depth] += 1;
                }
            }
            copies.push(copy);
        }
    }
    copies.reverse();
    copies
}

#[cfg(test)]
mod tests {
    use super::super::tests::drawing;
    use super::*;

    #[test]
    fn copies_of_several_are_chosen_then() {
        let mut drawing = drawing("node:1 l3:1 core:3 pu:1");
        drawing.set_capacity(&[0, 0, 0], 100);
        drawing.set_capacity(&[0, 0, 2], 300);
        let chosen = [vec![0, 0, 2], vec![0, 0, 0]];
        let (label, copies) = Change::Duplicate.apply(&mut drawing, &chosen);
        assert_eq!(label, "duplicate 2 parts");
        assert_eq!(copies, Some(vec![vec![0, 0, 1], vec![0, 0, 4]]));
        let capacities: Vec<u32> = drawing.cores().map(|(_, core)| core.capacity).collect();
        assert_eq!(capacities, [100, 100, 1024, 300, 300]);
    }

    #[test]
    fn the_last_cpu_that_is_on_stays_on() {
        let mut drawing = drawing("node:1 l3:1 core:2 pu:1");
        let before = drawing.clone();
        Change::Switch(false).apply(&mut drawing, &[vec![]]);
        assert_eq!(drawing, before);
        Change::Offline(CpuList::range(0, 1)).apply(&mut drawing, &[vec![]]);
        assert_eq!(drawing, before);
        Change::Thread(0, false).apply(&mut drawing, &[vec![0, 0, 1]]);
        assert_eq!(drawing.offline().to_string(), "1");
    }
}
