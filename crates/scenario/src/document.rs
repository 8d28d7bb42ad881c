//! The scenario as the rest of Teeter works with it: typed, with every default filled in.

pub mod cgroup;
pub mod kernel;
pub mod machine;
pub mod run;
pub mod script;
pub mod setting;
pub mod step;
pub mod tasks;
pub mod workload;

pub use cgroup::{Bandwidth, Cgroup, Partition};
pub use kernel::Kernel;
pub use machine::{
    ClusterSpec, CoreSpec, ImportKind, LlcSpec, Machine, MachineSource, NodeSpec, Numbering,
};
pub use run::{Run, Until};
pub use script::{Action, CgroupChange, ScriptEntry};
pub use setting::SettingValue;
pub use tasks::{Fork, Memory, Policy, Tasks, Uclamp};
pub use workload::Workload;

/// A whole scenario. What each part means is told at its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name, plain text.
    pub name: String,
    /// What it shows, plain text.
    pub about: String,
    /// The hardware.
    pub machine: Machine,
    /// The cgroups that are listed; see [`Cgroup`] for those that are not.
    pub cgroups: Vec<Cgroup>,
    /// The tasks, grouped by workload.
    pub tasks: Vec<Tasks>,
    /// The kernels to compare, one to four.
    pub kernels: Vec<Kernel>,
    /// Changes over time, in the order they were written.
    pub script: Vec<ScriptEntry>,
    /// How long and how often to run.
    pub run: Run,
}

impl Scenario {
    /// A scenario of a machine and tasks, with everything else at its default.
    pub fn new(machine: Machine, tasks: Vec<Tasks>) -> Self {
        Self {
            name: String::new(),
            about: String::new(),
            machine,
            cgroups: Vec::new(),
            tasks,
            kernels: vec![Kernel::default()],
            script: Vec::new(),
            run: Run::default(),
        }
    }

    /// Threads of all tasks together.
    pub fn threads(&self) -> u64 {
        self.tasks
            .iter()
            .map(Tasks::thread_count)
            .fold(0, u64::saturating_add)
    }
}
