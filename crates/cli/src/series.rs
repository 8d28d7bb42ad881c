//! `--series`: what the charts plot, as CSV.
//!
//! A row for each run and sample. Columns: the kernel, the seed, the end of the sample in ns; of each task its
//! runnable threads on each node (time averages) and its progress in units of its metric per second; how busy each
//! node is; the fraction of time in which some CPU idled while a task waited; migrations by cause; switches.

use std::path::Path;

use teeter_scenario::Scenario;
use teeter_sched::Cause;
use teeter_sim::Series;

use crate::error::Error;
use crate::run::Finished;

/// Writes the series of all runs to a file.
pub(crate) fn write(file: &Path, scenario: &Scenario, runs: &[Finished]) -> Result<(), Error> {
    let place = file.display().to_string();
    let failed = |error: csv::Error| Error::write(&place, error.into());
    let mut writer = csv::Writer::from_path(file).map_err(failed)?;
    let names: Vec<&str> = scenario
        .tasks
        .iter()
        .map(|tasks| tasks.name.as_str())
        .collect();
    if let Some(first) = runs.first() {
        writer
            .write_record(header(&names, &first.series))
            .map_err(failed)?;
    }
    for Finished { result, series } in runs {
        for sample in 0..series.len() {
            let mut record = vec![result.kernel.clone(), result.seed.to_string()];
            record.extend(row(names.len(), series, sample));
            writer.write_record(record).map_err(failed)?;
        }
    }
    writer.flush().map_err(|error| Error::write(&place, error))
}

fn header(tasks: &[&str], series: &Series) -> Vec<String> {
    let mut header: Vec<String> = ["kernel", "seed", "time_ns"].map(str::to_owned).into();
    for task in tasks {
        header.extend((0..series.nodes).map(|node| format!("{task} on node {node}")));
        header.push(format!("{task} progress"));
    }
    header.extend((0..series.nodes).map(|node| format!("node {node} busy")));
    header.push("idle_while_waiting".to_owned());
    for cause in Cause::ALL {
        header.push(format!(
            "{} migrations",
            format!("{cause:?}").to_lowercase()
        ));
    }
    header.push("switches".to_owned());
    header
}

/// One sample. What a task does not report is an empty cell.
fn row(tasks: usize, series: &Series, sample: usize) -> Vec<String> {
    let mut row = vec![cell(&series.time_ns, sample)];
    for task in 0..tasks {
        row.extend((0..series.nodes).map(|node| cell(series.node_threads(task, node), sample)));
        let progress = series.progress.get(task).map_or(&[][..], Vec::as_slice);
        row.push(cell(progress, sample));
    }
    row.extend(series.busy.iter().map(|column| cell(column, sample)));
    row.push(cell(&series.idle_while_waiting, sample));
    row.extend(series.migrations.iter().map(|column| cell(column, sample)));
    row.push(cell(&series.switches, sample));
    row
}

fn cell<T: ToString>(column: &[T], sample: usize) -> String {
    column.get(sample).map_or_else(String::new, T::to_string)
}
