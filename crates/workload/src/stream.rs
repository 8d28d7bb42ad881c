//! stream: OpenMP threads that copy, scale and add long arrays, each its part of them (STREAM).

use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::Stream;
use teeter_scenario::{Bytes, Nanos};

use crate::program::{Measure, Metric, Op, Program, Programs, Traits};
use crate::shared::{BarrierId, Shared};

/// The kernels of a pass, and how many arrays each goes through.
const KERNELS: [(&str, u64); 4] = [("Copy", 2), ("Scale", 2), ("Add", 3), ("Triad", 3)];

/// All three arrays.
const ARRAYS: u64 = 3;

/// Time for 1 KB as STREAM counts them, with a node's memory to itself: 12 GB/s a thread, all of it waiting for
/// memory (10 and more: A).
pub(crate) const WALK_NS_PER_KB: u32 = 85;
pub(crate) const WALK_STALL: u32 = 100;

/// What streams needs few caches; one thread fills the lines that a core may have under way, so a second one
/// adds nothing (A).
const TRAITS: Traits = Traits {
    footprint_bytes: 8 << 10,
    llc_bytes: 0,
    smt: Some(100),
};

/// CPU time polled at a barrier (`GOMP_SPINCOUNT`).
const SPIN: Nanos = Nanos::from_millis(3);

/// What each thread has of all arrays.
pub(crate) fn bytes_per_thread(stream: Stream, threads: u32) -> Bytes {
    Bytes(stream.array.0 * ARRAYS / u64::from(threads.max(1)))
}

/// Each thread first touches what it will go through, then all go through it kernel by kernel with a barrier
/// behind each. Every process is a STREAM of its own. The latencies are the times of the kernels.
pub(crate) fn compile(stream: Stream, tasks: &Tasks) -> Programs {
    let part = bytes_per_thread(stream, tasks.threads).0;
    let program = |process: u32| {
        let barrier = Op::Barrier {
            barrier: BarrierId(process),
            spin: SPIN,
        };
        let mut ops = vec![Op::Touch(part), barrier];
        ops.push(Op::Loop {
            rounds: Some(stream.iterations),
        });
        for (number, (_, arrays)) in (0..).zip(KERNELS) {
            let bytes = part * arrays / ARRAYS;
            ops.extend([Op::Begin(number), Op::Touch(bytes), Op::Progress(bytes)]);
            ops.extend([barrier, Op::Record(number)]);
        }
        ops.extend([Op::End, Op::Exit]);
        Program { ops }
    };
    let processes = 0..tasks.processes;
    Programs {
        programs: processes.clone().map(program).collect(),
        thread: processes
            .flat_map(|process| std::iter::repeat_n(process, tasks.threads as usize))
            .collect(),
        shared: Shared {
            barriers: vec![tasks.threads; tasks.processes as usize],
            ..Shared::default()
        },
        latencies: KERNELS.map(|(name, _)| name.to_owned()).to_vec(),
        metric: Some(Metric {
            name: "MB/s",
            per_unit: 1_000_000,
            measure: Measure::Rate,
            higher_is_better: true,
        }),
        ..Programs::none(TRAITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter;
    use teeter_scenario::document::Workload;

    #[test]
    fn ten_arrays_are_gone_through_in_a_pass() {
        let stream = Stream {
            iterations: 7,
            array: Bytes::from_mb(60),
        };
        let mut tasks = Tasks::new("stream", Workload::Stream(stream));
        (tasks.threads, tasks.processes) = (4, 2);
        let programs = compile(stream, &tasks);
        let pass = 10 * Bytes::from_mb(60).0;
        assert_eq!(interpreter::run(&programs), 2 * 7 * pass);
        assert_eq!(bytes_per_thread(stream, 4), Bytes::from_mb(45));
    }
}
