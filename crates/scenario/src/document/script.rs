//! Changes while the scenario runs.

use std::collections::BTreeMap;

use super::{Bandwidth, SettingValue};
use crate::{CpuList, Nanos};

/// One change at one moment. Entries of one moment apply in the order they are written.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptEntry {
    /// When, from the start of the run.
    pub at: Nanos,
    /// What.
    pub action: Action,
}

/// What a script entry does. A `task` is a name (all its threads) or `name.index` (one).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Write tunables, as an administrator would through debugfs or sysctl.
    Set(BTreeMap<String, SettingValue>),
    /// `taskset`
    Affinity {
        /// Which task.
        task: String,
        /// The CPUs it may use from now on.
        cpus: CpuList,
    },
    /// Write files of a cgroup.
    Cgroup(CgroupChange),
    /// Move a task to another cgroup.
    Move {
        /// Which task.
        task: String,
        /// The cgroup's path.
        to: String,
    },
    /// Start tasks that have not begun; those named by a `start` action do not start by themselves.
    Start(String),
    /// End a task.
    Stop(String),
    /// Switch CPUs off.
    Offline(CpuList),
    /// Switch CPUs on.
    Online(CpuList),
    /// `renice`
    Nice {
        /// Which task.
        task: String,
        /// -20 to 19.
        nice: i8,
    },
    /// A write to `/proc/PID/autogroup`: another weight for the group of the task's session, that of a nice value.
    /// Where the kernel does not group by session there is no such file, and nothing happens.
    Autogroup {
        /// Which task.
        task: String,
        /// -20 to 19.
        nice: i8,
    },
    /// `sched_setattr` with a `sched_runtime`: a slice of the task's own (v6.12).
    Slice {
        /// Which task.
        task: String,
        /// Kernels take it within 0.1 to 100 ms; 0 = the kernel's again.
        slice: Nanos,
    },
}

/// The files of a cgroup that are written; `None` leaves one as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CgroupChange {
    /// Which cgroup.
    pub path: String,
    /// cpu.weight
    pub weight: Option<u32>,
    /// cpu.max
    pub max: Option<Bandwidth>,
    /// cpuset.cpus
    pub cpus: Option<CpuList>,
    /// cpuset.mems
    pub mems: Option<CpuList>,
    /// cpu.idle
    pub idle: Option<bool>,
    /// cpu.max.burst
    pub burst: Option<Nanos>,
}
