//! What is known of the load of a task that moves.

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;
use teeter_scenario::document::Kernel;
use teeter_sched::{GroupId, Rules};

use crate::driver::Driver;

#[test]
fn a_task_woken_away_from_an_idle_cpu_is_aged_to_now() {
    let util_after_sleep = |kernel: &str, rule: bool| {
        let mut kernel = Kernel::new(kernel);
        kernel
            .rules
            .insert("load.ages_movers".to_owned(), rule.into());
        let mut driver = Driver::with(&kernel, "core:2 pu:1");
        let task = driver.task_with(GroupId::ROOT, 0, CpuSet::of(CpuId(0)));
        driver.fork(0, task);
        driver.run(Nanos::from_secs(1));
        driver.block(CpuId(0));
        driver.run(Nanos::from_millis(64));
        let other = CpuSet::of(CpuId(1));
        driver
            .sched
            .set_affinity(driver.now, CpuId(1), task, &other);
        driver.wake(CpuId(1), task);
        driver.sched.cpu_util(CpuId(1))
    };
    // Half is left after 32 periods of 1024 us: of 1024, after the 62.5 of 64 ms, 264; the window that has only begun
    // is worth 2 %.
    let stale = util_after_sleep("v6.1", false);
    assert!((1000..=1024).contains(&stale), "{stale}");
    let aged = util_after_sleep("v6.1", true);
    assert!((258..=273).contains(&aged), "{aged}");
    let built = |kernel: &str| {
        Rules::from_kernel(&Kernel::new(kernel))
            .expect("the tests' kernels exist")
            .load
            .ages_movers
    };
    assert_eq!(["v5.18", "v6.1", "v6.17"].map(built), [false, true, true]);
}
