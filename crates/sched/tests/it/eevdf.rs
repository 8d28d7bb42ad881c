//! What EEVDF does beyond shares: sleepers that stay queued, and short slices.

use teeter_machine::CpuId;
use teeter_scenario::Nanos;
use teeter_scenario::document::SettingValue;
use teeter_sched::{GroupId, TaskId};

use crate::driver::Driver;

const CPU: CpuId = CpuId(0);

/// Two tasks on one CPU, of which the running one has had more than its share when it goes to sleep.
fn sleeps_in_debt(kernel: &str, delay: bool) -> (Driver, TaskId) {
    let mut driver = Driver::new(kernel, "core:1 pu:1");
    if !delay {
        let off = SettingValue::Bool(false);
        let set = driver.sched.set("features.DELAY_DEQUEUE", &off);
        assert_eq!(set, Ok(()));
    }
    let (a, b) = (driver.task(GroupId::ROOT), driver.task(GroupId::ROOT));
    driver.fork(0, a);
    driver.fork(0, b);
    driver.now = Nanos(driver.now.0 + 3_000_000);
    driver.block(CPU);
    assert_eq!(driver.sched.curr(CPU), Some(b));
    (driver, a)
}

#[test]
fn a_sleeper_in_debt_stays_queued_from_v6_12_on() {
    for (kernel, delay, queued) in [
        ("v6.7", true, 1),
        ("v6.12", true, 2),
        ("v6.17", true, 2),
        ("v6.12", false, 1),
    ] {
        let (mut driver, sleeper) = sleeps_in_debt(kernel, delay);
        assert_eq!(driver.sched.nr_running(CPU), queued, "{kernel} {delay}");
        assert_eq!(driver.sched.queued(CPU).count(), 1);
        assert!(!driver.sched.is_runnable(sleeper));
        // It is dequeued when it would be its turn.
        driver.run(Nanos(20_000_000));
        assert_eq!(driver.sched.nr_running(CPU), 1, "{kernel} {delay}");
        assert_eq!(driver.sched.check(), Ok(()));
    }
}

#[test]
fn one_that_wakes_meanwhile_has_never_left() {
    let (mut driver, sleeper) = sleeps_in_debt("v6.12", true);
    driver.wake(CPU, sleeper);
    assert_eq!(driver.sched.queued(CPU).count(), 2);
    assert!(driver.sched.is_runnable(sleeper));
    assert_ne!(driver.sched.curr(CPU), Some(sleeper), "it still owes time");
    assert_eq!(driver.sched.check(), Ok(()));
}

/// Whether a task with this slice preempts another one in the middle of its slice when it wakes.
fn preempts(kernel: &str, slice: Option<Nanos>) -> bool {
    let mut driver = Driver::new(kernel, "core:1 pu:1");
    let (long, short) = (driver.task(GroupId::ROOT), driver.task(GroupId::ROOT));
    driver.fork(0, short);
    driver.sched.set_slice(driver.now, short, slice);
    driver.block(CPU);
    driver.fork(0, long);
    driver.now = Nanos(driver.now.0 + 100_000);
    driver.wake(CPU, short);
    driver.sched.curr(CPU) == Some(short)
}

#[test]
fn a_short_slice_preempts_from_v6_12_on() {
    let short = Some(Nanos(100_000));
    assert!(!preempts("v6.12", None));
    assert!(preempts("v6.12", short));
    assert!(preempts("v6.17", short));
    assert!(!preempts("v6.6", short));
}
