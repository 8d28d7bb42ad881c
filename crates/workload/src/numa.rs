//! numa: threads that walk through memory (`perf bench numa mem`), and end when they have.

use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::Numa;

use crate::program::{Measure, Metric, Op, Programs, Traits};

/// Pieces of a walk in which its progress is counted.
const PIECES: u64 = 16;
/// The L2, which a walk fills with what it has left behind already.
const TRAITS: Traits = Traits::footprint(8 << 10);

/// All threads of all processes do the same, each on its own memory or its process's.
pub(crate) fn compile(numa: Numa, tasks: &Tasks) -> Programs {
    let threads = tasks.threads.saturating_mul(tasks.processes);
    let piece = numa.size.0 / PIECES;
    let rest = numa.size.0 - piece * (PIECES - 1);
    let ops = vec![
        Op::Loop {
            rounds: Some(numa.loops),
        },
        Op::Loop {
            rounds: Some(PIECES as u32 - 1),
        },
        Op::Touch(piece),
        Op::Progress(piece),
        Op::End,
        Op::Touch(rest),
        Op::Progress(rest),
        Op::End,
        Op::Exit,
    ];
    let metric = Metric {
        name: "GB/s",
        measure: Measure::Rate,
        per_unit: 1 << 30,
        higher_is_better: true,
    };
    Programs {
        metric: Some(metric),
        ..Programs::alike(threads, ops, TRAITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter;
    use teeter_scenario::Bytes;
    use teeter_scenario::document::Workload;

    #[test]
    fn every_byte_is_counted_once_a_walk() {
        let numa = Numa {
            loops: 3,
            size: Bytes(1_000_003),
            ..Numa::default()
        };
        let mut tasks = Tasks::new("numa", Workload::Numa(numa));
        (tasks.threads, tasks.processes) = (4, 2);
        let programs = compile(numa, &tasks);
        assert_eq!(programs.thread.len(), 8);
        assert_eq!(interpreter::run(&programs), 8 * 3 * 1_000_003);
    }
}
