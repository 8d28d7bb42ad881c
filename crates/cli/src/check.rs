//! `teeter check`: everything that is wrong with a scenario.

use teeter_scenario::{Problem, Problems, Scenario};
use teeter_sim::Simulation;

use crate::error::Error;
use crate::source;

/// Says what the scenario holds, if it can be run.
pub(crate) fn execute(argument: &str) -> Result<String, Error> {
    let scenario = source::scenario(argument)?;
    runnable(&scenario).map_err(|problems| Error::scenario(source::name(argument), problems))?;
    let counted = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let threads = usize::try_from(scenario.threads()).unwrap_or(usize::MAX);
    Ok(format!(
        "{}: ok: {}, {}, {}\n",
        source::name(argument),
        counted(threads, "thread"),
        counted(scenario.cgroups.len(), "cgroup"),
        counted(scenario.kernels.len(), "kernel"),
    ))
}

/// What the engine has against running the scenario under any of its kernels.
pub(crate) fn runnable(scenario: &Scenario) -> Result<(), Problems> {
    let mut problems: Vec<Problem> = Vec::new();
    for kernel in 0..scenario.kernels.len() {
        if let Err(Problems(mut found)) = simulation(scenario, kernel, 0) {
            found.retain(|problem| !problems.contains(problem));
            problems.append(&mut found);
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Problems(problems))
    }
}

/// One run of the scenario, ready to go.
pub(crate) fn simulation(
    scenario: &Scenario,
    kernel: usize,
    repeat: u32,
) -> Result<Simulation, Problems> {
    Simulation::new(scenario, kernel, repeat).map_err(|error| match error {
        teeter_sim::Error::Problems(problems) => Problems(problems),
        error @ teeter_sim::Error::Past { .. } => Problem::new("", error.to_string()).into(),
    })
}
