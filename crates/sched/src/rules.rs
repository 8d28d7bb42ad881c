//! A kernel version as data: one enum or number for each point where versions differ.
//!
//! Adding a version or patch series is a preset in [`presets`], and a variant on each enum whose point it
//! changes. The code at such a point is one `match`.

mod domains;
mod presets;
mod settings;

use serde_json::Value;
use teeter_scenario::document::Kernel;
use teeter_scenario::{Nanos, Problem};

pub use domains::{
    AsymCapacity, AsymPacking, Clusters, Degenerate, DomainRules, GroupOrder, ImbNumaNr,
    NumaDistances, PackagePacking, PreferSibling, domain_kernels,
};
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

/// How much imbalance between NUMA nodes is left alone while there is little to balance (from v5.6 on; the
/// others are postings and suggestions on top of v5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumaImbalance {
    /// None (to v5.5).
    None,
    /// First posting, 18 December 2019.
    V1,
    /// Its revision in the thread, 19 December 2019.
    V1b,
    /// Suggestion of 18 December 2019: less than the percentage of a node that is less than half used.
    Squash,
    /// Suggestion of 19 December 2019: by idle CPUs.
    Idle,
    /// Second posting, 20 December 2019.
    V2,
    /// Third posting, 6 January 2020.
    V3,
    /// The third with the gate suggested on 7 January 2020.
    V3Gated,
    /// Suggestion of 7 January 2020: bounded by the level below.
    Child,
    /// Two tasks (fourth posting; v5.6 to v5.10).
    Pair,
}

impl NumaImbalance {
    /// Every rule by its name in a scenario.
    const ALL: [(&str, Self); 10] = [
        ("none", Self::None),
        ("v1", Self::V1),
        ("v1b", Self::V1b),
        ("squash", Self::Squash),
        ("idle", Self::Idle),
        ("v2", Self::V2),
        ("v3", Self::V3),
        ("v3-gated", Self::V3Gated),
        ("child", Self::Child),
        ("pair", Self::Pair),
    ];
}

/// Which tasks are too heavy to be detached for a smaller imbalance of load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetachLoad {
    /// Those of more than twice the imbalance (to v5.5).
    Twice,
    /// The same, unless passes failed more often than `cache_nice_tries` (v5.6 to v5.9).
    UnlessStuck,
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
    /// Imbalance allowed between NUMA nodes.
    pub numa_imbalance: NumaImbalance,
    /// Weight of detached tasks.
    pub detach_load: DetachLoad,
    /// Whether a pass that ends balanced after all tasks of a queue were pinned still clears the mark of
    /// imbalance of the level above (to v5.5).
    pub pinned_clears_imbalance: bool,
    /// Placement of forked tasks.
    pub idlest: Idlest,
    /// Estimated utilization.
    pub util_est: UtilEst,
    /// Whether a CPU that runs only tasks of idle policy counts as idle for a wakeup (v5.4).
    pub sched_idle_cpus: bool,
    /// How sched domains are built.
    pub topology: DomainRules,
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
            if domain_kernels().contains(&kernel.base.as_str()) {
                let message = format!("this engine does not run {} yet", kernel.base);
                let hint =
                    "`teeter domains` shows its sched domains; `teeter kernels` lists what runs";
                return Err(vec![Problem::new("/base", message).with_hint(hint)]);
            }
            let known = kernels().iter().map(|info| info.name);
            return Err(vec![Problem::unknown(
                "/base",
                "kernel",
                &kernel.base,
                known,
            )]);
        };
        let mut problems = Vec::new();
        for (name, value) in &kernel.rules {
            if let Err(problem) = rules.set_rule(name, value) {
                problems.push(problem);
            }
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

    /// Switches one rule.
    fn set_rule(&mut self, name: &str, value: &Value) -> Result<(), Problem> {
        let path = format!("/rules/{name}");
        if name != "numa_imbalance" {
            return Err(Problem::unknown(path, "rule", name, ["numa_imbalance"]));
        }
        let known = NumaImbalance::ALL.map(|(known, _)| known);
        let Some(wanted) = value.as_str() else {
            return Err(Problem::new(path, "takes the name of a rule")
                .with_hint(format!("known: {}", known.join(", "))));
        };
        let found = NumaImbalance::ALL
            .iter()
            .find(|(known, _)| *known == wanted);
        let Some(&(_, rule)) = found else {
            return Err(Problem::unknown(path, "rule", wanted, known));
        };
        self.numa_imbalance = rule;
        Ok(())
    }
}
