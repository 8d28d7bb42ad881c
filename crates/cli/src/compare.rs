//! `teeter compare`: the kernels side by side over several runs.

use teeter_report::Comparison;
use teeter_sim::RunResult;

use crate::args::{CompareArgs, Format};
use crate::error::Error;
use crate::run::{changed, run_all};
use crate::source;

/// Runs of each kernel where neither the scenario nor the caller asks for several.
const REPEATS: u32 = 3;

/// Runs each kernel several times and compares what came out.
pub(crate) fn execute(args: &CompareArgs) -> Result<String, Error> {
    let problems = |problems| Error::scenario(source::name(&args.scenario), problems);
    let scenario = source::scenario(&args.scenario)?;
    let repeats = match scenario.run.repeats {
        1 => REPEATS,
        several => several,
    };
    let repeats = args.repeats.unwrap_or(repeats);
    let scenario = changed(scenario, &args.changes, Some(repeats)).map_err(problems)?;
    let results: Vec<RunResult> = run_all(&scenario)
        .map_err(problems)?
        .into_iter()
        .map(|run| run.result)
        .collect();
    let by_kernel: Vec<Vec<RunResult>> = results
        .chunks(repeats as usize)
        .map(<[RunResult]>::to_vec)
        .collect();
    let comparison = Comparison::new(env!("CARGO_PKG_VERSION"), &scenario, &by_kernel);
    Ok(match args.format {
        Format::Text => comparison.text(),
        Format::Md => comparison.markdown(),
        Format::Csv => comparison.csv(),
        Format::Json => comparison.json(),
    })
}
