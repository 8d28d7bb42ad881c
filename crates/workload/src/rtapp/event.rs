//! One event of a phase.

use std::collections::BTreeMap;

use serde_json::Value;
use teeter_scenario::problem::join;
use teeter_scenario::{CpuList, Nanos, Problem};

use super::read::Object;
use super::{Shares, Task};
use crate::program::Op;
use crate::shared::{BarrierId, ChannelId, ConditionId, MutexId, TimerId};

/// An event, and where it stands.
#[derive(Debug)]
pub(super) struct Event<'a> {
    path: String,
    pub(super) kind: Kind<'a>,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    Run(Nanos),
    Runtime(Nanos),
    Sleep(Nanos),
    Timer {
        timer: &'a str,
        period: Nanos,
        absolute: bool,
    },
    Mem(u32),
    IoRun(u32),
    Lock(&'a str),
    Unlock(&'a str),
    Wait {
        condition: &'a str,
        mutex: &'a str,
    },
    Sync {
        condition: &'a str,
        mutex: &'a str,
    },
    Signal(&'a str),
    Broad(&'a str),
    Barrier(&'a str),
    Suspend(Option<&'a str>),
    Resume(&'a str),
    SemPost(&'a str),
    SemWait(&'a str),
    Yield,
    Fork(&'a str),
}

/// What keys of events begin with, the longer ones of two alike first.
const NAMES: [&str; 20] = [
    "runtime", "run", "sleep", "memrun", "mem", "iorun", "lock", "unlock", "signal", "broad",
    "wait", "sync", "barrier", "timer", "resume", "suspend", "yield", "fork", "sem_post",
    "sem_wait",
];

/// Time to set 1 KB of a buffer in the last-level cache: 10 GB/s (assumed).
const MEM_NS_PER_KB: u64 = 100;

/// Bytes that rt-app writes in one call, its `mem_buffer_size`, and the time of a call to /dev/null (assumed).
const BUFFER: u64 = 4 << 20;
const WRITE: u64 = 500;

impl<'a> Event<'a> {
    /// Whether a key is that of an event.
    pub(super) fn is_one(key: &str) -> bool {
        NAMES.iter().any(|name| key.starts_with(name))
    }

    /// Reads the event of a key, if it is one and in order.
    pub(super) fn read(
        object: &Object<'a>,
        key: &'a str,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let name = NAMES.into_iter().find(|name| key.starts_with(name))?;
        let path = join(&object.path, key);
        let text = |problems: &mut Vec<Problem>| object.text(key, problems);
        let kind = match name {
            "run" => Kind::Run(object.micros(key, problems)),
            "runtime" => Kind::Runtime(object.micros(key, problems)),
            "sleep" => Kind::Sleep(object.micros(key, problems)),
            "mem" => Kind::Mem(object.whole(key, 0, problems)),
            "iorun" => Kind::IoRun(object.whole(key, 0, problems)),
            "memrun" => {
                problems.push(Problem::new(path, "`memrun` is not modelled"));
                return None;
            }
            "lock" => Kind::Lock(text(problems)?),
            "unlock" => Kind::Unlock(text(problems)?),
            "signal" => Kind::Signal(text(problems)?),
            "broad" => Kind::Broad(text(problems)?),
            "barrier" => Kind::Barrier(text(problems)?),
            "resume" => Kind::Resume(text(problems)?),
            "fork" => Kind::Fork(text(problems)?),
            "sem_post" => Kind::SemPost(text(problems)?),
            "sem_wait" => Kind::SemWait(text(problems)?),
            "suspend" => Kind::Suspend(object.get(key).and_then(Value::as_str)),
            "yield" => Kind::Yield,
            "timer" => {
                let timer = object.object(key, problems)?;
                let period = timer.micros("period", problems);
                if period < teeter_scenario::limits::PERIOD_MIN {
                    let least = teeter_scenario::limits::PERIOD_MIN;
                    let path = join(&timer.path, "period");
                    problems.push(Problem::new(path, format!("{period} is less than {least}")));
                }
                Kind::Timer {
                    timer: timer.text("ref", problems).unwrap_or("unknown"),
                    period,
                    absolute: timer
                        .text("mode", problems)
                        .is_some_and(|mode| mode.starts_with("absolute")),
                }
            }
            _ => {
                let wait = object.object(key, problems)?;
                let condition = wait.text("ref", problems).unwrap_or("unknown");
                let mutex = wait.text("mutex", problems).unwrap_or("unknown");
                if name == "wait" {
                    Kind::Wait { condition, mutex }
                } else {
                    Kind::Sync { condition, mutex }
                }
            }
        };
        Some(Self { path, kind })
    }

    /// The name written behind `suspend`.
    pub(super) fn suspended(&self) -> Option<&'a str> {
        match self.kind {
            Kind::Suspend(name) => name,
            _ => None,
        }
    }

    /// The name that it resumes.
    pub(super) fn resumed(&self) -> Option<&'a str> {
        match self.kind {
            Kind::Resume(name) => Some(name),
            _ => None,
        }
    }

    /// Tasks that it names must be there; what it resumes may also be named by who suspends.
    pub(super) fn check_names(
        &self,
        tasks: &[&str],
        suspended: &[&str],
        problems: &mut Vec<Problem>,
    ) {
        let (name, others) = match self.kind {
            Kind::Resume(name) => (name, suspended),
            Kind::Fork(name) => (name, &[][..]),
            _ => return,
        };
        if !tasks.contains(&name) && !others.contains(&name) {
            let problem = Problem::new(&self.path, format!("there is no task `{name}`"));
            problems.push(problem.with_hint(format!("there are {}", tasks.join(", "))));
        }
    }

    /// Appends its ops. `held` are the mutexes locked so far in this phase.
    pub(super) fn compile(
        &self,
        task: &Task<'_>,
        thread: usize,
        pools: &BTreeMap<&str, (u32, u32)>,
        shares: &mut Shares,
        held: &mut Vec<u32>,
        ops: &mut Vec<Op>,
    ) {
        match self.kind {
            Kind::Run(time) => ops.push(Op::Compute(time)),
            Kind::Runtime(time) => ops.push(Op::ComputeWall(time)),
            Kind::Sleep(time) => ops.push(Op::Sleep(time)),
            Kind::Mem(bytes) => {
                ops.push(Op::Compute(Nanos(u64::from(bytes) * MEM_NS_PER_KB / 1024)));
            }
            Kind::IoRun(bytes) => {
                let calls = u64::from(bytes).div_ceil(BUFFER);
                ops.push(Op::Compute(Nanos(calls * WRITE)));
            }
            Kind::Timer {
                timer,
                period,
                absolute,
            } => ops.push(Op::SharedTimer {
                timer: if timer.starts_with("unique") {
                    shares.unique_timer(thread, timer)
                } else {
                    TimerId(shares.timers.number(timer))
                },
                period,
                absolute,
            }),
            Kind::Lock(name) => {
                let mutex = shares.mutexes.number(name);
                held.push(mutex);
                ops.push(Op::Lock(MutexId(mutex)));
            }
            Kind::Unlock(name) => {
                let mutex = shares.mutexes.number(name);
                held.retain(|&held| held != mutex);
                ops.push(Op::Unlock(MutexId(mutex)));
            }
            Kind::Wait { condition, mutex } => {
                let condition = shares.condition(condition);
                let mutex = shares.mutexes.number(mutex);
                wait(condition, mutex, held, ops);
            }
            Kind::Sync { condition, mutex } => {
                let condition = shares.condition(condition);
                let mutex = shares.mutexes.number(mutex);
                ops.push(Op::Signal(condition));
                wait(condition, mutex, held, ops);
            }
            Kind::Signal(name) => ops.push(Op::Signal(shares.condition(name))),
            Kind::Broad(name) => ops.push(Op::Broadcast(shares.condition(name))),
            Kind::Barrier(name) => {
                let barrier = shares.barriers.iter().position(|(other, _)| other == name);
                ops.extend(barrier.map(|barrier| Op::Barrier {
                    barrier: BarrierId(barrier as u32),
                    spin: Nanos::ZERO,
                }));
            }
            Kind::Suspend(name) => {
                let name = name.filter(|&name| shares.strangers.contains(name));
                ops.push(Op::Wait {
                    condition: shares.suspension(name.unwrap_or(task.name)),
                    mutex: None,
                });
            }
            Kind::Resume(name) => ops.push(Op::Broadcast(shares.suspension(name))),
            Kind::SemPost(name) => {
                ops.push(Op::Send(ChannelId(shares.semaphores.number(name))));
            }
            Kind::SemWait(name) => {
                ops.push(Op::Receive(ChannelId(shares.semaphores.number(name))));
            }
            Kind::Yield => ops.push(Op::Yield),
            Kind::Fork(name) => ops.extend(
                pools
                    .get(name)
                    .map(|&(first, count)| Op::Fork { first, count }),
            ),
        }
    }
}

/// Waits on a condition; with the mutex, if the phase holds it.
fn wait(condition: ConditionId, mutex: u32, held: &[u32], ops: &mut Vec<Op>) {
    let mutex = held.contains(&mutex).then_some(MutexId(mutex));
    ops.push(Op::Wait { condition, mutex });
    ops.extend(mutex.map(Op::Lock));
}

impl Shares {
    /// Conditions have the even numbers, and those by which tasks are suspended the odd ones: both grow as they are met.
    fn condition(&mut self, name: &str) -> ConditionId {
        ConditionId(2 * self.conditions.number(name))
    }

    fn suspension(&mut self, task: &str) -> ConditionId {
        ConditionId(2 * self.suspended.number(task) + 1)
    }

    /// A timer of one thread alone.
    pub(super) fn unique_timer(&mut self, thread: usize, name: &str) -> TimerId {
        TimerId(self.timers.number(&format!("{name}\n{thread}")))
    }

    pub(super) fn cpu_set(&mut self, cpus: CpuList) -> u32 {
        let found = self.cpus.iter().position(|other| *other == cpus);
        found.unwrap_or_else(|| {
            self.cpus.push(cpus);
            self.cpus.len() - 1
        }) as u32
    }
}
