//! What a recording says: events of the scheduler, as the kernel's tracepoints name them.

/// One line of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event<'a> {
    /// Number of the line, from 1.
    pub(super) line: u32,
    /// When, ns of the recording's clock.
    pub(super) at: u64,
    /// CPU on which it happened.
    pub(super) cpu: u32,
    /// Task that was running there, 0 for the idle one; `None` where the line does not say.
    pub(super) current: Option<u32>,
    /// Its name, where the line says.
    pub(super) comm: &'a str,
    /// Who acted.
    pub(super) context: Context,
    /// What happened.
    pub(super) what: What<'a>,
}

/// Who acted: the running task, or an interrupt in its midst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// The running task.
    Task,
    /// A hardware or software interrupt.
    Interrupt,
    /// The line does not say.
    Unknown,
}

/// A task as an event names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named<'a> {
    /// Its name, `comm`.
    pub(super) comm: &'a str,
    /// Its number, `pid`.
    pub(super) pid: u32,
    /// Its priority, `prio`: 120 is nice 0, below 100 are those of real-time classes.
    pub(super) prio: Option<i32>,
}

/// The state in which a task left its CPU, `prev_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It would go on: `R`, or `R+` where it was preempted.
    Runnable,
    /// It sleeps or is stopped: `S`, `D`, `I`, `T`, `t`, `P`.
    Asleep,
    /// It has ended: `X`, `Z`.
    Dead,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What<'a> {
    /// `sched_switch`
    Switch {
        /// Task that ran.
        prev: Named<'a>,
        /// How it leaves.
        state: State,
        /// Task that runs now.
        next: Named<'a>,
    },
    /// `sched_waking`: somebody wakes a task.
    Waking {
        /// The task.
        task: Named<'a>,
        /// CPU it was on.
        cpu: u32,
    },
    /// `sched_wakeup`: it is on a run-queue, perhaps that of another CPU than the waker's.
    Wakeup {
        /// The task.
        task: Named<'a>,
        /// CPU whose queue it is on.
        cpu: u32,
    },
    /// `sched_wakeup_new`: it was forked.
    WakeupNew {
        /// The task.
        task: Named<'a>,
        /// CPU whose queue it is on.
        cpu: u32,
    },
    /// `sched_migrate_task`
    Migrate {
        /// The task.
        task: Named<'a>,
        /// CPU it leaves.
        from: u32,
        /// CPU it comes to.
        to: u32,
    },
    /// `sched_process_fork`
    Fork {
        /// Who forks.
        parent: Named<'a>,
        /// The new task.
        child: Named<'a>,
    },
    /// `sched_process_exit`
    Exit {
        /// The task.
        task: Named<'a>,
    },
    /// Events of this CPU are missing here.
    Lost,
}
