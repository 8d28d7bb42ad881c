//! What is read of a run for a row.

use serde::Deserialize;
use teeter_sim::{Latency, RunResult, TaskResult};

/// One number of a run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// The task's own metric.
    Metric(String),
    /// Seconds for a whole benchmark, of which the metric tells the rate: the work divided by it.
    TimeFor(String, f64),
    /// Seconds until the task was done.
    Done(String),
    /// A percentile of the task's latency, µs.
    Latency(String, Percentile),
    /// A percentile of a latency that the workload measures itself, by its name for it, µs.
    Own(String, String, Percentile),
    /// Mean threads of the task on the node that has so few: 0 is the node with the fewest. Threads that sleep are
    /// shared out as those that run are: `ps`, by which the mails sample, lists them where they ran last.
    Ranked(String, usize),
    /// Mean threads of the task on this node.
    Node(String, usize),
    /// Some work divided by a percentile of a latency that the workload measures itself, per second.
    RateOf(String, String, Percentile, f64),
    /// Seconds the task's threads were on a CPU.
    CpuTime(String),
    /// The part of it that the kernel spent for NUMA balancing: `Sys` of `time`.
    SystemTime(String),
    /// The rest of it: `User` of `time`.
    UserTime(String),
    /// Migrations of the task's threads.
    Migrations(String),
    /// Migrations that the task's threads come to over a whole benchmark, of which the metric tells the seconds.
    MigrationsInAll(String),
    /// A counter of NUMA balancing.
    Numa(NumaCounter),
    /// Busy CPUs, in percent of all.
    Busy,
    /// What the busiest node had of all that was run, in percent: 100 where all was on one node.
    BusiestNode,
    /// Seconds that some CPU idled while another had a task waiting, in percent of the run.
    IdleWhileWaiting,
}

/// A percentile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Percentile {
    /// 50th
    P50,
    /// 75th
    P75,
    /// 90th
    P90,
    /// 95th
    P95,
    /// 99th
    P99,
    /// 99.5th
    #[serde(rename = "p99.5")]
    P99_5,
    /// 99.9th
    #[serde(rename = "p99.9")]
    P99_9,
    /// Least
    Min,
    /// Greatest
    Max,
}

/// A counter of NUMA balancing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NumaCounter {
    /// numa_pte_updates
    PteUpdates,
    /// numa_hint_faults
    HintFaults,
    /// numa_hint_faults_local
    HintFaultsLocal,
    /// The share of local ones, in percent
    LocalPercent,
    /// numa_pages_migrated
    PagesMigrated,
}

impl Quantity {
    /// Reads it; `None` where the run has no such number.
    pub fn of(&self, run: &RunResult) -> Option<f64> {
        let task = |name: &String| run.tasks.iter().find(|task| task.name == *name);
        let metric = |task: &TaskResult| Some(task.metric.as_ref()?.value);
        match self {
            Self::Metric(name) => metric(task(name)?),
            Self::TimeFor(name, work) => Some(work / metric(task(name)?)?),
            Self::Done(name) => Some(seconds(task(name)?.done_ns?)),
            Self::Latency(name, percentile) => {
                Some(percentile.of(task(name)?.latency_us.as_ref()?))
            }
            Self::Own(name, latency, percentile) => {
                Some(percentile.of(task(name)?.latencies_us.get(latency)?))
            }
            Self::Ranked(name, rank) => {
                let task = task(name)?;
                let mut means = task.mean_on_node.clone();
                means.sort_by(f64::total_cmp);
                let runnable: f64 = means.iter().sum();
                means
                    .get(*rank)
                    .map(|mean| mean * f64::from(task.threads) / runnable)
            }
            Self::Node(name, node) => task(name)?.mean_on_node.get(*node).copied(),
            Self::RateOf(name, latency, percentile, work) => {
                let us = percentile.of(task(name)?.latencies_us.get(latency)?);
                Some(1e6 * work / us)
            }
            Self::CpuTime(name) => Some(seconds(task(name)?.cpu_ns)),
            Self::SystemTime(name) => Some(seconds(task(name)?.system_ns)),
            Self::UserTime(name) => {
                let task = task(name)?;
                Some(seconds(task.cpu_ns.saturating_sub(task.system_ns)))
            }
            Self::Migrations(name) => Some(task(name)?.migrations.total as f64),
            Self::MigrationsInAll(name) => {
                let task = task(name)?;
                let elapsed = seconds(task.done_ns.unwrap_or(run.elapsed_ns));
                Some(task.migrations.total as f64 * metric(task)? / elapsed)
            }
            Self::Numa(counter) => Some(counter.of(run)),
            Self::Busy => {
                let busy = &run.cpus.busy;
                Some(100.0 * busy.iter().sum::<f64>() / busy.len() as f64)
            }
            Self::BusiestNode => {
                let nodes = &run.cpus.node_busy;
                let all: f64 = nodes.iter().sum();
                let most = nodes.iter().copied().fold(0.0, f64::max);
                (all > 0.0).then_some(100.0 * most / all)
            }
            Self::IdleWhileWaiting => Some(100.0 * run.idle_while_waiting),
        }
    }
}

impl Percentile {
    fn of(self, latency: &Latency) -> f64 {
        match self {
            Self::P50 => latency.p50,
            Self::P75 => latency.p75,
            Self::P90 => latency.p90,
            Self::P95 => latency.p95,
            Self::P99 => latency.p99,
            Self::P99_5 => latency.p99_5,
            Self::P99_9 => latency.p99_9,
            Self::Min => latency.min,
            Self::Max => latency.max,
        }
    }
}

impl NumaCounter {
    fn of(self, run: &RunResult) -> f64 {
        let numa = &run.numa;
        let count = match self {
            Self::PteUpdates => numa.pte_updates,
            Self::HintFaults => numa.hint_faults,
            Self::HintFaultsLocal => numa.hint_faults_local,
            Self::LocalPercent => {
                return 100.0 * numa.hint_faults_local as f64 / numa.hint_faults.max(1) as f64;
            }
            Self::PagesMigrated => numa.pages_migrated,
        };
        count as f64
    }
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}
