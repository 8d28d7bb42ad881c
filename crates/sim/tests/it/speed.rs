//! What hardware does to progress.

#![expect(
    clippy::unwrap_used,
    reason = "these scenarios are sound, or the test fails"
)]

use teeter_scenario::document::workload::NpbLu;
use teeter_scenario::document::{Fork, Until, Workload};

use crate::bench::{assert_near, result, scenario, threads};

/// Rate of LU on one thread placed on CPU 0, perhaps with a hog on CPU 1.
fn lu_rate(synthetic: &str, with_hog: bool) -> f64 {
    let pinned = |name: &str, workload: Workload, cpus: &str| {
        let mut tasks = threads(name, workload, 1);
        tasks.fork = Fork::On(cpus.parse().unwrap());
        tasks.affinity = Some(cpus.parse().unwrap());
        tasks
    };
    let lu = NpbLu {
        steps: Some(2),
        ..NpbLu::default()
    };
    let mut tasks = vec![pinned("lu", Workload::NpbLu(lu), "0")];
    if with_hog {
        tasks.push(pinned("hog", Workload::Hog, "1"));
    }
    let mut scenario = scenario(synthetic, tasks, 600_000);
    scenario.run.until = Until::Done;
    result(&scenario).tasks[0].metric.as_ref().unwrap().value
}

#[test]
fn a_busy_sibling_takes_its_part_of_the_core() {
    let alone = lu_rate("node:1 core:1 pu:2", false);
    let other_core = lu_rate("node:1 core:2 pu:1", true);
    let sibling = lu_rate("node:1 core:1 pu:2", true);
    assert_near(other_core / alone, 1.0, 1e-3);
    // Two threads together do 1.24 times the work of one.
    assert_near(sibling / alone, 0.62, 0.01);
}
