//! A thread's walk through its memory.

use teeter_sched::RegionId;
use teeter_workload::MemoryUse;

use crate::code::FULL;
use crate::thread::Phase;

/// Where a thread is in its memory, and what going on costs.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) region: RegionId,
    /// Size of the region, bytes.
    size: u64,
    /// The byte it comes to next.
    at: u64,
    /// Work on it that the scheduler has not been told of, in units of 2^-16 ns.
    pub(crate) done: u64,
    /// Work on one byte, in the same units.
    per_byte: u64,
    /// Hundredths of that which wait for memory.
    stall: u64,
    /// Whether all computation walks.
    ambient: bool,
    /// Kernel time it has caused and not spent yet, ns.
    pub(crate) owed: u64,
    /// Kernel time that NUMA balancing has cost it so far, ns.
    pub(crate) system: u64,
}

impl Walk {
    /// Thread number `index` of `threads` begins its walk as far into the region as it is among them.
    pub(crate) fn new(memory: &MemoryUse, region: RegionId, index: u32, threads: u32) -> Self {
        let size = memory.size.0.max(1);
        let share = if memory.shared {
            u128::from(size) * u128::from(index) / u128::from(threads.max(1))
        } else {
            0
        };
        Self {
            region,
            size,
            at: share as u64 % size,
            done: 0,
            per_byte: (u64::from(memory.ns_per_kb) * FULL / 1024).max(1),
            stall: u64::from(memory.stall.min(100)),
            ambient: memory.ambient,
            owed: 0,
            system: 0,
        }
    }

    /// Work of touching so many bytes.
    pub(crate) fn work(&self, bytes: u64) -> u64 {
        bytes.saturating_mul(self.per_byte).min(u64::MAX >> 2)
    }

    /// Whether a thread in this phase walks.
    pub(crate) fn goes_on_in(&self, phase: Phase) -> bool {
        match phase {
            Phase::Touch => true,
            Phase::Work | Phase::Call(_) | Phase::Wall { .. } | Phase::Forever => self.ambient,
            _ => false,
        }
    }

    /// The bytes walked since the last call: where they begin, and how many.
    pub(crate) fn take(&mut self) -> (u64, u64) {
        let bytes = self.done / self.per_byte;
        self.done %= self.per_byte;
        let from = self.at;
        self.at = ((u128::from(from) + u128::from(bytes)) % u128::from(self.size)) as u64;
        (from, bytes)
    }

    /// MB it goes through in a second at such a rate.
    pub(crate) fn traffic(&self, rate: u64) -> u64 {
        rate.saturating_mul(1000) / self.per_byte
    }

    /// Its rate for a rate of the core, when an access takes `slowdown` times as long as a local one (of
    /// [`FULL`]).
    pub(crate) fn rate(&self, rate: u64, slowdown: u64) -> u64 {
        let time = FULL * (100 - self.stall) + slowdown * self.stall;
        (rate * FULL * 100 / time.max(1)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::Bytes;

    fn walk(shared: bool, index: u32) -> Walk {
        let memory = MemoryUse {
            size: Bytes(4096),
            shared,
            own_process: false,
            nodes: Vec::new(),
            ns_per_kb: 512,
            stall: 50,
            ambient: false,
        };
        Walk::new(&memory, RegionId(0), index, 4)
    }

    #[test]
    fn walks_begin_where_the_thread_is_among_its_process() {
        assert_eq!(walk(true, 3).take(), (3072, 0));
        assert_eq!(walk(false, 3).take(), (0, 0));
    }

    #[test]
    fn bytes_are_told_once_and_wrap() {
        let mut walk = walk(true, 2);
        // Half a nanosecond a byte.
        walk.done = walk.work(3000) + 5;
        assert_eq!(walk.take(), (2048, 3000));
        assert_eq!(walk.take(), ((2048 + 3000) % 4096, 0));
        assert_eq!(walk.done, 5);
    }

    #[test]
    fn what_waits_for_memory_is_slowed() {
        assert_eq!(walk(true, 0).rate(FULL, FULL), FULL);
        // Half of the time takes twice as long: 1 / 1.5.
        assert_eq!(walk(true, 0).rate(FULL, 2 * FULL), FULL * 2 / 3);
        // A byte in half a nanosecond.
        assert_eq!(walk(true, 0).traffic(FULL), 2000);
    }
}
