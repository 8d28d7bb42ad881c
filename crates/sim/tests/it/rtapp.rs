//! rt-app documents and kernel threads, run.

#![expect(
    clippy::unwrap_used,
    reason = "these documents are sound, or the test fails"
)]

use teeter_scenario::document::workload::Kworker;
use teeter_scenario::document::{Tasks, Workload};
use teeter_scenario::{Nanos, document};
use teeter_sim::TaskResult;
use teeter_workload::rtapp;

use crate::bench::{assert_near, result, scenario, threads};

/// Runs the tasks of a document for so many ms.
fn run(synthetic: &str, tasks: &str, millis: u64) -> TaskResult {
    let document = rtapp::document(&format!("{{ \"tasks\": {{ {tasks} }} }}")).unwrap();
    let tasks = Tasks::new("r", Workload::RtApp(document));
    result(&scenario(synthetic, vec![tasks], millis))
        .tasks
        .remove(0)
}

#[test]
fn loads_are_as_written() {
    // 10 % by a timer, and 20 ms in each 100 ms by a sleep.
    let task = run(
        "node:1 core:2 pu:1",
        r#""tenth": { "run": 1000, "timer": { "ref": "unique", "period": 10000 } }, "fifth": { "run": 2000, "sleep": 8000 }"#,
        500,
    );
    assert_near(task.cpu_share[0], 0.1, 0.002);
    assert_near(task.cpu_share[1], 0.2, 0.003);
    assert_near(task.metric.unwrap().value, 200.0, 5.0);
}

#[test]
fn a_missed_period_is_made_up_for_where_the_timer_is_absolute() {
    let loops = |mode: &str| {
        let tasks = format!(
            r#""t": {{ "loop": 1, "phases": {{ "late": {{ "run": 35000, "timer": {{ "ref": "unique", "period": 10000, "mode": "{mode}" }} }},
                "p": {{ "loop": 6, "run": 1000, "timer": {{ "ref": "unique", "period": 10000, "mode": "{mode}" }} }} }} }}"#
        );
        run("node:1 core:1 pu:1", &tasks, 200).done_ns.unwrap()
    };
    // Seven periods from the start, or six from the end of the one that was late.
    assert_near(loops("absolute") as f64, 70_000_000.0, 200_000.0);
    assert_near(loops("relative") as f64, 95_000_000.0, 200_000.0);
}

#[test]
fn threads_share_a_timer_and_meet_at_barriers() {
    let task = run(
        "node:1 core:4 pu:1",
        r#""t": { "instance": 3, "run": 1000, "barrier": "b", "sleep": 1000 }, "slow": { "run": 4000, "barrier": "b", "sleep": 1000 }"#,
        500,
    );
    // All wait for the slow one: 5 ms a round.
    assert_near(task.cpu_share[0], 0.2, 0.01);
    assert_near(task.cpu_share[3], 0.8, 0.02);
}

#[test]
fn threads_resume_each_other() {
    let task = run(
        "node:1 core:2 pu:1",
        r#""worker": { "suspend": "", "run": 3000 }, "boss": { "sleep": 9000, "run": 1000, "resume": "worker" }"#,
        500,
    );
    assert_near(task.cpu_share[0], 0.3, 0.01);
    assert_near(task.cpu_share[1], 0.1, 0.005);
}

#[test]
fn a_thread_forks_others_when_it_comes_to_it() {
    let task = run(
        "node:1 core:4 pu:1",
        r#""parent": { "loop": 2, "run": 10000, "fork": "child" }, "child": { "instance": 0, "loop": 1, "run": 50000 }"#,
        100,
    );
    assert_eq!(task.threads, 3);
    // Each had a CPU of its own as long as it lived.
    assert_eq!(task.cpu_share.len(), 3);
    assert_near(task.cpu_ns as f64, 120_000_000.0, 200_000.0);
    assert_near(task.done_ns.unwrap() as f64, 70_000_000.0, 400_000.0);
}

#[test]
fn locks_conditions_and_semaphores_order_threads() {
    // A pipeline: the first stage posts, the second takes, both under one mutex for their work.
    let task = run(
        "node:1 core:2 pu:1",
        r#""first": { "lock": "m", "run": 1000, "unlock": "m", "sem_post": "s", "sleep": 4000 },
           "second": { "sem_wait": "s", "lock": "m", "run": 2000, "signal": "c", "unlock": "m" },
           "third": { "lock": "m", "wait": { "ref": "c", "mutex": "m" }, "unlock": "m", "run": 500 }"#,
        500,
    );
    assert_near(task.cpu_share[0], 0.2, 0.01);
    assert_near(task.cpu_share[1], 0.4, 0.02);
    assert_near(task.cpu_share[2], 0.1, 0.01);
}

#[test]
fn phases_move_renice_and_group_threads() {
    let task = run(
        "node:1 core:2 pu:1",
        r#""mover": { "phases": { "a": { "cpus": [0], "run": 5000 }, "b": { "cpus": [1], "run": 5000 } } },
           "pinned": { "cpus": [1], "run": 1000 }"#,
        200,
    );
    // The mover is alone on CPU 0 and shares CPU 1.
    assert_near(task.cpu_share[0], 2.0 / 3.0, 0.05);
    let grouped = run(
        "node:1 core:1 pu:1",
        r#""alone": { "taskgroup": "/a", "run": 1000 }, "many": { "instance": 3, "taskgroup": "/b", "run": 1000 }"#,
        500,
    );
    assert_near(grouped.cpu_share[0], 0.5, 0.03);
    let nice = run(
        "node:1 core:1 pu:1",
        r#""plain": { "run": 1000 }, "nice": { "phases": { "p": { "priority": 5, "run": 1000 } } }"#,
        500,
    );
    assert_near(nice.cpu_share[0] / nice.cpu_share[1], 1024.0 / 335.0, 0.2);
}

#[test]
fn kernel_threads_stay_on_their_cpus() {
    let kworker = Kworker {
        every: Nanos::from_millis(10),
        run: Nanos::from_millis(1),
    };
    let mut tasks = threads("k", Workload::Kworker(kworker), 2);
    tasks.affinity = Some("1-2".parse().unwrap());
    let hogs = threads("hog", Workload::Hog, 2);
    let mut scenario = scenario("node:1 core:4 pu:1", vec![tasks, hogs], 300);
    scenario.kernels = vec![document::Kernel::new("v6.12.y")];
    let kworkers = result(&scenario).tasks.remove(0);
    for share in &kworkers.cpu_share {
        assert_near(*share, 0.1, 0.005);
    }
    assert_eq!(kworkers.migrations.total, 0);
    let on: Vec<usize> = (0..4)
        .filter(|&cpu| kworkers.mean_on_cpu[cpu] > 0.0)
        .collect();
    assert_eq!(on, [1, 2]);
}
