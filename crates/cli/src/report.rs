//! What `teeter run` prints.

use serde::Serialize;
use teeter_report::Table;
use teeter_scenario::document::MachineSource;
use teeter_scenario::{Nanos, Scenario};
use teeter_sim::{CgroupResult, NumaCounts, RunResult, TaskResult};

/// Nodes whose columns fit into a terminal; of more, the least and the most are shown.
const NODES: usize = 8;

/// One object for all runs of a scenario.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Version of the engine.
    engine: &'static str,
    name: String,
    duration_ns: u64,
    runs: Vec<RunResult>,
    /// For people: where it ran and for how long.
    #[serde(skip)]
    setting: String,
}

impl Report {
    pub(crate) fn new(scenario: &Scenario, runs: Vec<RunResult>) -> Self {
        let machine = match &scenario.machine.source {
            MachineSource::Preset(name) => name,
            MachineSource::Synthetic(words) => words,
            MachineSource::Import { .. } => "an imported machine",
            MachineSource::Nodes(_) => "a machine of its own",
        };
        Self {
            engine: env!("CARGO_PKG_VERSION"),
            name: scenario.name.clone(),
            duration_ns: scenario.run.duration.as_nanos(),
            runs,
            setting: format!("{} on {machine}", scenario.run.duration),
        }
    }

    /// The object of `--json`.
    pub(crate) fn json(&self) -> String {
        // Every key is a text, so that nothing can fail here.
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{json}\n")
    }

    /// The same for people, shortened.
    pub(crate) fn text(&self) -> String {
        let name = if self.name.is_empty() {
            "Unnamed scenario"
        } else {
            &self.name
        };
        let runs: Vec<String> = self.runs.iter().map(run).collect();
        format!("{name}\n{}\n\n{}", self.setting, runs.join("\n"))
    }
}

fn run(run: &RunResult) -> String {
    let mut table = Table::new(2);
    let nodes = run.tasks.first().map_or(0, |task| task.mean_on_node.len());
    table.row(header(nodes));
    for task in &run.tasks {
        table.row(row(task));
    }
    let throttled: String = run.cgroups.iter().map(throttled).collect();
    format!(
        "{}, seed {}, digest {}\n{}  {}\n{throttled}{}{}",
        run.kernel,
        run.seed,
        run.digest,
        table.numbers(),
        summary(run),
        balance(run),
        numa(&run.numa)
    )
}

fn header(nodes: usize) -> Vec<String> {
    let mut header: Vec<String> = ["task", "threads", "metric", "done", "CPU time", "waiting"]
        .map(str::to_owned)
        .into();
    header.extend(["p50 us", "p99 us", "max us"].map(str::to_owned));
    if nodes <= NODES {
        header.extend((0..nodes).map(|node| format!("node {node}")));
    } else {
        header.extend(["least on a node", "most on a node"].map(str::to_owned));
    }
    header.push("migrations".to_owned());
    header
}

fn row(task: &TaskResult) -> Vec<String> {
    let none = || "-".to_owned();
    let metric = task.metric.as_ref().map_or_else(none, |metric| {
        format!("{:.1} {}", metric.value, metric.name)
    });
    let mut row = vec![
        task.name.clone(),
        task.threads.to_string(),
        metric,
        task.done_ns.map_or_else(none, seconds),
        seconds(task.cpu_ns),
        seconds(task.wait_ns),
    ];
    match &task.latency_us {
        Some(latency) => {
            row.extend([latency.p50, latency.p99, latency.max].map(|us| format!("{us:.0}")));
        }
        None => row.extend([none(), none(), none()]),
    }
    let on_node = &task.mean_on_node;
    if on_node.len() <= NODES {
        row.extend(on_node.iter().map(|mean| format!("{mean:.2}")));
    } else {
        let least = on_node.iter().copied().fold(f64::INFINITY, f64::min);
        let most = on_node.iter().copied().fold(0.0, f64::max);
        row.extend([least, most].map(|mean| format!("{mean:.2}")));
    }
    row.push(task.migrations.total.to_string());
    row
}

fn seconds(nanos: u64) -> String {
    format!("{:.2} s", Nanos(nanos).as_secs_f64())
}

fn summary(run: &RunResult) -> String {
    let busy: f64 = run.cpus.busy.iter().sum();
    let nodes = &run.cpus.node_busy;
    let by_node = if (2..=NODES).contains(&nodes.len()) {
        let percent: Vec<String> = nodes
            .iter()
            .map(|busy| format!("{:.1}", 100.0 * busy))
            .collect();
        format!(" ({} % of the nodes)", percent.join(", "))
    } else {
        String::new()
    };
    format!(
        "{busy:.1} of {} CPUs busy{by_node}; some CPU idle while a task waited {:.1} % of the time; {} switches, {} wakeups",
        run.cpus.busy.len(),
        100.0 * run.idle_while_waiting,
        run.switches,
        run.wakeups
    )
}

/// A line about each cgroup that was throttled, as its `cpu.stat` tells.
fn throttled(group: &CgroupResult) -> String {
    if group.nr_throttled == 0 {
        return String::new();
    }
    format!(
        "  {}: throttled in {} of {} periods, for {} on all CPUs together\n",
        group.path,
        group.nr_throttled,
        group.nr_periods,
        seconds(group.throttled_ns)
    )
}

/// A line about NUMA balancing, if it did anything.
fn numa(counts: &NumaCounts) -> String {
    if counts.pte_updates == 0 {
        return String::new();
    }
    let local = 100.0 * counts.hint_faults_local as f64 / counts.hint_faults.max(1) as f64;
    format!(
        "  NUMA balancing: {} PTE updates, {} hint faults, {local:.1} % local, {} pages migrated\n",
        counts.pte_updates, counts.hint_faults, counts.pages_migrated
    )
}

/// A line for each domain level at which something was moved or tried.
fn balance(run: &RunResult) -> String {
    let line = |(level, counts): (&String, &teeter_sim::BalanceCounts)| {
        format!(
            "  {level} balance: {} passes, {} moved, {} active, {} failed\n",
            counts.count, counts.moved, counts.active, counts.failed
        )
    };
    run.balance.iter().map(line).collect()
}
