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

static CATALOGUE: [WorkloadInfo; 6] = [
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
