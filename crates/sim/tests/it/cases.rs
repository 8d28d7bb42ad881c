//! Reports of what went wrong with cgroups, each as a scenario under kernels that have the fault and others.
//! The names are those of the collection of cases.

#![expect(
    clippy::unwrap_used,
    reason = "the presets are sound, or the test fails"
)]

mod idle;
mod limits;
mod pairs;
mod shares;

use std::collections::BTreeMap;

use teeter_scenario::document::{Cgroup, Kernel, Scenario, Tasks, Workload};
use teeter_scenario::{Nanos, presets};
use teeter_sim::{RunResult, Simulation};

use crate::bench::{result, threads};

/// Threads of a workload in a cgroup of the same name.
fn within(name: &str, workload: Workload, count: u32) -> Tasks {
    Tasks {
        cgroup: format!("/{name}"),
        ..threads(name, workload, count)
    }
}

/// A cgroup of a weight.
fn weighing(name: &str, weight: u32) -> Cgroup {
    Cgroup {
        weight,
        ..Cgroup::new(format!("/{name}"))
    }
}

/// What a scenario comes to under a kernel.
fn under(scenario: &Scenario, kernel: &str) -> RunResult {
    let mut scenario = scenario.clone();
    scenario.kernels = vec![Kernel::new(kernel)];
    result(&scenario)
}

/// What a preset comes to in a repeat of each of its kernels, by their names.
fn preset(name: &str, repeat: u32) -> BTreeMap<String, RunResult> {
    let scenario = presets::get(name).unwrap();
    let run = |kernel| {
        let mut simulation = Simulation::new(&scenario, kernel, repeat).unwrap();
        simulation.run_until(simulation.end());
        (scenario.kernels[kernel].base.clone(), simulation.result())
    };
    (0..scenario.kernels.len()).map(run).collect()
}

/// How many CPUs a task used on average from the warm-up on.
fn cpus_of(result: &RunResult, scenario: &Scenario, task: usize) -> f64 {
    let Nanos(window) = Nanos(scenario.run.duration.0 - scenario.run.warmup.0);
    result.tasks[task].cpu_ns as f64 / window as f64
}
