//! Changes of tasks that exist, by release.

use super::release::Release;

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a point of its own where versions differ"
)]
/// How one kernel carries out changes of affinity and nice.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeRules {
    /// Whether tasks whose CPU is taken from them are spread over those that are left (v5.7).
    pub spreads_bound_tasks: bool,
    /// Whether the CPUs a task asked for outlast changes of its cpuset (v6.2).
    pub keeps_user_cpus: bool,
    /// Whether cpusets may be partitions with domains of their own (v5.0).
    pub partitions: bool,
    /// Whether they may be without domains (v6.1).
    pub isolated_partitions: bool,
    /// Whether a task of a new nice level is weighed against the running one, instead of preempting it
    /// whenever it gained (v5.6).
    pub renice_weighs: bool,
    /// Whether domains that are built anew, because a CPU goes or comes, have NUMA levels again.
    pub rebuild_keeps_numa: bool,
    /// Whether a waiting task that comes to another group is weighed against what runs (e34881c84c25, after
    /// v6.17); before, one that leaves a throttled group does not even end the idling of its CPU.
    pub moved_task_preempts: bool,
}

impl ChangeRules {
    pub(super) fn of(release: Release) -> Self {
        Self {
            spreads_bound_tasks: release.since(5, 7),
            keeps_user_cpus: release.since(6, 2),
            partitions: release.since(5, 0),
            isolated_partitions: release.since(6, 1),
            renice_weighs: release.since(5, 6),
            rebuild_keeps_numa: true,
            moved_task_preempts: false,
        }
    }
}
