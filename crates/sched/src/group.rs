//! Task groups.

use crate::weight::NICE_0_LOAD;

/// A `task_group`: a cgroup of the cpu controller.
#[derive(Clone, Debug)]
pub(crate) struct TaskGroup {
    /// Scaled weight.
    pub(crate) shares: u64,
    /// Sum of what its queues contribute.
    pub(crate) load_avg: u64,
}

impl TaskGroup {
    /// The root group, whose weight nothing is measured against.
    pub(crate) fn root() -> Self {
        Self {
            shares: NICE_0_LOAD,
            load_avg: 0,
        }
    }
}
