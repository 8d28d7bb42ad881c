//! The scenario document of a measurement.

use serde_json::{Value, json};
use teeter_scenario::document::Scenario;

use super::record::Case;

/// How long the machine runs before the measurement begins, and how much of that two CPUs are busy, as other
/// measurements came before each: domains no longer have the intervals they were born with. ms.
pub(super) const LEAD_MS: u64 = 1200;
const BEFORE_MS: u64 = 200;

/// How long before the first fork the forking program runs already, ms: so long that its own CPU counts as used.
/// From repeat to repeat it is a tick more, so that balancing is in another phase when the measurement begins.
const SETUP_MS: u64 = 100;
const TICK_MS: u64 = 4;

/// Tasks in every scenario that are not of the measurement.
pub(super) const OTHERS: usize = 4;

/// Every how many ms samples are taken, if the measurement does not say; and what a sample takes for each task, µs.
const SAMPLE_MS: u64 = 100;
const SAMPLE_US: u64 = 90;

/// What a fork takes the measuring program, µs.
const FORK_US: u64 = 600;

/// The document, or why there is none.
pub(super) fn of(case: &Case, repeat: u32) -> Result<Scenario, String> {
    let mut tasks = surroundings(case);
    tasks.push(forker(case, SETUP_MS + TICK_MS * u64::from(repeat)));
    let mut forks = case.forks_ms.iter();
    for word in case.spec.iter().filter(|word| word.contains(':')) {
        let fields: Vec<&str> = word.split(':').collect();
        let count: u32 = fields[1].parse().unwrap();
        for _ in 0..count {
            let start = (forks.next().unwrap() * 1000.0) as u64;
            let name = format!("{}{}", fields[0], tasks.len());
            tasks.push(task(case, &fields, &name, start)?);
        }
    }
    let weights = case.weights.iter();
    let limits = case.max.iter();
    let groups: Vec<Value> = weights
        .map(|(path, weight)| json!({"path": format!("/{path}"), "weight": weight}))
        .chain(limits.map(|(path, max)| json!({"path": format!("/{path}"), "max": max})))
        .collect();
    let document = json!({
        "teeter": 1,
        "machine": case.machine,
        "cgroups": groups,
        "tasks": tasks,
        "kernels": [case.kernel],
        "run": {
            "duration": format!("{}ms", LEAD_MS + case.warmup_ms + case.window_ms),
            "warmup": format!("{}ms", LEAD_MS + case.warmup_ms),
        },
    });
    Scenario::from_json(&document.to_string()).map_err(|problems| format!("{problems:?}"))
}

/// How many tasks the measurement has.
fn count(case: &Case) -> u64 {
    let kinds = case.spec.iter().filter(|word| word.contains(':'));
    kinds
        .map(|word| word.split(':').nth(1).unwrap().parse::<u64>().unwrap())
        .sum()
}

fn last_fork_us(case: &Case) -> u64 {
    (case.forks_ms.last().unwrap() * 1000.0) as u64
}

/// What was there before the measurement, on two CPUs, and the program that took samples.
fn surroundings(case: &Case) -> Vec<Value> {
    let before = json!({
        "name": "before",
        "threads": 2,
        "workload": {"program": [{"run": format!("{BEFORE_MS}ms")}, {"sleep": "1000s"}]},
        "affinity": "0-1",
        "fork": {"on": "0-1"},
    });
    let every = case.option("ms").unwrap_or(SAMPLE_MS);
    let sampler = json!({
        "name": "sampler",
        "workload": {"program": [
            {"run": format!("{}us", SAMPLE_US * count(case))},
            {"timer": {"period": format!("{every}ms")}},
        ]},
        "affinity": case.sampler.to_string(),
        "start": format!("{}us", LEAD_MS * 1000 + last_fork_us(case) + FORK_US),
        "fork": {"on": case.sampler.to_string()},
    });
    vec![before, sampler]
}

/// The program that forks all others, and sleeps afterwards: it runs, or would like to, until the last fork, or
/// for a while around each.
fn forker(case: &Case, setup_ms: u64) -> Value {
    let forks = count(case);
    let steps = match case.option("stagger") {
        Some(stagger) => {
            json!([{"runtime": format!("{setup_ms}ms")}, {"loop": {"times": forks + 1, "steps": [
            {"run": format!("{FORK_US}us")},
            {"sleep": format!("{}us", stagger - FORK_US)},
        ]}}, {"sleep": "1000s"}])
        }
        None => {
            json!([{"runtime": format!("{}us", setup_ms * 1000 + last_fork_us(case) + FORK_US)}, {"sleep": "1000s"}])
        }
    };
    json!({
        "name": "orc",
        "workload": {"program": steps},
        "start": format!("{}ms", LEAD_MS - setup_ms),
        "fork": {"on": "0"},
    })
}

/// One task of the measurement; times in its spec are µs, those of `pin` ms.
fn task(case: &Case, fields: &[&str], name: &str, start_us: u64) -> Result<Value, String> {
    let workload = match fields[0] {
        "burn" => json!("hog"),
        "pin" => json!({"program": [
            {"runtime": format!("{}us", fields[5].parse::<u64>().unwrap() * 1000 - start_us)},
            {"affinity": all_cpus(case)},
            {"run": "1000s"},
        ]}),
        "sleepy" => begun(&json!([
            {"run": format!("{}us", fields[4])},
            {"sleep": format!("{}us", fields[5])},
        ])),
        "duty" => begun(&json!([
            {"run": format!("{}us", fields[4])},
            {"timer": {"period": format!("{}us", fields[5])}},
        ])),
        kind => return Err(kind.to_owned()),
    };
    let mut task = json!({
        "name": name,
        "workload": workload,
        "nice": fields[2].parse::<i64>().unwrap(),
        "start": format!("{}us", LEAD_MS * 1000 + start_us),
        "fork": {"from": 0},
    });
    if fields[3] != "-" {
        task["cgroup"] = json!(format!("/{}", fields[3]));
    }
    if fields[0] == "pin" {
        task["affinity"] = json!(fields[4]);
    }
    Ok(task)
}

/// A program that goes on for ever once the child has done its half of the fork.
fn begun(steps: &Value) -> Value {
    json!({"program": [
        {"run": format!("{FORK_US}us")},
        {"loop": {"times": 1_000_000, "steps": steps}},
    ]})
}

fn all_cpus(case: &Case) -> String {
    format!("0-{}", case.repeats[0].cpus.len() - 1)
}
