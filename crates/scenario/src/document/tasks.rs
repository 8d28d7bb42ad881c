//! Tasks: threads that run one workload.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Workload;
use crate::{Bytes, CpuList, Nanos};

/// Threads that run one workload. A single one is named `name.index`, from 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Tasks {
    /// Unique within the scenario.
    pub name: String,
    /// The cgroup they start in, by path.
    pub cgroup: String,
    /// What they do.
    pub workload: Workload,
    /// Threads of each process; workloads with a shape of their own (schbench, hackbench) set their own number.
    pub threads: u32,
    /// -20 to 19.
    pub nice: i8,
    /// The scheduling policy.
    pub policy: Policy,
    /// The CPUs they may use; `None`: all their cgroup may.
    pub affinity: Option<CpuList>,
    /// When the first is forked.
    pub start: Nanos,
    /// How they come into being.
    pub fork: Fork,
    /// Processes with memory of their own, each of `threads` threads.
    pub processes: u32,
    /// The memory they touch, if any; NUMA balancing looks only at tasks that have some.
    pub memory: Option<Memory>,
    /// The session they belong to, for autogroup.
    pub session: u32,
    /// Utilisation clamps.
    pub uclamp: Uclamp,
    /// A slice of their own (v6.12), which kernels take within 0.1 to 100 ms; `None`: the kernel's.
    pub slice: Option<Nanos>,
}

impl Tasks {
    /// One thread of a workload in the root cgroup, with everything else at its default.
    pub fn new(name: impl Into<String>, workload: Workload) -> Self {
        Self {
            name: name.into(),
            cgroup: "/".to_owned(),
            workload,
            threads: 1,
            nice: 0,
            policy: Policy::Normal,
            affinity: None,
            start: Nanos::ZERO,
            fork: Fork::default(),
            processes: 1,
            memory: None,
            session: 0,
            uclamp: Uclamp::default(),
            slice: None,
        }
    }
}

impl Tasks {
    /// Threads of all its processes together.
    pub fn thread_count(&self) -> u64 {
        let threads = self
            .workload
            .own_threads()
            .unwrap_or(u64::from(self.threads));
        threads.saturating_mul(u64::from(self.processes))
    }
}

/// The scheduling policy of the fair class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// SCHED_NORMAL
    #[default]
    Normal,
    /// SCHED_BATCH
    Batch,
    /// SCHED_IDLE
    Idle,
}

/// How threads come into being.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fork {
    /// Forked one after another by a parent on one CPU; the kernel's fork placement decides where each goes.
    From {
        /// The parent's CPU.
        cpu: u32,
        /// Time from one fork to the next.
        every: Nanos,
    },
    /// Placed on these CPUs, round robin, all at once.
    On(CpuList),
}

impl Default for Fork {
    fn default() -> Self {
        Self::From {
            cpu: 0,
            every: Nanos::ZERO,
        }
    }
}

/// The memory a task touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// How much, for each process.
    pub size: Bytes,
    /// The nodes it lies on, evenly; `None`: where it is first touched.
    pub nodes: Option<CpuList>,
}

/// Utilisation clamps, 0 to 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uclamp {
    /// UCLAMP_MIN
    pub min: u32,
    /// UCLAMP_MAX
    pub max: u32,
}

impl Default for Uclamp {
    fn default() -> Self {
        Self { min: 0, max: 1024 }
    }
}
