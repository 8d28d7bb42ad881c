//! Checks a scenario as far as that is possible without knowing machines, kernels or workloads: names and
//! references, ranges, and how large it all is ([`limits`]).

mod cgroups;
mod kernels;
mod machine;
mod program;
mod run;
mod script;
mod tasks;

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::CpuList;
use crate::document::{Scenario, SettingValue};
use crate::limits;
use crate::problem::{Problem, join};

/// Everything that is wrong with a scenario, in the order of the document.
pub fn validate(scenario: &Scenario) -> Vec<Problem> {
    let mut report = Report::default();
    report.text("/name", &scenario.name, limits::NAME);
    report.text("/about", &scenario.about, limits::ABOUT);
    machine::check(&scenario.machine, &mut report);
    cgroups::check(&scenario.cgroups, &mut report);
    tasks::check(scenario, &mut report);
    kernels::check(&scenario.kernels, &mut report);
    script::check(scenario, &mut report);
    run::check(&scenario.run, &mut report);
    report.problems
}

/// Problems found so far.
#[derive(Debug, Default)]
struct Report {
    problems: Vec<Problem>,
}

impl Report {
    /// Notes a problem.
    fn add(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.push(Problem::new(path, message));
    }

    /// Notes a problem with a hint. Beyond the limit nothing more is kept.
    fn push(&mut self, problem: Problem) {
        if self.problems.len() < limits::PROBLEMS {
            self.problems.push(problem);
        }
    }

    /// A number must lie within a range.
    fn within<T: PartialOrd + Display>(&mut self, path: &str, value: &T, least: &T, most: &T) {
        if value < least || value > most {
            self.add(path, format!("{value} is not within {least} to {most}"));
        }
    }

    /// A list must not be too long.
    fn length(&mut self, path: &str, what: &str, length: usize, most: usize) {
        if length > most {
            self.add(
                path,
                format!("{length} {what} are too many: at most {most}"),
            );
        }
    }

    /// A text must be plain and not too long.
    fn text(&mut self, path: &str, text: &str, most: usize) {
        if text.chars().nth(most).is_some() {
            self.add(path, format!("longer than {most} characters"));
        }
        if text.chars().any(|c| c.is_control() && c != '\n') {
            self.add(path, "holds a control character");
        }
    }

    /// A name must be there, plain, and not too long.
    fn name(&mut self, path: &str, name: &str) {
        if name.trim().is_empty() {
            self.add(path, "is empty");
        }
        self.text(path, name, limits::NAME);
        if name.contains('\n') {
            self.add(path, "holds a line break");
        }
    }

    /// A set of CPUs or nodes that is given must hold some.
    fn some_cpus(&mut self, path: &str, cpus: &CpuList) {
        if cpus.is_empty() {
            self.push(Problem::new(path, "is empty").with_hint("leave the key out for no limit"));
        }
    }

    /// Settings must have names, and not too many.
    fn settings(&mut self, path: &str, settings: &BTreeMap<String, SettingValue>) {
        self.length(path, "settings", settings.len(), limits::SETTINGS);
        for (name, value) in settings {
            let path = join(path, name);
            self.name(&path, name);
            if let SettingValue::Text(text) = value {
                self.text(&path, text, limits::NAME);
            }
        }
    }
}
