//! What a pasted or dropped text is. Pure: no browser here.

use serde_json::Value;
use teeter_machine::import::{Kind, detect, import};
use teeter_scenario::Scenario;
use teeter_scenario::document::{ImportKind, Machine, Tasks};

use crate::{pieces, workload_form};

/// A text, as the page understands it.
#[derive(Clone, Debug, PartialEq)]
pub enum Intake {
    /// A whole scenario.
    Scenario(Box<Scenario>),
    /// A link, or the fragment of one.
    Link(String),
    /// A machine, and what had to be assumed of it.
    Machine(Box<Machine>, Vec<String>),
    /// Tasks and cgroups.
    Pieces(String),
    /// An rt-app document, as a task.
    RtApp(Box<Tasks>),
    /// It looks like something, which cannot be read: why.
    Faulty(&'static str, Vec<String>),
    /// Nothing that is known here.
    Unknown,
}

/// Reads a text; `scenario` is what it would come into.
pub fn read(text: &str, scenario: &Scenario) -> Intake {
    let text = text.trim();
    if let Some(at) = text.find('#')
        && !text.contains(char::is_whitespace)
        && ["#p=", "#s=", "#edit", "#embed"]
            .iter()
            .any(|mark| text[at..].starts_with(mark))
    {
        return Intake::Link(text[at..].to_owned());
    }
    if text.starts_with('{')
        && let Ok(value) = serde_json::from_str::<Value>(text)
    {
        if value.get("teeter").is_some() {
            return match Scenario::from_json(text) {
                Ok(scenario) => Intake::Scenario(Box::new(scenario)),
                Err(problems) => {
                    let lines = problems.0.iter().map(ToString::to_string);
                    Intake::Faulty("This scenario cannot be read.", lines.collect())
                }
            };
        }
        if pieces::is(text) && !is_rtapp(&value) {
            return Intake::Pieces(text.to_owned());
        }
        if is_rtapp(&value) {
            return rtapp(scenario, &value);
        }
    }
    match detect(text) {
        Some(Kind::Machine(_) | Kind::Synthetic) => match import(text, ImportKind::Auto) {
            Ok(imported) => Intake::Machine(Box::new(imported.machine), imported.assumptions),
            Err(error) => Intake::Faulty("This machine cannot be read.", vec![error.to_string()]),
        },
        _ => Intake::Unknown,
    }
}

/// An rt-app document has its tasks by name, each with phases.
fn is_rtapp(value: &Value) -> bool {
    value.get("tasks").is_some_and(Value::is_object)
}

fn rtapp(scenario: &Scenario, value: &Value) -> Intake {
    match workload_form::read(scenario, 0, serde_json::json!({ "rtapp": value })) {
        Ok(workload) => Intake::RtApp(Box::new(Tasks::new("rtapp", workload))),
        Err(why) => Intake::Faulty("This rt-app document cannot be read.", vec![why]),
    }
}

#[cfg(test)]
mod tests {
    use teeter_scenario::presets;

    use super::*;

    fn of(text: &str) -> Intake {
        read(text, &presets::get("lu-group").unwrap())
    }

    #[test]
    fn texts_are_told_apart() {
        let scenario = presets::get("lu-group").unwrap();
        assert_eq!(
            of(&scenario.to_json_pretty()),
            Intake::Scenario(Box::new(scenario.clone()))
        );
        assert_eq!(
            of("https://example.org/teeter/#p=lu-group"),
            Intake::Link("#p=lu-group".to_owned())
        );
        let pieces = pieces::of_task(&scenario, 0).unwrap();
        assert_eq!(of(&pieces), Intake::Pieces(pieces.clone()));
        assert!(matches!(of("node:2 core:4 pu:2"), Intake::Machine(..)));
        let lscpu = "# CPU,Core,Socket,Node\n0,0,0,0\n1,1,0,0\n";
        assert!(matches!(of(lscpu), Intake::Machine(..)));
        assert_eq!(of("good morning"), Intake::Unknown);
        assert_eq!(of(""), Intake::Unknown);
    }

    #[test]
    fn what_looks_like_a_scenario_and_is_none_says_why() {
        let Intake::Faulty(_, lines) = of("{\"teeter\":1,\"machine\":{\"preset\":\"x\"}}") else {
            panic!("it is read");
        };
        assert!(!lines.is_empty());
    }
}
