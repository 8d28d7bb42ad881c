//! What a balance pass knows of one group.

use teeter_machine::CpuId;

use crate::ids::SgId;

/// Kinds of groups in order of how much a pass wants to take from them. `Other` is that of v5.3, where
/// there is neither `HasSpare` nor `FullyBusy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GroupType {
    /// Nothing special (`group_other`, to v5.4).
    Other,
    /// It can take more tasks (`group_has_spare`).
    HasSpare,
    /// Its CPUs are used, none is waited for (`group_fully_busy`).
    FullyBusy,
    /// A task of it is too big for its CPU (`group_misfit_task`).
    Misfit,
    /// Threads of one core are busy while cores idle (`group_smt_balance`, v6.6).
    SmtBalance,
    /// The pulling CPU is of higher priority than its CPUs (`group_asym_packing`).
    AsymPacking,
    /// A pass below it met affinity (`group_imbalanced`).
    Imbalanced,
    /// More tasks than CPUs and no capacity left (`group_overloaded`).
    Overloaded,
}

/// Why a CPU balances (`cpu_idle_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdleType {
    Idle,
    NotIdle,
    NewlyIdle,
}

impl IdleType {
    /// That of a periodic pass of a CPU that idles or not.
    pub(crate) fn of(idle: bool) -> Self {
        if idle { Self::Idle } else { Self::NotIdle }
    }

    /// Whether the CPU balances at the longer intervals of a busy one.
    pub(crate) fn is_busy(self) -> bool {
        self == Self::NotIdle
    }
}

/// Statistics of one group (`sg_lb_stats`). Loads are unscaled weights, capacity and utilization parts of
/// 1024 a CPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GroupStats {
    pub(crate) group: SgId,
    pub(crate) group_type: GroupType,
    pub(crate) group_weight: u32,
    pub(crate) group_capacity: u64,
    pub(crate) group_load: u64,
    pub(crate) group_util: u64,
    /// Runnable tasks on average, 1024 for each; `None` where this version does not ask (to v5.6).
    pub(crate) group_runnable: Option<u64>,
    /// Runnable fair tasks.
    pub(crate) sum_h_nr_running: u32,
    /// Runnable tasks of all classes.
    pub(crate) sum_nr_running: u32,
    pub(crate) idle_cpus: u32,
    /// Whether some CPU has more than one task, or one too big for it.
    pub(crate) overload: bool,
    /// Load of the biggest task that does not fit its CPU; 0 = there is none.
    pub(crate) misfit_task_load: u64,
    /// Its type if it is neither overloaded nor met affinity: `AsymPacking` where the pulling CPU has priority
    /// over it, `SmtBalance` where busy threads of its core could spread.
    pub(crate) special: Option<GroupType>,
    pub(crate) traits: GroupTraits,
    /// `group_load` for each 1024 of capacity.
    pub(crate) avg_load: u64,
    /// `group_load` for each task.
    pub(crate) load_per_task: u64,
    /// Treated as overloaded even if it is not (v5.3).
    pub(crate) no_capacity: bool,
}

/// What is fixed about a group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GroupTraits {
    /// Whether its CPUs are hardware threads of one core (SHARE_CPUCAPACITY).
    pub(crate) smt: bool,
    /// Whether groups beside it shall be filled evenly (PREFER_SIBLING).
    pub(crate) prefer_sibling: bool,
    pub(crate) cores: u32,
    /// Capacity of its smallest CPU.
    pub(crate) min_capacity: u64,
    /// Capacity of its biggest CPU.
    pub(crate) max_capacity: u64,
    /// Its CPU of the highest priority (`asym_prefer_cpu`): the lowest number.
    pub(crate) preferred: CpuId,
}

impl GroupStats {
    /// Nothing counted yet.
    pub(crate) fn new(group: SgId, group_weight: u32, group_capacity: u64) -> Self {
        Self {
            group,
            group_type: GroupType::Other,
            group_weight,
            group_capacity,
            group_load: 0,
            group_util: 0,
            group_runnable: None,
            sum_h_nr_running: 0,
            sum_nr_running: 0,
            idle_cpus: 0,
            overload: false,
            misfit_task_load: 0,
            special: None,
            traits: GroupTraits::default(),
            avg_load: 0,
            load_per_task: 0,
            no_capacity: false,
        }
    }
}

impl GroupStats {
    /// CPUs that run something.
    pub(crate) fn busy_cpus(&self) -> u32 {
        self.group_weight.saturating_sub(self.idle_cpus)
    }

    /// Its numbers for a user's own rule, in the order of [`crate::rules::GROUP_INPUTS`].
    pub(crate) fn input(&self, at: usize) -> Option<i64> {
        let amount = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        match at {
            0 => Some(self.sum_nr_running.into()),
            1 => Some(self.sum_h_nr_running.into()),
            2 => Some(self.idle_cpus.into()),
            3 => Some(self.group_weight.into()),
            4 => Some(amount(self.group_load)),
            5 => Some(amount(self.group_util)),
            6 => self.group_runnable.map(amount),
            7 => Some(amount(self.group_capacity)),
            8 => Some(amount(self.avg_load)),
            9 => Some(self.group_type as i64),
            _ => None,
        }
    }
}

/// Load for each 1024 of capacity.
#[inline]
pub(crate) fn avg_load(load: u64, capacity: u64) -> u64 {
    (load * 1024).checked_div(capacity).unwrap_or(0)
}
