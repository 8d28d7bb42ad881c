//! The memory that threads touch, and what touching it costs.

use teeter_scenario::document::workload::{NumaKind, Step};
use teeter_scenario::document::{Tasks, Workload};
use teeter_scenario::{Bytes, Problem};

use crate::program::Programs;
use crate::{npb, npb_lu, numa, stream};

/// Memory that the threads of a workload walk through, each from a place of its own and over and over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// Size of each region.
    pub size: Bytes,
    /// Whether the threads of a process share one region; else each has its own.
    pub shared: bool,
    /// Whether each thread is a process of its own (as those of benchmarks that fork theirs).
    pub own_process: bool,
    /// Nodes it lies on evenly from the start; none: each page lies where it is first touched.
    pub nodes: Vec<u32>,
    /// Time to walk through 1 KB at full speed, all of it local, ns.
    pub ns_per_kb: u32,
    /// How much of that time waits for memory, hundredths.
    pub stall: u32,
    /// Whether all its computation walks through memory; else only [`crate::Op::Touch`] does.
    pub ambient: bool,
}

/// A walk of [`crate::Op::Touch`] in a program of one's own: 2 GB/s (A).
const WALK_NS_PER_KB: u32 = 512;
/// All of a walk waits for memory: spread over eight nodes of POWER8 `perf bench numa mem` takes 1.5 times as long
/// (numa03), near the ratio of the latencies.
const WALK_STALL: u32 = 100;

/// Resident memory of netperf and of netserver: program, libraries, buffers (2 to 4 MB: A). How it waits for the
/// messages themselves is part of what a message costs, so nothing more waits for this.
const NETPERF_MEMORY: Bytes = Bytes::from_mb(4);
const NETPERF_STALL: u32 = 0;

/// Computation with some memory beside it: 250 MB/s of it, a fifth of the time waiting (assumed).
const AMBIENT_NS_PER_KB: u32 = 4096;
const AMBIENT_STALL: u32 = 20;

/// Gives a workload the memory its tasks name.
pub(crate) fn give(programs: &mut Programs, tasks: &Tasks) -> Result<(), Vec<Problem>> {
    let nodes = tasks
        .memory
        .as_ref()
        .and_then(|memory| memory.nodes.as_ref());
    let nodes = nodes
        .map(|nodes| nodes.iter().collect())
        .unwrap_or_default();
    programs.memory = match (&tasks.workload, &tasks.memory) {
        (Workload::Numa(numa), _) => Some(MemoryUse {
            size: numa.size,
            shared: numa.kind == NumaKind::Shared,
            own_process: false,
            nodes,
            ns_per_kb: numa::WALK_NS_PER_KB,
            stall: WALK_STALL,
            ambient: false,
        }),
        (Workload::Program(steps), Some(memory)) if touches(steps) => Some(MemoryUse {
            size: memory.size,
            shared: true,
            own_process: false,
            nodes,
            ns_per_kb: WALK_NS_PER_KB,
            stall: WALK_STALL,
            ambient: false,
        }),
        (Workload::Program(steps), None) if touches(steps) => {
            let problem = Problem::new("/workload/program", "it touches memory and has none");
            let hint = "give the tasks some: \"memory\": { \"size\": \"1GB\" }";
            return Err(vec![problem.with_hint(hint)]);
        }
        (Workload::Stream(stream), _) => Some(MemoryUse {
            size: stream::bytes_per_thread(*stream, tasks.threads),
            shared: false,
            own_process: false,
            nodes,
            ns_per_kb: stream::WALK_NS_PER_KB,
            stall: stream::WALK_STALL,
            ambient: false,
        }),
        (Workload::Npb(npb), _) => {
            let (size, ns_per_kb, stall) = npb::memory(*npb, tasks.threads);
            Some(MemoryUse {
                size,
                shared: false,
                own_process: false,
                nodes,
                ns_per_kb,
                stall,
                ambient: true,
            })
        }
        (Workload::NpbLu(lu), memory) => {
            let own = npb_lu::bytes_per_thread(lu.class, tasks.threads);
            let share = |size: Bytes| Bytes(size.0 / u64::from(tasks.threads.max(1)));
            Some(MemoryUse {
                size: memory.as_ref().map_or(own, |memory| share(memory.size)),
                shared: false,
                own_process: false,
                nodes,
                ns_per_kb: npb_lu::WALK_NS_PER_KB,
                stall: AMBIENT_STALL,
                ambient: true,
            })
        }
        (workload, Some(memory)) => Some(MemoryUse {
            size: memory.size,
            shared: true,
            own_process: forks(workload),
            nodes,
            ns_per_kb: AMBIENT_NS_PER_KB,
            stall: AMBIENT_STALL,
            ambient: true,
        }),
        (Workload::Netperf(_), None) => Some(MemoryUse {
            size: NETPERF_MEMORY,
            shared: true,
            own_process: true,
            nodes,
            ns_per_kb: AMBIENT_NS_PER_KB,
            stall: NETPERF_STALL,
            ambient: true,
        }),
        (_, None) => None,
    };
    Ok(())
}

/// Whether every thread of a benchmark is a process that it forks.
const fn forks(workload: &Workload) -> bool {
    matches!(
        workload,
        Workload::Netperf(_) | Workload::Tbench(_) | Workload::Hackbench(_) | Workload::Dbench(_)
    )
}

/// Whether some step touches memory.
fn touches(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Touch { .. } => true,
        Step::Loop { steps, .. } => touches(steps),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;
    use teeter_scenario::document::Memory;
    use teeter_scenario::document::workload::Numa;

    fn memory(workload: Workload, memory: Option<Memory>) -> Option<MemoryUse> {
        let tasks = Tasks {
            memory,
            ..Tasks::new("t", workload)
        };
        compile(&tasks).unwrap().memory
    }

    #[test]
    fn tasks_without_memory_touch_none() {
        assert_eq!(memory(Workload::Hog, None), None);
    }

    #[test]
    fn computation_touches_the_memory_it_is_given() {
        let given = Memory {
            size: Bytes::from_mb(64),
            nodes: Some("0-1".parse().unwrap()),
        };
        let of_hog = memory(Workload::Hog, Some(given.clone())).unwrap();
        assert_eq!((of_hog.size, of_hog.ambient), (given.size, true));
        assert_eq!(of_hog.nodes, [0, 1]);
        let touch = vec![Step::Touch {
            size: Bytes::from_mb(1),
        }];
        let of_program = memory(Workload::Program(touch.clone()), Some(given)).unwrap();
        assert!(!of_program.ambient);
        let without = compile(&Tasks::new("t", Workload::Program(touch)));
        assert_eq!(without.unwrap_err()[0].path, "/workload/program");
    }

    #[test]
    fn numa_threads_have_their_own_or_their_process_memory() {
        let of = |kind| {
            let numa = Numa {
                kind,
                ..Numa::default()
            };
            memory(Workload::Numa(numa), None).unwrap().shared
        };
        assert!(of(NumaKind::Shared) && !of(NumaKind::Local));
    }
}
