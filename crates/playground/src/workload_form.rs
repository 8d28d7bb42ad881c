//! A task's workload as a form: its parameters by name, as text. Pure: no browser here.

use serde_json::{Map, Value, json};
use teeter_scenario::Scenario;
use teeter_scenario::document::Workload;
use teeter_workload::{WorkloadInfo, catalogue};

/// What the catalogue says of a workload.
pub fn info(name: &str) -> Option<&'static WorkloadInfo> {
    catalogue().iter().find(|info| info.name == name)
}

/// A task's workload as it is written in a scenario.
pub fn written(scenario: &Scenario, task: usize) -> Value {
    let document = scenario.to_value();
    document["tasks"][task]["workload"].clone()
}

/// A parameter's value as text; `None` where it is left out.
pub fn parameter(written: &Value, name: &str) -> Option<String> {
    let value = written.as_object()?.values().next()?.get(name)?;
    Some(match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

/// The workload with a parameter set to a text; an empty one leaves it out.
///
/// # Errors
/// What is wrong with it.
pub fn with_parameter(
    scenario: &Scenario,
    task: usize,
    name: &str,
    text: &str,
) -> Result<Workload, String> {
    let written = written(scenario, task);
    let (kind, mut parameters) = match &written {
        Value::String(kind) => (kind.clone(), Map::new()),
        Value::Object(members) => {
            let (kind, parameters) = members.iter().next().ok_or("there is no workload")?;
            let parameters = parameters.as_object().cloned().unwrap_or_default();
            (kind.clone(), parameters)
        }
        _ => return Err("there is no workload".to_owned()),
    };
    if text.is_empty() {
        parameters.remove(name);
    } else {
        parameters.insert(name.to_owned(), value(text));
    }
    read(scenario, task, json!({ kind: parameters }))
}

/// A typed text as a value: what reads as JSON is that, anything else a text.
pub fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// A workload by its name, with what it cannot be without.
pub fn new(name: &str) -> Value {
    match name {
        "periodic" => json!({ "periodic": { "run": "3ms", "period": "10ms" } }),
        "kworker" => json!({ "kworker": { "every": "10ms", "run": "50us" } }),
        "program" => json!({ "program": [{ "run": "3ms" }, { "sleep": "10ms" }] }),
        "rtapp" => json!({ "rtapp": {
            "tasks": { "thread0": { "loop": -1, "run": 3000, "timer": { "ref": "unique", "period": 10000 } } }
        } }),
        name => json!(name),
    }
}

/// Reads a workload where it would stand in the scenario.
///
/// # Errors
/// What is wrong with it, with the place below the workload.
pub fn read(scenario: &Scenario, task: usize, workload: Value) -> Result<Workload, String> {
    let mut document = scenario.to_value();
    let place = document
        .get_mut("tasks")
        .and_then(|tasks| tasks.get_mut(task))
        .ok_or("there is no such task")?;
    place["workload"] = workload;
    let new = Scenario::from_value(&document).map_err(|problems| {
        let below = format!("/tasks/{task}/workload");
        let lines: Vec<String> = problems
            .0
            .iter()
            .map(|problem| problem.to_string().replace(&below, ""))
            .collect();
        lines.join("; ").trim_start_matches([':', ' ']).to_owned()
    })?;
    let workload = new.tasks.into_iter().nth(task).map(|task| task.workload);
    workload.ok_or_else(|| "there is no such task".to_owned())
}

#[cfg(test)]
mod tests {
    use teeter_scenario::presets;

    use super::*;

    fn with(workload: Value) -> Scenario {
        let mut scenario = presets::get("lu-group").unwrap();
        scenario.tasks[0].workload = read(&scenario, 0, workload).unwrap();
        scenario
    }

    #[test]
    fn every_workload_of_the_catalogue_can_be_begun_with() {
        for info in catalogue() {
            if info.name != "trace" {
                with(new(info.name));
            }
        }
    }

    #[test]
    fn parameters_are_set_refused_and_left_out_again() {
        let scenario = with(new("periodic"));
        let workload = with_parameter(&scenario, 0, "run", "5ms").unwrap();
        let mut next = scenario.clone();
        next.tasks[0].workload = workload;
        assert_eq!(parameter(&written(&next, 0), "run").as_deref(), Some("5ms"));
        let refused = with_parameter(&scenario, 0, "run", "five").unwrap_err();
        assert!(refused.contains("five"), "{refused}");
        let npb = with(new("npb-lu"));
        let steps = with_parameter(&npb, 0, "steps", "7").unwrap();
        let mut short = npb.clone();
        short.tasks[0].workload = steps;
        assert_eq!(
            parameter(&written(&short, 0), "steps").as_deref(),
            Some("7")
        );
        let back = with_parameter(&short, 0, "steps", "").unwrap();
        assert_eq!(back, npb.tasks[0].workload);
    }
}
