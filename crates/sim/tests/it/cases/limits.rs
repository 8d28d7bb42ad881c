//! Limits that strike where they should not.

use teeter_scenario::Nanos;
use teeter_scenario::document::workload::Step;
use teeter_scenario::document::{
    Action, Bandwidth, Cgroup, Fork, Scenario, ScriptEntry, Tasks, Workload,
};

use super::{preset, under, within};
use crate::bench::{MS, assert_near, scenario, threads};

/// A cgroup with a quota, µs, of each period, ms.
fn limited(name: &str, quota_us: u64, period_ms: u64) -> Cgroup {
    Cgroup {
        max: Bandwidth {
            quota: Some(Nanos::from_micros(quota_us)),
            period: Nanos::from_millis(period_ms),
        },
        ..Cgroup::new(format!("/{name}"))
    }
}

/// k8s-cfs-quota-67577: a pod whose threads burn 1.1 ms once a period, each on a CPU of its own, under a limit
/// they stay below. What each CPU has drawn and not used expires with the period from v4.18 to v5.3, so that most
/// of the quota goes to nobody.
#[test]
fn k8s_cfs_quota_67577() {
    let burn = [
        Step::Run(Nanos::from_micros(1100)),
        Step::Timer {
            period: Nanos::from_millis(100),
        },
    ];
    let pods = (0..16).map(|cpu: u32| Tasks {
        cgroup: "/pod".to_owned(),
        start: Nanos::from_millis(5 * u64::from(cpu)),
        fork: Fork::On([cpu].into_iter().collect()),
        affinity: Some([cpu].into_iter().collect()),
        ..threads(&format!("pod{cpu}"), Workload::Program(burn.to_vec()), 1)
    });
    let mut scenario = scenario("node:1 core:16 pu:1", pods.collect(), 10_000);
    scenario.cgroups = vec![limited("pod", 20_000, 100)];
    let throttled = |kernel| {
        let group = under(&scenario, kernel).cgroups[0].clone();
        println!(
            "{kernel}: {} of {} periods",
            group.nr_throttled, group.nr_periods
        );
        group.nr_throttled as f64 / group.nr_periods as f64
    };
    assert!(throttled("v5.3") > 0.5);
    for kernel in ["v4.11", "v5.5", "v5.10", "v6.1", "v6.12", "v6.17"] {
        assert!(throttled(kernel) < 0.1);
    }
}

/// k8s-97445-limit-high: 15 % of a CPU in busy periods of 60 ms, below limits of 0.2 CPUs and more.
#[test]
fn k8s_97445_limit_high() {
    for (kernel, result) in preset("k8s-97445-limit-high", 0) {
        let throttled: Vec<u64> = result.cgroups.iter().map(|c| c.nr_throttled).collect();
        println!("{kernel}: {throttled:?}");
        assert!(throttled[0] > 50 && throttled[1] > 10, "{kernel}");
        assert_eq!(throttled[2..], [0, 0], "{kernel}");
        for task in &result.tasks {
            assert_near(task.cpu_ns as f64 / 20e9, 0.15, 0.002);
        }
    }
}

/// koordinator-cpuset-quota: one busy loop bound to one CPU, with a quota of one CPU. It can never use more, and was
/// throttled all the same in 34 of 3076 periods, for 0.35 ms each, when timers came late. Ours come in time: it is
/// not throttled.
#[test]
fn koordinator_cpuset_quota() {
    let mut scenario = scenario(
        "node:1 core:4 pu:1",
        vec![within("pod", Workload::Hog, 1)],
        30_000,
    );
    scenario.cgroups = vec![Cgroup {
        cpus: Some([2].into_iter().collect()),
        ..limited("pod", 100_000, 100)
    }];
    for kernel in ["v4.11", "v5.3", "v5.10", "v6.1", "v6.12"] {
        let group = under(&scenario, kernel).cgroups[0].clone();
        println!("{kernel}: {group:?}");
        assert!(group.nr_periods >= 299);
        assert_eq!((group.nr_throttled, group.throttled_ns), (0, 0));
    }
}

fn moved_out() -> Scenario {
    let mut scenario = scenario(
        "node:1 core:1 pu:1",
        vec![within("pod", Workload::Hog, 1)],
        1000,
    );
    scenario.cgroups = vec![limited("pod", 1000, 1000)];
    scenario.script = vec![ScriptEntry {
        at: Nanos::from_millis(100),
        action: Action::Move {
            task: "pod".to_owned(),
            to: "/".to_owned(),
        },
    }];
    scenario
}

/// throttled-move-nohz-full: a task moved out of a throttled group should run at once; its CPU, which has no tick,
/// idles on.
#[test]
fn throttled_move_nohz_full() {
    let ran = |kernel: &str| {
        let result = under(&moved_out(), kernel);
        result.tasks[0].cpu_ns as f64 / MS as f64
    };
    for kernel in ["v5.3", "v6.1", "v6.12", "v6.17"] {
        assert!(ran(kernel) < 10.0, "{kernel}");
    }
    assert_near(ran("v6.17+moved-task"), 900.0, 10.0);
}
