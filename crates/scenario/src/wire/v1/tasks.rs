//! `tasks`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changed;
use super::shape::exactly_one;
use super::workload::Workload;
use crate::document as doc;
use crate::document::Policy;
use crate::problem::Problem;
use crate::{Bytes, CpuList, Nanos};

/// Threads that run one workload; a single one is called `name.index`, from 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Tasks {
    /// Unique name.
    name: String,
    /// The cgroup they start in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "/"))]
    cgroup: Option<String>,
    workload: Workload,
    /// Threads of each process.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("default" = 1))]
    threads: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -20, max = 19), extend("default" = 0))]
    nice: Option<i8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<Policy>,
    /// The CPUs they may use; by default all that their cgroup may.
    #[serde(skip_serializing_if = "Option::is_none")]
    affinity: Option<CpuList>,
    /// When the first is forked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "0s"))]
    start: Option<Nanos>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fork: Option<Fork>,
    /// Processes, each of `threads` threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("default" = 1))]
    processes: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Memory>,
    /// The session they belong to, for autogroup.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 0))]
    session: Option<u32>,
    /// Utilisation clamps, the least and the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = [0, 1024]))]
    uclamp: Option<(u32, u32)>,
    /// A slice of their own (v6.12 and later), which kernels take within 0.1 to 100 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<Nanos>,
}

/// How threads come into being: forked one after another `from` a parent's CPU (the kernel's fork placement
/// decides where each goes), or placed `on` CPUs, round robin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Fork {
    /// The parent's CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 0))]
    from: Option<u32>,
    /// Time from one fork to the next; goes with `from`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "0s"))]
    every: Option<Nanos>,
    /// The CPUs they are placed on.
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<CpuList>,
}

/// The memory that tasks touch; NUMA balancing looks only at tasks that have some.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Memory {
    /// How much, for each process.
    size: Bytes,
    /// The nodes it lies on, evenly; by default where it is first touched.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<CpuList>,
}

impl Tasks {
    /// What the types do not rule out.
    pub(super) fn check(&self, path: &str, problems: &mut Vec<Problem>) {
        let Some(fork) = &self.fork else { return };
        let path = format!("{path}/fork");
        if fork.every.is_some() && fork.from.is_none() && fork.on.is_some() {
            problems.push(Problem::new(format!("{path}/every"), "excludes `on`"));
        } else {
            let from = fork.from.is_some() || fork.every.is_some();
            let keys = [("from", from), ("on", fork.on.is_some())];
            exactly_one(&path, &keys, problems);
        }
    }
}

impl From<Tasks> for doc::Tasks {
    fn from(wire: Tasks) -> Self {
        let default = Self::new(wire.name, wire.workload.into());
        Self {
            cgroup: wire.cgroup.unwrap_or(default.cgroup),
            threads: wire.threads.unwrap_or(default.threads),
            nice: wire.nice.unwrap_or(default.nice),
            policy: wire.policy.unwrap_or(default.policy),
            affinity: wire.affinity,
            start: wire.start.unwrap_or(default.start),
            fork: wire.fork.map_or(default.fork, doc::Fork::from),
            processes: wire.processes.unwrap_or(default.processes),
            memory: wire.memory.map(|memory| doc::Memory {
                size: memory.size,
                nodes: memory.nodes,
            }),
            session: wire.session.unwrap_or(default.session),
            uclamp: wire
                .uclamp
                .map_or(default.uclamp, |(min, max)| doc::Uclamp { min, max }),
            slice: wire.slice,
            ..default
        }
    }
}

impl From<doc::Tasks> for Tasks {
    fn from(tasks: doc::Tasks) -> Self {
        let default = doc::Tasks::new("", doc::Workload::Hog);
        Self {
            name: tasks.name,
            cgroup: changed(tasks.cgroup, &default.cgroup),
            workload: tasks.workload.into(),
            threads: changed(tasks.threads, &default.threads),
            nice: changed(tasks.nice, &default.nice),
            policy: changed(tasks.policy, &default.policy),
            affinity: tasks.affinity,
            start: changed(tasks.start, &default.start),
            fork: changed(tasks.fork, &default.fork).map(Fork::from),
            processes: changed(tasks.processes, &default.processes),
            memory: tasks.memory.map(|memory| Memory {
                size: memory.size,
                nodes: memory.nodes,
            }),
            session: changed(tasks.session, &default.session),
            uclamp: changed(tasks.uclamp, &default.uclamp).map(|uclamp| (uclamp.min, uclamp.max)),
            slice: tasks.slice,
        }
    }
}

impl From<Fork> for doc::Fork {
    fn from(wire: Fork) -> Self {
        match wire.on {
            Some(cpus) => Self::On(cpus),
            None => Self::From {
                cpu: wire.from.unwrap_or_default(),
                every: wire.every.unwrap_or_default(),
            },
        }
    }
}

impl From<doc::Fork> for Fork {
    fn from(fork: doc::Fork) -> Self {
        match fork {
            doc::Fork::From { cpu, every } => Self {
                from: Some(cpu),
                every: changed(every, &Nanos::ZERO),
                on: None,
            },
            doc::Fork::On(cpus) => Self {
                on: Some(cpus),
                ..Self::default()
            },
        }
    }
}
