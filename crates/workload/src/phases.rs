//! Programs written step by step in the scenario.

use teeter_scenario::document::workload::{Channel as Declared, Step};
use teeter_scenario::problem::join;
use teeter_scenario::{CpuList, Nanos, Problem};

use crate::program::{Op, Program, Programs, Traits};
use crate::shared::{
    BarrierId, Channel, ChannelId, ConditionId, FlagId, Mutex, MutexId, Object, Shared,
};

/// Compiles steps that every thread goes through over and over.
pub(crate) fn compile(
    steps: &[Step],
    threads: u32,
    traits: Traits,
) -> Result<Programs, Vec<Problem>> {
    let mut compiler = Compiler::default();
    compiler.declare(steps);
    compiler.ops.push(Op::Loop { rounds: None });
    compiler.steps("/workload/program", steps);
    compiler.ops.push(Op::End);
    if !compiler.problems.is_empty() {
        return Err(compiler.problems);
    }
    Ok(Programs {
        shared: compiler.shared(threads),
        cpus: compiler.cpus.into_iter().cloned().collect(),
        latencies: compiler.latencies.into_iter().cloned().collect(),
        ..Programs::alike(threads, compiler.ops, traits)
    })
}

/// What has been compiled so far, and the names met; a name's number is its place.
#[derive(Default)]
struct Compiler<'a> {
    ops: Vec<Op>,
    flags: Vec<&'a String>,
    barriers: Vec<&'a String>,
    mutexes: Vec<&'a String>,
    conditions: Vec<&'a String>,
    /// Conditions by which threads are suspended and resumed, a namespace of their own.
    suspended: Vec<&'a String>,
    channels: Vec<&'a String>,
    handoff: Vec<&'a String>,
    declared: Vec<&'a Declared>,
    cpus: Vec<&'a CpuList>,
    latencies: Vec<&'a String>,
    problems: Vec<Problem>,
}

impl<'a> Compiler<'a> {
    /// Notes what steps say of channels and mutexes, wherever they stand.
    fn declare(&mut self, steps: &'a [Step]) {
        for step in steps {
            match step {
                Step::Channel(channel) => self.declared.push(channel),
                Step::Mutex {
                    name,
                    handoff: true,
                } => self.handoff.push(name),
                Step::Loop { steps, .. } => self.declare(steps),
                _ => {}
            }
        }
    }

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
            Step::Mutex { name, .. } => {
                number_of(name, &mut self.mutexes);
            }
            Step::Lock(name) => {
                let mutex = self.mutex(name);
                self.ops.push(Op::Lock(mutex));
            }
            Step::Unlock(name) => {
                let mutex = self.mutex(name);
                self.ops.push(Op::Unlock(mutex));
            }
            Step::Wait { condition, mutex } => {
                let condition = ConditionId(number_of(condition, &mut self.conditions));
                let mutex = mutex.as_ref().map(|name| self.mutex(name));
                self.ops.push(Op::Wait { condition, mutex });
                self.ops.extend(mutex.map(Op::Lock));
            }
            Step::Signal(name) => {
                let condition = ConditionId(number_of(name, &mut self.conditions));
                self.ops.push(Op::Signal(condition));
            }
            Step::Broadcast(name) => {
                let condition = ConditionId(number_of(name, &mut self.conditions));
                self.ops.push(Op::Broadcast(condition));
            }
            Step::Suspend(name) => {
                let condition = self.suspension(name);
                self.ops.push(Op::Wait {
                    condition,
                    mutex: None,
                });
            }
            Step::Resume(name) => {
                let condition = self.suspension(name);
                self.ops.push(Op::Broadcast(condition));
            }
            Step::Channel(channel) => self.channel(path, channel),
            Step::Send(name) => {
                let channel = ChannelId(number_of(name, &mut self.channels));
                self.ops.push(Op::Send(channel));
            }
            Step::Receive(name) => {
                let channel = ChannelId(number_of(name, &mut self.channels));
                self.ops.push(Op::Receive(channel));
            }
            Step::Begin(name) => {
                let latency = self.latency(path, "begin", name);
                self.ops.push(Op::Begin(latency));
            }
            Step::End(name) => {
                let latency = self.latency(path, "end", name);
                self.ops.push(Op::Record(latency));
            }
            Step::Touch { size } => self.ops.push(Op::Touch(size.0)),
        }
    }

    fn mutex(&mut self, name: &'a String) -> MutexId {
        MutexId(number_of(name, &mut self.mutexes))
    }

    /// Suspensions are conditions counted from the last one down, until all are known.
    fn suspension(&mut self, name: &'a String) -> ConditionId {
        ConditionId(u32::MAX - number_of(name, &mut self.suspended))
    }

    /// Says what a channel is like, once.
    fn channel(&mut self, path: &str, channel: &'a Declared) {
        number_of(&channel.name, &mut self.channels);
        let first = self
            .declared
            .iter()
            .find(|other| other.name == channel.name);
        if first.is_some_and(|first| *first != channel) {
            let message = format!("channel `{}` is something else above", channel.name);
            self.problems
                .push(Problem::new(join(path, "channel"), message));
        }
    }

    fn latency(&mut self, path: &str, step: &str, name: &'a String) -> u32 {
        let number = number_of(name, &mut self.latencies);
        if number as usize == Program::MAX_LATENCIES {
            let most = Program::MAX_LATENCIES;
            let message = format!("at most {most} latencies can be measured");
            self.problems.push(Problem::new(join(path, step), message));
        }
        number
    }

    /// What the threads share. Resolves the numbers of suspensions.
    fn shared(&mut self, threads: u32) -> Shared {
        let conditions = self.conditions.len() as u32;
        let resolve = |condition: &mut ConditionId| {
            let suspension = u32::MAX - condition.0;
            if suspension < self.suspended.len() as u32 {
                condition.0 = conditions + suspension;
            }
        };
        for op in &mut self.ops {
            if let Op::Wait { condition, .. } | Op::Broadcast(condition) = op {
                resolve(condition);
            }
        }
        let mutex = |name: &&String| Mutex {
            handoff: self.handoff.contains(name),
        };
        let mut shared = Shared {
            flags: vec![0; self.flags.len()],
            barriers: vec![threads; self.barriers.len()],
            mutexes: self.mutexes.iter().map(mutex).collect(),
            conditions: conditions + self.suspended.len() as u32,
            channels: self.channels.iter().map(|name| self.made(name)).collect(),
            timers: 0,
            names: Vec::new(),
        };
        let mut share = |names: &[&String], prefix: &str, object: &dyn Fn(u32) -> Object| {
            let named = (0..)
                .zip(names)
                .map(|(number, name)| (format!("{prefix}{name}"), object(number)));
            shared.names.extend(named);
        };
        share(&self.flags, "", &|n| Object::Flag(FlagId(n)));
        share(&self.barriers, "", &|n| Object::Barrier(BarrierId(n)));
        share(&self.mutexes, "", &|n| Object::Mutex(MutexId(n)));
        share(&self.conditions, "", &|n| Object::Condition(ConditionId(n)));
        share(&self.suspended, "suspend ", &|n| {
            Object::Condition(ConditionId(conditions + n))
        });
        share(&self.channels, "", &|n| Object::Channel(ChannelId(n)));
        shared
    }

    /// The channel of this name as it is made.
    fn made(&self, name: &String) -> Channel {
        let declared = self.declared.iter().find(|channel| channel.name == *name);
        declared.map_or_else(Channel::default, |declared| {
            let channel = Channel::new(declared.kind, declared.bytes.0 as u32);
            declared
                .messages
                .map_or(channel, |messages| channel.holding(messages))
        })
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

    const TRAITS: Traits = Traits::footprint(0);

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
        let shared = &programs.shared;
        assert_eq!(
            (&shared.flags[..], &shared.barriers[..]),
            (&[0, 0][..], &[4][..])
        );
        assert_eq!(programs.thread, [0; 4]);
    }

    #[test]
    fn names_are_those_of_things_that_are_shared() {
        let name = |name: &str| name.to_owned();
        let steps = [
            Step::Send(name("q")),
            Step::Lock(name("m")),
            Step::Wait {
                condition: name("c"),
                mutex: Some(name("m")),
            },
            Step::Unlock(name("m")),
            Step::Suspend(name("c")),
            Step::Resume(name("c")),
            Step::Begin(name("request")),
            Step::End(name("request")),
            Step::Mutex {
                name: name("m"),
                handoff: true,
            },
            Step::Channel(Declared {
                messages: Some(7),
                ..Declared::new("q")
            }),
        ];
        let programs = compile(&steps, 2, TRAITS).unwrap();
        let (q, m, c, suspended) = (ChannelId(0), MutexId(0), ConditionId(0), ConditionId(1));
        assert_eq!(
            programs.programs[0].ops[1..9],
            [
                Op::Send(q),
                Op::Lock(m),
                Op::Wait {
                    condition: c,
                    mutex: Some(m)
                },
                Op::Lock(m),
                Op::Unlock(m),
                Op::Wait {
                    condition: suspended,
                    mutex: None
                },
                Op::Broadcast(suspended),
                Op::Begin(0),
            ]
        );
        let shared = programs.shared;
        assert_eq!(shared.mutexes, [Mutex { handoff: true }]);
        assert_eq!((shared.conditions, shared.channels[0].messages), (2, 7));
        assert_eq!(
            shared.names,
            [
                (name("m"), Object::Mutex(m)),
                (name("c"), Object::Condition(c)),
                (name("suspend c"), Object::Condition(suspended)),
                (name("q"), Object::Channel(q)),
            ]
        );
        assert_eq!(programs.latencies, ["request"]);
    }

    #[test]
    fn what_is_declared_twice_must_be_alike() {
        let steps = [
            Step::Channel(Declared::new("q")),
            Step::Loop {
                times: 1,
                steps: vec![Step::Channel(Declared {
                    messages: Some(1),
                    ..Declared::new("q")
                })],
            },
        ];
        let mut steps = steps.to_vec();
        steps.extend((0..5).map(|number| Step::Begin(number.to_string())));
        let problems = compile(&steps, 1, TRAITS).unwrap_err();
        let problems: Vec<_> = problems.iter().map(Problem::to_string).collect();
        assert_eq!(
            problems,
            [
                "/workload/program/1/loop/steps/0/channel: channel `q` is something else above",
                "/workload/program/6/begin: at most 4 latencies can be measured"
            ]
        );
    }
}
