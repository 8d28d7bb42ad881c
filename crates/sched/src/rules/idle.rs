//! Balancing at the edge of idleness and on behalf of idle CPUs, by release (SCHED.md 5.1 and 14).

use super::release::Release;

/// How one kernel balances CPUs that idle or are about to.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a point of its own where versions differ"
)]
#[derive(Clone, Debug, PartialEq)]
pub struct IdleRules {
    /// Whether a CPU about to idle looks for tasks if it idles for longer than the lowest domain's pass took,
    /// not than `migration_cost`; and the update of blocked load counts towards that cost (v5.16).
    pub cost_gate: bool,
    /// Whether each domain is tried at random, as often as it succeeded of late (`NI_RANDOM`, v6.19 and late
    /// stable releases).
    pub random: bool,
    /// Whether busy CPUs kick idle ones to refresh blocked load too (v4.17). Before, that is done where they are
    /// balanced.
    pub blocked_kicks: bool,
    /// Whether only the first CPU without a tick is kicked, and none if that one is not idle (to v5.1).
    pub kicks_first_only: bool,
    /// Whether blocked load is refreshed after any search that found nothing, not only where none was made
    /// (v5.12).
    pub blocked_after_search: bool,
    /// Whether a kick puts the next one off to a jiffy from now, not from when it was due (v5.11).
    pub kick_from_now: bool,
    /// Whether the kicked CPU goes round from the CPU after itself and comes last, if due (v5.12).
    pub round_from_self: bool,
    /// Whether a CPU that goes idle has the date of the next balance computed anew (v5.15).
    pub next_on_idle: bool,
}

impl IdleRules {
    pub(super) fn of(release: Release) -> Self {
        Self {
            cost_gate: release.since(5, 16),
            random: false,
            blocked_kicks: release.since(4, 17),
            kicks_first_only: !release.since(5, 2),
            blocked_after_search: release.since(5, 12),
            kick_from_now: release.since(5, 11),
            round_from_self: release.since(5, 12),
            next_on_idle: release.since(5, 15),
        }
    }
}
