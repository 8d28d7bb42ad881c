//! Where nodes, caches, cores and CPUs lie in a picture of a given size. Pure geometry, in CSS pixels.

use teeter_machine::{CpuId, NodeId, Topology};

/// An upright rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Rect {
    /// Whether a point lies in it.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        x >= self.x && x < self.x + self.w && y >= self.y && y < self.y + self.h
    }

    /// Its middle.
    pub fn centre(&self) -> (f64, f64) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    fn inset(&self, by: f64) -> Self {
        Self {
            x: self.x + by,
            y: self.y + by,
            w: (self.w - 2.0 * by).max(0.0),
            h: (self.h - 2.0 * by).max(0.0),
        }
    }

    fn below(&self, top: f64) -> Self {
        Self {
            y: self.y + top,
            h: (self.h - top).max(0.0),
            ..*self
        }
    }
}

/// The picture's parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Nodes that have CPUs, with the CPUs of each.
    pub nodes: Vec<NodeBox>,
    /// Last-level caches, where a node has several.
    pub llcs: Vec<Rect>,
    /// Each CPU's cell, by number.
    pub cells: Vec<Rect>,
}

/// A node's box.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeBox {
    /// Which node.
    pub node: NodeId,
    /// Its CPUs.
    pub cpus: Vec<CpuId>,
    /// The box, header and all.
    pub rect: Rect,
}

/// Height of a node's header.
pub const HEADER: f64 = 24.0;
const NODE_GAP: f64 = 10.0;
const NODE_PAD: f64 = 10.0;
const LLC_GAP: f64 = 6.0;
const LLC_PAD: f64 = 4.0;
const CORE_GAP: f64 = 5.0;
const THREAD_GAP: f64 = 2.0;

/// Cores of one cache: the CPUs of each, in order.
type Cores = Vec<Vec<CpuId>>;

/// Lays a machine out in a picture of `width` by `height`: of all ways to break nodes, caches and cores
/// into columns, the one with the largest cells.
pub fn lay_out(topology: &Topology, width: f64, height: f64) -> Layout {
    let nodes = shape(topology);
    let Some(most) = nodes
        .iter()
        .map(|(_, llcs)| llcs)
        .max_by_key(|llcs| weight(llcs))
    else {
        return Layout::default();
    };
    let area = Rect {
        x: 0.0,
        y: 0.0,
        w: width,
        h: height,
    };
    let best = (1..=nodes.len())
        .map(|columns| {
            let inner = node_inner(grid(area, nodes.len(), columns, NODE_GAP, 0));
            let (score, inside) = best_inside(most, inner);
            (score * evenness(nodes.len(), columns), columns, inside)
        })
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, columns, inside)) = best else {
        return Layout::default();
    };

    let mut layout = Layout {
        cells: vec![Rect::default(); topology.cpus.len()],
        ..Layout::default()
    };
    for (place, (node, llcs)) in nodes.iter().enumerate() {
        let rect = grid(area, nodes.len(), columns, NODE_GAP, place);
        place_node(&mut layout, llcs, node_inner(rect), inside);
        let cpus = llcs.iter().flatten().flatten().copied().collect();
        layout.nodes.push(NodeBox {
            node: *node,
            cpus,
            rect,
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
}

/// Columns of caches in a node and of cores in a cache.
type Inside = (usize, usize);

/// A list of parts by their numbers, in the order they were met.
type Parts<K, V> = Vec<(K, V)>;

/// Nodes with CPUs, each a list of caches, each a list of cores.
fn shape(topology: &Topology) -> Parts<NodeId, Vec<Cores>> {
    let mut nodes: Parts<NodeId, Parts<u16, Parts<u16, Vec<CpuId>>>> = Vec::new();
    for id in topology.cpu_ids() {
        let cpu = topology.cpu(id);
        let llcs = entry(&mut nodes, cpu.node);
        let cores = entry(llcs, cpu.llc);
        entry(cores, cpu.core).push(id);
    }
    nodes.sort_by_key(|(node, _)| *node);
    let unnumbered = |llcs: Parts<u16, Parts<u16, Vec<CpuId>>>| {
        let cores = |(_, cores): (u16, Parts<u16, Vec<CpuId>>)| {
            cores.into_iter().map(|(_, cpus)| cpus).collect()
        };
        llcs.into_iter().map(cores).collect()
    };
    nodes
        .into_iter()
        .map(|(node, llcs)| (node, unnumbered(llcs)))
        .collect()
}

fn entry<K: PartialEq, V: Default>(list: &mut Parts<K, V>, key: K) -> &mut V {
    let found = list.iter().position(|(known, _)| *known == key);
    let index = found.unwrap_or_else(|| {
        list.push((key, V::default()));
        list.len() - 1
    });
    &mut list[index].1
}

fn weight(llcs: &[Cores]) -> usize {
    llcs.iter().flatten().map(Vec::len).sum()
}

fn node_inner(rect: Rect) -> Rect {
    let inner = rect.inset(NODE_PAD).below(HEADER - NODE_PAD + 4.0);
    Rect {
        h: inner.h + 2.0,
        ..inner
    }
}

/// The `place`-th of `count` equal boxes in rows of `columns`.
fn grid(area: Rect, count: usize, columns: usize, gap: f64, place: usize) -> Rect {
    let rows = count.div_ceil(columns);
    let w = (area.w - gap * (columns - 1) as f64) / columns as f64;
    let h = (area.h - gap * (rows - 1) as f64) / rows as f64;
    let (row, column) = (place / columns, place % columns);
    Rect {
        x: area.x + column as f64 * (w + gap),
        y: area.y + row as f64 * (h + gap),
        w: w.max(0.0),
        h: h.max(0.0),
    }
}

/// The best columns inside a node, and how large a cell they give.
fn best_inside(llcs: &[Cores], inner: Rect) -> (f64, Inside) {
    let cores = llcs.iter().map(Vec::len).max().unwrap_or(1);
    let threads = llcs.iter().flatten().map(Vec::len).max().unwrap_or(1);
    let mut best = (f64::NEG_INFINITY, (1, 1));
    for llc_columns in 1..=llcs.len() {
        let llc = llc_inner(grid(inner, llcs.len(), llc_columns, LLC_GAP, 0), llcs.len());
        for core_columns in 1..=cores {
            let core = grid(llc, cores, core_columns, CORE_GAP, 0);
            let thread_h = grid(core, threads, 1, THREAD_GAP, 0).h;
            // Cells read best about twice as high as wide.
            let even = evenness(cores, core_columns) * evenness(llcs.len(), llc_columns);
            let score = (core.w * 2.0).min(thread_h) * even;
            if score > best.0 {
                best = (score, (llc_columns, core_columns));
            }
        }
    }
    best
}

/// How much of a grid is filled: rows that break off look like missing parts.
fn evenness(count: usize, columns: usize) -> f64 {
    count as f64 / (count.div_ceil(columns) * columns) as f64
}

fn llc_inner(rect: Rect, llcs: usize) -> Rect {
    if llcs > 1 { rect.inset(LLC_PAD) } else { rect }
}

fn place_node(
    layout: &mut Layout,
    llcs: &[Cores],
    inner: Rect,
    (llc_columns, core_columns): Inside,
) {
    let cores = llcs.iter().map(Vec::len).max().unwrap_or(1);
    for (place, llc) in llcs.iter().enumerate() {
        let outer = grid(
            inner,
            llcs.len(),
            llc_columns.min(llcs.len()),
            LLC_GAP,
            place,
        );
        if llcs.len() > 1 {
            layout.llcs.push(outer);
        }
        for (place, core) in llc.iter().enumerate() {
            let column = grid(
                llc_inner(outer, llcs.len()),
                cores,
                core_columns,
                CORE_GAP,
                place,
            );
            for (place, cpu) in core.iter().enumerate() {
                layout.cells[cpu.index()] = grid(column, core.len(), 1, THREAD_GAP, place);
            }
        }
    }
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
