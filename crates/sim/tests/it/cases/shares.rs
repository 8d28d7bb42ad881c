//! Who gets how much.

use teeter_scenario::document::{Action, Kernel, ScriptEntry, SettingValue, Workload};
use teeter_scenario::{Nanos, presets};

use super::{cpus_of, under, weighing, within};
use crate::bench::{assert_near, result, scenario, threads};

/// k8s-kubepods-weight: a slice of weight 2500 against one of 100 on 64 CPUs, both with work for all of them.
/// Half the machine was meant to be left to the rest; it gets a 26th, once load is balanced.
#[test]
fn k8s_kubepods_weight() {
    let tasks = vec![
        within("kubepods", Workload::Hog, 64),
        within("system", Workload::Hog, 64),
    ];
    let mut scenario = scenario("node:1 core:64 pu:1", tasks, 8000);
    scenario.run.warmup = Nanos::from_millis(6000);
    for (weight, expected) in [(2500, 64.0 / 26.0), (100, 32.0)] {
        scenario.cgroups = vec![weighing("kubepods", weight), weighing("system", 100)];
        for kernel in ["v5.3", "v5.10", "v6.1", "v6.12"] {
            let result = under(&scenario, kernel);
            let system = cpus_of(&result, &scenario, 1);
            println!("{kernel}: {system:.2} of 64 CPUs against a weight of {weight}");
            assert_near(system, expected, 0.05 * expected);
        }
    }
}

/// vms-equal-share: virtual machines of two and of eight CPUs, each in a pod of the least weight, on four.
/// Shares in proportion to size were expected; they are equal.
#[test]
fn vms_equal_share() {
    let tasks = vec![
        within("small", Workload::Hog, 2),
        within("large", Workload::Hog, 8),
    ];
    let mut scenario = scenario("node:1 core:4 pu:1", tasks, 4000);
    scenario.cgroups = vec![weighing("small", 1), weighing("large", 1)];
    scenario.run.warmup = Nanos::from_millis(1000);
    for kernel in ["v5.3", "v5.10", "v6.1", "v6.12"] {
        let result = under(&scenario, kernel);
        let small = cpus_of(&result, &scenario, 0);
        println!("{kernel}: the small one gets {small:.2} of 4 CPUs");
        assert_near(small, 2.0, 0.35);
    }
    scenario.cgroups = vec![weighing("small", 2), weighing("large", 8)];
    let sized = under(&scenario, "v6.1");
    assert_near(cpus_of(&sized, &scenario, 0), 0.8, 0.25);
}

/// equal-weight-cgroups-stress: a hog on each CPU in one group, tasks that sleep and wake in another of equal
/// weight, which could use more than half the machine. With v4.11 the hogs get more, since a group weighs by what
/// it has queued just now; with the patch that propagates load they get still more. From v4.15 on both get half.
#[test]
fn equal_weight_cgroups_stress() {
    let scenario = presets::get("equal-weight-cgroups-stress").unwrap();
    let more = |kernel| {
        let result = under(&scenario, kernel);
        let more = cpus_of(&result, &scenario, 0) / cpus_of(&result, &scenario, 1);
        println!("{kernel}: stress gets {more:.2} times as much");
        more
    };
    assert!(more("v4.11") > 1.15);
    assert!(more("v4.11+propagate") > 1.3);
    for kernel in ["v4.15", "v5.3", "v5.5", "v5.10", "v6.1", "v6.12"] {
        assert_near(more(kernel), 1.0, 0.1);
    }
}

/// autogroup-nice: `nice -n19 make -j32` in one terminal and a game in another. Nice counts within a session
/// only, so where sessions are grouped the build gets half.
#[test]
fn autogroup_nice() {
    let mut build = threads("build", Workload::Hog, 32);
    build.nice = 19;
    build.session = 1;
    let mut game = threads("game", Workload::Hog, 8);
    game.session = 2;
    let mut scenario = scenario("node:1 core:8 pu:1", vec![build, game], 3000);
    scenario.run.warmup = Nanos::from_millis(500);
    let mut share = |kernel: &str, autogroup: bool| {
        let mut kernel = Kernel::new(kernel);
        kernel
            .set
            .insert("autogroup".to_owned(), SettingValue::Bool(autogroup));
        scenario.kernels = vec![kernel];
        cpus_of(&result(&scenario), &scenario, 0) / 8.0
    };
    for kernel in ["v4.11", "v5.5", "v6.1", "v6.12"] {
        // 32 tasks of weight 15 against 8 of weight 1024.
        assert_near(share(kernel, false), 0.055, 0.02);
        assert_near(share(kernel, true), 0.5, 0.05);
    }
}

/// The way out that autogroup has: `echo 19 > /proc/PID/autogroup` makes the session nice.
#[test]
fn autogroup_nice_of_the_session() {
    let mut build = threads("build", Workload::Hog, 32);
    build.session = 1;
    let mut game = threads("game", Workload::Hog, 8);
    game.session = 2;
    let mut scenario = scenario("node:1 core:8 pu:1", vec![build, game], 4000);
    scenario.run.warmup = Nanos::from_millis(1500);
    scenario.script = vec![ScriptEntry {
        at: Nanos::from_millis(500),
        action: Action::Autogroup {
            task: "build".to_owned(),
            nice: 19,
        },
    }];
    let mut share = |kernel: &str, autogroup: bool| {
        let mut kernel = Kernel::new(kernel);
        kernel
            .set
            .insert("autogroup".to_owned(), SettingValue::Bool(autogroup));
        scenario.kernels = vec![kernel];
        cpus_of(&result(&scenario), &scenario, 0) / 8.0
    };
    for kernel in ["v5.5", "v6.1", "v6.12"] {
        // The group weighs 15 against 1024; without groups 32 of 40 tasks are the build's.
        assert_near(share(kernel, true), 0.015, 0.02);
        assert_near(share(kernel, false), 0.8, 0.05);
    }
}
