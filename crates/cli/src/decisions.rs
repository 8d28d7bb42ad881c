//! `teeter decisions`: what the scheduler decided, with what it looked at.

use std::io::{self, BufWriter, Write};

use serde_json::{Map, Value as Json, json};
use teeter_scenario::expr::Expr;
use teeter_scenario::{Nanos, Problems, Scenario};
use teeter_sched::decision::{Decision, Decisions, VOCABULARY, Value};
use teeter_sim::ThreadTable;

use crate::args::DecisionsArgs;
use crate::error::Error;
use crate::progress::Progress;
use crate::{check, run, source};

/// Events between which decisions are taken out: not more than caches hold.
const EVENTS: u64 = 1_000;

/// Runs the scenario under each kernel and writes every decision that the filter lets through as it is
/// made: there can be more than fit into memory.
pub(crate) fn execute(args: &DecisionsArgs) -> Result<String, Error> {
    let place = source::name(&args.scenario);
    let problems = |problems| Error::scenario(place, problems);
    let scenario = source::scenario(&args.scenario)?;
    let scenario = run::changed(scenario, &args.changes, None).map_err(problems)?;
    let filter = filter(args.filter.as_deref()).map_err(problems)?;
    check::runnable(&scenario).map_err(problems)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut counts = Vec::new();
    for kernel in 0..scenario.kernels.len() {
        let mut count = Count::default();
        let written = run_one(&scenario, kernel, &mut |kernel, decision, threads| {
            count.all += 1;
            if !passes(filter.as_ref(), decision) {
                return Ok(());
            }
            count.shown += 1;
            if args.json {
                writeln!(out, "{}", line_json(kernel, decision, threads))
            } else {
                writeln!(out, "{}", line(kernel, decision, threads))
            }
        });
        match written {
            Err(Stop::Problems(found)) => return Err(problems(found)),
            // A reader that has seen enough is no error.
            Err(Stop::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                return Ok(String::new());
            }
            Err(Stop::Write(error)) => return Err(Error::write("stdout", error)),
            Ok(()) => counts.push((scenario.kernels[kernel].title(), count)),
        }
    }
    match out.flush() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            return Err(Error::write("stdout", error));
        }
        _ => {}
    }
    for (kernel, count) in counts {
        // Where stderr is gone there is nobody to tell.
        let _ = writeln!(
            io::stderr(),
            "{kernel}: {} of {} decisions",
            count.shown,
            count.all
        );
    }
    Ok(String::new())
}

/// How many decisions there were, and how many the filter let through.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    all: u64,
    shown: u64,
}

/// Why a run ended early.
enum Stop {
    Problems(Problems),
    Write(io::Error),
}

fn filter(source: Option<&str>) -> Result<Option<Expr>, Problems> {
    let Some(source) = source else {
        return Ok(None);
    };
    let read = Expr::parse(source, &VOCABULARY);
    read.map(Some).map_err(|error| {
        let names = VOCABULARY.inputs.join(" ");
        Problems::from(
            error
                .problem("--where")
                .with_hint(format!("names: {names}")),
        )
    })
}

/// Whether a filter lets a decision through: one that lacks a number that the filter asks for does not pass.
fn passes(filter: Option<&Expr>, decision: &Decision<'_>) -> bool {
    let input = |input| decision.get(input).map(Value::number);
    filter.is_none_or(|filter| matches!(filter.eval(input), Ok(value) if value != 0))
}

/// Runs one kernel to the end.
fn run_one(
    scenario: &Scenario,
    kernel: usize,
    write: &mut dyn FnMut(&str, &Decision<'_>, &ThreadTable) -> io::Result<()>,
) -> Result<(), Stop> {
    let mut simulation = check::simulation(scenario, kernel, 0).map_err(Stop::Problems)?;
    simulation.record_decisions(true);
    let title = scenario.kernels[kernel].title();
    let progress = Progress::new(scenario.run.duration);
    let mut shown = Nanos::ZERO;
    let mut decisions = Decisions::new();
    loop {
        let done = simulation.run_events(simulation.end(), EVENTS) || simulation.finished();
        progress.passed(simulation.now() - shown);
        shown = simulation.now();
        simulation.take_decisions(&mut decisions);
        for decision in decisions.iter() {
            write(title, &decision, simulation.threads()).map_err(Stop::Write)?;
        }
        if done {
            return Ok(());
        }
    }
}

/// A decision as one line of text: when, where, what about, then the numbers it has.
fn line(kernel: &str, decision: &Decision<'_>, threads: &ThreadTable) -> String {
    let seconds = decision.at.0 / 1_000_000_000;
    let nanos = decision.at.0 % 1_000_000_000;
    let mut line = format!(
        "{kernel} {seconds}.{nanos:09} cpu={} {}",
        decision.cpu.0,
        decision.kind()
    );
    for (name, value) in decision.fields().skip(3) {
        let value = match value {
            Value::Number(n) => n.to_string(),
            Value::Name(name) => name.to_owned(),
            Value::Task(task) => threads.name(task.0),
        };
        line.extend([" ", name, "=", &value]);
    }
    for (task, verdict) in decision.candidates() {
        line.extend([" ", &threads.name(task.0), ":", verdict.name()]);
    }
    line
}

/// A decision as an object; names of parts become objects in it.
fn line_json(kernel: &str, decision: &Decision<'_>, threads: &ThreadTable) -> Json {
    let mut object = Map::new();
    object.insert("kernel".to_owned(), json!(kernel));
    for (name, value) in decision.fields() {
        let value = match value {
            Value::Number(n) => json!(n),
            Value::Name(name) => json!(name),
            Value::Task(task) => json!(threads.name(task.0)),
        };
        match name.split_once('.') {
            None => {
                object.insert(name.to_owned(), value);
            }
            Some((of, name)) => {
                let of = object.entry(of).or_insert_with(|| json!({}));
                of[name] = value;
            }
        }
    }
    if !decision.candidates().is_empty() {
        let candidate = |&(task, verdict): &(
            teeter_sched::TaskId,
            teeter_sched::decision::Verdict,
        )| {
            json!({ "task": threads.name(task.0), "verdict": verdict.name() })
        };
        let candidates: Vec<Json> = decision.candidates().iter().map(candidate).collect();
        object.insert("candidates".to_owned(), Json::Array(candidates));
    }
    Json::Object(object)
}
