//! What a scenario may say that this engine does not do yet: refused, never passed over.

use teeter_scenario::document::{Action, Cgroup, Partition, Scenario, Tasks, Uclamp};
use teeter_scenario::{CpuList, Problem};

/// Everything in the scenario that the engine would have to ignore.
pub(crate) fn problems(scenario: &Scenario) -> Vec<Problem> {
    let cgroups = (0..)
        .zip(&scenario.cgroups)
        .flat_map(|(i, cgroup)| of_cgroup(i, cgroup));
    let tasks = (0..)
        .zip(&scenario.tasks)
        .flat_map(|(i, tasks)| of_tasks(i, tasks));
    let script = (0..)
        .zip(&scenario.script)
        .flat_map(|(i, entry)| of_action(&format!("/script/{i}"), &entry.action));
    cgroups.chain(tasks).chain(script).collect()
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

fn not_yet(path: &str, key: &str, what: &str) -> Problem {
    Problem::new(
        format!("{path}/{key}"),
        format!("this engine does not do {what} yet"),
    )
}

fn of_cgroup(index: usize, cgroup: &Cgroup) -> Vec<Problem> {
    let path = format!("/cgroups/{index}");
    let checks = [(
        cgroup.partition != Partition::Member,
        "partition",
        "cpuset partitions",
    )];
    refused(&path, &checks)
}

fn of_tasks(index: usize, tasks: &Tasks) -> Vec<Problem> {
    let path = format!("/tasks/{index}");
    let checks = [
        (tasks.session != 0, "session", "autogroup"),
        (
            tasks.uclamp != Uclamp::default(),
            "uclamp",
            "utilisation clamps",
        ),
    ];
    refused(&path, &checks)
}

/// What a script entry at `path` asks for that cannot be done.
pub(crate) fn of_action(path: &str, action: &Action) -> Vec<Problem> {
    let (key, what) = match action {
        Action::Set(_)
        | Action::Cgroup(_)
        | Action::Affinity { .. }
        | Action::Move { .. }
        | Action::Start(_)
        | Action::Stop(_)
        | Action::Nice { .. } => return Vec::new(),
        Action::Offline(_) => ("offline", "CPU hot-unplug"),
        Action::Online(_) => ("online", "CPU hot-plug"),
    };
    vec![not_yet(path, key, what)]
}

fn refused(path: &str, checks: &[(bool, &str, &str)]) -> Vec<Problem> {
    checks
        .iter()
        .filter(|(asked, ..)| *asked)
        .map(|(_, key, what)| not_yet(path, key, what))
        .collect()
}
