//! The event queue. Every CPU and thread has slots of its own, which hold one pending event each, so
//! an event is moved or cancelled in place and nothing is allocated after construction.
//!
//! A CPU's next tick and its next boundary change all the time and are many; they sit in a
//! tournament tree by CPU. All else is in a heap. Equal times come in this order: CPUs by number, at
//! each the tick before the boundary; then the others in the order in which they were set.

mod heap;
mod tree;

use teeter_machine::CpuId;

use heap::Heap;
use tree::{NEVER, Tree};

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
    /// The interrupt arrives that puts back what was throttled on the CPU.
    Unthrottle(CpuId),
    /// The CPU's stopper gets to run.
    ActiveBalance(CpuId),
    /// The CPU's stopper gets to run, to move tasks that may not stay.
    Stop(CpuId),
    /// A timer of the kernel expires.
    KernelTimer,
    /// A thread's start or the end of its sleep.
    Timer(u32),
}

/// Heap slots of each CPU.
const KINDS: u32 = 6;

/// A CPU's events in the tree.
#[derive(Clone, Copy, Debug)]
struct Own {
    tick: u64,
    boundary: u64,
}

/// Pending events by time.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    own: Vec<Own>,
    tree: Tree,
    others: Heap,
    /// First heap slot of a thread.
    threads_at: u32,
}

impl Queue {
    /// An empty queue for so many CPUs and threads.
    pub(crate) fn new(nr_cpus: usize, threads: usize) -> Self {
        let threads_at = KINDS * nr_cpus as u32 + 1;
        Self {
            own: vec![
                Own {
                    tick: NEVER,
                    boundary: NEVER
                };
                nr_cpus
            ],
            tree: Tree::new(nr_cpus),
            others: Heap::new(threads_at as usize + threads),
            threads_at,
        }
    }

    /// The earliest event, which stays pending until it is set anew or cancelled. O(1).
    #[inline]
    pub(crate) fn first(&self) -> Option<(u64, Event)> {
        let (time, cpu) = self.tree.first();
        match self.others.first() {
            Some((other, slot)) if other < time => Some((other, self.event(slot))),
            _ if time == NEVER => None,
            _ => {
                let own = self.own[cpu as usize];
                let cpu = CpuId(cpu as u16);
                let event = if own.tick <= own.boundary {
                    Event::Tick(cpu)
                } else {
                    Event::Boundary(cpu)
                };
                Some((time, event))
            }
        }
    }

    /// Makes the event pending at `time`, wherever it was before. O(log n).
    #[inline]
    pub(crate) fn set(&mut self, event: Event, time: u64) {
        match event {
            Event::Boundary(cpu) => {
                self.own[cpu.index()].boundary = time;
                self.play(cpu);
            }
            Event::Tick(cpu) => {
                self.own[cpu.index()].tick = time;
                self.play(cpu);
            }
            _ => self.others.set(self.slot(event), time),
        }
    }

    /// As [`Queue::set`], but leaves an event alone that is pending at an earlier time.
    pub(crate) fn set_earlier(&mut self, event: Event, time: u64) {
        let pending = match event {
            Event::Boundary(cpu) => Some(self.own[cpu.index()].boundary),
            Event::Tick(cpu) => Some(self.own[cpu.index()].tick),
            _ => self.others.time(self.slot(event)),
        };
        if pending.is_none_or(|pending| pending > time) {
            self.set(event, time);
        }
    }

    /// Takes the event out, if it is pending. O(log n).
    #[inline]
    pub(crate) fn cancel(&mut self, event: Event) {
        match event {
            Event::Boundary(_) | Event::Tick(_) => self.set(event, NEVER),
            _ => self.others.cancel(self.slot(event)),
        }
    }

    #[inline]
    fn play(&mut self, cpu: CpuId) {
        let Own { tick, boundary } = self.own[cpu.index()];
        self.tree.set(u32::from(cpu.0), tick.min(boundary));
    }

    /// The heap slot of an event that is not in the tree.
    fn slot(&self, event: Event) -> u32 {
        let of_cpu = |cpu: CpuId, kind: u32| KINDS * u32::from(cpu.0) + kind;
        match event {
            Event::Boundary(cpu) | Event::Tick(cpu) => of_cpu(cpu, 5),
            Event::Resched(cpu) => of_cpu(cpu, 0),
            Event::NohzKick(cpu) => of_cpu(cpu, 1),
            Event::ActiveBalance(cpu) => of_cpu(cpu, 2),
            Event::Stop(cpu) => of_cpu(cpu, 3),
            Event::Unthrottle(cpu) => of_cpu(cpu, 4),
            Event::KernelTimer => self.threads_at - 1,
            Event::Timer(thread) => self.threads_at + thread,
        }
    }

    fn event(&self, slot: u32) -> Event {
        if slot >= self.threads_at {
            return Event::Timer(slot - self.threads_at);
        }
        if slot + 1 == self.threads_at {
            return Event::KernelTimer;
        }
        let cpu = CpuId((slot / KINDS) as u16);
        match slot % KINDS {
            0 => Event::Resched(cpu),
            1 => Event::NohzKick(cpu),
            2 => Event::ActiveBalance(cpu),
            3 => Event::Stop(cpu),
            _ => Event::Unthrottle(cpu),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(queue: &mut Queue) -> Vec<(u64, Event)> {
        std::iter::from_fn(|| {
            let first = queue.first()?;
            queue.cancel(first.1);
            Some(first)
        })
        .collect()
    }

    #[test]
    fn equal_times_have_a_fixed_order() {
        let mut queue = Queue::new(2, 2);
        let (a, b) = (CpuId(0), CpuId(1));
        let events = [
            Event::Tick(a),
            Event::Boundary(a),
            Event::Tick(b),
            Event::Boundary(b),
            Event::Timer(1),
            Event::ActiveBalance(a),
            Event::NohzKick(b),
            Event::Timer(0),
            Event::Resched(b),
            Event::Unthrottle(a),
        ];
        for event in [4, 1, 5, 6, 3, 2, 0, 7, 8, 9] {
            queue.set(events[event], 7);
        }
        assert_eq!(order(&mut queue), events.map(|event| (7, event)));
    }

    #[test]
    fn an_event_is_moved_and_cancelled() {
        let mut queue = Queue::new(2, 1);
        let (tick, boundary) = (Event::Tick(CpuId(1)), Event::Boundary(CpuId(1)));
        queue.set(tick, 5);
        queue.set(boundary, 3);
        queue.set(Event::Timer(0), 4);
        assert_eq!(queue.first(), Some((3, boundary)));
        queue.set(boundary, 9);
        assert_eq!(queue.first(), Some((4, Event::Timer(0))));
        queue.cancel(Event::Timer(0));
        queue.cancel(tick);
        assert_eq!(order(&mut queue), [(9, boundary)]);
    }

    #[test]
    fn set_earlier_keeps_the_earlier() {
        let mut queue = Queue::new(1, 0);
        for event in [Event::Resched(CpuId(0)), Event::Boundary(CpuId(0))] {
            queue.set_earlier(event, 9);
            queue.set_earlier(event, 12);
            assert_eq!(queue.first(), Some((9, event)));
            queue.set_earlier(event, 4);
            assert_eq!(queue.first(), Some((4, event)));
            queue.cancel(event);
        }
    }
}
