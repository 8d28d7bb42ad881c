//! What it costs to hand messages over.

use teeter_scenario::Nanos;
use teeter_scenario::document::workload::ChannelKind;

use super::Speed;
use super::caches::LINE_BYTES;
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
    /// The sender's time to hand a segment to the receiver, ns.
    pub(super) push: u32,
    /// Cache lines of the channel itself, which go to and fro when the side changes that uses it.
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

/// Bytes of a KB.
const KB: u64 = 1024;

/// What is handed over in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handover {
    /// The kind of channel.
    pub kind: ChannelKind,
    /// Bytes of all messages.
    pub bytes: u64,
    /// From the CPU of the sender to that of the receiver.
    pub distance: Distance,
    /// Whether the other side has used the channel since this one did, so that its lines have to come back.
    pub fresh: bool,
}

impl Speed {
    /// The sender's CPU time: the call, the copy and half of the channel's lines.
    pub const fn send(&self, handover: Handover) -> Nanos {
        let channel = self.channel.get(handover.kind);
        let copy = handover.bytes * channel.copy_send as u64 / KB;
        Nanos(channel.send as u64 + copy + self.lines(handover) / 2)
    }

    /// The sender's CPU time to hand a segment of what it has sent to the receiver.
    pub const fn push(&self, kind: ChannelKind) -> Nanos {
        Nanos(self.channel.get(kind).push as u64)
    }

    /// The receiver's CPU time: the call, the copy, the channel's lines, and the lines of the messages, of
    /// which several are under way at a time.
    pub const fn receive(&self, handover: Handover) -> Nanos {
        let channel = self.channel.get(handover.kind);
        let copy = handover.bytes * channel.copy_receive as u64 / KB;
        let line = self.line.get(handover.distance) as u64;
        let data = handover.bytes.div_ceil(LINE_BYTES) * line * 100 / self.refill_stream as u64;
        Nanos(channel.receive as u64 + copy + data + self.lines(handover))
    }

    const fn lines(&self, handover: Handover) -> u64 {
        if handover.fresh {
            let lines = self.channel.get(handover.kind).lines as u64;
            lines * self.line.get(handover.distance) as u64
        } else {
            0
        }
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
        speed("milan-2s")
    }

    fn speed(preset: &str) -> Speed {
        let machine = Machine::preset(preset);
        Speed::for_machine(&machine, &Topology::from_spec(&machine).unwrap()).unwrap()
    }

    #[test]
    fn a_message_costs_its_call_its_copy_and_its_lines() {
        let milan = milan();
        let pipe = |distance, fresh| Handover {
            kind: ChannelKind::Pipe,
            bytes: 100,
            distance,
            fresh,
        };
        // 100 bytes at 100 ns a KB are 9 ns.
        let near = pipe(Distance::SameCpu, true);
        assert_eq!((milan.send(near).0, milan.receive(near).0), (859, 759));
        // 8 lines of 107 ns, half of them for the sender; the data's 2 lines come 8 at a time.
        let far = pipe(Distance::Node, true);
        assert_eq!(
            (milan.send(far).0, milan.receive(far).0),
            (859 + 428, 759 + 856 + 26)
        );
        let again = pipe(Distance::Node, false);
        assert_eq!(
            (milan.send(again).0, milan.receive(again).0),
            (859, 759 + 26)
        );
        // 16 KB over TCP on a Haswell: 16 times 279 ns, and 256 lines of 118 ns, 8 at a time.
        let haswell = speed("haswell-2s");
        let stream = Handover {
            kind: ChannelKind::Tcp,
            bytes: 16_384,
            distance: Distance::Remote,
            fresh: false,
        };
        assert_eq!(haswell.send(stream).0, 700 + 16 * 279);
        assert_eq!(haswell.receive(stream).0, 500 + 16 * 100 + 256 * 118 / 8);
        assert_eq!(haswell.push(ChannelKind::Tcp).0, 1_500);
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
