//! What can be read from a run, one number at a time.

use serde::Serialize;
use teeter_sim::{Better, RunResult, TaskResult};

/// One number of a run, such as a benchmark's rate or how often tasks changed CPU.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The task it is about; `None`: the whole run.
    pub task: Option<String>,
    /// Its name.
    pub name: String,
    /// Its unit; empty where the name says it or it is a count.
    pub unit: String,
    /// Which direction is better; `None` where neither is.
    pub better: Option<Better>,
    /// Its value.
    #[serde(skip)]
    pub value: f64,
}

impl Figure {
    /// Whether it is about the same thing as another, whatever the values.
    pub fn is_like(&self, other: &Self) -> bool {
        self.task == other.task && self.name == other.name
    }
}

/// All numbers of a run: of each task, then of the whole.
pub fn figures(run: &RunResult) -> Vec<Figure> {
    let mut figures: Vec<Figure> = run.tasks.iter().flat_map(of_task).collect();
    let mut add = |name: &str, unit: &str, better, value: f64| {
        figures.push(figure(None, name, unit, better, value));
    };
    add(
        "idle while waiting",
        "%",
        Some(Better::Lower),
        100.0 * run.idle_while_waiting,
    );
    let busy: f64 = run.cpus.busy.iter().sum();
    add("busy CPUs", "", None, busy);
    add("switches", "", None, run.switches as f64);
    add("wakeups", "", None, run.wakeups as f64);
    let numa = &run.numa;
    if numa.pte_updates > 0 {
        add("NUMA PTE updates", "", None, numa.pte_updates as f64);
        add("NUMA hint faults", "", None, numa.hint_faults as f64);
        add(
            "NUMA hint local faults",
            "",
            None,
            numa.hint_faults_local as f64,
        );
        let local = 100.0 * numa.hint_faults_local as f64 / numa.hint_faults.max(1) as f64;
        add("NUMA hint local percent", "%", None, local);
        add("NUMA pages migrated", "", None, numa.pages_migrated as f64);
    }
    for (level, counts) in &run.balance {
        add(
            &format!("{level} tasks moved"),
            "",
            None,
            counts.moved as f64,
        );
    }
    figures
}

fn of_task(task: &TaskResult) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut add = |name: &str, unit: &str, better, value: f64| {
        figures.push(figure(Some(&task.name), name, unit, better, value));
    };
    if let Some(metric) = &task.metric {
        add(&metric.name, "", Some(metric.better), metric.value);
    }
    if let Some(done) = task.done_ns {
        add("done", "s", Some(Better::Lower), seconds(done));
    }
    let latencies = task
        .latencies_us
        .iter()
        .map(|(name, latency)| (name.as_str(), latency));
    let all = task
        .latency_us
        .iter()
        .map(|latency| ("latency", latency))
        .chain(latencies);
    for (name, latency) in all {
        for (percentile, value) in [
            ("p50", latency.p50),
            ("p75", latency.p75),
            ("p90", latency.p90),
            ("p95", latency.p95),
            ("p99", latency.p99),
            ("p99.5", latency.p99_5),
            ("p99.9", latency.p99_9),
            ("max", latency.max),
        ] {
            add(
                &format!("{name} {percentile}"),
                "us",
                Some(Better::Lower),
                value,
            );
        }
    }
    add("CPU time", "s", None, seconds(task.cpu_ns));
    add("waiting", "s", Some(Better::Lower), seconds(task.wait_ns));
    for (node, &mean) in task.mean_on_node.iter().enumerate() {
        add(&format!("threads on node {node}"), "", None, mean);
    }
    add("migrations", "", None, task.migrations.total as f64);
    figures
}

fn figure(
    task: Option<&str>,
    name: &str,
    unit: &str,
    better: Option<Better>,
    value: f64,
) -> Figure {
    Figure {
        task: task.map(str::to_owned),
        name: name.to_owned(),
        unit: unit.to_owned(),
        better,
        value,
    }
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}
