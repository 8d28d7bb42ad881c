//! `teeter bench`: how fast the engine runs the standard scenarios.
//!
//! Each runs in a process of its own, one after another: what one has left in memory does not count for the next.

use std::process::Command;
use std::time::Instant;
use std::{env, fs};

use serde_json::{Value, json};
use teeter_report::Table;
use teeter_report::bench::{Bench, Cost};
use teeter_sched::decision::Decisions;
use teeter_sim::Simulation;

use crate::args::BenchArgs;
use crate::error::Error;
use crate::progress::Progress;
use crate::{check, source};

/// Events between which decisions are taken out: not more than caches hold.
const EVENTS: u64 = 1_000;

/// Measures all scenarios, or the one that the arguments name.
pub(crate) fn execute(args: &BenchArgs) -> Result<String, Error> {
    let one = |bench: &Bench| {
        let speed = measured(bench, args);
        if args.json {
            format!("{speed}\n")
        } else {
            text(&[speed])
        }
    };
    if let Some(argument) = &args.scenario {
        return Ok(one(&Bench {
            name: source::name(argument).to_owned(),
            about: String::new(),
            scenario: source::scenario(argument)?,
        }));
    }
    let all = Bench::all().map_err(|problems| Error::scenario("bench", problems))?;
    if let Some(name) = &args.only {
        let bench = all.iter().find(|bench| bench.name == *name);
        return Ok(one(bench.ok_or_else(|| unknown(name, &all))?));
    }
    let progress = Progress::steps(all.len() as u64);
    let mut speeds = Vec::new();
    for bench in &all {
        speeds.push(in_a_process(&bench.name, args)?);
        progress.step();
    }
    drop(progress);
    Ok(if args.json {
        format!("{}\n", json!({ "machine": machine(), "scenarios": speeds }))
    } else {
        format!("{}\n\n{}", machine(), text(&speeds))
    })
}

/// Runs one scenario here and now.
#[expect(
    clippy::disallowed_methods,
    reason = "the clock is what is asked for, and the command runs natively alone"
)]
fn measured(bench: &Bench, args: &BenchArgs) -> Value {
    let before = memory("VmRSS:");
    let began = Instant::now();
    let simulation = check::simulation(&bench.scenario, 0, 0);
    let mut simulation = match simulation {
        Ok(simulation) => simulation,
        // A workload that is to come.
        Err(problems) => return json!({ "name": bench.name, "not_run": problems.to_string() }),
    };
    let build_s = began.elapsed().as_secs_f64();
    let (began, on_cpu) = (Instant::now(), cpu_time());
    let decisions = simulate(&mut simulation, args);
    let cost = Cost {
        wall_s: began.elapsed().as_secs_f64(),
        cpu_s: cpu_time().zip(on_cpu).map(|(after, before)| after - before),
        build_s,
        peak_bytes: memory("VmHWM:")
            .zip(before)
            .map(|(peak, before)| peak.saturating_sub(before)),
        decisions,
    };
    let speed = bench.speed(&simulation.result(), cost);
    // Every key is a text, so that nothing can fail here.
    serde_json::to_value(speed).unwrap_or_default()
}

/// Runs a scenario. What profilers are to count is in here. Gives how many decisions went on record.
#[inline(never)]
fn simulate(simulation: &mut Simulation, args: &BenchArgs) -> u64 {
    simulation.record_decisions(args.decisions);
    let (mut taken, mut decisions) = (Decisions::new(), 0);
    let mut left = args.events;
    loop {
        let events = left.min(EVENTS);
        let done = simulation.run_events(simulation.end(), events) || simulation.finished();
        simulation.take_decisions(&mut taken);
        decisions += taken.len() as u64;
        left -= events;
        if done || left == 0 {
            return decisions;
        }
    }
}

/// Runs one scenario in a process of its own.
fn in_a_process(name: &str, args: &BenchArgs) -> Result<Value, Error> {
    let failed = |error| Error::read("teeter bench", error);
    let program = env::current_exe().map_err(failed)?;
    let output = Command::new(program)
        .args(["bench", "--json", "--only", name])
        .args(["--events", &args.events.to_string()])
        .args(args.decisions.then_some("--decisions"))
        .output()
        .map_err(failed)?;
    serde_json::from_slice(&output.stdout).map_err(|error| failed(error.into()))
}

fn unknown(name: &str, all: &[Bench]) -> Error {
    let names = all.iter().map(|bench| bench.name.as_str());
    let problem = teeter_scenario::Problem::unknown("", "bench scenario", name, names);
    Error::scenario(source::name("bench"), problem.into())
}

fn text(speeds: &[Value]) -> String {
    let mut table = Table::new(0);
    let header = [
        "scenario",
        "events",
        "events/s",
        "simulated s/s",
        "CPU-ticks/s",
        "peak",
        "B/thread",
        "B/CPU",
        "CPU time",
        "ns/event",
    ];
    table.row(header.map(str::to_owned));
    for speed in speeds {
        let name = speed["name"].as_str().unwrap_or_default().to_owned();
        if let Some(why) = speed["not_run"].as_str() {
            table.row([name, format!("not run: {why}")]);
            continue;
        }
        let number = |key: &str| speed[key].as_f64().unwrap_or(f64::NAN);
        let seconds = speed["cpu_s"].as_f64().unwrap_or_else(|| number("wall_s"));
        table.row([
            name,
            format!("{:.2} M", number("events") / 1e6),
            format!("{:.2} M", number("events_per_s") / 1e6),
            format!("{:.1}", number("simulated_s_per_s")),
            format!("{:.2} M", number("cpu_ticks_per_s") / 1e6),
            format!("{:.1} MB", number("peak_bytes") / 1e6),
            format!("{:.0}", number("bytes_per_thread")),
            format!("{:.0}", number("bytes_per_cpu")),
            format!("{seconds:.2} s"),
            format!("{:.0}", 1e9 / number("events_per_s")),
        ]);
    }
    table.numbers()
}

/// What the measurements were made on.
fn machine() -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or(env::consts::ARCH, |(_, model)| model);
    format!("{model}, {}", env::consts::OS)
}

/// CPU time of this process so far in seconds, where Linux tells.
fn cpu_time() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanos: f64 = stat.split_whitespace().next()?.parse().ok()?;
    Some(nanos / 1e9)
}

/// A line of `/proc/self/status`, in bytes.
fn memory(key: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}
