//! What is seen of a simulation: snapshot, result, digest.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use teeter_scenario::Nanos;
use teeter_sched::Cause;
use teeter_workload::{Measure, Metric};

use super::Simulation;
use crate::result::{
    BalanceCounts, Better, CgroupResult, CpuResult, Latency, MetricResult, MigrationCounts,
    NumaCounts, RunResult, TaskResult,
};
use crate::snapshot::{IDLE, Snapshot};
use crate::stats::Totals;
use crate::task::TaskRun;

impl Simulation {
    /// The machine at this moment.
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot {
            now: self.now(),
            queued_start: vec![0],
            ..Snapshot::default()
        };
        for (cpu, state) in self.hardware.topology.cpu_ids().zip(&self.cpus) {
            let curr = state.running.unwrap_or(IDLE);
            let waiting = self
                .sched
                .queued(cpu)
                .map(|task| task.0)
                .filter(|&task| task != curr);
            snapshot.curr.push(curr);
            snapshot.queued.extend(waiting);
            snapshot.queued_start.push(snapshot.queued.len() as u32);
            snapshot.load.push(narrow(self.sched.cpu_load(cpu)));
            snapshot.util.push(narrow(self.sched.cpu_util(cpu)));
            let polls = |thread: u32| self.threads[thread as usize].phase.polls();
            snapshot
                .spinning
                .push(state.running.is_some_and(polls).into());
        }
        snapshot
    }

    /// What went wrong with rules of the user's own, in words.
    pub fn diagnostics(&self) -> Vec<String> {
        let traps = self.sched.own_traps();
        traps
            .map(|trap| {
                format!(
                    "rule `{}`: {}; had no result {} times, and the kernel's rule applied",
                    trap.point.name(),
                    trap.first,
                    trap.count
                )
            })
            .collect()
    }

    /// A hash of all switches and migrations so far, with their times, and of the counts at this
    /// moment. Equal scenarios give equal digests on every platform.
    pub fn digest(&self) -> u64 {
        let mut digest = self.digest;
        digest.word(self.now);
        digest.word(self.switches);
        digest.word(self.wakeups);
        for task in &self.tasks {
            digest.word(task.progress);
            task.migrations.iter().for_each(|&count| digest.word(count));
        }
        let totals = self.stats.totals(self.now);
        totals
            .run
            .iter()
            .chain(&totals.wait)
            .for_each(|&time| digest.word(time));
        digest.finish()
    }

    /// What came out, so far or at the end.
    pub fn result(&self) -> RunResult {
        let window = self.now - self.measured_from;
        let totals = self.stats.totals(self.now).since(&self.before);
        let tasks = (0..).zip(&self.tasks);
        RunResult {
            kernel: self.kernel.clone(),
            seed: self.seed,
            digest: format!("{:016x}", self.digest()),
            events: self.events,
            elapsed_ns: self.now,
            tasks: tasks
                .map(|(index, task)| self.task_result(index, task, &totals))
                .collect(),
            cpus: self.cpu_result(&totals),
            cgroups: self.cgroups(),
            idle_while_waiting: mean(totals.wasted, window),
            numa: self.numa(),
            balance: self.balance(),
            switches: self.switches,
            wakeups: self.wakeups,
            diagnostics: self.diagnostics(),
        }
    }

    fn task_result(&self, index: usize, task: &TaskRun, totals: &Totals) -> TaskResult {
        let window = self.now - self.measured_from;
        let threads = task.threads.start as usize..task.threads.end as usize;
        let share = |thread: usize| {
            let state = &self.threads[thread];
            let (from, to) = (
                state.started.max(self.measured_from),
                state.ended.min(self.now),
            );
            mean(totals.run[thread], to.saturating_sub(from))
        };
        let means = |integrals: &[u64], places: usize| {
            let own = &integrals[index * places..(index + 1) * places];
            own.iter().map(|&integral| mean(integral, window)).collect()
        };
        TaskResult {
            name: self.table.tasks[index].name.clone(),
            threads: task.len(),
            metric: self.metric(task),
            done_ns: task.done,
            cpu_ns: totals.run[threads.clone()].iter().sum(),
            system_ns: self.system_time(threads.clone()),
            wait_ns: totals.wait[threads.clone()].iter().sum(),
            latency_us: task.latency().map(latency),
            latencies_us: task
                .latencies
                .iter()
                .filter_map(|(name, latencies)| Some((name.clone(), latency(latencies.get()?))))
                .collect(),
            mean_on_node: means(&totals.on_node, self.hardware.topology.nodes.len()),
            mean_on_cpu: means(&totals.on_cpu, self.cpus.len()),
            cpu_share: threads.map(share).collect(),
            migrations: migrations(&task.migrations),
        }
    }

    /// Time that NUMA balancing has cost threads of a task in the kernel, from time 0 on.
    fn system_time(&self, threads: std::ops::Range<usize>) -> u64 {
        let walks = self.threads[threads]
            .iter()
            .filter_map(|thread| thread.walk.as_deref());
        walks.map(|walk| walk.system).sum()
    }

    /// What the workload reports.
    fn metric(&self, task: &TaskRun) -> Option<MetricResult> {
        let metric = task.metric.as_ref()?;
        let (name, value) = match metric.measure {
            Measure::Rate => (metric.name.to_owned(), self.rate(task, metric)),
            Measure::Seconds { counts } => ("s".to_owned(), self.seconds(task, counts)),
            Measure::Percentile { latency, percent } => {
                let (name, latencies) = task.latencies.get(latency as usize)?;
                let nanos = latencies.get().map_or(0, |histogram| {
                    histogram.value_at_quantile(f64::from(percent) / 100.0)
                });
                (format!("{name} p{percent} µs"), nanos as f64 / 1000.0)
            }
        };
        let better = if metric.higher_is_better {
            Better::Higher
        } else {
            Better::Lower
        };
        Some(MetricResult {
            name,
            value,
            better,
        })
    }

    /// Progress per second, from the start of the task or of the statistics to its end or now.
    fn rate(&self, task: &TaskRun, metric: &Metric) -> f64 {
        let from = task.start.max(self.measured_from);
        let passed = task.done.unwrap_or(self.now).saturating_sub(from);
        let units = (task.progress - task.progress_before) as f64 / metric.per_unit.max(1) as f64;
        if passed == 0 {
            0.0
        } else {
            units / Nanos(passed).as_secs_f64()
        }
    }

    /// Time from the start of the benchmark's clock to its end; if that has not come, what the progress so
    /// far makes of all the work.
    fn seconds(&self, task: &TaskRun, counts: u64) -> f64 {
        let from = task.clock.unwrap_or(task.start);
        let passed = task.done.unwrap_or(self.now).saturating_sub(from);
        let seconds = Nanos(passed).as_secs_f64();
        match task.done {
            Some(_) => seconds,
            None => seconds * counts as f64 / task.progress.max(1) as f64,
        }
    }

    fn cgroups(&self) -> Vec<CgroupResult> {
        let of = |path: &String| {
            let group = *self.groups.get(path)?;
            let stats = self.sched.bandwidth_stats(group);
            Some(CgroupResult {
                path: path.clone(),
                nr_periods: stats.nr_periods,
                nr_throttled: stats.nr_throttled,
                throttled_ns: stats.throttled_time.0,
            })
        };
        self.table.cgroups.iter().filter_map(of).collect()
    }

    fn cpu_result(&self, totals: &Totals) -> CpuResult {
        let window = self.now - self.measured_from;
        let mut nr_running = vec![0; self.cpus.len()];
        for of_task in totals.on_cpu.chunks(self.cpus.len()) {
            for (sum, integral) in nr_running.iter_mut().zip(of_task) {
                *sum += integral;
            }
        }
        let means = |totals: &[u64]| totals.iter().map(|&total| mean(total, window)).collect();
        let busy: Vec<f64> = means(&totals.busy);
        CpuResult {
            node_busy: self.node_busy(&busy),
            busy,
            nr_running: means(&nr_running),
        }
    }

    /// The mean over the CPUs of each node.
    fn node_busy(&self, busy: &[f64]) -> Vec<f64> {
        let topology = &self.hardware.topology;
        let mut nodes = vec![(0.0, 0_u32); topology.nodes.len()];
        for (cpu, busy) in topology.cpu_ids().zip(busy) {
            let (sum, cpus) = &mut nodes[topology.cpu(cpu).node.index()];
            *sum += busy;
            *cpus += 1;
        }
        let mean = |(sum, cpus): (f64, u32)| sum / f64::from(cpus.max(1));
        nodes.into_iter().map(mean).collect()
    }

    fn numa(&self) -> NumaCounts {
        let stats = self.sched.numa_stats();
        let pages = |of_4_kb| self.hardware.pages(of_4_kb);
        NumaCounts {
            pte_updates: pages(stats.pte_updates),
            hint_faults: pages(stats.hint_faults),
            hint_faults_local: pages(stats.hint_faults_local),
            pages_migrated: pages(stats.pages_migrated),
        }
    }

    fn balance(&self) -> BTreeMap<String, BalanceCounts> {
        let levels = self.sched.balance_stats().iter().map(|level| {
            let counts = BalanceCounts {
                count: level.count,
                balanced: level.balanced,
                failed: level.failed,
                moved: level.moved,
                active: level.active,
            };
            (level.name.to_owned(), counts)
        });
        levels.collect()
    }
}

/// An integral's mean over a span; 0 over none.
fn mean(integral: u64, span: u64) -> f64 {
    if span == 0 {
        0.0
    } else {
        integral as f64 / span as f64
    }
}

fn narrow(value: u64) -> u32 {
    value.try_into().unwrap_or(u32::MAX)
}

fn latency(histogram: &Histogram<u32>) -> Latency {
    let micros = |nanos: u64| nanos as f64 / 1000.0;
    let at = |quantile: f64| micros(histogram.value_at_quantile(quantile));
    Latency {
        p50: at(0.5),
        p75: at(0.75),
        p90: at(0.9),
        p95: at(0.95),
        p99: at(0.99),
        p99_5: at(0.995),
        p99_9: at(0.999),
        min: micros(histogram.min()),
        max: micros(histogram.max()),
        samples: histogram.len(),
    }
}

fn migrations(counts: &[u64; Cause::ALL.len()]) -> MigrationCounts {
    let of = |cause: Cause| counts[cause as usize];
    MigrationCounts {
        total: counts.iter().sum(),
        fork: of(Cause::Fork),
        wakeup: of(Cause::Wakeup),
        periodic: of(Cause::Periodic),
        newidle: of(Cause::Newidle),
        nohz: of(Cause::Nohz),
        active: of(Cause::Active),
        numa: of(Cause::Numa),
        affinity: of(Cause::Affinity),
    }
}
