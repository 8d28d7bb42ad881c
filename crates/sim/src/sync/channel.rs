//! Channels.

use teeter_machine::CpuId;
use teeter_scenario::document::workload::ChannelKind;
use teeter_workload::Channel as Made;

use super::WaitList;

/// A channel: counts of messages, which are all alike.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub(crate) made: Made,
    /// Room taken: by messages that are there, on their way in, or on their way out.
    taken: u32,
    /// Messages that can be received.
    ready: u32,
    /// Messages that are kept back to fill a segment.
    kept: u32,
    /// Messages that are being read.
    reading: u32,
    /// CPU that sent last, and received last.
    pub(crate) sent_on: CpuId,
    pub(crate) received_on: CpuId,
    /// Whether it was the sender that used it last.
    pub(crate) sent_last: bool,
    /// Its lock is free from then on, and its line is in the cache of that CPU.
    locked_until: u64,
    pub(crate) locked_on: CpuId,
    /// Those that wait for room.
    pub(crate) senders: WaitList,
    /// Those that wait for a message.
    pub(crate) receivers: WaitList,
}

impl Channel {
    /// An empty channel.
    pub(crate) fn new(made: Made) -> Self {
        Self {
            made,
            taken: 0,
            ready: 0,
            kept: 0,
            reading: 0,
            sent_on: CpuId(0),
            received_on: CpuId(0),
            sent_last: false,
            locked_until: 0,
            locked_on: CpuId(0),
            senders: WaitList::default(),
            receivers: WaitList::default(),
        }
    }

    /// Whether senders have to wait when it is full; else what is too much is lost.
    fn blocks(&self) -> bool {
        self.made.kind != ChannelKind::Semaphore
    }

    pub(crate) fn has_room(&self) -> bool {
        !self.blocks() || self.taken < self.made.messages
    }

    /// A message is on its way in.
    pub(crate) fn reserve(&mut self) {
        if self.blocks() {
            self.taken += 1;
        }
    }

    /// A message has come in, from this CPU.
    pub(crate) fn put(&mut self, cpu: CpuId) {
        self.sent_on = cpu;
        self.sent_last = true;
        if self.made.segment > 0 {
            self.kept += 1;
        } else {
            self.ready = self.made.messages.min(self.ready.saturating_add(1));
        }
    }

    /// Whether a segment is to be handed over: a full one, or any if the receiver has read all before.
    pub(crate) fn has_segment(&self) -> bool {
        let idle = self.ready == 0 && self.reading == 0;
        self.kept > 0 && (idle || self.kept >= self.made.segment)
    }

    /// Hands a segment over.
    pub(crate) fn push(&mut self) {
        self.ready += std::mem::take(&mut self.kept);
    }

    /// Takes the messages of one call and gives their number; they take up their room until
    /// [`Channel::free`].
    pub(crate) fn take(&mut self) -> u32 {
        let taken = self.ready.min(self.made.batch);
        self.ready -= taken;
        self.reading += taken;
        taken
    }

    /// So many messages have been taken out, by this CPU.
    pub(crate) fn free(&mut self, cpu: CpuId, messages: u32) {
        self.received_on = cpu;
        self.sent_last = false;
        self.taken = self.taken.saturating_sub(messages);
        self.reading = self.reading.saturating_sub(messages);
        // What was kept back goes out with the acknowledgement, unless a sender is about to see to it.
        let on_the_way = self
            .taken
            .saturating_sub(self.kept + self.ready + self.reading);
        if on_the_way == 0 && self.has_segment() {
            self.push();
        }
    }

    /// Forgets all messages.
    pub(crate) fn drain(&mut self) {
        self.taken = self.taken.saturating_sub(self.ready);
        self.ready = 0;
    }

    /// Whether those that wait for room are woken once so many messages are taken out.
    pub(crate) fn lets_senders_go(&self, out: u32) -> bool {
        !self.senders.is_empty() && self.taken.saturating_sub(out) <= self.made.low
    }

    /// Whether there are messages that others wait for; a semaphore's are woken one by one as it is posted.
    pub(crate) fn leaves_some(&self) -> bool {
        self.blocks() && self.ready > 0 && !self.receivers.is_empty()
    }

    /// Takes the lock for `hold` ns as soon as it is free. Gives how long that takes.
    pub(crate) fn lock(&mut self, now: u64, cpu: CpuId, hold: u64) -> u64 {
        let free = self.locked_until.max(now);
        self.locked_until = free + hold;
        self.locked_on = cpu;
        free - now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(kind: ChannelKind, messages: u32) -> Channel {
        Channel::new(Made::new(kind, 100).holding(messages))
    }

    #[test]
    fn room_is_taken_from_sending_to_having_received() {
        let mut pipe = channel(ChannelKind::Pipe, 2);
        pipe.reserve();
        assert_eq!((pipe.has_room(), pipe.take()), (true, 0));
        pipe.put(CpuId(3));
        pipe.reserve();
        assert!(!pipe.has_room());
        assert_eq!((pipe.take(), pipe.take()), (1, 0));
        assert!(!pipe.has_room());
        pipe.free(CpuId(4), 1);
        assert!(pipe.has_room());
        assert_eq!((pipe.sent_on, pipe.received_on), (CpuId(3), CpuId(4)));
    }

    #[test]
    fn a_semaphore_loses_what_it_cannot_hold() {
        let mut semaphore = channel(ChannelKind::Semaphore, 1);
        for _ in 0..3 {
            assert!(semaphore.has_room());
            semaphore.reserve();
            semaphore.put(CpuId(0));
        }
        assert_eq!((semaphore.take(), semaphore.take()), (1, 0));
        semaphore.put(CpuId(0));
        semaphore.drain();
        assert_eq!(semaphore.take(), 0);
    }

    #[test]
    fn one_call_takes_what_is_there_up_to_its_buffer() {
        let mut tcp = Channel::new(Made {
            batch: 3,
            ..Made::new(ChannelKind::Tcp, 100)
        });
        for _ in 0..5 {
            tcp.reserve();
            tcp.put(CpuId(0));
        }
        tcp.push();
        assert_eq!((tcp.take(), tcp.take(), tcp.take()), (3, 2, 0));
        assert_eq!(tcp.taken, 5);
        tcp.free(CpuId(1), 3);
        tcp.free(CpuId(1), 2);
        assert_eq!(tcp.taken, 0);
    }

    #[test]
    fn small_messages_are_kept_back_while_the_receiver_has_some() {
        let mut tcp = Channel::new(Made::new(ChannelKind::Tcp, 20_000));
        assert_eq!(tcp.made.segment, 3);
        let send = |tcp: &mut Channel| {
            tcp.reserve();
            tcp.put(CpuId(0));
            tcp.has_segment()
        };
        assert!(send(&mut tcp));
        tcp.push();
        assert_eq!([0; 3].map(|_: u32| send(&mut tcp)), [false, false, true]);
        assert_eq!((tcp.take(), tcp.kept), (1, 3));
        // Nobody is sending: the acknowledgement takes them along.
        tcp.free(CpuId(1), 1);
        assert_eq!((tcp.kept, tcp.take()), (0, 1));
        // Somebody is: that one hands them over.
        tcp.put(CpuId(0));
        tcp.reserve();
        tcp.free(CpuId(1), 1);
        tcp.free(CpuId(1), 2);
        assert_eq!((tcp.kept, tcp.has_segment()), (1, false));
    }

    #[test]
    fn a_lock_serves_one_after_another() {
        let mut pipe = channel(ChannelKind::Pipe, 2);
        let waits = [1_000, 1_100, 1_200, 9_000].map(|now| pipe.lock(now, CpuId(0), 300));
        // Held until 1300, 1600 and 1900.
        assert_eq!(waits, [0, 200, 400, 0]);
    }
}
