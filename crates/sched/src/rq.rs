//! A CPU's run-queue.

use teeter_machine::CpuId;

use crate::ids::{CfsRqId, SdId, TaskId};
use crate::load::clock::PeltClock;
use crate::load::cpu_load::CpuLoad;

/// An `rq`.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own in the kernel"
)]
#[derive(Clone, Debug)]
pub(crate) struct Rq {
    pub(crate) nr_running: u32,
    /// Those with a preferred node, and those on it.
    pub(crate) nr_numa_running: u32,
    pub(crate) nr_preferred_running: u32,
    /// The running task; `None` = the idle task.
    pub(crate) curr: Option<TaskId>,
    /// TIF_NEED_RESCHED of the running task.
    pub(crate) need_resched: bool,
    /// All queued fair tasks. The kernel's head of the list is the end here.
    pub(crate) cfs_tasks: Vec<TaskId>,
    /// Queues of this CPU with load, each before the queue of its parent (`leaf_cfs_rq_list`).
    pub(crate) leaf_cfs_rqs: Vec<CfsRqId>,
    pub(crate) cpu_capacity: u64,
    pub(crate) cpu_capacity_orig: u64,
    pub(crate) clock: PeltClock,
    /// Load of its running task if that is too big for the CPU, else 0.
    pub(crate) misfit_task_load: u64,
    /// Loads averaged over ticks (to v5.2).
    pub(crate) cpu_load: CpuLoad,
    /// Since when it idles, ns; 0 = the idle time is not to be counted.
    pub(crate) idle_stamp: u64,
    /// Average idle time, ns.
    pub(crate) avg_idle: u64,
    pub(crate) max_idle_balance_cost: u64,
    /// What is left of half of it for searches on behalf of wakeups, ns, and the jiffy up to which it has
    /// been aged (v5.14).
    pub(crate) wake_avg_idle: u64,
    pub(crate) wake_stamp: u64,
    /// Jiffy of the next periodic balance.
    pub(crate) next_balance: u64,
    /// Whether the last tick found it idle.
    pub(crate) idle_balance: bool,
    /// An active balance from here is under way, to this CPU.
    pub(crate) active_balance: Option<CpuId>,
    /// Tasks its stopper shall move, and where to.
    pub(crate) to_move: Vec<(TaskId, CpuId)>,
    /// Throttled queues that have been given run time, for its interrupt to put back (`cfsb_csd_list`, v6.3).
    pub(crate) to_unthrottle: Vec<CfsRqId>,
    /// CPU last chosen here for a task that may not stay where it is.
    pub(crate) distribute_cpu_mask_prev: CpuId,
    /// Whether it is among the CPUs without a tick (`nohz_tick_stopped`).
    pub(crate) tick_stopped: bool,
    /// A kick has been sent to it and not answered.
    pub(crate) nohz_kick: Option<Kick>,
    pub(crate) has_blocked_load: bool,
    /// Jiffy of the last update of blocked load on its behalf.
    pub(crate) last_blocked_load_update_tick: u64,
    /// Lowest domain.
    pub(crate) sd: Option<SdId>,
    /// Highest domain that shares the last-level cache.
    pub(crate) sd_llc: Option<SdId>,
    /// First CPU of its cluster, or of its LLC if it has none (`sd_share_id`).
    pub(crate) share_id: CpuId,
    /// Which LLC, as an index into [`crate::domain::Domains::llcs`].
    pub(crate) llc: usize,
}

/// What a kick asks of an idle CPU (`nohz_flags`); it always computes the date of the next balance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kick {
    /// Update the blocked load of idle CPUs (`NOHZ_STATS_KICK`).
    pub(crate) stats: bool,
    /// Balance too (`NOHZ_BALANCE_KICK`).
    pub(crate) balance: bool,
    /// Compute the date of the next balance, since more CPUs idle (`NOHZ_NEXT_KICK`, v5.15).
    pub(crate) next: bool,
}

impl Kick {
    /// To update blocked load only.
    pub(crate) const STATS: Self = Self {
        stats: true,
        balance: false,
        next: false,
    };

    /// What both ask for.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            stats: self.stats || other.stats,
            balance: self.balance || other.balance,
            next: self.next || other.next,
        }
    }
}

impl Rq {
    /// An idle CPU just booted.
    pub(crate) fn new(capacity: u64, migration_cost_ns: u64) -> Self {
        Self {
            nr_running: 0,
            nr_numa_running: 0,
            nr_preferred_running: 0,
            curr: None,
            need_resched: false,
            cfs_tasks: Vec::new(),
            leaf_cfs_rqs: Vec::new(),
            cpu_capacity: capacity,
            cpu_capacity_orig: capacity,
            clock: PeltClock::default(),
            misfit_task_load: 0,
            cpu_load: CpuLoad::default(),
            idle_stamp: 0,
            avg_idle: 2 * migration_cost_ns,
            max_idle_balance_cost: migration_cost_ns,
            wake_avg_idle: 2 * migration_cost_ns,
            wake_stamp: 0,
            next_balance: 0,
            idle_balance: false,
            active_balance: None,
            to_move: Vec::new(),
            to_unthrottle: Vec::new(),
            distribute_cpu_mask_prev: CpuId(0),
            tick_stopped: true,
            nohz_kick: None,
            has_blocked_load: false,
            last_blocked_load_update_tick: 0,
            sd: None,
            sd_llc: None,
            share_id: CpuId(0),
            llc: 0,
        }
    }

    /// `idle_cpu`.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.curr.is_none() && self.nr_running == 0
    }

    /// Puts a task at the head of the list (`list_add`).
    pub(crate) fn list_add(&mut self, task: TaskId) {
        self.cfs_tasks.push(task);
    }

    /// Takes a task out of the list.
    pub(crate) fn list_del(&mut self, task: TaskId) {
        if let Some(at) = self.cfs_tasks.iter().rposition(|&queued| queued == task) {
            self.cfs_tasks.remove(at);
        }
    }

    /// Moves a task to the tail of the list (`list_move_tail`).
    pub(crate) fn list_move_tail(&mut self, task: TaskId) {
        self.list_del(task);
        self.cfs_tasks.insert(0, task);
    }

    /// Moves a task to the head of the list (`list_move`).
    pub(crate) fn list_move(&mut self, task: TaskId) {
        self.list_del(task);
        self.list_add(task);
    }
}
