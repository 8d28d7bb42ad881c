//! `teeter sweep`: a grid over a scenario, one line of JSON for each run.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::num::NonZeroUsize;
use std::ops::Add;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use teeter_report::{Job, Sweep};
use teeter_scenario::{Nanos, Problems, Scenario};

use crate::args::{Shard, SweepArgs};
use crate::error::Error;
use crate::progress::Progress;
use crate::run::run_one;
use crate::{check, source};

/// Runs every job of this shard, and prints the line of each as soon as those before it are printed.
pub(crate) fn execute(args: &SweepArgs) -> Result<String, Error> {
    let place = source::name(&args.sweep);
    let sweep = Sweep::from_json(&source::text(&args.sweep)?)
        .map_err(|error| Error::sweep(place, error))?;
    let mut jobs = of_shard(&sweep, args.shard);
    let mut output: Box<dyn Write> = match &args.resume {
        Some(file) => Box::new(resumed(&sweep, &mut jobs, file)?),
        None => Box::new(io::stdout()),
    };
    let runnable = |job: &Job| {
        let scenario = sweep
            .at(job.point)
            .map_err(|error| Error::sweep(place, error))?;
        check::runnable(&scenario).map_err(|problems| at_point(place, &sweep, *job, problems))
    };
    let mut points = jobs.clone();
    points.dedup_by_key(|job| job.point);
    points.iter().try_for_each(runnable)?;
    let shown = args
        .resume
        .as_deref()
        .map_or("stdout".into(), Path::to_string_lossy);
    let write = |line: String| match output
        .write_all(line.as_bytes())
        .and_then(|()| output.flush())
    {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::write(&shown, error)),
        Ok(()) => Ok(true),
    };
    let threads = args.jobs.or_else(|| thread::available_parallelism().ok());
    in_order(
        &sweep,
        &jobs,
        threads.map_or(1, NonZeroUsize::get),
        place,
        write,
    )?;
    Ok(String::new())
}

/// Every `of`-th job, from the `number`-th.
fn of_shard(sweep: &Sweep, shard: Option<Shard>) -> Vec<Job> {
    let Shard { number, of } = shard.unwrap_or(Shard { number: 1, of: 1 });
    sweep
        .jobs()
        .iter()
        .copied()
        .skip(number - 1)
        .step_by(of)
        .collect()
}

/// Opens the output to go on where it ends, and takes out of `jobs` what it holds. A line that was cut is made anew.
fn resumed(sweep: &Sweep, jobs: &mut Vec<Job>, file: &Path) -> Result<File, Error> {
    let place = file.display().to_string();
    let failed = |error| Error::write(&place, error);
    let mut opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(file)
        .map_err(failed)?;
    let mut text = String::new();
    opened.read_to_string(&mut text).map_err(failed)?;
    let (bytes, done) = sweep
        .done(jobs, &text)
        .map_err(|error| Error::sweep(&place, error))?;
    jobs.drain(..done);
    opened.set_len(bytes as u64).map_err(failed)?;
    opened.seek(SeekFrom::End(0)).map_err(failed)?;
    Ok(opened)
}

/// Runs the jobs on some threads and hands their lines on in the order of the jobs, until `write` has enough.
fn in_order(
    sweep: &Sweep,
    jobs: &[Job],
    threads: usize,
    place: &str,
    mut write: impl FnMut(String) -> Result<bool, Error>,
) -> Result<(), Error> {
    let scenarios = jobs.iter().filter_map(|job| sweep.at(job.point).ok());
    let total = scenarios
        .map(|scenario| scenario.run.duration)
        .fold(Nanos::ZERO, Add::add);
    let progress = Progress::new(total);
    let next = AtomicUsize::new(0);
    let line = |job: Job| {
        let scenario: Scenario = sweep
            .at(job.point)
            .map_err(|error| Error::sweep(place, error))?;
        let finished = run_one(&scenario, job.kernel, job.repeat, &progress);
        let finished = finished.map_err(|problems| at_point(place, sweep, job, problems))?;
        Ok(sweep.line(job, &finished.result))
    };
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel::<(usize, Result<String, Error>)>();
        for _ in 0..threads.min(jobs.len()) {
            let (sender, next, line) = (sender.clone(), &next, &line);
            scope.spawn(move || {
                // A receiver that is gone has seen enough.
                while let number = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(&job) = jobs.get(number)
                    && sender.send((number, line(job))).is_ok()
                {}
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut turn = 0;
        for (number, line) in receiver {
            waiting.insert(number, line);
            while let Some(line) = waiting.remove(&turn) {
                turn += 1;
                if !write(line?)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}

fn at_point(place: &str, sweep: &Sweep, job: Job, problems: Problems) -> Error {
    let point = sweep.name(job.point);
    Error::sweep(place, teeter_report::SweepError::Point { point, problems })
}
