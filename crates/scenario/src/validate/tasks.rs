//! `tasks`

use std::collections::BTreeSet;

use super::{Report, cgroups, program};
use crate::Nanos;
use crate::document::{Fork, Scenario, Tasks, Workload};
use crate::limits;
use crate::problem::Problem;

pub(super) fn check(scenario: &Scenario, report: &mut Report) {
    let tasks = &scenario.tasks;
    if tasks.is_empty() {
        report.add("/tasks", "there is no task");
    }
    report.length("/tasks", "entries", tasks.len(), limits::TASKS);
    let threads = scenario.threads();
    if threads > u64::from(limits::THREADS) {
        report.add(
            "/tasks",
            format!(
                "{threads} threads are too many: at most {}",
                limits::THREADS
            ),
        );
    }
    let known = cgroups::all(&scenario.cgroups);
    let mut seen = BTreeSet::new();
    for (i, tasks) in tasks.iter().enumerate() {
        let path = format!("/tasks/{i}");
        check_name(&format!("{path}/name"), &tasks.name, report);
        if !seen.insert(tasks.name.as_str()) {
            report.add(
                format!("{path}/name"),
                format!("`{}` is the name of other tasks already", tasks.name),
            );
        }
        cgroups::check_known(&format!("{path}/cgroup"), &tasks.cgroup, &known, report);
        check_one(&path, tasks, report);
        check_workload(&format!("{path}/workload"), &tasks.workload, report);
    }
}

/// `lu.3` is the fourth thread of `lu`, and must not be a name as well.
fn check_name(path: &str, name: &str, report: &mut Report) {
    report.name(path, name);
    let index = name.rsplit_once('.').map(|(_, index)| index);
    if index.is_some_and(|index| !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit())) {
        report.add(
            path,
            format!("`{name}` would be the name of a single thread"),
        );
    }
}

fn check_one(path: &str, tasks: &Tasks, report: &mut Report) {
    report.within(
        &format!("{path}/threads"),
        &tasks.threads,
        &1,
        &limits::THREADS,
    );
    report.within(
        &format!("{path}/processes"),
        &tasks.processes,
        &1,
        &limits::THREADS,
    );
    check_nice(&format!("{path}/nice"), tasks.nice, report);
    if let Some(cpus) = &tasks.affinity {
        report.some_cpus(&format!("{path}/affinity"), cpus);
    }
    match &tasks.fork {
        Fork::From { cpu, .. } => {
            report.within(&format!("{path}/fork/from"), cpu, &0, &(limits::CPUS - 1));
        }
        Fork::On(cpus) => report.some_cpus(&format!("{path}/fork/on"), cpus),
    }
    if let Some(memory) = &tasks.memory {
        if memory.size.0 == 0 {
            report.add(format!("{path}/memory/size"), "is nothing");
        }
        if let Some(nodes) = &memory.nodes {
            report.some_cpus(&format!("{path}/memory/nodes"), nodes);
        }
    }
    let uclamp = &tasks.uclamp;
    if uclamp.min > uclamp.max || uclamp.max > 1024 {
        let problem = Problem::new(
            format!("{path}/uclamp"),
            format!("[{}, {}] is not a range", uclamp.min, uclamp.max),
        );
        report.push(problem.with_hint("0 <= min <= max <= 1024"));
    }
}

/// nice
pub(super) fn check_nice(path: &str, nice: i8, report: &mut Report) {
    report.within(path, &nice, &-20, &19);
}

fn check_workload(path: &str, workload: &Workload, report: &mut Report) {
    let path = format!("{path}/{}", workload.name());
    let mut at_least_one = |key: &str, number: u32| {
        report.within(&format!("{path}/{key}"), &number, &1, &u32::MAX);
    };
    match workload {
        Workload::Hog | Workload::Stress => {}
        Workload::Periodic(p) => {
            if p.run == Nanos::ZERO {
                report.add(format!("{path}/run"), "is no time at all");
            }
            check_period(&format!("{path}/period"), p.period, report);
        }
        Workload::NpbLu(p) => at_least_one("steps", p.steps.unwrap_or(1)),
        Workload::Npb(p) => at_least_one("steps", p.steps.unwrap_or(1)),
        Workload::Schbench(p) => {
            at_least_one("messages", p.messages);
            at_least_one("workers", p.workers);
        }
        Workload::Hackbench(p) => {
            at_least_one("groups", p.groups);
            at_least_one("fds", p.fds);
            at_least_one("loops", p.loops);
            at_least_one("bytes", p.bytes);
        }
        Workload::Netperf(p) => {
            at_least_one("bytes", p.bytes);
            at_least_one("pairs", p.pairs);
        }
        Workload::Tbench(p) => at_least_one("clients", p.clients),
        Workload::Pipe(p) => at_least_one("loops", p.loops),
        Workload::Stream(p) => at_least_one("iterations", p.iterations),
        Workload::Numa(p) => at_least_one("loops", p.loops),
        Workload::Ycsb(p) => at_least_one("clients", p.clients),
        Workload::Dbench(p) => at_least_one("clients", p.clients),
        Workload::Services(p) => {
            at_least_one("depth", p.depth);
            at_least_one("rate", p.rate.unwrap_or(1));
        }
        Workload::Kworker(p) => check_period(&format!("{path}/every"), p.every, report),
        Workload::RtApp(document) => {
            if !document.is_object() {
                report.add(path, "an rt-app document is an object");
            }
        }
        Workload::Trace(text) => {
            if text.trim().is_empty() {
                report.add(path, "is empty");
            }
        }
        Workload::Program(steps) => program::check(&path, steps, report),
    }
}

/// What is woken by a timer is not woken too often.
pub(super) fn check_period(path: &str, period: Nanos, report: &mut Report) {
    if period < limits::PERIOD_MIN {
        report.add(
            path,
            format!("{period} is less than {}", limits::PERIOD_MIN),
        );
    }
}
