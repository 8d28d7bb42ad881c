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

/// Which form of the rework of load balancing by group types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rework {
    /// The second posting, 1 August 2019: of groups that have room the first of those with fewest idle CPUs is
    /// the busiest, nothing is pulled to a group with only one idle CPU more, counts of tasks wrap, and misfit and
    /// misplaced tasks are pulled by their load.
    V2,
    /// As merged (v5.5).
    Merged,
}

impl Choice for Rework {
    const ALL: &'static [(&'static str, Self)] = &[("v2", Self::V2), ("merged", Self::Merged)];
}

/// What spares `calculate_imbalance` a subtraction that would wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AverageGuard {
    /// Nothing (to v5.9).
    None,
    /// A local group above the busiest pulls nothing (v5.10).
    Busiest,
    /// Nor does one above the whole domain (v6.3, and late stable releases before).
    BusiestAndDomain,
}

/// How capacities of CPUs and groups compare on a machine where they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapacityTest {
    /// Smaller is that of which 5/4 fits into the other (to v5.12).
    Fits,
    /// Greater is that which is more by about 5 % (`capacity_greater`, v5.13).
    Greater,
}

impl Choice for CapacityTest {
    const ALL: &'static [(&'static str, Self)] =
        &[("fits", Self::Fits), ("greater", Self::Greater)];
}

/// When a CPU pulls because its priority is higher (`SD_ASYM_PACKING`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsymPull {
    /// By priority alone (to v5.14).
    Priority,
    /// Busy hardware threads of both groups are counted (v5.15 to v6.4).
    BusyThreads,
    /// By priority, to a core that idles from one that has a single busy thread (v6.5).
    IdleCore,
}

impl Choice for AsymPull {
    const ALL: &'static [(&'static str, Self)] = &[
        ("priority", Self::Priority),
        ("busy-threads", Self::BusyThreads),
        ("idle-core", Self::IdleCore),
    ];
}

impl Choice for AverageGuard {
    const ALL: &'static [(&'static str, Self)] = &[
        ("none", Self::None),
        ("busiest", Self::Busiest),
        ("busiest-and-domain", Self::BusiestAndDomain),
    ];
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
    /// Two tasks, counted once halved, while the pulling node runs fewer than its `imb_numa_nr` (v5.18, v5.19).
    NodeHalved,
    /// Two tasks of the whole difference, likewise (v6.0).
    Node,
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
        ("imb-numa-nr-halved", Self::NodeHalved),
        ("imb-numa-nr", Self::Node),
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
    /// Form of the decision by group types.
    pub rework: Rework,
    /// Imbalance allowed between NUMA nodes.
    pub numa_imbalance: NumaImbalance,
    /// Guard of the averages.
    pub average_guard: AverageGuard,
    /// Whether groups are filled evenly if the busiest group's flags say so, not those of the level below
    /// (v6.5).
    pub sibling_of_busiest: bool,
    /// Whether of fully busy groups equally loaded one of hardware threads of a core is the busiest (v6.5).
    pub smt_ties: bool,
    /// Whether cores with several hardware threads are told from others: busy threads spread to idle cores
    /// (`group_smt_balance`), tasks are counted for each core (`sibling_imbalance`), and an idle core's CPU
    /// balances before one of a core half busy (v6.6).
    pub smt: bool,
    /// Whether one idle CPU more than an overloaded group has is enough to pull a task (a patch on v6.17).
    pub even_idle: bool,
    /// Comparison of capacities.
    pub capacity_test: CapacityTest,
    /// Whether the only task of a CPU of reduced capacity counts as misfit on a machine of equal CPUs (v6.1).
    pub reduced_capacity_misfit: bool,
    /// Whether kernel threads of a CPU are left there before their affinity is looked at (v5.12).
    pub kthreads_stay: bool,
    /// Whether tasks that owe time are left where they are until a pass has failed (v6.14, EEVDF).
    pub eligible_first: bool,
    /// Whether only a task that may use a bigger CPU is misfit (v6.10).
    pub misfit_if_bigger: bool,
    /// Whether passes for misfit tasks count no failure and put nothing off (v6.12).
    pub misfit_apart: bool,
    /// Pulling by priority.
    pub asym_pull: AsymPull,
    /// Whether only a CPU about to idle has a running task pushed to it for its priority (to v5.0).
    pub asym_newly_idle: bool,
    /// Whether a group with room fills up from any other of several tasks, not only from one of at least two
    /// more (to v4.12).
    pub sibling_of_any: bool,
    /// Whether only a CPU about to idle pulls from an overloaded group into one with room whatever their loads
    /// are, not every idle one (to v4.14).
    pub forced_newly_idle: bool,
    /// Whether there is a group to pull from even if the amount comes to nothing, so that the pass fails (to
    /// v4.19).
    pub pulls_nothing: bool,
    /// Whether a CPU's tasks are listed by when they last ran and looked at from the least recent one on
    /// (v4.16), not by when they were queued and from the last one on.
    pub least_recent_first: bool,
    /// Whether a pass goes on to other queues after one of pinned tasks as long as any CPU is left, not only
    /// while one outside the local group is (to v4.12).
    pub redo_to_last: bool,
    /// Whether passes that find nothing put the next one off for a CPU about to idle too (v4.20 and before).
    pub newly_idle_backs_off: bool,
    /// Whether any active balance puts the next pass off, also one that needed no failures (to v5.0).
    pub voluntary_backs_off: bool,
    /// Whether a queue without tasks may be the busiest, by the load of what sleeps there (to v6.0).
    pub empty_queues: bool,
    /// Whether the busiest queue by utilization is found with tasks that wait counted in (v6.5).
    pub queue_by_runnable: bool,
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
    /// Weight of detached tasks.
    pub detach_load: DetachLoad,
    /// Whether a task's utilization is halved for each failed pass before it is compared with the imbalance
    /// (v6.7).
    pub detach_util_shift: bool,
    /// Whether a pass looks on, past `nr_migrate` tasks, while all it met were pinned (v6.1 to v6.6).
    pub past_pinned: bool,
    /// Whether failed passes lead to an active balance whatever is to be moved, which also puts the next pass
    /// off and keeps the count of failures up (to v5.11). Later it is so for tasks only.
    pub active_any_type: bool,
    /// Whether an active balance takes a task that is still in the cache, without failed passes (v5.12).
    pub active_moves_hot: bool,
    /// Whether the tasks of a queue are taken to be pinned until one is met that is not, also where the queue
    /// has only its running task (v5.12).
    pub assume_pinned: bool,
    /// Whether a task that may not come to the pulling CPU goes only to one that balances for its group, not to
    /// any of the group's, which may be the CPU it is on where groups overlap (v6.5, and late stable releases
    /// before).
    pub detour_balances: bool,
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
            rework: Rework::Merged,
            numa_imbalance: match release {
                _ if release.since(6, 0) => NumaImbalance::Node,
                _ if release.since(5, 18) => NumaImbalance::NodeHalved,
                _ if release.since(5, 11) => NumaImbalance::Quarter,
                _ if release.since(5, 6) => NumaImbalance::Pair,
                _ => NumaImbalance::None,
            },
            average_guard: match release {
                _ if release.since(6, 3) => AverageGuard::BusiestAndDomain,
                _ if release.since(5, 10) => AverageGuard::Busiest,
                _ => AverageGuard::None,
            },
            sibling_of_busiest: release.since(6, 5),
            smt_ties: release.since(6, 5),
            smt: release.since(6, 6),
            even_idle: false,
            capacity_test: if release.since(5, 13) {
                CapacityTest::Greater
            } else {
                CapacityTest::Fits
            },
            reduced_capacity_misfit: release.since(6, 1),
            kthreads_stay: release.since(5, 12),
            eligible_first: release.since(6, 14),
            misfit_if_bigger: release.since(6, 10),
            misfit_apart: release.since(6, 12),
            asym_pull: match release {
                _ if release.since(6, 5) => AsymPull::IdleCore,
                _ if release.since(5, 15) => AsymPull::BusyThreads,
                _ => AsymPull::Priority,
            },
            asym_newly_idle: !release.since(5, 1),
            sibling_of_any: !release.since(4, 13),
            forced_newly_idle: !release.since(4, 15),
            pulls_nothing: !release.since(4, 20),
            least_recent_first: release.since(4, 16),
            redo_to_last: !release.since(4, 13),
            newly_idle_backs_off: !release.since(5, 0),
            voluntary_backs_off: !release.since(5, 1),
            empty_queues: !release.since(6, 1),
            queue_by_runnable: release.since(6, 5),
            util_within_llc: !release.since(5, 10),
            lone_tasks_by_util: !release.since(5, 7),
            h_load_floor: u64::from(release.since(5, 8)),
            hot_within_core: !release.since(5, 10),
            busy_less_one: release.since(5, 10),
            detach_load: match release {
                _ if release.since(5, 10) => DetachLoad::Shift,
                _ if release.since(5, 6) => DetachLoad::UnlessStuck,
                _ => DetachLoad::Twice,
            },
            detach_util_shift: release.since(6, 7),
            past_pinned: release.since(6, 1) && !release.since(6, 7),
            active_any_type: !release.since(5, 12),
            active_moves_hot: release.since(5, 12),
            assume_pinned: release.since(5, 12),
            detour_balances: release.since(6, 5),
            pinned_clears_imbalance: !release.since(5, 6),
        }
    }
}
