//! Threads that wait for each other.

#![expect(
    clippy::unwrap_used,
    reason = "these scenarios are sound, or the test fails"
)]

use teeter_scenario::document::workload::{NpbLu, Step};
use teeter_scenario::document::{Fork, Tasks, Until, Workload};
use teeter_sim::{RunResult, Simulation};

use crate::bench::{assert_near, result, scenario, threads};

fn lu_seconds(threads_of_lu: u32, synthetic: &str, cpus: &str) -> f64 {
    let lu = NpbLu {
        steps: Some(1),
        ..NpbLu::default()
    };
    let mut tasks = threads("lu", Workload::NpbLu(lu), threads_of_lu);
    tasks.fork = Fork::On(cpus.parse().unwrap());
    let mut scenario = scenario(synthetic, vec![tasks], 600_000);
    scenario.run.until = Until::Done;
    result(&scenario).tasks[0].done_ns.unwrap() as f64 / 1e9
}

#[test]
fn a_wavefront_spreads_its_work() {
    let one = lu_seconds(1, "node:1 core:4 pu:1", "0");
    let four = lu_seconds(4, "node:1 core:4 pu:1", "0-3");
    // Filling the pipeline costs three steps of 160 in each sweep.
    assert_near(one / four, 4.0, 0.15);
}

#[test]
fn waiting_threads_burn_the_cpu_they_share() {
    let own = lu_seconds(40, "node:1 core:40 pu:1", "0-39");
    let shared = lu_seconds(40, "node:1 core:20 pu:1", "0-19");
    // Two threads a CPU would cost a factor 2 if waiting were free. A wait ends in a fraction of a
    // slice, but the spinner keeps its CPU from the thread that others wait for.
    assert!(shared > 4.0 * own, "{shared} against {own}");
}

/// Threads that go through these steps over and over, the first on CPU `cpu` and the others behind it.
fn program(name: &str, count: u32, cpu: u32, steps: &str) -> Tasks {
    let steps: Vec<Step> = serde_json::from_str(steps).unwrap();
    let mut tasks = threads(name, Workload::Program(steps), count);
    tasks.fork = Fork::On((cpu..cpu + count).collect());
    tasks
}

/// How these tasks fare in 100 ms on eight CPUs.
fn run(tasks: Vec<Tasks>) -> RunResult {
    result(&scenario("node:1 core:8 pu:1", tasks, 100))
}

/// CPU time of each task, ms.
fn cpu_ms(result: &RunResult) -> Vec<f64> {
    let tasks = result.tasks.iter();
    tasks.map(|task| task.cpu_ns as f64 / 1e6).collect()
}

#[test]
fn a_pool_of_receivers_keeps_all_of_it_busy() {
    // Five messages every 10 ms for five threads, each of which takes 5 ms for one.
    let result = run(vec![
        program(
            "from",
            1,
            0,
            r#"[{"channel": {"name": "q", "kind": "tcp", "bytes": "1KB"}},
                {"send": "q"}, {"send": "q"}, {"send": "q"}, {"send": "q"}, {"send": "q"}, {"sleep": "10ms"}]"#,
        ),
        program("pool", 5, 1, r#"[{"receive": "q"}, {"run": "5ms"}]"#),
    ]);
    assert_near(cpu_ms(&result)[1], 250.0, 26.0);
}

#[test]
fn messages_go_from_one_task_to_another() {
    let result = run(vec![
        program(
            "from",
            1,
            0,
            r#"[{"run": "900us"}, {"sleep": "100us"}, {"send": "q"}]"#,
        ),
        program("to", 1, 1, r#"[{"receive": "q"}, {"run": "500us"}]"#),
    ]);
    // One message a round of about 1 ms.
    let times = cpu_ms(&result);
    assert_near(times[0], 90.0, 3.0);
    assert_near(times[1], 50.0, 3.0);
    let latency = result.tasks[1].latency_us.unwrap();
    assert!((90..=100).contains(&latency.samples), "{latency:?}");
}

#[test]
fn a_full_channel_holds_its_senders_up() {
    let steps = r#"[{"channel": {"name": "q", "messages": 4}}, {"send": "q"}, {"run": "10us"}]"#;
    let result = run(vec![
        program("from", 3, 0, steps),
        program("to", 1, 4, r#"[{"receive": "q"}, {"run": "1ms"}]"#),
    ]);
    let times = cpu_ms(&result);
    // The receiver never waits, and for each message that it takes one is sent.
    assert!(times[1] > 98.0, "{times:?}");
    assert!(times[0] < 2.0, "{times:?}");
}

#[test]
fn a_semaphore_is_posted_without_waiting() {
    let semaphore = r#"{"channel": {"name": "s", "kind": "semaphore", "messages": 1}}"#;
    let post = format!(r#"[{semaphore}, {{"send": "s"}}, {{"run": "100us"}}]"#);
    let result = run(vec![
        program("post", 1, 0, &post),
        program("wait", 1, 1, r#"[{"receive": "s"}, {"run": "1ms"}]"#),
    ]);
    let times = cpu_ms(&result);
    assert!(times.iter().all(|&time| time > 97.0), "{times:?}");
}

#[test]
fn a_mutex_lets_one_in_at_a_time() {
    for handoff in ["true", "false"] {
        let steps = format!(
            r#"[{{"mutex": {{"name": "m", "handoff": {handoff}}}}}, {{"lock": "m"}}, {{"run": "1ms"}},
                {{"unlock": "m"}}, {{"run": "10us"}}]"#
        );
        let result = run(vec![
            program("one", 2, 0, &steps),
            program(
                "two",
                2,
                2,
                r#"[{"lock": "m"}, {"run": "1ms"}, {"unlock": "m"}]"#,
            ),
        ]);
        let times = cpu_ms(&result);
        // Somebody always has it, but for the time it takes to wake the next one up.
        let busy = times[0] + times[1];
        assert!((85.0..101.0).contains(&busy), "{times:?}");
        // In turn: each of the two threads may be a turn of 1 ms ahead, and one task runs 10 µs more in a turn.
        if handoff == "true" {
            assert_near(times[0], times[1], 2.0 + 0.6);
        }
    }
}

#[test]
fn a_condition_is_waited_for_without_the_mutex() {
    let consumer = r#"[{"lock": "m"}, {"wait": {"condition": "c", "mutex": "m"}}, {"run": "100us"}, {"unlock": "m"}]"#;
    let signal = r#"[{"sleep": "1ms"}, {"lock": "m"}, {"signal": "c"}, {"unlock": "m"}]"#;
    let broadcast = signal.replace("signal", "broadcast");
    let woken = |producer: &str| {
        let result = run(vec![
            program("consumer", 4, 0, consumer),
            program("producer", 1, 4, producer),
        ]);
        cpu_ms(&result)[0]
    };
    // 0.1 ms a wakeup: one in each of some 95 rounds, or all four.
    assert_near(woken(signal), 9.5, 1.0);
    assert_near(woken(&broadcast), 4.0 * 9.5, 4.0);
}

#[test]
fn a_suspended_thread_is_resumed_by_its_name() {
    let result = run(vec![
        program("worker", 2, 0, r#"[{"suspend": "w"}, {"run": "200us"}]"#),
        program("boss", 1, 2, r#"[{"sleep": "1ms"}, {"resume": "w"}]"#),
    ]);
    assert_near(cpu_ms(&result)[0], 2.0 * 0.2 * 93.0, 2.0);
}

#[test]
fn a_barrier_is_one_for_all_tasks() {
    let result = run(vec![
        program("fast", 2, 0, r#"[{"run": "100us"}, {"barrier": "b"}]"#),
        program("slow", 1, 2, r#"[{"run": "1ms"}, {"barrier": "b"}]"#),
    ]);
    let times = cpu_ms(&result);
    assert_near(times[0] / times[1], 0.2, 0.03);
}

#[test]
fn latencies_are_measured_by_name() {
    let steps =
        r#"[{"begin": "request"}, {"run": "300us"}, {"sleep": "200us"}, {"end": "request"}]"#;
    let result = run(vec![program("t", 1, 0, steps)]);
    let latency = result.tasks[0].latencies_us["request"];
    assert!((500.0..600.0).contains(&latency.p50), "{latency:?}");
    assert!(latency.samples > 170, "{latency:?}");
}

#[test]
fn distance_makes_messages_slower() {
    let ping = r#"[{"send": "a"}, {"receive": "b"}, {"run": "1us"}]"#;
    let pong = r#"[{"receive": "a"}, {"send": "b"}]"#;
    let messages = |cpu: u32| {
        let mut tasks = vec![program("ping", 1, 0, ping), program("pong", 1, cpu, pong)];
        tasks[0].affinity = Some("0".parse().unwrap());
        tasks[1].affinity = Some(cpu.to_string().parse().unwrap());
        let result = result(&scenario("node:2 l3:1 core:2 pu:1", tasks, 100));
        result.tasks[0].latency_us.unwrap().samples
    };
    let (near, far) = (messages(1), messages(2));
    assert!(near as f64 > 1.1 * far as f64, "{near} and {far}");
}

/// Everything at once, with threads killed on the way.
#[test]
fn waiting_threads_can_be_killed_and_runs_cut() {
    let steps = r#"[{"lock": "m"}, {"run": "20us"}, {"unlock": "m"}, {"send": "q"}, {"receive": "q"},
        {"wait": {"condition": "c", "mutex": "m"}}, {"unlock": "m"}, {"barrier": "b"}]"#;
    let waker = r#"[{"sleep": "300us"}, {"broadcast": "c"}, {"signal": "c"}, {"send": "q"}]"#;
    let mut scenario = scenario(
        "node:1 core:4 pu:2",
        vec![program("all", 6, 0, steps), program("waker", 2, 6, waker)],
        50,
    );
    let stop = |ms: u64, task: &str| serde_json::json!({"at": format!("{ms}ms"), "stop": task});
    let script: Vec<_> = (0..6)
        .map(|thread| stop(5 * (thread + 1), &format!("all.{thread}")))
        .collect();
    let text = scenario.to_json();
    let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
    document["script"] = script.into();
    scenario = teeter_scenario::Scenario::from_json(&document.to_string()).unwrap();
    let whole = result(&scenario);
    assert!(whole.tasks[0].done_ns.is_some(), "{:?}", whole.tasks[0]);
    // A copy made in the middle goes on as the original does.
    let mut simulation = Simulation::new(&scenario, 0, 0).unwrap();
    simulation.run_until(teeter_scenario::Nanos::from_millis(13));
    let mut copy = simulation.clone();
    for simulation in [&mut simulation, &mut copy] {
        simulation.run_until(simulation.end());
        assert_eq!(simulation.result().digest, whole.digest);
    }
}
