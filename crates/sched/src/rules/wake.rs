//! Placement of woken tasks, by release (SCHED.md 6).

use super::release::Release;

/// How one kernel places woken tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct WakeRules {
    /// Whether `wake_affine` keeps to an idle previous CPU in another cache (v5.10).
    pub affine_keeps_idle_prev: bool,
    /// Whether CPUs that a task may not use count among those a search looks at (to v5.5).
    pub sis_counts_forbidden: bool,
    /// Whether a CPU that runs only tasks of idle policy counts as idle (v5.4).
    pub sched_idle_cpus: bool,
}

impl WakeRules {
    pub(super) fn of(release: Release) -> Self {
        Self {
            affine_keeps_idle_prev: release.since(5, 10),
            sis_counts_forbidden: !release.since(5, 6),
            sched_idle_cpus: release.since(5, 4),
        }
    }
}
