//! Mutexes and conditions.

use teeter_machine::CpuId;
use teeter_workload::Mutex as Made;

use super::WaitList;

/// A mutex that its waiters sleep for.
#[derive(Clone, Debug)]
pub(crate) struct Mutex {
    /// Whether it goes to the first waiter when it is given back.
    pub(crate) handoff: bool,
    /// The thread that holds it.
    pub(crate) owner: Option<u32>,
    /// CPU whose cache has the line.
    pub(crate) taken_on: CpuId,
    pub(crate) waiters: WaitList,
}

impl Mutex {
    /// A mutex that is free.
    pub(crate) fn new(made: Made) -> Self {
        Self {
            handoff: made.handoff,
            owner: None,
            taken_on: CpuId(0),
            waiters: WaitList::default(),
        }
    }
}

/// A condition variable.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Condition {
    pub(crate) waiters: WaitList,
    /// Those of a broadcast that are still to be woken.
    pub(crate) to_wake: WaitList,
}
