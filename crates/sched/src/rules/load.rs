//! Load tracking, by release (SCHED.md 2).

use super::named::Choice;
use super::release::Release;

/// What load tracking knows of tasks that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pelt {
    /// The load of queued entities, `runnable_load_avg` (v4.15 to v5.6).
    RunnableLoad,
    /// How many tasks are runnable, `runnable_avg` (v5.7).
    Runnable,
}

impl Choice for Pelt {
    const ALL: &'static [(&'static str, Self)] = &[
        ("runnable-load", Self::RunnableLoad),
        ("runnable", Self::Runnable),
    ];
}

/// Which average of a run-queue the balancer and wakeups take for its load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadMetric {
    /// `runnable_load_avg`: queued entities only (to v5.4).
    RunnableLoad,
    /// `load_avg`: blocked entities too (v5.5).
    Load,
}

impl Choice for LoadMetric {
    const ALL: &'static [(&'static str, Self)] =
        &[("runnable-load", Self::RunnableLoad), ("load", Self::Load)];
}

/// How `util_est` follows a rise of utilization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UtilEst {
    /// By its moving average (v4.17 to v5.4).
    Ewma,
    /// At once (`UTIL_EST_FASTUP`, v5.5).
    FastUp,
}

impl Choice for UtilEst {
    const ALL: &'static [(&'static str, Self)] = &[("ewma", Self::Ewma), ("fast-up", Self::FastUp)];
}

/// How one kernel tracks load.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadRules {
    /// What is known of tasks that wait.
    pub pelt: Pelt,
    /// Least unscaled weight of an entity that has any: 2 from v5.7 on, else 0.
    pub weight_floor: u32,
    /// Whether load that comes from below is measured by the queue's own window (v5.8).
    pub window_divider: bool,
    /// The load of a CPU.
    pub metric: LoadMetric,
    /// Estimated utilization.
    pub util_est: UtilEst,
}

impl LoadRules {
    pub(super) fn of(release: Release) -> Self {
        Self {
            pelt: if release.since(5, 7) {
                Pelt::Runnable
            } else {
                Pelt::RunnableLoad
            },
            weight_floor: if release.since(5, 7) { 2 } else { 0 },
            window_divider: release.since(5, 8),
            metric: if release.since(5, 5) {
                LoadMetric::Load
            } else {
                LoadMetric::RunnableLoad
            },
            util_est: if release.since(5, 5) {
                UtilEst::FastUp
            } else {
                UtilEst::Ewma
            },
        }
    }
}
