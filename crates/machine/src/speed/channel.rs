//! What it costs to hand messages over.

use teeter_scenario::Nanos;
use teeter_scenario::document::workload::ChannelKind;

use super::Speed;
use crate::Distance;

/// The costs of one kind of channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChannelSpeed {
    /// The sender's time for a message, ns.
    pub(super) send: u32,
    /// The receiver's, ns.
    pub(super) receive: u32,
    /// The sender's time for each KB, ns.
    pub(super) copy_send: u32,
    /// The receiver's, ns.
    pub(super) copy_receive: u32,
    /// How long a message holds the channel's lock, ns.
    pub(super) lock: u32,
    /// Cache lines from the sender to the receiver.
    pub(super) lines: u32,
}

/// The costs of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByChannel {
    pub(super) pipe: ChannelSpeed,
    pub(super) socket: ChannelSpeed,
    pub(super) tcp: ChannelSpeed,
    pub(super) semaphore: ChannelSpeed,
}

impl ByChannel {
    const fn get(&self, kind: ChannelKind) -> &ChannelSpeed {
        match kind {
            ChannelKind::Pipe => &self.pipe,
            ChannelKind::Socket => &self.socket,
            ChannelKind::Tcp => &self.tcp,
            ChannelKind::Semaphore => &self.semaphore,
        }
    }
}

/// Time to copy so many bytes at so many ns a KB.
const fn copy(bytes: u32, nanos_per_kb: u32) -> u64 {
    bytes as u64 * nanos_per_kb as u64 / 1024
}

impl Speed {
    /// The sender's CPU time for a message of so many bytes whose receiver ran so far away last: half of the
    /// lines that are handed over come back to it.
    pub const fn send(&self, kind: ChannelKind, bytes: u32, receiver: Distance) -> Nanos {
        let channel = self.channel.get(kind);
        let lines = channel.lines as u64 * self.line.get(receiver) as u64 / 2;
        Nanos(channel.send as u64 + copy(bytes, channel.copy_send) + lines)
    }

    /// The receiver's CPU time for a message of so many bytes that was sent so far away.
    pub const fn receive(&self, kind: ChannelKind, bytes: u32, sender: Distance) -> Nanos {
        let channel = self.channel.get(kind);
        let lines = channel.lines as u64 * self.line.get(sender) as u64;
        Nanos(channel.receive as u64 + copy(bytes, channel.copy_receive) + lines)
    }

    /// How long a message occupies the lock of its channel, which came from so far away.
    pub const fn channel_lock(&self, kind: ChannelKind, from: Distance) -> Nanos {
        match self.channel.get(kind).lock {
            0 => Nanos::ZERO,
            held => Nanos(held as u64 + self.line.get(from) as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Topology;
    use teeter_scenario::document::Machine;

    fn milan() -> Speed {
        let machine = Machine::preset("milan-2s");
        Speed::for_machine(&machine, &Topology::from_spec(&machine).unwrap()).unwrap()
    }

    #[test]
    fn a_message_costs_its_call_its_copy_and_its_lines() {
        let milan = milan();
        // 100 bytes at 100 ns a KB are 9 ns; 8 lines of 107 ns, half of them for the sender.
        let send = |distance| milan.send(ChannelKind::Pipe, 100, distance).0;
        let receive = |distance| milan.receive(ChannelKind::Pipe, 100, distance).0;
        assert_eq!(
            (send(Distance::SameCpu), send(Distance::Node)),
            (859, 1_287)
        );
        assert_eq!(
            (receive(Distance::SameCpu), receive(Distance::Node)),
            (759, 1_615)
        );
        // 0.755 us and 0.223 us a KB for 16 KB; 35 lines of 23 ns.
        let tcp = milan.send(ChannelKind::Tcp, 16_384, Distance::Llc).0;
        assert_eq!(tcp, 755 + 16 * 223 + 35 * 23 / 2);
    }

    #[test]
    fn a_lock_is_held_while_its_line_comes() {
        let milan = milan();
        let lock = |kind, distance| milan.channel_lock(kind, distance).0;
        assert_eq!(lock(ChannelKind::Pipe, Distance::SameCpu), 300);
        assert_eq!(lock(ChannelKind::Pipe, Distance::Remote), 497);
        assert_eq!(lock(ChannelKind::Semaphore, Distance::Remote), 0);
    }
}
