//! A kernel version as data: one enum or number for each point where versions differ.
//!
//! Each area of the scheduler has its rules in a file of its own, where every point is told by the release at
//! which it changed. Adding a version or patch series is a preset in [`presets`], and a variant on each enum
//! whose point it changes. The code at such a point is one `match`.

mod balance;
mod bandwidth;
mod change;
mod domains;
mod features;
mod fork;
mod idle;
mod load;
mod named;
mod numa;
mod own;
mod pick;
mod presets;
mod release;
mod settings;
mod tunable;
mod wake;

use teeter_scenario::document::Kernel;
use teeter_scenario::{Nanos, Problem};

pub use balance::{
    AsymPull, AverageGuard, BalanceRules, CapacityTest, Decision, DetachLoad, NumaImbalance, Rework,
};
pub use bandwidth::{BandwidthRules, Expiry, PeriodPhase};
pub use change::ChangeRules;
pub use domains::{
    AsymCapacity, AsymPacking, Clusters, Degenerate, DomainRules, GroupOrder, ImbNumaNr,
    NumaDistances, PackagePacking, PreferSibling, RelaxDomains,
};
pub use features::{Feature, Features};
pub use fork::{ForkNuma, ForkRules, Idlest};
pub use idle::IdleRules;
pub use load::{LoadMetric, LoadRules, NewUtil, Pelt, Propagation, SumSync, UtilEst};
pub use named::{RuleInfo, all};
pub use numa::{NumaMove, NumaRules, NumaTunables, OthersRegions, ScanPeriod};
pub(crate) use own::{GROUP_INPUTS, OwnTraps};
pub use own::{OwnPoint, OwnRules, OwnTrap};
pub use pick::{Delayed, IdleEntities, PickRules, Picking, Protection, Reweight};
pub use presets::{KernelInfo, kernels};
pub(crate) use settings::Slices;
pub use settings::{DomainField, DomainSetting, RulesError, Tunables};
pub use tunable::{Takes, TunableInfo, tunables};
pub use wake::{
    AsymWake, IdleScan, KthreadStacking, RecentUsed, SchedIdleCpus, SisIdle, UtilFits, WakeRules,
};

/// Everything in which kernels differ, for one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// The preset's name.
    pub name: &'static str,
    /// Ticks per second.
    pub hz: u32,
    /// The choice of the next task.
    pub pick: PickRules,
    /// Load tracking.
    pub load: LoadRules,
    /// Load balancing.
    pub balance: BalanceRules,
    /// Balancing of idle CPUs.
    pub idle: IdleRules,
    /// Placement of woken tasks.
    pub wake: WakeRules,
    /// Placement of forked tasks.
    pub fork: ForkRules,
    /// NUMA balancing.
    pub numa: NumaRules,
    /// Features, on or off.
    pub features: Features,
    /// Limits of run time.
    pub bandwidth: BandwidthRules,
    /// Changes of tasks that exist.
    pub change: ChangeRules,
    /// The user's own rules, in place of the kernel's.
    pub own: OwnRules,
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

    /// The same as the kernel rounds it (`TICK_NSEC`).
    pub(crate) fn tick_nsec(&self) -> u64 {
        let hz = u64::from(self.hz);
        (1_000_000_000 + hz / 2) / hz
    }
}
