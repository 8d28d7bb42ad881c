//! Version 1 of the format. Released: a change that an older reader would misunderstand goes into a new version.
//!
//! These types say what may be written. Every key but the required ones is an `Option`, so that what was left
//! out is known; the conversions to and from [`document`](crate::document) fill defaults in and leave them out.

mod cgroup;
mod kernel;
mod machine;
mod run;
mod script;
mod shape;
mod tasks;
mod workload;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::cgroup::Cgroup;
use self::kernel::Kernel;
use self::machine::Machine;
use self::run::Run;
use self::script::ScriptEntry;
use self::tasks::Tasks;
use crate::document as doc;
use crate::problem::Problem;

/// What is simulated: a machine, cgroups and tasks on it, the kernels to compare, changes over time, and for
/// how long to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Teeter scenario, version 1")]
pub struct Scenario {
    /// Version of the format.
    #[schemars(extend("const" = 1))]
    pub(crate) teeter: u32,
    /// Name, plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What it shows, plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    machine: Machine,
    /// The cgroup tree by path; `/` always exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    cgroups: Option<Vec<Cgroup>>,
    /// The tasks, grouped by workload.
    tasks: Vec<Tasks>,
    /// The kernels to compare, one to four; by default the newest preset.
    #[serde(skip_serializing_if = "Option::is_none")]
    kernels: Option<Vec<Kernel>>,
    /// Changes over time, in any order.
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<Vec<ScriptEntry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Run>,
}

impl Scenario {
    /// What the types alone do not rule out: keys that exclude each other, or of which one is needed.
    pub(crate) fn shape_problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        self.machine.check("/machine", &mut problems);
        for (i, tasks) in self.tasks.iter().enumerate() {
            tasks.check(&format!("/tasks/{i}"), &mut problems);
        }
        for (i, entry) in self.script.iter().flatten().enumerate() {
            entry.check(&format!("/script/{i}"), &mut problems);
        }
        problems
    }
}

impl From<Scenario> for doc::Scenario {
    fn from(wire: Scenario) -> Self {
        Self {
            name: wire.name.unwrap_or_default(),
            about: wire.about.unwrap_or_default(),
            machine: wire.machine.into(),
            cgroups: into_all(wire.cgroups.unwrap_or_default()),
            tasks: into_all(wire.tasks),
            kernels: wire
                .kernels
                .map_or_else(|| vec![doc::Kernel::default()], into_all),
            script: into_all(wire.script.unwrap_or_default()),
            run: wire.run.unwrap_or_default().into(),
        }
    }
}

impl From<doc::Scenario> for Scenario {
    fn from(scenario: doc::Scenario) -> Self {
        Self {
            teeter: 1,
            name: unless_empty(scenario.name),
            about: unless_empty(scenario.about),
            machine: scenario.machine.into(),
            cgroups: some_all(scenario.cgroups),
            tasks: into_all(scenario.tasks),
            // Always written: the newest kernel of today is not that of the day a link is opened.
            kernels: Some(into_all(scenario.kernels)),
            script: some_all(scenario.script),
            run: changed(scenario.run.into(), &Run::default()),
        }
    }
}

/// The value, unless it is the default.
fn changed<T: PartialEq>(value: T, default: &T) -> Option<T> {
    (value != *default).then_some(value)
}

/// The text, unless there is none.
fn unless_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Each element converted.
fn into_all<T, U: From<T>>(values: Vec<T>) -> Vec<U> {
    values.into_iter().map(U::from).collect()
}

/// Each element converted, unless there is none.
fn some_all<T, U: From<T>>(values: Vec<T>) -> Option<Vec<U>> {
    (!values.is_empty()).then(|| into_all(values))
}
