//! cpu.max, by release (SCHED.md 3.4).

use super::named::Choice;
use super::release::Release;

/// What becomes of run time that a CPU has drawn and not used when the period ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// It hardly ever expires: a refill of the pool passes for the drift of clocks (to v4.17).
    Stamp,
    /// It expires (v4.18 to v5.3).
    Sequence,
    /// It is kept (v5.4).
    Never,
}

impl Choice for Expiry {
    const ALL: &'static [(&'static str, Self)] = &[
        ("stamp", Self::Stamp),
        ("sequence", Self::Sequence),
        ("never", Self::Never),
    ];
}

/// Where the periods of a group begin, relative to the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeriodPhase {
    /// At multiples of their length since the clock began, which ticks do not begin with: all groups alike (to
    /// v6.3).
    Clock,
    /// At a time of each group's own, drawn when it is made (v6.4).
    Random,
}

impl Choice for PeriodPhase {
    const ALL: &'static [(&'static str, Self)] =
        &[("clock", Self::Clock), ("random", Self::Random)];
}

/// How one kernel limits the run time of groups.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a point of its own where versions differ"
)]
#[derive(Clone, Debug, PartialEq)]
pub struct BandwidthRules {
    /// What becomes of unused run time.
    pub expiry: Expiry,
    /// Whether who is throttled last gets run time first (to v4.19).
    pub last_throttled_first: bool,
    /// Whether time that comes back does not put off a slack timer that is set (v5.3).
    pub slack_timer_once: bool,
    /// Whether a queue tries once more for the least run time before it is throttled (v5.8).
    pub last_try: bool,
    /// Whether the timers that give run time out leave it to an interrupt on each other CPU to put its queues back
    /// (v6.3).
    pub unthrottles_by_interrupt: bool,
    /// Where periods begin.
    pub phase: PeriodPhase,
    /// Whether unused quota may be saved up (`cpu.max.burst`, v5.14).
    pub burst: bool,
    /// Whether queues above a throttled one note the load they lose or gain (v5.7).
    pub tracks_above: bool,
}

impl BandwidthRules {
    pub(super) fn of(release: Release) -> Self {
        Self {
            expiry: match release {
                _ if release.since(5, 4) => Expiry::Never,
                _ if release.since(4, 18) => Expiry::Sequence,
                _ => Expiry::Stamp,
            },
            last_throttled_first: !release.since(4, 20),
            slack_timer_once: release.since(5, 3),
            last_try: release.since(5, 8),
            unthrottles_by_interrupt: release.since(6, 3),
            phase: if release.since(6, 4) {
                PeriodPhase::Random
            } else {
                PeriodPhase::Clock
            },
            burst: release.since(5, 14),
            tracks_above: release.since(5, 7),
        }
    }
}
