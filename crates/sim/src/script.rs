//! Timed changes.

use std::collections::BTreeMap;
use std::ops::Range;

use teeter_machine::{CpuId, CpuSet, NodeId};
use teeter_scenario::document::{Action, Bandwidth, CgroupChange, ScriptEntry, SettingValue};
use teeter_scenario::problem::join;
use teeter_scenario::{CpuList, Nanos, Problem};
use teeter_sched::{GroupId, Sched};

use crate::support;
use crate::table::ThreadTable;

/// One change. Threads are told by their task numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A write to a tunable.
    Set { name: String, value: SettingValue },
    /// A write to cpu.weight.
    Weight { group: GroupId, weight: u32 },
    /// A write to cpu.max, with cpu.max.burst.
    Max {
        group: GroupId,
        max: Option<Bandwidth>,
        burst: Option<Nanos>,
    },
    /// A write to cpu.idle.
    Idle { group: GroupId, idle: bool },
    /// A write to cpuset.cpus.
    GroupCpus { group: GroupId, cpus: CpuSet },
    /// A write to cpuset.mems.
    GroupMems { group: GroupId, mems: Vec<NodeId> },
    /// Switches CPUs off.
    Offline { cpus: CpuSet },
    /// Switches CPUs on.
    Online { cpus: CpuSet },
    /// `taskset`
    Affinity { threads: Range<u32>, cpus: CpuSet },
    /// Moves to another cgroup.
    Move { threads: Range<u32>, to: GroupId },
    /// `renice`
    Nice { threads: Range<u32>, nice: i8 },
    /// A write to `/proc/PID/autogroup`.
    Autogroup { threads: Range<u32>, nice: i8 },
    /// `sched_setattr`; `None` = no slice of its own.
    Slice {
        threads: Range<u32>,
        slice: Option<Nanos>,
    },
    /// Starts threads that have not begun.
    Start { threads: Range<u32> },
    /// Kills threads.
    Stop { threads: Range<u32> },
}

/// What a script may name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a> {
    /// The scheduler's number of each cgroup, by path.
    pub(crate) groups: &'a BTreeMap<String, GroupId>,
    pub(crate) table: &'a ThreadTable,
    /// CPUs of the machine.
    pub(crate) cpus: CpuSet,
    /// How many nodes the machine has.
    pub(crate) nodes: usize,
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
        names: Names<'_>,
        sched: &Sched,
    ) -> Result<(), Vec<Problem>> {
        let changes = names.changes(path, &entry.action)?;
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

impl Names<'_> {
    /// What an entry at `path` comes to.
    fn changes(&self, path: &str, action: &Action) -> Result<Vec<Change>, Vec<Problem>> {
        match action {
            Action::Set(settings) => Ok(settings
                .iter()
                .map(|(name, value)| Change::Set {
                    name: name.clone(),
                    value: value.clone(),
                })
                .collect()),
            Action::Cgroup(change) => self.of_cgroup(&format!("{path}/cgroup"), change),
            Action::Affinity { task, cpus } => {
                let path = format!("{path}/affinity");
                let threads = self.threads(&format!("{path}/task"), task)?;
                let cpus = self.cpus(&format!("{path}/cpus"), cpus)?;
                Ok(vec![Change::Affinity { threads, cpus }])
            }
            Action::Move { task, to } => {
                let threads = self.threads(&format!("{path}/move/task"), task)?;
                let to = self.group(&format!("{path}/move/to"), to)?;
                Ok(vec![Change::Move { threads, to }])
            }
            Action::Nice { task, nice } => {
                let threads = self.threads(&format!("{path}/nice/task"), task)?;
                let nice = *nice;
                Ok(vec![Change::Nice { threads, nice }])
            }
            Action::Autogroup { task, nice } => {
                let threads = self.threads(&format!("{path}/autogroup/task"), task)?;
                let nice = *nice;
                Ok(vec![Change::Autogroup { threads, nice }])
            }
            Action::Slice { task, slice } => {
                let threads = self.threads(&format!("{path}/slice/task"), task)?;
                let slice = Some(*slice).filter(|slice| *slice != Nanos::ZERO);
                Ok(vec![Change::Slice { threads, slice }])
            }
            Action::Start(task) => {
                let threads = self.threads(&format!("{path}/start"), task)?;
                Ok(vec![Change::Start { threads }])
            }
            Action::Stop(task) => {
                let threads = self.threads(&format!("{path}/stop"), task)?;
                Ok(vec![Change::Stop { threads }])
            }
            Action::Offline(cpus) => {
                let cpus = self.cpus(&format!("{path}/offline"), cpus)?;
                Ok(vec![Change::Offline { cpus }])
            }
            Action::Online(cpus) => {
                let cpus = self.cpus(&format!("{path}/online"), cpus)?;
                Ok(vec![Change::Online { cpus }])
            }
        }
    }

    fn of_cgroup(&self, path: &str, change: &CgroupChange) -> Result<Vec<Change>, Vec<Problem>> {
        let group = self.group(&format!("{path}/path"), &change.path)?;
        let mut changes = Vec::new();
        if let Some(weight) = change.weight {
            changes.push(Change::Weight { group, weight });
        }
        if let Some(idle) = change.idle {
            changes.push(Change::Idle { group, idle });
        }
        if change.max.is_some() || change.burst.is_some() {
            let (max, burst) = (change.max, change.burst);
            changes.push(Change::Max { group, max, burst });
        }
        if let Some(cpus) = &change.cpus {
            let cpus = self.cpus(&format!("{path}/cpus"), cpus)?;
            changes.push(Change::GroupCpus { group, cpus });
        }
        if let Some(mems) = &change.mems {
            let mems = self.nodes(&format!("{path}/mems"), mems)?;
            changes.push(Change::GroupMems { group, mems });
        }
        Ok(changes)
    }

    /// Threads that a script starts, which do not start by themselves.
    pub(crate) fn started_by(&self, script: &[ScriptEntry]) -> Vec<u32> {
        let started = |entry: &ScriptEntry| match &entry.action {
            Action::Start(name) => self.threads("", name).ok(),
            _ => None,
        };
        script.iter().filter_map(started).flatten().collect()
    }

    /// Threads of `name`, or the one of `name.index`.
    fn threads(&self, path: &str, name: &str) -> Result<Range<u32>, Vec<Problem>> {
        let mut first = 0;
        for task in &self.table.tasks {
            if task.name == name {
                return Ok(first..first + task.threads);
            }
            let index = name
                .strip_prefix(&task.name)
                .and_then(|rest| rest.strip_prefix('.'))
                .and_then(|index| index.parse::<u32>().ok());
            if let Some(index) = index.filter(|&index| index < task.threads) {
                return Ok(first + index..first + index + 1);
            }
            first += task.threads;
        }
        let known = self.table.tasks.iter().map(|task| task.name.as_str());
        Err(vec![Problem::unknown(path, "task", name, known)])
    }

    fn group(&self, path: &str, name: &str) -> Result<GroupId, Vec<Problem>> {
        if name == "/" {
            return Ok(GroupId::ROOT);
        }
        self.groups.get(name).copied().ok_or_else(|| {
            let known = self.groups.keys().map(String::as_str);
            vec![Problem::unknown(path, "cgroup", name, known)]
        })
    }

    fn cpus(&self, path: &str, list: &CpuList) -> Result<CpuSet, Vec<Problem>> {
        let cpus: CpuSet = list.iter().map(|cpu| CpuId(cpu as u16)).collect();
        if cpus.intersects(&self.cpus) {
            return Ok(cpus);
        }
        let message = "no CPU in it is one of the machine's";
        Err(vec![Problem::new(path, message)])
    }

    fn nodes(&self, path: &str, list: &CpuList) -> Result<Vec<NodeId>, Vec<Problem>> {
        support::mems(path, list, self.nodes).map_or(Ok(()), |problem| Err(vec![problem]))?;
        Ok(list.iter().map(|node| NodeId(node as u16)).collect())
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
