//! How often a task's memory is scanned.
//!
//! Source: kernel/sched/fair.c `task_nr_scan_windows`, `task_scan_min`, `task_scan_start`,
//! `task_scan_max`, `update_task_scan_period` (v4.11, v5.3; SCHED.md 7).

use teeter_scenario::Nanos;

use crate::rules::{NumaTunables, ScanPeriod};

/// Most memory scanned in a second, MB (`MAX_SCAN_WINDOW`).
const MAX_SCAN_WINDOW: u64 = 2560;

/// Steps in which a scan period changes, and how many of ten faults must be private or local for it to
/// grow (`NUMA_PERIOD_SLOTS`, `NUMA_PERIOD_THRESHOLD`).
const SLOTS: u64 = 10;
const THRESHOLD: u64 = 7;

/// What sets the bounds of a task's scan period: how much memory its process has, how it is shared, and
/// what an administrator wrote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScanBounds<'a> {
    pub(crate) tunables: &'a NumaTunables,
    /// Resident memory of the process, pages of [`super::PAGE`] bytes.
    pub(crate) rss: u64,
    /// How the task's group shares memory, if it is in one and this kernel asks.
    pub(crate) sharing: Option<Sharing>,
}

/// Whole milliseconds.
pub(crate) fn millis(time: Nanos) -> u64 {
    time.0 / 1_000_000
}

/// Faults of a group, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sharing {
    /// Tasks of the group.
    pub(crate) tasks: u64,
    pub(crate) shared: u64,
    pub(crate) private: u64,
}

impl Sharing {
    /// A period made longer the more tasks share the more of their memory.
    fn scale(self, period: u64) -> u64 {
        let shared = self.shared + 1;
        period.saturating_mul(self.tasks).saturating_mul(shared) / (self.private + shared)
    }
}

impl ScanBounds<'_> {
    /// Scans that it takes to see all of the memory once.
    fn windows(&self) -> u64 {
        let pages = (self.tunables.scan_size.0 / super::PAGE).max(1);
        self.rss.div_ceil(pages).max(1)
    }

    /// Shortest period, ms.
    pub(crate) fn min(&self) -> u64 {
        let size = (self.tunables.scan_size.0 >> 20).max(1);
        let windows = (MAX_SCAN_WINDOW / size).max(1);
        let scan = millis(self.tunables.scan_period_min) / self.windows();
        scan.max(1000 / windows)
    }

    /// First period, ms.
    pub(crate) fn start(&self) -> u64 {
        let min = self.min();
        self.sharing
            .map_or(min, |sharing| sharing.scale(min))
            .max(min)
    }

    /// Longest period, ms.
    pub(crate) fn max(&self) -> u64 {
        let max = millis(self.tunables.scan_period_max) / self.windows();
        let scaled = self.sharing.map_or(max, |sharing| sharing.scale(max));
        scaled.max(max).max(self.min())
    }
}

/// Faults of a task since its period was last set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    pub(crate) local: u64,
    pub(crate) remote: u64,
    pub(crate) private: u64,
    pub(crate) shared: u64,
    /// Pages that could not be moved to the task.
    pub(crate) failed: u64,
}

impl Faults {
    /// Whether they tell nothing, or that memory moves too fast: scanning slows down then.
    pub(crate) fn slow_down(&self) -> bool {
        self.local + self.shared == 0 || self.failed > 0
    }

    /// The next scan period, ms; `min` and `max` bound it.
    pub(crate) fn next_period(&self, period: u64, min: u64, max: u64, rule: ScanPeriod) -> u64 {
        if self.slow_down() {
            return max.min(period << 1);
        }
        let slot = period.div_ceil(SLOTS);
        let local = (self.local * SLOTS).checked_div(self.local + self.remote);
        let (local, known) = (local.unwrap_or(0), self.private + self.shared);
        let private = (self.private * SLOTS).checked_div(known).unwrap_or(0);
        let longer = |tenths: u64| period + (tenths - THRESHOLD).max(1) * slot;
        let next = match rule {
            ScanPeriod::Sharing if private >= THRESHOLD => longer(private),
            _ if local >= THRESHOLD => longer(local),
            ScanPeriod::Sharing => period.saturating_sub((THRESHOLD - local.max(private)) * slot),
            ScanPeriod::Locality => {
                let share = (self.private * SLOTS).div_ceil(known + 1);
                period.saturating_sub((THRESHOLD - local) * slot * share / SLOTS)
            }
        };
        next.max(min).min(max.max(min))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharing_makes_periods_longer() {
        let tunables = NumaTunables::default();
        let bounds = |sharing| ScanBounds {
            tunables: &tunables,
            rss: 0,
            sharing,
        };
        let sharing = |shared, private| {
            Some(Sharing {
                tasks: 8,
                shared,
                private,
            })
        };
        assert_eq!((bounds(None).start(), bounds(None).max()), (1_000, 60_000));
        let all_shared = bounds(sharing(99, 0));
        assert_eq!((all_shared.start(), all_shared.max()), (8_000, 480_000));
        // A quarter shared: 8 * 1000 * 100 / 400.
        assert_eq!(bounds(sharing(99, 300)).start(), 2_000);
        assert_eq!(bounds(sharing(0, 999)).start(), 1_000);
    }

    #[test]
    fn until_v4_13_private_faults_count_only_when_scanning_speeds_up() {
        let faults = Faults {
            local: 20,
            remote: 80,
            private: 30,
            shared: 69,
            failed: 0,
        };
        // 5 slots of 100 ms too remote, 3 tenths of that for private faults.
        assert_eq!(
            faults.next_period(1_000, 100, 60_000, ScanPeriod::Locality),
            850
        );
        let private = Faults {
            private: 99,
            shared: 0,
            ..faults
        };
        assert_eq!(
            private.next_period(1_000, 100, 60_000, ScanPeriod::Locality),
            500
        );
        assert_eq!(
            private.next_period(1_000, 100, 60_000, ScanPeriod::Sharing),
            1_300
        );
    }

    #[test]
    fn failed_moves_slow_scanning_down() {
        let faults = Faults {
            local: 1,
            failed: 1,
            ..Faults::default()
        };
        assert_eq!(
            faults.next_period(900, 100, 1_000, ScanPeriod::Sharing),
            1_000
        );
    }
}
