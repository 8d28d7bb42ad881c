//! The case Teeter began with: lu.C beside two CPU hogs, in separate cgroups and in one.
//!
//! Measured on a machine of four nodes with 20 CPUs each: with v5.3 the nodes that hold a hog keep few of
//! the 76 lu threads (30.45 / 6.95 / 4.52 / 34.08) and throughput falls 9 to 15 times; with the rework
//! that became v5.5 both are as without groups.

#![expect(
    clippy::unwrap_used,
    reason = "the presets are sound, or the test fails"
)]

use teeter_scenario::presets;
use teeter_sim::{RunResult, Simulation, TaskResult};

const V5_3: usize = 0;
const V5_5: usize = 1;

fn run(preset: &str, kernel: usize) -> RunResult {
    run_seed(preset, kernel, 0)
}

fn run_seed(preset: &str, kernel: usize, repeat: u32) -> RunResult {
    let mut simulation = Simulation::new(&presets::get(preset).unwrap(), kernel, repeat).unwrap();
    simulation.run_until(simulation.end());
    let result = simulation.result();
    assert_eq!(result.kernel, ["v5.3", "v5.5"][kernel]);
    result
}

fn task<'a>(result: &'a RunResult, name: &str) -> &'a TaskResult {
    result.tasks.iter().find(|task| task.name == name).unwrap()
}

fn mops(result: &RunResult) -> f64 {
    task(result, "lu").metric.as_ref().unwrap().value
}

/// Threads of lu on the nodes that hold a hog most of the time, and on the others.
fn lu_by_hog(result: &RunResult) -> (Vec<f64>, Vec<f64>) {
    let (lu, hogs) = (lu_on_nodes(result), task(result, "stress"));
    let nodes = lu.iter().zip(&hogs.mean_on_node);
    let (with, without): (Vec<_>, Vec<_>) = nodes.partition(|&(_, &hogs)| hogs > 0.5);
    let threads = |nodes: Vec<(&f64, &f64)>| nodes.iter().map(|(lu, _)| **lu).collect();
    (threads(with), threads(without))
}

/// Threads of lu on each node while it ran.
fn lu_on_nodes(result: &RunResult) -> Vec<f64> {
    let lu = task(result, "lu");
    let ran = lu.done_ns.unwrap_or(result.elapsed_ns);
    let longer = result.elapsed_ns as f64 / ran as f64;
    lu.mean_on_node.iter().map(|mean| mean * longer).collect()
}

#[test]
fn average_load_starves_the_nodes_that_hold_a_hog() {
    let (group, normal) = (run("lu-group", V5_3), run("lu-normal", V5_3));
    let (with, without) = lu_by_hog(&group);
    assert_eq!((with.len(), without.len()), (2, 2), "{group:?}");
    let ratio = mops(&normal) / mops(&group);
    println!(
        "v5.3: {:.0} Mop/s in groups, {:.0} in one: {ratio:.1} times",
        mops(&group),
        mops(&normal)
    );
    assert!((8.0..=16.0).contains(&ratio), "{ratio} times");
    assert_even(&normal);
}

/// The shape of the measurement holds whatever the seed: two crowded nodes, and two that a hog keeps sparse.
#[test]
fn five_seeds_crowd_the_same_nodes() {
    let mut sparse = Vec::new();
    let mut crowded = Vec::new();
    let mut speeds = Vec::new();
    for seed in 0..5 {
        let group = run_seed("lu-group", V5_3, seed);
        let (with, without) = lu_by_hog(&group);
        assert_eq!((with.len(), without.len()), (2, 2), "{group:?}");
        sparse.extend(with);
        crowded.extend(without);
        speeds.push(mops(&group));
    }
    let [least, median, most] = spread(&mut speeds);
    println!("v5.3, five seeds: {least:.0} / {median:.0} / {most:.0} Mop/s (min / median / max)");
    assert!(
        least >= 2119.0 && most <= 3580.0,
        "as measured: 2120 to 3579"
    );
    let mean = |nodes: &[f64]| nodes.iter().sum::<f64>() / nodes.len() as f64;
    let (mean_sparse, mean_crowded) = (mean(&sparse), mean(&crowded));
    let [least, median, most] = spread(&mut sparse);
    println!(
        "beside a hog: {least:.1} / {median:.1} / {most:.1} lu threads, {mean_sparse:.1} on average"
    );
    assert!((mean_sparse - 8.4).abs() <= 4.0, "as measured: 8.4");
    assert!(most < 19.0, "fewer than an even share");
    let [least, median, most] = spread(&mut crowded);
    println!("elsewhere: {least:.1} / {median:.1} / {most:.1}, {mean_crowded:.1} on average");
    assert!((mean_crowded - 29.5).abs() <= 4.0, "as measured: 29.5");
    assert!(least > 19.0, "more than an even share");
}

/// Least, middle and greatest.
fn spread(values: &mut [f64]) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [
        values[0],
        values[values.len() / 2],
        values[values.len() - 1],
    ]
}

#[test]
fn group_types_spread_lu_as_without_groups() {
    let (group, normal) = (run("lu-group", V5_5), run("lu-normal", V5_5));
    assert_even(&group);
    assert_even(&normal);
    for repeat in 1..5 {
        assert_even(&run_seed("lu-group", V5_5, repeat));
    }
    let ratio = mops(&group) / mops(&normal);
    println!(
        "v5.5: {:.0} Mop/s in groups, {:.0} in one: {ratio:.3} times",
        mops(&group),
        mops(&normal)
    );
    assert!((0.9..=1.1).contains(&ratio), "{ratio} times");
}

/// The rework as posted second, before it became v5.5: lu fills what the hogs leave of each node, and is as fast
/// as without groups.
#[test]
fn the_second_posting_of_the_rework_fills_all_nodes_alike() {
    let group = run_under("lu-group", "v5.3+rework-v2");
    let normal = run_under("lu-normal", "v5.3+rework-v2");
    for result in [&group, &normal] {
        let (lu, hogs) = (lu_on_nodes(result), task(result, "stress"));
        let nodes = lu.iter().zip(&hogs.mean_on_node);
        let threads: Vec<f64> = nodes.map(|(lu, hogs)| lu + hogs).collect();
        println!("v5.3+rework-v2: {threads:.1?} threads on the nodes");
        // Some of the 76 sleep at a barrier now and then.
        let even = threads.iter().sum::<f64>() / 4.0;
        assert!(even > 18.0, "{threads:?}");
        assert!(
            threads.iter().all(|threads| (threads - even).abs() <= 1.5),
            "{threads:?}"
        );
    }
    let ratio = mops(&group) / mops(&normal);
    println!("v5.3+rework-v2: {ratio:.3} times as fast in groups");
    assert!((0.9..=1.1).contains(&ratio), "{ratio} times");
}

/// A preset under another kernel than its own.
fn run_under(preset: &str, kernel: &str) -> RunResult {
    let mut scenario = presets::get(preset).unwrap();
    scenario.kernels.truncate(1);
    kernel.clone_into(&mut scenario.kernels[0].base);
    let mut simulation = Simulation::new(&scenario, 0, 0).unwrap();
    simulation.run_until(simulation.end());
    simulation.result()
}

/// Every node holds 19 of the 76 threads, give or take two.
fn assert_even(result: &RunResult) {
    let nodes = lu_on_nodes(result);
    assert!(
        nodes.iter().all(|threads| (threads - 19.0).abs() <= 2.0),
        "{nodes:?}"
    );
}
