//! Every knob works while the kernel runs: what is set half a second in shows in what comes after.

use teeter_scenario::Nanos;
use teeter_scenario::document::workload::{Periodic, Step};
use teeter_scenario::document::{
    Action, Fork, Kernel, Scenario, ScriptEntry, SettingValue, Tasks, Workload,
};
use teeter_sim::RunResult;

use crate::bench::{assert_near, result, scenario, threads};

const SET_MS: u64 = 500;

fn at(millis: u64, action: Action) -> ScriptEntry {
    ScriptEntry {
        at: Nanos::from_millis(millis),
        action,
    }
}

/// What the scenario comes to under a kernel, with a knob turned after [`SET_MS`] or not.
fn turned(scenario: &Scenario, kernel: &str, knob: Option<(&str, SettingValue)>) -> RunResult {
    let mut scenario = scenario.clone();
    scenario.kernels = vec![Kernel::new(kernel)];
    let set = |(name, value): (&str, _)| at(SET_MS, Action::Set([(name.to_owned(), value)].into()));
    scenario.script.splice(0..0, knob.map(set));
    result(&scenario)
}

/// Hogs on one node of two under the third version of the patch, which allows all of them there; then a percentage is
/// set. Gives how many there are on the other node afterwards.
fn moved_to_the_other_node(pct: i64) -> f64 {
    let hogs = Tasks {
        fork: Fork::On((0..7).collect()),
        ..threads("hog", Workload::Hog, 7)
    };
    let mut scenario = scenario("node:2 l3:1 core:8 pu:1", vec![hogs], 2500);
    scenario.run.warmup = Nanos::from_millis(1500);
    let name = "domain.NUMA.imbalance_pct";
    let first = SettingValue::Int(101);
    scenario
        .script
        .push(at(0, Action::Set([(name.to_owned(), first)].into())));
    let knob = Some((name, SettingValue::Int(pct)));
    scenario.script.reverse();
    turned(&scenario, "v5.5+numa-v3", knob).tasks[0].mean_on_node[1]
}

/// 100 divides by zero, and the rule is passed over; 101 allows 99 tasks, 115 and 117 five and four while there are
/// fewer than ten and eight, 125 three while there are fewer than six, 200 and more none.
#[test]
fn imbalance_pct_of_numa_levels_sets_what_the_third_version_allows() {
    for (pct, moved) in [
        (100, 3.0),
        (101, 0.0),
        (115, 0.0),
        (117, 0.0),
        (125, 2.0),
        (200, 3.0),
        (250, 3.0),
    ] {
        let got = moved_to_the_other_node(pct);
        println!("{pct}: {got}");
        assert_near(got, moved, 0.05);
    }
}

/// Three tasks on one group and two on the other take turns as long as half as much again is too much. At 100 they do
/// not: no group counts as overloaded, as used capacity would have to be more than all there is.
#[test]
fn imbalance_pct_of_each_level_sets_what_is_too_much() {
    for (level, machine) in [
        ("SMT", "node:1 l3:1 core:1 pu:2"),
        ("MC", "node:1 l3:1 core:2 pu:1"),
        ("DIE", "node:1 l3:2 core:1 pu:1"),
        ("NUMA", "node:2 l3:1 core:1 pu:1"),
    ] {
        let scenario = scenario(machine, vec![threads("hog", Workload::Hog, 5)], 5000);
        let migrations = |pct| {
            let name = format!("domain.{level}.imbalance_pct");
            let result = turned(&scenario, "v5.5", Some((&name, SettingValue::Int(pct))));
            result.tasks[0].migrations.total
        };
        let counts = [100, 101, 115, 117, 125, 200, 250].map(migrations);
        println!("{level}: {counts:?}");
        let takes_turns = counts.map(|count| count > 15);
        assert_eq!(
            takes_turns,
            [false, true, true, true, true, false, false],
            "{level}: {counts:?}"
        );
    }
}

/// CPUs that idle for less than it costs to migrate do not pull a task.
#[test]
fn migration_cost_keeps_cpus_that_idle_briefly_from_pulling() {
    let often = |name, run, period| {
        let (run, period) = (Nanos::from_millis(run), Nanos::from_millis(period));
        threads(name, Workload::Periodic(Periodic { run, period }), 2)
    };
    let tasks = vec![often("a", 2, 3), often("b", 3, 5), often("c", 4, 7)];
    let scenario = scenario("node:1 l3:1 core:4 pu:1", tasks, 5000);
    let pulled = |cost| {
        let knob = Some(("migration_cost", SettingValue::Time(cost)));
        let result = turned(&scenario, "v5.3", knob);
        let tasks = result.tasks.iter();
        tasks.map(|task| task.migrations.newidle).sum::<u64>()
    };
    let (dear, cheap) = (pulled(Nanos::from_millis(100)), pulled(Nanos(0)));
    println!("{dear} {cheap}");
    assert!(cheap > 5 * dear, "{dear} {cheap}");
}

/// Tasks that all start on one CPU come to the other at most so many at a time.
#[test]
fn nr_migrate_bounds_a_pass() {
    let hogs = Tasks {
        fork: Fork::On([0].into_iter().collect()),
        ..threads("hog", Workload::Hog, 32)
    };
    let mut scenario = scenario("node:1 l3:1 core:2 pu:1", vec![hogs], 540);
    scenario.run.warmup = Nanos::from_millis(520);
    let start = Action::Start("hog".to_owned());
    scenario.script.push(at(SET_MS, start));
    let moved = |nr| {
        let knob = Some(("nr_migrate", SettingValue::Int(nr)));
        turned(&scenario, "v6.12", knob).tasks[0].mean_on_cpu[1]
    };
    let (one, many) = (moved(1), moved(32));
    println!("{one} {many}");
    assert!(one > 0.5 && one < 4.0 && many > 2.0 * one, "{one} {many}");
}

/// Without preemption at wakeups a task waits for the one that runs.
#[test]
fn features_are_switched() {
    let seldom = Workload::Periodic(Periodic {
        run: Nanos::from_millis(1),
        period: Nanos::from_millis(20),
    });
    let tasks = vec![
        threads("hog", Workload::Hog, 1),
        threads("seldom", seldom, 1),
    ];
    let mut scenario = scenario("node:1 l3:1 core:1 pu:1", tasks, 3000);
    scenario.run.warmup = Nanos::from_millis(SET_MS);
    for kernel in ["v5.5", "v6.1", "v6.12"] {
        let waited = |on| {
            let knob = Some(("features.WAKEUP_PREEMPTION", SettingValue::Bool(on)));
            turned(&scenario, kernel, knob).tasks[1]
                .latency_us
                .map_or(0.0, |l| l.p50)
        };
        let (without, with) = (waited(false), waited(true));
        println!("{kernel}: {without} us without, {with} us with");
        assert!(
            without > 500.0 && with < 300.0,
            "{kernel}: {without} {with}"
        );
    }
}

/// The bias keeps those that wake on the CPU where they ran, as long as it is on.
#[test]
fn the_bias_to_the_previous_cpu_is_switched() {
    let pair = |number: u32, side: u32| {
        let steps = [
            Step::Run(Nanos::from_micros(50)),
            Step::Send(format!("{number}{side}")),
            Step::Receive(format!("{number}{}", 1 - side)),
        ];
        threads(
            &format!("pair{number}{side}"),
            Workload::Program(steps.to_vec()),
            1,
        )
    };
    let pairs = (0..12).map(|index| pair(index / 2, index % 2)).collect();
    let scenario = scenario("node:1 l3:1 core:4 pu:1", pairs, 2000);
    let moved = |on| {
        let knob = Some(("features.SELECT_BIAS_PREV", SettingValue::Bool(on)));
        let result = turned(&scenario, "v6.5+bias", knob);
        result
            .tasks
            .iter()
            .map(|task| task.migrations.wakeup)
            .sum::<u64>()
    };
    let (off, on) = (moved(false), moved(true));
    println!("{off} without, {on} with");
    assert!(2 * on < off, "{off} without, {on} with");
}
