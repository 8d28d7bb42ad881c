//! Changes while the simulation runs.

use teeter_scenario::Nanos;
use teeter_scenario::document::workload::Step;
use teeter_scenario::document::{
    Action, Cgroup, CgroupChange, Kernel, Scenario, ScriptEntry, SettingValue, Workload,
};
use teeter_sim::{Error, IDLE, kernels};

use crate::bench::{MS, assert_near, result, scenario, simulation, threads};

/// Two hogs on one CPU in cgroups of equal weight.
fn two_groups(millis: u64) -> Scenario {
    let mut tasks = vec![
        threads("a", Workload::Hog, 1),
        threads("b", Workload::Hog, 1),
    ];
    "/a".clone_into(&mut tasks[0].cgroup);
    "/b".clone_into(&mut tasks[1].cgroup);
    let mut scenario = scenario("node:1 core:1 pu:1", tasks, millis);
    scenario.cgroups = vec![Cgroup::new("/a"), Cgroup::new("/b")];
    scenario
}

fn weight(millis: u64, path: &str, weight: u32) -> ScriptEntry {
    let change = CgroupChange {
        path: path.to_owned(),
        weight: Some(weight),
        ..CgroupChange::default()
    };
    ScriptEntry {
        at: Nanos::from_millis(millis),
        action: Action::Cgroup(change),
    }
}

fn set(millis: u64, name: &str, value: i64) -> ScriptEntry {
    let settings = [(name.to_owned(), SettingValue::Int(value))];
    ScriptEntry {
        at: Nanos::from_millis(millis),
        action: Action::Set(settings.into()),
    }
}

#[test]
fn a_weight_changes_the_shares() {
    let mut scenario = two_groups(4000);
    scenario.run.warmup = Nanos::from_millis(1000);
    let even = result(&scenario);
    assert_near(even.tasks[0].cpu_share[0], 0.5, 0.02);
    scenario.script.push(weight(1000, "/a", 300));
    let uneven = result(&scenario);
    assert_near(uneven.tasks[0].cpu_share[0], 0.75, 0.02);
}

#[test]
fn a_change_made_live_is_as_one_in_the_script() {
    let entries = [
        weight(300, "/a", 500),
        set(300, "nr_migrate", 8),
        weight(700, "/b", 900),
    ];
    let mut whole = two_groups(1500);
    whole.script.extend(entries.clone());
    let expected = result(&whole);

    let mut live = simulation(&two_groups(1500));
    for entry in entries {
        live.run_until(entry.at);
        live.insert_action(&entry).unwrap();
    }
    live.run_until(live.end());
    assert_eq!(live.result(), expected);
}

#[test]
fn the_past_is_not_changed() {
    let mut simulation = simulation(&two_groups(1000));
    simulation.run_until(Nanos::from_millis(500));
    let entry = weight(499, "/a", 500);
    let error = simulation.insert_action(&entry).unwrap_err();
    assert_eq!(
        error,
        Error::Past {
            at: entry.at,
            now: Nanos(500 * MS)
        }
    );
}

#[test]
fn a_change_that_cannot_be_made_is_refused_and_changes_nothing() {
    let mut simulation = simulation(&two_groups(200));
    let before = simulation.digest();
    for (entry, path) in [
        (weight(100, "/c", 500), "/script/cgroup/path"),
        (
            set(100, "no_such_tunable", 1),
            "/script/set/no_such_tunable",
        ),
    ] {
        match simulation.insert_action(&entry) {
            Err(Error::Problems(problems)) => assert_eq!(problems[0].path, path),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(simulation.digest(), before);
}

fn at(millis: u64, action: Action) -> ScriptEntry {
    ScriptEntry {
        at: Nanos::from_millis(millis),
        action,
    }
}

fn affinity(millis: u64, task: &str, cpu: u32) -> ScriptEntry {
    let (task, cpus) = (task.to_owned(), [cpu].into_iter().collect());
    at(millis, Action::Affinity { task, cpus })
}

/// Mean threads of a task on each CPU over a whole run.
fn mean_on_cpu(scenario: &Scenario) -> Vec<f64> {
    result(scenario).tasks[0].mean_on_cpu.clone()
}

#[test]
fn threads_move_to_the_cpus_they_are_given() {
    let hogs = threads("hog", Workload::Hog, 2);
    let mut scenario = scenario("node:1 core:4 pu:1", vec![hogs], 1000);
    scenario.tasks[0].affinity = Some("0".parse().unwrap());
    scenario.script = vec![affinity(250, "hog.1", 2), affinity(500, "hog.0", 3)];
    let expected = [2.0 * 0.25 + 0.25, 0.0, 0.75, 0.5];
    for (mean, expected) in mean_on_cpu(&scenario).into_iter().zip(expected) {
        assert_near(mean, expected, 0.002);
    }
    let migrations = result(&scenario).tasks[0].migrations;
    assert_eq!((migrations.affinity, migrations.total), (2, 2));
}

#[test]
fn a_cpuset_binds_the_tasks_in_it() {
    let mut hogs = threads("hog", Workload::Hog, 3);
    hogs.cgroup = "/a".to_owned();
    let mut scenario = scenario("node:1 core:4 pu:1", vec![hogs], 1000);
    scenario.cgroups = vec![Cgroup::new("/a")];
    let change = CgroupChange {
        path: "/a".to_owned(),
        cpus: Some("1".parse().unwrap()),
        ..CgroupChange::default()
    };
    scenario.script = vec![at(500, Action::Cgroup(change))];
    scenario.run.warmup = Nanos::from_millis(500);
    let means = mean_on_cpu(&scenario);
    assert_near(means[1], 3.0, 0.01);
}

#[test]
fn a_move_and_a_renice_change_the_shares() {
    let mut scenario = two_groups(4000);
    scenario.run.warmup = Nanos::from_millis(1000);
    scenario.tasks[1].threads = 2;
    let moved = Action::Move {
        task: "b.1".to_owned(),
        to: "/a".to_owned(),
    };
    scenario.script = vec![at(1000, moved)];
    let shares = |scenario: &Scenario| -> Vec<f64> {
        let result = result(scenario);
        result
            .tasks
            .iter()
            .flat_map(|task| task.cpu_share.clone())
            .collect()
    };
    for (share, expected) in shares(&scenario).into_iter().zip([0.25, 0.5, 0.25]) {
        assert_near(share, expected, 0.02);
    }
    let nice = Action::Nice {
        task: "b.1".to_owned(),
        nice: 5,
    };
    scenario.script.push(at(1000, nice));
    // Weights 1024 and 335 within group a.
    for (share, expected) in shares(&scenario).into_iter().zip([0.377, 0.5, 0.123]) {
        assert_near(share, expected, 0.02);
    }
}

#[test]
fn a_slice_of_its_own_makes_turns_shorter_from_v6_12_on() {
    let switches = |kernel: &str, written: bool, scripted: bool| {
        let mut tasks = vec![threads("a", Workload::Hog, 2)];
        tasks[0].slice = written.then_some(Nanos::from_millis(20));
        let mut scenario = scenario("node:1 core:1 pu:1", tasks, 2000);
        scenario.kernels = vec![Kernel::new(kernel)];
        if scripted {
            let slice = Action::Slice {
                task: "a".to_owned(),
                slice: Nanos::from_millis(20),
            };
            scenario.script = vec![at(0, slice)];
        }
        result(&scenario).switches
    };
    for kernel in ["v6.12", "v6.17"] {
        let own = switches(kernel, false, false);
        assert!(4 * switches(kernel, true, false) < own, "{kernel}: {own}");
        assert!(4 * switches(kernel, false, true) < own, "{kernel}: {own}");
    }
    let old = switches("v6.6", false, false);
    assert_eq!(switches("v6.6", true, true), old);
}

#[test]
fn the_script_starts_and_stops_tasks() {
    let tasks = vec![
        threads("late", Workload::Hog, 2),
        threads("early", Workload::Hog, 2),
    ];
    let mut scenario = scenario("node:1 core:4 pu:1", tasks, 1000);
    scenario.script = vec![
        at(400, Action::Start("late".to_owned())),
        at(700, Action::Stop("early.1".to_owned())),
        at(800, Action::Stop("late".to_owned())),
    ];
    let result = result(&scenario);
    let cpu: Vec<f64> = result
        .tasks
        .iter()
        .map(|task| task.cpu_ns as f64 / MS as f64)
        .collect();
    assert_near(cpu[0], 2.0 * 400.0, 1.0);
    assert_near(cpu[1], 1000.0 + 700.0, 1.0);
    assert_eq!(result.tasks[0].done_ns.map(|done| done / MS), Some(800));
    assert_eq!(result.tasks[1].done_ns, None);
}

#[test]
fn sleepers_and_those_that_wait_for_others_are_stopped() {
    let lu = Workload::NpbLu(teeter_scenario::document::workload::NpbLu::default());
    let run = teeter_scenario::document::workload::Periodic {
        run: Nanos::from_millis(1),
        period: Nanos::from_millis(300),
    };
    let tasks = vec![
        threads("lu", lu, 6),
        threads("sleeper", Workload::Periodic(run), 3),
    ];
    let mut scenario = scenario("node:1 core:2 pu:2", tasks, 1000);
    for stopped in [500, 501, 503, 517, 550] {
        scenario.script = vec![
            at(stopped, Action::Stop("lu".to_owned())),
            at(stopped, Action::Stop("sleeper".to_owned())),
        ];
        let result = result(&scenario);
        for task in &result.tasks {
            let done = task.done_ns.unwrap();
            assert!((stopped..stopped + 60).contains(&(done / MS)), "{done}");
        }
        assert_near(result.cpus.nr_running.iter().sum::<f64>(), 6.0 * 0.52, 0.5);
    }
}

#[test]
fn tasks_free_themselves_when_they_run() {
    let steps = [
        Step::Runtime(Nanos::from_millis(200)),
        Step::Affinity((0..4).collect()),
        Step::Run(Nanos::from_secs(100)),
    ];
    let mut burners = threads("burner", Workload::Program(steps.into()), 4);
    burners.affinity = Some([0].into_iter().collect());
    let mut scenario = scenario("node:1 core:4 pu:1", vec![burners], 1000);
    for kernel in kernels() {
        scenario.kernels = vec![Kernel::new(kernel.name)];
        let mut simulation = simulation(&scenario);
        simulation.run_until(Nanos::from_millis(200));
        assert_eq!(simulation.snapshot().queued_start[4], 3, "{}", kernel.name);
        simulation.run_until(simulation.end());
        let snapshot = simulation.snapshot();
        assert!(
            snapshot.curr.iter().all(|&curr| curr != IDLE),
            "{}",
            kernel.name
        );
    }
}
