//! Workers in a cgroup under v4.11, with and without the repair posted in April 2017.
//!
//! Measured on 16 cores with 32 hardware threads: workers that compute 15 ms at a time wait much longer for a CPU in
//! a cgroup than outside, while CPUs idle, since load balancing knows too late who carries two of them and chooses
//! the wrong CPU to pull from. With the load of queued tasks passed up the groups at once it is as outside.

#![expect(
    clippy::unwrap_used,
    reason = "these scenarios are sound, or the test fails"
)]

use serde_json::json;
use teeter_scenario::document::Scenario;
use teeter_sched::decision::{Decisions, VOCABULARY, Value};
use teeter_sim::Simulation;

const REPEATS: u32 = 4;

/// 38 workers on the machine of the measurement, more than half of the time busy, and what little else runs on it.
fn scenario(kernel: &str, cgroup: &str) -> Scenario {
    let worker = |name: &str, threads: u32, sleep: &str| {
        json!({ "name": name, "cgroup": cgroup, "threads": threads,
            "workload": { "program": [{ "run": "15ms" }, { "sleep": sleep }] } })
    };
    let document = json!({
        "teeter": 1,
        "machine": { "preset": "xeon-16c" },
        "cgroups": [{ "path": "/a", "weight": 10000 }],
        "tasks": [
            { "name": "management", "threads": 2, "workload": { "periodic": { "run": "50us", "period": "3ms" } } },
            worker("short", 16, "10ms"),
            worker("middle", 16, "11ms"),
            worker("long", 6, "12ms"),
        ],
        "kernels": [kernel],
        "run": { "duration": "4s", "repeats": REPEATS },
    });
    Scenario::from_json(&document.to_string()).unwrap()
}

/// Fraction of the time in which a worker waited while some CPU idled, mean of all repeats.
fn idle_while_waiting(kernel: &str, cgroup: &str) -> f64 {
    let scenario = scenario(kernel, cgroup);
    let fractions = (0..REPEATS).map(|repeat| {
        let mut simulation = Simulation::new(&scenario, 0, repeat).unwrap();
        simulation.run_until(simulation.end());
        simulation.result().idle_while_waiting
    });
    fractions.sum::<f64>() / f64::from(REPEATS)
}

/// Of the passes of idle CPUs that chose where to pull from, the fraction that chose a group which runs fewer tasks
/// than another.
fn wrong_choices(kernel: &str, cgroup: &str) -> f64 {
    let place = |name| {
        let names = VOCABULARY.inputs.iter();
        names.clone().position(|known| *known == name).unwrap()
    };
    let [busiest, most] = ["busiest.sum_nr_running", "max.sum_nr_running"].map(place);
    let source = place("src_cpu");
    let scenario = scenario(kernel, cgroup);
    let (mut chosen, mut wrong) = (0, 0);
    for repeat in 0..REPEATS {
        let mut simulation = Simulation::new(&scenario, 0, repeat).unwrap();
        simulation.record_decisions(true);
        let mut decisions = Decisions::new();
        let mut ended = false;
        while !ended {
            ended = simulation.run_events(simulation.end(), 20_000);
            simulation.take_decisions(&mut decisions);
            for decision in decisions.iter().filter(|made| made.get(source).is_some()) {
                let number = |input| decision.get(input).map(Value::number);
                chosen += 1;
                wrong += u32::from(number(busiest) < number(most));
            }
        }
    }
    assert!(chosen > 100, "{chosen} passes chose");
    f64::from(wrong) / f64::from(chosen)
}

#[test]
fn v4_11_leaves_cpus_idle_beside_waiting_workers_of_a_cgroup() {
    let root = idle_while_waiting("v4.11", "/");
    let nested = idle_while_waiting("v4.11", "/a");
    println!("v4.11: {root:.4} of the time in the root cgroup, {nested:.4} in a nested one");
    assert!(nested > 4.0 * root, "{root} in the root, {nested} nested");
    for repaired in ["v4.11+propagate", "v4.11+propagate-v2"] {
        let fraction = idle_while_waiting(repaired, "/a");
        println!("{repaired}: {fraction:.4} nested");
        assert!(
            2.0 * fraction < nested,
            "{repaired}: {fraction}, before {nested}"
        );
    }
}

#[test]
fn v4_11_chooses_the_wrong_group_in_a_cgroup() {
    let root = wrong_choices("v4.11", "/");
    let nested = wrong_choices("v4.11", "/a");
    let repaired = wrong_choices("v4.11+propagate", "/a");
    println!(
        "wrong group: {root:.3} in the root cgroup, {nested:.3} nested, {repaired:.3} repaired"
    );
    assert!(nested > 4.0 * root, "{root} in the root, {nested} nested");
    assert!(2.0 * repaired < nested, "{nested} before, {repaired} after");
}
