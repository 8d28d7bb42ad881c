//! The choice of the next task, by release (SCHED.md 3 and 14).

use super::named::Choice;
use super::release::Release;

/// By what the next entity is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picking {
    /// The least virtual time (to v6.5).
    Cfs,
    /// The earliest virtual deadline among those that are owed time (v6.6).
    Eevdf,
}

impl Choice for Picking {
    const ALL: &'static [(&'static str, Self)] = &[("cfs", Self::Cfs), ("eevdf", Self::Eevdf)];
}

/// What gives way to everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IdleEntities {
    /// Tasks of idle policy, when something wakes (to v5.14).
    Tasks,
    /// Idle groups too, which also get other slices and places (v5.15).
    TasksAndGroups,
    /// The same, but a task's policy counts only against its siblings (v6.12).
    WhereTheyMeet,
}

impl Choice for IdleEntities {
    const ALL: &'static [(&'static str, Self)] = &[
        ("tasks", Self::Tasks),
        ("tasks-and-groups", Self::TasksAndGroups),
        ("where-they-meet", Self::WhereTheyMeet),
    ];
}

/// How long a picked entity is protected from others with earlier deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Until its deadline at the time it was picked has passed (v6.6 to v6.16).
    Deadline,
    /// For the shortest slice of all that is queued (v6.17).
    MinSlice,
}

impl Choice for Protection {
    const ALL: &'static [(&'static str, Self)] =
        &[("deadline", Self::Deadline), ("min-slice", Self::MinSlice)];
}

/// What a queued entity keeps when its weight changes (EEVDF).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reweight {
    /// Its lag and its distance to the deadline, both around the average of the others (v6.6 to v6.8).
    Lag,
    /// The same around the average of all, with the lag within its bounds (v6.9).
    BoundedLag,
    /// It is taken out and placed again (v6.14 and late v6.12 stable).
    Replace,
}

impl Choice for Reweight {
    const ALL: &'static [(&'static str, Self)] = &[
        ("lag", Self::Lag),
        ("bounded-lag", Self::BoundedLag),
        ("replace", Self::Replace),
    ];
}

/// Which sleepers that wait to be dequeued count as runnable tasks (v6.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delayed {
    /// All, in every count (v6.12).
    Counted,
    /// None where runnable tasks are meant (v6.14 and late v6.12 stable).
    Apart,
}

impl Choice for Delayed {
    const ALL: &'static [(&'static str, Self)] =
        &[("counted", Self::Counted), ("apart", Self::Apart)];
}

/// How one kernel picks.
#[derive(Clone, Debug, PartialEq)]
pub struct PickRules {
    /// By what the next entity is chosen.
    pub form: Picking,
    /// What gives way to everything else.
    pub idle: IdleEntities,
    /// Whether no entity runs for longer than a latency at a time (v6.3, CFS).
    pub slice_limit: bool,
    /// `base_slice` before it is multiplied by the number of CPUs, ns (EEVDF).
    pub base_slice_ns: u64,
    /// How long a picked entity is protected (EEVDF).
    pub protection: Protection,
    /// What a queued entity keeps when its weight changes (EEVDF).
    pub reweight: Reweight,
    /// Whether a group's weight stays as it is when its last task leaves (v6.13 and late v6.12 stable): its
    /// entity may have to stay queued.
    pub empty_group_keeps_weight: bool,
    /// Whether a new task comes to its queue as one (v6.12); before, it was placed as a woken one, which
    /// undid `PLACE_DEADLINE_INITIAL` (EEVDF).
    pub enqueue_initial: bool,
    /// Which sleepers that wait to be dequeued count as runnable.
    pub delayed: Delayed,
}

impl PickRules {
    pub(super) fn of(release: Release) -> Self {
        Self {
            form: if release.since(6, 6) {
                Picking::Eevdf
            } else {
                Picking::Cfs
            },
            idle: if release.since(6, 12) {
                IdleEntities::WhereTheyMeet
            } else if release.since(5, 15) {
                IdleEntities::TasksAndGroups
            } else {
                IdleEntities::Tasks
            },
            slice_limit: release.since(6, 3),
            base_slice_ns: if release.since(6, 15) {
                700_000
            } else {
                750_000
            },
            protection: if release.since(6, 17) {
                Protection::MinSlice
            } else {
                Protection::Deadline
            },
            reweight: if release.since(6, 14) {
                Reweight::Replace
            } else if release.since(6, 9) {
                Reweight::BoundedLag
            } else {
                Reweight::Lag
            },
            empty_group_keeps_weight: release.since(6, 13),
            enqueue_initial: release.since(6, 12),
            delayed: if release.since(6, 14) {
                Delayed::Apart
            } else {
                Delayed::Counted
            },
        }
    }
}
