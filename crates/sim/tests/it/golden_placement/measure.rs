//! Running a scenario and taking the same numbers as were measured.

use std::ops::Range;

use teeter_machine::Topology;
use teeter_scenario::Nanos;
use teeter_scenario::document::Scenario;
use teeter_sim::{IDLE, Simulation};

use super::record::{Case, Measured};
use super::scenario::{lead_ms, measured};

/// When tasks of a release are freed, ms.
const RELEASE_MS: f64 = 1000.0;

/// Falling order.
pub(super) fn sorted(mut means: Vec<f64>) -> Vec<f64> {
    means.sort_by(|a, b| b.total_cmp(a));
    means
}

/// Runs it and follows every task from CPU to CPU.
pub(super) fn measure(case: &Case, scenario: &Scenario, repeat: u32) -> Measured {
    let topology = Topology::from_spec(&scenario.machine).unwrap();
    let lead_ms = lead_ms(repeat);
    let mut simulation = Simulation::new(scenario, 0, repeat).unwrap();
    let mut follower = Follower::new(
        case,
        simulation.threads().threads.len(),
        topology.cpus.len(),
    );
    simulation.run_until(Nanos::from_millis(lead_ms));
    simulation.take_migrations();
    let since_start = |time: Nanos| Nanos(time.0 - Nanos::from_millis(lead_ms).0);
    for ms in 1..=case.warmup_ms + case.window_ms {
        simulation.run_until(Nanos::from_millis(lead_ms + ms));
        for mark in simulation.take_migrations() {
            follower.moved(since_start(mark.time), mark.task as usize, mark.to.index());
        }
        let snapshot = simulation.snapshot();
        for (cpu, &curr) in snapshot.curr.iter().enumerate() {
            let queued = snapshot.queued_start[cpu]..snapshot.queued_start[cpu + 1];
            let waiting = &snapshot.queued[queued.start as usize..queued.end as usize];
            for &task in waiting.iter().chain([&curr]).filter(|&&task| task != IDLE) {
                follower.seen(since_start(simulation.now()), task as usize, cpu);
            }
        }
    }
    follower.finish(since_start(simulation.now()), &topology)
}

/// Where each task is, and for how long how many were on each CPU.
struct Follower {
    /// The tasks that count.
    tasks: Range<usize>,
    place: Vec<Option<usize>>,
    on: Vec<u32>,
    /// ms times tasks, after warm-up.
    area: Vec<f64>,
    last_ms: f64,
    warmup_ms: f64,
    window_ms: f64,
    migrations: u64,
    most: Option<u32>,
    balanced_ms: Option<f64>,
}

impl Follower {
    fn new(case: &Case, tasks: usize, cpus: usize) -> Self {
        Self {
            tasks: measured(case),
            place: vec![None; tasks],
            on: vec![0; cpus],
            area: vec![0.0; cpus],
            last_ms: 0.0,
            warmup_ms: case.warmup_ms as f64,
            window_ms: case.window_ms as f64,
            migrations: 0,
            most: case.most,
            balanced_ms: None,
        }
    }

    fn moved(&mut self, now: Nanos, task: usize, to: usize) {
        let is_release = self.most.is_some();
        let counts = self.place[task].is_some() && self.tasks.contains(&task);
        if counts && (!is_release || now.0 as f64 / 1e6 >= RELEASE_MS) {
            self.migrations += 1;
        }
        self.seen(now, task, to);
    }

    fn seen(&mut self, now: Nanos, task: usize, cpu: usize) {
        if !self.tasks.contains(&task) || self.place[task] == Some(cpu) {
            return;
        }
        self.pass(now);
        if let Some(left) = self.place[task].replace(cpu) {
            self.on[left] -= 1;
        }
        self.on[cpu] += 1;
        let since_release = now.0 as f64 / 1e6 - RELEASE_MS;
        let spread = self
            .most
            .is_some_and(|most| self.on.iter().all(|&on| on <= most));
        if spread && since_release >= 0.0 && self.balanced_ms.is_none() {
            self.balanced_ms = Some(since_release);
        }
    }

    /// Lets time pass.
    fn pass(&mut self, now: Nanos) {
        let now_ms = now.0 as f64 / 1e6;
        let span = now_ms - self.last_ms.max(self.warmup_ms);
        if span > 0.0 {
            for (area, &on) in self.area.iter_mut().zip(&self.on) {
                *area += span * f64::from(on);
            }
        }
        self.last_ms = now_ms;
    }

    fn finish(mut self, now: Nanos, topology: &Topology) -> Measured {
        self.pass(now);
        let cpus: Vec<f64> = self.area.iter().map(|area| area / self.window_ms).collect();
        let node = |cpus_of: &teeter_machine::CpuSet| {
            cpus_of.iter().map(|cpu| cpus[cpu.index()]).sum::<f64>()
        };
        Measured {
            nodes: sorted(topology.nodes.iter().map(node).collect()),
            cpus: sorted(cpus.clone()),
            migrations: self.migrations,
            balanced_ms: self.balanced_ms,
        }
    }
}
