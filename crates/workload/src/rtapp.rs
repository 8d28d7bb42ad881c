//! rt-app documents, as they are (doc/tutorial.txt and src/rt-app_parse_config.c of rt-app).
//!
//! Times are in µs. What is modelled: threads with instances, delays, phases and loops; `run`, `runtime`, `sleep`,
//! `timer` (shared or unique, relative or absolute), `lock`, `unlock`, `wait`, `signal`, `broad`, `sync`, `barrier`,
//! `suspend`, `resume`, `sem_post`, `sem_wait`, `mem`, `iorun`, `yield` and `fork`; the fair policies with their
//! priorities; `cpus` and `taskgroup`. Another key is a problem with its path, unless it begins with `_` or
//! `comment`; what says how rt-app logs is passed over.
//!
//! Where rt-app leaves things open:
//!
//! - an event is known by what its key begins with, as in rt-app: `run`, `run0` and `running` are all `run`;
//! - `wait` and `sync` outside of a `lock` of their mutex wait without one, and `sync` is then the whole sequence of
//!   the tutorial;
//! - `suspend` waits under the name of its own task, whatever is written behind it (tutorial: "String is ignored"),
//!   but for a name that some `resume` calls and no task bears, as in the examples that come with rt-app;
//! - `mem` sets so many bytes of a buffer that lies in the last-level cache, at 10 GB/s, and `iorun` writes so many
//!   to /dev/null, a buffer a call: both assumed, and both without memory that NUMA balancing would see;
//! - the threads are created one after another, 50 µs apart, from the CPU of `fork.from`.

mod event;
mod phase;
mod read;
mod text;

pub use text::document;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use teeter_scenario::document::{Policy, Tasks, Workload};
use teeter_scenario::problem::join;
use teeter_scenario::{CpuList, Nanos, Problem, limits};

use crate::individual::{Birth, Individual};
use crate::program::{Measure, Metric, Op, Program, Programs, Traits};
use crate::shared::{Channel, Mutex, Shared};
use event::Event;
use phase::Phase;
use read::{Keys, Object};

/// Between two threads that rt-app creates.
const CREATE: Nanos = Nanos::from_micros(50);

/// Most times that one `fork` event is good for (`FORKS_LIMIT`).
const FORKS: u32 = 1024;

/// Names of things that threads share, numbered as they are met.
#[derive(Debug, Default)]
struct Shares {
    mutexes: Names,
    conditions: Names,
    suspended: Names,
    /// With the number of threads that meet.
    barriers: Vec<(String, u32)>,
    semaphores: Names,
    timers: Names,
    cpus: Vec<CpuList>,
    /// Names that `resume` calls and no task bears.
    strangers: BTreeSet<String>,
}

/// Numbers of names, as they come.
#[derive(Debug, Default)]
struct Names(BTreeMap<String, u32>);

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.0.get(name) {
            return number;
        }
        let number = self.0.len() as u32;
        self.0.insert(name.to_owned(), number);
        number
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// A thread object.
#[derive(Debug)]
struct Task<'a> {
    name: &'a str,
    instances: u32,
    delay: Nanos,
    /// Rounds of all phases; `None`: for ever.
    rounds: Option<u32>,
    nice: i8,
    policy: Policy,
    cpus: Option<CpuList>,
    taskgroup: Option<String>,
    phases: Vec<Phase<'a>>,
}

/// The keys of a thread object.
const TASK: Keys = Keys(&[
    "instance",
    "loop",
    "delay",
    "phases",
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
    "period",
    "deadline",
]);

/// Compiles an rt-app document.
pub(crate) fn compile(
    document: &Value,
    tasks: &Tasks,
    traits: Traits,
) -> Result<Programs, Vec<Problem>> {
    let path = "/workload/rtapp";
    let mut problems = Vec::new();
    if tasks.processes > 1 || tasks.threads > 1 {
        let problem = Problem::new(
            path,
            "an rt-app document says itself how many threads there are",
        );
        problems.push(problem.with_hint("leave `threads` and `processes` out"));
    }
    let parsed = parse(document, path, &mut problems);
    if !problems.is_empty() {
        problems.truncate(limits::PROBLEMS);
        return Err(problems);
    }
    let threads: u64 = parsed.iter().map(|task| u64::from(task.instances)).sum();
    if threads == 0 || threads > u64::from(limits::THREADS) {
        let message = format!("{threads} threads are not within 1 to {}", limits::THREADS);
        return Err(vec![Problem::new(join(path, "tasks"), message)]);
    }
    Ok(Assembly::default().programs(&parsed, traits))
}

/// Names of the taskgroups that the tasks of a document name.
pub fn taskgroups(tasks: &Tasks) -> Vec<String> {
    let Workload::RtApp(document) = &tasks.workload else {
        return Vec::new();
    };
    let parsed = parse(document, "", &mut Vec::new());
    let mut groups: Vec<String> = parsed
        .into_iter()
        .filter_map(|task| task.taskgroup)
        .collect();
    groups.sort();
    groups.dedup();
    groups
}

/// What a document says beside its threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// How long it lasts; `None`: until its threads end.
    pub duration: Option<Nanos>,
    /// One more than the highest CPU it names.
    pub cpus: u32,
    /// What is passed over.
    pub notes: Vec<String>,
}

/// What a document says beside its threads.
pub fn about(document: &Value) -> About {
    let global = document.get("global");
    let duration = global.and_then(|global| global.get("duration")?.as_i64());
    let mut notes = Vec::new();
    let set = |key: &str| {
        global.is_some_and(|global| {
            global
                .get(key)
                .is_some_and(|value| *value != Value::Bool(false))
        })
    };
    if set("calibration") {
        notes.push(
            "calibration: `run` is time at full speed here, whatever the loops of one would be"
                .to_owned(),
        );
    }
    for (key, what) in [
        ("pi_enabled", "priority inheritance is not modelled"),
        ("lock_pages", "pages do not leave memory here"),
    ] {
        if set(key) {
            notes.push(format!("{key}: {what}"));
        }
    }
    let parsed = parse(document, "", &mut Vec::new());
    let bound = |task: &Task<'_>| {
        let phases = task.phases.iter().filter_map(|phase| phase.cpus.as_ref());
        phases
            .chain(&task.cpus)
            .filter_map(|cpus| cpus.iter().max())
            .max()
    };
    About {
        duration: duration
            .filter(|&seconds| seconds > 0)
            .map(|seconds| Nanos::from_secs(seconds as u64)),
        cpus: parsed
            .iter()
            .filter_map(bound)
            .max()
            .map_or(1, |cpu| cpu + 1),
        notes,
    }
}

/// The threads of a document; what is wrong goes to the problems.
fn parse<'a>(document: &'a Value, path: &str, problems: &mut Vec<Problem>) -> Vec<Task<'a>> {
    let Some(root) = Object::new(document, path, problems) else {
        return Vec::new();
    };
    root.only(&Keys(&["tasks", "global", "resources"]), problems);
    let default = default_policy(&root, problems);
    let Some(tasks) = root.object("tasks", problems) else {
        if root.get("tasks").is_none() {
            problems.push(Problem::new(join(path, "tasks"), "is missing"));
        }
        return Vec::new();
    };
    let names: Vec<&str> = tasks.entries().map(|(name, _)| name).collect();
    let parsed: Vec<Task<'a>> = tasks
        .entries()
        .filter_map(|(name, value)| {
            let object = Object::new(value, &join(&tasks.path, name), problems)?;
            Some(task(name, &object, default, problems))
        })
        .collect();
    let events = || {
        parsed
            .iter()
            .flat_map(|task| &task.phases)
            .flat_map(|phase| &phase.events)
    };
    let suspended: Vec<&str> = events().filter_map(Event::suspended).collect();
    for event in events() {
        event.check_names(&names, &suspended, problems);
    }
    parsed
}

/// The policy of threads that name none.
fn default_policy(root: &Object<'_>, problems: &mut Vec<Problem>) -> Policy {
    let Some(global) = root.object("global", problems) else {
        return Policy::Normal;
    };
    if let Some(device) = global.text("io_device", problems)
        && device != "/dev/null"
    {
        let message = "there are no devices here, only /dev/null";
        problems.push(Problem::new(join(&global.path, "io_device"), message));
    }
    let policy = global.text("default_policy", problems);
    let path = join(&global.path, "default_policy");
    policy
        .and_then(|policy| fair(policy, &path, problems))
        .unwrap_or_default()
}

/// A policy of the fair class.
fn fair(policy: &str, path: &str, problems: &mut Vec<Problem>) -> Option<Policy> {
    let message = match policy {
        "SCHED_OTHER" => return Some(Policy::Normal),
        "SCHED_BATCH" => return Some(Policy::Batch),
        "SCHED_IDLE" => return Some(Policy::Idle),
        "SCHED_FIFO" | "SCHED_RR" | "SCHED_DEADLINE" => {
            format!("`{policy}` is not of the fair class, which is all there is here")
        }
        _ => format!("`{policy}` is not a policy"),
    };
    let hint = "SCHED_OTHER, SCHED_BATCH and SCHED_IDLE are";
    problems.push(Problem::new(path, message).with_hint(hint));
    None
}

fn task<'a>(
    name: &'a str,
    object: &Object<'a>,
    default: Policy,
    problems: &mut Vec<Problem>,
) -> Task<'a> {
    let policy = object.text("policy", problems);
    let policy = policy.and_then(|policy| fair(policy, &join(&object.path, "policy"), problems));
    let phases = object.object("phases", problems);
    let rounds = match (&phases, object.get("loop")) {
        (Some(_), _) => object.rounds("loop", None, problems),
        // The phase of its own has the rounds then.
        (None, Some(_)) => Some(1),
        (None, None) => None,
    };
    object.refuse_unmodelled(problems);
    let mut task = Task {
        name,
        instances: object.whole("instance", 1, problems),
        delay: object.micros("delay", problems),
        rounds,
        nice: object.nice(problems).unwrap_or(0),
        policy: policy.unwrap_or(default),
        cpus: object.cpus(problems),
        taskgroup: object.taskgroup(problems),
        phases: Vec::new(),
    };
    if let Some(phases) = phases {
        object.only(&TASK, problems);
        for (phase, value) in phases.entries() {
            if let Some(object) = Object::new(value, &join(&phases.path, phase), problems) {
                task.phases
                    .push(Phase::of_its_own(&object, &task, problems));
            }
        }
        if task.phases.is_empty() {
            problems.push(Problem::new(&phases.path, "there is no phase"));
        }
    } else {
        task.phases.push(Phase::of_task(object, &TASK, problems));
    }
    task
}

/// What threads share, and their programs so far.
#[derive(Debug, Default)]
struct Assembly {
    shares: Shares,
    programs: Vec<Program>,
    individuals: Vec<Individual>,
}

impl Assembly {
    fn programs(mut self, tasks: &[Task<'_>], traits: Traits) -> Programs {
        for task in tasks {
            for barrier in task.phases.iter().flat_map(Phase::barriers) {
                let known = self
                    .shares
                    .barriers
                    .iter_mut()
                    .find(|(name, _)| name == barrier);
                match known {
                    Some((_, members)) => *members += task.instances,
                    None => self
                        .shares
                        .barriers
                        .push((barrier.to_owned(), task.instances)),
                }
            }
        }
        for event in tasks
            .iter()
            .flat_map(|task| &task.phases)
            .flat_map(|phase| &phase.events)
        {
            if let Some(name) = event.resumed()
                && tasks.iter().all(|task| task.name != name)
            {
                self.shares.strangers.insert(name.to_owned());
            }
        }
        // Threads that are created, then those that may be forked, task by task.
        let mut first = tasks.iter().map(|task| task.instances).sum::<u32>();
        let mut pools = BTreeMap::new();
        for task in tasks {
            let forks = tasks
                .iter()
                .map(|by| by.forks(task.name))
                .fold(0u32, u32::saturating_add);
            let count = forks
                .min(FORKS)
                .min(limits::THREADS - first.min(limits::THREADS));
            pools.insert(task.name, (first, count));
            first += count;
        }
        let mut created = Nanos::ZERO;
        for task in tasks {
            for instance in 0..task.instances {
                let birth = Birth::Forked { after: created };
                self.thread(task, &format!("{}-{instance}", task.name), birth, &pools);
                created += CREATE;
            }
        }
        for task in tasks {
            let count = pools.get(task.name).map_or(0, |pool| pool.1);
            for fork in 0..count {
                self.thread(
                    task,
                    &format!("{}-f{fork}", task.name),
                    Birth::ByThread,
                    &pools,
                );
            }
        }
        let Shares {
            mutexes,
            conditions,
            suspended,
            barriers,
            semaphores,
            timers,
            cpus,
            strangers: _,
        } = self.shares;
        let semaphore = Channel::new(
            teeter_scenario::document::workload::ChannelKind::Semaphore,
            0,
        );
        Programs {
            thread: (0..self.programs.len() as u32).collect(),
            programs: self.programs,
            individuals: self.individuals,
            shared: Shared {
                barriers: barriers.into_iter().map(|(_, members)| members).collect(),
                mutexes: vec![Mutex::default(); mutexes.len()],
                conditions: 2 * conditions.len().max(suspended.len()) as u32,
                channels: vec![semaphore; semaphores.len()],
                timers: timers.len() as u32,
                ..Shared::default()
            },
            cpus,
            metric: Some(Metric {
                name: "loops/s",
                measure: Measure::Rate,
                per_unit: 1,
                higher_is_better: true,
            }),
            ..Programs::none(traits)
        }
    }

    /// Adds a thread of a task.
    fn thread(
        &mut self,
        task: &Task<'_>,
        name: &str,
        birth: Birth,
        pools: &BTreeMap<&str, (u32, u32)>,
    ) {
        let own = self.individuals.len();
        let mut ops = Vec::new();
        if task.delay > Nanos::ZERO {
            // Its timers count from then on.
            let mut timers: Vec<_> = task.phases.iter().flat_map(Phase::unique_timers).collect();
            timers.dedup();
            timers.push("");
            for timer in timers {
                ops.push(Op::SharedTimer {
                    timer: self.shares.unique_timer(own, timer),
                    period: task.delay,
                    absolute: true,
                });
            }
        }
        ops.push(Op::Loop {
            rounds: task.rounds,
        });
        for (at, phase) in task.phases.iter().enumerate() {
            let before = if at == 0 {
                task.phases.len() - 1
            } else {
                at - 1
            };
            let before = task.phases.get(before).filter(|_| task.phases.len() > 1);
            phase.compile(task, before, own, pools, &mut self.shares, &mut ops);
        }
        ops.extend([Op::Progress(1), Op::End, Op::Exit]);
        self.programs.push(Program { ops });
        self.individuals.push(Individual {
            name: Some(name.to_owned()),
            nice: Some(task.nice),
            policy: Some(task.policy),
            cpus: task.cpus.clone(),
            cgroup: task.taskgroup.clone(),
            per_cpu_kthread: false,
            birth,
        });
    }
}

impl Task<'_> {
    /// How often its instances fork tasks of this name, at most.
    fn forks(&self, name: &str) -> u32 {
        let rounds = |rounds: Option<u32>| rounds.unwrap_or(u32::MAX);
        let phases = self
            .phases
            .iter()
            .map(|phase| phase.forks(name).saturating_mul(rounds(phase.rounds)));
        let once = phases.fold(0u32, u32::saturating_add);
        once.saturating_mul(rounds(self.rounds))
            .saturating_mul(self.instances.max(1))
    }
}

#[cfg(test)]
mod tests;
