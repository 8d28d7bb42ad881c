//! Shares of one CPU against those that real kernels gave (`tests/golden/fairness`).

#![expect(
    clippy::unwrap_used,
    reason = "the golden files are sound, or the test fails"
)]

use std::collections::BTreeMap;

use serde::Deserialize;
use teeter_scenario::Nanos;
use teeter_scenario::document::{Cgroup, Fork, Kernel, Scenario, Tasks, Workload};

use crate::bench::{result, scenario};

/// Shares below this are of a tick or two in the whole window: when these come decides, and nearer than one tick
/// no two runs agree. All others are to be within 1 %.
///
/// That is the two tasks of nice 19 among others of -10 to 10. The record has no more of them: such a task ran three
/// times in all, for the 4.0 ms of one tick before the window and for 5.9 ms (v6.1.y) or 7.1 ms (v6.12.y) within, where
/// its weight is worth 9.5 ms. 1 % of that is 0.1 ms, and a tick is 4 ms; who measured says of it
/// "limited by the tick".
const TICK_LIMITED: f64 = 0.002;

const TICK_MS: f64 = 4.0;

#[derive(Deserialize)]
struct Golden {
    kernel: String,
    scenarios: Vec<Case>,
}

/// Burning tasks on one CPU, and how long each ran within the window that follows the warm-up.
#[derive(Deserialize)]
struct Case {
    name: String,
    warmup_ms: u64,
    window_ms: u64,
    weights: BTreeMap<String, u32>,
    tasks: Vec<Burner>,
}

#[derive(Deserialize)]
struct Burner {
    nice: i8,
    cgroup: String,
    start_us: u64,
    run_us: u64,
}

impl Case {
    fn scenario(&self, kernel: &str) -> Scenario {
        let tasks = self.tasks.iter().enumerate().map(|(at, burner)| Tasks {
            nice: burner.nice,
            cgroup: burner.cgroup.clone(),
            start: Nanos::from_micros(burner.start_us),
            fork: Fork::On("0".parse().unwrap()),
            ..Tasks::new(format!("burn{at}"), Workload::Hog)
        });
        let mut scenario = scenario(
            "core:1 pu:1",
            tasks.collect(),
            self.warmup_ms + self.window_ms,
        );
        scenario.run.warmup = Nanos::from_millis(self.warmup_ms);
        scenario.kernels = vec![Kernel::new(kernel)];
        scenario.cgroups = self
            .weights
            .iter()
            .map(|(path, &weight)| Cgroup {
                weight,
                ..Cgroup::new(path.clone())
            })
            .collect();
        scenario
    }

    /// Measured and simulated share of each task.
    fn shares(&self, kernel: &str) -> Vec<(f64, f64)> {
        let measured: u64 = self.tasks.iter().map(|burner| burner.run_us).sum();
        let result = result(&self.scenario(kernel));
        let simulated: u64 = result.tasks.iter().map(|task| task.cpu_ns).sum();
        let tasks = self.tasks.iter().zip(&result.tasks);
        tasks
            .map(|(burner, task)| {
                (
                    burner.run_us as f64 / measured as f64,
                    task.cpu_ns as f64 / simulated as f64,
                )
            })
            .collect()
    }
}

fn check(text: &str) {
    let golden: Golden = serde_json::from_str(text).unwrap();
    let mut tasks = 0;
    let mut wrong = Vec::new();
    for case in &golden.scenarios {
        for (at, (measured, simulated)) in case.shares(&golden.kernel).into_iter().enumerate() {
            let off = simulated / measured - 1.0;
            println!(
                "{:8} {:16} {at} measured {measured:.5} simulated {simulated:.5} {:+.2} %",
                golden.kernel,
                case.name,
                100.0 * off
            );
            tasks += 1;
            if measured < TICK_LIMITED {
                let ticks = |share: f64| share * case.window_ms as f64 / TICK_MS;
                println!(
                    "    limited by the tick: {:.1} ticks measured, {:.1} simulated",
                    ticks(measured),
                    ticks(simulated)
                );
            }
            let near = if measured < TICK_LIMITED {
                (simulated - measured).abs() <= TICK_MS / case.window_ms as f64
            } else {
                off.abs() <= 0.01
            };
            if !near {
                wrong.push(format!("{} {at}", case.name));
            }
        }
    }
    println!(
        "{}: {} of {tasks} shares as measured",
        golden.kernel,
        tasks - wrong.len()
    );
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn shares_of_v6_1_y_are_as_measured() {
    check(include_str!(
        "../../../../tests/golden/fairness/v6.1.y.json"
    ));
}

#[test]
fn shares_of_v6_12_y_are_as_measured() {
    check(include_str!(
        "../../../../tests/golden/fairness/v6.12.y.json"
    ));
}
