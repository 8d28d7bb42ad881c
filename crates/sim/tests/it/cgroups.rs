//! What cgroups allow their tasks: limits, and giving way.

use teeter_scenario::Nanos;
use teeter_scenario::document::{
    Action, Bandwidth, Cgroup, CgroupChange, Kernel, Scenario, ScriptEntry, Tasks, Workload,
};
use teeter_sim::kernels;

use crate::bench::{MS, assert_near, result, scenario, threads};

/// cpu.max of so many ms.
fn max(quota: u64, period: u64) -> Bandwidth {
    Bandwidth {
        quota: Some(Nanos::from_millis(quota)),
        period: Nanos::from_millis(period),
    }
}

/// Hogs in a cgroup.
fn hogs(name: &str, count: u32) -> Tasks {
    Tasks {
        cgroup: format!("/{name}"),
        ..threads(name, Workload::Hog, count)
    }
}

fn limited(quota: u64, period: u64) -> Scenario {
    let mut scenario = scenario("node:1 core:4 pu:1", vec![hogs("a", 4)], 2000);
    scenario.cgroups = vec![Cgroup {
        max: max(quota, period),
        ..Cgroup::new("/a")
    }];
    scenario
}

#[test]
fn a_group_gets_its_quota_and_no_more() {
    let mut scenario = limited(150, 100);
    for kernel in kernels() {
        scenario.kernels = vec![Kernel::new(kernel.name)];
        let result = result(&scenario);
        // Periods begin at any time, so that of the 21 which the run sees the first and the last are cut off.
        let quotas = result.tasks[0].cpu_ns as f64 / (150 * MS) as f64;
        assert!((19.8..=21.2).contains(&quotas), "{}: {quotas}", kernel.name);
        let group = &result.cgroups[0];
        assert_eq!(group.path, "/a");
        assert!((19..=20).contains(&group.nr_throttled), "{group:?}");
        assert!(group.nr_periods - group.nr_throttled <= 1, "{group:?}");
        // Four CPUs are throttled for 62 ms of each period, for less of the first; the last is not over.
        let throttled = group.throttled_ns as f64 / MS as f64;
        assert!(
            (18.8 * 250.0..=20.2 * 250.0).contains(&throttled),
            "{throttled}"
        );
        // A throttled task waits, but not for a CPU.
        assert_near(result.idle_while_waiting, 0.0, 0.01);
    }
}

#[test]
fn a_limit_is_set_and_lifted_while_it_runs() {
    let mut scenario = limited(150, 100);
    scenario.cgroups[0].max = Bandwidth::default();
    let change = |millis, max| ScriptEntry {
        at: Nanos::from_millis(millis),
        action: Action::Cgroup(CgroupChange {
            path: "/a".to_owned(),
            max: Some(max),
            ..CgroupChange::default()
        }),
    };
    scenario.script = vec![
        change(500, max(100, 100)),
        change(1500, Bandwidth::default()),
    ];
    // The limit comes with a full pool, which the first refill finds used up however soon it is.
    let cpus = result(&scenario).tasks[0].cpu_ns as f64 / MS as f64;
    let quotas = (cpus - 4.0 * 1000.0) / 100.0;
    assert!((9.7..=11.3).contains(&quotas), "{quotas}");
}

#[test]
fn an_idle_group_gives_way_where_the_kernel_has_them() {
    let mut scenario = scenario("node:1 core:1 pu:1", vec![hogs("a", 1), hogs("b", 1)], 4000);
    scenario.cgroups = vec![
        Cgroup {
            idle: true,
            ..Cgroup::new("/a")
        },
        Cgroup::new("/b"),
    ];
    scenario.run.warmup = Nanos::from_millis(500);
    for kernel in kernels() {
        scenario.kernels = vec![Kernel::new(kernel.name)];
        let share = result(&scenario).tasks[0].cpu_share[0];
        let has = !["v4", "v5.3", "v5.5", "v5.6", "v5.10", "v5.11"]
            .iter()
            .any(|old| kernel.name.starts_with(old));
        // Weight 3 against 1024.
        assert_near(share, if has { 0.003 } else { 0.5 }, 0.02);
    }
}

#[test]
fn cpus_go_and_come_while_it_runs() {
    let mut scenario = scenario(
        "node:2 core:2 pu:1",
        vec![threads("t", Workload::Hog, 4)],
        3000,
    );
    let at = |millis, action| ScriptEntry {
        at: Nanos::from_millis(millis),
        action,
    };
    let cpus = |cpu: u32| [cpu].into_iter().collect();
    scenario.script = vec![
        at(1000, Action::Offline(cpus(1))),
        at(2000, Action::Online(cpus(1))),
    ];
    for kernel in kernels() {
        scenario.kernels = vec![Kernel::new(kernel.name)];
        let result = result(&scenario);
        assert_near(result.cpus.busy[1], 2.0 / 3.0, 0.05);
        assert_near(result.cpus.busy[0], 1.0, 0.01);
        assert_near(result.cpus.nr_running.iter().sum::<f64>(), 4.0, 0.01);
    }
}
