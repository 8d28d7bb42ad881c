//! Clocks and intervals.

use super::Sched;

/// The kernel's clock at the start of the simulation. Not 0, since a `last_update_time` of 0 means an
/// entity attached to nothing; a multiple of 1024, so that PELT units start whole.
pub(crate) const BOOT_NS: u64 = 1 << 30;

impl Sched {
    /// The tick count.
    #[inline]
    pub(crate) fn jiffies(&self) -> u64 {
        self.jiffies
    }

    /// Milliseconds in ticks, rounded up (`msecs_to_jiffies`).
    #[inline]
    pub(crate) fn msecs_to_jiffies(&self, ms: u64) -> u64 {
        (ms * u64::from(self.rules.hz)).div_ceil(1000)
    }
}
