//! What the page knows of one run: the machine now, the series so far, recent migrations, the result.

use std::collections::VecDeque;

use teeter_scenario::{CpuList, Scenario};
use teeter_sim::{RunResult, TaskResult, ThreadTable};

use crate::protocol::{CpuStates, Frame, Loaded, Moment, row_width};
use crate::timeline::lanes::Lanes;

/// How long a migration stays in sight, ms of the wall clock.
pub const ARC_MS: f64 = 700.0;
/// Migrations in sight at most.
const ARCS: usize = 32;
/// A CPU that idles while a task waits is harm only if it lasts so long, simulated ns.
const STARVING_NS: f64 = 10e6;

/// One run as the page has seen it.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Who is who, and when it ends.
    pub run: Loaded,
    /// Simulated time of [`Recording::cpus`], ns.
    pub now_ns: f64,
    /// How far the run has come, ns.
    pub reached_ns: f64,
    /// Whether a moment that has been is shown, rather than the latest one.
    pub in_past: bool,
    /// Whether it is over.
    pub finished: bool,
    /// The machine now.
    pub cpus: CpuStates,
    /// The series so far.
    pub series: Columns,
    /// The result so far.
    pub result: Option<RunResult>,
    /// CPUs that each task used between the last two results.
    pub usage: Vec<f64>,
    /// Migrations still in sight, oldest first.
    pub arcs: VecDeque<Arc>,
    /// What every CPU did in each sample.
    pub lanes: Lanes,
    /// The machine at the latest moment, while another is shown.
    latest: CpuStates,
    allowed: Vec<Option<CpuList>>,
    starving_since: Vec<Option<f64>>,
}

/// The series as columns; row `i` covers one sample that ends at `time_ns[i]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// End of each sample, simulated ns.
    pub time_ns: Vec<f64>,
    /// Share of the sample in which a CPU idled while a task waited that might run there.
    pub idle_while_waiting: Vec<f64>,
    /// Migrations in the sample.
    pub migrations: Vec<f64>,
    /// Mean runnable threads, a column for each task and node (`task * nodes + node`).
    pub node_threads: Vec<Vec<f64>>,
    /// Progress per second, a column for each task.
    pub progress: Vec<Vec<f64>>,
}

/// A migration in sight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// The thread.
    pub thread: u32,
    /// CPU it left.
    pub from: usize,
    /// CPU it came to.
    pub to: usize,
    /// When the page heard of it, ms of the wall clock.
    pub seen_ms: f64,
}

impl Recording {
    /// An empty recording of a run of the scenario.
    pub fn new(run: Loaded, scenario: &Scenario) -> Self {
        let tasks = run.table.tasks.len();
        let nodes = run.nodes as usize;
        Self {
            series: Columns {
                node_threads: vec![Vec::new(); tasks * nodes],
                progress: vec![Vec::new(); tasks],
                ..Columns::default()
            },
            allowed: scenario
                .tasks
                .iter()
                .map(|tasks| tasks.affinity.clone())
                .collect(),
            lanes: Lanes::new(run.sample_ns),
            run,
            ..Self::default()
        }
    }

    /// Shows a moment that has been.
    pub fn show(&mut self, moment: Moment) {
        if !self.in_past {
            self.latest = std::mem::take(&mut self.cpus);
        }
        self.in_past = true;
        self.now_ns = moment.at_ns;
        self.cpus = moment.cpus;
        self.arcs.clear();
    }

    /// Shows the latest moment again.
    pub fn show_latest(&mut self) {
        if std::mem::take(&mut self.in_past) {
            self.now_ns = self.reached_ns;
            self.cpus = std::mem::take(&mut self.latest);
        }
    }

    /// Takes in what the worker reports, seen at `wall_ms` of the wall clock.
    pub fn take(&mut self, frame: Frame, wall_ms: f64) {
        self.reached_ns = frame.now_ns;
        self.finished = frame.finished;
        self.lanes.push(&frame.lanes, frame.cpus.curr.len());
        if self.in_past {
            self.latest = frame.cpus;
        } else {
            self.now_ns = frame.now_ns;
            self.cpus = frame.cpus;
        }
        if let Some(result) = frame
            .result
            .and_then(|json| serde_json::from_str(&json).ok())
        {
            self.take_result(result);
        }
        let (tasks, nodes) = (self.run.table.tasks.len(), self.run.nodes as usize);
        for row in frame.rows.chunks_exact(row_width(tasks, nodes)) {
            self.series.push(row, tasks * nodes);
        }
        if self.in_past {
            return;
        }
        for mark in frame.migrations.chunks_exact(4) {
            self.arcs.push_back(Arc {
                thread: mark[0],
                from: mark[1] as usize,
                to: mark[2] as usize,
                seen_ms: wall_ms,
            });
        }
        let surplus = self.arcs.len().saturating_sub(ARCS);
        self.arcs.drain(..surplus);
        self.watch_starving();
    }

    fn take_result(&mut self, result: RunResult) {
        if let Some(before) = &self.result {
            let elapsed = result.elapsed_ns.saturating_sub(before.elapsed_ns) as f64;
            // Times count from the end of the warm-up on: there they begin anew.
            let used = |(now, then): (&TaskResult, &TaskResult)| {
                now.cpu_ns
                    .checked_sub(then.cpu_ns)
                    .map(|ns| ns as f64 / elapsed)
            };
            let usage: Option<Vec<f64>> =
                result.tasks.iter().zip(&before.tasks).map(used).collect();
            if let Some(usage) = usage.filter(|_| elapsed > 0.0) {
                self.usage = usage;
            }
        }
        self.result = Some(result);
    }

    /// CPUs that the tasks below a cgroup used lately; `None` where that is not known yet.
    pub fn usage_of(&self, scenario: &Scenario, path: &str) -> Option<f64> {
        let below = |cgroup: &str| {
            let rest = cgroup.strip_prefix(path.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let tasks = scenario.tasks.iter().zip(&self.usage);
        let used = tasks
            .filter(|(task, _)| below(&task.cgroup))
            .map(|(_, used)| used);
        (!self.usage.is_empty()).then(|| used.sum())
    }

    /// CPUs on which a cgroup was throttled, on average over the run; `None` where it was on none.
    pub fn throttled_of(&self, path: &str) -> Option<f64> {
        let result = self.result.as_ref()?;
        let found = result.cgroups.iter().find(|cgroup| cgroup.path == path)?;
        let share = found.throttled_ns as f64 / result.elapsed_ns.max(1) as f64;
        (found.throttled_ns > 0).then_some(share)
    }

    /// Forgets migrations that have faded.
    pub fn fade(&mut self, wall_ms: f64) {
        while self
            .arcs
            .front()
            .is_some_and(|arc| wall_ms - arc.seen_ms > ARC_MS)
        {
            self.arcs.pop_front();
        }
    }

    /// Whether the CPU has idled for a while though a task waited that may run there.
    pub fn is_starving(&self, cpu: usize) -> bool {
        if self.in_past {
            return self.starves_now(cpu);
        }
        let since = self.starving_since.get(cpu).copied().flatten();
        since.is_some_and(|since| self.now_ns - since >= STARVING_NS)
    }

    fn starves_now(&self, cpu: usize) -> bool {
        let mut waiting = self.cpus.queued.iter();
        let may_run_here = |thread: &u32| {
            let task = self.task_of(*thread);
            task.is_some_and(|task| self.may_run(task, cpu))
        };
        self.cpus.running(cpu).is_none() && waiting.any(may_run_here)
    }

    /// Whether the scenario lets a task run on a CPU.
    fn may_run(&self, task: usize, cpu: usize) -> bool {
        let allowed = self.allowed.get(task).and_then(Option::as_ref);
        allowed.is_none_or(|allowed| allowed.contains(cpu as u32))
    }

    /// The scenario's task a thread belongs to.
    pub fn task_of(&self, thread: u32) -> Option<usize> {
        self.run
            .table
            .threads
            .get(thread as usize)
            .map(|info| info.task as usize)
    }

    /// A thread as the scenario calls it, `lu.3`.
    pub fn thread_name(&self, thread: u32) -> String {
        let info = self.run.table.threads.get(thread as usize);
        let named = info.and_then(|info| {
            let task = self.run.table.tasks.get(info.task as usize)?;
            Some(format!("{}.{}", task.name, info.index))
        });
        named.unwrap_or_else(|| format!("thread {thread}"))
    }

    /// Runnable threads of each task on a set of CPUs, in the order of the tasks.
    pub fn threads_on(&self, cpus: impl Iterator<Item = usize>) -> Vec<u32> {
        let mut counts = vec![0; self.run.table.tasks.len()];
        for cpu in cpus {
            let waiting = self.cpus.waiting(cpu).iter().copied();
            for thread in waiting.chain(self.cpus.running(cpu)) {
                if let Some(count) = self.task_of(thread).and_then(|task| counts.get_mut(task)) {
                    *count += 1;
                }
            }
        }
        counts
    }

    /// Index of the first task with a metric, whose threads the charts follow; else of the first.
    pub fn followed(&self) -> usize {
        followed(&self.run.table)
    }

    fn watch_starving(&mut self) {
        let waiting: Vec<usize> = self
            .cpus
            .queued
            .iter()
            .filter_map(|thread| self.task_of(*thread))
            .collect();
        self.starving_since.resize(self.cpus.curr.len(), None);
        for cpu in 0..self.cpus.curr.len() {
            let starving = self.cpus.running(cpu).is_none()
                && waiting.iter().any(|task| self.may_run(*task, cpu));
            let since = &mut self.starving_since[cpu];
            *since = starving.then(|| since.unwrap_or(self.now_ns));
        }
    }
}

/// Index of the first task with a metric, else of the first task.
pub fn followed(table: &ThreadTable) -> usize {
    table
        .tasks
        .iter()
        .position(|task| task.metric.is_some())
        .unwrap_or(0)
}

impl Columns {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.time_ns.len()
    }

    /// Whether no sample has ended yet.
    pub fn is_empty(&self) -> bool {
        self.time_ns.is_empty()
    }

    fn push(&mut self, row: &[f64], placed: usize) {
        let (head, rest) = row.split_at(3);
        let (threads, progress) = rest.split_at(placed);
        self.time_ns.push(head[0]);
        self.idle_while_waiting.push(head[1]);
        self.migrations.push(head[2]);
        for (column, value) in self.node_threads.iter_mut().zip(threads) {
            column.push(*value);
        }
        for (column, value) in self.progress.iter_mut().zip(progress) {
            column.push(*value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::{Machine, Tasks, Workload};
    use teeter_sim::{TaskInfo, ThreadInfo};

    const IDLE: u32 = teeter_sim::IDLE;

    fn recording(affinity: Option<&str>) -> Recording {
        let mut tasks = Tasks::new("lu", Workload::Hog);
        tasks.affinity = affinity.map(|list| list.parse().unwrap());
        let scenario = Scenario::new(Machine::preset("laptop"), vec![tasks]);
        let table = ThreadTable {
            threads: (0..3).map(|index| ThreadInfo { task: 0, index }).collect(),
            tasks: vec![TaskInfo {
                name: "lu".to_owned(),
                cgroup: 0,
                threads: 3,
                metric: None,
                labels: Vec::new(),
            }],
            cgroups: vec!["/".to_owned()],
        };
        Recording::new(
            Loaded {
                table,
                nodes: 2,
                ..Loaded::default()
            },
            &scenario,
        )
    }

    fn crowded(now_ns: f64) -> Frame {
        Frame {
            now_ns,
            cpus: CpuStates {
                curr: vec![0, IDLE],
                queued: vec![1, 2],
                queued_start: vec![0, 2, 2],
                ..CpuStates::default()
            },
            ..Frame::default()
        }
    }

    #[test]
    fn rows_become_columns() {
        let mut recording = recording(None);
        recording.take(
            Frame {
                rows: vec![1e7, 0.5, 3.0, 2.0, 1.0, 70.0],
                ..crowded(1e7)
            },
            0.0,
        );
        recording.take(
            Frame {
                rows: vec![2e7, 0.0, 0.0, 1.5, 1.5, 80.0],
                ..crowded(2e7)
            },
            0.0,
        );
        assert_eq!(recording.series.time_ns, [1e7, 2e7]);
        assert_eq!(recording.series.node_threads, [[2.0, 1.5], [1.0, 1.5]]);
        assert_eq!(recording.series.progress, [[70.0, 80.0]]);
        assert_eq!(recording.series.migrations, [3.0, 0.0]);
    }

    #[test]
    fn idling_is_harm_only_when_it_lasts() {
        let mut recording = recording(None);
        recording.take(crowded(1e6), 0.0);
        assert!(!recording.is_starving(1));
        recording.take(crowded(20e6), 0.0);
        assert!(recording.is_starving(1) && !recording.is_starving(0));
        let calm = Frame {
            cpus: CpuStates {
                queued: vec![],
                queued_start: vec![0; 3],
                ..crowded(0.0).cpus
            },
            ..crowded(30e6)
        };
        recording.take(calm, 0.0);
        assert!(!recording.is_starving(1));
    }

    #[test]
    fn a_cpu_does_not_starve_for_tasks_bound_elsewhere() {
        let mut recording = recording(Some("0"));
        recording.take(crowded(1e6), 0.0);
        recording.take(crowded(90e6), 0.0);
        assert!(!recording.is_starving(1));
    }

    #[test]
    fn a_moment_takes_the_place_of_the_latest_one_for_a_while() {
        let mut recording = recording(None);
        recording.take(crowded(50e6), 0.0);
        let past = Moment {
            at_ns: 20e6,
            cpus: CpuStates {
                curr: vec![IDLE, 2],
                queued: vec![1],
                queued_start: vec![0, 0, 1],
                ..CpuStates::default()
            },
            ..Moment::default()
        };
        recording.show(past.clone());
        assert!(recording.is_starving(0) && !recording.is_starving(1));
        recording.take(crowded(60e6), 0.0);
        assert_eq!((recording.now_ns, recording.reached_ns), (20e6, 60e6));
        assert_eq!(recording.cpus, past.cpus);
        recording.show_latest();
        assert_eq!((recording.now_ns, recording.cpus.curr[0]), (60e6, 0));
    }

    #[test]
    fn arcs_fade_and_are_bounded() {
        let mut recording = recording(None);
        let many = [0, 0, 1, 2].repeat(100);
        recording.take(
            Frame {
                migrations: many,
                ..crowded(1e6)
            },
            5.0,
        );
        assert_eq!(recording.arcs.len(), ARCS);
        recording.fade(5.0 + ARC_MS);
        assert_eq!(recording.arcs.len(), ARCS);
        recording.fade(6.0 + ARC_MS);
        assert!(recording.arcs.is_empty());
    }

    #[test]
    fn threads_are_counted_and_named() {
        let mut recording = recording(None);
        recording.take(crowded(1e6), 0.0);
        assert_eq!(recording.threads_on(0..2), [3]);
        assert_eq!(recording.threads_on(1..2), [0]);
        assert_eq!(recording.thread_name(2), "lu.2");
        assert_eq!(recording.thread_name(99), "thread 99");
    }
}
