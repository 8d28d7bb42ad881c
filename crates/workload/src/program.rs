//! The instruction set of task programs.

use teeter_scenario::{CpuList, Nanos};

use crate::individual::Individual;
use crate::memory::MemoryUse;
use crate::shared::{BarrierId, ChannelId, ConditionId, FlagId, MutexId, Shared, TimerId};

/// One instruction of a task program. All times of computation are at the full speed of an
/// undisturbed core; the hardware model decides how long they last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Compute for this much full-speed time.
    Compute(Nanos),
    /// Compute for this much time on the wall clock, whether running or not.
    ComputeWall(Nanos),
    /// Compute for this much CPU time, however fast the CPU is.
    ComputeCpu(Nanos),
    /// Compute and never stop.
    ComputeForever,
    /// Sleep for this long, from now.
    Sleep(Nanos),
    /// Sleep for some time from `least` to `most`, drawn anew each time.
    SleepBetween {
        /// The shortest time.
        least: Nanos,
        /// The longest time.
        most: Nanos,
    },
    /// Sleep until one period after the last expiry, at first after the thread's own start. Where that
    /// time has passed, go on at once and count the next period from now.
    Timer {
        /// The period.
        period: Nanos,
    },
    /// Poll a flag in an endless loop, without yielding, until it holds the value. Occupies the CPU.
    SpinUntil {
        /// Which flag.
        flag: FlagId,
        /// The value waited for.
        value: u32,
    },
    /// Store to a flag.
    Set {
        /// Which flag.
        flag: FlagId,
        /// The value stored.
        value: u32,
    },
    /// Wait until all threads have come: poll for `spin` of CPU time, then sleep on a futex. The
    /// last to arrive wakes the sleepers one after another.
    Barrier {
        /// Which barrier.
        barrier: BarrierId,
        /// CPU time polled before sleeping.
        spin: Nanos,
    },
    /// Take a mutex, asleep until it is free.
    Lock(MutexId),
    /// Give a mutex back and wake the one that has waited longest. Nothing where another holds it.
    Unlock(MutexId),
    /// Sleep on a condition until it is signalled, having given back the mutex if there is one. The mutex
    /// is not taken again: [`Op::Lock`] has to follow.
    Wait {
        /// Which condition.
        condition: ConditionId,
        /// The mutex given back.
        mutex: Option<MutexId>,
    },
    /// Put itself on the list of those that wait on a condition, without sleeping yet.
    Enlist(ConditionId),
    /// Sleep until taken off the list, unless that has happened.
    Park,
    /// Wake the one that has waited longest on a condition.
    Signal(ConditionId),
    /// Wake all that wait on a condition now, one after another.
    Broadcast(ConditionId),
    /// Put a message into a channel, asleep until there is room.
    Send(ChannelId),
    /// Take a message from a channel, or as many as one call takes, asleep until there is one.
    Receive(ChannelId),
    /// Forget the messages that are in a channel.
    Drain(ChannelId),
    /// Take the spin lock that the workload has for each CPU, that of the one it runs on, polling for it.
    LockCpu,
    /// Give back the spin lock of the CPU it took.
    UnlockCpu,
    /// Begin to measure the latency of this place in [`Programs::latencies`].
    Begin(u32),
    /// Begin to measure it at the time that the thread's last waker read before it woke anybody.
    BeginAtWaker(u32),
    /// Record the latency that was begun.
    Record(u32),
    /// The part whose time the benchmark measures begins, if it has not yet ([`Measure::Seconds`]).
    StartClock,
    /// Bind itself to a set of CPUs (`sched_setaffinity`), by its place in [`Programs::cpus`].
    Affinity {
        /// Which set.
        cpus: u32,
    },
    /// Touch so many bytes of the thread's memory ([`Programs::memory`]), from where it stopped last; the
    /// memory begins again at its end.
    Touch(u64),
    /// Give way to other runnable tasks (`sched_yield`).
    Yield,
    /// Sleep until so long after the tasks' start. Where that has passed, go on at once.
    SleepUntil(Nanos),
    /// Sleep until one period after the last expiry of a timer that threads may share, at first after the start
    /// of the thread that uses it first. Where that time has passed, go on at once; the next period counts from
    /// now, or from that time where it is `absolute`.
    SharedTimer {
        /// Which timer.
        timer: TimerId,
        /// The period.
        period: Nanos,
        /// Whether missed periods are made up for.
        absolute: bool,
    },
    /// Fork the first of these threads of the workload that has not been forked yet, if there is one.
    Fork {
        /// The first thread, by its place in [`Programs::thread`].
        first: u32,
        /// How many there are.
        count: u32,
    },
    /// Take another nice level.
    Nice(i8),
    /// Run another program image (`execve`), at which the kernel may put the thread on an idler CPU.
    Exec,
    /// Begin of a loop whose body ends at the matching [`Op::End`]. `None` = for ever.
    Loop {
        /// How many rounds; `None` for ever.
        rounds: Option<u32>,
    },
    /// End of the innermost loop.
    End,
    /// Count finished work of the workload's metric, in its smallest unit ([`Metric::per_unit`]).
    Progress(u64),
    /// The thread ends.
    Exit,
}

/// One thread's instructions. Ends with [`Op::Exit`] or never; loops nest at most
/// [`Program::MAX_DEPTH`] deep and match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The instructions in order.
    pub ops: Vec<Op>,
}

impl Program {
    /// Deepest nesting of loops: those of a scenario's program, and the one that repeats it.
    pub const MAX_DEPTH: usize = teeter_scenario::limits::PROGRAM_DEPTH + 1;

    /// Most latencies that one thread measures.
    pub const MAX_LATENCIES: usize = teeter_scenario::limits::LATENCIES;
}

/// What a workload reports as its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Name of its rate of progress in the benchmark's own terms, such as `Mop/s`.
    pub name: &'static str,
    /// How many counts of [`Op::Progress`] make one unit of the name (before "per second").
    pub per_unit: u64,
    /// What of it is the result.
    pub measure: Measure,
    /// Whether a higher result is better.
    pub higher_is_better: bool,
}

/// What of a metric is the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// The rate of progress.
    #[default]
    Rate,
    /// Seconds from the first [`Op::StartClock`] to the end of the last thread; before that, what the rate so
    /// far makes of all the work.
    Seconds {
        /// Counts of progress in all the work.
        counts: u64,
    },
    /// A percentile of one of [`Programs::latencies`], µs.
    Percentile {
        /// Which latency.
        latency: u32,
        /// Which percentile.
        percent: u32,
    },
}

/// How a workload's computation meets the hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// Private working set that a move leaves behind, bytes (MODEL.md F_priv).
    pub footprint_bytes: u32,
    /// What it has in the last-level cache beyond that, bytes (F_llc).
    pub llc_bytes: u32,
    /// Throughput of a core with two or more busy threads of which this is one, relative to one,
    /// hundredths; `None`: that of the machine (`smt.2` and so on).
    pub smt: Option<u32>,
}

impl Traits {
    /// Computation with so large a private working set.
    pub const fn footprint(bytes: u32) -> Self {
        Self {
            footprint_bytes: bytes,
            llc_bytes: 0,
            smt: None,
        }
    }
}

/// A compiled workload: what its threads run and what they share.
#[derive(Clone, Debug, PartialEq)]
pub struct Programs {
    /// One program a thread; threads with equal programs share one by index.
    pub programs: Vec<Program>,
    /// For each thread, which of `programs` it runs.
    pub thread: Vec<u32>,
    /// What the threads share.
    pub shared: Shared,
    /// Sets of CPUs that threads bind themselves to.
    pub cpus: Vec<CpuList>,
    /// Names of the latencies that its threads measure, at most [`Program::MAX_LATENCIES`].
    pub latencies: Vec<String>,
    /// Whether the first of every so many threads forks the others, after the very first has forked those;
    /// `None`: the first thread forks all.
    pub teams: Option<u32>,
    /// Time after which all threads are stopped.
    pub runtime: Option<Nanos>,
    /// What it reports, if anything.
    pub metric: Option<Metric>,
    /// How its computation meets the hardware.
    pub traits: Traits,
    /// The memory that its threads touch, if any.
    pub memory: Option<MemoryUse>,
    /// What sets each thread apart; empty where nothing does.
    pub individuals: Vec<Individual>,
}

impl Programs {
    /// A workload that has no threads yet ([`Self::add`]).
    pub(crate) fn none(traits: Traits) -> Self {
        Self {
            programs: Vec::new(),
            thread: Vec::new(),
            shared: Shared::default(),
            cpus: Vec::new(),
            latencies: Vec::new(),
            teams: None,
            runtime: None,
            metric: None,
            traits,
            memory: None,
            individuals: Vec::new(),
        }
    }

    /// A workload whose threads all run the same ops and share nothing.
    pub(crate) fn alike(threads: u32, ops: Vec<Op>, traits: Traits) -> Self {
        let mut programs = Self::none(traits);
        programs.add(ops, threads);
        programs
    }

    /// So many threads more that run these ops.
    pub(crate) fn add(&mut self, ops: Vec<Op>, threads: u32) {
        let program = self.programs.len() as u32;
        self.programs.push(Program { ops });
        self.thread.extend((0..threads).map(|_| program));
    }

    /// libgomp polls 300,000 times at a barrier, or 1,000 times where the team has more threads than
    /// CPUs (libgomp manual, `GOMP_SPINCOUNT`).
    const THROTTLE: u64 = 300;

    /// Shortens the polling at barriers with more threads than `available_cpus` (the online CPUs of the
    /// affinity mask when the program starts), as libgomp does. Call it once.
    pub fn throttle_spins(&mut self, available_cpus: usize) {
        for op in self
            .programs
            .iter_mut()
            .flat_map(|program| &mut program.ops)
        {
            if let Op::Barrier { barrier, spin } = op {
                let team = self
                    .shared
                    .barriers
                    .get(barrier.0 as usize)
                    .copied()
                    .unwrap_or(0);
                if team as usize > available_cpus {
                    *spin = Nanos(spin.0 / Self::THROTTLE);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_larger_than_the_machine_poll_less() {
        let barrier = |barrier| Op::Barrier {
            barrier: BarrierId(barrier),
            spin: Nanos::from_millis(3),
        };
        let spins = |cpus| {
            let mut programs = Programs {
                shared: Shared {
                    barriers: vec![2, 4],
                    ..Shared::default()
                },
                ..Programs::alike(4, vec![barrier(0), barrier(1)], Traits::default())
            };
            programs.throttle_spins(cpus);
            let spin = |op: &Op| match op {
                Op::Barrier { spin, .. } => spin.0,
                _ => 0,
            };
            programs.programs[0]
                .ops
                .iter()
                .map(spin)
                .collect::<Vec<_>>()
        };
        assert_eq!(spins(4), [3_000_000, 3_000_000]);
        assert_eq!(spins(3), [3_000_000, 10_000]);
    }
}
