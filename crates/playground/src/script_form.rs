//! A script entry as text: its action as JSON. Pure: no browser here.

use serde_json::{Value, json};
use teeter_scenario::Nanos;
use teeter_scenario::Scenario;
use teeter_scenario::document::{Action, ScriptEntry};

/// Actions that can be added, each with what to begin with.
pub fn kinds(scenario: &Scenario) -> Vec<(&'static str, Value)> {
    let task = scenario.tasks.first().map_or("", |task| task.name.as_str());
    let cgroup = scenario
        .tasks
        .first()
        .map_or("/", |task| task.cgroup.as_str());
    let cgroup = if cgroup == "/" {
        scenario.cgroups.first().map(|cgroup| cgroup.path.as_str())
    } else {
        Some(cgroup)
    };
    let mut kinds = vec![
        (
            "set a tunable",
            json!({ "set": { "domain.NUMA.imbalance_pct": 115 } }),
        ),
        (
            "bind a task",
            json!({ "affinity": { "task": task, "cpus": "0" } }),
        ),
        (
            "renice a task",
            json!({ "nice": { "task": task, "nice": 5 } }),
        ),
        ("stop a task", json!({ "stop": task })),
        ("start a task", json!({ "start": task })),
        (
            "move a task",
            json!({ "move": { "task": task, "to": "/" } }),
        ),
        ("switch a CPU off", json!({ "offline": "1" })),
        ("switch a CPU on", json!({ "online": "1" })),
    ];
    if let Some(path) = cgroup {
        let write = json!({ "cgroup": { "path": path, "weight": 200 } });
        kinds.insert(1, ("write to a cgroup", write));
    }
    kinds
}

/// An entry's action as JSON.
pub fn written(scenario: &Scenario, index: usize) -> String {
    let document = scenario.to_value();
    let mut entry = document["script"][index].clone();
    if let Some(members) = entry.as_object_mut() {
        members.remove("at");
    }
    entry.to_string()
}

/// Reads an action for a moment.
///
/// # Errors
/// What is wrong with it, with the place below the entry.
pub fn read(scenario: &Scenario, at: Nanos, action: Value) -> Result<Action, String> {
    let Value::Object(mut members) = action else {
        return Err("an object such as {\"set\": {…}}".to_owned());
    };
    members.insert("at".to_owned(), at.to_string().into());
    let mut document = scenario.to_value();
    // Alone, so that faults of other entries are not told here.
    document["script"] = json!([members]);
    let new = Scenario::from_value(&document).map_err(|problems| {
        let lines = problems.0.iter().map(ToString::to_string);
        lines
            .collect::<Vec<_>>()
            .join("; ")
            .replace("/script/0", "")
    })?;
    let entry: Option<ScriptEntry> = new.script.into_iter().next();
    entry
        .map(|entry| entry.action)
        .ok_or_else(|| "there is no action".to_owned())
}

#[cfg(test)]
mod tests {
    use teeter_scenario::presets;

    use super::*;

    #[test]
    fn every_kind_can_be_begun_with_and_comes_back() {
        let scenario = presets::get("lu-group").unwrap();
        for (name, value) in kinds(&scenario) {
            let at = Nanos::from_secs(1);
            let action =
                read(&scenario, at, value.clone()).unwrap_or_else(|why| panic!("{name}: {why}"));
            let mut with = scenario.clone();
            with.script.push(ScriptEntry { at, action });
            assert_eq!(written(&with, 0), value.to_string());
        }
    }

    #[test]
    fn faults_are_told_below_the_entry() {
        let scenario = presets::get("lu-group").unwrap();
        let refused = |value| read(&scenario, Nanos::ZERO, value).unwrap_err();
        assert!(refused(json!(3)).contains("object"));
        assert!(refused(json!({ "sett": {} })).contains("sett"));
    }
}
