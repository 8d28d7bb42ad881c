//! The clock by which load is tracked: on a CPU of half the capacity it runs at half the speed while the CPU is
//! busy, so that a utilization means the same work everywhere.
//!
//! Source: kernel/sched/pelt.h `update_rq_clock_pelt`, `update_idle_rq_clock_pelt` (v5.1; SCHED.md 2.1 and
//! 14). Frequencies are fixed.

use teeter_machine::CpuId;

use crate::pelt::LOAD_AVG_MAX;
use crate::sched::Sched;

/// The PELT clock of one CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PeltClock {
    /// Clock of the CPU when it was last brought up to date, ns.
    seen: u64,
    /// ns; behind `seen` while a small CPU is busy (`clock_pelt`).
    pelt: u64,
    /// Idle time that never was, since the CPU would not have idled had it been bigger, ns
    /// (`lost_idle_time`).
    lost: u64,
}

impl PeltClock {
    /// Brings it to `now`, of a CPU that was busy or idle until then.
    fn advance(&mut self, now: u64, capacity: u64, busy: bool) {
        let delta = now.saturating_sub(self.seen);
        self.pelt = if busy {
            self.pelt + ((delta * capacity) >> 10)
        } else {
            now
        };
        self.seen = now;
    }

    /// The CPU goes idle. If it was busy all the time, its lag is not made up for by the idle time.
    fn go_idle(&mut self, util_sum: u64) {
        if util_sum >= ((LOAD_AVG_MAX - 1024) << 10) - LOAD_AVG_MAX {
            self.lost += self.seen - self.pelt;
        }
        self.pelt = self.seen;
    }

    /// What it shows, ns.
    fn read(self) -> u64 {
        self.pelt - self.lost
    }
}

impl Sched {
    /// The PELT clock of a CPU, brought up to date (`rq_clock_pelt`), ns.
    pub(crate) fn clock_pelt(&mut self, cpu: CpuId) -> u64 {
        let now = self.now;
        let rq = &mut self.rqs[cpu.index()];
        if rq.cpu_capacity_orig == 1024 || !self.rules.load.capacity_clock {
            return now;
        }
        rq.clock
            .advance(now, rq.cpu_capacity_orig, rq.curr.is_some());
        rq.clock.read()
    }

    /// Before another task, or none, runs on the CPU: the clock runs differently from now on.
    pub(crate) fn turn_clock_pelt(&mut self, cpu: CpuId, goes_idle: bool) {
        let _ = self.clock_pelt(cpu);
        if goes_idle {
            let util_sum = self.cfs_rqs[cpu.index()].avg.util_sum;
            self.rqs[cpu.index()].clock.go_idle(util_sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: u64 = LOAD_AVG_MAX << 10;

    #[test]
    fn a_half_cpu_ages_at_half_speed_and_catches_up_when_it_idles() {
        let mut clock = PeltClock::default();
        clock.advance(1000, 512, false);
        clock.advance(3000, 512, true);
        assert_eq!(clock.read(), 2000);
        clock.go_idle(0);
        assert_eq!(clock.read(), 3000);
    }

    #[test]
    fn one_that_was_always_busy_never_catches_up() {
        let mut clock = PeltClock::default();
        clock.advance(1000, 512, false);
        clock.advance(3000, 512, true);
        clock.go_idle(FULL);
        clock.advance(4000, 512, false);
        assert_eq!(clock.read(), 3000);
    }
}
