//! numa: threads that walk through memory (`perf bench numa mem`), and end when they have.

use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::Numa;

use crate::program::{Measure, Metric, Op, Programs, Traits};

/// Pieces of a walk in which its progress is counted.
const PIECES: u64 = 16;
/// Time to walk through 1 KB at full speed, all of it local, reading and writing 8 bytes at a time: 3 GB/s. With
/// [`TRAITS`]' throughput of a core it follows from three baselines on POWER8 that differ in the threads a core
/// has: numa10 (one, 150 GB each in 57 s), numa06 (two, 83 s) and numa05 (eight, 328 s of CPU time each), of which
/// some tenth is remote memory.
pub(crate) const WALK_NS_PER_KB: u32 = 333;

/// A walk has nothing in the L2 but what it has left behind already. A core keeps so many lines under way
/// whatever the number of its threads, which walk 1.4 times as fast together as one alone.
const TRAITS: Traits = Traits {
    footprint_bytes: 8 << 10,
    llc_bytes: 0,
    smt: Some(140),
};

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
