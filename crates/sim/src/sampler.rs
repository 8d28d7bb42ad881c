//! Turns the running accounts into rows of the [`Series`].

use teeter_scenario::Nanos;

use crate::lanes::Lanes;
use crate::series::Series;
use crate::stats::Stats;
use crate::task::TaskRun;

/// The series so far and where the accounts stood when its last row ended.
#[derive(Clone, Debug)]
pub(crate) struct Sampler {
    pub(crate) series: Series,
    /// What every CPU did, if that is asked for.
    pub(crate) lanes: Option<Lanes>,
    /// When the sample at hand ends.
    pub(crate) due: u64,
    on_node: Vec<u64>,
    busy: Vec<u64>,
    /// CPUs of each node.
    cpus: Vec<u32>,
    wasted: u64,
    progress: Vec<u64>,
    migrations: Vec<u64>,
    switches: u64,
}

impl Sampler {
    /// Takes a sample each `sample`; `cpus` are the online CPUs of each node.
    pub(crate) fn new(sample: Nanos, tasks: usize, cpus: Vec<u32>) -> Self {
        let series = Series::new(sample, tasks, cpus.len());
        Self {
            due: sample.0,
            on_node: vec![0; series.node_threads.len()],
            busy: vec![0; cpus.len()],
            wasted: 0,
            progress: vec![0; tasks],
            migrations: vec![0; series.migrations.len()],
            switches: 0,
            lanes: None,
            series,
            cpus,
        }
    }

    /// Ends the sample at hand, at its due time, with a row.
    pub(crate) fn take(&mut self, stats: &Stats, tasks: &[TaskRun], switches: u64) {
        let now = self.due;
        let sample = self.series.sample.0;
        self.due = now.saturating_add(sample.max(1));
        let share = |passed: u64, of: u64| {
            if of == 0 {
                0.0
            } else {
                passed as f64 / of as f64
            }
        };
        self.series.time_ns.push(now as f64);

        let columns = self.series.node_threads.iter_mut().zip(&mut self.on_node);
        for ((column, last), total) in columns.zip(stats.on_node(now)) {
            column.push(share(total - *last, sample) as f32);
            *last = total;
        }

        let mut busy = vec![0; self.cpus.len()];
        for (node, time) in stats.busy(now) {
            busy[node.index()] += time;
        }
        for (node, total) in busy.into_iter().enumerate() {
            let available = u64::from(self.cpus[node]) * sample;
            self.series.busy[node].push(share(total - self.busy[node], available) as f32);
            self.busy[node] = total;
        }

        let wasted = stats.wasted(now);
        self.series
            .idle_while_waiting
            .push(share(wasted - self.wasted, sample) as f32);
        self.wasted = wasted;

        for (index, task) in tasks.iter().enumerate() {
            let done = task.progress - self.progress[index];
            self.progress[index] = task.progress;
            if let Some(metric) = &task.metric {
                let units = done as f64 / metric.per_unit.max(1) as f64;
                self.series.progress[index].push(units / Nanos(sample).as_secs_f64());
            }
        }

        for (cause, last) in self.migrations.iter_mut().enumerate() {
            let total: u64 = tasks.iter().map(|task| task.migrations[cause]).sum();
            self.series.migrations[cause].push((total - *last) as u32);
            *last = total;
        }

        self.series.switches.push((switches - self.switches) as u32);
        self.switches = switches;

        if let Some(lanes) = &mut self.lanes {
            lanes.take(stats, now, sample);
        }
    }
}
