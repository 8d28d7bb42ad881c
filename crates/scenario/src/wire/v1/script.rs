//! `script`

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shape::exactly_one;
use crate::document as doc;
use crate::document::{Action, Bandwidth, SettingValue};
use crate::problem::Problem;
use crate::{CpuList, Nanos};

/// One change at one moment: `at` and exactly one action. A task is `name` (all its threads) or `name.index`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptEntry {
    /// When, from the start of the run.
    at: Nanos,
    /// Write tunables, by dotted name.
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<BTreeMap<String, SettingValue>>,
    /// Bind a task to CPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    affinity: Option<Affinity>,
    /// Write files of a cgroup.
    #[serde(skip_serializing_if = "Option::is_none")]
    cgroup: Option<CgroupChange>,
    /// Move a task to another cgroup.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    moved: Option<Move>,
    /// Start a task, which then does not start by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// End a task.
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<String>,
    /// Switch CPUs off.
    #[serde(skip_serializing_if = "Option::is_none")]
    offline: Option<CpuList>,
    /// Switch CPUs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    online: Option<CpuList>,
    /// Change a task's nice value.
    #[serde(skip_serializing_if = "Option::is_none")]
    nice: Option<Nice>,
    /// Give the group of a task's session the weight of a nice value (`/proc/PID/autogroup`).
    #[serde(skip_serializing_if = "Option::is_none")]
    autogroup: Option<Nice>,
    /// Give a task a slice of its own (`sched_setattr`, v6.12 and later).
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<Slice>,
}

/// Which task is bound to which CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Affinity {
    task: String,
    cpus: CpuList,
}

/// The files of a cgroup that are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CgroupChange {
    path: String,
    /// cpu.weight
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10000))]
    weight: Option<u32>,
    /// cpu.max
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<Bandwidth>,
    /// cpuset.cpus
    #[serde(skip_serializing_if = "Option::is_none")]
    cpus: Option<CpuList>,
    /// cpuset.mems
    #[serde(skip_serializing_if = "Option::is_none")]
    mems: Option<CpuList>,
    /// cpu.idle
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<bool>,
    /// cpu.max.burst
    #[serde(skip_serializing_if = "Option::is_none")]
    burst: Option<Nanos>,
}

/// Which task moves to which cgroup.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Move {
    task: String,
    to: String,
}

/// Which task gets which nice value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nice {
    task: String,
    #[schemars(range(min = -20, max = 19))]
    nice: i8,
}

/// Which task gets which slice; kernels take it within 0.1 to 100 ms, 0 = the kernel's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Slice {
    task: String,
    slice: Nanos,
}

impl ScriptEntry {
    /// What the types do not rule out.
    pub(super) fn check(&self, path: &str, problems: &mut Vec<Problem>) {
        let actions = [
            ("set", self.set.is_some()),
            ("affinity", self.affinity.is_some()),
            ("cgroup", self.cgroup.is_some()),
            ("move", self.moved.is_some()),
            ("start", self.start.is_some()),
            ("stop", self.stop.is_some()),
            ("offline", self.offline.is_some()),
            ("online", self.online.is_some()),
            ("nice", self.nice.is_some()),
            ("autogroup", self.autogroup.is_some()),
            ("slice", self.slice.is_some()),
        ];
        exactly_one(path, &actions, problems);
    }

    /// The first action there is; [`check`](Self::check) reports it if there is not exactly one.
    fn action(self) -> Action {
        let affinity = self.affinity.map(|a| Action::Affinity {
            task: a.task,
            cpus: a.cpus,
        });
        let cgroup = self.cgroup.map(|c| {
            Action::Cgroup(doc::CgroupChange {
                path: c.path,
                weight: c.weight,
                max: c.max,
                cpus: c.cpus,
                mems: c.mems,
                idle: c.idle,
                burst: c.burst,
            })
        });
        let moved = self.moved.map(|m| Action::Move {
            task: m.task,
            to: m.to,
        });
        let nice = self.nice.map(|n| Action::Nice {
            task: n.task,
            nice: n.nice,
        });
        let autogroup = self.autogroup.map(|n| Action::Autogroup {
            task: n.task,
            nice: n.nice,
        });
        let slice = self.slice.map(|s| Action::Slice {
            task: s.task,
            slice: s.slice,
        });
        self.set
            .map(Action::Set)
            .or(affinity)
            .or(cgroup)
            .or(moved)
            .or(self.start.map(Action::Start))
            .or(self.stop.map(Action::Stop))
            .or(self.offline.map(Action::Offline))
            .or(self.online.map(Action::Online))
            .or(nice)
            .or(autogroup)
            .or(slice)
            .unwrap_or_else(|| Action::Set(BTreeMap::new()))
    }
}

impl From<ScriptEntry> for doc::ScriptEntry {
    fn from(wire: ScriptEntry) -> Self {
        Self {
            at: wire.at,
            action: wire.action(),
        }
    }
}

impl From<doc::ScriptEntry> for ScriptEntry {
    fn from(entry: doc::ScriptEntry) -> Self {
        let mut wire = Self {
            at: entry.at,
            ..Self::default()
        };
        match entry.action {
            Action::Set(settings) => wire.set = Some(settings),
            Action::Affinity { task, cpus } => wire.affinity = Some(Affinity { task, cpus }),
            Action::Cgroup(change) => {
                wire.cgroup = Some(CgroupChange {
                    path: change.path,
                    weight: change.weight,
                    max: change.max,
                    cpus: change.cpus,
                    mems: change.mems,
                    idle: change.idle,
                    burst: change.burst,
                });
            }
            Action::Move { task, to } => wire.moved = Some(Move { task, to }),
            Action::Start(task) => wire.start = Some(task),
            Action::Stop(task) => wire.stop = Some(task),
            Action::Offline(cpus) => wire.offline = Some(cpus),
            Action::Online(cpus) => wire.online = Some(cpus),
            Action::Nice { task, nice } => wire.nice = Some(Nice { task, nice }),
            Action::Autogroup { task, nice } => wire.autogroup = Some(Nice { task, nice }),
            Action::Slice { task, slice } => wire.slice = Some(Slice { task, slice }),
        }
        wire
    }
}
