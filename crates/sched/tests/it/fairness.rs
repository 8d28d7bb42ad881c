//! Shares of one CPU.

use teeter_machine::CpuSet;
use teeter_scenario::Nanos;
use teeter_sched::{GroupId, kernels};

use crate::driver::Driver;

/// Shares of the CPU after ten seconds, of all run time.
fn shares(driver: &mut Driver) -> Vec<f64> {
    driver.run(Nanos(10_000_000_000));
    let total: u64 = driver.ran.iter().sum();
    driver
        .ran
        .iter()
        .map(|&ran| ran as f64 / total as f64)
        .collect()
}

fn assert_near(got: &[f64], want: &[f64]) {
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() < 0.01, "{got:.4} against {want:.4}");
    }
}

#[test]
fn nice_levels_share_by_weight() {
    let mut driver = Driver::new("v5.3", "node:1 core:1 pu:1");
    for nice in [0, 5] {
        let task = driver.task_with(GroupId::ROOT, nice, CpuSet::first_n(1));
        driver.fork(0, task);
    }
    assert_near(&shares(&mut driver), &[1024.0 / 1359.0, 335.0 / 1359.0]);
}

#[test]
fn groups_share_by_weight_whatever_their_number_of_tasks() {
    for kernel in kernels().iter().map(|info| info.name) {
        let mut driver = Driver::new(kernel, "node:1 core:1 pu:1");
        let heavy = driver.sched.add_group(GroupId::ROOT, 300);
        let light = driver.sched.add_group(GroupId::ROOT, 100);
        for group in [heavy, light, light, light] {
            let task = driver.task(group);
            driver.fork(0, task);
        }
        assert_near(
            &shares(&mut driver),
            &[0.75, 0.25 / 3.0, 0.25 / 3.0, 0.25 / 3.0],
        );
    }
}

#[test]
fn nested_groups_multiply() {
    let mut driver = Driver::new("v5.5", "node:1 core:1 pu:1");
    let outer = driver.sched.add_group(GroupId::ROOT, 100);
    let inner = driver.sched.add_group(outer, 100);
    for group in [inner, outer, GroupId::ROOT] {
        let task = driver.task(group);
        driver.fork(0, task);
    }
    assert_near(&shares(&mut driver), &[0.25, 0.25, 0.5]);
}
