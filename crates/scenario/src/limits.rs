//! How large a scenario may be. Everything is checked against these before anything is allocated by a
//! number the user wrote.

use crate::time::Nanos;

/// Highest number in a CPU or node list, plus one.
pub const CPUS: u32 = 1_024;
/// NUMA nodes of a machine.
pub const NODES: usize = 64;
/// Threads of all tasks together.
pub const THREADS: u32 = 50_000;
/// Entries of `tasks`.
pub const TASKS: usize = 2_000;
/// Entries of `cgroups`.
pub const CGROUPS: usize = 2_000;
/// Levels of a cgroup path below the root.
pub const CGROUP_DEPTH: usize = 16;
/// Length of one name in a cgroup path, in bytes.
pub const CGROUP_NAME: usize = 64;
/// Kernels compared in one scenario.
pub const KERNELS: usize = 4;
/// Entries of `rules` or `set` of one kernel or script entry.
pub const SETTINGS: usize = 200;
/// Entries of `script`.
pub const SCRIPT: usize = 1_000;
/// Length of a name (of the scenario, a task, a label), in characters.
pub const NAME: usize = 120;
/// Length of `about`, in characters.
pub const ABOUT: usize = 4_000;
/// Steps of one `program`, loops counted by what they hold, not by how often.
pub const PROGRAM_STEPS: usize = 1_000;
/// Loops within loops of a `program`.
pub const PROGRAM_DEPTH: usize = 8;
/// Length of one message of a channel, in bytes.
pub const MESSAGE_BYTES: u64 = 16 << 20;
/// Latencies that the threads of one task measure by name.
pub const LATENCIES: usize = 4;
/// Shortest period of what a timer wakes.
pub const PERIOD_MIN: Nanos = Nanos::from_micros(10);
/// Simulated time of one run.
pub const DURATION: Nanos = Nanos::from_secs(3_600);
/// Shortest time between two samples of the recorded series.
pub const SAMPLE_MIN: Nanos = Nanos::from_micros(100);
/// Samples of one run: `duration / sample`.
pub const SAMPLES: u64 = 100_000;
/// Runs of one kernel.
pub const REPEATS: u32 = 1_000;
/// Length of a scenario's JSON, in bytes: recordings are long.
pub const DOCUMENT: usize = 64 << 20;
/// What a link may inflate to, in bytes.
pub const JSON: usize = 1 << 20;
/// Length of a link, in bytes.
pub const LINK: usize = 256 * 1024;
/// Problems reported at most for one document.
pub const PROBLEMS: usize = 50;
