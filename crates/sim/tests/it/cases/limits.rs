//! Limits that strike where they should not.

use teeter_scenario::Nanos;
use teeter_scenario::document::workload::{Periodic, Step};
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
/// throttled all the same in 34 of 3076 periods, for 0.35 ms each.
///
/// What a CPU has used is counted at its ticks, of which a period has as many as the one before: it has used no more
/// than its quota. But a period does not begin with a tick. Whatever else wakes on the CPU between the last tick and
/// the end of a period has more counted than that, and if little was left the group waits for the new period. How
/// often that is depends on what wakes: here 51 of 3000 periods to v6.3, for 0.77 ms each.
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
    // What a kernel thread of that CPU may do.
    let mut disturbed = scenario.clone();
    let now_and_then = Workload::Periodic(Periodic {
        period: Nanos::from_micros(37_013),
        run: Nanos::from_micros(20),
    });
    disturbed.tasks.push(Tasks {
        fork: Fork::On([2].into_iter().collect()),
        affinity: Some([2].into_iter().collect()),
        ..threads("kernel", now_and_then, 1)
    });
    for kernel in ["v4.11", "v5.3", "v5.10", "v6.1", "v6.12"] {
        let of_boots = |scenario: &Scenario, boots: u64| {
            let mut scenario = scenario.clone();
            let mut sums = [0, 0, 0];
            for seed in 1..=boots {
                scenario.run.seed = seed;
                let group = under(&scenario, kernel).cgroups[0].clone();
                let found = [group.nr_periods, group.nr_throttled, group.throttled_ns];
                sums = [0, 1, 2].map(|at| sums[at] + found[at]);
            }
            sums
        };
        let [periods, throttled, _] = of_boots(&scenario, 2);
        assert!(periods >= 598, "{kernel}: {periods}");
        assert_eq!(throttled, 0, "{kernel}");
        let [periods, throttled, ns] = of_boots(&disturbed, 10);
        println!("{kernel}: {throttled} of {periods} periods, {ns} ns");
        assert!(throttled > 0 && 10 * throttled < periods, "{kernel}");
        // Never longer than from one tick to the next.
        assert!(ns < throttled * 4 * MS, "{kernel}");
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
