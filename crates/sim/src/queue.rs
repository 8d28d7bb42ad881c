//! The event queue: a 4-ary heap in which every CPU and thread has slots of its own.
//!
//! A slot holds at most one pending event, so an event is moved or cancelled in place and nothing
//! is ever allocated after construction. Equal times come in the order in which they were set.

use teeter_machine::CpuId;

/// What can be pending. Each value is one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The CPU's running task comes to the end of what it is doing.
    Boundary(CpuId),
    /// The CPU's scheduler tick.
    Tick(CpuId),
    /// The interrupt that makes the CPU reschedule arrives.
    Resched(CpuId),
    /// The interrupt that makes an idle CPU balance arrives.
    NohzKick(CpuId),
    /// The CPU's stopper gets to run.
    ActiveBalance(CpuId),
    /// A thread's start or the end of its sleep.
    Timer(u32),
}

/// Bits of a CPU slot that say which kind.
const KIND_BITS: u32 = 3;

/// Slots before the first thread's.
const fn cpu_slots(nr_cpus: usize) -> usize {
    nr_cpus << KIND_BITS
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    time: u64,
    /// Order in which keys were set: first come, first served among equal times.
    seq: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: Key,
    slot: u32,
}

/// Not in the heap.
const ABSENT: u32 = u32::MAX;

/// Pending events by time.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    heap: Vec<Entry>,
    /// Where in `heap` each slot is.
    place: Vec<u32>,
    threads_at: u32,
    seq: u64,
}

impl Queue {
    /// An empty queue for so many CPUs and threads.
    pub(crate) fn new(nr_cpus: usize, threads: usize) -> Self {
        let slots = cpu_slots(nr_cpus) + threads;
        Self {
            heap: Vec::with_capacity(slots),
            place: vec![ABSENT; slots],
            threads_at: cpu_slots(nr_cpus) as u32,
            seq: 0,
        }
    }

    /// The earliest event, which stays pending until it is set anew or cancelled. O(1).
    #[inline]
    pub(crate) fn first(&self) -> Option<(u64, Event)> {
        let entry = self.heap.first()?;
        Some((entry.key.time, self.event(entry.slot)))
    }

    /// Makes the event pending at `time`, wherever it was before. O(log n).
    #[inline]
    pub(crate) fn set(&mut self, event: Event, time: u64) {
        let slot = self.slot(event);
        self.seq += 1;
        let key = Key {
            time,
            seq: self.seq,
        };
        let entry = Entry { key, slot };
        let at = self.place[slot as usize];
        if at == ABSENT {
            self.heap.push(entry);
            self.rise(self.heap.len() - 1, entry);
        } else {
            self.settle(at as usize, entry);
        }
    }

    /// As [`Queue::set`], but leaves an event alone that is pending at an earlier time.
    pub(crate) fn set_earlier(&mut self, event: Event, time: u64) {
        match self.time(event) {
            Some(pending) if pending <= time => {}
            _ => self.set(event, time),
        }
    }

    /// When the event is pending.
    pub(crate) fn time(&self, event: Event) -> Option<u64> {
        let at = self.place[self.slot(event) as usize];
        (at != ABSENT).then(|| self.heap[at as usize].key.time)
    }

    /// Takes the event out, if it is pending. O(log n).
    #[inline]
    pub(crate) fn cancel(&mut self, event: Event) {
        let slot = self.slot(event) as usize;
        let at = self.place[slot];
        if at == ABSENT {
            return;
        }
        self.place[slot] = ABSENT;
        if let Some(last) = self.heap.pop()
            && at as usize != self.heap.len()
        {
            self.settle(at as usize, last);
        }
    }

    /// Puts an entry that belongs at or near `at` in its place.
    #[inline]
    fn settle(&mut self, at: usize, entry: Entry) {
        if at > 0 && entry.key < self.heap[(at - 1) / 4].key {
            self.rise(at, entry);
        } else {
            self.sink(at, entry);
        }
    }

    fn rise(&mut self, mut at: usize, entry: Entry) {
        while at > 0 {
            let parent = (at - 1) / 4;
            if self.heap[parent].key < entry.key {
                break;
            }
            self.put(at, self.heap[parent]);
            at = parent;
        }
        self.put(at, entry);
    }

    fn sink(&mut self, mut at: usize, entry: Entry) {
        loop {
            let first = 4 * at + 1;
            let children = self.heap.get(first..).unwrap_or(&[]);
            let Some((offset, child)) = children
                .iter()
                .take(4)
                .copied()
                .enumerate()
                .min_by_key(|(_, child)| child.key)
            else {
                break;
            };
            if entry.key < child.key {
                break;
            }
            self.put(at, child);
            at = first + offset;
        }
        self.put(at, entry);
    }

    #[inline]
    fn put(&mut self, at: usize, entry: Entry) {
        self.heap[at] = entry;
        self.place[entry.slot as usize] = at as u32;
    }

    #[inline]
    fn slot(&self, event: Event) -> u32 {
        let of_cpu = |cpu: CpuId, kind: u32| u32::from(cpu.0) << KIND_BITS | kind;
        match event {
            Event::Boundary(cpu) => of_cpu(cpu, 0),
            Event::Tick(cpu) => of_cpu(cpu, 1),
            Event::Resched(cpu) => of_cpu(cpu, 2),
            Event::NohzKick(cpu) => of_cpu(cpu, 3),
            Event::ActiveBalance(cpu) => of_cpu(cpu, 4),
            Event::Timer(thread) => self.threads_at + thread,
        }
    }

    #[inline]
    fn event(&self, slot: u32) -> Event {
        if slot >= self.threads_at {
            return Event::Timer(slot - self.threads_at);
        }
        let cpu = CpuId((slot >> KIND_BITS) as u16);
        match slot & ((1 << KIND_BITS) - 1) {
            0 => Event::Boundary(cpu),
            1 => Event::Tick(cpu),
            2 => Event::Resched(cpu),
            3 => Event::NohzKick(cpu),
            _ => Event::ActiveBalance(cpu),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pop(queue: &mut Queue) -> Option<(u64, Event)> {
        let first = queue.first()?;
        queue.cancel(first.1);
        Some(first)
    }

    #[test]
    fn equal_times_come_in_the_order_set() {
        let mut queue = Queue::new(2, 2);
        let events = [
            Event::Timer(1),
            Event::Tick(CpuId(1)),
            Event::Boundary(CpuId(0)),
            Event::Timer(0),
            Event::ActiveBalance(CpuId(1)),
        ];
        for event in events {
            queue.set(event, 7);
        }
        queue.set(Event::Timer(1), 7);
        let order: Vec<Event> = std::iter::from_fn(|| pop(&mut queue))
            .map(|(_, e)| e)
            .collect();
        assert_eq!(
            order,
            [events[1], events[2], events[3], events[4], events[0]]
        );
    }

    #[test]
    fn set_earlier_keeps_the_earlier() {
        let mut queue = Queue::new(1, 0);
        let event = Event::Resched(CpuId(0));
        queue.set_earlier(event, 9);
        queue.set_earlier(event, 12);
        assert_eq!(queue.first(), Some((9, event)));
        queue.set_earlier(event, 4);
        assert_eq!(queue.time(event), Some(4));
    }

    proptest! {
        #[test]
        fn agrees_with_a_sorted_list(ops in prop::collection::vec((0_u32..40, prop::option::of(0_u64..50)), 1..300)) {
            let mut queue = Queue::new(3, 16);
            let mut list: Vec<(u64, u64, u32)> = Vec::new();
            for (seq, &(slot, time)) in (0_u64..).zip(&ops) {
                let event = queue.event(slot);
                let slot = queue.slot(event);
                list.retain(|entry| entry.2 != slot);
                match time {
                    Some(time) => {
                        queue.set(event, time);
                        list.push((time, seq, slot));
                    }
                    None => queue.cancel(event),
                }
            }
            list.sort_unstable();
            for (time, _, slot) in list {
                prop_assert_eq!(pop(&mut queue), Some((time, queue.event(slot))));
            }
            prop_assert_eq!(pop(&mut queue), None);
        }
    }
}
