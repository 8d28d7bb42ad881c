//! Placement of forked tasks, by release (SCHED.md 6.5).

use super::named::Choice;
use super::release::Release;

/// How `find_idlest_group` places a forked task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Idlest {
    /// Runnable load, average load and spare capacity (to v5.4).
    SpareCapacity,
    /// Group types (v5.5), with the average load of groups that are not full.
    GroupType,
    /// The same with the average load of those that are (v5.8).
    GroupTypeLoad,
    /// Of groups with as many idle CPUs the less used one (v5.9).
    GroupTypeUtil,
}

impl Choice for Idlest {
    const ALL: &'static [(&'static str, Self)] = &[
        ("spare-capacity", Self::SpareCapacity),
        ("group-type", Self::GroupType),
        ("group-type-load", Self::GroupTypeLoad),
        ("group-type-util", Self::GroupTypeUtil),
    ];
}

/// While what a forked task stays on a node with spare capacity, whatever idles elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkNuma {
    /// While one of its CPUs idles (to v5.10).
    WhileIdle,
    /// While it runs fewer tasks than a quarter of the domain's CPUs (v5.11 to v5.17).
    Quarter,
    /// While it runs, with the new one, `imb_numa_nr` tasks at most (v5.18, v5.19).
    ImbNumaNr,
    /// While besides no node has more than two idle CPUs more, or fewer; affinity lowers the number (v6.0).
    IdleDifference,
}

impl Choice for ForkNuma {
    const ALL: &'static [(&'static str, Self)] = &[
        ("while-idle", Self::WhileIdle),
        ("quarter", Self::Quarter),
        ("imb-numa-nr", Self::ImbNumaNr),
        ("idle-difference", Self::IdleDifference),
    ];
}

/// How one kernel places forked tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct ForkRules {
    /// The choice of a group.
    pub idlest: Idlest,
    /// Between nodes.
    pub numa: ForkNuma,
    /// Whether a fork stays on its node unless another one is clearly less loaded (v4.17).
    pub stays_on_node: bool,
    /// Whether of equally loaded CPUs that do not idle the parent's own is taken, not the first (to v4.15).
    pub own_cpu_of_equals: bool,
}

impl ForkRules {
    pub(super) fn of(release: Release) -> Self {
        Self {
            idlest: match release {
                _ if release.since(5, 9) => Idlest::GroupTypeUtil,
                _ if release.since(5, 8) => Idlest::GroupTypeLoad,
                _ if release.since(5, 5) => Idlest::GroupType,
                _ => Idlest::SpareCapacity,
            },
            numa: match release {
                _ if release.since(6, 0) => ForkNuma::IdleDifference,
                _ if release.since(5, 18) => ForkNuma::ImbNumaNr,
                _ if release.since(5, 11) => ForkNuma::Quarter,
                _ => ForkNuma::WhileIdle,
            },
            stays_on_node: release.since(4, 17),
            own_cpu_of_equals: !release.since(4, 16),
        }
    }
}
