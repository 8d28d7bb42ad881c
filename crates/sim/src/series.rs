//! What the charts plot: one row for each `run.sample`, kept as columns.

use teeter_scenario::time::Nanos;
use teeter_sched::Cause;

/// Columns over the samples finished so far. Row `i` covers `i * sample .. (i + 1) * sample`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Length of a sample.
    pub sample: Nanos,
    /// How many nodes the machine has.
    pub nodes: usize,
    /// End of each sample, ns.
    pub time_ns: Vec<f64>,
    /// Time average of runnable threads: a column for each (task, node), at
    /// `task * nodes + node` ([`Series::node_threads`]).
    pub node_threads: Vec<Vec<f32>>,
    /// Progress in units of the metric per second: a column for each task, empty for a task
    /// without a metric.
    pub progress: Vec<Vec<f64>>,
    /// Fraction of each node's CPUs that ran a task: a column for each node.
    pub busy: Vec<Vec<f32>>,
    /// Fraction of the sample in which some CPU idled while a task waited that may run there.
    pub idle_while_waiting: Vec<f32>,
    /// Migrations in the sample: a column for each [`Cause`], in the order of [`Cause::ALL`].
    pub migrations: Vec<Vec<u32>>,
    /// Context switches in the sample.
    pub switches: Vec<u32>,
}

impl Series {
    /// Empty columns for so many tasks and nodes; `measured` says which tasks have a metric.
    pub(crate) fn new(sample: Nanos, tasks: usize, nodes: usize) -> Self {
        Self {
            sample,
            nodes,
            node_threads: vec![Vec::new(); tasks * nodes],
            progress: vec![Vec::new(); tasks],
            busy: vec![Vec::new(); nodes],
            migrations: vec![Vec::new(); Cause::ALL.len()],
            ..Self::default()
        }
    }

    /// As many columns, with nothing in them.
    pub(crate) fn emptied(&self) -> Self {
        let tasks = self.progress.len();
        Self::new(self.sample, tasks, self.nodes)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.time_ns.len()
    }

    /// Whether no sample has ended yet.
    pub fn is_empty(&self) -> bool {
        self.time_ns.is_empty()
    }

    /// The column of one task's threads on one node.
    pub fn node_threads(&self, task: usize, node: usize) -> &[f32] {
        self.node_threads
            .get(task * self.nodes + node)
            .map_or(&[], Vec::as_slice)
    }
}
