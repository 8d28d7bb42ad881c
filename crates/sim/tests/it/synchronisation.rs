//! Threads that wait for each other.

#![expect(
    clippy::unwrap_used,
    reason = "these scenarios are sound, or the test fails"
)]

use teeter_scenario::document::workload::NpbLu;
use teeter_scenario::document::{Fork, Until, Workload};

use crate::bench::{assert_near, result, scenario, threads};

fn lu_seconds(threads_of_lu: u32, synthetic: &str, cpus: &str) -> f64 {
    let lu = NpbLu {
        steps: Some(1),
        ..NpbLu::default()
    };
    let mut tasks = threads("lu", Workload::NpbLu(lu), threads_of_lu);
    tasks.fork = Fork::On(cpus.parse().unwrap());
    let mut scenario = scenario(synthetic, vec![tasks], 600_000);
    scenario.run.until = Until::Done;
    result(&scenario).tasks[0].done_ns.unwrap() as f64 / 1e9
}

#[test]
fn a_wavefront_spreads_its_work() {
    let one = lu_seconds(1, "node:1 core:4 pu:1", "0");
    let four = lu_seconds(4, "node:1 core:4 pu:1", "0-3");
    // Filling the pipeline costs three steps of 160 in each sweep.
    assert_near(one / four, 4.0, 0.15);
}

#[test]
fn waiting_threads_burn_the_cpu_they_share() {
    let own = lu_seconds(40, "node:1 core:40 pu:1", "0-39");
    let shared = lu_seconds(40, "node:1 core:20 pu:1", "0-19");
    // Two threads a CPU would cost a factor 2 if waiting were free. A wait ends in a fraction of a
    // slice, but the spinner keeps its CPU from the thread that others wait for.
    assert!(shared > 4.0 * own, "{shared} against {own}");
}
