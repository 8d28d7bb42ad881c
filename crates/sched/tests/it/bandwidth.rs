//! Groups that may run for so long in each period.

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, SettingValue};
use teeter_sched::{GroupId, TaskId, kernels};

use crate::driver::Driver;

const MS: u64 = 1_000_000;

fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// A kernel of 1000 ticks a second.
fn driver(kernel: &str, machine: &str) -> Driver {
    let mut kernel = Kernel::new(kernel);
    kernel.set.insert("hz".to_owned(), SettingValue::Int(1000));
    Driver::with(&kernel, machine)
}

/// A group below another with a limit in ms.
fn limited(driver: &mut Driver, parent: GroupId, quota: u64, period: u64) -> GroupId {
    let group = driver.sched.add_group(parent, 100);
    let now = driver.now;
    driver
        .sched
        .set_group_bandwidth(now, group, Some(ms(quota)), ms(period), Nanos(0));
    group
}

/// A task that runs on one CPU only.
fn pinned(driver: &mut Driver, group: GroupId, cpu: u16) -> TaskId {
    let task = driver.task_with(group, 0, CpuSet::of(CpuId(cpu)));
    driver.fork(cpu, task);
    task
}

#[test]
fn a_limit_is_kept_over_many_periods() {
    for info in kernels() {
        for (cpus, quota, period) in [(1, 20, 100), (1, 3, 10), (2, 50, 100), (4, 150, 100)] {
            let mut driver = driver(info.name, "node:1 l3:1 core:4 pu:1");
            let group = limited(&mut driver, GroupId::ROOT, quota, period);
            for cpu in 0..cpus {
                pinned(&mut driver, group, cpu);
            }
            driver.run(Nanos::from_secs(3));
            let ran: u64 = driver.ran.iter().sum();
            let share = ran as f64 / driver.now.0 as f64;
            let due = quota as f64 / period as f64;
            // Overruns up to a tick are paid back in the next period.
            assert!(
                (share - due).abs() < 0.01 * due.max(1.0),
                "{}: {share} of {due} on {cpus}",
                info.name
            );
            driver.sched.check().unwrap();
            let stats = driver.sched.bandwidth_stats(group);
            assert!((stats.nr_throttled + 1) * period * MS >= driver.now.0);
        }
    }
}

#[test]
fn others_run_while_a_whole_subtree_waits() {
    for info in kernels() {
        let mut driver = driver(info.name, "node:1 l3:1 core:1 pu:1");
        let limited = limited(&mut driver, GroupId::ROOT, 10, 100);
        let below = driver.sched.add_group(limited, 100);
        let within = [
            pinned(&mut driver, below, 0),
            pinned(&mut driver, below, 0),
            pinned(&mut driver, limited, 0),
        ];
        let free = pinned(&mut driver, GroupId::ROOT, 0);
        driver.run(ms(95));
        let throttled = within.iter().all(|&task| driver.sched.is_throttled(task));
        assert!(
            throttled && !driver.sched.is_throttled(free),
            "{}",
            info.name
        );
        assert_eq!(driver.nr_running(), [1], "{}", info.name);
        assert_eq!(driver.sched.queued(CpuId(0)).count(), 4);
        // One that wakes up or comes there waits with the others.
        driver.sched.move_task(driver.now, free, below);
        driver.settle();
        driver.sched.check().unwrap();
        assert_eq!(driver.sched.curr(CpuId(0)), None, "{}", info.name);
        driver.run(ms(10));
        assert_eq!(driver.nr_running(), [4], "{}", info.name);
    }
}

#[test]
fn tasks_of_a_throttled_group_are_not_balanced() {
    for info in kernels() {
        let mut driver = driver(info.name, "node:1 l3:1 core:2 pu:1");
        let group = limited(&mut driver, GroupId::ROOT, 2, 1000);
        for _ in 0..4 {
            pinned(&mut driver, group, 0);
        }
        driver.run(ms(20));
        let both = CpuSet::first_n(2);
        for task in (0..4).map(TaskId) {
            driver.sched.set_affinity(driver.now, CpuId(0), task, &both);
            driver.settle();
        }
        let other = pinned(&mut driver, GroupId::ROOT, 0);
        driver.run(ms(500));
        let moved = (0..4).any(|task| driver.sched.task_cpu(TaskId(task)) != CpuId(0));
        assert!(!moved, "{}", info.name);
        assert_eq!(driver.sched.curr(CpuId(0)), Some(other));
    }
}

/// Which of two CPUs' tasks of a group are still throttled as its period timer, of CPU 0, has given run time out,
/// and when all that follows at once has been done.
fn throttled_after_the_timer(kernel: &str) -> ([bool; 2], [bool; 2]) {
    let mut driver = driver(kernel, "node:1 l3:1 core:2 pu:1");
    let group = limited(&mut driver, GroupId::ROOT, 4, 20);
    let tasks = [0, 1].map(|cpu| pinned(&mut driver, group, cpu));
    let throttled = |driver: &Driver| tasks.map(|task| driver.sched.is_throttled(task));
    while throttled(&driver) != [true; 2] {
        driver.run(ms(1));
    }
    let refilled = loop {
        let timer = driver.sched.next_timer().expect("the group has a limit");
        driver.now = driver.now.max(timer);
        driver.sched.run_timers(driver.now);
        let left = throttled(&driver);
        assert_eq!(driver.sched.check(), Ok(()), "{kernel}");
        if left != [true; 2] {
            break left;
        }
        driver.settle();
    };
    driver.settle();
    assert_eq!(driver.sched.check(), Ok(()), "{kernel}");
    (refilled, throttled(&driver))
}

#[test]
fn from_v6_3_other_cpus_put_back_what_they_had_throttled() {
    for kernel in ["v4.11", "v5.3", "v6.1"] {
        let at_once = throttled_after_the_timer(kernel);
        assert_eq!(at_once, ([false; 2], [false; 2]), "{kernel}");
    }
    for kernel in ["v6.5", "v6.6", "v6.12", "v6.17"] {
        let by_interrupt = throttled_after_the_timer(kernel);
        assert_eq!(by_interrupt, ([false, true], [false; 2]), "{kernel}");
    }
}

#[test]
fn a_limit_that_is_lifted_meanwhile_is_no_matter() {
    for lift in [true, false] {
        let mut driver = driver("v6.12", "node:1 l3:1 core:2 pu:1");
        let group = limited(&mut driver, GroupId::ROOT, 4, 20);
        let tasks = [0, 1].map(|cpu| pinned(&mut driver, group, cpu));
        while !tasks.iter().all(|&task| driver.sched.is_throttled(task)) {
            driver.run(ms(1));
        }
        while driver.sched.is_throttled(tasks[0]) {
            let timer = driver.sched.next_timer().expect("the group has a limit");
            driver.now = driver.now.max(timer);
            driver.sched.run_timers(driver.now);
        }
        assert!(driver.sched.is_throttled(tasks[1]));
        let now = driver.now;
        if lift {
            driver
                .sched
                .set_group_bandwidth(now, group, None, ms(20), Nanos(0));
        } else {
            driver.sched.set_offline(now, &CpuSet::of(CpuId(1)));
        }
        driver.settle();
        assert_eq!(driver.sched.check(), Ok(()));
        assert!(!driver.sched.is_throttled(tasks[1]));
        driver.run(ms(30));
        assert_eq!(driver.sched.check(), Ok(()));
    }
}

/// Run time of a group that rests for a period in between, in the period after, ms.
fn after_a_rest(kernel: &str, burst: u64) -> u64 {
    let mut driver = driver(kernel, "node:1 l3:1 core:2 pu:1");
    let group = limited(&mut driver, GroupId::ROOT, 20, 100);
    let (now, quota) = (driver.now, Some(ms(20)));
    driver
        .sched
        .set_group_bandwidth(now, group, quota, ms(100), ms(burst));
    let task = pinned(&mut driver, group, 0);
    driver.run(ms(10));
    driver.block(CpuId(0));
    driver.run(ms(191));
    driver.wake(CpuId(0), task);
    let before = driver.ran[0];
    driver.run(ms(90));
    (driver.ran[0] - before).div_ceil(MS)
}

#[test]
fn unused_quota_is_saved_up_where_there_is_burst() {
    // One slice of an idle queue is kept but for 1 ms, which is what the first period leaves.
    assert_eq!(after_a_rest("v5.11", 15), after_a_rest("v5.11", 0));
    let plain = after_a_rest("v5.18", 0);
    assert!((20..=22).contains(&plain), "{plain}");
    assert_eq!(after_a_rest("v5.18", 15), plain + 15);
}

/// Run time that a CPU still has of a slice drawn three periods ago, as the time its next burst of 4 ms
/// takes when the pool is empty, ms.
fn burst_on_an_old_slice(kernel: &str) -> u64 {
    let mut driver = driver(kernel, "node:1 l3:1 core:2 pu:1");
    let group = limited(&mut driver, GroupId::ROOT, 30, 100);
    let sleeper = pinned(&mut driver, group, 0);
    driver.run(ms(1));
    driver.block(CpuId(0));
    let _hog = pinned(&mut driver, group, 1);
    driver.run(ms(350));
    driver.wake(CpuId(0), sleeper);
    let before = (driver.ran[0], driver.now);
    while driver.ran[0] < before.0 + MS {
        driver.run(ms(1));
    }
    (driver.now.0 - before.1.0) / MS
}

#[test]
fn run_time_of_an_old_period_expires_or_is_kept() {
    // The 1 ms that an idle queue keeps is enough for 1 ms, unless it has expired.
    assert_eq!(burst_on_an_old_slice("v5.5"), 1);
    assert_eq!(burst_on_an_old_slice("v6.12"), 1);
    assert!(burst_on_an_old_slice("v5.3") > 40);
}

#[test]
fn a_task_that_leaves_a_throttled_group_ends_the_idling_of_its_cpu_or_not() {
    let runs_at_once = |mended: bool| {
        let mut kernel = Kernel::new("v6.17");
        let mended = mended.to_string().into();
        kernel
            .rules
            .insert("change.moved_task_preempts".to_owned(), mended);
        let mut driver = Driver::with(&kernel, "node:1 l3:1 core:1 pu:1");
        let group = limited(&mut driver, GroupId::ROOT, 1, 1000);
        let task = pinned(&mut driver, group, 0);
        driver.run(ms(100));
        assert_eq!(driver.sched.curr(CpuId(0)), None);
        driver.sched.move_task(driver.now, task, GroupId::ROOT);
        driver.settle();
        driver.sched.curr(CpuId(0)) == Some(task)
    };
    assert!(runs_at_once(true));
    assert!(!runs_at_once(false));
}

/// A group on one CPU that is throttled with a task that is ready and one that sleeps, but owes time and is
/// queued still.
fn throttled_over_a_sleeper(kernel: &str, machine: &str) -> (Driver, GroupId, TaskId) {
    let mut kernel = Kernel::new(kernel);
    kernel.set.insert("hz".to_owned(), SettingValue::Int(1000));
    // Without it, the CPU idles on over the sleeper when that leaves the group.
    let rule = "change.moved_task_preempts".to_owned();
    kernel.rules.insert(rule, "true".into());
    let mut driver = Driver::with(&kernel, machine);
    let group = limited(&mut driver, GroupId::ROOT, 2, 100);
    let (sleeper, ready) = (pinned(&mut driver, group, 0), pinned(&mut driver, group, 0));
    driver.now = Nanos(driver.now.0 + 1_900_000);
    driver.block(CpuId(0));
    assert_eq!(driver.sched.curr(CpuId(0)), Some(ready));
    driver.run(ms(1));
    assert_eq!(driver.sched.curr(CpuId(0)), None);
    assert!(driver.sched.is_throttled(ready) && !driver.sched.is_throttled(sleeper));
    assert_eq!(driver.sched.check(), Ok(()));
    (driver, group, sleeper)
}

/// Something that happens to a task of a group.
type Change = fn(&mut Driver, GroupId, TaskId);

#[test]
fn a_sleeper_in_debt_stays_queued_in_a_throttled_group_whatever_happens_to_it() {
    let changes: [(&str, Change); 7] = [
        ("none", |_, _, _| {}),
        ("affinity", |driver, _, task| {
            let there = CpuSet::of(CpuId(1));
            driver
                .sched
                .set_affinity(driver.now, CpuId(0), task, &there);
        }),
        ("nice", |driver, _, task| {
            driver.sched.set_nice(driver.now, task, 5);
        }),
        ("move", |driver, _, task| {
            driver.sched.move_task(driver.now, task, GroupId::ROOT);
        }),
        ("offline", |driver, _, _| {
            driver.sched.set_offline(driver.now, &CpuSet::of(CpuId(0)));
        }),
        ("cpuset", |driver, group, _| {
            let there = Some(CpuSet::of(CpuId(1)));
            driver.sched.set_group_cpus(driver.now, group, there);
        }),
        ("no limit", |driver, group, _| {
            let now = driver.now;
            driver
                .sched
                .set_group_bandwidth(now, group, None, ms(100), Nanos(0));
        }),
    ];
    for kernel in ["v6.12", "v6.12.y", "v6.17"] {
        for (what, change) in changes {
            let (mut driver, group, sleeper) =
                throttled_over_a_sleeper(kernel, "node:1 l3:1 core:2 pu:1");
            change(&mut driver, group, sleeper);
            driver.settle();
            assert_eq!(driver.sched.check(), Ok(()), "{kernel}: {what}");
            let before = driver.ran[sleeper.0 as usize];
            driver.wake(CpuId(1), sleeper);
            assert_eq!(driver.sched.check(), Ok(()), "{kernel}: {what}");
            if what == "none" {
                assert!(driver.sched.is_throttled(sleeper), "{kernel}");
            }
            driver.run(ms(250));
            assert_eq!(driver.sched.check(), Ok(()), "{kernel}: {what}");
            assert!(driver.ran[sleeper.0 as usize] > before, "{kernel}: {what}");
        }
    }
}
