//! What a scenario may say that this engine does not do yet: refused, never passed over.

use teeter_scenario::document::{Scenario, Tasks, Uclamp};
use teeter_scenario::{CpuList, Problem};

/// Everything in the scenario that the engine would have to ignore.
pub(crate) fn problems(scenario: &Scenario) -> Vec<Problem> {
    let clamped = |(_, tasks): &(usize, &Tasks)| tasks.uclamp != Uclamp::default();
    (0..)
        .zip(&scenario.tasks)
        .filter(clamped)
        .map(|(i, _)| not_yet(&format!("/tasks/{i}/uclamp"), "utilisation clamps"))
        .collect()
}

/// Most values the recorded series may hold: 4 bytes each in the main.
const SERIES_VALUES: u64 = 1 << 25;

/// Refuses series that would take more memory than there is.
pub(crate) fn series(scenario: &Scenario, nodes: usize) -> Option<Problem> {
    let columns = (scenario.tasks.len() as u64 + 1) * (nodes as u64 + 1);
    let rows = scenario.run.duration.0 / scenario.run.sample.0.max(1);
    let values = columns.saturating_mul(rows);
    (values > SERIES_VALUES).then(|| {
        let fitting = SERIES_VALUES / columns;
        Problem::new(
            "/run/sample",
            format!("{rows} samples of so many tasks and nodes are too many to keep"),
        )
        .with_hint(format!(
            "at most {fitting} samples fit: sample less often, or run shorter"
        ))
    })
}

/// What is wrong with the `cpuset.mems` of a machine of so many nodes.
pub(crate) fn mems(path: &str, list: &CpuList, nodes: usize) -> Option<Problem> {
    let strange = list.iter().find(|&node| node as usize >= nodes);
    strange.map(|node| Problem::new(path, format!("the machine has no node {node}")))
}

fn not_yet(path: &str, what: &str) -> Problem {
    Problem::new(path, format!("this engine does not do {what} yet"))
}
