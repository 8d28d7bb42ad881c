//! Where always-running tasks come to rest.

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;
use teeter_sched::{GroupId, kernels};

use crate::driver::Driver;

#[test]
fn as_many_hogs_as_cpus_take_one_each() {
    for kernel in kernels().iter().map(|info| info.name) {
        for machine in ["node:1 l3:1 core:8 pu:1", "node:2 l3:1 core:4 pu:1"] {
            let mut driver = Driver::new(kernel, machine);
            for _ in 0..8 {
                let task = driver.task(GroupId::ROOT);
                driver.fork(0, task);
            }
            driver.run(Nanos(2_000_000_000));
            assert_eq!(driver.nr_running(), vec![1; 8], "{kernel} {machine}");
        }
    }
}

#[test]
fn hogs_freed_from_one_cpu_spread_over_the_machine() {
    for kernel in kernels().iter().map(|info| info.name) {
        let mut driver = Driver::new(kernel, "node:2 l3:1 core:4 pu:1");
        for _ in 0..8 {
            let task = driver.task(GroupId::ROOT);
            driver
                .sched
                .fork(driver.now, CpuId(0), task, Some(CpuId(0)));
            driver.settle();
        }
        driver.run(Nanos(4_000_000_000));
        assert_eq!(driver.nr_running(), vec![1; 8], "{kernel}");
    }
}

#[test]
fn nothing_runs_outside_its_affinity() {
    let mut driver = Driver::new("v5.5", "node:2 l3:1 core:4 pu:1");
    let allowed: CpuSet = [CpuId(1), CpuId(6)].into_iter().collect();
    for _ in 0..6 {
        let task = driver.task_with(GroupId::ROOT, 0, allowed);
        driver.fork(0, task);
    }
    driver.run(Nanos(2_000_000_000));
    let nr_running = driver.nr_running();
    assert_eq!(nr_running.iter().sum::<u32>(), 6);
    assert_eq!(nr_running[1] + nr_running[6], 6, "{nr_running:?}");
}
