//! One thread: where it is in its program and what it is doing.

use teeter_machine::CpuId;
use teeter_workload::Program;

use crate::code::{ENDLESS, FULL, Instr};
use crate::memory::Walk;
use crate::sync::Wait;

/// What a thread is doing, or will go on doing when it gets a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Not forked yet.
    Unborn,
    /// Not forked yet, and will not be before the script starts it.
    Held,
    /// About to fetch its next instruction.
    Ready,
    /// Computing [`Thread::left`].
    Work,
    /// Running for [`Thread::left`] of CPU time, at whatever speed.
    Steady,
    /// Touching memory, for [`Thread::left`] more.
    Touch,
    /// Computing until this time.
    Wall { until: u64 },
    /// Computing for ever.
    Forever,
    /// Polling a flag.
    Spin { flag: u32, value: u32 },
    /// Polling at a barrier, for [`Thread::left`] more.
    Poll,
    /// Let go from a barrier by a thread on that CPU, which it has not seen yet.
    Released { by: CpuId },
    /// Asleep at a barrier.
    Futex,
    /// Waking the sleepers of a barrier; the next one when [`Thread::left`] is done.
    Waking { barrier: u32 },
    /// In a system call, for [`Thread::left`] more.
    Call(Call),
    /// Gave a mutex back and is about to sleep on a condition, on whose list it is.
    Parking,
    /// Asleep until another thread wakes it, on the list of what it waits for.
    Blocked(Wait),
    /// Forking one more of the workload's threads, after so many, when [`Thread::left`] is done.
    Forking { forked: u32 },
    /// Forking this thread when [`Thread::left`] is done.
    Spawning { child: u32 },
    /// Asleep until its timer.
    Asleep,
    /// Ended.
    Done,
}

/// A system call that has an effect on others at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// Putting a message into a channel; `waited` for room.
    Send { channel: u32, waited: bool },
    /// Handing a segment over.
    Push { channel: u32, waited: bool },
    /// Taking so many messages from a channel.
    Receive { channel: u32, messages: u32 },
    /// Waking the next waiter of a mutex.
    Unlock { mutex: u32 },
    /// Going to sleep on a condition, and giving a mutex back.
    Wait { condition: u32, mutex: u32 },
    /// Waking a waiter of a condition.
    Signal { condition: u32 },
    /// Waking the next waiter of a condition, and then the others.
    Broadcast { condition: u32 },
}

impl Phase {
    /// Whether it is work, which takes longer on a slower CPU.
    #[inline]
    pub(crate) const fn makes_progress(self) -> bool {
        matches!(
            self,
            Self::Work
                | Self::Touch
                | Self::Waking { .. }
                | Self::Call(_)
                | Self::Forking { .. }
                | Self::Spawning { .. }
        )
    }

    /// Whether [`Thread::left`] says how long it lasts.
    #[inline]
    pub(crate) const fn is_measured(self) -> bool {
        self.makes_progress() || matches!(self, Self::Poll | Self::Steady)
    }

    /// Whether it polls, which occupies a CPU without progress.
    pub(crate) const fn polls(self) -> bool {
        matches!(self, Self::Spin { .. } | Self::Poll)
    }
}

/// No time.
pub(crate) const NEVER: u64 = u64::MAX;

/// A thread.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each changes at a time of its own"
)]
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) phase: Phase,
    /// Work left in this phase, in units of 2^-16 ns.
    pub(crate) left: u64,
    pub(crate) pc: u32,
    depth: u32,
    rounds: [u32; Program::MAX_DEPTH],
    /// CPU it is on or was on last.
    pub(crate) cpu: CpuId,
    /// CPU it last ran on, where its cache contents are.
    pub(crate) ran_on: Option<CpuId>,
    /// When it left it.
    pub(crate) left_cpu: u64,
    /// Cache warm-up it still owes, in units of 2^-16 ns.
    pub(crate) debt: u64,
    /// When it was woken (or its timer expired), until it runs; else [`NEVER`].
    pub(crate) woken_at: u64,
    /// When the one who woke it last began to, and when it began its own call.
    pub(crate) waker_began: u64,
    pub(crate) call_began: u64,
    /// It has waited for what it is about to do.
    pub(crate) waited: bool,
    /// The condition on whose list it is.
    pub(crate) enlisted: Option<u32>,
    /// The spin lock of a CPU that it holds, as a flag.
    pub(crate) cpu_lock: Option<u32>,
    /// When it began to measure each of its latencies.
    pub(crate) latency_from: [u64; Program::MAX_LATENCIES],
    /// Random numbers drawn, and those for its system calls.
    pub(crate) draws: u32,
    pub(crate) calls: u32,
    /// Time to fetch what its waker has touched, ns.
    pub(crate) lines: u64,
    /// Its timer has expired, and its CPU is leaving its idle state for it.
    pub(crate) expired: bool,
    /// Whether its program comes to an end by itself.
    pub(crate) ends: bool,
    /// It has been killed, and ends at its next instruction.
    pub(crate) killed: bool,
    /// When it was forked.
    pub(crate) started: u64,
    /// Last expiry of its periodic timer.
    pub(crate) timer: u64,
    /// When it ended, or [`NEVER`].
    pub(crate) ended: u64,
    /// Index of the scenario's task.
    pub(crate) task: u32,
    /// Its walk through memory, if it has any.
    pub(crate) walk: Option<Box<Walk>>,
    /// The next one in the list of those that wait for the same.
    pub(crate) next_waiter: Option<u32>,
}

impl Thread {
    /// A thread of the scenario's task `task` whose program begins at `pc`.
    pub(crate) fn new(task: u32, pc: u32) -> Self {
        Self {
            phase: Phase::Unborn,
            left: 0,
            pc,
            depth: 0,
            rounds: [0; Program::MAX_DEPTH],
            cpu: CpuId(0),
            ran_on: None,
            left_cpu: 0,
            debt: 0,
            woken_at: NEVER,
            waker_began: 0,
            call_began: 0,
            waited: false,
            enlisted: None,
            cpu_lock: None,
            latency_from: [0; Program::MAX_LATENCIES],
            draws: 0,
            calls: 0,
            lines: 0,
            expired: false,
            ends: false,
            killed: false,
            started: 0,
            timer: 0,
            ended: NEVER,
            task,
            walk: None,
            next_waiter: None,
        }
    }

    /// Carries out a [`Instr::Loop`] or [`Instr::End`]; others do nothing. `pc` is past it already.
    #[inline]
    pub(crate) fn jump(&mut self, instr: Instr) {
        match instr {
            Instr::Loop { rounds: 0, past } => self.pc = past,
            Instr::Loop { rounds, .. } => {
                if let Some(top) = self.rounds.get_mut(self.depth as usize) {
                    *top = rounds;
                    self.depth += 1;
                }
            }
            Instr::End { body } => {
                let Some(top) = self.rounds[..self.depth as usize].last_mut() else {
                    return;
                };
                match *top {
                    ENDLESS => self.pc = body,
                    0 | 1 => self.depth -= 1,
                    _ => {
                        *top -= 1;
                        self.pc = body;
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds to the computation at hand what it owes for cold caches, but at most half as much again.
    #[inline]
    pub(crate) fn pay_debt(&mut self) {
        if self.debt > 0 {
            let paid = self.debt.min(self.left / 2);
            self.debt -= paid;
            self.left += paid;
        }
    }

    /// Makes progress for `elapsed` ns on a CPU of this rate.
    #[inline]
    pub(crate) fn progress(&mut self, elapsed: u64, rate: u64) {
        if let Some(walk) = &mut self.walk
            && walk.goes_on_in(self.phase)
        {
            let most = if self.phase.is_measured() {
                self.left
            } else {
                u64::MAX
            };
            walk.done = walk.done.saturating_add((elapsed * rate).min(most));
        }
        if self.phase.is_measured() {
            let rate = if self.phase.makes_progress() {
                rate
            } else {
                FULL
            };
            self.left = self.left.saturating_sub(elapsed * rate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_runs_its_rounds() {
        let mut thread = Thread::new(0, 0);
        let (enter, end) = (Instr::Loop { rounds: 3, past: 3 }, Instr::End { body: 1 });
        thread.pc = 1;
        thread.jump(enter);
        let mut rounds = 1;
        loop {
            thread.pc = 3;
            thread.jump(end);
            if thread.pc == 3 {
                break;
            }
            assert_eq!(thread.pc, 1);
            rounds += 1;
        }
        assert_eq!((rounds, thread.depth), (3, 0));
    }

    #[test]
    fn a_loop_of_no_rounds_is_skipped() {
        let mut thread = Thread::new(0, 1);
        thread.jump(Instr::Loop { rounds: 0, past: 9 });
        assert_eq!((thread.pc, thread.depth), (9, 0));
    }

    #[test]
    fn cold_caches_cost_at_most_half_of_each_burst() {
        let mut thread = Thread {
            left: 100,
            debt: 70,
            ..Thread::new(0, 0)
        };
        thread.pay_debt();
        assert_eq!((thread.left, thread.debt), (150, 20));
        thread.left = 100;
        thread.pay_debt();
        assert_eq!((thread.left, thread.debt), (120, 0));
    }
}
