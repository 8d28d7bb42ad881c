//! A kernel version as data: one enum or number for each point where versions differ.
//!
//! Adding a version or patch series is a preset in [`presets`], and a variant on each enum whose point it
//! changes. The code at such a point is one `match`.

mod presets;
mod settings;

use teeter_scenario::document::Kernel;
use teeter_scenario::{Nanos, Problem};

pub use presets::{KernelInfo, kernels};
pub use settings::{DomainField, DomainSetting, RulesError, Tunables};

/// Which average of a run-queue the balancer takes for its load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadMetric {
    /// `runnable_load_avg`: queued entities only (to v5.4).
    RunnableLoad,
    /// `load_avg`: blocked entities too (v5.5).
    Load,
}

/// How `find_busiest_group` chooses a group and `calculate_imbalance` an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Average load, `load_per_task`, `fix_small_imbalance` (to v5.4).
    AverageLoad,
    /// Group types and migration types (v5.5).
    GroupType,
}

/// How `find_idlest_group` places a forked task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idlest {
    /// Runnable load, average load and spare capacity (to v5.4).
    SpareCapacity,
    /// Group types (v5.5).
    GroupType,
}

/// How `util_est` follows a rise of utilization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UtilEst {
    /// By its moving average (v4.17 to v5.4).
    Ewma,
    /// At once (`UTIL_EST_FASTUP`, v5.5).
    FastUp,
}

/// Everything in which kernels differ, for one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// The preset's name.
    pub name: &'static str,
    /// Ticks per second.
    pub hz: u32,
    /// The balancer's load.
    pub load_metric: LoadMetric,
    /// Choice of group and amount.
    pub decision: Decision,
    /// Placement of forked tasks.
    pub idlest: Idlest,
    /// Estimated utilization.
    pub util_est: UtilEst,
    /// Whether a CPU that runs only tasks of idle policy counts as idle for a wakeup (v5.4).
    pub sched_idle_cpus: bool,
    /// By how much a busy CPU balances less often (32 to v5.9).
    pub busy_factor: u32,
    /// What an administrator may set.
    pub tunables: Tunables,
    /// Values of sched domains that differ from the version's, in order of writing.
    pub domains: Vec<DomainSetting>,
}

impl Rules {
    /// The rules of a scenario's kernel.
    ///
    /// # Errors
    /// Every unknown name and unfit value, with its path below the kernel.
    pub fn from_kernel(kernel: &Kernel) -> Result<Self, Vec<Problem>> {
        let Some(mut rules) = presets::preset(&kernel.base) else {
            let known = kernels().iter().map(|info| info.name);
            return Err(vec![Problem::unknown(
                "/base",
                "kernel",
                &kernel.base,
                known,
            )]);
        };
        let mut problems = Vec::new();
        for name in kernel.rules.keys() {
            problems.push(Problem::new(
                format!("/rules/{name}"),
                "this engine cannot switch single rules; choose a kernel that has the rule",
            ));
        }
        for (name, value) in &kernel.set {
            if let Err(error) = rules.set(name, value) {
                problems.push(error.problem(format!("/set/{name}")));
            }
        }
        if problems.is_empty() {
            Ok(rules)
        } else {
            Err(problems)
        }
    }

    /// Time between two ticks.
    pub fn tick(&self) -> Nanos {
        Nanos(1_000_000_000 / u64::from(self.hz))
    }
}
