//! The workloads this engine runs, for people to choose from.

/// One workload that can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkloadInfo {
    /// Its name in a scenario.
    pub name: &'static str,
    /// What it does, in a sentence or two.
    pub about: &'static str,
    /// What can be set of it.
    pub parameters: &'static [ParameterInfo],
}

/// One parameter of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    /// Its key in a scenario.
    pub name: &'static str,
    /// What it sets, with its unit.
    pub about: &'static str,
    /// Its value where it is left out; `None` where it cannot be.
    pub default: Option<&'static str>,
}

/// The workloads this engine runs.
pub fn catalogue() -> &'static [WorkloadInfo] {
    &CATALOGUE
}

static CATALOGUE: [WorkloadInfo; 11] = [
    WorkloadInfo {
        name: "hog",
        about: "Computes for ever and never sleeps.",
        parameters: &[],
    },
    WorkloadInfo {
        name: "stress",
        about: "Computes for ever, as each worker of `stress --cpu` does.",
        parameters: &[],
    },
    WorkloadInfo {
        name: "periodic",
        about: "Runs for a while in every period and sleeps the rest of it; reports periods per second.",
        parameters: &[
            ParameterInfo {
                name: "run",
                about: "CPU time in each period at full speed",
                default: None,
            },
            ParameterInfo {
                name: "period",
                about: "time from one wakeup to the next",
                default: None,
            },
        ],
    },
    WorkloadInfo {
        name: "npb-lu",
        about: "LU of the NAS Parallel Benchmarks (OpenMP): threads pass planes of a grid from neighbour to \
                neighbour and poll for them without yielding, so one thread without a CPU holds up all. \
                Reports Mop/s.",
        parameters: &[
            ParameterInfo {
                name: "class",
                about: "size of the problem: S, W, A, B, C, D or E",
                default: Some("C"),
            },
            ParameterInfo {
                name: "steps",
                about: "time steps",
                default: Some("as many as the class has"),
            },
        ],
    },
    WorkloadInfo {
        name: "npb",
        about: "Other programs of the NAS Parallel Benchmarks (OpenMP), whose threads share out each loop and meet \
                at a barrier behind it, more or less bound by memory. Reports Mop/s.",
        parameters: &[
            ParameterInfo {
                name: "program",
                about: "bt, sp, ft or mg",
                default: Some("bt"),
            },
            ParameterInfo {
                name: "class",
                about: "size of the problem: S, W, A, B, C, D or E",
                default: Some("C"),
            },
            ParameterInfo {
                name: "steps",
                about: "iterations",
                default: Some("as many as the class has"),
            },
        ],
    },
    WorkloadInfo {
        name: "stream",
        about: "STREAM (OpenMP): threads go through three long arrays, copying, scaling and adding them, as fast \
                as memory gives them. Reports MB/s; the latencies are the times of its kernels.",
        parameters: &[
            ParameterInfo {
                name: "iterations",
                about: "passes over the arrays",
                default: Some("10"),
            },
            ParameterInfo {
                name: "array",
                about: "size of each of the three arrays",
                default: Some("512MB"),
            },
        ],
    },
    WorkloadInfo {
        name: "numa",
        about: "Threads that walk through memory, as `perf bench numa mem` does: that of their process, or \
                each its own. Reports GB/s; a process's time is that of its slowest thread.",
        parameters: &[
            ParameterInfo {
                name: "kind",
                about: "whose memory: shared (the process's) or local (each thread's own)",
                default: Some("shared"),
            },
            ParameterInfo {
                name: "loops",
                about: "walks through all of it",
                default: Some("50"),
            },
            ParameterInfo {
                name: "size",
                about: "size of the memory walked",
                default: Some("3GB"),
            },
        ],
    },
    WorkloadInfo {
        name: "ycsb",
        about: "A database under YCSB: a thread for each client's connection computes 100 to 500 us for a request, \
                waits for the journal if it changed something, and then for the next request. Reports ops/s.",
        parameters: &[ParameterInfo {
            name: "clients",
            about: "connections, a thread each",
            default: Some("16"),
        }],
    },
    WorkloadInfo {
        name: "services",
        about: "Microservices that call each other in a chain over TCP, each a pool of threads, as DeathStarBench's: \
                a request goes from a client to the last service and its answer all the way back. The threads are \
                shared out evenly over the clients and each service. Reports requests/s.",
        parameters: &[
            ParameterInfo {
                name: "depth",
                about: "services that a request goes through",
                default: Some("8"),
            },
            ParameterInfo {
                name: "rate",
                about: "requests per second, all clients together",
                default: Some(
                    "as many as are served: each client sends the next when it has its answer",
                ),
            },
        ],
    },
    WorkloadInfo {
        name: "dbench",
        about: "Clients that replay a file server's load: short operations, a lock on the journal they share, and \
                flushes that wait for the disk. Reports MB/s.",
        parameters: &[ParameterInfo {
            name: "clients",
            about: "client processes",
            default: Some("1"),
        }],
    },
    WorkloadInfo {
        name: "program",
        about: "Steps of your own, over and over: run, runtime, sleep, timer, lock, unlock, wait, signal, broadcast, \
                suspend, resume, barrier, send, receive, spin_until, set, begin, end, yield, exec, affinity, touch, \
                loop; mutex and channel say what those are like. Names are the scenario's: tasks that use the same \
                name share it.",
        parameters: &[],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::Workload;

    #[test]
    fn names_are_those_of_scenarios() {
        for info in catalogue() {
            assert!(Workload::NAMES.contains(&info.name), "{}", info.name);
        }
    }
}
