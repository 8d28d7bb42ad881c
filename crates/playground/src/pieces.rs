//! Parts of a scenario as text, to be copied and pasted: JSON with `cgroups` and `tasks`, as in a scenario.

use serde_json::{Map, Value, json};
use teeter_scenario::{Problems, Scenario};

use crate::edit::{free_name, known_cgroups};

/// A task as text.
pub fn of_task(scenario: &Scenario, index: usize) -> Option<String> {
    let document = scenario.to_value();
    let task = document.get("tasks")?.get(index)?.clone();
    Some(json!({ "tasks": [task] }).to_string())
}

/// A cgroup with all below it as text: the tasks too.
pub fn of_cgroup(scenario: &Scenario, path: &str) -> Option<String> {
    let document = scenario.to_value();
    let within = |of: &str| {
        let rest = of.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let of = |list: &str, key: &str| -> Vec<Value> {
        let all = document.get(list).and_then(Value::as_array).cloned();
        all.unwrap_or_default()
            .into_iter()
            .filter(|part| part.get(key).and_then(Value::as_str).is_some_and(within))
            .collect()
    };
    let mut cgroups = of("cgroups", "path");
    if cgroups.iter().all(|cgroup| cgroup["path"] != path) {
        cgroups.insert(0, json!({ "path": path }));
    }
    Some(json!({ "cgroups": cgroups, "tasks": of("tasks", "cgroup") }).to_string())
}

/// Whether a text may be such parts.
pub fn is(text: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(text).is_ok_and(|members| {
        let known = |key: &String| key == "cgroups" || key == "tasks";
        !members.is_empty() && members.keys().all(known)
    })
}

/// The scenario with parts added: cgroups under `parent` with names that are free, tasks with names that are
/// free. What has no cgroup among the parts goes to `parent`.
///
/// # Errors
/// What is wrong with the parts, or with the scenario they would make.
pub fn paste(scenario: &Scenario, text: &str, parent: &str) -> Result<Scenario, Problems> {
    let parts: Value = serde_json::from_str(text).unwrap_or_default();
    let list = |key: &str| {
        let list = parts.get(key).and_then(Value::as_array).cloned();
        list.unwrap_or_default()
    };
    let mut document = scenario.to_value();
    let known = known_cgroups(scenario);
    let mut cgroups = list("cgroups");
    let top = cgroups
        .iter()
        .filter_map(|cgroup| cgroup["path"].as_str())
        .min_by_key(|path| path.len())
        .map(str::to_owned);
    let moved = |path: &str| -> Option<String> {
        let top = top.as_deref()?;
        let rest = path.strip_prefix(top)?;
        Some(format!("{}{rest}", free_path(&known, parent, top)))
    };
    for cgroup in &mut cgroups {
        if let Some(path) = cgroup["path"].as_str().and_then(moved) {
            cgroup["path"] = path.into();
        }
    }
    let mut names = scenario.clone();
    let mut tasks = list("tasks");
    for task in &mut tasks {
        let Some(members) = task.as_object_mut() else {
            continue;
        };
        let cgroup = members.get("cgroup").and_then(Value::as_str);
        let cgroup = cgroup.and_then(moved).unwrap_or_else(|| parent.to_owned());
        members.insert("cgroup".to_owned(), cgroup.into());
        let wanted = members.get("name").and_then(Value::as_str);
        let name = free_name(&names, wanted.unwrap_or("task"));
        if let Some(first) = names.tasks.first().cloned() {
            names.tasks.push(teeter_scenario::document::Tasks {
                name: name.clone(),
                ..first
            });
        }
        members.insert("name".to_owned(), name.into());
    }
    append(&mut document, "cgroups", cgroups);
    append(&mut document, "tasks", tasks);
    Scenario::from_value(&document)
}

fn append(document: &mut Value, key: &str, more: Vec<Value>) {
    if let (Some(members), false) = (document.as_object_mut(), more.is_empty()) {
        let list = members.entry(key).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.extend(more);
        }
    }
}

/// A path below `parent`, called like `path`, that no cgroup has.
pub fn free_path(known: &[String], parent: &str, path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let base = format!("{}/{name}", parent.trim_end_matches('/'));
    let numbered = (2_u32..).map(|n| format!("{base}-{n}"));
    std::iter::once(base.clone())
        .chain(numbered)
        .find(|path| !known.contains(path))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use teeter_scenario::presets;

    use super::*;

    #[test]
    fn a_copied_task_comes_back_under_a_free_name() {
        let scenario = presets::get("lu-group").unwrap();
        let lu = scenario.tasks.iter().position(|task| task.name == "lu");
        let text = of_task(&scenario, lu.unwrap()).unwrap();
        assert!(is(&text));
        let new = paste(&scenario, &text, "/hogs").unwrap();
        let last = new.tasks.last().unwrap();
        assert_eq!(
            (last.name.as_str(), last.cgroup.as_str()),
            ("lu-2", "/hogs")
        );
        assert_eq!(last.threads, 76);
    }

    #[test]
    fn a_copied_cgroup_comes_with_its_tasks() {
        let scenario = presets::get("lu-group").unwrap();
        let text = of_cgroup(&scenario, "/lu").unwrap();
        let new = paste(&scenario, &text, "/").unwrap();
        assert!(known_cgroups(&new).contains(&"/lu-2".to_owned()));
        assert_eq!(new.tasks.last().unwrap().cgroup, "/lu-2");
        let below = paste(&scenario, &text, "/hogs").unwrap();
        assert_eq!(below.tasks.last().unwrap().cgroup, "/hogs/lu");
    }

    #[test]
    fn other_texts_are_no_parts_and_faulty_ones_are_refused() {
        assert!(!is("{}") && !is("[]") && !is("tasks") && !is("{\"teeter\":1,\"tasks\":[]}"));
        let scenario = presets::get("lu-group").unwrap();
        let faulty = "{\"tasks\":[{\"name\":\"x\",\"workload\":\"nothing\"}]}";
        assert!(is(faulty));
        let problems = paste(&scenario, faulty, "/").unwrap_err();
        assert!(
            problems.to_string().contains("/tasks/2/workload"),
            "{problems}"
        );
    }
}
