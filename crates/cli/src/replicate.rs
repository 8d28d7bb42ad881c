//! `teeter replicate`: the measured tables beside the simulation.

use rayon::prelude::*;
use teeter_report::replicate::{self, Replication, Table};
use teeter_scenario::{Nanos, Problems};
use teeter_sim::RunResult;

use crate::args::ReplicateArgs;
use crate::check;
use crate::error::Error;
use crate::progress::Progress;
use crate::run::run_one;

/// Simulates the tables that are asked for, or all, and scores them.
pub(crate) fn execute(args: &ReplicateArgs) -> Result<String, Error> {
    let problems = |problems| Error::scenario("replicate", problems);
    let tables: Result<Vec<Table>, Problems> = if args.tables.is_empty() {
        replicate::names().map(replicate::table).collect()
    } else {
        args.tables
            .iter()
            .map(|name| replicate::table(name))
            .collect()
    };
    let replication =
        Replication::new(tables.map_err(problems)?, args.repeats).map_err(problems)?;
    let runs = run_all(&replication).map_err(problems)?;
    let scored = replication.score(&runs);
    Ok(if args.json {
        replicate::json(&scored)
    } else {
        replicate::text(&scored, args.repeats)
    })
}

/// Every repeat of every scenario, on all cores.
fn run_all(replication: &Replication) -> Result<Vec<Vec<RunResult>>, Problems> {
    let scenarios = replication.scenarios();
    scenarios.iter().try_for_each(check::runnable)?;
    let total: u64 = scenarios
        .iter()
        .map(|scenario| scenario.run.duration.0)
        .sum();
    let progress = Progress::new(Nanos(total) * u64::from(replication.repeats()));
    let trials: Vec<(usize, u32)> = (0..scenarios.len())
        .flat_map(|scenario| (0..replication.repeats()).map(move |repeat| (scenario, repeat)))
        .collect();
    let run = |&(scenario, repeat): &(usize, u32)| {
        run_one(&scenarios[scenario], 0, repeat, &progress).map(|finished| finished.result)
    };
    // One by one, so that no core is left with all the long ones.
    let runs: Vec<RunResult> = trials
        .par_iter()
        .with_max_len(1)
        .map(run)
        .collect::<Result<_, _>>()?;
    let repeats = replication.repeats() as usize;
    Ok(runs.chunks(repeats).map(<[RunResult]>::to_vec).collect())
}
