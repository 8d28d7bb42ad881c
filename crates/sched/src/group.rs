//! Task groups.

use teeter_machine::CpuSet;
use teeter_scenario::document::Partition;

use crate::bandwidth::CfsBandwidth;
use crate::ids::GroupId;
use crate::numa::NodeMask;
use crate::weight::NICE_0_LOAD;

/// A `task_group`: a cgroup of the cpu controller.
#[derive(Clone, Debug)]
pub(crate) struct TaskGroup {
    /// Scaled weight.
    pub(crate) shares: u64,
    /// Sum of what its queues contribute.
    pub(crate) load_avg: u64,
    pub(crate) parent: GroupId,
    /// Whether it gives way to everything else (`cpu.idle`).
    pub(crate) idle: bool,
    pub(crate) bandwidth: CfsBandwidth,
    /// `cpuset.cpus`; `None` = its parent's.
    pub(crate) cpus: Option<CpuSet>,
    /// `cpuset.mems`; `None` = its parent's.
    pub(crate) mems: Option<NodeMask>,
    /// `cpuset.cpus.effective`
    pub(crate) effective_cpus: CpuSet,
    /// `cpuset.cpus.partition` as written, and whether it is one.
    pub(crate) partition: Partition,
    pub(crate) is_partition: bool,
    /// CPUs that partitions below have taken.
    pub(crate) given_away: CpuSet,
}

impl TaskGroup {
    /// The root group, whose weight nothing is measured against.
    pub(crate) fn root(online: CpuSet) -> Self {
        Self {
            shares: NICE_0_LOAD,
            load_avg: 0,
            parent: GroupId::ROOT,
            idle: false,
            bandwidth: CfsBandwidth::unlimited(),
            cpus: None,
            mems: None,
            effective_cpus: online,
            partition: Partition::Member,
            is_partition: false,
            given_away: CpuSet::EMPTY,
        }
    }

    /// A group of these scaled shares below one of these CPUs.
    pub(crate) fn new(parent: GroupId, shares: u64, effective_cpus: CpuSet) -> Self {
        Self {
            shares,
            load_avg: 0,
            parent,
            idle: false,
            bandwidth: CfsBandwidth::unlimited(),
            cpus: None,
            mems: None,
            effective_cpus,
            partition: Partition::Member,
            is_partition: false,
            given_away: CpuSet::EMPTY,
        }
    }
}
