//! tbench: clients that ask servers over loopback, one server each, as a file server's load would without
//! its disk.
//!
//! Ten calls in turn: eight small ones (opening, closing, looking up), one that writes 32 KB and one that
//! reads as much (assumed from the mean of dbench's load). The throughput counts what is written and read.

use teeter_scenario::Nanos;
use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::{ChannelKind, Tbench};

use crate::program::{Measure, Metric, Op, Programs, Traits};
use crate::shared::{Channel, ChannelId};

/// Working set of either side (assumed).
const FOOTPRINT: u32 = 48 << 10;
/// Small calls before the two large ones.
const SMALL_CALLS: u32 = 8;
/// Length of a small request or reply.
const SMALL: u32 = 200;
/// Length of what is written or read.
const LARGE: u32 = 32 << 10;
/// Work of the client and of the server for a call, without the socket's (MODEL's 5 to 15 µs for both).
const CLIENT: Nanos = Nanos::from_micros(3);
const SERVER: Nanos = Nanos::from_micros(7);

/// Compiles `tasks.processes` times so many clients, each followed by its server.
pub(crate) fn compile(tbench: Tbench, tasks: &Tasks) -> Programs {
    let metric = Metric {
        name: "MB/s",
        per_unit: 1_000_000,
        measure: Measure::Rate,
        higher_is_better: true,
    };
    let traits = Traits::footprint(FOOTPRINT);
    let mut programs = Programs {
        metric: Some(metric),
        ..Programs::none(traits)
    };
    for _ in 0..tbench.clients.saturating_mul(tasks.processes) {
        connection(&mut programs);
    }
    programs
}

/// A call: the way of the request and of its reply.
#[derive(Clone, Copy)]
struct Call {
    request: ChannelId,
    reply: ChannelId,
}

impl Call {
    fn client(self) -> [Op; 3] {
        [
            Op::Compute(CLIENT),
            Op::Send(self.request),
            Op::Receive(self.reply),
        ]
    }

    fn server(self) -> [Op; 3] {
        [
            Op::Receive(self.request),
            Op::Compute(SERVER),
            Op::Send(self.reply),
        ]
    }
}

fn connection(programs: &mut Programs) {
    let mut way = |bytes| {
        // dbench's default for its sockets.
        let channel = Channel::new(ChannelKind::Tcp, bytes).no_delay();
        programs.shared.channel(channel)
    };
    let (request, data) = (way(SMALL), way(LARGE));
    let (reply, data_back) = (way(SMALL), way(LARGE));
    let small = Call { request, reply };
    let write = Call {
        request: data,
        reply,
    };
    let read = Call {
        request,
        reply: data_back,
    };
    programs.add(rounds(small.client(), write.client(), read.client()), 1);
    programs.add(rounds(small.server(), write.server(), read.server()), 1);
}

/// All calls of one side over and over. Progress is counted by the client, which begins with work.
fn rounds(small: [Op; 3], write: [Op; 3], read: [Op; 3]) -> Vec<Op> {
    let rounds = Some(SMALL_CALLS);
    let counts = matches!(small[0], Op::Compute(_));
    let mut ops = vec![Op::Loop { rounds: None }, Op::Loop { rounds }];
    ops.extend(small);
    ops.push(Op::End);
    for call in [write, read] {
        ops.extend(call);
        ops.extend(counts.then_some(Op::Progress(u64::from(LARGE))));
    }
    ops.push(Op::End);
    ops
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::Workload;

    #[test]
    fn what_the_client_asks_the_server_answers() {
        let tbench = Tbench { clients: 2 };
        let programs = compile(tbench, &Tasks::new("t", Workload::Tbench(tbench)));
        assert_eq!(programs.thread, [0, 1, 2, 3]);
        let of = |program: usize, send: bool| -> Vec<u32> {
            let ops = programs.programs[program].ops.iter();
            ops.filter_map(|op| match op {
                Op::Send(channel) if send => Some(channel.0),
                Op::Receive(channel) if !send => Some(channel.0),
                _ => None,
            })
            .collect()
        };
        for client in [0, 2] {
            assert_eq!(of(client, true), of(client + 1, false));
            assert_eq!(of(client, false), of(client + 1, true));
        }
        assert_eq!(of(2, true), [4, 5, 4]);
    }
}
