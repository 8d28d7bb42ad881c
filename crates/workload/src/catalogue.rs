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
    CATALOGUE
}

static CATALOGUE: &[WorkloadInfo] = &[
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
        name: "schbench",
        about: "Messengers that wake workers, which compute and wait for them again, as schbench does. Reports the 99th \
                percentile of the wakeup latency; the style of 2023 measures requests as well.",
        parameters: &[
            ParameterInfo {
                name: "messages",
                about: "messenger threads (-m)",
                default: Some("2"),
            },
            ParameterInfo {
                name: "workers",
                about: "worker threads of each messenger (-t)",
                default: Some("16"),
            },
            ParameterInfo {
                name: "sleep",
                about: "time a messenger sleeps between rounds (-s of 2017)",
                default: Some("30ms"),
            },
            ParameterInfo {
                name: "cputime",
                about: "time a worker computes when woken: on the clock (-c of 2017), or CPU time of a request (-n of 2023)",
                default: Some("30ms"),
            },
            ParameterInfo {
                name: "runtime",
                about: "time after which it ends (-r)",
                default: Some("the end of the run"),
            },
            ParameterInfo {
                name: "rps",
                about: "requests per second of each messenger (-R of 2023)",
                default: Some("a worker asks for the next one when it is done"),
            },
            ParameterInfo {
                name: "style",
                about: "which generation of the program: 2017 or 2023",
                default: Some("2017"),
            },
        ],
    },
    WorkloadInfo {
        name: "hackbench",
        about: "Groups of senders that write to every receiver of their group, as hackbench and `perf bench sched messaging` do. \
                Reports seconds.",
        parameters: &[
            ParameterInfo {
                name: "groups",
                about: "groups (-g)",
                default: Some("10"),
            },
            ParameterInfo {
                name: "fds",
                about: "senders, and as many receivers, of a group (-f)",
                default: Some("20"),
            },
            ParameterInfo {
                name: "loops",
                about: "messages from each sender to each receiver (-l)",
                default: Some("100"),
            },
            ParameterInfo {
                name: "bytes",
                about: "length of a message (-s)",
                default: Some("100"),
            },
            ParameterInfo {
                name: "ipc",
                about: "what messages go through: pipe or socket",
                default: Some("pipe"),
            },
        ],
    },
    WorkloadInfo {
        name: "netperf",
        about: "Pairs of netperf and netserver over loopback: one way (TCP_STREAM, reports Mbit/s) or to and fro (TCP_RR, \
                reports transactions per second).",
        parameters: &[
            ParameterInfo {
                name: "mode",
                about: "stream or rr",
                default: Some("stream"),
            },
            ParameterInfo {
                name: "bytes",
                about: "length of a message in bytes",
                default: Some("1024"),
            },
            ParameterInfo {
                name: "pairs",
                about: "pairs of netperf and netserver",
                default: Some("1"),
            },
        ],
    },
    WorkloadInfo {
        name: "tbench",
        about: "Clients that ask a server each over loopback, as tbench does; eight small calls, then 32 KB written and read. \
                Reports MB/s.",
        parameters: &[ParameterInfo {
            name: "clients",
            about: "clients, each with a server of its own",
            default: Some("1"),
        }],
    },
    WorkloadInfo {
        name: "pipe",
        about: "Two threads that pass a message to and fro through two pipes, as `perf bench sched pipe` does. Reports rounds \
                per second.",
        parameters: &[ParameterInfo {
            name: "loops",
            about: "rounds (-l)",
            default: Some("1000000"),
        }],
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
        name: "kworker",
        about: "Kernel threads of single CPUs, each bound to its own: thread 0 to CPU 0, or to the first of the tasks' \
                affinity, and so on.",
        parameters: &[
            ParameterInfo {
                name: "every",
                about: "time from one wakeup to the next",
                default: Some("1s"),
            },
            ParameterInfo {
                name: "run",
                about: "CPU time of each at full speed",
                default: Some("20us"),
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
        name: "rtapp",
        about: "An rt-app document as it is, in place of the parameters: its threads, phases and events. Reports loops \
                per second. `teeter import` reads one from a file, with comments and keys given twice.",
        parameters: &[],
    },
    WorkloadInfo {
        name: "trace",
        about: "What a trace of the scheduler recorded, as one text: tracefs `trace`, `trace-cmd report`, `perf sched \
                script`, or what `teeter import` makes of these. A thread for each task; it runs and sleeps as it did, \
                and goes on when those come so far that woke it.",
        parameters: &[],
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
