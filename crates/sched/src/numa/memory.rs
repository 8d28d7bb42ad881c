//! Memory: processes' regions, cut into chunks, and where each chunk lies.
//!
//! A chunk stands for neighbouring pages that are touched, marked and moved together; the kernel does the
//! same page by page (or by 2 MB with huge pages).

use teeter_machine::{CpuId, NodeId, Topology};
use teeter_scenario::Bytes;

use super::PAGE;
pub(crate) use super::watch::Watch;
use crate::ids::TaskId;

/// A process's address space (`mm_struct`), numbered in order of [`crate::Sched::add_mm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MmId(pub u32);

/// A region of memory, numbered in order of [`crate::Sched::map`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionId(pub u32);

impl MmId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl RegionId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Smallest and largest chunk, pages: 64 KB, and what a huge page holds.
const CHUNK_MIN: u64 = 16;
const CHUNK_MAX: u64 = 512;
/// A region has about so many chunks, and never more than so many.
const CHUNKS_MIN: u64 = 512;
const CHUNKS_MAX: u64 = 4096;

/// Who touched a page last, and where (`cpupid`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastTouch {
    pub(crate) task: TaskId,
    pub(crate) cpu: CpuId,
}

/// Pages that are treated as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Where it lies; `None` until it is touched.
    pub(crate) node: Option<NodeId>,
    /// The next touch is a hinting fault (`pte_protnone`).
    pub(crate) marked: bool,
    /// `None` until the first hinting fault.
    pub(crate) last: Option<LastTouch>,
}

/// A mapping of a process.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) mm: MmId,
    /// Size in pages.
    pub(crate) pages: u64,
    /// Pages of a chunk; the last may have fewer.
    chunk_pages: u64,
    pub(crate) chunks: Vec<Chunk>,
    /// Pages on each node.
    pub(crate) on_node: Vec<u64>,
    /// How often pages have come to a node or gone to another.
    pub(crate) moves: u64,
    pub(crate) watch: Watch,
}

impl Region {
    /// A region of so much memory that nobody has touched.
    pub(crate) fn new(mm: MmId, size: Bytes, nodes: usize) -> Self {
        let pages = size.0.div_ceil(PAGE).max(1);
        let chunk_pages = (pages / CHUNKS_MIN).clamp(CHUNK_MIN, CHUNK_MAX);
        let chunk_pages = chunk_pages.max(pages.div_ceil(CHUNKS_MAX));
        Self {
            mm,
            pages,
            chunk_pages,
            chunks: vec![Chunk::default(); pages.div_ceil(chunk_pages) as usize],
            on_node: vec![0; nodes],
            moves: 0,
            watch: Watch::default(),
        }
    }

    /// Pages of a chunk.
    pub(crate) fn pages_of(&self, chunk: usize) -> u64 {
        let before = chunk as u64 * self.chunk_pages;
        self.chunk_pages.min(self.pages.saturating_sub(before))
    }

    /// Pages of several chunks, of which the last may be the region's last.
    pub(crate) fn pages_between(&self, from: usize, to: usize) -> u64 {
        let end = (to as u64 * self.chunk_pages).min(self.pages);
        end.saturating_sub(from as u64 * self.chunk_pages)
    }

    /// Chunks that it takes to hold so many pages, at least one.
    pub(crate) fn chunks_for(&self, pages: u64) -> usize {
        pages.div_ceil(self.chunk_pages).max(1) as usize
    }

    /// The chunk that a byte of the region belongs to; beyond its end it begins again.
    pub(crate) fn chunk_at(&self, byte: u64) -> usize {
        let page = byte / PAGE % self.pages;
        (page / self.chunk_pages) as usize
    }

    /// Chunks that hold `len` bytes from `from` on, as the first and how many.
    pub(crate) fn chunks_in(&self, from: u64, len: u64) -> (usize, usize) {
        let first = self.chunk_at(from);
        if len / PAGE >= self.pages {
            return (first, self.chunks.len());
        }
        let last = self.chunk_at(from.saturating_add(len.saturating_sub(1)));
        let count = (last + self.chunks.len() - first) % self.chunks.len() + 1;
        (first, if len == 0 { 0 } else { count })
    }
}

/// An address space: its regions, and how far they have been scanned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mm {
    pub(crate) regions: Vec<RegionId>,
    /// Tasks that live (`mm_users`).
    pub(crate) users: u32,
    /// Jiffy before which it is not scanned; 0 before the first task.
    pub(crate) next_scan: u64,
    /// Scans of everything so far.
    pub(crate) scan_seq: u32,
    /// Where the next scan begins: which region, which chunk.
    pub(crate) scan_offset: (usize, usize),
    /// Pages that have been touched.
    pub(crate) rss: u64,
}

/// Room on each node, in pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    free: Vec<u64>,
    /// What has followed its tasks to each node of late.
    arrivals: Vec<Arrivals>,
}

/// Pages that came to a node in a window of time, and the jiffy at which that ends.
#[derive(Clone, Copy, Debug, Default)]
struct Arrivals {
    pages: u64,
    next_window: u64,
}

/// The window, ms, and the pages after which it takes no more (`migrate_interval_millisecs`,
/// `ratelimit_pages`).
pub(crate) const RATE_WINDOW_MS: u64 = 100;
const RATE_PAGES: u64 = (128 << 20) / PAGE;

impl Room {
    /// All of each node's memory; a node of which nothing is known has as much as is asked for.
    pub(crate) fn new(topology: &Topology) -> Self {
        let pages = |memory: &Option<Bytes>| memory.map_or(u64::MAX, |bytes| bytes.0 / PAGE);
        let mut free: Vec<u64> = topology.memory.iter().map(pages).collect();
        free.resize(topology.nodes.len(), u64::MAX);
        let arrivals = vec![Arrivals::default(); free.len()];
        Self { free, arrivals }
    }

    /// Whether so many pages may follow a task to a node now, with windows of so many jiffies
    /// (`numamigrate_update_ratelimit`).
    pub(crate) fn within_rate(
        &mut self,
        node: NodeId,
        pages: u64,
        jiffies: u64,
        window: u64,
    ) -> bool {
        let Some(arrivals) = self.arrivals.get_mut(node.index()) else {
            return true;
        };
        if jiffies > arrivals.next_window {
            arrivals.pages = 0;
            arrivals.next_window = jiffies + window;
        }
        let within = arrivals.pages <= RATE_PAGES;
        arrivals.pages += if within { pages } else { 0 };
        within
    }

    /// Takes pages of a node; false if it has not so many.
    pub(crate) fn take(&mut self, node: NodeId, pages: u64) -> bool {
        match self.free.get_mut(node.index()) {
            Some(&mut u64::MAX) => true,
            Some(free) if *free >= pages => {
                *free -= pages;
                true
            }
            _ => false,
        }
    }

    /// Gives pages back.
    pub(crate) fn give(&mut self, node: NodeId, pages: u64) {
        if let Some(free) = self.free.get_mut(node.index()) {
            *free = free.saturating_add(pages);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(size: Bytes) -> Region {
        Region::new(MmId(0), size, 2)
    }

    #[test]
    fn chunks_cover_a_region() {
        let shared = region(Bytes::from_gb(3));
        assert_eq!((shared.chunks.len(), shared.pages_of(0)), (1536, 512));
        let local = region(Bytes::from_mb(32));
        assert_eq!((local.chunks.len(), local.pages_of(0)), (512, 16));
        let odd = region(Bytes(5));
        assert_eq!((odd.chunks.len(), odd.pages, odd.pages_of(0)), (1, 1, 1));
        assert!(region(Bytes::from_gb(4096)).chunks.len() <= 4096);
    }

    #[test]
    fn touched_bytes_are_in_chunks_that_wrap() {
        let local = region(Bytes::from_mb(32));
        assert_eq!(local.chunks_in(0, 1), (0, 1));
        assert_eq!(local.chunks_in(65_535, 2), (0, 2));
        assert_eq!(local.chunks_in(Bytes::from_mb(32).0 - 1, 2), (511, 2));
        assert_eq!(local.chunks_in(70_000, u64::MAX), (1, 512));
        assert_eq!(local.chunks_in(70_000, 0), (1, 0));
    }

    #[test]
    fn what_follows_tasks_is_limited_in_each_window() {
        let mut room = Room {
            free: vec![u64::MAX],
            arrivals: vec![Arrivals::default()],
        };
        let mut takes = |jiffies| room.within_rate(NodeId(0), 512, jiffies, 25);
        // 128 MB, and the one that goes beyond.
        assert_eq!((0..100).filter(|_| takes(1)).count(), 65);
        assert!(!takes(26) && takes(27));
    }

    proptest::proptest! {
        #[test]
        fn pages_of_chunks_sum_to_the_region(bytes in 1..1_u64 << 44) {
            let region = region(Bytes(bytes));
            let sum: u64 = (0..region.chunks.len()).map(|chunk| region.pages_of(chunk)).sum();
            proptest::prop_assert_eq!(sum, region.pages);
            proptest::prop_assert_eq!(region.pages_between(0, region.chunks.len()), region.pages);
        }
    }
}
