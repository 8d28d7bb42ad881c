//! The event queue. Every CPU and thread has slots of its own, which hold one pending event each, so
//! an event is moved or cancelled in place and nothing is allocated after construction.
//!
//! Ticks come in a fixed order. CPUs' next boundaries change all the time and are many; they sit in a tournament
//! tree by CPU. All else is in a heap. Equal times come in this order: CPUs by number, at each the tick before the
//! boundary; then the others in the order in which they were set.

mod heap;
mod ticks;
mod tree;

use teeter_machine::CpuId;

use heap::Heap;
use ticks::Ticks;
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

/// Pending events by time.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    ticks: Ticks,
    boundaries: Tree,
    others: Heap,
    /// First heap slot of a thread.
    threads_at: u32,
}

impl Queue {
    /// An empty queue for CPUs whose ticks, a period apart, have these phases, and for so many threads.
    pub(crate) fn new(period: u64, phases: impl Iterator<Item = u64>, threads: usize) -> Self {
        let ticks = Ticks::new(period, phases);
        let nr_cpus = ticks.nr_cpus();
        let threads_at = KINDS * nr_cpus as u32 + 1;
        Self {
            ticks,
            boundaries: Tree::new(nr_cpus),
            others: Heap::new(threads_at as usize + threads),
            threads_at,
        }
    }

    /// The earliest event, which stays pending until it is set anew or cancelled. O(1).
    #[inline]
    pub(crate) fn first(&self) -> Option<(u64, Event)> {
        let (tick, boundary) = (self.ticks.first(), self.boundaries.first());
        let (time, event) = if tick <= boundary {
            (tick.0, Event::Tick(CpuId(tick.1 as u16)))
        } else {
            (boundary.0, Event::Boundary(CpuId(boundary.1 as u16)))
        };
        match self.others.first() {
            Some((other, slot)) if other < time => Some((other, self.event(slot))),
            _ if time == NEVER => None,
            _ => Some((time, event)),
        }
    }

    /// Makes the event, which is no tick, pending at `time`, wherever it was before. O(log n).
    #[inline]
    pub(crate) fn set(&mut self, event: Event, time: u64) {
        match event {
            Event::Boundary(cpu) => self.boundaries.set(u32::from(cpu.0), time),
            _ => self.others.set(self.slot(event), time),
        }
    }

    /// The tick that is the first event has come: that CPU's next one is a period later.
    #[inline]
    pub(crate) fn pass_tick(&mut self) {
        self.ticks.pass();
    }

    /// The CPU, which did not, ticks from now on: the first time after now.
    pub(crate) fn start_tick(&mut self, cpu: CpuId, now: u64) {
        self.ticks.start(u32::from(cpu.0), now);
    }

    /// The CPU ticks no longer.
    pub(crate) fn stop_tick(&mut self, cpu: CpuId) {
        self.ticks.stop(u32::from(cpu.0));
    }

    /// As [`Queue::set`], but leaves an event alone that is pending at an earlier time.
    pub(crate) fn set_earlier(&mut self, event: Event, time: u64) {
        let pending = match event {
            Event::Boundary(cpu) => Some(self.boundaries.time(u32::from(cpu.0))),
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
            Event::Boundary(_) => self.set(event, NEVER),
            _ => self.others.cancel(self.slot(event)),
        }
    }

    /// The heap slot of an event that is kept there.
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
            match first.1 {
                Event::Tick(cpu) => queue.stop_tick(cpu),
                event => queue.cancel(event),
            }
            Some(first)
        })
        .collect()
    }

    #[test]
    fn equal_times_have_a_fixed_order() {
        let mut queue = Queue::new(10, [7, 7].into_iter(), 2);
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
        queue.start_tick(b, 0);
        for event in [4, 1, 5, 6, 3, 7, 8, 9] {
            queue.set(events[event], 7);
        }
        queue.start_tick(a, 0);
        assert_eq!(order(&mut queue), events.map(|event| (7, event)));
    }

    #[test]
    fn an_event_is_moved_and_cancelled() {
        let mut queue = Queue::new(10, [1, 5].into_iter(), 1);
        let (tick, boundary) = (Event::Tick(CpuId(1)), Event::Boundary(CpuId(1)));
        queue.start_tick(CpuId(1), 0);
        queue.set(boundary, 3);
        queue.set(Event::Timer(0), 4);
        assert_eq!(queue.first(), Some((3, boundary)));
        queue.set(boundary, 9);
        assert_eq!(queue.first(), Some((4, Event::Timer(0))));
        queue.cancel(Event::Timer(0));
        assert_eq!(queue.first(), Some((5, tick)));
        queue.pass_tick();
        assert_eq!(queue.first(), Some((9, boundary)));
        queue.stop_tick(CpuId(1));
        assert_eq!(order(&mut queue), [(9, boundary)]);
    }

    #[test]
    fn set_earlier_keeps_the_earlier() {
        let mut queue = Queue::new(10, [0].into_iter(), 0);
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
