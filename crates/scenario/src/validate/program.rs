//! The steps of a `program`.

use super::{Report, tasks};
use crate::Nanos;
use crate::document::workload::{Channel, Step};
use crate::limits;

pub(super) fn check(path: &str, steps: &[Step], report: &mut Report) {
    report.length(path, "steps", count(steps), limits::PROGRAM_STEPS);
    if !takes_time(steps) {
        report.add(path, "takes no time: it needs a run, a sleep or a wait");
    }
    check_steps(path, steps, 0, report);
}

fn check_steps(path: &str, steps: &[Step], depth: usize, report: &mut Report) {
    if depth > limits::PROGRAM_DEPTH {
        report.add(
            path,
            format!(
                "loops within loops go at most {} deep",
                limits::PROGRAM_DEPTH
            ),
        );
        return;
    }
    for (i, step) in steps.iter().enumerate() {
        let path = format!("{path}/{i}");
        match step {
            Step::Timer { period } => {
                tasks::check_period(&format!("{path}/timer/period"), *period, report);
            }
            Step::Mutex { name, .. } => report.name(&format!("{path}/mutex/name"), name),
            Step::Lock(name) => report.name(&format!("{path}/lock"), name),
            Step::Unlock(name) => report.name(&format!("{path}/unlock"), name),
            Step::Wait { condition, mutex } => {
                report.name(&format!("{path}/wait/condition"), condition);
                if let Some(mutex) = mutex {
                    report.name(&format!("{path}/wait/mutex"), mutex);
                }
            }
            Step::Signal(name) => report.name(&format!("{path}/signal"), name),
            Step::Broadcast(name) => report.name(&format!("{path}/broadcast"), name),
            Step::Suspend(name) => report.name(&format!("{path}/suspend"), name),
            Step::Resume(name) => report.name(&format!("{path}/resume"), name),
            Step::Barrier(name) => report.name(&format!("{path}/barrier"), name),
            Step::Channel(channel) => check_channel(&format!("{path}/channel"), channel, report),
            Step::Send(name) => report.name(&format!("{path}/send"), name),
            Step::Receive(name) => report.name(&format!("{path}/receive"), name),
            Step::SpinUntil(name) => report.name(&format!("{path}/spin_until"), name),
            Step::Set(name) => report.name(&format!("{path}/set"), name),
            Step::Begin(name) => report.name(&format!("{path}/begin"), name),
            Step::End(name) => report.name(&format!("{path}/end"), name),
            Step::Loop { times, steps } => {
                report.within(&format!("{path}/loop/times"), times, &1, &u32::MAX);
                check_steps(&format!("{path}/loop/steps"), steps, depth + 1, report);
            }
            Step::Affinity(cpus) => report.some_cpus(&format!("{path}/affinity"), cpus),
            Step::Run(_)
            | Step::Runtime(_)
            | Step::Sleep(_)
            | Step::Yield(_)
            | Step::Exec(_)
            | Step::Touch { .. } => {}
        }
    }
}

fn check_channel(path: &str, channel: &Channel, report: &mut Report) {
    report.name(&format!("{path}/name"), &channel.name);
    let bytes = &channel.bytes.0;
    report.within(&format!("{path}/bytes"), bytes, &0, &limits::MESSAGE_BYTES);
    if let Some(messages) = &channel.messages {
        report.within(&format!("{path}/messages"), messages, &1, &u32::MAX);
    }
}

/// Steps, those within loops counted once.
fn count(steps: &[Step]) -> usize {
    let of_step = |step: &Step| match step {
        Step::Loop { steps, .. } => 1 + count(steps),
        _ => 1,
    };
    steps.iter().map(of_step).sum()
}

/// Whether going through the steps once can not take no time at all.
fn takes_time(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Run(time) | Step::Runtime(time) | Step::Sleep(time) => *time > Nanos::ZERO,
        Step::Timer { .. }
        | Step::Barrier(_)
        | Step::Wait { .. }
        | Step::Suspend(_)
        | Step::Send(_)
        | Step::Receive(_)
        | Step::SpinUntil(_) => true,
        Step::Touch { size } => size.0 > 0,
        Step::Loop { times, steps } => *times > 0 && takes_time(steps),
        _ => false,
    })
}
