//! What the scheduler asks of the hardware, and what it did.

use teeter_machine::CpuId;

use crate::TaskId;

/// Why a task came to another CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// Fork or exec balancing chose the CPU of a task.
    Fork,
    /// Wakeup placement.
    Wakeup,
    /// Periodic load balance of a CPU for itself.
    Periodic,
    /// A CPU about to idle pulled.
    Newidle,
    /// An idle CPU's balance done on its behalf.
    Nohz,
    /// Active balance: the running task was pushed by the stopper.
    Active,
    /// NUMA balancing.
    Numa,
    /// The task's affinity or its CPU went away.
    Affinity,
}

impl Cause {
    /// Every cause, in order of discriminant.
    pub const ALL: [Self; 8] = [
        Self::Fork,
        Self::Wakeup,
        Self::Periodic,
        Self::Newidle,
        Self::Nohz,
        Self::Active,
        Self::Numa,
        Self::Affinity,
    ];
}

/// One thing the scheduler did or wants done, in the order of happening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The CPU must call [`crate::Sched::schedule`] soon: `TIF_NEED_RESCHED` was set. For a remote CPU
    /// (`from` differs) that takes an interrupt and, if it idles, an exit from its idle state.
    Resched {
        /// CPU that must reschedule.
        cpu: CpuId,
        /// CPU on which the decision was made.
        from: CpuId,
    },
    /// The CPU now runs `next` in place of `prev` (`None` = idle).
    Switch {
        /// CPU.
        cpu: CpuId,
        /// Task that ran before.
        prev: Option<TaskId>,
        /// Task that runs now.
        next: Option<TaskId>,
    },
    /// A queued or waking task changed CPU.
    Migrate {
        /// Task.
        task: TaskId,
        /// CPU it was last on.
        from: CpuId,
        /// CPU it is on now.
        to: CpuId,
        /// Why.
        cause: Cause,
    },
    /// An idle CPU must call [`crate::Sched::nohz_balance`] soon (an interrupt).
    NohzKick {
        /// The idle CPU chosen as balancer.
        cpu: CpuId,
        /// CPU whose tick kicked.
        from: CpuId,
    },
    /// Groups on the CPU ran out of run time, or have some again: see [`crate::Sched::is_throttled`].
    Throttle {
        /// CPU.
        cpu: CpuId,
    },
    /// Groups that were throttled on the CPU have run time again: it must call
    /// [`crate::Sched::unthrottle_queued`] soon (an interrupt).
    Unthrottle {
        /// CPU they were throttled on.
        cpu: CpuId,
        /// CPU whose timer gave the run time out.
        from: CpuId,
    },
    /// The stopper of `cpu` must run [`crate::Sched::run_stopper`] soon.
    Stop {
        /// CPU whose running task shall leave.
        cpu: CpuId,
        /// CPU that asked.
        from: CpuId,
    },
    /// The stopper of `cpu` must run [`crate::Sched::active_balance`] soon.
    ActiveBalance {
        /// Source CPU, whose running task shall be pushed.
        cpu: CpuId,
        /// CPU that asked.
        from: CpuId,
    },
}
