//! Caches: what it takes to fill cold ones.

use teeter_scenario::Nanos;

use super::Speed;
use crate::Distance;

/// Bytes of a cache line.
pub(super) const LINE_BYTES: u64 = 64;

/// What a task has in caches and loses when it goes elsewhere, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// In a core's own caches (MODEL.md F_priv).
    pub private: u32,
    /// In the last-level cache beyond that (F_llc).
    pub llc: u32,
}

impl Speed {
    /// Extra time a task owes after a move over `distance` until its working set is near again: its private
    /// part, a few lines at a time, and if the last-level cache is another one what it had there, as a
    /// stream. Nothing between threads of a core. The engine caps it for short runs.
    pub fn warm_up(&self, distance: Distance, footprint: Footprint) -> Nanos {
        let (from, memory) = match distance {
            Distance::SameCpu | Distance::Smt => return Nanos::ZERO,
            Distance::Llc => (self.cache_l3, self.cache_l3),
            // Half of the lines are dirty and come from the other cache, half from memory.
            Distance::Node => (
                self.line.node.midpoint(self.memory_local),
                self.memory_local,
            ),
            Distance::Remote => (
                self.line.remote.midpoint(self.memory_remote),
                self.memory_remote,
            ),
        };
        let fill = |bytes: u32, each: u32, parallel: u32| {
            u64::from(bytes) / LINE_BYTES * u64::from(each) * 100 / u64::from(parallel.max(1))
        };
        let private = fill(
            footprint.private,
            from.saturating_sub(self.cache_l2),
            self.refill_parallel,
        );
        let llc = fill(
            footprint.llc,
            memory.saturating_sub(self.cache_l3),
            self.refill_stream,
        );
        Nanos(private + llc + u64::from(self.refill_tlb))
    }

    /// The same for a task that comes back to its CPU, `slept` after it left it and others have run there:
    /// they have pushed what it had out of the core's own caches.
    pub fn cold_start(&self, slept: Nanos, footprint: Footprint) -> Nanos {
        if slept.0 < u64::from(self.refill_cold) {
            return Nanos::ZERO;
        }
        self.warm_up(Distance::Llc, footprint)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::preset;
    use super::*;

    const L2: Footprint = Footprint {
        private: 256 << 10,
        llc: 0,
    };

    #[test]
    fn a_moved_task_refills_its_l2() {
        let haswell = preset("haswell-2s");
        let warm_up = |distance| haswell.warm_up(distance, L2).0;
        assert_eq!(warm_up(Distance::Smt), 0);
        // 4096 lines x (20 - 5) ns / 2.5 + 1 us.
        assert_eq!(warm_up(Distance::Llc), 25_576);
        // 4096 lines x ((118 + 143) / 2 - 5) ns / 2.5 + 1 us.
        assert_eq!(warm_up(Distance::Remote), 205_800);
        let nothing = Footprint::default();
        assert_eq!(haswell.warm_up(Distance::Llc, nothing).0, 1_000);
    }

    #[test]
    fn another_last_level_cache_is_filled_as_a_stream() {
        let milan = preset("milan-2s");
        let large = Footprint {
            llc: 4 << 20,
            ..Footprint::default()
        };
        let warm_up = |distance| milan.warm_up(distance, large).0;
        assert_eq!(warm_up(Distance::Llc), 1_000);
        // 65536 lines x (110 - 13) ns / 8 + 1 us.
        assert_eq!(warm_up(Distance::Node), 795_624);
        // 65536 lines x (200 - 13) ns / 8 + 1 us.
        assert_eq!(warm_up(Distance::Remote), 1_532_904);
    }

    #[test]
    fn long_sleep_leaves_caches_cold() {
        let haswell = preset("haswell-2s");
        let cold = |millis| haswell.cold_start(Nanos::from_millis(millis), L2).0;
        assert_eq!((cold(9), cold(10)), (0, 25_576));
    }
}
