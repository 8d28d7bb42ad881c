//! The scenario document of a measurement.

use std::ops::Range;

use serde_json::{Value, json};
use teeter_scenario::document::Scenario;

use super::record::Case;

/// How long the machine runs before the measurement begins, ms; and for how much of that two CPUs are busy, if
/// another measurement came before: the domains of a machine just booted still have the intervals they were born
/// with.
const LEAD_MS: u64 = 1200;
const BEFORE_MS: u64 = 200;

/// How much longer it runs in each further repeat, ms: so that the intervals of domains, up to 512 ms where tasks
/// are pinned, are in another phase when the measurement begins, and so are those of few ticks.
const PHASE_MS: u64 = 68;

/// How long before the first fork the forking program runs already, ms: so long that its own CPU counts as used.
/// It sleeps for a part of that (it writes to files and waits for them), so that its load is below that of a task
/// that never slept: in every measurement the first child that finds no idle CPU comes to the forking program's.
const SETUP_MS: u64 = 100;

/// Every how many ms each node's `kcompactd` looks whether memory is fragmented
/// (`HPAGE_FRAG_CHECK_INTERVAL_MSEC`, mm/compaction.c: 125 ticks, which the timer wheel makes 128), and for how
/// long, µs. The CPU it ran on looks for work as it idles again.
const KCOMPACTD_MS: u64 = 512;
const KCOMPACTD_US: u64 = 20;

/// When the measurement begins in that repeat, ms.
pub(super) fn lead_ms(repeat: u32) -> u64 {
    LEAD_MS + PHASE_MS * u64::from(repeat)
}

/// The tasks of the measurement, among all of its scenario.
pub(super) fn measured(case: &Case) -> Range<usize> {
    0..count(case) as usize
}

/// Every how many ms samples are taken, if the measurement does not say; and what a sample takes for each task, µs.
const SAMPLE_MS: u64 = 100;
const SAMPLE_US: u64 = 90;

/// What a fork takes the measuring program, µs.
const FORK_US: u64 = 600;

/// The document, or why there is none.
pub(super) fn of(case: &Case, repeat: u32) -> Result<Scenario, String> {
    let lead_ms = lead_ms(repeat);
    let mut tasks = Vec::new();
    let mut forks = case.forks_ms.iter();
    for word in case.spec.iter().filter(|word| word.contains(':')) {
        let fields: Vec<&str> = word.split(':').collect();
        let count: u32 = fields[1].parse().unwrap();
        for _ in 0..count {
            let start = (forks.next().unwrap() * 1000.0) as u64;
            let name = format!("{}{}", fields[0], tasks.len());
            let mut forked = task(case, &fields, tasks.len(), start)?;
            forked["name"] = json!(name);
            forked["start"] = json!(format!("{}us", lead_ms * 1000 + start));
            forked["fork"] = json!({"from": forker_cpu(case, repeat)});
            tasks.push(forked);
        }
    }
    tasks.extend([forker(case, lead_ms, repeat), sampler(case, lead_ms)]);
    tasks.extend(kcompactd(case));
    if !case.first {
        tasks.push(before());
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
        "script": [{"at": format!("{}us", lead_ms * 1000 + last_fork_us(case) + FORK_US), "stop": "orc"}],
        "run": {
            "duration": format!("{}ms", lead_ms + case.warmup_ms + case.window_ms),
            "warmup": format!("{}ms", lead_ms + case.warmup_ms),
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

/// What another measurement left behind.
fn before() -> Value {
    json!({
        "name": "before",
        "threads": 2,
        "workload": {"program": [{"run": format!("{BEFORE_MS}ms")}, {"sleep": "1000s"}]},
        "affinity": "0-1",
        "fork": {"on": "0-1"},
    })
}

/// The program that took samples.
fn sampler(case: &Case, lead_ms: u64) -> Value {
    let every = case.option("ms").unwrap_or(SAMPLE_MS);
    json!({
        "name": "sampler",
        "workload": {"program": [
            {"run": format!("{}us", SAMPLE_US * count(case))},
            {"timer": {"period": format!("{every}ms")}},
        ]},
        "affinity": case.sampler.to_string(),
        "start": format!("{}us", lead_ms * 1000 + last_fork_us(case) + FORK_US),
        "fork": {"on": case.sampler.to_string()},
    })
}

/// Each node's thread that looks whether memory is fragmented. All nodes of a measured machine are alike.
fn kcompactd(case: &Case) -> Vec<Value> {
    let nodes = case.repeats[0].nodes.len();
    let cpus = case.repeats[0].cpus.len() / nodes;
    let thread = |node: usize| {
        json!({
            "name": format!("kcompactd{node}"),
            "workload": {"program": [{"loop": {"times": 1_000_000, "steps": [
                {"run": format!("{KCOMPACTD_US}us")},
                {"sleep": format!("{KCOMPACTD_MS}ms")},
            ]}}]},
            "affinity": format!("{}-{}", node * cpus, (node + 1) * cpus - 1),
            "fork": {"on": (node * cpus).to_string()},
        })
    };
    (0..nodes).map(thread).collect()
}

/// The program that forks all others: it runs, or would like to, until the last fork (when it becomes the one that
/// takes samples), or around each.
fn forker(case: &Case, lead_ms: u64, repeat: u32) -> Value {
    let mut steps = vec![json!({"loop": {"times": SETUP_MS / 4 - 3, "steps": [
        {"run": "3ms"},
        {"sleep": "1ms"},
    ]}})];
    match case.option("stagger") {
        Some(_) => {
            let mut done = 0;
            for fork in &case.forks_ms {
                let fork = (fork * 1000.0) as u64;
                steps.push(json!({"sleep": format!("{}us", (fork - done).max(1))}));
                steps.push(json!({"run": format!("{FORK_US}us")}));
                done = fork + FORK_US;
            }
        }
        None => steps.push(json!({"run": "1000s"})),
    }
    json!({
        "name": "orc",
        "workload": {"program": steps},
        "start": format!("{}ms", lead_ms - SETUP_MS),
        "fork": {"on": forker_cpu(case, repeat).to_string()},
    })
}

/// Where the forking program runs, which differed from boot to boot: on another node, or another of its CPUs, in
/// each repeat.
fn forker_cpu(case: &Case, repeat: u32) -> usize {
    let cpus = case.repeats[0].cpus.len();
    (cpus / 2 + 5 * repeat as usize) % cpus
}

/// One task of the measurement; times in its spec are µs, those of `pin` ms.
fn task(case: &Case, fields: &[&str], index: usize, start_us: u64) -> Result<Value, String> {
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
        "ping" => ping(fields[4], index),
        "ring" => ring(fields[4], index, fields[1].parse().unwrap()),
        kind => return Err(kind.to_owned()),
    };
    let mut task = json!({
        "workload": workload,
        "nice": fields[2].parse::<i64>().unwrap(),
    });
    if fields[3] != "-" {
        task["cgroup"] = json!(format!("/{}", fields[3]));
    }
    if fields[0] == "pin" {
        task["affinity"] = json!(fields[4]);
    }
    Ok(task)
}

/// One of a pair that sends a message to and fro; the first begins.
fn ping(work_us: &str, index: usize) -> Value {
    let (pair, side) = (index / 2, index % 2);
    let mut steps = vec![
        json!({"run": format!("{work_us}us")}),
        json!({"send": format!("ping{pair}{side}")}),
        json!({"receive": format!("ping{pair}{}", 1 - side)}),
    ];
    steps.rotate_right(side);
    begun(&Value::from(steps))
}

/// One of those that pass a message round; the first begins.
fn ring(work_us: &str, index: usize, count: usize) -> Value {
    let mut steps = vec![
        json!({"run": format!("{work_us}us")}),
        json!({"send": format!("ring{}", (index + 1) % count)}),
        json!({"receive": format!("ring{index}")}),
    ];
    steps.rotate_right(usize::from(index > 0));
    begun(&Value::from(steps))
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
