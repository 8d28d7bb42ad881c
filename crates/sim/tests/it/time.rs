//! Who gets how much CPU time.

use teeter_scenario::Nanos;
use teeter_scenario::document::workload::Periodic;
use teeter_scenario::document::{Fork, Until, Workload};

use crate::bench::{MS, assert_near, result, scenario, threads};

#[test]
fn a_hog_alone_has_its_cpu() {
    let result = result(&scenario(
        "node:1 core:2 pu:1",
        vec![threads("hog", Workload::Hog, 1)],
        1000,
    ));
    let hog = &result.tasks[0];
    assert_near(hog.cpu_share[0], 1.0, 1e-4);
    assert_near(hog.mean_on_node[0], 1.0, 1e-9);
    assert_near(result.cpus.busy.iter().sum(), 1.0, 1e-4);
    assert_near(result.cpus.nr_running.iter().sum(), 1.0, 1e-9);
    assert_eq!(result.elapsed_ns, 1000 * MS);
    assert_eq!((hog.done_ns, hog.latency_us), (None, None));
    assert_near(result.idle_while_waiting, 0.0, 1e-9);
}

#[test]
fn three_hogs_share_a_cpu() {
    let result = result(&scenario(
        "node:1 core:1 pu:1",
        vec![threads("hog", Workload::Hog, 3)],
        3000,
    ));
    let hogs = &result.tasks[0];
    for &share in &hogs.cpu_share {
        assert_near(share, 1.0 / 3.0, 0.02);
    }
    assert_near(hogs.cpu_ns as f64, 3000.0 * MS as f64, MS as f64);
    assert_near(hogs.wait_ns as f64, 6000.0 * MS as f64, 2.0 * MS as f64);
    assert_near(result.cpus.nr_running[0], 3.0, 0.01);
}

#[test]
fn a_periodic_task_runs_its_share_on_time() {
    let periodic = Periodic {
        run: Nanos(3 * MS),
        period: Nanos(10 * MS),
    };
    let tasks = vec![threads("p", Workload::Periodic(periodic), 1)];
    let result = result(&scenario("node:1 core:1 pu:1", tasks, 10_000));
    assert_near(result.cpus.busy[0], 0.3, 0.002);
    let latency = result.tasks[0].latency_us.unwrap();
    assert_eq!(latency.samples, 999);
    assert_eq!(result.wakeups, 999);
    // Nothing competes: only leaving the idle state and the switch.
    assert!(latency.max < 200.0 && latency.min > 0.0, "{latency:?}");
    assert_eq!(
        latency.p50.total_cmp(&latency.p99_9),
        std::cmp::Ordering::Equal
    );
}

#[test]
fn statistics_begin_after_the_warmup() {
    let mut hogs = threads("hog", Workload::Hog, 1);
    hogs.start = Nanos(500 * MS);
    let mut scenario = scenario("node:1 core:1 pu:1", vec![hogs], 1000);
    assert_near(result(&scenario).cpus.busy[0], 0.5, 1e-4);
    scenario.run.warmup = Nanos(500 * MS);
    assert_near(result(&scenario).cpus.busy[0], 1.0, 1e-4);
}

#[test]
fn placed_threads_go_round_their_cpus() {
    let mut hogs = threads("hog", Workload::Hog, 4);
    hogs.fork = Fork::On("1,3".parse().unwrap());
    hogs.affinity = Some("1,3".parse().unwrap());
    let result = result(&scenario("node:1 core:4 pu:1", vec![hogs], 2000));
    let on_cpu: Vec<f64> = result.tasks[0].mean_on_cpu.clone();
    assert_near(on_cpu[1], 2.0, 0.01);
    assert_near(on_cpu[3], 2.0, 0.01);
    assert_near(result.tasks[0].mean_on_node[0], 4.0, 0.01);
    // CPUs 0 and 2 idle, but the threads may not go there.
    assert_near(result.idle_while_waiting, 0.0, 1e-9);
}

#[test]
fn a_run_is_done_when_the_last_that_ends_has_ended() {
    let lu = teeter_scenario::document::workload::NpbLu {
        steps: Some(1),
        ..Default::default()
    };
    let mut tasks = vec![
        threads("lu", Workload::NpbLu(lu), 2),
        threads("hog", Workload::Hog, 1),
    ];
    tasks[1].fork = Fork::On("3".parse().unwrap());
    let mut scenario = scenario("node:1 core:4 pu:1", tasks, 60_000);
    scenario.run.until = Until::Done;
    let result = result(&scenario);
    let done = result.tasks[0].done_ns.unwrap();
    assert!(done < 60_000 * MS);
    assert_eq!(result.elapsed_ns, done);
    assert_eq!(result.tasks[1].done_ns, None);
}
