//! `--trace`: every switch, wakeup, migration, fork and exit of a run.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use clap::ValueEnum;
use teeter_scenario::{Nanos, Problem, Scenario};
use teeter_sim::{TraceFormat, TraceWriter};

use crate::check;
use crate::error::Error;
use crate::progress::Progress;
use crate::run::Finished;

/// How a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text, as /sys/kernel/tracing/trace has it
    Ftrace,
    /// A Chrome trace in JSON, for Perfetto
    Perfetto,
    /// JSON Lines, one for each event
    Jsonl,
    /// A trace.dat, for trace-cmd report and KernelShark
    Dat,
}

impl From<Format> for TraceFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Ftrace => Self::Ftrace,
            Format::Perfetto => Self::Perfetto,
            Format::Jsonl => Self::Jsonl,
            Format::Dat => Self::Dat,
        }
    }
}

/// Events of the simulation between which what was recorded is written.
const EVENTS: u64 = 20_000;

/// Runs the scenario's only run and writes its trace as it goes on.
pub(crate) fn run(
    file: &Path,
    format: Format,
    scenario: &Scenario,
    place: &str,
) -> Result<Finished, Error> {
    check::runnable(scenario).map_err(|problems| Error::scenario(place, problems))?;
    let runs = scenario.kernels.len() as u64 * u64::from(scenario.run.repeats);
    if runs > 1 {
        let problem = Problem::new("", format!("a trace is of one run, and these are {runs}"))
            .with_hint("choose with --kernel K --repeats 1");
        return Err(Error::scenario(place, problem.into()));
    }
    let name = file.display().to_string();
    let failed = |error| Error::write(&name, error);
    let mut simulation =
        check::simulation(scenario, 0, 0).map_err(|problems| Error::scenario(place, problems))?;
    simulation.record_trace(true);
    let out = BufWriter::new(File::create(file).map_err(failed)?);
    let mut writer = TraceWriter::new(out, format.into(), &simulation).map_err(failed)?;
    let progress = Progress::new(scenario.run.duration);
    let mut shown = Nanos::ZERO;
    let mut events = Vec::new();
    loop {
        let done = simulation.run_events(simulation.end(), EVENTS) || simulation.finished();
        progress.passed(simulation.now() - shown);
        shown = simulation.now();
        simulation.take_trace(&mut events);
        writer.write(&simulation, &events).map_err(failed)?;
        events.clear();
        if done {
            break;
        }
    }
    writer.finish(&simulation).map_err(failed)?;
    Ok(Finished {
        result: simulation.result(),
        series: simulation.series().clone(),
    })
}
