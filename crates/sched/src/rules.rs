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

/// What load tracking knows of tasks that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pelt {
    /// The load of queued entities, `runnable_load_avg` (v4.15 to v5.6).
    RunnableLoad,
    /// How many tasks are runnable, `runnable_avg` (v5.7).
    Runnable,
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Idlest {
    /// Runnable load, average load and spare capacity (to v5.4).
    SpareCapacity,
    /// Group types (v5.5), with the average load of groups that are not full.
    GroupType,
    /// The same with the average load of those that are (v5.8).
    GroupTypeLoad,
    /// Of groups with as many idle CPUs the less used one (v5.9).
    GroupTypeUtil,
}

/// What spares `calculate_imbalance` a subtraction that would wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AverageGuard {
    /// Nothing (to v5.9).
    None,
    /// A local group above the busiest pulls nothing (v5.10).
    Busiest,
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
    /// Two tasks while the busier node runs fewer than a quarter of its CPUs (v5.11 to v5.17).
    Quarter,
}

impl NumaImbalance {
    /// Every rule by its name in a scenario.
    const ALL: [(&str, Self); 11] = [
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
        ("quarter", Self::Quarter),
    ];
}

/// Which tasks are too heavy to be detached for a smaller imbalance of load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetachLoad {
    /// Those of more than twice the imbalance (to v5.5).
    Twice,
    /// The same, unless passes failed more often than `cache_nice_tries` (v5.6 to v5.9).
    UnlessStuck,
    /// Those above the imbalance, halved for each failed pass (v5.10).
    Shift,
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
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a point of its own where versions differ"
)]
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// The preset's name.
    pub name: &'static str,
    /// Ticks per second.
    pub hz: u32,
    /// Load tracking.
    pub pelt: Pelt,
    /// Least unscaled weight of an entity that has any: 2 from v5.7 on, else 0.
    pub weight_floor: u32,
    /// Whether load that comes from below is measured by the queue's own window (v5.8).
    pub window_divider: bool,
    /// The balancer's load.
    pub load_metric: LoadMetric,
    /// Choice of group and amount.
    pub decision: Decision,
    /// Imbalance allowed between NUMA nodes.
    pub numa_imbalance: NumaImbalance,
    /// Guard of the averages.
    pub average_guard: AverageGuard,
    /// Whether a group with spare capacity pulls utilization within a last-level cache too (to v5.9).
    pub util_within_llc: bool,
    /// Whether a queue of one task is pulled from by utilization (to v5.6).
    pub lone_tasks_by_util: bool,
    /// Least load a moved task counts for: 1 from v5.8 on, else 0.
    pub h_load_floor: u64,
    /// Whether a task is cache-hot for the other hardware threads of its core (to v5.9).
    pub hot_within_core: bool,
    /// Whether a busy CPU's balance intervals are a jiffy shorter (v5.10).
    pub busy_less_one: bool,
    /// Whether a kick puts the next one off to a jiffy from now, not from when it was due (v5.11).
    pub kick_from_now: bool,
    /// Whether `wake_affine` keeps to an idle previous CPU in another cache (v5.10).
    pub affine_keeps_idle_prev: bool,
    /// Whether CPUs that a task may not use count among those a search looks at (to v5.5).
    pub sis_counts_forbidden: bool,
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
