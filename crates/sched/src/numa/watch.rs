//! Which tasks touch a region, so that scans on the time of others may pass over it.
//!
//! Source: kernel/sched/fair.c `vma_is_accessed`, `task_numa_work` (v6.4, v6.7).

use crate::ids::TaskId;
use crate::rules::OthersRegions;

/// Tasks are told apart by a hash of this many values (`BITS_PER_LONG`).
const HASHES: u32 = 64;
/// Scan delays after which the tasks of late are those of the time before.
const RESET_DELAYS: u64 = 4;

/// Who has touched a region of late (`vma_numab_state`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    /// Tasks of the time before, and of late, one bit for each hash.
    active: [u64; 2],
    /// What was known of the process's scans when it was first met; `None` until then.
    met: Option<Met>,
    /// Scan of everything in which it was last scanned to its end.
    done: Option<u32>,
}

/// A region's first scan.
#[derive(Clone, Copy, Debug)]
struct Met {
    scan_seq: u32,
    /// Jiffy before which it is not scanned again.
    next_scan: u64,
    /// Jiffy after which the tasks of late are forgotten.
    reset: u64,
}

/// What a scan knows when it comes to a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) jiffies: u64,
    /// The scan delay, jiffies.
    pub(super) delay: u64,
    /// Scans of everything so far.
    pub(super) scan_seq: u32,
    /// Tasks of the process.
    pub(super) users: u32,
    /// Whether part of the region has been scanned already.
    pub(super) begun: bool,
}

/// Whether a scan takes a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is the scanning task's own, or all are taken.
    Own,
    /// The task has not touched it of late.
    Others,
    /// It is too young, or was scanned already.
    NotNow,
}

fn bit(task: TaskId) -> u64 {
    1 << (task.0 % HASHES)
}

impl Watch {
    /// A task had a hinting fault on it.
    pub(super) fn touched_by(&mut self, task: TaskId) {
        self.active[1] |= bit(task);
    }

    /// It was scanned to its end.
    pub(super) fn done(&mut self, scan_seq: u32) {
        self.done = Some(scan_seq);
    }

    /// Whether a scan on a task's time takes it.
    pub(super) fn admits(&mut self, task: TaskId, seen: Seen, rule: OthersRegions) -> Admission {
        let thorough = match rule {
            OthersRegions::Scanned => return Admission::Own,
            OthersRegions::Skipped => false,
            OthersRegions::SkippedUnlessLast => true,
        };
        let due = seen.jiffies + seen.delay;
        let met = self.met.get_or_insert(Met {
            scan_seq: seen.scan_seq,
            next_scan: due,
            reset: due + RESET_DELAYS * seen.delay,
        });
        if seen.scan_seq > 0 && seen.jiffies < met.next_scan {
            return Admission::NotNow;
        }
        if seen.scan_seq > 0 && seen.jiffies > met.reset {
            met.reset += RESET_DELAYS * seen.delay;
            self.active = [self.active[1], 0];
        }
        if thorough && self.done == Some(seen.scan_seq) {
            return Admission::NotNow;
        }
        let since = if thorough { met.scan_seq } else { 0 };
        let young = seen.scan_seq.saturating_sub(since) < 2;
        let own = (self.active[0] | self.active[1]) & bit(task) != 0;
        // One that no other task will get to either.
        let last = self.done.map_or(i64::from(met.scan_seq) - 1, i64::from);
        let left = i64::from(seen.scan_seq) > last + i64::from(seen.users);
        if young || own || (thorough && (seen.begun || left)) {
            Admission::Own
        } else {
            Admission::Others
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_regions_are_passed_over_from_the_third_scan_on() {
        let mut watch = Watch::default();
        watch.touched_by(TaskId(1));
        let seen = |scan_seq| Seen {
            jiffies: 1_000 * u64::from(scan_seq),
            delay: 250,
            scan_seq,
            users: 8,
            begun: false,
        };
        for rule in [OthersRegions::Skipped, OthersRegions::SkippedUnlessLast] {
            let mut admits = |task, scan_seq| watch.admits(TaskId(task), seen(scan_seq), rule);
            assert_eq!(admits(0, 0), Admission::Own);
            assert_eq!(admits(0, 1), Admission::Own);
            assert_eq!(admits(0, 2), Admission::Others);
            assert_eq!(admits(1, 2), Admission::Own);
        }
        let scanned = OthersRegions::Scanned;
        assert_eq!(watch.admits(TaskId(0), seen(2), scanned), Admission::Own);
    }

    #[test]
    fn who_has_touched_it_is_forgotten() {
        let rule = OthersRegions::Skipped;
        let mut watch = Watch::default();
        let seen = |jiffies| Seen {
            jiffies,
            delay: 250,
            scan_seq: 5,
            users: 8,
            begun: false,
        };
        assert_eq!(watch.admits(TaskId(0), seen(0), rule), Admission::NotNow);
        watch.touched_by(TaskId(0));
        assert_eq!(watch.admits(TaskId(0), seen(1_251), rule), Admission::Own);
        assert_eq!(
            watch.admits(TaskId(0), seen(2_251), rule),
            Admission::Others
        );
    }
}
