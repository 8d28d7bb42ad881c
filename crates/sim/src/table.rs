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

impl ThreadTable {
    /// The name that a thread has of its own, such as the one it was recorded by.
    pub fn label(&self, task: u32) -> Option<&str> {
        let thread = self.threads.get(task as usize)?;
        let labels = &self.tasks.get(thread.task as usize)?.labels;
        labels.get(thread.index as usize).map(String::as_str)
    }

    /// A thread's name, `task.index`, by its task number.
    pub fn name(&self, task: u32) -> String {
        let thread = self.threads.get(task as usize);
        let named = thread.and_then(|thread| Some((thread, self.tasks.get(thread.task as usize)?)));
        named.map_or_else(String::new, |(thread, task)| {
            format!("{}.{}", task.name, thread.index)
        })
    }
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
    /// Names of single threads, by their number within the task; empty where they have none of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}
