//! Changes of the script.

use teeter_scenario::document::{Action, ScriptEntry};
use teeter_scenario::{Nanos, Scenario};

use super::describe;

/// One change of the script.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptEdit {
    /// One more entry, at its end.
    Add(ScriptEntry),
    /// Takes an entry out.
    Remove(usize),
    /// Another time for an entry.
    At(usize, Nanos),
    /// Another action for an entry.
    Action(usize, Action),
}

impl ScriptEdit {
    pub(super) fn apply(&self, scenario: &mut Scenario) {
        let script = &mut scenario.script;
        match self {
            Self::Add(entry) => script.push(entry.clone()),
            Self::Remove(index) => {
                if *index < script.len() {
                    script.remove(*index);
                }
            }
            Self::At(index, at) => {
                if let Some(entry) = script.get_mut(*index) {
                    entry.at = *at;
                }
            }
            Self::Action(index, action) => {
                if let Some(entry) = script.get_mut(*index) {
                    entry.action = action.clone();
                }
            }
        }
    }

    pub(super) fn label(&self) -> String {
        match self {
            Self::Add(entry) => format!("{} at {}", describe(&entry.action), entry.at),
            Self::Remove(_) => "remove a script entry".to_owned(),
            Self::At(_, at) => format!("move a script entry to {at}"),
            Self::Action(_, action) => format!("change a script entry to {}", describe(action)),
        }
    }

    pub(super) fn key(&self) -> Option<String> {
        match self {
            Self::At(index, _) => Some(format!("script {index}")),
            _ => None,
        }
    }
}

/// Takes all writes of a tunable out of the script.
pub(super) fn drop_writes(script: &mut Vec<ScriptEntry>, name: &str) {
    script.retain_mut(|entry| match &mut entry.action {
        Action::Set(values) => {
            values.remove(name);
            !values.is_empty()
        }
        _ => true,
    });
}
