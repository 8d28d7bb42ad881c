//! Runs programs without any machine, for tests: does it end, and what has it done by then?

use crate::program::{Op, Program, Programs};
use teeter_scenario::Nanos;

/// A thread: the instruction it is at, and for each open loop its begin and the rounds to come.
#[derive(Clone, Debug, Default)]
struct Thread {
    at: usize,
    loops: Vec<(usize, Option<u32>)>,
    /// The barrier it waits at.
    waits: Option<usize>,
    ended: bool,
}

impl Thread {
    /// Opens a loop, or goes on behind it where it has no rounds.
    fn open(&mut self, rounds: Option<u32>, ops: &[Op]) {
        if rounds != Some(0) {
            return self.loops.push((self.at, rounds));
        }
        let mut depth = 0;
        let end = ops[self.at..].iter().position(|op| {
            depth += i32::from(matches!(op, Op::Loop { .. })) - i32::from(*op == Op::End);
            depth == 0
        });
        self.at += end.unwrap();
    }

    fn close(&mut self) {
        let (begin, rounds) = self.loops.last_mut().unwrap();
        if *rounds == Some(1) {
            self.loops.pop();
        } else {
            *rounds = rounds.map(|rounds| rounds - 1);
            self.at = *begin;
        }
    }
}

/// Runs all threads in turn, an instruction each, until all have ended. Gives the progress counted.
///
/// Panics where nobody can go on.
pub(crate) fn run(programs: &Programs) -> u64 {
    let mut threads = vec![Thread::default(); programs.thread.len()];
    let mut flags = programs.shared.flags.clone();
    let mut come = vec![0; programs.shared.barriers.len()];
    let mut messages = vec![0; programs.shared.channels.len()];
    let mut counts = 0;
    while threads.iter().any(|thread| !thread.ended) {
        let mut moved = false;
        for index in 0..threads.len() {
            let ops = &programs.programs[programs.thread[index] as usize].ops;
            let thread = &mut threads[index];
            if thread.ended || thread.waits.is_some() {
                continue;
            }
            match ops[thread.at] {
                Op::SpinUntil { flag, value } if flags[flag.0 as usize] != value => continue,
                Op::Send(channel) => {
                    let channel = channel.0 as usize;
                    if messages[channel] == programs.shared.channels[channel].messages {
                        continue;
                    }
                    messages[channel] += 1;
                }
                Op::Receive(channel) => {
                    let messages = &mut messages[channel.0 as usize];
                    if *messages == 0 {
                        continue;
                    }
                    *messages -= 1;
                }
                Op::Set { flag, value } => flags[flag.0 as usize] = value,
                Op::Loop { rounds } => thread.open(rounds, ops),
                Op::End => thread.close(),
                Op::Progress(done) => counts += done,
                Op::Exit => thread.ended = true,
                Op::Barrier { barrier, .. } => {
                    let barrier = barrier.0 as usize;
                    come[barrier] += 1;
                    thread.waits = Some(barrier);
                    if come[barrier] == programs.shared.barriers[barrier] {
                        come[barrier] = 0;
                        let waits = threads.iter_mut().map(|thread| &mut thread.waits);
                        waits
                            .filter(|waits| **waits == Some(barrier))
                            .for_each(|waits| *waits = None);
                    }
                }
                _ => {}
            }
            threads[index].at += 1;
            moved = true;
        }
        assert!(moved, "no thread can go on");
    }
    counts
}

/// The computation of a program without endless loops.
pub(crate) fn computation(program: &Program) -> Nanos {
    let mut rounds = vec![1];
    let mut sum = Nanos::ZERO;
    for op in &program.ops {
        match *op {
            Op::Loop { rounds: times } => {
                rounds.push(rounds.last().unwrap() * u64::from(times.unwrap()));
            }
            Op::End => {
                rounds.pop();
            }
            Op::Compute(time) => sum += time * *rounds.last().unwrap(),
            _ => {}
        }
    }
    sum
}
