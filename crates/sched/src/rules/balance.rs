//! Load balancing, by release (SCHED.md 5).

use super::named::Choice;
use super::release::Release;

/// How `find_busiest_group` chooses a group and `calculate_imbalance` an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Average load, `load_per_task`, `fix_small_imbalance` (to v5.4).
    AverageLoad,
    /// Group types and migration types (v5.5).
    GroupType,
}

impl Choice for Decision {
    const ALL: &'static [(&'static str, Self)] = &[
        ("average-load", Self::AverageLoad),
        ("group-type", Self::GroupType),
    ];
}

/// What spares `calculate_imbalance` a subtraction that would wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AverageGuard {
    /// Nothing (to v5.9).
    None,
    /// A local group above the busiest pulls nothing (v5.10).
    Busiest,
}

impl Choice for AverageGuard {
    const ALL: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("busiest", Self::Busiest)];
}

/// How much imbalance between NUMA nodes is left alone while there is little to balance (from v5.6 on; the
/// others are postings and suggestions on top of v5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumaImbalance {
    /// None (to v5.5).
    None,
    /// First posting, 18 December 2019.
    V1,
    /// Its revision in the thread, 19 December 2019.
    V1b,
    /// Suggestion of 18 December 2019: less than the percentage of a node that is less than half used.
    Squash,
    /// Suggestion of 19 December 2019: by idle CPUs.
    Idle,
    /// Second posting, 20 December 2019.
    V2,
    /// Third posting, 6 January 2020.
    V3,
    /// The third with the gate suggested on 7 January 2020.
    V3Gated,
    /// Suggestion of 7 January 2020: bounded by the level below.
    Child,
    /// Two tasks (fourth posting; v5.6 to v5.10).
    Pair,
    /// Two tasks while the busier node runs fewer than a quarter of its CPUs (v5.11 to v5.17).
    Quarter,
}

impl Choice for NumaImbalance {
    const ALL: &'static [(&'static str, Self)] = &[
        ("none", Self::None),
        ("v1", Self::V1),
        ("v1b", Self::V1b),
        ("squash", Self::Squash),
        ("idle", Self::Idle),
        ("v2", Self::V2),
        ("v3", Self::V3),
        ("v3-gated", Self::V3Gated),
        ("child", Self::Child),
        ("pair", Self::Pair),
        ("quarter", Self::Quarter),
    ];
}

/// Which tasks are too heavy to be detached for a smaller imbalance of load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetachLoad {
    /// Those of more than twice the imbalance (to v5.5).
    Twice,
    /// The same, unless passes failed more often than `cache_nice_tries` (v5.6 to v5.9).
    UnlessStuck,
    /// Those above the imbalance, halved for each failed pass (v5.10).
    Shift,
}

impl Choice for DetachLoad {
    const ALL: &'static [(&'static str, Self)] = &[
        ("twice", Self::Twice),
        ("unless-stuck", Self::UnlessStuck),
        ("shift", Self::Shift),
    ];
}

/// How one kernel balances load.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a point of its own where versions differ"
)]
#[derive(Clone, Debug, PartialEq)]
pub struct BalanceRules {
    /// Choice of group and amount.
    pub decision: Decision,
    /// Imbalance allowed between NUMA nodes.
    pub numa_imbalance: NumaImbalance,
    /// Guard of the averages.
    pub average_guard: AverageGuard,
    /// Whether a group with spare capacity pulls utilization within a last-level cache too (to v5.9).
    pub util_within_llc: bool,
    /// Whether a queue of one task is pulled from by utilization (to v5.6).
    pub lone_tasks_by_util: bool,
    /// Least load a moved task counts for: 1 from v5.8 on, else 0.
    pub h_load_floor: u64,
    /// Whether a task is cache-hot for the other hardware threads of its core (to v5.9).
    pub hot_within_core: bool,
    /// Whether a busy CPU's balance intervals are a jiffy shorter (v5.10).
    pub busy_less_one: bool,
    /// Whether a kick puts the next one off to a jiffy from now, not from when it was due (v5.11).
    pub kick_from_now: bool,
    /// Weight of detached tasks.
    pub detach_load: DetachLoad,
    /// Whether a pass that ends balanced after all tasks of a queue were pinned still clears the mark of
    /// imbalance of the level above (to v5.5).
    pub pinned_clears_imbalance: bool,
}

impl BalanceRules {
    pub(super) fn of(release: Release) -> Self {
        Self {
            decision: if release.since(5, 5) {
                Decision::GroupType
            } else {
                Decision::AverageLoad
            },
            numa_imbalance: match release {
                _ if release.since(5, 11) => NumaImbalance::Quarter,
                _ if release.since(5, 6) => NumaImbalance::Pair,
                _ => NumaImbalance::None,
            },
            average_guard: if release.since(5, 10) {
                AverageGuard::Busiest
            } else {
                AverageGuard::None
            },
            util_within_llc: !release.since(5, 10),
            lone_tasks_by_util: !release.since(5, 7),
            h_load_floor: u64::from(release.since(5, 8)),
            hot_within_core: !release.since(5, 10),
            busy_less_one: release.since(5, 10),
            kick_from_now: release.since(5, 11),
            detach_load: match release {
                _ if release.since(5, 10) => DetachLoad::Shift,
                _ if release.since(5, 6) => DetachLoad::UnlessStuck,
                _ => DetachLoad::Twice,
            },
            pinned_clears_imbalance: !release.since(5, 6),
        }
    }
}
