//! What threads share to wait for each other.

use teeter_scenario::document::workload::ChannelKind;

/// A flag in memory that threads set and poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagId(pub u32);

/// A barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierId(pub u32);

/// A mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MutexId(pub u32);

/// A condition variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConditionId(pub u32);

/// A channel for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelId(pub u32);

/// A timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerId(pub u32);

/// A mutex as it is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mutex {
    /// Whether it goes to the one that has waited longest; else it is free when it is given back, and whoever
    /// runs first takes it.
    pub handoff: bool,
}

/// A channel as it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// What it is.
    pub kind: ChannelKind,
    /// Length of every message.
    pub bytes: u32,
    /// Messages it holds.
    pub messages: u32,
    /// Those that wait for room are woken when no more than so many messages are left in it.
    pub low: u32,
    /// Messages that one call of a receiver takes at most, of those that are there.
    pub batch: u32,
    /// Messages in a segment: while the receiver has some to read, others are kept back until they fill one
    /// (Nagle's algorithm). 0: each is handed over by itself.
    pub segment: u32,
}

/// Bytes of a page, of which a pipe has 16.
const PAGE: u64 = 4096;
const PIPE_PAGES: u64 = 16;
/// `net.core.wmem_default`: memory of a Unix socket's messages that are not read yet.
const SOCKET_MEMORY: u64 = 212_992;
/// What the kernel adds to the data of a message on a Unix socket: `struct sk_buff` and, below the data,
/// `struct skb_shared_info`; the data's allocation is a power of two.
const SKB: u64 = 256;
const SKB_SHARED_INFO: u64 = 320;
/// Memory of a TCP connection over loopback: what the receiver's window grows to, about (`net.ipv4.tcp_rmem`
/// begins at 128 KB and ends at 6 MB).
const TCP_MEMORY: u64 = 2 << 20;
/// Largest segment over loopback, whose MTU is 64 KB.
const SEGMENT: u64 = 65_483;

impl Channel {
    /// A channel of messages of so many bytes that holds what one of its kind does on Linux.
    pub fn new(kind: ChannelKind, bytes: u32) -> Self {
        let length = u64::from(bytes.max(1));
        let (messages, low) = match kind {
            ChannelKind::Pipe => {
                // A message is put behind another in a page if there is room, and a page is given back when
                // all of it has been read.
                let pages = length.div_ceil(PAGE);
                let in_page = (PAGE / length).max(1);
                let messages = (PIPE_PAGES / pages).max(1) * in_page;
                (messages, messages - in_page.min(messages))
            }
            ChannelKind::Socket => {
                // A writer is woken when three quarters are free (`unix_writable`).
                let each = SKB + (length + SKB_SHARED_INFO).next_power_of_two();
                let messages = (SOCKET_MEMORY / each).max(1);
                (messages, messages / 4)
            }
            ChannelKind::Tcp => {
                // A writer is woken when a third is free (`sk_stream_is_writeable`).
                let messages = (TCP_MEMORY / length).max(1);
                (messages, messages - messages.div_ceil(3))
            }
            ChannelKind::Semaphore => (u64::from(u32::MAX), 0),
        };
        Self {
            kind,
            bytes,
            messages: messages as u32,
            low: low as u32,
            batch: 1,
            segment: match kind {
                ChannelKind::Tcp => (SEGMENT / length).max(1) as u32,
                _ => 0,
            },
        }
    }

    /// The same with room for so many messages, whose writers wait until there is some.
    #[must_use]
    pub const fn holding(self, messages: u32) -> Self {
        let low = messages.saturating_sub(1);
        Self {
            messages,
            low,
            ..self
        }
    }
}

impl Channel {
    /// The same without Nagle's algorithm (`TCP_NODELAY`): each message is handed over by itself.
    #[must_use]
    pub(crate) const fn no_delay(self) -> Self {
        Self { segment: 1, ..self }
    }

    /// The same with receivers that read into a buffer of so many bytes.
    #[must_use]
    pub(crate) const fn read_in(self, buffer: u32) -> Self {
        let batch = buffer / if self.bytes > 0 { self.bytes } else { 1 };
        Self {
            batch: if batch > 0 { batch } else { 1 },
            ..self
        }
    }
}

impl Default for Channel {
    fn default() -> Self {
        let bytes = teeter_scenario::document::workload::Channel::BYTES;
        Self::new(ChannelKind::default(), bytes.0 as u32)
    }
}

/// One of the things in [`Shared`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// A flag.
    Flag(FlagId),
    /// A barrier.
    Barrier(BarrierId),
    /// A mutex.
    Mutex(MutexId),
    /// A condition.
    Condition(ConditionId),
    /// A channel.
    Channel(ChannelId),
}

/// Everything that the threads of a workload share, by its number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shared {
    /// Initial value of each flag.
    pub flags: Vec<u32>,
    /// For each barrier, how many threads of the workload take part.
    pub barriers: Vec<u32>,
    /// The mutexes.
    pub mutexes: Vec<Mutex>,
    /// How many conditions there are.
    pub conditions: u32,
    /// The channels.
    pub channels: Vec<Channel>,
    /// How many timers there are.
    pub timers: u32,
    /// What other workloads of the scenario have in common with this one, by its name among its kind.
    pub names: Vec<(String, Object)>,
}

impl Shared {
    /// A new channel.
    pub(crate) fn channel(&mut self, channel: Channel) -> ChannelId {
        self.channels.push(channel);
        ChannelId(self.channels.len() as u32 - 1)
    }

    /// A new condition.
    pub(crate) fn condition(&mut self) -> ConditionId {
        self.conditions += 1;
        ConditionId(self.conditions - 1)
    }

    /// A new barrier for so many threads.
    pub(crate) fn barrier(&mut self, threads: u32) -> BarrierId {
        self.barriers.push(threads);
        BarrierId(self.barriers.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_hold_what_linux_lets_them() {
        let holds = |kind, bytes| {
            let channel = Channel::new(kind, bytes);
            (channel.messages, channel.low)
        };
        // 40 messages of 100 bytes a page of 4096.
        assert_eq!(holds(ChannelKind::Pipe, 100), (640, 600));
        assert_eq!(holds(ChannelKind::Pipe, 4096), (16, 15));
        assert_eq!(holds(ChannelKind::Pipe, 10_000), (5, 4));
        // 256 + 512 bytes of kernel memory each.
        assert_eq!(holds(ChannelKind::Socket, 100), (277, 69));
        assert_eq!(holds(ChannelKind::Tcp, 1024), (2048, 1365));
        assert_eq!(holds(ChannelKind::Tcp, 3 << 20), (1, 0));
    }
}
