//! Scenarios of what tells of a workload: traces of the scheduler, and rt-app documents.

use teeter_scenario::document::{Cgroup, Kernel, Machine, MachineSource, Tasks, Workload};
use teeter_scenario::{Nanos, Scenario, limits};
use teeter_workload::{Recording, rtapp};

/// A scenario, and what was assumed.
type Imported = Result<(Scenario, Vec<String>), String>;

/// Whether a text looks like a trace of the scheduler.
pub(super) fn is_trace(text: &str) -> bool {
    Recording::is_one(text)
}

/// Whether a text looks like an rt-app document: an object with `tasks` that is no scenario.
pub(super) fn is_rtapp(text: &str) -> bool {
    let begins = text.trim_start_matches('\u{feff}').trim_start();
    let object = begins.starts_with('{') || begins.starts_with("/*") || begins.starts_with("//");
    object && text.contains("\"tasks\"") && !text.contains("\"teeter\"")
}

/// The scenario of a trace: its tasks, on as many CPUs as it names, for as long as it lasted.
pub(super) fn trace(text: &str) -> Imported {
    let recording = Recording::read(text).map_err(|error| error.to_string())?;
    let mut assumptions = recording.notes.clone();
    let tasks = Tasks::new("trace", Workload::Trace(recording.to_text()));
    let mut scenario = Scenario::new(machine(recording.cpus, &mut assumptions), vec![tasks]);
    scenario.name = format!("a recording of {} tasks", recording.tasks.len());
    scenario.run.duration = Nanos(recording.length.clamp(1, limits::DURATION.0));
    sample(&mut scenario);
    assumptions.push(format!(
        "the kernel is not told of: it is {}",
        Kernel::NEWEST
    ));
    assumptions.push("cgroups and affinities are not told of: there are none".to_owned());
    Ok((scenario, assumptions))
}

/// The scenario of an rt-app document.
pub(super) fn rt_app(text: &str) -> Imported {
    let document = rtapp::document(text).map_err(|error| error.to_string())?;
    let about = rtapp::about(&document);
    let mut assumptions = about.notes;
    let tasks = Tasks::new("rtapp", Workload::RtApp(document));
    let groups = rtapp::taskgroups(&tasks);
    if let Err(problems) = teeter_workload::compile(&tasks) {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        return Err(lines.join("\n"));
    }
    let mut scenario = Scenario::new(machine(about.cpus, &mut assumptions), vec![tasks]);
    "an rt-app document".clone_into(&mut scenario.name);
    scenario.cgroups = groups.into_iter().map(Cgroup::new).collect();
    match about.duration {
        Some(duration) => scenario.run.duration = duration.min(limits::DURATION),
        None => assumptions.push(format!(
            "how long it lasts is not told: {}",
            scenario.run.duration
        )),
    }
    sample(&mut scenario);
    Ok((scenario, assumptions))
}

/// A machine of at least so many CPUs, since nobody tells what it is.
fn machine(cpus: u32, assumptions: &mut Vec<String>) -> Machine {
    let cpus = cpus.max(1);
    assumptions.push(format!(
        "the machine is not told of: {cpus} cores that share a cache; put its own in place of it"
    ));
    Machine::new(MachineSource::Synthetic(format!("node:1 l3:1 core:{cpus}")))
}

/// No more samples than there may be.
fn sample(scenario: &mut Scenario) {
    let least = scenario.run.duration.0.div_ceil(limits::SAMPLES);
    let run = &mut scenario.run;
    run.sample =
        Nanos(run.sample.0.max(least)).min(Nanos(run.duration.0.max(limits::SAMPLE_MIN.0)));
}
