//! An average of a queue and its sum, as load comes or goes between two updates.
//!
//! Source: kernel/sched/fair.c `dequeue_load_avg`, `detach_entity_load_avg`, `update_cfs_rq_load_avg`,
//! `update_tg_cfs_util`, `update_tg_cfs_runnable`, `update_tg_cfs_load` (v5.8, v5.14, v5.17).

use crate::pelt::{LEAST_DIVIDER, SchedAvg, add_positive, sub_positive};
use crate::rules::SumSync;

/// One of the averages of a [`SchedAvg`] with its sum.
pub(super) struct Signal<'a> {
    pub(super) average: &'a mut u64,
    pub(super) sum: &'a mut u64,
}

impl SchedAvg {
    pub(super) fn load(&mut self) -> Signal<'_> {
        Signal {
            average: &mut self.load_avg,
            sum: &mut self.load_sum,
        }
    }

    pub(super) fn runnable(&mut self) -> Signal<'_> {
        Signal {
            average: &mut self.runnable_avg,
            sum: &mut self.runnable_sum,
        }
    }

    pub(super) fn util(&mut self) -> Signal<'_> {
        Signal {
            average: &mut self.util_avg,
            sum: &mut self.util_sum,
        }
    }
}

impl Signal<'_> {
    /// What goes is `average` with its `sum`. `divider`: that of the window.
    #[inline]
    pub(super) fn sub(self, sync: SumSync, average: u64, sum: u64, divider: u64) {
        sub_positive(self.average, average);
        sub_positive(self.sum, sum);
        self.keep(sync, divider);
    }

    /// Both change by so much. `divider`: that of the window.
    #[inline]
    pub(super) fn change(self, sync: SumSync, average: i64, sum: i64, divider: u64) {
        add_positive(self.average, average);
        add_positive(self.sum, sum);
        self.keep(sync, divider);
    }

    /// Keeps the sum to the average.
    #[inline]
    fn keep(self, sync: SumSync, divider: u64) {
        match sync {
            SumSync::Apart => {}
            SumSync::Average => *self.sum = *self.average * divider,
            SumSync::AtLeast => *self.sum = at_least(*self.sum, *self.average),
        }
    }
}

/// A sum that is not below what its average needs at the beginning of a period. The kernel compares 32 bits, and
/// keeps no more.
#[inline]
fn at_least(sum: u64, average: u64) -> u64 {
    u64::from((sum as u32).max((average * LEAST_DIVIDER) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of an average and its sum when half of each and a bit more of the sum goes.
    fn left(sync: SumSync) -> (u64, u64) {
        let mut avg = SchedAvg {
            load_avg: 100,
            load_sum: 100 * 47_000,
            ..SchedAvg::default()
        };
        avg.load().sub(sync, 50, 51 * 47_000, 47_500);
        (avg.load_avg, avg.load_sum)
    }

    #[test]
    fn sums_follow_their_average_by_release() {
        assert_eq!(left(SumSync::Apart), (50, 49 * 47_000));
        assert_eq!(left(SumSync::Average), (50, 50 * 47_500));
        assert_eq!(left(SumSync::AtLeast), (50, 50 * LEAST_DIVIDER));
    }

    #[test]
    fn a_sum_above_the_least_is_left_alone() {
        let mut avg = SchedAvg {
            util_avg: 100,
            util_sum: 100 * 47_700,
            ..SchedAvg::default()
        };
        avg.util()
            .change(SumSync::AtLeast, -10, -10 * 47_000, 47_500);
        assert_eq!((avg.util_avg, avg.util_sum), (90, 100 * 47_700 - 470_000));
    }

    #[test]
    fn sums_of_many_tasks_lose_what_is_above_32_bits() {
        let average = 100_000;
        assert_eq!(
            at_least(1 << 32, average),
            average * LEAST_DIVIDER - (1 << 32)
        );
        assert_eq!(at_least((1 << 32) + 5, 0), 5);
    }
}
