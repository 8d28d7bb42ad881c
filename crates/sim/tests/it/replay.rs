//! Recordings of real kernels, replayed under the same kernel: the same shares of the CPUs, the same nodes.

#![expect(
    clippy::unwrap_used,
    reason = "these recordings are sound, or the test fails"
)]

use teeter_scenario::document::{Kernel, Scenario, Tasks, Workload};
use teeter_scenario::{Nanos, limits};
use teeter_sim::{Simulation, TaskResult};
use teeter_workload::{Piece, Recorded, Recording};

use crate::bench::{assert_near, scenario};

/// A recording of `tests/golden/ftrace`.
fn recording(name: &str) -> Recording {
    let name = format!(
        "{}/../../tests/golden/ftrace/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    Recording::read(&std::fs::read_to_string(name).unwrap()).unwrap()
}

/// Replays a recording for as long as it lasted.
fn replayed(recording: &Recording, kernel: &str, synthetic: &str) -> TaskResult {
    let tasks = Tasks::new("trace", Workload::Trace(recording.to_text()));
    let mut scenario = scenario(synthetic, vec![tasks], 0);
    scenario.run.duration = Nanos(recording.length.max(limits::SAMPLE_MIN.0));
    scenario.kernels = vec![Kernel::new(kernel)];
    result(&scenario)
}

fn result(scenario: &Scenario) -> TaskResult {
    let mut simulation = Simulation::new(scenario, 0, 0).unwrap();
    simulation.run_until(simulation.end());
    simulation.result().tasks.remove(0)
}

/// Each task's share of one CPU over the recording.
fn recorded_shares(recording: &Recording) -> Vec<f64> {
    let run = |piece: &Piece| match piece {
        Piece::Run(time) => *time as f64,
        _ => 0.0,
    };
    let share =
        |task: &Recorded| task.pieces.iter().map(run).sum::<f64>() / recording.length as f64;
    recording.tasks.iter().map(share).collect()
}

const KERNELS: [&str; 2] = ["v6.1.y", "v6.12.y"];

#[test]
fn tasks_share_one_cpu_as_they_did() {
    for kernel in KERNELS {
        for name in ["3burn_1sleepy", "weights"] {
            let recording = recording(&format!("{kernel}.{name}.recording"));
            let replayed = replayed(&recording, kernel, "node:1 core:1 pu:1");
            for (task, (&simulated, recorded)) in recording
                .tasks
                .iter()
                .zip(replayed.cpu_share.iter().zip(recorded_shares(&recording)))
            {
                let off = (simulated - recorded).abs();
                assert!(
                    off < 0.003,
                    "{kernel} {name} {}: {simulated} was {recorded}",
                    task.label()
                );
            }
        }
    }
}

#[test]
fn tasks_that_fit_spread_over_two_nodes_as_they_did() {
    for (kernel, nodes) in KERNELS.into_iter().zip([[3.032, 2.965], [2.992, 3.013]]) {
        let recording = recording(&format!("{kernel}.group.trace"));
        let replayed = replayed(&recording, kernel, "node:2 core:4 pu:1");
        for (&simulated, recorded) in replayed.cpu_share.iter().zip(recorded_shares(&recording)) {
            assert_near(simulated, recorded, 0.01);
        }
        for (&simulated, recorded) in replayed.mean_on_node.iter().zip(nodes) {
            assert_near(simulated, recorded, 0.1);
        }
    }
}

/// The shares of all tasks of one name, summed.
fn of_kind(recording: &Recording, shares: &[f64], kind: &str) -> f64 {
    let tasks = recording.tasks.iter().zip(shares);
    tasks
        .filter(|(task, _)| task.comm.starts_with(kind))
        .map(|(_, share)| share)
        .sum()
}

#[test]
fn burning_and_sleeping_tasks_share_two_nodes_as_they_did() {
    // Threads that ran or waited on each node over the recording, the fuller node first.
    for (kernel, nodes) in KERNELS.into_iter().zip([[5.48, 5.33], [6.01, 5.17]]) {
        let recording = recording(&format!("{kernel}.mixed.recording"));
        let replayed = replayed(&recording, kernel, "node:2 core:4 pu:1");
        let recorded = recorded_shares(&recording);
        // Which CPUs hold one hog and which two is not the same, but what hogs and sleepers get together is.
        for (kind, tolerance) in [("burn", 0.1), ("sleep", 0.03), ("orc", 0.005)] {
            let simulated = of_kind(&recording, &replayed.cpu_share, kind);
            assert_near(simulated, of_kind(&recording, &recorded, kind), tolerance);
        }
        let mut simulated = replayed.mean_on_node;
        simulated.sort_by(|a, b| b.total_cmp(a));
        for (simulated, recorded) in simulated.into_iter().zip(nodes) {
            assert_near(simulated, recorded, 0.75);
        }
    }
}

#[test]
fn tasks_that_wake_each_other_do_so_again() {
    for kernel in KERNELS {
        let recording = recording(&format!("{kernel}.pingpong.recording"));
        let replayed = replayed(&recording, kernel, "node:2 core:4 pu:1");
        let recorded = recorded_shares(&recording);
        for (task, (&simulated, recorded)) in recording
            .tasks
            .iter()
            .zip(replayed.cpu_share.iter().zip(recorded))
        {
            if task.comm.starts_with("ping") {
                let off = (simulated - recorded).abs();
                assert!(
                    off < 0.05,
                    "{kernel} {}: {simulated} was {recorded}",
                    task.label()
                );
            }
        }
    }
}

#[test]
fn a_run_that_is_traced_and_replayed_is_the_same_run() {
    for (kernel, name) in KERNELS.into_iter().enumerate() {
        let (text, original) = crate::trace::traced(teeter_sim::TraceFormat::Ftrace, kernel);
        let recording = Recording::read(&text).unwrap();
        let replayed = replayed(&recording, name, "node:2 l3:1 core:2 pu:2");
        for task in &original.tasks {
            let again = of_kind(&recording, &replayed.cpu_share, &task.name);
            let before: f64 = task.cpu_share.iter().sum();
            // A hog more or less alone on its core for some of the time is what a first placement decides.
            assert_near(again, before, 0.05 * before + 0.01);
        }
        let nodes = |node: usize| {
            original
                .tasks
                .iter()
                .map(|task| task.mean_on_node[node])
                .sum::<f64>()
        };
        for (node, &again) in replayed.mean_on_node.iter().enumerate() {
            assert_near(again, nodes(node), 0.5);
        }
    }
}
