//! A machine's picture: where its nodes, caches and CPUs lie, and what lies at a point. Pure, in CSS pixels.

use teeter_machine::{CpuId, NodeId, Topology};

use super::arrangement::{Arrangement, Counts, THREAD_GAP, thread};
use super::rect::Rect;
use crate::spot::Spot;

/// The picture's parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Nodes, with the CPUs of each.
    pub nodes: Vec<NodeBox>,
    /// Last-level caches with their numbers, where a node has several.
    pub llcs: Vec<(u16, Rect)>,
    /// Each CPU's cell, by number.
    pub cells: Vec<Rect>,
}

/// A node's box.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeBox {
    /// Which node.
    pub node: NodeId,
    /// Its CPUs; none: it holds memory only.
    pub cpus: Vec<CpuId>,
    /// The box, header and all.
    pub rect: Rect,
}

/// A last-level cache with its number: the CPUs of each of its cores, in order.
type Llc = (u16, Vec<(u16, Vec<CpuId>)>);

/// Lays a machine out in a picture of `width` by `height`.
pub fn lay_out(topology: &Topology, width: f64, height: f64) -> Layout {
    let nodes = shape(topology);
    let threads = |(_, cpus): &(u16, Vec<CpuId>)| cpus.len();
    let cores = |(_, cores): &Llc| cores.iter().map(threads).collect();
    let counts: Counts = nodes
        .iter()
        .map(|llcs| llcs.iter().map(cores).collect())
        .collect();
    let areas = Arrangement::new(&counts, width, height, 0.0);
    let mut layout = Layout {
        cells: vec![Rect::default(); topology.cpus.len()],
        ..Layout::default()
    };
    for (number, (llcs, area)) in (0..).zip(nodes.iter().zip(&areas.nodes)) {
        for ((number, cores), area) in llcs.iter().zip(&area.llcs) {
            if llcs.len() > 1 {
                layout.llcs.push((*number, area.rect));
            }
            for ((_, cpus), area) in cores.iter().zip(&area.cores) {
                for (place, cpu) in cpus.iter().enumerate() {
                    layout.cells[cpu.index()] = thread(area, cpus.len(), place);
                }
            }
        }
        let cores = llcs.iter().flat_map(|(_, cores)| cores);
        layout.nodes.push(NodeBox {
            node: NodeId(number),
            cpus: cores.flat_map(|(_, cpus)| cpus).copied().collect(),
            rect: area.rect,
        });
    }
    layout
}

impl Layout {
    /// The CPU at a point.
    pub fn hit(&self, x: f64, y: f64) -> Option<CpuId> {
        let slack = THREAD_GAP / 2.0;
        let index = self
            .cells
            .iter()
            .position(|cell| cell.w > 0.0 && cell.inset(-slack).contains(x, y))?;
        Some(CpuId(index as u16))
    }

    /// The smallest place at a point where tasks can be put: a CPU, else a cache, else a node with CPUs.
    pub fn spot(&self, x: f64, y: f64) -> Option<Spot> {
        if let Some(cpu) = self.hit(x, y) {
            return Some(Spot::Cpu(cpu));
        }
        let llc = self.llcs.iter().find(|(_, rect)| rect.contains(x, y));
        if let Some((number, _)) = llc {
            return Some(Spot::Llc(*number));
        }
        let mut nodes = self.nodes.iter().filter(|node| !node.cpus.is_empty());
        let node = nodes.find(|node| node.rect.contains(x, y))?;
        Some(Spot::Node(node.node))
    }
}

/// Each node's caches, by the numbers of their CPUs.
fn shape(topology: &Topology) -> Vec<Vec<Llc>> {
    let mut nodes: Vec<Vec<Llc>> = vec![Vec::new(); topology.nodes.len()];
    for id in topology.cpu_ids() {
        let cpu = topology.cpu(id);
        if let Some(llcs) = nodes.get_mut(cpu.node.index()) {
            entry(entry(llcs, cpu.llc), cpu.core).push(id);
        }
    }
    nodes
}

fn entry<K: PartialEq, V: Default>(list: &mut Vec<(K, V)>, key: K) -> &mut V {
    let found = list.iter().position(|(known, _)| *known == key);
    let index = found.unwrap_or_else(|| {
        list.push((key, V::default()));
        list.len() - 1
    });
    &mut list[index].1
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::{Machine, MachineSource};

    fn machine(synthetic: &str) -> Topology {
        let machine = Machine::new(MachineSource::Synthetic(synthetic.to_owned()));
        Topology::from_spec(&machine).unwrap()
    }

    fn apart(a: &Rect, b: &Rect) -> bool {
        a.x + a.w <= b.x + 1e-9
            || b.x + b.w <= a.x + 1e-9
            || a.y + a.h <= b.y + 1e-9
            || b.y + b.h <= a.y + 1e-9
    }

    #[test]
    fn every_cpu_has_a_cell_of_its_own_inside_the_picture() {
        for synthetic in [
            "node:4 l3:1 core:10 pu:2",
            "node:1 core:4 pu:2",
            "node:2 l3:8 core:8 pu:2",
            "core:1 pu:1",
        ] {
            let layout = lay_out(&machine(synthetic), 790.0, 380.0);
            let whole = Rect {
                x: 0.0,
                y: 0.0,
                w: 790.1,
                h: 380.1,
            };
            for (i, cell) in layout.cells.iter().enumerate() {
                assert!(cell.w > 3.0 && cell.h > 3.0, "{synthetic}: {cell:?}");
                assert!(
                    whole.contains(cell.x, cell.y)
                        && whole.contains(cell.x + cell.w, cell.y + cell.h)
                );
                assert!(
                    layout.cells[..i].iter().all(|other| apart(cell, other)),
                    "{synthetic}"
                );
            }
        }
    }

    #[test]
    fn four_nodes_stand_two_by_two_in_a_wide_picture() {
        let layout = lay_out(&machine("node:4 l3:1 core:10 pu:2"), 790.0, 380.0);
        assert_eq!(layout.nodes.len(), 4);
        assert!((layout.nodes[0].rect.y - layout.nodes[1].rect.y).abs() < 1e-9);
        assert!(layout.nodes[2].rect.y > layout.nodes[0].rect.y);
        assert!(layout.llcs.is_empty(), "one cache a node needs no frame");
    }

    #[test]
    fn the_threads_of_a_core_stand_in_one_column() {
        let topology = machine("node:1 core:4 pu:2");
        let layout = lay_out(&topology, 400.0, 300.0);
        for cpu in topology.cpu_ids() {
            let siblings = topology.peers(cpu, |cpu| cpu.core);
            for sibling in &siblings {
                let apart = layout.cells[cpu.index()].x - layout.cells[sibling.index()].x;
                assert!(apart.abs() < 1e-9);
            }
        }
    }

    #[test]
    fn caches_are_framed_where_a_node_has_several() {
        let layout = lay_out(&machine("node:2 l3:8 core:8 pu:2"), 790.0, 380.0);
        assert_eq!(layout.llcs.len(), 16);
    }

    #[test]
    fn rows_are_filled() {
        let layout = lay_out(&machine("node:4 l3:1 core:10 pu:2"), 440.0, 260.0);
        let mut columns: Vec<i64> = layout.cells[..20]
            .iter()
            .map(|cell| cell.x as i64)
            .collect();
        columns.sort_unstable();
        columns.dedup();
        assert!(matches!(columns.len(), 5 | 10), "{columns:?}");
    }

    #[test]
    fn a_point_finds_its_cpu() {
        let layout = lay_out(&machine("node:4 l3:1 core:10 pu:2"), 790.0, 380.0);
        for (index, cell) in layout.cells.iter().enumerate() {
            let (x, y) = cell.centre();
            assert_eq!(layout.hit(x, y), Some(CpuId(index as u16)));
        }
        assert_eq!(layout.hit(1.0, 1.0), None);
    }

    #[test]
    fn no_room_is_no_panic() {
        let layout = lay_out(&machine("node:4 l3:1 core:10 pu:2"), 0.0, 0.0);
        assert_eq!(layout.hit(0.0, 0.0), None);
    }
}
