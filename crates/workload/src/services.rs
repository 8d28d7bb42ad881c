//! services: microservices that call each other, each a pool of threads (as DeathStarBench's social network).
//!
//! A request goes from a client through a chain of services and its answer all the way back; a thread of each
//! waits for the answer of the next. Threads are shared out over the clients and the services in turn, so
//! requests never wait for each other in a circle: there are no more clients than threads of any pool.

use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::{ChannelKind, Services};
use teeter_scenario::problem::join;
use teeter_scenario::{Nanos, Problem};

use crate::program::{Measure, Metric, Op, Program, Programs, Traits};
use crate::shared::{Channel, ChannelId, Shared};

/// CPU time of a service for one request, least and most: 50 to 150 us (A). The services differ in it.
const WORK_US: (u64, u64) = (50, 150);
/// The step from one service to the next, so that neighbours are not alike.
const STRIDE: u64 = 37;
/// CPU time of a client for one request (wrk: A).
const CLIENT: Nanos = Nanos::from_micros(8);
/// Length of a call and of its answer (A).
const MESSAGE: u32 = 1024;

/// A service's code and data: an L2 and more (MODEL.md: 256 KB, A; the rest A).
const TRAITS: Traits = Traits {
    footprint_bytes: 256 << 10,
    llc_bytes: 256 << 10,
    smt: None,
};

/// Calls to service `n` go through channel `2 * n`, its answers through the next one.
fn calls(service: u32) -> Op {
    Op::Send(ChannelId(2 * service))
}

fn answers(service: u32) -> Op {
    Op::Receive(ChannelId(2 * service + 1))
}

/// CPU time of a service, before it calls the next and after that.
fn work(service: u32) -> Nanos {
    let (least, most) = WORK_US;
    let more = u64::from(service) * STRIDE % (most - least + 1);
    Nanos::from_micros(u64::midpoint(least, more))
}

fn client(rate: Option<u32>, clients: u32) -> Program {
    let mut ops = vec![Op::Loop { rounds: None }];
    if let Some(rate) = rate {
        let period = 1_000_000_000 * u64::from(clients) / u64::from(rate.max(1));
        ops.push(Op::Timer {
            period: Nanos(period.max(1)),
        });
    }
    ops.extend([Op::Begin(0), calls(0), answers(0), Op::Record(0)]);
    ops.extend([Op::Compute(CLIENT), Op::Progress(1), Op::End]);
    Program { ops }
}

fn service(number: u32, depth: u32) -> Program {
    let mut ops = vec![Op::Loop { rounds: None }];
    ops.extend([
        Op::Receive(ChannelId(2 * number)),
        Op::Compute(work(number)),
    ]);
    if number + 1 < depth {
        ops.extend([calls(number + 1), answers(number + 1)]);
    }
    ops.extend([
        Op::Compute(work(number)),
        Op::Send(ChannelId(2 * number + 1)),
        Op::End,
    ]);
    Program { ops }
}

/// Clients and services in turn, thread by thread.
pub(crate) fn compile(services: Services, tasks: &Tasks) -> Result<Programs, Vec<Problem>> {
    let Services { depth, rate } = services;
    let threads = tasks.threads.saturating_mul(tasks.processes);
    let pools = depth.saturating_add(1);
    if depth == 0 || threads < pools {
        let message = format!("a client and {depth} services take {pools} threads at least");
        let path = if depth == 0 {
            join("/workload/services", "depth")
        } else {
            "/threads".to_owned()
        };
        return Err(vec![Problem::new(path, message)]);
    }
    // Never more than in the smallest pool, which is the last.
    let clients = threads / pools;
    let programs = std::iter::once(client(rate, clients))
        .chain((0..depth).map(|number| service(number, depth)))
        .collect();
    let pool = |thread: u32| {
        // What is left over works for the first service.
        let left_over = thread >= clients * pools;
        if left_over { 1 } else { thread % pools }
    };
    Ok(Programs {
        programs,
        thread: (0..threads).map(pool).collect(),
        shared: Shared {
            // As libraries for remote calls set their connections up.
            channels: vec![Channel::new(ChannelKind::Tcp, MESSAGE).no_delay(); 2 * depth as usize],
            ..Shared::default()
        },
        latencies: vec!["request".to_owned()],
        metric: Some(Metric {
            name: "requests/s",
            per_unit: 1,
            measure: Measure::Rate,
            higher_is_better: true,
        }),
        ..Programs::none(TRAITS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::Workload;

    fn compiled(threads: u32, depth: u32) -> Result<Programs, Vec<Problem>> {
        let services = Services { depth, rate: None };
        let tasks = Tasks {
            threads,
            ..Tasks::new("s", Workload::Services(services))
        };
        compile(services, &tasks)
    }

    #[test]
    fn every_pool_holds_as_many_as_there_are_clients() {
        let programs = compiled(14, 3).unwrap();
        let pool = |number| {
            programs
                .thread
                .iter()
                .filter(|&&pool| pool == number)
                .count()
        };
        assert_eq!([0, 1, 2, 3].map(pool), [3, 5, 3, 3]);
        assert_eq!(programs.shared.channels.len(), 6);
        assert!(compiled(3, 3).is_err());
    }

    #[test]
    fn each_service_calls_the_next_but_the_last() {
        let sends = |program: &Program| {
            let sends = |op: &&Op| matches!(op, Op::Send(_));
            program.ops.iter().filter(sends).count()
        };
        let programs = compiled(8, 3).unwrap().programs;
        assert_eq!(programs.iter().map(sends).collect::<Vec<_>>(), [1, 2, 2, 1]);
        let work = [0, 1, 2, 3].map(|number| work(number).0);
        assert_eq!(work, [25_000, 43_000, 62_000, 30_000]);
    }
}
