//! The programs of all threads, linked into one list of instructions.

use teeter_machine::{CpuId, CpuSet};
use teeter_workload::{Op, Program, Programs};

use crate::sync::Numbers;

/// Full speed as a rate, and one nanosecond of work at full speed: 16 fraction bits.
pub(crate) const FULL: u64 = 1 << 16;

/// A span of computation at full speed, in units of 2^-16 ns. Longer ones than any run are cut.
pub(crate) const fn work(nanos: u64) -> u64 {
    let longest = u64::MAX >> 18;
    (if nanos < longest { nanos } else { longest }) << 16
}

/// An [`Op`] with its jumps resolved, and with what is shared numbered across the scenario.
/// Times are in ns but for `Compute`, which holds [`work`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instr {
    Compute(u64),
    ComputeWall(u64),
    /// [`work`] at the speed of whatever CPU.
    ComputeCpu(u64),
    ComputeForever,
    Sleep(u64),
    SleepBetween {
        least: u64,
        most: u64,
    },
    Timer {
        period: u64,
    },
    SpinUntil {
        flag: u32,
        value: u32,
    },
    Set {
        flag: u32,
        value: u32,
    },
    Barrier {
        barrier: u32,
        spin: u64,
    },
    Lock(u32),
    Unlock(u32),
    /// [`NO_MUTEX`] where none is given back.
    Wait {
        condition: u32,
        mutex: u32,
    },
    Signal(u32),
    Broadcast(u32),
    Send(u32),
    Receive(u32),
    Drain(u32),
    Enlist(u32),
    Park,
    /// The locks are flags from `first` on.
    LockCpu {
        first: u32,
    },
    UnlockCpu,
    Begin(u32),
    BeginAtWaker(u32),
    Record(u32),
    StartClock,
    /// Touches so many bytes.
    Touch(u64),
    Yield,
    Exec,
    /// Until so long after the tasks' start.
    SleepUntil(u64),
    SharedTimer {
        timer: u32,
        period: u64,
        absolute: bool,
    },
    /// The first of `count` threads from `first` on, by their places in the task, that is not forked yet.
    Fork {
        first: u32,
        count: u32,
    },
    Nice(i8),
    /// Binds the thread to [`Code::cpus`] of this number.
    Affinity {
        cpus: u32,
    },
    /// Enters the body, or jumps to `past` where there are no rounds. Endless rounds are [`ENDLESS`].
    Loop {
        rounds: u32,
        past: u32,
    },
    /// Jumps to `body` for another round.
    End {
        body: u32,
    },
    Progress(u64),
    Exit,
}

/// The number of rounds that is never counted down.
pub(crate) const ENDLESS: u32 = u32::MAX;

/// The number that no mutex has.
pub(crate) const NO_MUTEX: u32 = u32::MAX;

/// All instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    instrs: Vec<Instr>,
    cpus: Vec<CpuSet>,
}

/// Loops that do not match or nest too deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl Code {
    /// The instruction at `pc`; past the end, [`Instr::Exit`].
    #[inline]
    pub(crate) fn at(&self, pc: u32) -> Instr {
        self.instrs.get(pc as usize).copied().unwrap_or(Instr::Exit)
    }

    /// A set of CPUs by its number.
    pub(crate) fn cpus(&self, number: u32) -> CpuSet {
        let set = self.cpus.get(number as usize);
        set.copied().unwrap_or(CpuSet::EMPTY)
    }

    /// Links the programs of one workload, given the numbers of what its threads share. Gives the start of
    /// each program.
    pub(crate) fn link(
        &mut self,
        programs: &Programs,
        numbers: &Numbers,
    ) -> Result<Vec<u32>, Malformed> {
        let cpus_at = self.cpus.len() as u32;
        let sets = programs.cpus.iter();
        self.cpus
            .extend(sets.map(|list| list.iter().map(|cpu| CpuId(cpu as u16)).collect::<CpuSet>()));
        programs
            .programs
            .iter()
            .map(|program| self.link_one(program, numbers, cpus_at))
            .collect()
    }

    fn link_one(
        &mut self,
        program: &Program,
        numbers: &Numbers,
        cpus_at: u32,
    ) -> Result<u32, Malformed> {
        let start = self.instrs.len() as u32;
        let mut open: Vec<u32> = Vec::new();
        let number = |numbers: &[u32], id: u32| numbers.get(id as usize).copied().ok_or(Malformed);
        for op in &program.ops {
            let pc = self.instrs.len() as u32;
            let instr = match *op {
                Op::Compute(time) => Instr::Compute(work(time.0)),
                Op::ComputeWall(time) => Instr::ComputeWall(time.0),
                Op::ComputeCpu(time) => Instr::ComputeCpu(work(time.0)),
                Op::ComputeForever => Instr::ComputeForever,
                Op::Sleep(time) => Instr::Sleep(time.0),
                Op::Timer { period } => Instr::Timer { period: period.0 },
                Op::SpinUntil { flag, value } => Instr::SpinUntil {
                    flag: number(&numbers.flags, flag.0)?,
                    value,
                },
                Op::Set { flag, value } => Instr::Set {
                    flag: number(&numbers.flags, flag.0)?,
                    value,
                },
                Op::Barrier { barrier, spin } => Instr::Barrier {
                    barrier: number(&numbers.barriers, barrier.0)?,
                    spin: spin.0,
                },
                Op::SleepBetween { least, most } => Instr::SleepBetween {
                    least: least.0,
                    most: most.0,
                },
                Op::Lock(mutex) => Instr::Lock(number(&numbers.mutexes, mutex.0)?),
                Op::Unlock(mutex) => Instr::Unlock(number(&numbers.mutexes, mutex.0)?),
                Op::Wait { condition, mutex } => Instr::Wait {
                    condition: number(&numbers.conditions, condition.0)?,
                    mutex: match mutex {
                        Some(mutex) => number(&numbers.mutexes, mutex.0)?,
                        None => NO_MUTEX,
                    },
                },
                Op::Signal(condition) => Instr::Signal(number(&numbers.conditions, condition.0)?),
                Op::Broadcast(condition) => {
                    Instr::Broadcast(number(&numbers.conditions, condition.0)?)
                }
                Op::Send(channel) => Instr::Send(number(&numbers.channels, channel.0)?),
                Op::Receive(channel) => Instr::Receive(number(&numbers.channels, channel.0)?),
                Op::Drain(channel) => Instr::Drain(number(&numbers.channels, channel.0)?),
                Op::Enlist(condition) => Instr::Enlist(number(&numbers.conditions, condition.0)?),
                Op::Park => Instr::Park,
                Op::LockCpu => Instr::LockCpu {
                    first: numbers.cpu_locks,
                },
                Op::UnlockCpu => Instr::UnlockCpu,
                Op::Begin(latency) => Instr::Begin(latency),
                Op::BeginAtWaker(latency) => Instr::BeginAtWaker(latency),
                Op::Record(latency) => Instr::Record(latency),
                Op::StartClock => Instr::StartClock,
                Op::Touch(bytes) => Instr::Touch(bytes),
                Op::Yield => Instr::Yield,
                Op::SleepUntil(time) => Instr::SleepUntil(time.0),
                Op::SharedTimer {
                    timer,
                    period,
                    absolute,
                } => Instr::SharedTimer {
                    timer: number(&numbers.timers, timer.0)?,
                    period: period.0,
                    absolute,
                },
                Op::Fork { first, count } => Instr::Fork { first, count },
                Op::Nice(nice) => Instr::Nice(nice),
                Op::Exec => Instr::Exec,
                Op::Affinity { cpus } => Instr::Affinity {
                    cpus: cpus_at + cpus,
                },
                Op::Loop { rounds } => {
                    open.push(pc);
                    Instr::Loop {
                        rounds: rounds.unwrap_or(ENDLESS),
                        past: 0,
                    }
                }
                Op::End => {
                    let at = open.pop().ok_or(Malformed)?;
                    if let Some(Instr::Loop { past, .. }) = self.instrs.get_mut(at as usize) {
                        *past = pc + 1;
                    }
                    Instr::End { body: at + 1 }
                }
                Op::Progress(amount) => Instr::Progress(amount),
                Op::Exit => Instr::Exit,
            };
            self.instrs.push(instr);
            if open.len() > Program::MAX_DEPTH {
                return Err(Malformed);
            }
        }
        self.instrs.push(Instr::Exit);
        if open.is_empty() {
            Ok(start)
        } else {
            Err(Malformed)
        }
    }
}

/// Whether a thread that runs this comes to an end by itself.
pub(crate) fn ends(program: &Program) -> bool {
    !program
        .ops
        .iter()
        .any(|op| matches!(op, Op::ComputeForever | Op::Loop { rounds: None }))
}

#[cfg(test)]
mod tests {
    use teeter_scenario::Nanos;

    use super::*;

    fn link(ops: Vec<Op>) -> Result<Vec<Instr>, Malformed> {
        let mut code = Code::default();
        code.link_one(&Program { ops }, &Numbers::default(), 30)
            .map(|_| code.instrs)
    }

    #[test]
    fn loops_know_where_they_begin_and_end() {
        let ops = vec![
            Op::Loop { rounds: Some(3) },
            Op::Compute(Nanos(5)),
            Op::Loop { rounds: None },
            Op::End,
            Op::End,
        ];
        assert_eq!(
            link(ops).unwrap(),
            [
                Instr::Loop { rounds: 3, past: 5 },
                Instr::Compute(5 << 16),
                Instr::Loop {
                    rounds: ENDLESS,
                    past: 4
                },
                Instr::End { body: 3 },
                Instr::End { body: 1 },
                Instr::Exit,
            ]
        );
    }

    #[test]
    fn unmatched_or_too_deep_loops_are_refused() {
        let open = Op::Loop { rounds: None };
        assert_eq!(link(vec![open]), Err(Malformed));
        assert_eq!(link(vec![Op::End]), Err(Malformed));
        let depth = Program::MAX_DEPTH + 1;
        let deep = [vec![open; depth], vec![Op::End; depth]].concat();
        assert_eq!(link(deep), Err(Malformed));
    }

    #[test]
    fn only_endless_programs_do_not_end() {
        let of = |ops: &[Op]| ends(&Program { ops: ops.to_vec() });
        assert!(of(&[Op::Loop { rounds: Some(2) }, Op::End, Op::Exit]));
        assert!(!of(&[Op::Loop { rounds: None }, Op::End]));
        assert!(!of(&[Op::ComputeForever]));
    }
}
