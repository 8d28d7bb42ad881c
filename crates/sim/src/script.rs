//! Timed changes.

use std::collections::BTreeMap;

use teeter_scenario::document::{Action, ScriptEntry, SettingValue};
use teeter_scenario::problem::join;
use teeter_scenario::{Nanos, Problem};
use teeter_sched::{GroupId, Sched};

use crate::support;

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A write to a tunable.
    Set { name: String, value: SettingValue },
    /// A write to cpu.weight.
    Weight { group: GroupId, weight: u32 },
}

/// Changes by time; those of one time in the order they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    changes: Vec<(u64, Change)>,
    done: usize,
}

impl Script {
    /// Adds what a script entry does, after everything of the same time. Adds nothing if it has problems;
    /// `path` is where the entry stands.
    pub(crate) fn add(
        &mut self,
        path: &str,
        entry: &ScriptEntry,
        groups: &BTreeMap<String, GroupId>,
        sched: &Sched,
    ) -> Result<(), Vec<Problem>> {
        let problems = support::of_action(path, &entry.action);
        if !problems.is_empty() {
            return Err(problems);
        }
        let changes = changes(path, &entry.action, groups)?;
        check(path, &changes, sched)?;
        let at = self
            .changes
            .partition_point(|(time, _)| *time <= entry.at.0)
            .max(self.done);
        let timed = changes.into_iter().map(|change| (entry.at.0, change));
        self.changes.splice(at..at, timed);
        Ok(())
    }

    /// When the next change is due.
    pub(crate) fn next_time(&self) -> Option<u64> {
        self.changes.get(self.done).map(|(time, _)| *time)
    }

    /// The next change if it is due by `now`; it counts as done.
    pub(crate) fn take_due(&mut self, now: u64) -> Option<Change> {
        let (_, change) = self
            .changes
            .get(self.done)
            .filter(|(time, _)| *time <= now)?;
        self.done += 1;
        Some(change.clone())
    }
}

/// Carries out a change. Whether it can be was checked when it was added.
pub(crate) fn apply(change: &Change, sched: &mut Sched, now: Nanos) {
    match change {
        Change::Set { name, value } => {
            let written = sched.set(name, value);
            debug_assert_eq!(written, Ok(()), "a change is tried when it is added");
        }
        Change::Weight { group, weight } => sched.set_group_weight(now, *group, *weight),
    }
}

fn changes(
    path: &str,
    action: &Action,
    groups: &BTreeMap<String, GroupId>,
) -> Result<Vec<Change>, Vec<Problem>> {
    match action {
        Action::Set(settings) => Ok(settings
            .iter()
            .map(|(name, value)| Change::Set {
                name: name.clone(),
                value: value.clone(),
            })
            .collect()),
        Action::Cgroup(change) => {
            let Some(&group) = groups.get(&change.path) else {
                let known = groups.keys().map(String::as_str);
                let path = format!("{path}/cgroup/path");
                return Err(vec![Problem::unknown(path, "cgroup", &change.path, known)]);
            };
            Ok(change
                .weight
                .map(|weight| Change::Weight { group, weight })
                .into_iter()
                .collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// Tries the writes on a kernel that is thrown away.
fn check(path: &str, changes: &[Change], sched: &Sched) -> Result<(), Vec<Problem>> {
    let mut trial = None;
    let mut problems = Vec::new();
    for change in changes {
        if let Change::Set { name, value } = change {
            let trial = trial.get_or_insert_with(|| sched.clone());
            if let Err(error) = trial.set(name, value) {
                problems.push(error.problem(join(&format!("{path}/set"), name)));
            }
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}
