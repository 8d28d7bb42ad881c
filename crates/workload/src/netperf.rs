//! netperf over loopback: pairs of netperf and netserver, one way (`TCP_STREAM`) or to and fro (`TCP_RR`).
//!
//! In a stream the sender writes messages of so many bytes as long as there is room, and the receiver reads
//! what is there into a buffer of 128 KB (`tcp_rmem`). The kernel's work on segments is the sender's, in whose
//! context loopback runs.

use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::{ChannelKind, Netperf, NetperfMode};

use crate::program::{Measure, Metric, Op, Programs, Traits};
use crate::shared::Channel;

/// Working set of either side (assumed).
const FOOTPRINT: u32 = 48 << 10;
/// Buffer into which netserver reads: the socket's default.
const BUFFER: u32 = 128 << 10;
/// Bytes a second in 10^6 bits a second, as netperf reports.
const MEGABIT: u64 = 1_000_000 / 8;

/// Compiles `tasks.processes` times so many pairs, the sender or client of each first.
pub(crate) fn compile(netperf: &Netperf, tasks: &Tasks) -> Programs {
    let stream = netperf.mode == NetperfMode::Stream;
    let metric = Metric {
        name: if stream { "Mbit/s" } else { "transactions/s" },
        per_unit: if stream { MEGABIT } else { 1 },
        measure: Measure::Rate,
        higher_is_better: true,
    };
    let traits = Traits::footprint(FOOTPRINT);
    let mut programs = Programs {
        metric: Some(metric),
        ..Programs::none(traits)
    };
    if !stream {
        programs.latencies.push("transaction".to_owned());
    }
    for _ in 0..netperf.pairs.saturating_mul(tasks.processes) {
        if stream {
            one_way(netperf.bytes, &mut programs);
        } else {
            to_and_fro(netperf.bytes, &mut programs);
        }
    }
    programs
}

fn one_way(bytes: u32, programs: &mut Programs) {
    let connection = Channel::new(ChannelKind::Tcp, bytes).read_in(BUFFER);
    let connection = programs.shared.channel(connection);
    let sender = [Op::Send(connection), Op::Progress(u64::from(bytes))];
    programs.add(for_ever(&sender), 1);
    programs.add(for_ever(&[Op::Receive(connection)]), 1);
}

fn to_and_fro(bytes: u32, programs: &mut Programs) {
    let way = Channel::new(ChannelKind::Tcp, bytes);
    let request = programs.shared.channel(way);
    let response = programs.shared.channel(way);
    let client = [
        Op::Begin(0),
        Op::Send(request),
        Op::Receive(response),
        Op::Record(0),
        Op::Progress(1),
    ];
    programs.add(for_ever(&client), 1);
    programs.add(for_ever(&[Op::Receive(request), Op::Send(response)]), 1);
}

fn for_ever(body: &[Op]) -> Vec<Op> {
    [&[Op::Loop { rounds: None }], body, &[Op::End]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::ChannelId;
    use teeter_scenario::document::Workload;

    fn programs(mode: NetperfMode) -> Programs {
        let netperf = Netperf {
            mode,
            bytes: 1024,
            pairs: 2,
        };
        compile(&netperf, &Tasks::new("n", Workload::Netperf(netperf)))
    }

    #[test]
    fn a_stream_is_read_in_large_pieces() {
        let programs = programs(NetperfMode::Stream);
        assert_eq!(programs.thread, [0, 1, 2, 3]);
        assert_eq!(programs.shared.channels[1].batch, 128);
        assert_eq!(
            programs.programs[2].ops[1..3],
            [Op::Send(ChannelId(1)), Op::Progress(1024)]
        );
    }

    #[test]
    fn a_transaction_goes_both_ways() {
        let programs = programs(NetperfMode::Rr);
        assert_eq!(programs.shared.channels.len(), 4);
        assert_eq!(
            programs.programs[3].ops[1..3],
            [Op::Receive(ChannelId(2)), Op::Send(ChannelId(3))]
        );
        assert_eq!(programs.metric.unwrap().name, "transactions/s");
    }
}
