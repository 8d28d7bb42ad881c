//! CPUs that go and come, and partitions: who runs where, and who is balanced with whom.

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;
use teeter_scenario::document::Partition;
use teeter_sched::{GroupId, kernels};

use crate::driver::Driver;

const MACHINE: &str = "node:2 l3:1 core:4 pu:1";

fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

fn cpus(list: &[u16]) -> CpuSet {
    list.iter().copied().map(CpuId).collect()
}

/// Forks so many tasks from CPU 0, 5 ms apart.
fn fork(driver: &mut Driver, group: GroupId, tasks: usize) {
    for _ in 0..tasks {
        let task = driver.task(group);
        driver.fork(0, task);
        driver.run(ms(5));
    }
}

#[test]
fn tasks_leave_a_cpu_that_is_switched_off_and_come_back() {
    for info in kernels() {
        let mut driver = Driver::new(info.name, MACHINE);
        fork(&mut driver, GroupId::ROOT, 16);
        driver.run(ms(500));
        driver.sched.set_offline(driver.now, &cpus(&[2, 5]));
        driver.settle();
        driver.sched.check().unwrap();
        driver.run(ms(2000));
        let running = driver.nr_running();
        assert_eq!(
            (running[2], running[5]),
            (0, 0),
            "{}: {running:?}",
            info.name
        );
        assert_eq!(running.iter().sum::<u32>(), 16);
        let others = [0, 1, 3, 4, 6, 7].map(|cpu| running[cpu]);
        assert!(
            others.iter().all(|&nr| nr >= 2),
            "{}: {running:?}",
            info.name
        );
        driver.sched.set_online(driver.now, &cpus(&[2, 5]));
        driver.settle();
        driver.run(ms(3000));
        let running = driver.nr_running();
        assert!(
            running[2] > 0 && running[5] > 0,
            "{}: {running:?}",
            info.name
        );
    }
}

#[test]
fn a_task_bound_to_a_cpu_that_goes_is_bound_no_more() {
    for info in kernels() {
        let mut driver = Driver::new(info.name, MACHINE);
        let task = driver.task_with(GroupId::ROOT, 0, cpus(&[6]));
        driver.fork(6, task);
        driver.run(ms(20));
        driver.sched.set_offline(driver.now, &cpus(&[6]));
        driver.settle();
        // The first CPU of its node.
        assert_eq!(driver.sched.task_cpu(task), CpuId(4), "{}", info.name);
        assert_eq!(driver.sched.affinity(task).len(), 7, "{}", info.name);
    }
}

/// wasted-missing-domains: a core of 64 is switched off and on again, then a job of 64 threads starts.
#[test]
fn wasted_missing_domains() {
    let nodes_after_replug = |kernel: &str| {
        let mut driver = Driver::new(kernel, "node:8 l3:1 core:8 pu:1");
        driver.sched.set_offline(driver.now, &cpus(&[9]));
        driver.sched.set_online(driver.now, &cpus(&[9]));
        driver.settle();
        fork(&mut driver, GroupId::ROOT, 64);
        driver.run(ms(3000));
        let running = driver.nr_running();
        running
            .chunks(8)
            .filter(|node| node.iter().any(|&nr| nr > 0))
            .count()
    };
    assert_eq!(nodes_after_replug("v4.11+missing-domains"), 1);
    assert_eq!(nodes_after_replug("v4.11"), 8);
}

#[test]
fn partitions_are_balanced_apart() {
    for info in kernels() {
        let old = info.name.starts_with("v4");
        let mut driver = Driver::new(info.name, MACHINE);
        let group = driver.sched.add_group(GroupId::ROOT, 100);
        let now = driver.now;
        driver.sched.set_group_cpus(now, group, Some(cpus(&[4, 5])));
        driver
            .sched
            .set_group_partition(now, group, Partition::Root);
        driver.settle();
        fork(&mut driver, GroupId::ROOT, 12);
        fork(&mut driver, group, 4);
        driver.run(ms(2000));
        let running = driver.nr_running();
        let inside = running[4] + running[5];
        if old {
            assert_eq!(inside.max(5), inside, "{}: {running:?}", info.name);
        } else {
            assert_eq!(
                (running[4], running[5]),
                (2, 2),
                "{}: {running:?}",
                info.name
            );
        }
        driver.sched.check().unwrap();
    }
}

#[test]
fn an_isolated_partition_is_not_balanced() {
    let spread = |kernel: &str| {
        let mut driver = Driver::new(kernel, MACHINE);
        let group = driver.sched.add_group(GroupId::ROOT, 100);
        let now = driver.now;
        driver.sched.set_group_cpus(now, group, Some(cpus(&[4, 5])));
        driver
            .sched
            .set_group_partition(now, group, Partition::Isolated);
        for _ in 0..4 {
            let task = driver.task(group);
            driver
                .sched
                .fork(driver.now, CpuId(4), task, Some(CpuId(4)));
            driver.settle();
        }
        driver.run(ms(1000));
        (driver.nr_running()[4], driver.nr_running()[5])
    };
    assert_eq!(spread("v6.1"), (4, 0));
    assert_eq!(spread("v6.12"), (4, 0));
    // Not known yet: a member, balanced as all.
    assert_eq!(spread("v5.18"), (2, 2));
}
