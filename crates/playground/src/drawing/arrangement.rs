//! Where nodes, caches and cores lie in a picture of a given size. Pure geometry.

use super::rect::Rect;

/// Height of a node's header.
pub const HEADER: f64 = 24.0;
/// Gap between the threads of a core.
pub(super) const THREAD_GAP: f64 = 2.0;
const NODE_GAP: f64 = 10.0;
const NODE_PAD: f64 = 10.0;
const LLC_GAP: f64 = 6.0;
const LLC_PAD: f64 = 4.0;
const CORE_GAP: f64 = 5.0;

/// How many threads each core of each cache of each node has; a node without caches holds memory only.
pub type Counts = Vec<Vec<Vec<usize>>>;

/// Where everything lies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrangement {
    /// Node by node.
    pub nodes: Vec<NodeArea>,
}

/// Where a node and all in it lies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeArea {
    /// The box, header and all.
    pub rect: Rect,
    /// Its caches.
    pub llcs: Vec<LlcArea>,
}

/// Where a cache and its cores lie.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LlcArea {
    /// Its frame.
    pub rect: Rect,
    /// Its cores.
    pub cores: Vec<Rect>,
}

/// Columns of caches in a node and of cores in a cache.
type Inside = (usize, usize);

impl Arrangement {
    /// Lays a machine out: of all ways to break nodes, caches and cores into columns, the one with the largest
    /// cells. With a `strip`, every cache has a frame with so much room for words above its cores; without,
    /// caches are framed only where a node has several.
    pub fn new(counts: &Counts, width: f64, height: f64, strip: f64) -> Self {
        let weigh = |llcs: &&Vec<Vec<usize>>| llcs.iter().flatten().sum::<usize>();
        let Some(most) = counts.iter().max_by_key(weigh) else {
            return Self::default();
        };
        let area = Rect {
            x: 0.0,
            y: 0.0,
            w: width,
            h: height,
        };
        let best = (1..=counts.len()).map(|columns| {
            let inner = node_inner(area.grid(counts.len(), columns, NODE_GAP, 0));
            let (score, inside) = best_inside(most, inner, strip);
            (score * evenness(counts.len(), columns), columns, inside)
        });
        let Some((_, columns, inside)) = best.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            return Self::default();
        };
        let node = |(place, llcs): (usize, &Vec<Vec<usize>>)| {
            let rect = area.grid(counts.len(), columns, NODE_GAP, place);
            NodeArea {
                rect,
                llcs: place_llcs(llcs, node_inner(rect), inside, strip),
            }
        };
        Self {
            nodes: counts.iter().enumerate().map(node).collect(),
        }
    }
}

/// The `place`-th of so many threads of a core.
pub(super) fn thread(core: &Rect, threads: usize, place: usize) -> Rect {
    core.grid(threads, 1, THREAD_GAP, place)
}

fn node_inner(rect: Rect) -> Rect {
    let inner = rect.inset(NODE_PAD).below(HEADER - NODE_PAD + 4.0);
    Rect {
        h: inner.h + 2.0,
        ..inner
    }
}

/// The best columns inside a node, and how large a cell they give.
fn best_inside(llcs: &[Vec<usize>], inner: Rect, strip: f64) -> (f64, Inside) {
    let cores = llcs.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let threads = llcs.iter().flatten().copied().max().unwrap_or(1);
    let mut best = (f64::NEG_INFINITY, (1, 1));
    for llc_columns in 1..=llcs.len() {
        let llc = llc_inner(
            inner.grid(llcs.len(), llc_columns, LLC_GAP, 0),
            llcs.len(),
            strip,
        );
        for core_columns in 1..=cores {
            let core = llc.grid(cores, core_columns, CORE_GAP, 0);
            let thread_h = thread(&core, threads, 0).h;
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

fn llc_inner(rect: Rect, llcs: usize, strip: f64) -> Rect {
    if llcs > 1 || strip > 0.0 {
        // A strip is for words; where there is no room for both, cores come first.
        let strip = if rect.h > 3.0 * strip { strip } else { 0.0 };
        rect.inset(LLC_PAD).below(strip)
    } else {
        rect
    }
}

fn place_llcs(
    llcs: &[Vec<usize>],
    inner: Rect,
    (llc_columns, core_columns): Inside,
    strip: f64,
) -> Vec<LlcArea> {
    let cores = llcs.iter().map(Vec::len).max().unwrap_or(1);
    let llc_columns = llc_columns.min(llcs.len());
    let llc = |(place, llc): (usize, &Vec<usize>)| {
        let rect = inner.grid(llcs.len(), llc_columns, LLC_GAP, place);
        let inside = llc_inner(rect, llcs.len(), strip);
        let core = |place| inside.grid(cores, core_columns, CORE_GAP, place);
        LlcArea {
            rect,
            cores: (0..llc.len()).map(core).collect(),
        }
    };
    llcs.iter().enumerate().map(llc).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_lies_in_the_one_it_belongs_to_whatever_they_are() {
        let machines: [Counts; 4] = [
            vec![vec![vec![2; 10]]; 4],
            vec![vec![vec![2; 8], vec![1; 3]], vec![], vec![vec![4]]],
            vec![vec![vec![1; 64]]; 16],
            vec![vec![]],
        ];
        for counts in machines {
            for (width, height) in [(800.0, 500.0), (340.0, 400.0), (40.0, 20.0), (0.0, 0.0)] {
                let all = Arrangement::new(&counts, width, height, 16.0);
                assert_eq!(all.nodes.len(), counts.len());
                for (node, llcs) in all.nodes.iter().zip(&counts) {
                    assert_eq!(node.llcs.len(), llcs.len());
                    for llc in node.llcs.iter().filter(|_| width > 100.0) {
                        assert!(node.rect.holds(&llc.rect.inset(0.1)));
                        assert!(llc.cores.iter().all(|core| llc.rect.holds(core)));
                    }
                }
            }
        }
    }
}
