//! Who is who: threads, the scenario's tasks and its cgroups.

use serde::{Deserialize, Serialize};

/// What each task number of a [`crate::Snapshot`] stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadTable {
    /// Every thread by its task number.
    pub threads: Vec<ThreadInfo>,
    /// The scenario's tasks in its order.
    pub tasks: Vec<TaskInfo>,
    /// Paths of the cgroups; the root `/` is the first.
    pub cgroups: Vec<String>,
}

/// One thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadInfo {
    /// Index of [`ThreadTable::tasks`].
    pub task: u32,
    /// Its number within the task, from 0.
    pub index: u32,
}

/// One of the scenario's tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskInfo {
    /// Its name.
    pub name: String,
    /// Index of [`ThreadTable::cgroups`].
    pub cgroup: u32,
    /// How many threads it has.
    pub threads: u32,
    /// Name of its metric, such as `Mop/s`.
    pub metric: Option<String>,
}
