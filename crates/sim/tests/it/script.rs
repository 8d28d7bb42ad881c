//! Changes while the simulation runs.

use teeter_scenario::Nanos;
use teeter_scenario::document::{
    Action, Cgroup, CgroupChange, Scenario, ScriptEntry, SettingValue, Workload,
};
use teeter_sim::Error;

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
