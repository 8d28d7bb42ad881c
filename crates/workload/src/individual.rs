//! What sets single threads of a workload apart.

use teeter_scenario::document::Policy;
use teeter_scenario::{CpuList, Nanos};

/// What sets one thread apart from the others of its tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Individual {
    /// A name of its own.
    pub name: Option<String>,
    /// Its nice level; `None`: that of its tasks.
    pub nice: Option<i8>,
    /// Its scheduling policy; `None`: that of its tasks.
    pub policy: Option<Policy>,
    /// The CPUs it may use, of those its tasks may; `None`: all these.
    pub cpus: Option<CpuList>,
    /// The cgroup it begins in, by path; `None`: that of its tasks.
    pub cgroup: Option<String>,
    /// Whether it is a kernel thread bound to its CPU, which wakeup placement treats apart
    /// (kernel/sched/fair.c `is_per_cpu_kthread`).
    pub per_cpu_kthread: bool,
    /// How it comes into being.
    pub birth: Birth,
}

/// How one thread comes into being.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Birth {
    /// It is forked so long after its tasks' start, from where these are, and the kernel places it.
    Forked {
        /// How long after.
        after: Nanos,
    },
    /// It is put on this CPU so long after its tasks' start.
    Placed {
        /// How long after.
        after: Nanos,
        /// Which CPU.
        cpu: u32,
    },
    /// Another thread forks it ([`crate::Op::Fork`]).
    ByThread,
}

impl Default for Birth {
    fn default() -> Self {
        Self::Forked { after: Nanos::ZERO }
    }
}
