//! hackbench, or `perf bench sched messaging`: groups of senders and receivers.
//!
//! A group has `fds` senders, `fds` receivers, and a pipe or a pair of sockets for each receiver. Each sender
//! writes `loops` times a message to each receiver of its group in turn; a receiver reads as many messages as
//! all senders write to it. All begin when the last one has been forked; the result is the time from then to
//! the end of the last.
//!
//! Read from `tools/perf/bench/sched-messaging.c`. Its main process, which forks all and then waits, is the
//! first receiver here.

use teeter_scenario::Nanos;
use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::{ChannelKind, Hackbench, Ipc};

use crate::program::{Measure, Metric, Op, Programs, Traits};
use crate::shared::{BarrierId, Channel, ChannelId};

/// Working set of a sender or receiver (assumed).
const FOOTPRINT: u32 = 24 << 10;

/// Compiles `tasks.processes` runs of the benchmark.
pub(crate) fn compile(hackbench: &Hackbench, tasks: &Tasks) -> Programs {
    let Hackbench {
        groups, fds, loops, ..
    } = *hackbench;
    let messages = u64::from(fds) * u64::from(fds) * u64::from(loops);
    let messages = messages
        .saturating_mul(u64::from(groups))
        .saturating_mul(u64::from(tasks.processes));
    let mut programs = Programs {
        metric: Some(Metric {
            name: "messages/s",
            per_unit: 1,
            measure: Measure::Seconds { counts: messages },
            higher_is_better: false,
        }),
        ..Programs::none(Traits::footprint(FOOTPRINT))
    };
    for _ in 0..tasks.processes {
        let start = programs.shared.barrier(groups * 2 * fds);
        for _ in 0..groups {
            group(hackbench, start, &mut programs);
        }
    }
    programs
}

/// A group: its receivers, then its senders, in the order in which they are forked.
fn group(hackbench: &Hackbench, start: BarrierId, programs: &mut Programs) {
    let Hackbench {
        fds, loops, bytes, ..
    } = *hackbench;
    let kind = match hackbench.ipc {
        Ipc::Pipe => ChannelKind::Pipe,
        Ipc::Socket => ChannelKind::Socket,
    };
    let channels: Vec<ChannelId> = (0..fds)
        .map(|_| programs.shared.channel(Channel::new(kind, bytes)))
        .collect();
    let begin = [
        Op::Barrier {
            barrier: start,
            spin: Nanos::ZERO,
        },
        Op::StartClock,
    ];
    for &channel in &channels {
        let each = [
            Op::Loop { rounds: Some(fds) },
            Op::Receive(channel),
            Op::Progress(1),
            Op::End,
        ];
        programs.add(repeat(&begin, loops, &each), 1);
    }
    let each: Vec<Op> = channels.into_iter().map(Op::Send).collect();
    programs.add(repeat(&begin, loops, &each), fds);
}

/// First these, then those so many times, then the end.
fn repeat(begin: &[Op], rounds: u32, body: &[Op]) -> Vec<Op> {
    let rounds = Some(rounds);
    let mut ops = begin.to_vec();
    ops.push(Op::Loop { rounds });
    ops.extend(body);
    ops.extend([Op::End, Op::Exit]);
    ops
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter;
    use teeter_scenario::document::Workload;

    #[test]
    fn every_message_is_received() {
        for ipc in [Ipc::Pipe, Ipc::Socket] {
            let hackbench = Hackbench {
                groups: 3,
                fds: 4,
                loops: 60,
                ipc,
                ..Hackbench::default()
            };
            let tasks = Tasks {
                processes: 2,
                ..Tasks::new("hackbench", Workload::Hackbench(hackbench))
            };
            let programs = compile(&hackbench, &tasks);
            assert_eq!(programs.thread.len() as u64, tasks.thread_count());
            // Four senders write 60 times to each of four receivers, in three groups of two runs.
            assert_eq!(interpreter::run(&programs), 4 * 60 * 4 * 3 * 2);
        }
    }

    #[test]
    fn receivers_come_before_senders() {
        let hackbench = Hackbench {
            groups: 1,
            fds: 2,
            loops: 7,
            ..Hackbench::default()
        };
        let tasks = Tasks::new("hackbench", Workload::Hackbench(hackbench));
        let programs = compile(&hackbench, &tasks);
        assert_eq!(programs.thread, [0, 1, 2, 2]);
        assert_eq!(programs.shared.barriers, [4]);
        assert_eq!(
            programs.programs[2].ops[2..],
            [
                Op::Loop { rounds: Some(7) },
                Op::Send(ChannelId(0)),
                Op::Send(ChannelId(1)),
                Op::End,
                Op::Exit,
            ]
        );
    }
}
