//! schbench: messengers wake workers, which compute and wait for their messenger again.
//!
//! Of 2017: a worker computes for `cputime` on the clock (being preempted does not lengthen it), puts itself
//! on its messenger's list, posts it and waits. The messenger sleeps for `sleep` and up to a quarter more, then
//! wakes all on its list, one futex after another. The latency is from the one time that the messenger reads
//! before it wakes anybody to when the worker runs.
//!
//! Of 2023: the messenger answers at once, and a worker sleeps 100 µs (as for a network) and then multiplies
//! matrices for `cputime` of CPU time under a spin lock that every CPU has one of; that is a request, whose
//! latency is measured beside that of the wakeup. With `rps`, requests come by the clock instead, eight at a
//! time and to one worker after another, and a worker that has more than eight of them gets no more.
//!
//! Read from `schbench.c` of both years.

use teeter_scenario::Nanos;
use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::{ChannelKind, Schbench, SchbenchStyle};

use crate::program::{Measure, Metric, Op, Programs, Traits};
use crate::shared::{Channel, ChannelId, ConditionId};

/// Working set of a worker of 2017, which reads the clock only (assumed).
const FOOTPRINT_2017: u32 = 8 << 10;
/// Its matrices of 2023 (`-F`, 256 KB).
const FOOTPRINT_2023: u32 = 256 << 10;
/// The sleep of a request that stands for a network.
const NETWORK: Nanos = Nanos::from_micros(100);
/// Requests that are posted before the next sleep, and that a worker has at most.
const BATCH: u32 = 8;

/// Places in [`Programs::latencies`].
const WAKEUP: u32 = 0;
const REQUEST: u32 = 1;

/// Compiles `tasks.processes` runs of the benchmark.
pub(crate) fn compile(schbench: &Schbench, tasks: &Tasks) -> Programs {
    let old = schbench.style == SchbenchStyle::V2017;
    let footprint_bytes = if old { FOOTPRINT_2017 } else { FOOTPRINT_2023 };
    let wakeup = ["wakeup".to_owned()].into_iter();
    let request = (!old).then(|| "request".to_owned());
    let mut programs = Programs {
        latencies: wakeup.chain(request).collect(),
        teams: Some(schbench.workers + 1),
        runtime: schbench.runtime,
        metric: Some(Metric {
            name: "requests/s",
            per_unit: 1,
            measure: Measure::Percentile {
                latency: WAKEUP,
                percent: 99,
            },
            higher_is_better: false,
        }),
        ..Programs::none(Traits::footprint(footprint_bytes))
    };
    for _ in 0..tasks.processes.saturating_mul(schbench.messages) {
        match (old, schbench.rps) {
            (false, Some(rps)) => by_the_clock(schbench, rps, &mut programs),
            _ => by_request(schbench, &mut programs),
        }
    }
    programs
}

/// A messenger whose workers ask for work, and they.
fn by_request(schbench: &Schbench, programs: &mut Programs) {
    let list = programs.shared.condition();
    let post = Channel::new(ChannelKind::Semaphore, 0).holding(1);
    let post = programs.shared.channel(post);
    let mut messenger = vec![
        Op::Loop { rounds: None },
        Op::Drain(post),
        Op::Broadcast(list),
        Op::Receive(post),
        Op::End,
    ];
    if schbench.style == SchbenchStyle::V2017 {
        let sleep = Op::SleepBetween {
            least: schbench.sleep,
            most: schbench.sleep + Nanos(schbench.sleep.0 / 4),
        };
        messenger.insert(4, sleep);
    }
    programs.add(messenger, 1);
    programs.add(worker(schbench, Some(list), post), schbench.workers);
}

/// A messenger that posts requests by the clock, and its workers.
fn by_the_clock(schbench: &Schbench, rps: u32, programs: &mut Programs) {
    let waiting = Channel::new(ChannelKind::Semaphore, 0).holding(BATCH + 1);
    let requests: Vec<ChannelId> = (0..schbench.workers)
        .map(|_| programs.shared.channel(waiting))
        .collect();
    let sleep = Op::Sleep(Nanos(
        1_000_000_000 * u64::from(BATCH) / u64::from(rps.max(1)),
    ));
    // As many batches as come back to the first worker.
    let mut messenger = vec![Op::Loop { rounds: None }];
    for batch in 0..requests.len() {
        for at in 0..BATCH as usize {
            let worker = requests[(batch * BATCH as usize + at) % requests.len()];
            messenger.push(Op::Send(worker));
        }
        messenger.push(sleep);
    }
    messenger.push(Op::End);
    programs.add(messenger, 1);
    for request in requests {
        programs.add(worker(schbench, None, request), 1);
    }
}

/// A worker: it waits on its messenger's list having posted it, or for a request to be posted.
fn worker(schbench: &Schbench, list: Option<ConditionId>, post: ChannelId) -> Vec<Op> {
    let wait = match list {
        Some(list) => vec![Op::Enlist(list), Op::Send(post), Op::Park],
        None => vec![Op::Receive(post)],
    };
    let woken = [Op::BeginAtWaker(WAKEUP), Op::Record(WAKEUP)];
    let work = match schbench.style {
        SchbenchStyle::V2017 => vec![Op::ComputeWall(schbench.cputime)],
        SchbenchStyle::V2023 => vec![
            Op::Begin(REQUEST),
            Op::Sleep(NETWORK),
            Op::LockCpu,
            Op::Compute(schbench.cputime),
            Op::UnlockCpu,
            Op::Record(REQUEST),
        ],
    };
    let round: Vec<Op> = match schbench.style {
        SchbenchStyle::V2017 => [&work[..], &wait, &woken].concat(),
        SchbenchStyle::V2023 => [&wait[..], &woken, &work].concat(),
    };
    let mut ops = vec![Op::Loop { rounds: None }];
    ops.extend(round);
    ops.extend([Op::Progress(1), Op::End]);
    ops
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::Workload;

    fn programs(schbench: Schbench) -> Programs {
        compile(
            &schbench,
            &Tasks::new("schbench", Workload::Schbench(schbench)),
        )
    }

    #[test]
    fn each_messenger_leads_its_workers() {
        let programs = programs(Schbench {
            messages: 2,
            workers: 3,
            ..Schbench::default()
        });
        assert_eq!(programs.thread, [0, 1, 1, 1, 2, 3, 3, 3]);
        assert_eq!(programs.teams, Some(4));
        let (list, post) = (ConditionId(1), ChannelId(1));
        let ms = Nanos::from_millis;
        assert_eq!(
            programs.programs[2].ops,
            [
                Op::Loop { rounds: None },
                Op::Drain(post),
                Op::Broadcast(list),
                Op::Receive(post),
                Op::SleepBetween {
                    least: ms(30),
                    most: Nanos(37_500_000)
                },
                Op::End,
            ]
        );
        assert_eq!(
            programs.programs[3].ops[..5],
            [
                Op::Loop { rounds: None },
                Op::ComputeWall(ms(30)),
                Op::Enlist(list),
                Op::Send(post),
                Op::Park,
            ]
        );
    }

    #[test]
    fn requests_go_round_the_workers() {
        let programs = programs(Schbench {
            messages: 1,
            workers: 3,
            rps: Some(4000),
            style: SchbenchStyle::V2023,
            ..Schbench::default()
        });
        let sends = |op: &Op| match op {
            Op::Send(channel) => Some(channel.0),
            _ => None,
        };
        let messenger = &programs.programs[0].ops;
        let to: Vec<u32> = messenger.iter().filter_map(sends).collect();
        assert!((0..24).all(|at| to[at as usize] == at % 3) && to.len() == 24);
        // 8 requests of 4000 a second.
        assert_eq!(messenger[9], Op::Sleep(Nanos::from_millis(2)));
        assert_eq!(programs.latencies, ["wakeup", "request"]);
        assert_eq!(programs.thread, [0, 1, 2, 3]);
    }
}
