//! What threads share to wait for each other.

mod barrier;
mod channel;
mod flag;
mod mutex;
mod numbers;
mod wait_list;

pub(crate) use barrier::Barrier;
pub(crate) use channel::Channel;
pub(crate) use flag::Flag;
pub(crate) use mutex::{Condition, Mutex};
pub(crate) use numbers::{Conflict, Names, Numbers};
pub(crate) use wait_list::WaitList;

/// Everything that threads share, numbered across the scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    pub(crate) flags: Vec<Flag>,
    pub(crate) barriers: Vec<Barrier>,
    pub(crate) mutexes: Vec<Mutex>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) channels: Vec<Channel>,
    /// Last expiry of each timer that threads share, ns; `None` before its first use.
    pub(crate) timers: Vec<Option<u64>>,
}

/// What a thread sleeps for until another wakes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Room in a channel.
    Room(u32),
    /// A message from a channel.
    Message(u32),
    /// A mutex.
    Mutex(u32),
    /// A condition.
    Condition(u32),
}

impl Shared {
    /// Those that wait for it.
    pub(crate) fn waiters(&mut self, wait: Wait) -> &mut WaitList {
        match wait {
            Wait::Room(channel) => &mut self.channels[channel as usize].senders,
            Wait::Message(channel) => &mut self.channels[channel as usize].receivers,
            Wait::Mutex(mutex) => &mut self.mutexes[mutex as usize].waiters,
            Wait::Condition(condition) => &mut self.conditions[condition as usize].waiters,
        }
    }
}
