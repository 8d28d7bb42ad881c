//! One phase of a thread: events, over and over.

use std::collections::BTreeMap;

use teeter_scenario::problem::join;
use teeter_scenario::{CpuList, Problem};

use super::event::{Event, Kind};
use super::read::{Keys, Object};
use super::{Shares, Task, fair};
use crate::program::Op;

/// A phase.
#[derive(Debug)]
pub(super) struct Phase<'a> {
    /// Rounds; `None`: for ever.
    pub(super) rounds: Option<u32>,
    pub(super) cpus: Option<CpuList>,
    nice: Option<i8>,
    pub(super) events: Vec<Event<'a>>,
}

/// The keys of a phase object beside its events.
const PHASE: Keys = Keys(&[
    "loop",
    "policy",
    "priority",
    "cpus",
    "taskgroup",
    "nodes_membind",
    "util_min",
    "util_max",
    "dl-runtime",
    "dl-period",
    "dl-deadline",
]);

impl<'a> Phase<'a> {
    /// The phase of a thread object that has no `phases`.
    pub(super) fn of_task(object: &Object<'a>, keys: &Keys, problems: &mut Vec<Problem>) -> Self {
        Self {
            rounds: object.rounds("loop", Some(1), problems),
            cpus: None,
            nice: None,
            events: events(object, keys, problems),
        }
    }

    /// A phase object of a task.
    pub(super) fn of_its_own(
        object: &Object<'a>,
        task: &Task<'_>,
        problems: &mut Vec<Problem>,
    ) -> Self {
        object.refuse_unmodelled(problems);
        let path = join(&object.path, "policy");
        if let Some(policy) = object.text("policy", problems)
            && let Some(policy) = fair(policy, &path, problems)
            && policy != task.policy
        {
            problems.push(Problem::new(
                path,
                "a policy of the phase's own is not modelled",
            ));
        }
        if object
            .taskgroup(problems)
            .is_some_and(|group| Some(&group) != task.taskgroup.as_ref())
        {
            let path = join(&object.path, "taskgroup");
            problems.push(Problem::new(
                path,
                "a taskgroup of the phase's own is not modelled",
            ));
        }
        Self {
            rounds: object.rounds("loop", Some(1), problems),
            cpus: object.cpus(problems),
            nice: object.nice(problems),
            events: events(object, &PHASE, problems),
        }
    }

    /// Names of the barriers at which it waits, each as often as it does.
    pub(super) fn barriers(&self) -> impl Iterator<Item = &'a str> {
        self.events.iter().filter_map(|event| match event.kind {
            Kind::Barrier(name) => Some(name),
            _ => None,
        })
    }

    /// Names of the timers of its own.
    pub(super) fn unique_timers(&self) -> impl Iterator<Item = &'a str> {
        self.events.iter().filter_map(|event| match event.kind {
            Kind::Timer { timer, .. } if timer.starts_with("unique") => Some(timer),
            _ => None,
        })
    }

    /// How often a round forks a task of this name.
    pub(super) fn forks(&self, name: &str) -> u32 {
        self.events
            .iter()
            .filter(|event| matches!(event.kind, Kind::Fork(of) if of == name))
            .count() as u32
    }

    /// Appends its ops. `before` is the phase before it, if it is not the only one.
    pub(super) fn compile(
        &self,
        task: &Task<'_>,
        before: Option<&Phase<'_>>,
        thread: usize,
        pools: &BTreeMap<&str, (u32, u32)>,
        shares: &mut Shares,
        ops: &mut Vec<Op>,
    ) {
        if let Some(before) = before
            && before.cpus != self.cpus
        {
            // Without CPUs of its own it goes back to those of its task, or to all.
            let all = || (0..teeter_scenario::limits::CPUS).collect();
            let cpus = self
                .cpus
                .clone()
                .or_else(|| task.cpus.clone())
                .unwrap_or_else(all);
            ops.push(Op::Affinity {
                cpus: shares.cpu_set(cpus),
            });
        } else if before.is_none()
            && let Some(cpus) = &self.cpus
        {
            ops.push(Op::Affinity {
                cpus: shares.cpu_set(cpus.clone()),
            });
        }
        ops.extend(self.nice.map(Op::Nice));
        ops.push(Op::Loop {
            rounds: self.rounds,
        });
        let mut held = Vec::new();
        for event in &self.events {
            event.compile(task, thread, pools, shares, &mut held, ops);
        }
        ops.push(Op::End);
    }
}

/// The events of an object, in order. What is neither an event nor among the keys is a problem.
fn events<'a>(object: &Object<'a>, keys: &Keys, problems: &mut Vec<Problem>) -> Vec<Event<'a>> {
    let mut events = Vec::new();
    for (key, _) in object.entries() {
        if keys.0.contains(&key) {
            continue;
        }
        match Event::read(object, key, problems) {
            Some(event) => events.push(event),
            None if Event::is_one(key) => {}
            None => object.unknown(key, problems),
        }
    }
    if events.is_empty() {
        problems.push(Problem::new(&object.path, "there is no event in it"));
    }
    events
}
