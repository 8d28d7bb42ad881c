//! The programs of all threads, linked into one list of instructions.

use teeter_machine::{CpuId, CpuSet};
use teeter_workload::{Op, Program, Programs};

/// Full speed as a rate, and one nanosecond of work at full speed: 16 fraction bits.
pub(crate) const FULL: u64 = 1 << 16;

/// A span of computation at full speed, in units of 2^-16 ns. Longer ones than any run are cut.
pub(crate) const fn work(nanos: u64) -> u64 {
    let longest = u64::MAX >> 18;
    (if nanos < longest { nanos } else { longest }) << 16
}

/// An [`Op`] with its jumps resolved and its flags and barriers numbered across the scenario.
/// Times are in ns but for `Compute`, which holds [`work`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instr {
    Compute(u64),
    ComputeWall(u64),
    ComputeForever,
    Sleep(u64),
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
    /// Touches so many bytes.
    Touch(u64),
    Yield,
    Exec,
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

    /// Links the programs of one workload, whose flags and barriers begin at these numbers.
    /// Gives the start of each program.
    pub(crate) fn link(
        &mut self,
        programs: &Programs,
        flags_at: u32,
        barriers_at: u32,
    ) -> Result<Vec<u32>, Malformed> {
        let cpus_at = self.cpus.len() as u32;
        let sets = programs.cpus.iter();
        self.cpus
            .extend(sets.map(|list| list.iter().map(|cpu| CpuId(cpu as u16)).collect::<CpuSet>()));
        programs
            .programs
            .iter()
            .map(|program| self.link_one(program, flags_at, barriers_at, cpus_at))
            .collect()
    }

    fn link_one(
        &mut self,
        program: &Program,
        flags_at: u32,
        barriers_at: u32,
        cpus_at: u32,
    ) -> Result<u32, Malformed> {
        let start = self.instrs.len() as u32;
        let mut open: Vec<u32> = Vec::new();
        for op in &program.ops {
            let pc = self.instrs.len() as u32;
            let instr = match *op {
                Op::Compute(time) => Instr::Compute(work(time.0)),
                Op::ComputeWall(time) => Instr::ComputeWall(time.0),
                Op::ComputeForever => Instr::ComputeForever,
                Op::Sleep(time) => Instr::Sleep(time.0),
                Op::Timer { period } => Instr::Timer { period: period.0 },
                Op::SpinUntil { flag, value } => Instr::SpinUntil {
                    flag: flags_at + flag.0,
                    value,
                },
                Op::Set { flag, value } => Instr::Set {
                    flag: flags_at + flag.0,
                    value,
                },
                Op::Barrier { barrier, spin } => Instr::Barrier {
                    barrier: barriers_at + barrier.0,
                    spin: spin.0,
                },
                Op::Touch(bytes) => Instr::Touch(bytes),
                Op::Yield => Instr::Yield,
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
        code.link_one(&Program { ops }, 10, 20, 30)
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
