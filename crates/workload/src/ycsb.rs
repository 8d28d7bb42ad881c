//! ycsb: a database's threads, one for each client's connection (YCSB workload A on MongoDB).

use teeter_scenario::Nanos;
use teeter_scenario::document::workload::Ycsb;

use crate::program::{Measure, Metric, Op, Program, Programs, Traits};

/// CPU time of the operations in turn, and whether they change something, which waits for the journal: half
/// reads, half updates (bursts of 100 to 500 us: A).
const OPERATIONS: [(u64, bool); 6] = [
    (120, false),
    (260, true),
    (150, false),
    (340, true),
    (110, false),
    (480, true),
];

/// From an answer to the client's next request: its own work and the way to and fro (A).
const CLIENT: (Nanos, Nanos) = (Nanos::from_micros(100), Nanos::from_micros(400));

/// Until the journal is on disk (A).
const JOURNAL: (Nanos, Nanos) = (Nanos::from_micros(500), Nanos::from_micros(1500));

/// A connection's buffers and what it touches of the B-tree (A).
const TRAITS: Traits = Traits {
    footprint_bytes: 128 << 10,
    llc_bytes: 256 << 10,
    smt: None,
};

/// Every connection goes through the operations, beginning at another one than its neighbours.
pub(crate) fn compile(ycsb: Ycsb, processes: u32) -> Programs {
    let program = |first: usize| {
        let mut ops = vec![Op::Loop { rounds: None }];
        for at in 0..OPERATIONS.len() {
            let (micros, changes) = OPERATIONS[(first + at) % OPERATIONS.len()];
            ops.extend([
                Op::SleepBetween {
                    least: CLIENT.0,
                    most: CLIENT.1,
                },
                Op::Begin(0),
                Op::Compute(Nanos::from_micros(micros)),
            ]);
            if changes {
                ops.push(Op::SleepBetween {
                    least: JOURNAL.0,
                    most: JOURNAL.1,
                });
            }
            ops.extend([Op::Record(0), Op::Progress(1)]);
        }
        ops.push(Op::End);
        Program { ops }
    };
    let variants = OPERATIONS.len() as u32;
    Programs {
        programs: (0..OPERATIONS.len()).map(program).collect(),
        thread: (0..ycsb.clients.saturating_mul(processes))
            .map(|thread| thread % variants)
            .collect(),
        latencies: vec!["operation".to_owned()],
        metric: Some(Metric {
            name: "ops/s",
            per_unit: 1,
            measure: Measure::Rate,
            higher_is_better: true,
        }),
        ..Programs::none(TRAITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_differ_in_where_they_begin() {
        let programs = compile(Ycsb { clients: 8 }, 2);
        assert_eq!(programs.thread.len(), 16);
        assert_eq!(programs.thread[..7], [0, 1, 2, 3, 4, 5, 0]);
        let begins = |program: &Program| program.ops[3];
        assert_eq!(
            begins(&programs.programs[1]),
            Op::Compute(Nanos::from_micros(260))
        );
        let done = |op: &&Op| matches!(op, Op::Progress(_));
        assert_eq!(programs.programs[5].ops.iter().filter(done).count(), 6);
    }
}
