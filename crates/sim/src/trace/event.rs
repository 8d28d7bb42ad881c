//! One event of the scheduler.

use teeter_machine::CpuId;
use teeter_scenario::Nanos;
use teeter_sched::Cause;

/// Something that happened. Tasks are numbers, indices of [`crate::ThreadTable::threads`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// When.
    pub at: Nanos,
    /// CPU on which it happened.
    pub cpu: CpuId,
    /// Task that was running there; `None`: it idled.
    pub current: Option<u32>,
    /// Who acted there.
    pub context: Context,
    /// What happened.
    pub what: What,
}

/// Who acted: the running task, or an interrupt in its midst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// The running task.
    Task,
    /// A hardware interrupt, such as a timer's.
    Hardirq,
    /// A software interrupt, such as `SCHED_SOFTIRQ`.
    Softirq,
}

/// How a task leaves its CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It would go on.
    Runnable,
    /// It sleeps.
    Asleep,
    /// It has ended.
    Dead,
}

impl Left {
    /// The letter of `prev_state`.
    pub const fn letter(self) -> char {
        match self {
            Self::Runnable => 'R',
            Self::Asleep => 'S',
            Self::Dead => 'X',
        }
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// `sched_switch`
    Switch {
        /// Task that ran; `None`: the CPU idled.
        prev: Option<u32>,
        /// How it leaves.
        left: Left,
        /// Task that runs now; `None`: the CPU idles.
        next: Option<u32>,
    },
    /// `sched_waking`
    Waking {
        /// Task that is woken.
        task: u32,
        /// CPU it was on.
        cpu: CpuId,
    },
    /// `sched_wakeup`
    Wakeup {
        /// Task that is awake.
        task: u32,
        /// CPU whose queue it is on.
        cpu: CpuId,
    },
    /// `sched_wakeup_new`
    WakeupNew {
        /// Task that was forked.
        task: u32,
        /// CPU whose queue it is on.
        cpu: CpuId,
    },
    /// `sched_process_fork`
    Fork {
        /// Task that was forked.
        task: u32,
    },
    /// `sched_process_exit`
    Exit {
        /// Task that ends.
        task: u32,
    },
    /// `sched_migrate_task`
    Migrate {
        /// Task that moves.
        task: u32,
        /// CPU it leaves.
        from: CpuId,
        /// CPU it comes to.
        to: CpuId,
        /// Why.
        cause: Cause,
    },
}

impl What {
    /// The tracepoint's name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Switch { .. } => "sched_switch",
            Self::Waking { .. } => "sched_waking",
            Self::Wakeup { .. } => "sched_wakeup",
            Self::WakeupNew { .. } => "sched_wakeup_new",
            Self::Fork { .. } => "sched_process_fork",
            Self::Exit { .. } => "sched_process_exit",
            Self::Migrate { .. } => "sched_migrate_task",
        }
    }
}
