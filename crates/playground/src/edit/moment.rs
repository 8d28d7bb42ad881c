//! What is in force at a moment of the run: the script's latest write, else what holds from the start.

use std::collections::BTreeMap;

use teeter_scenario::document::{Action, Bandwidth, CgroupChange, ScriptEntry, SettingValue};
use teeter_scenario::{Nanos, Scenario};

/// The value of a tunable at a moment: the latest write, else the first kernel's setting.
pub fn tunable_at(scenario: &Scenario, name: &str, at: Nanos) -> Option<SettingValue> {
    let written = |entry: &ScriptEntry| match &entry.action {
        Action::Set(values) => values.get(name).cloned(),
        _ => None,
    };
    latest(scenario, at, written).or_else(|| scenario.kernels.first()?.set.get(name).cloned())
}

/// Every tunable that the script has written up to a moment, with its latest value.
pub fn written_at(scenario: &Scenario, at: Nanos) -> BTreeMap<String, SettingValue> {
    let mut before: Vec<&ScriptEntry> = scenario
        .script
        .iter()
        .filter(|entry| entry.at <= at)
        .collect();
    before.sort_by_key(|entry| entry.at);
    let mut written = BTreeMap::new();
    for entry in before {
        if let Action::Set(values) = &entry.action {
            written.extend(values.clone());
        }
    }
    written
}

/// The `cpu.weight` of a cgroup at a moment.
pub fn weight_at(scenario: &Scenario, path: &str, at: Nanos) -> u32 {
    let listed = scenario.cgroups.iter().find(|cgroup| cgroup.path == path);
    change_at(scenario, path, at, |change| change.weight)
        .or_else(|| Some(listed?.weight))
        .unwrap_or(100)
}

/// The `cpu.max` of a cgroup at a moment.
pub fn max_at(scenario: &Scenario, path: &str, at: Nanos) -> Bandwidth {
    let listed = scenario.cgroups.iter().find(|cgroup| cgroup.path == path);
    change_at(scenario, path, at, |change| change.max)
        .or_else(|| Some(listed?.max))
        .unwrap_or_default()
}

fn change_at<T>(
    scenario: &Scenario,
    path: &str,
    at: Nanos,
    read: impl Fn(&CgroupChange) -> Option<T>,
) -> Option<T> {
    latest(scenario, at, |entry| match &entry.action {
        Action::Cgroup(change) if change.path == path => read(change),
        _ => None,
    })
}

fn latest<T>(
    scenario: &Scenario,
    at: Nanos,
    written: impl Fn(&ScriptEntry) -> Option<T>,
) -> Option<T> {
    let before = scenario.script.iter().filter(|entry| entry.at <= at);
    before
        .filter_map(|entry| Some((entry.at, written(entry)?)))
        .max_by_key(|(at, _)| *at)
        .map(|(_, value)| value)
}
