//! The steps of a `program`, and what its threads share.
//!
//! Names of channels, mutexes, conditions, flags and barriers are the scenario's: tasks that use the same
//! name use the same thing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, CpuList, Nanos};

/// A step of a `program`. At its end the program begins again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Compute for so much CPU time at full speed.
    Run(Nanos),
    /// Compute for so long on the clock, whether running or not.
    Runtime(Nanos),
    /// Sleep for so long.
    Sleep(Nanos),
    /// Sleep until the next multiple of a period; a missed one is not caught up.
    Timer {
        /// From one expiry to the next.
        period: Nanos,
    },
    /// Say what a named mutex is like. It takes no time, and counts wherever it stands.
    Mutex {
        /// Its name.
        name: String,
        /// Whether it is handed to the one that has waited longest. By default it is free when it is given
        /// back, as a futex mutex: whoever runs first takes it.
        #[serde(default, skip_serializing_if = "is_false")]
        handoff: bool,
    },
    /// Take the named mutex, waiting for it.
    Lock(String),
    /// Give the named mutex back.
    Unlock(String),
    /// Wait on the named condition until it is signalled.
    Wait {
        /// The condition's name.
        condition: String,
        /// The mutex that is given back for as long.
        #[serde(skip_serializing_if = "Option::is_none")]
        mutex: Option<String>,
    },
    /// Wake the one that has waited longest on the named condition.
    Signal(String),
    /// Wake all that wait on the named condition, one after another.
    Broadcast(String),
    /// Wait until resumed by this name; a resume that came before counts for nothing.
    Suspend(String),
    /// Wake all that are suspended by this name.
    Resume(String),
    /// Wait until every thread of all tasks with the named barrier has come to it.
    Barrier(String),
    /// Say what a named channel is like. It takes no time, and counts wherever it stands.
    Channel(Channel),
    /// Put a message into the named channel, waiting for room.
    Send(String),
    /// Take a message from the named channel, waiting for one.
    Receive(String),
    /// Compute until the named flag is set, then clear it.
    SpinUntil(String),
    /// Set the named flag.
    Set(String),
    /// Begin to measure a latency of that name, which the result then has.
    Begin(String),
    /// End the measuring of the named latency.
    End(String),
    /// Call sched_yield(); `false` does nothing.
    Yield(bool),
    /// Call exec(), at which the kernel may put the thread on an idler CPU; `false` does nothing.
    Exec(bool),
    /// Call sched_setaffinity() for itself.
    Affinity(CpuList),
    /// Touch some of the task's memory.
    Touch {
        /// How much.
        size: Bytes,
    },
    /// Repeat steps.
    Loop {
        /// How often.
        times: u32,
        /// What.
        steps: Vec<Step>,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// What messages go through. All messages of a channel are of the same length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// What it is.
    #[serde(default, skip_serializing_if = "ChannelKind::is_default")]
    pub kind: ChannelKind,
    /// Length of a message.
    #[serde(
        default = "Channel::default_bytes",
        skip_serializing_if = "Channel::are_default"
    )]
    pub bytes: Bytes,
    /// Messages it holds; by default as many as one of its kind does on Linux.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u32>,
}

impl Channel {
    /// Length of a message where none is given: hackbench's.
    pub const BYTES: Bytes = Bytes(100);

    /// A pipe with messages of 100 bytes, as is one that no step says anything about.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: ChannelKind::default(),
            bytes: Self::BYTES,
            messages: None,
        }
    }

    const fn default_bytes() -> Bytes {
        Self::BYTES
    }

    #[cfg_attr(
        target_pointer_width = "64",
        expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")
    )]
    fn are_default(bytes: &Bytes) -> bool {
        *bytes == Self::BYTES
    }
}

/// Kinds of channels, which differ in cost, in how much they hold, and in when those that wait are woken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChannelKind {
    /// A pipe of 64 KB.
    #[default]
    Pipe,
    /// A pair of Unix stream sockets.
    Socket,
    /// A TCP connection over loopback.
    Tcp,
    /// A counter in memory with a futex to wait on. One that is full stays so: nobody waits to send.
    Semaphore,
}

impl ChannelKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Pipe, Self::Socket, Self::Tcp, Self::Semaphore];

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
