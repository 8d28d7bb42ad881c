//! Small scenarios.

#![expect(
    clippy::unwrap_used,
    reason = "these scenarios are sound, or the test fails"
)]

use teeter_scenario::Nanos;
use teeter_scenario::document::{Machine, MachineSource, Scenario, Tasks, Workload};
use teeter_sim::{RunResult, Simulation};

pub(crate) const MS: u64 = 1_000_000;

/// A machine of hwloc synthetic words that runs these tasks for some milliseconds.
pub(crate) fn scenario(synthetic: &str, tasks: Vec<Tasks>, millis: u64) -> Scenario {
    let mut scenario = Scenario::new(machine(synthetic), tasks);
    scenario.run.duration = Nanos::from_millis(millis);
    scenario
}

fn machine(synthetic: &str) -> Machine {
    let mut machine = Machine::preset("laptop");
    machine.source = MachineSource::Synthetic(synthetic.to_owned());
    machine
}

/// So many threads of a workload.
pub(crate) fn threads(name: &str, workload: Workload, threads: u32) -> Tasks {
    Tasks {
        threads,
        ..Tasks::new(name, workload)
    }
}

/// A simulation that must be possible.
pub(crate) fn simulation(scenario: &Scenario) -> Simulation {
    Simulation::new(scenario, 0, 0).unwrap()
}

/// The result of the whole run.
pub(crate) fn result(scenario: &Scenario) -> RunResult {
    let mut simulation = simulation(scenario);
    simulation.run_until(simulation.end());
    assert!(simulation.finished());
    simulation.result()
}

/// Whether two numbers are within a part of each other.
#[track_caller]
pub(crate) fn assert_near(value: f64, expected: f64, tolerance: f64) {
    assert!(
        (value - expected).abs() <= tolerance,
        "{value} is not {expected} ± {tolerance}"
    );
}
