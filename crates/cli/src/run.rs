//! `teeter run`

use rayon::prelude::*;
use teeter_scenario::document::Kernel;
use teeter_scenario::validate::validate;
use teeter_scenario::{Nanos, Problems, Scenario};
use teeter_sim::{RunResult, Series};

use crate::args::{Changes, RunArgs};
use crate::error::Error;
use crate::progress::Progress;
use crate::report::Report;
use crate::{check, series, source, trace};

/// Pieces of a run between which the progress is shown.
const PIECES: u64 = 500;

/// Runs the scenario under each kernel, with each seed.
pub(crate) fn execute(args: &RunArgs) -> Result<String, Error> {
    let place = source::name(&args.scenario);
    let problems = |problems| Error::scenario(place, problems);
    let scenario = changed(
        source::scenario(&args.scenario)?,
        &args.changes,
        args.repeats,
    )
    .map_err(problems)?;
    let runs = match &args.trace {
        Some(file) => vec![trace::run(file, args.format, &scenario, place)?],
        None => run_all(&scenario).map_err(problems)?,
    };
    if let Some(file) = &args.series {
        series::write(file, &scenario, &runs)?;
    }
    let report = Report::new(&scenario, runs.into_iter().map(|run| run.result).collect());
    Ok(if args.json {
        report.json()
    } else {
        report.text()
    })
}

/// The scenario with what the arguments change.
pub(crate) fn changed(
    mut scenario: Scenario,
    changes: &Changes,
    repeats: Option<u32>,
) -> Result<Scenario, Problems> {
    if !changes.kernels.is_empty() {
        scenario.kernels = Kernel::replace(&scenario.kernels, &changes.kernels);
    }
    let run = &mut scenario.run;
    run.seed = changes.seed.unwrap_or(run.seed);
    run.repeats = repeats.unwrap_or(run.repeats);
    run.duration = changes.duration.unwrap_or(run.duration);
    let problems = validate(&scenario);
    if problems.is_empty() {
        Ok(scenario)
    } else {
        Err(Problems(problems))
    }
}

/// What came of one run.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) result: RunResult,
    pub(crate) series: Series,
}

/// All runs, by kernel and then by repeat. They are independent, and share the machine's cores.
pub(crate) fn run_all(scenario: &Scenario) -> Result<Vec<Finished>, Problems> {
    // What the engine can not do shows before anything runs.
    check::runnable(scenario)?;
    let repeats = scenario.run.repeats;
    let runs: Vec<(usize, u32)> = (0..scenario.kernels.len())
        .flat_map(|kernel| (0..repeats).map(move |repeat| (kernel, repeat)))
        .collect();
    let progress = Progress::new(scenario.run.duration * runs.len() as u64);
    runs.into_par_iter()
        .map(|(kernel, repeat)| run_one(scenario, kernel, repeat, &progress))
        .collect()
}

pub(crate) fn run_one(
    scenario: &Scenario,
    kernel: usize,
    repeat: u32,
    progress: &Progress,
) -> Result<Finished, Problems> {
    let mut simulation = check::simulation(scenario, kernel, repeat)?;
    let piece = Nanos((scenario.run.duration.0 / PIECES).max(1));
    let mut shown = Nanos::ZERO;
    while !simulation.finished() {
        simulation.run_until(simulation.now() + piece);
        progress.passed(simulation.now() - shown);
        shown = simulation.now();
    }
    // A run may be done before its duration is over.
    progress.passed(scenario.run.duration - shown);
    Ok(Finished {
        result: simulation.result(),
        series: simulation.series().clone(),
    })
}
