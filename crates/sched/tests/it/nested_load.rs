//! What load balancing knows of tasks in groups: under v4.11 a task that wakes beside another of its group adds
//! nothing to the load of its CPU at once, as it would outside groups; the postings of 2017 repair that.

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;
use teeter_sched::{GroupId, TaskId};

use crate::driver::Driver;

/// How deep the tasks' group lies: 0 is the root.
fn group(driver: &mut Driver, depth: usize, weight: u32) -> GroupId {
    (0..depth).fold(GroupId::ROOT, |above, _| {
        driver.sched.add_group(above, weight)
    })
}

/// Loads of a CPU before and after a second task wakes beside one that runs, and once it sleeps again. Each
/// other CPU runs two tasks of the group all the time.
fn loads(kernel: &str, depth: usize, weight: u32) -> [u64; 3] {
    let mut driver = Driver::new(kernel, "node:1 l3:1 core:8 pu:1");
    let group = group(&mut driver, depth, weight);
    let tasks: Vec<TaskId> = (0..2)
        .map(|_| {
            let task = driver.task_with(group, 0, CpuSet::of(CpuId(0)));
            driver.fork(0, task);
            task
        })
        .collect();
    for cpu in (1..8).flat_map(|cpu| [cpu; 2]) {
        let task = driver.task_with(group, 0, CpuSet::of(CpuId(cpu)));
        driver.fork(cpu, task);
    }
    driver.run(Nanos(300_000_000));
    let asleep = driver.sched.curr(CpuId(0)).expect("tasks are forked there");
    driver.block(CpuId(0));
    driver.run(Nanos(8_000_000));
    let mut loads = [driver.sched.balance_load(CpuId(0)); 3];
    driver.wake(CpuId(1), asleep);
    loads[1] = driver.sched.balance_load(CpuId(0));
    assert!(tasks.contains(&asleep) && driver.sched.is_runnable(asleep));
    while driver.sched.curr(CpuId(0)) != Some(asleep) {
        driver.run(Nanos(4_000_000));
    }
    driver.block(CpuId(0));
    loads[2] = driver.sched.balance_load(CpuId(0));
    loads
}

#[test]
fn outside_groups_a_woken_task_counts_at_once() {
    for kernel in ["v4.11", "v4.11+propagate", "v4.11+propagate-v2", "v5.3"] {
        let [before, after, _] = loads(kernel, 0, 100);
        assert!(after > before + before / 2, "{kernel}: {before} to {after}");
    }
}

#[test]
fn in_a_group_of_v4_11_it_does_not() {
    for depth in [1, 2, 3] {
        let [before, after, _] = loads("v4.11", depth, 10_000);
        assert_eq!(before, after, "depth {depth}");
    }
}

#[test]
fn the_postings_count_it_at_any_depth() {
    for kernel in [
        "v4.11+propagate",
        "v4.11+propagate+unaged",
        "v4.11+propagate-v2",
    ] {
        for depth in [1, 2, 3] {
            let [before, after, asleep] = loads(kernel, depth, 10_000);
            assert!(
                2 * after > 3 * before,
                "{kernel}, depth {depth}: {before} to {after}"
            );
            assert!(
                4 * asleep < 3 * after,
                "{kernel}, depth {depth}: {after} to {asleep}"
            );
        }
    }
}

#[test]
fn the_withdrawn_patch_changes_hardly_anything() {
    // As its author says of it: what comes from below is what ageing would have come to.
    for depth in [1, 2, 3] {
        let aged = loads("v4.11+propagate", depth, 10_000);
        let unaged = loads("v4.11+propagate+unaged", depth, 10_000);
        for (aged, unaged) in aged.into_iter().zip(unaged) {
            assert!(
                aged.abs_diff(unaged) <= aged / 10,
                "depth {depth}: {aged}, unaged {unaged}"
            );
        }
    }
}
