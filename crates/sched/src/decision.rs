//! Decisions on record: each placement and each balance pass with what it looked at.
//!
//! Off, it costs a test of one flag. On, each decision goes into columns that keep their memory, so that nothing is
//! allocated for it; it is put together again when it is read. That takes some 150 instructions each: of a run 0.2 %
//! (`lb-vs-wake-pingpong`) to 4.4 % (`nas-half`) over the presets, and 4.1 % in `milan-periodic`, which makes 71 000 in
//! each second simulated, four fifths of them passes of idle CPUs that find nothing. CPU time is more, since what is
//! written takes caches (medians of five runs in turn beside other work): 4 to 13 % in `milan-periodic`, 16 % in
//! `nas-half`, 23 % in `numa08`, which makes five for each event. Before, with a box for each that held all the
//! statistics of two groups, it was half as much again. `teeter bench SCENARIO --decisions` measures it. Readers
//! should take decisions out before they fill the caches.
//!
//! The numbers of a decision go by the names of one [`VOCABULARY`], so that a list, a filter and a sentence all speak
//! of the same ones.

mod log;
mod names;
mod record;

use teeter_machine::{CpuId, NodeId};
use teeter_scenario::Nanos;

use crate::balance::Migration;
use crate::balance::group::{GroupStats, GroupType, IdleType};
use crate::fork::spare_capacity::GroupLoad;
use crate::ids::TaskId;
use crate::wake::affine::AffineWeight;

pub(crate) use log::Log;
pub use names::{VOCABULARY, Value};
pub use record::Decisions;

/// One decision, as it is on record.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a> {
    /// When.
    pub at: Nanos,
    /// The CPU that decided.
    pub cpu: CpuId,
    /// What about.
    pub(crate) about: About<'a>,
}

/// What a decision was about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum About<'a> {
    Balance(Pass<'a>),
    Placement(&'a Placement),
    Affine(&'a Affine),
    Idlest(&'a Idlest),
    Numa(&'a NumaMigrate),
}

/// A balance pass with what it saw and looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass<'a> {
    pub(crate) balance: &'a Balance,
    /// `None`: it ended before there was a busiest group.
    pub(crate) seen: Option<&'a Seen>,
    /// Tasks looked at, in order, and what became of them.
    pub(crate) candidates: &'a [(TaskId, Verdict)],
}

/// A balance pass of one domain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Balance {
    pub(crate) domain: &'static str,
    pub(crate) level: u8,
    pub(crate) span_weight: u32,
    pub(crate) imbalance_pct: u32,
    pub(crate) idle: IdleType,
    /// The CPU that tasks are pulled to.
    pub(crate) dst_cpu: CpuId,
    pub(crate) src_cpu: Option<CpuId>,
    pub(crate) nr_moved: u32,
    pub(crate) why: Why,
}

/// What a pass saw of the groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) local: GroupSeen,
    pub(crate) busiest: GroupSeen,
    /// Most tasks that any group but the local one runs.
    pub(crate) max_nr_running: u32,
    /// Tasks to move before the rule for NUMA nodes.
    pub(crate) imbalance_before: Option<i64>,
    pub(crate) imbalance: Option<i64>,
    pub(crate) migration: Option<Migration>,
}

/// What is kept of a group's statistics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupSeen {
    pub(crate) group_load: u64,
    pub(crate) group_util: u64,
    pub(crate) group_runnable: Option<u64>,
    pub(crate) group_capacity: u64,
    pub(crate) avg_load: u64,
    pub(crate) sum_nr_running: u32,
    pub(crate) sum_h_nr_running: u32,
    pub(crate) idle_cpus: u32,
    pub(crate) group_weight: u32,
    pub(crate) group_type: GroupType,
}

impl From<&GroupStats> for GroupSeen {
    #[inline]
    fn from(stats: &GroupStats) -> Self {
        Self {
            group_load: stats.group_load,
            group_util: stats.group_util,
            group_runnable: stats.group_runnable,
            group_capacity: stats.group_capacity,
            avg_load: stats.avg_load,
            sum_nr_running: stats.sum_nr_running,
            sum_h_nr_running: stats.sum_h_nr_running,
            idle_cpus: stats.idle_cpus,
            group_weight: stats.group_weight,
            group_type: stats.group_type,
        }
    }
}

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Another CPU of the group balances for it.
    Refused,
    /// No group is busier.
    NoBusiestGroup,
    /// The busiest one is not busy enough.
    Balanced,
    /// There is a difference, but the rule for NUMA nodes allows it.
    NumaImbalanceAllowed,
    /// No CPU of the busiest group has anything to give.
    NoBusiestQueue,
    /// No task of the queue may run here.
    AllPinned,
    /// Tasks were looked at and none was taken.
    NothingMoved,
    /// None was taken, and the running one will be pushed.
    ActiveBalance,
    /// Tasks were moved.
    Moved,
}

/// What became of a task that a pass looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was moved.
    Moved,
    /// Its group is throttled.
    Throttled,
    /// It owes time, where it is and where it would come to.
    Ineligible,
    /// It may not run on the CPU.
    Affinity,
    /// It runs right now.
    Running,
    /// Its cache is warm, or its memory near, where it is.
    Hot,
    /// It is heavier than what is to be moved.
    TooHeavy,
    /// It is a kernel thread of its CPU.
    PerCpuKthread,
    /// It sleeps, and is queued still for the time it owes.
    Delayed,
}

impl Verdict {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::Throttled => "throttled",
            Self::Ineligible => "ineligible",
            Self::Affinity => "affinity",
            Self::Running => "running",
            Self::Hot => "hot",
            Self::TooHeavy => "too_heavy",
            Self::PerCpuKthread => "per_cpu_kthread",
            Self::Delayed => "delayed",
        }
    }
}

/// Placement of a task that wakes or begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) event: Event,
    pub(crate) task: TaskId,
    pub(crate) prev_cpu: CpuId,
    /// Where `wake_affine` said to look.
    pub(crate) target_cpu: Option<CpuId>,
    pub(crate) chosen_cpu: CpuId,
    pub(crate) sync: bool,
    pub(crate) step: Step,
}

/// The choice of `wake_affine` between the waker's CPU and the one the task was on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affine {
    pub(crate) task: TaskId,
    pub(crate) prev_cpu: CpuId,
    pub(crate) chosen_cpu: CpuId,
    pub(crate) imbalance_pct: u32,
    /// What was weighed, if it came to that.
    pub(crate) weight: Option<AffineWeight>,
}

/// The choice of `find_idlest_group` between the local group and the idlest other one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Idlest {
    pub(crate) task: TaskId,
    pub(crate) domain: &'static str,
    pub(crate) level: u8,
    pub(crate) span_weight: u32,
    pub(crate) imbalance_pct: u32,
    /// The local group and the idlest other one, by group types (v5.5).
    pub(crate) stats: Option<(GroupSeen, GroupSeen)>,
    /// The same by loads (to v5.4).
    pub(crate) loads: Option<(GroupLoad, GroupLoad)>,
    /// Whether the task stays in the local group.
    pub(crate) stays: bool,
}

/// What was compared of the local group and the idlest other one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Compared {
    /// By group types (v5.5).
    pub(crate) stats: Option<(GroupStats, GroupStats)>,
    /// By loads (to v5.4).
    pub(crate) loads: Option<(GroupLoad, GroupLoad)>,
}

/// An attempt to bring a task to its preferred node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumaMigrate {
    pub(crate) task: TaskId,
    pub(crate) src_cpu: CpuId,
    pub(crate) src_nid: NodeId,
    /// The preferred node, or the last of the others looked at.
    pub(crate) dst_nid: NodeId,
    /// What the task and its group gain there, in thousandths of their faults.
    pub(crate) taskimp: i64,
    pub(crate) groupimp: i64,
    pub(crate) src_nr_running: u32,
    pub(crate) dst_nr_running: u32,
    pub(crate) best_cpu: Option<CpuId>,
    /// The task to swap with.
    pub(crate) best_task: Option<TaskId>,
    pub(crate) best_imp: Option<i64>,
}

/// Which event places a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Wakeup,
    Fork,
    Exec,
}

/// The step at which a CPU was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It may run on one CPU only, or was placed there.
    Given,
    /// The slow path: the idlest CPU of the idlest group.
    Idlest,
    /// The target is idle, or the task fits there.
    Target,
    /// Its previous CPU is.
    Prev,
    /// A kernel thread wakes it on the CPU it wants to stay on.
    PerCpuKthread,
    /// The CPU it used before is.
    Recent,
    /// The search of the cache found it idle.
    Scan,
    /// A CPU with the capacity it needs.
    Capacity,
    /// Nothing idles.
    Fallback,
}
