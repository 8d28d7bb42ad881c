//! What holds at every moment of any run.

use std::collections::BTreeSet;

use proptest::prelude::*;
use teeter_scenario::document::workload::{NpbLu, Periodic};
use teeter_scenario::document::{Cgroup, Fork, Kernel, Policy, Scenario, Tasks, Workload};
use teeter_scenario::{CpuList, Nanos};
use teeter_sim::{IDLE, RunResult, Simulation};

use crate::bench::{MS, scenario, simulation};

const MACHINES: [(&str, u32); 4] = [
    ("node:1 core:1 pu:1", 1),
    ("node:1 core:3 pu:2", 6),
    ("node:2 l3:2 core:2 pu:1", 8),
    ("node:3 core:2 pu:2", 12),
];

fn workloads() -> impl Strategy<Value = Workload> {
    let micros = |range: std::ops::Range<u64>| range.prop_map(Nanos::from_micros);
    prop_oneof![
        Just(Workload::Hog),
        Just(Workload::NpbLu(NpbLu::default())),
        (micros(1..3000), micros(10..5000))
            .prop_map(|(run, period)| Workload::Periodic(Periodic { run, period })),
    ]
}

prop_compose! {
    fn tasks(cpus: u32)(
        workload in workloads(),
        threads in 1_u32..8,
        nice in -20_i8..20,
        policy in prop::sample::select(vec![Policy::Normal, Policy::Batch, Policy::Idle]),
        affinity in prop::option::of(prop::collection::btree_set(0..cpus, 1..4)),
        placed in any::<bool>(),
        start in 0..5 * MS,
        every in prop::sample::select(vec![0, 100_000]),
        cgroup in prop::sample::select(vec!["/", "/a", "/a/b", "/c"]),
    ) -> Tasks {
        let affinity: Option<CpuList> = affinity.map(|cpus| cpus.into_iter().collect());
        let fork = match &affinity {
            Some(cpus) if placed => Fork::On(cpus.clone()),
            _ => Fork::From { cpu: 0, every: Nanos(every) },
        };
        Tasks {
            threads,
            nice,
            policy,
            affinity,
            fork,
            start: Nanos(start),
            cgroup: cgroup.to_owned(),
            ..Tasks::new("", workload)
        }
    }
}

prop_compose! {
    fn scenarios()(
        machine in prop::sample::select(MACHINES.to_vec())
    )(
        all in prop::collection::vec(tasks(machine.1), 1..5),
        synthetic in Just(machine.0),
        kernel in prop::sample::select(vec!["v5.3", "v5.5"]),
        weight in 1_u32..1000,
        seed in any::<u64>(),
    ) -> Scenario {
        let mut all = all;
        for (index, tasks) in all.iter_mut().enumerate() {
            tasks.name = format!("t{index}");
        }
        let mut scenario = scenario(synthetic, all, 40);
        scenario.kernels = vec![Kernel::new(kernel)];
        scenario.cgroups = vec![Cgroup { weight, ..Cgroup::new("/a") }];
        scenario.run.seed = seed;
        scenario
    }
}

/// Every runnable task is in one place, and where it may be.
fn check_places(simulation: &Simulation, scenario: &Scenario) -> Result<(), TestCaseError> {
    let snapshot = simulation.snapshot();
    let table = simulation.threads();
    let mut seen = BTreeSet::new();
    for (cpu, &curr) in snapshot.curr.iter().enumerate() {
        let waiting = snapshot.queued_start[cpu] as usize..snapshot.queued_start[cpu + 1] as usize;
        let running = Some(curr).filter(|&curr| curr != IDLE);
        for task in snapshot.queued[waiting].iter().copied().chain(running) {
            prop_assert!(seen.insert(task), "task {} is in two places", task);
            let tasks = &scenario.tasks[table.threads[task as usize].task as usize];
            let allowed = tasks
                .affinity
                .as_ref()
                .is_none_or(|cpus| cpus.contains(cpu as u32));
            prop_assert!(allowed, "task {} is on CPU {}", task, cpu);
        }
        prop_assert!(running.is_some() || snapshot.spinning[cpu] == 0);
    }
    Ok(())
}

/// Time is neither lost nor made.
fn check_sums(result: &RunResult) -> Result<(), TestCaseError> {
    let elapsed = result.elapsed_ns as f64;
    let close = |a: f64, b: f64| (a - b).abs() <= 1.0;
    let sum = |of: &[f64]| of.iter().sum::<f64>() * elapsed;
    let run: u64 = result.tasks.iter().map(|task| task.cpu_ns).sum();
    let wait: u64 = result.tasks.iter().map(|task| task.wait_ns).sum();
    prop_assert!(close(run as f64, sum(&result.cpus.busy)));
    prop_assert!(close((run + wait) as f64, sum(&result.cpus.nr_running)));
    for task in &result.tasks {
        let runnable = (task.cpu_ns + task.wait_ns) as f64;
        prop_assert!(close(runnable, sum(&task.mean_on_node)));
        prop_assert!(close(runnable, sum(&task.mean_on_cpu)));
        prop_assert!(
            task.cpu_share
                .iter()
                .all(|share| (0.0..=1.0 + 1e-9).contains(share))
        );
    }
    prop_assert!((0.0..=1.0 + 1e-9).contains(&result.idle_while_waiting));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_run_keeps_them(scenario in scenarios(), cuts in prop::collection::vec(0..40 * MS, 8)) {
        let mut pieces = simulation(&scenario);
        let mut cuts = cuts;
        cuts.sort_unstable();
        for cut in cuts {
            pieces.run_until(Nanos(cut));
            check_places(&pieces, &scenario)?;
            check_sums(&pieces.result())?;
        }
        pieces.run_until(pieces.end());
        let mut whole = simulation(&scenario);
        whole.run_until(whole.end());
        prop_assert_eq!(pieces.result(), whole.result());
    }
}
