//! Programs written step by step in the scenario.

use teeter_scenario::document::workload::Step;
use teeter_scenario::problem::join;
use teeter_scenario::{CpuList, Nanos, Problem};

use crate::program::{BarrierId, FlagId, Op, Programs, Traits};

/// Compiles steps that every thread goes through over and over.
pub(crate) fn compile(
    steps: &[Step],
    threads: u32,
    traits: Traits,
) -> Result<Programs, Vec<Problem>> {
    let mut compiler = Compiler::default();
    compiler.ops.push(Op::Loop { rounds: None });
    compiler.steps("/workload/program", steps);
    compiler.ops.push(Op::End);
    if !compiler.problems.is_empty() {
        return Err(compiler.problems);
    }
    Ok(Programs {
        flags: vec![0; compiler.flags.len()],
        barriers: vec![threads; compiler.barriers.len()],
        cpus: compiler.cpus.into_iter().cloned().collect(),
        ..Programs::alike(threads, compiler.ops, traits)
    })
}

/// What has been compiled so far, and the names met; a name's number is its place.
#[derive(Default)]
struct Compiler<'a> {
    ops: Vec<Op>,
    flags: Vec<&'a String>,
    barriers: Vec<&'a String>,
    cpus: Vec<&'a CpuList>,
    problems: Vec<Problem>,
}

impl<'a> Compiler<'a> {
    fn steps(&mut self, path: &str, steps: &'a [Step]) {
        for (index, step) in steps.iter().enumerate() {
            self.step(&join(path, index), step);
        }
    }

    fn step(&mut self, path: &str, step: &'a Step) {
        match step {
            Step::Run(time) => self.ops.push(Op::Compute(*time)),
            Step::Runtime(time) => self.ops.push(Op::ComputeWall(*time)),
            Step::Sleep(time) => self.ops.push(Op::Sleep(*time)),
            Step::Timer { period } => self.ops.push(Op::Timer { period: *period }),
            Step::Barrier(name) => {
                let barrier = BarrierId(number_of(name, &mut self.barriers));
                self.ops.push(Op::Barrier {
                    barrier,
                    spin: Nanos::ZERO,
                });
            }
            Step::SpinUntil(name) => {
                let flag = FlagId(number_of(name, &mut self.flags));
                self.ops.push(Op::SpinUntil { flag, value: 1 });
                self.ops.push(Op::Set { flag, value: 0 });
            }
            Step::Set(name) => {
                let flag = FlagId(number_of(name, &mut self.flags));
                self.ops.push(Op::Set { flag, value: 1 });
            }
            Step::Yield(true) => self.ops.push(Op::Yield),
            Step::Exec(true) => self.ops.push(Op::Exec),
            Step::Yield(false) | Step::Exec(false) => {}
            Step::Affinity(cpus) => {
                let cpus = number_of(cpus, &mut self.cpus);
                self.ops.push(Op::Affinity { cpus });
            }
            Step::Loop { times, steps } => {
                self.ops.push(Op::Loop {
                    rounds: Some(*times),
                });
                self.steps(&format!("{path}/loop/steps"), steps);
                self.ops.push(Op::End);
            }
            Step::Lock(_) => self.not_run(path, "lock"),
            Step::Unlock(_) => self.not_run(path, "unlock"),
            Step::Send(_) => self.not_run(path, "send"),
            Step::Receive(_) => self.not_run(path, "receive"),
            Step::Touch { size } => self.ops.push(Op::Touch(size.0)),
        }
    }

    fn not_run(&mut self, path: &str, step: &str) {
        let problem = Problem::new(
            join(path, step),
            format!("this engine does not run the step `{step}` yet"),
        );
        let hint = "it runs run, runtime, sleep, timer, barrier, spin_until, set, yield, exec, affinity, touch and loop";
        self.problems.push(problem.with_hint(hint));
    }
}

/// The number of a name among those `known`, which it joins if it is new.
fn number_of<'a, T: PartialEq>(name: &'a T, known: &mut Vec<&'a T>) -> u32 {
    let found = known.iter().position(|&other| other == name);
    found.unwrap_or_else(|| {
        known.push(name);
        known.len() - 1
    }) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRAITS: Traits = Traits { footprint_bytes: 0 };

    #[test]
    fn steps_become_ops_over_and_over() {
        let steps = [
            Step::Run(Nanos(3)),
            Step::Loop {
                times: 2,
                steps: vec![
                    Step::SpinUntil("f".to_owned()),
                    Step::Barrier("b".to_owned()),
                ],
            },
            Step::Set("g".to_owned()),
            Step::Set("f".to_owned()),
            Step::Timer { period: Nanos(9) },
            Step::Runtime(Nanos(5)),
            Step::Affinity("0-3".parse().unwrap()),
            Step::Yield(true),
            Step::Yield(false),
            Step::Exec(true),
            Step::Exec(false),
            Step::Sleep(Nanos(1)),
        ];
        let programs = compile(&steps, 4, TRAITS).unwrap();
        let (f, g) = (FlagId(0), FlagId(1));
        assert_eq!(
            programs.programs[0].ops,
            [
                Op::Loop { rounds: None },
                Op::Compute(Nanos(3)),
                Op::Loop { rounds: Some(2) },
                Op::SpinUntil { flag: f, value: 1 },
                Op::Set { flag: f, value: 0 },
                Op::Barrier {
                    barrier: BarrierId(0),
                    spin: Nanos::ZERO
                },
                Op::End,
                Op::Set { flag: g, value: 1 },
                Op::Set { flag: f, value: 1 },
                Op::Timer { period: Nanos(9) },
                Op::ComputeWall(Nanos(5)),
                Op::Affinity { cpus: 0 },
                Op::Yield,
                Op::Exec,
                Op::Sleep(Nanos(1)),
                Op::End,
            ]
        );
        assert_eq!((programs.flags, programs.barriers), (vec![0, 0], vec![4]));
        assert_eq!(programs.thread, [0; 4]);
    }

    #[test]
    fn steps_that_are_not_run_are_named() {
        let inner = vec![Step::Yield(true), Step::Lock("m".to_owned())];
        let steps = [
            Step::Loop {
                times: 1,
                steps: inner,
            },
            Step::Send("q".to_owned()),
        ];
        let problems = compile(&steps, 1, TRAITS).unwrap_err();
        let paths: Vec<_> = problems
            .iter()
            .map(|problem| problem.path.as_str())
            .collect();
        assert_eq!(
            paths,
            [
                "/workload/program/0/loop/steps/1/lock",
                "/workload/program/1/send"
            ]
        );
    }
}
