//! `script`

use std::collections::BTreeMap;

use super::{Report, cgroups, tasks};
use crate::document::{Action, CgroupChange, Scenario};
use crate::limits;
use crate::problem::Problem;

pub(super) fn check(scenario: &Scenario, report: &mut Report) {
    report.length("/script", "entries", scenario.script.len(), limits::SCRIPT);
    let known = Known::of(scenario);
    for (i, entry) in scenario.script.iter().enumerate() {
        let path = format!("/script/{i}");
        if entry.at > limits::DURATION {
            report.add(
                format!("{path}/at"),
                format!("{} is later than any run: {}", entry.at, limits::DURATION),
            );
        }
        check_action(&path, &entry.action, &known, report);
    }
}

/// What a script may name.
struct Known<'a> {
    /// Threads by the tasks' name.
    threads: BTreeMap<&'a str, u64>,
    cgroups: std::collections::BTreeSet<&'a str>,
}

impl<'a> Known<'a> {
    fn of(scenario: &'a Scenario) -> Self {
        let threads =
            |tasks: &'a crate::document::Tasks| (tasks.name.as_str(), tasks.thread_count());
        Self {
            threads: scenario.tasks.iter().map(threads).collect(),
            cgroups: cgroups::all(&scenario.cgroups),
        }
    }

    /// A task is `name` or `name.index`.
    fn check_task(&self, path: String, task: &str, report: &mut Report) {
        if self.threads.contains_key(task) {
            return;
        }
        let thread = task
            .rsplit_once('.')
            .and_then(|(name, index)| Some((self.threads.get(name)?, index.parse::<u64>().ok()?)));
        match thread {
            Some((threads, index)) if index < *threads => {}
            Some((threads, _)) => report.add(
                path,
                format!(
                    "there is no thread `{task}`: the last is {}",
                    threads.saturating_sub(1)
                ),
            ),
            None => {
                let names = self.threads.keys().copied();
                report.push(Problem::unknown(path, "task", task, names));
            }
        }
    }
}

fn check_action(path: &str, action: &Action, known: &Known<'_>, report: &mut Report) {
    match action {
        Action::Set(settings) => {
            let path = format!("{path}/set");
            if settings.is_empty() {
                report.add(&path, "sets nothing");
            }
            report.settings(&path, settings);
        }
        Action::Affinity { task, cpus } => {
            known.check_task(format!("{path}/affinity/task"), task, report);
            report.some_cpus(&format!("{path}/affinity/cpus"), cpus);
        }
        Action::Cgroup(change) => check_change(&format!("{path}/cgroup"), change, known, report),
        Action::Move { task, to } => {
            known.check_task(format!("{path}/move/task"), task, report);
            cgroups::check_known(&format!("{path}/move/to"), to, &known.cgroups, report);
        }
        Action::Start(task) => known.check_task(format!("{path}/start"), task, report),
        Action::Stop(task) => known.check_task(format!("{path}/stop"), task, report),
        Action::Offline(cpus) => report.some_cpus(&format!("{path}/offline"), cpus),
        Action::Online(cpus) => report.some_cpus(&format!("{path}/online"), cpus),
        Action::Nice { task, nice } => {
            known.check_task(format!("{path}/nice/task"), task, report);
            tasks::check_nice(&format!("{path}/nice/nice"), *nice, report);
        }
        Action::Autogroup { task, nice } => {
            known.check_task(format!("{path}/autogroup/task"), task, report);
            tasks::check_nice(&format!("{path}/autogroup/nice"), *nice, report);
        }
        Action::Slice { task, .. } => known.check_task(format!("{path}/slice/task"), task, report),
    }
}

fn check_change(path: &str, change: &CgroupChange, known: &Known<'_>, report: &mut Report) {
    let place = format!("{path}/path");
    if change.path == "/" {
        report.add(place, "the root has no settings of its own");
    } else {
        cgroups::check_known(&place, &change.path, &known.cgroups, report);
    }
    if let Some(weight) = change.weight {
        cgroups::check_weight(&format!("{path}/weight"), weight, report);
    }
    if let Some(max) = change.max {
        cgroups::check_max(&format!("{path}/max"), max, report);
    }
    for (key, cpus) in [("cpus", &change.cpus), ("mems", &change.mems)] {
        if let Some(cpus) = cpus {
            report.some_cpus(&format!("{path}/{key}"), cpus);
        }
    }
}
