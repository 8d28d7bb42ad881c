//! One CPU: what runs on it, how fast, and how long it tends to idle.

use crate::code::FULL;

/// How many idle periods the expectation looks back on.
const HISTORY: usize = 8;

/// What the speed of a walk through memory depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) thread: u32,
    /// Speed without what memory takes, of [`FULL`].
    pub(crate) rate: u64,
    /// [`teeter_sched::Sched::page_moves`]
    pub(crate) moves: u64,
}

/// The run state of a CPU.
#[derive(Clone, Debug)]
pub(crate) struct Cpu {
    /// The running thread; `None` = idle.
    pub(crate) running: Option<u32>,
    /// Progress is counted up to here; in the future while a context switch lasts.
    pub(crate) from: u64,
    /// Its speed, of [`FULL`].
    pub(crate) rate: u64,
    /// If its thread walks through memory: what its speed while it does was computed from, and that speed.
    /// Between walks they stay, and what the thread asks of memory with them.
    pub(crate) seen: Option<Seen>,
    pub(crate) walking: u64,
    /// The thread that ran on it last.
    pub(crate) last: Option<u32>,
    idle_since: u64,
    idle_periods: [u64; HISTORY],
    idle_count: u64,
}

impl Cpu {
    /// An idle CPU.
    pub(crate) fn new() -> Self {
        Self {
            running: None,
            from: 0,
            rate: FULL,
            seen: None,
            walking: FULL,
            last: None,
            idle_since: 0,
            idle_periods: [0; HISTORY],
            idle_count: 0,
        }
    }

    /// It begins to idle.
    pub(crate) fn goes_idle(&mut self, now: u64) {
        self.idle_since = now;
    }

    /// It gets work after idling.
    pub(crate) fn leaves_idle(&mut self, now: u64) {
        let slot = (self.idle_count % HISTORY as u64) as usize;
        if let Some(period) = self.idle_periods.get_mut(slot) {
            *period = now - self.idle_since;
        }
        self.idle_count += 1;
    }

    /// How long it may expect to idle, ns: the mean of its last idle periods. A CPU that has idled
    /// since boot expects to do so for ever.
    pub(crate) fn expected_idle(&self) -> u64 {
        match self.idle_count.min(HISTORY as u64) {
            0 => u64::MAX,
            count => self.idle_periods.iter().sum::<u64>() / count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_eight_idle_periods_count() {
        let mut cpu = Cpu::new();
        assert_eq!(cpu.expected_idle(), u64::MAX);
        let mut now = 0;
        for period in [1000, 1000, 10, 20, 10, 20, 10, 20, 10, 20] {
            cpu.goes_idle(now);
            now += period;
            cpu.leaves_idle(now);
        }
        assert_eq!(cpu.expected_idle(), 15);
    }
}
