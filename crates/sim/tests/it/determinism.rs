//! The same scenario gives the same run, however it is driven.

use proptest::prelude::*;
use teeter_scenario::Nanos;
use teeter_scenario::document::workload::{NpbLu, Periodic};
use teeter_scenario::document::{Cgroup, Scenario, Workload};
use teeter_sim::{Simulation, derive_seed};

use crate::bench::{MS, scenario, simulation, threads};

/// Threads that compute, sleep, spin and meet at barriers, on more nodes than one, in cgroups.
fn busy(millis: u64) -> Scenario {
    let periodic = Periodic {
        run: Nanos(700_000),
        period: Nanos(2 * MS),
    };
    let mut tasks = vec![
        threads("hog", Workload::Hog, 3),
        threads("periodic", Workload::Periodic(periodic), 6),
        threads("lu", Workload::NpbLu(NpbLu::default()), 5),
    ];
    "/lu".clone_into(&mut tasks[2].cgroup);
    tasks[1].start = Nanos(3 * MS);
    let mut scenario = scenario("node:2 core:2 pu:2", tasks, millis);
    scenario.cgroups = vec![Cgroup::new("/lu")];
    scenario.run.warmup = Nanos(7 * MS);
    scenario.run.sample = Nanos(MS);
    scenario
}

fn whole(scenario: &Scenario) -> Simulation {
    let mut simulation = simulation(scenario);
    simulation.run_until(simulation.end());
    simulation
}

/// Everything that may be looked at is the same.
fn assert_alike(one: &mut Simulation, other: &mut Simulation) {
    assert_eq!(one.result(), other.result());
    assert_eq!(one.series(), other.series());
    assert_eq!(one.snapshot(), other.snapshot());
    assert_eq!(one.take_migrations(), other.take_migrations());
}

#[test]
fn two_runs_are_alike() {
    let scenario = busy(400);
    assert_alike(&mut whole(&scenario), &mut whole(&scenario));
}

#[test]
fn seeds_and_repeats_differ() {
    let scenario = busy(100);
    let digest = |seed: u64, repeat: u32| {
        let mut scenario = scenario.clone();
        scenario.run.seed = seed;
        let mut simulation = Simulation::new(&scenario, 0, repeat).unwrap();
        simulation.run_until(simulation.end());
        simulation.digest()
    };
    assert_ne!(digest(1, 0), digest(2, 0));
    assert_ne!(digest(1, 0), digest(1, 1));
    assert_eq!(digest(1, 3), digest(derive_seed(1, 3), 0));
}

#[test]
fn names_do_not_matter() {
    let mut renamed = busy(100);
    renamed.name = "another".to_owned();
    for tasks in &mut renamed.tasks {
        tasks.name.push('x');
    }
    assert_eq!(whole(&renamed).digest(), whole(&busy(100)).digest());
}

#[test]
fn a_clone_goes_on_like_the_original() {
    let mut original = simulation(&busy(200));
    original.run_until(Nanos(77 * MS + 123));
    let mut checkpoint = original.clone();
    original.run_until(original.end());
    assert_ne!(original.digest(), checkpoint.digest());
    checkpoint.run_until(checkpoint.end());
    assert_alike(&mut original, &mut checkpoint);
}

#[test]
fn samples_cover_the_run() {
    let scenario = busy(50);
    let simulation = whole(&scenario);
    let series = simulation.series();
    assert_eq!(series.len(), 50);
    assert_eq!(series.time_ns.last(), Some(&50e6));
    // From the warmup on, the rows add up to the result's mean.
    let rows = &series.node_threads(1, 0)[7..];
    let mean = rows.iter().map(|&row| f64::from(row)).sum::<f64>() / rows.len() as f64;
    let expected = simulation.result().tasks[1].mean_on_node[0];
    assert!((mean - expected).abs() < 1e-4, "{mean} is not {expected}");
    // Every migration is in a row.
    let result = simulation.result();
    let migrations: u32 = series.migrations.iter().flatten().sum();
    let total: u64 = result.tasks.iter().map(|task| task.migrations.total).sum();
    assert_eq!(u64::from(migrations), total);
}

#[test]
fn time_is_conserved() {
    let mut scenario = busy(100);
    scenario.run.warmup = Nanos(0);
    let result = whole(&scenario).result();
    let by_task: u64 = result.tasks.iter().map(|task| task.cpu_ns).sum();
    let by_cpu: f64 = result.cpus.busy.iter().sum::<f64>() * 100e6;
    assert!((by_task as f64 - by_cpu).abs() < 1.0);
    let runnable: u64 = result
        .tasks
        .iter()
        .map(|task| task.cpu_ns + task.wait_ns)
        .sum();
    let on_queues = result.cpus.nr_running.iter().sum::<f64>() * 100e6;
    assert!((runnable as f64 - on_queues).abs() < 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn pieces_make_the_whole(cuts in prop::collection::vec((0_u64..60 * MS, 1_u64..2000), 0..20)) {
        let scenario = busy(60);
        let mut pieces = simulation(&scenario);
        let mut marks = Vec::new();
        for (time, events) in cuts {
            pieces.run_events(Nanos(time), events);
            // Looking changes nothing.
            marks.extend(pieces.take_migrations());
            prop_assert_eq!(pieces.snapshot().now, pieces.now());
            prop_assert!(pieces.result().elapsed_ns <= 60 * MS);
        }
        while !pieces.run_events(pieces.end(), 1000) {}
        marks.extend(pieces.take_migrations());
        let mut expected = whole(&scenario);
        prop_assert_eq!(pieces.result(), expected.result());
        prop_assert_eq!(pieces.series(), expected.series());
        prop_assert_eq!(marks, expected.take_migrations());
    }
}
