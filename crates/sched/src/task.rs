//! What the scheduler knows of a task beside its entity.

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::document::Policy;

use crate::ids::{EntityId, GroupId, TaskId};

/// What to make a task of.
#[derive(Clone, Debug)]
pub struct NewTask {
    /// Its group.
    pub group: GroupId,
    /// -20 to 19; outside that it is clamped.
    pub nice: i8,
    /// Scheduling policy within the fair class.
    pub policy: Policy,
    /// CPUs it asks to run on. Those that its group may not use are ignored; with none left it may run on all
    /// of the group's.
    pub affinity: CpuSet,
    /// Whether it is a kernel thread of one CPU, such as a kworker; it counts only with an affinity of one.
    pub per_cpu_kthread: bool,
}

/// Where a task is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Not forked yet, or ended.
    Dead,
    /// Asleep; its blocked load is on its CPU.
    Sleeping,
    /// Queued or running.
    Runnable,
}

/// A task.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) se: EntityId,
    pub(crate) group: GroupId,
    /// -20 to 19.
    pub(crate) nice: i8,
    pub(crate) policy: Policy,
    /// CPUs it asked for itself (`user_cpus_ptr`); `None` = never.
    pub(crate) user_cpus: Option<CpuSet>,
    /// CPUs it is bound to, online or not.
    pub(crate) cpus_mask: CpuSet,
    /// Those of them that are online.
    pub(crate) affinity: CpuSet,
    /// A kernel thread of one CPU (`is_per_cpu_kthread`).
    pub(crate) per_cpu_kthread: bool,
    pub(crate) state: State,
    pub(crate) cpu: CpuId,
    pub(crate) recent_used_cpu: CpuId,
    /// For `wake_wide`: how often it changed whom it wakes, when that last decayed, and whom it woke last.
    pub(crate) wakee_flips: u32,
    pub(crate) wakee_flip_decay_ts: u64,
    pub(crate) last_wakee: Option<TaskId>,
}
