//! dbench: clients that replay a file server's load on a local file system.

use teeter_scenario::Nanos;
use teeter_scenario::document::workload::Dbench;

use crate::program::{Measure, Metric, Op, Programs, Traits};
use crate::shared::{Mutex, MutexId, Shared};

/// Operations on files before the client flushes one, the CPU time of each beside what it does under the
/// journal's lock, and that (A).
const OPERATIONS: u32 = 24;
const WORK: Nanos = Nanos::from_micros(18);
const JOURNALLED: Nanos = Nanos::from_micros(1);
/// Bytes that an operation reads or writes on average (`client.txt`: most of them none, some 64 KB: A).
const BYTES: u64 = 12 << 10;
/// Until a flush is on disk (A).
const FLUSH: (Nanos, Nanos) = (Nanos::from_millis(1), Nanos::from_millis(6));

/// Directory entries, inodes and the page at hand (A).
const TRAITS: Traits = Traits::footprint(96 << 10);

/// All clients share one file system, and so its journal.
pub(crate) fn compile(dbench: Dbench, processes: u32) -> Programs {
    let journal = MutexId(0);
    let ops = vec![
        Op::Loop { rounds: None },
        Op::Loop {
            rounds: Some(OPERATIONS),
        },
        Op::Compute(WORK),
        Op::Lock(journal),
        Op::Compute(JOURNALLED),
        Op::Unlock(journal),
        Op::Progress(BYTES),
        Op::End,
        Op::Begin(0),
        Op::SleepBetween {
            least: FLUSH.0,
            most: FLUSH.1,
        },
        Op::Record(0),
        Op::End,
    ];
    Programs {
        shared: Shared {
            mutexes: vec![Mutex::default()],
            ..Shared::default()
        },
        latencies: vec!["flush".to_owned()],
        metric: Some(Metric {
            name: "MB/s",
            per_unit: 1_000_000,
            measure: Measure::Rate,
            higher_is_better: true,
        }),
        ..Programs::alike(dbench.clients.saturating_mul(processes), ops, TRAITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_locked_is_unlocked_again() {
        let programs = compile(Dbench { clients: 3 }, 1);
        assert_eq!(programs.thread, [0; 3]);
        let ops = &programs.programs[0].ops;
        let at = |wanted| ops.iter().position(|&op| op == wanted).unwrap();
        assert_eq!(
            at(Op::Lock(MutexId(0))) + 2,
            at(Op::Unlock(MutexId(0))),
            "with the work between them"
        );
    }
}
