//! The result of a run: one element of `runs` in `teeter run --json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What came out of one run of one kernel with one seed. Means, shares, times and latencies count
/// from the scenario's `warmup` on; counters count from time 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// The kernel's label, or its name where it has none.
    pub kernel: String,
    /// The seed this run was made with ([`crate::derive_seed`] of the scenario's).
    pub seed: u64,
    /// [`crate::Simulation::digest`] as 16 hex digits.
    pub digest: String,
    /// Events handled.
    pub events: u64,
    /// Simulated time that passed, ns.
    pub elapsed_ns: u64,
    /// One entry for each of the scenario's tasks, in its order.
    pub tasks: Vec<TaskResult>,
    /// Per CPU, by number.
    pub cpus: CpuResult,
    /// The cgroups but the root, in the order of the scenario.
    pub cgroups: Vec<CgroupResult>,
    /// Fraction of the time in which some CPU idled while a task waited that may run there.
    pub idle_while_waiting: f64,
    /// NUMA balancing.
    pub numa: NumaCounts,
    /// Load balancing by name of the domain level, in alphabetical order.
    pub balance: BTreeMap<String, BalanceCounts>,
    /// Context switches, those to and from idle among them.
    pub switches: u64,
    /// Wakeups of sleeping tasks.
    pub wakeups: u64,
    /// What went wrong with rules of the user's own, in words; none where all is well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
}

/// What came out for one of the scenario's tasks, all its threads together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskResult {
    /// The task's name.
    pub name: String,
    /// How many threads it has.
    pub threads: u32,
    /// What the workload reports; `None` where it reports nothing.
    pub metric: Option<MetricResult>,
    /// Time at which its last thread ended, ns; `None` if cut by the duration.
    pub done_ns: Option<u64>,
    /// Time its threads were on a CPU, ns.
    pub cpu_ns: u64,
    /// The part of it that NUMA balancing has cost: hinting faults, moved pages, scans; ns. Counts from time
    /// 0, as all counters do.
    #[serde(default)]
    pub system_ns: u64,
    /// Time its threads were runnable but waited for a CPU, ns.
    pub wait_ns: u64,
    /// From wakeup (for a timer: from its expiry) to running, µs; `None` if no thread ever slept.
    pub latency_us: Option<Latency>,
    /// Latencies that the workload measures itself, by its names for them, µs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub latencies_us: BTreeMap<String, Latency>,
    /// Time average of runnable threads on each node.
    pub mean_on_node: Vec<f64>,
    /// Time average of runnable threads on each CPU.
    pub mean_on_cpu: Vec<f64>,
    /// For each thread, the fraction of its life it was on a CPU.
    pub cpu_share: Vec<f64>,
    /// How often its threads changed CPU, by cause.
    pub migrations: MigrationCounts,
}

/// What became of a cgroup's cpu.max, as in its `cpu.stat`; zeros for one without limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CgroupResult {
    /// Its path.
    pub path: String,
    /// Periods that passed while it had something to run.
    pub nr_periods: u64,
    /// Those at whose end it was throttled on some CPU.
    pub nr_throttled: u64,
    /// Time it was throttled, all CPUs together, ns.
    pub throttled_ns: u64,
}

/// A benchmark's own figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricResult {
    /// Its name in the benchmark's own terms, such as `Mop/s`.
    pub name: String,
    /// The figure: the rate so far where the workload has not ended.
    pub value: f64,
    /// Which direction is better.
    pub better: Better,
}

/// Which direction of a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better, as for a throughput.
    Higher,
    /// Less is better, as for a latency.
    Lower,
}

/// Percentiles of a latency, µs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the percentiles")]
pub struct Latency {
    pub p50: f64,
    pub p75: f64,
    pub p90: f64,
    pub p95: f64,
    pub p99: f64,
    #[serde(rename = "p99.5")]
    pub p99_5: f64,
    #[serde(rename = "p99.9")]
    pub p99_9: f64,
    pub min: f64,
    pub max: f64,
    /// How many wakeups were measured.
    pub samples: u64,
}

/// Migrations by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MigrationCounts {
    /// All of them.
    pub total: u64,
    /// Fork placement on another CPU than the parent's.
    pub fork: u64,
    /// Wakeup placement.
    pub wakeup: u64,
    /// Periodic balance.
    pub periodic: u64,
    /// A CPU about to idle pulled.
    pub newidle: u64,
    /// Balance on behalf of an idle CPU.
    pub nohz: u64,
    /// Active balance of a running task.
    pub active: u64,
    /// NUMA balancing.
    pub numa: u64,
    /// Affinity or hot-unplug.
    pub affinity: u64,
}

/// Figures of each CPU, by number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuResult {
    /// Fraction of the time the CPU ran a task.
    pub busy: Vec<f64>,
    /// Time average of runnable tasks.
    pub nr_running: Vec<f64>,
    /// Mean of [`CpuResult::busy`] over the CPUs of each node, as `mpstat -N ALL` tells it; 0 for a node without
    /// CPUs.
    #[serde(default)]
    pub node_busy: Vec<f64>,
}

/// Counters of NUMA balancing, as in `/proc/vmstat`, in pages of the machine's kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumaCounts {
    /// `numa_pte_updates`.
    pub pte_updates: u64,
    /// `numa_hint_faults`.
    pub hint_faults: u64,
    /// `numa_hint_faults_local`.
    pub hint_faults_local: u64,
    /// `numa_pages_migrated`.
    pub pages_migrated: u64,
}

/// Counters of load balancing on one domain level, all CPUs together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BalanceCounts {
    /// Balance passes.
    pub count: u64,
    /// Those that found nothing to do.
    pub balanced: u64,
    /// Those that found an imbalance and moved nothing.
    pub failed: u64,
    /// Tasks moved.
    pub moved: u64,
    /// Active balances asked for.
    pub active: u64,
}
