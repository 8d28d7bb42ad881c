//! What tasks do: the workloads by name, with their parameters. The `workload` crate turns them into programs.
//!
//! The parameters are written as they stand here, in every version of the format: one may be added, with a
//! default that keeps what older documents mean; none is ever renamed or removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use super::step::{Channel, ChannelKind, Step};
use crate::{Bytes, Nanos};

/// A workload with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// Computes for ever.
    Hog,
    /// Computes for ever, as a worker of `stress --cpu`.
    Stress,
    /// Runs and sleeps by a timer.
    Periodic(Periodic),
    /// NPB LU (OpenMP): a wavefront whose waits spin.
    NpbLu(NpbLu),
    /// Other programs of NPB (OpenMP), whose waits are barriers.
    Npb(Npb),
    /// schbench: messengers that wake workers.
    Schbench(Schbench),
    /// hackbench, or `perf bench sched messaging`.
    Hackbench(Hackbench),
    /// netperf over loopback.
    Netperf(Netperf),
    /// tbench: clients and servers over loopback.
    Tbench(Tbench),
    /// `perf bench sched pipe`: two threads that pass a byte to and fro.
    Pipe(Pipe),
    /// STREAM: memory bandwidth.
    Stream(Stream),
    /// `perf bench numa mem`.
    Numa(Numa),
    /// A database under YCSB.
    Ycsb(Ycsb),
    /// A chain of microservices.
    Services(Services),
    /// dbench: clients of a file system.
    Dbench(Dbench),
    /// A per-CPU kernel thread.
    Kworker(Kworker),
    /// An rt-app document, as it is.
    RtApp(Value),
    /// `sched_switch` and `sched_wakeup` lines: each task's recorded run and sleep times are its program.
    Trace(String),
    /// A program, step by step.
    Program(Vec<Step>),
}

impl Workload {
    /// All names, in the order they are listed to people.
    pub const NAMES: [&'static str; 19] = [
        "hog",
        "stress",
        "periodic",
        "npb-lu",
        "npb",
        "schbench",
        "hackbench",
        "netperf",
        "tbench",
        "pipe",
        "stream",
        "numa",
        "ycsb",
        "services",
        "dbench",
        "kworker",
        "rtapp",
        "trace",
        "program",
    ];

    /// Threads of a workload that has a shape of its own; `None`: as many as its tasks say.
    pub fn own_threads(&self) -> Option<u64> {
        let product = |a: u32, b: u64| u64::from(a).saturating_mul(b);
        match self {
            Self::Schbench(p) => Some(product(p.messages, u64::from(p.workers) + 1)),
            Self::Hackbench(p) => Some(product(p.groups, 2 * u64::from(p.fds))),
            Self::Netperf(p) => Some(product(p.pairs, 2)),
            Self::Tbench(p) => Some(product(p.clients, 2)),
            Self::Pipe(_) => Some(2),
            Self::Ycsb(p) => Some(product(p.clients, 1)),
            Self::Dbench(p) => Some(product(p.clients, 1)),
            Self::RtApp(document) => Some(instances(document)),
            Self::Trace(text) => recorded(text),
            _ => None,
        }
    }

    /// The name by which a scenario calls it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Hog => "hog",
            Self::Stress => "stress",
            Self::Periodic(_) => "periodic",
            Self::NpbLu(_) => "npb-lu",
            Self::Npb(_) => "npb",
            Self::Schbench(_) => "schbench",
            Self::Hackbench(_) => "hackbench",
            Self::Netperf(_) => "netperf",
            Self::Tbench(_) => "tbench",
            Self::Pipe(_) => "pipe",
            Self::Stream(_) => "stream",
            Self::Numa(_) => "numa",
            Self::Ycsb(_) => "ycsb",
            Self::Services(_) => "services",
            Self::Dbench(_) => "dbench",
            Self::Kworker(_) => "kworker",
            Self::RtApp(_) => "rtapp",
            Self::Trace(_) => "trace",
            Self::Program(_) => "program",
        }
    }
}

/// Threads that an rt-app document creates, not counting those that fork.
fn instances(document: &Value) -> u64 {
    let tasks = document.get("tasks").and_then(Value::as_object);
    let instances = |task: &Value| task.get("instance").map_or(Some(1), Value::as_u64);
    let tasks = tasks.into_iter().flat_map(|tasks| tasks.values());
    tasks.filter_map(instances).fold(0, u64::saturating_add)
}

/// Tasks of a recording in short; `None` where they cannot be counted without reading all of it.
fn recorded(text: &str) -> Option<u64> {
    let short = text.starts_with("# teeter trace 1");
    short.then(|| {
        text.lines()
            .filter(|line| line.starts_with("task "))
            .count() as u64
    })
}

/// `periodic`: run, then sleep until the next period begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Periodic {
    /// CPU time in each period at full speed.
    pub run: Nanos,
    /// From one wakeup to the next.
    pub period: Nanos,
}

/// `npb-lu`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NpbLu {
    /// The problem's size.
    pub class: NpbClass,
    /// Time steps; `None`: as many as the class has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
}

/// `npb`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Npb {
    /// Which program.
    pub program: NpbProgram,
    /// The problem's size.
    pub class: NpbClass,
    /// Iterations; `None`: as many as the class has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
}

/// Programs of the NAS Parallel Benchmarks that wait at barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NpbProgram {
    /// Block tri-diagonal solver
    #[default]
    Bt,
    /// Scalar penta-diagonal solver
    Sp,
    /// 3D fast Fourier transform
    Ft,
    /// Multigrid
    Mg,
}

/// The problem classes of the NAS Parallel Benchmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NpbClass {
    /// 12³
    S,
    /// 33³
    W,
    /// 64³
    A,
    /// 102³
    B,
    /// 162³
    #[default]
    C,
    /// 408³
    D,
    /// 1020³
    E,
}

/// `schbench`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Schbench {
    /// Messenger threads (`-m`).
    pub messages: u32,
    /// Worker threads of each messenger (`-t`).
    pub workers: u32,
    /// Time a messenger sleeps between rounds (`-s` of 2017).
    pub sleep: Nanos,
    /// Time a worker computes when woken: on the clock (`-c` of 2017), or CPU time of the matrices of one
    /// request (`-n` of 2023).
    pub cputime: Nanos,
    /// Time after which it ends (`-r`); `None`: it goes on to the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<Nanos>,
    /// Requests per second of each messenger (`-R` of 2023); `None`: a worker asks for the next one when it has
    /// done one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rps: Option<u32>,
    /// Which generation of the program.
    pub style: SchbenchStyle,
}

impl Default for Schbench {
    fn default() -> Self {
        Self {
            messages: 2,
            workers: 16,
            sleep: Nanos::from_millis(30),
            cputime: Nanos::from_millis(30),
            runtime: None,
            rps: None,
            style: SchbenchStyle::V2017,
        }
    }
}

/// Generations of schbench that measure differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SchbenchStyle {
    /// Wakeup latency as of one time read for the whole round.
    #[default]
    #[serde(rename = "2017")]
    V2017,
    /// Wakeup and request latencies apart.
    #[serde(rename = "2023")]
    V2023,
}

/// `hackbench`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hackbench {
    /// Groups of senders and receivers (`-g`).
    pub groups: u32,
    /// Senders, and as many receivers, of a group (`-f`).
    pub fds: u32,
    /// Messages from each sender to each receiver (`-l`).
    pub loops: u32,
    /// Length of a message in bytes (`-s`).
    pub bytes: u32,
    /// What the messages go through.
    pub ipc: Ipc,
}

impl Default for Hackbench {
    fn default() -> Self {
        Self {
            groups: 10,
            fds: 20,
            loops: 100,
            bytes: 100,
            ipc: Ipc::Pipe,
        }
    }
}

/// What messages go through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ipc {
    /// Pipes.
    #[default]
    Pipe,
    /// Unix sockets.
    Socket,
}

/// `netperf`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Netperf {
    /// One way or to and fro.
    pub mode: NetperfMode,
    /// Length of a message in bytes.
    pub bytes: u32,
    /// Pairs of netperf and netserver.
    pub pairs: u32,
}

impl Default for Netperf {
    fn default() -> Self {
        Self {
            mode: NetperfMode::Stream,
            bytes: 1024,
            pairs: 1,
        }
    }
}

/// netperf's tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NetperfMode {
    /// TCP_STREAM
    #[default]
    Stream,
    /// TCP_RR
    Rr,
}

/// `tbench`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tbench {
    /// Clients, each with a server of its own.
    pub clients: u32,
}

impl Default for Tbench {
    fn default() -> Self {
        Self { clients: 1 }
    }
}

/// `pipe`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pipe {
    /// Rounds (`-l`).
    pub loops: u32,
}

impl Default for Pipe {
    fn default() -> Self {
        Self { loops: 1_000_000 }
    }
}

/// `stream`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Stream {
    /// Passes over the arrays.
    pub iterations: u32,
    /// Size of each of the three arrays.
    pub array: Bytes,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            iterations: 10,
            array: Bytes::from_mb(512),
        }
    }
}

/// `numa`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Numa {
    /// Whose memory is walked.
    pub kind: NumaKind,
    /// Walks.
    pub loops: u32,
    /// Size of the memory walked.
    pub size: Bytes,
}

impl Default for Numa {
    fn default() -> Self {
        Self {
            kind: NumaKind::Shared,
            loops: 50,
            size: Bytes::from_gb(3),
        }
    }
}

/// Whose memory a `numa` thread walks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NumaKind {
    /// Its process's.
    #[default]
    Shared,
    /// Its own.
    Local,
}

/// `ycsb`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ycsb {
    /// Client threads.
    pub clients: u32,
}

impl Default for Ycsb {
    fn default() -> Self {
        Self { clients: 16 }
    }
}

/// `services`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Services {
    /// Calls in the chain of one request.
    pub depth: u32,
    /// Requests per second; `None`: as many as are served (a closed loop).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<u32>,
}

impl Default for Services {
    fn default() -> Self {
        Self {
            depth: 8,
            rate: None,
        }
    }
}

/// `dbench`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dbench {
    /// Client processes.
    pub clients: u32,
}

impl Default for Dbench {
    fn default() -> Self {
        Self { clients: 1 }
    }
}

/// `kworker`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Kworker {
    /// From one wakeup to the next.
    pub every: Nanos,
    /// CPU time of each.
    pub run: Nanos,
}

impl Default for Kworker {
    fn default() -> Self {
        Self {
            every: Nanos::from_secs(1),
            run: Nanos::from_micros(20),
        }
    }
}
