//! `p=NAME` with changes: a preset of which a few things differ, readable in the address bar.
//!
//! * `k=v5.3,v5.5` replaces the kernels; what all of the preset's agree on stays set;
//! * `set.TUNABLE=VALUE` sets a tunable on every kernel;
//! * `/POINTER=VALUE` puts a value at a place of the preset's document; `null` means the default.
//!
//! They apply in that order, whatever order they stand in. A value is a number, `true`, `false`, `null`, a text
//! in double quotes, or any other text as it is.

use std::collections::BTreeSet;

use serde_json::Value;

use super::LinkError;
use crate::document::{Kernel, Scenario, SettingValue};
use crate::pointer;
use crate::problem::join;

/// More changes than this are no longer easy to read.
const MOST: usize = 6;

/// Changes to a preset: key and value as they stand in the link.
pub(super) type Changes = Vec<(String, String)>;

/// Whether a parameter is a change.
pub(super) fn is_change(key: &str) -> bool {
    key == "k" || key.starts_with("set.") || key.starts_with('/')
}

/// Applies changes to a preset.
pub(super) fn apply(preset: Scenario, changes: &Changes) -> Result<Scenario, LinkError> {
    let mut scenario = preset;
    for (_, names) in changes.iter().filter(|(key, _)| key == "k") {
        let names: Vec<String> = names.split(',').map(str::to_owned).collect();
        scenario.kernels = Kernel::replace(&scenario.kernels, &names);
    }
    for (key, value) in changes {
        if let Some(name) = key.strip_prefix("set.") {
            let value = setting(value).ok_or_else(|| error(key, "is not a value"))?;
            for kernel in &mut scenario.kernels {
                kernel.set.insert(name.to_owned(), value.clone());
            }
        }
    }
    let mut document = scenario.to_value();
    for (key, value) in changes.iter().filter(|(key, _)| key.starts_with('/')) {
        pointer::set(&mut document, key, read(value))
            .map_err(|problem| error(key, problem.to_string()))?;
    }
    Scenario::from_value(&document).map_err(|problems| LinkError::Field {
        problems,
        json: document.to_string(),
    })
}

fn error(key: &str, message: impl Into<String>) -> LinkError {
    LinkError::Change {
        key: key.to_owned(),
        message: message.into(),
    }
}

/// The changes that turn a preset into a scenario, if they are few and simple.
pub(super) fn between(preset: &Scenario, scenario: &Scenario) -> Option<Changes> {
    let mut changes = Changes::new();
    let mut start = preset.clone();
    if let Some(of_kernels) = between_kernels(&preset.kernels, &scenario.kernels) {
        changes.extend(of_kernels);
        start.kernels.clone_from(&scenario.kernels);
    }
    compare("", &start.to_value(), &scenario.to_value(), &mut changes)?;
    // What a reader of the link will get is what counts.
    (apply(preset.clone(), &changes).as_ref() == Ok(scenario)).then_some(changes)
}

/// Kernels told as names, and tunables that all of them set.
fn between_kernels(preset: &[Kernel], kernels: &[Kernel]) -> Option<Changes> {
    let names: Vec<String> = kernels.iter().map(|kernel| kernel.base.clone()).collect();
    let mut start = preset.to_vec();
    let mut changes = Changes::new();
    if preset.iter().map(|kernel| &kernel.base).ne(&names) {
        start = Kernel::replace(preset, &names);
        changes.push(("k".to_owned(), names.join(",")));
    }
    let first = kernels.first()?;
    for (name, value) in &first.set {
        let everywhere = kernels
            .iter()
            .all(|kernel| kernel.set.get(name) == Some(value));
        let differs = start
            .iter()
            .any(|kernel| kernel.set.get(name) != Some(value));
        if everywhere && differs {
            for kernel in &mut start {
                kernel.set.insert(name.clone(), value.clone());
            }
            changes.push((
                format!("set.{name}"),
                write(&serde_json::to_value(value).ok()?)?,
            ));
        }
    }
    (start == kernels).then_some(changes)
}

/// Notes where two documents differ. `None` where that can not be told in a few single values.
fn compare(path: &str, from: &Value, to: &Value, changes: &mut Changes) -> Option<()> {
    match (from, to) {
        (Value::Object(from), Value::Object(to)) => {
            let keys: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
            for key in keys {
                let nothing = &Value::Null;
                let (from, to) = (
                    from.get(key).unwrap_or(nothing),
                    to.get(key).unwrap_or(nothing),
                );
                compare(&join(path, key), from, to, changes)?;
            }
            Some(())
        }
        (Value::Array(from), Value::Array(to)) if from.len() == to.len() => {
            for (i, (from, to)) in from.iter().zip(to).enumerate() {
                compare(&join(path, i), from, to, changes)?;
            }
            Some(())
        }
        _ if from == to => Some(()),
        // An object that the preset leaves out is made.
        (Value::Null, Value::Object(to)) => {
            for (key, value) in to {
                compare(&join(path, key), &Value::Null, value, changes)?;
            }
            Some(())
        }
        _ => {
            changes.push((path.to_owned(), write(to)?));
            (changes.len() <= MOST).then_some(())
        }
    }
}

/// A single value as it stands in a link.
fn write(value: &Value) -> Option<String> {
    match value {
        Value::Array(_) | Value::Object(_) => None,
        Value::String(text) if read(text) == *value => Some(text.clone()),
        _ => Some(value.to_string()),
    }
}

/// Reads a single value.
fn read(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::Array(_) | Value::Object(_)) | Err(_) => Value::String(text.to_owned()),
        Ok(value) => value,
    }
}

/// Reads the value of a tunable.
fn setting(text: &str) -> Option<SettingValue> {
    serde_json::from_value(read(text)).ok()
}
