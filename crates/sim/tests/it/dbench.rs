//! dbench: clients of a file system that share its journal.

#![expect(
    clippy::unwrap_used,
    reason = "these scenarios are sound, or the test fails"
)]

use teeter_scenario::document::Workload;
use teeter_scenario::document::workload::Dbench;
use teeter_sim::RunResult;

use crate::bench::{assert_near, result, scenario, threads};

/// So many clients for half a second on eight CPUs.
fn run(clients: u32) -> RunResult {
    let dbench = threads("dbench", Workload::Dbench(Dbench { clients }), 1);
    result(&scenario("node:1 core:8 pu:1", vec![dbench], 500))
}

fn megabytes_per_second(clients: u32) -> f64 {
    run(clients).tasks[0].metric.as_ref().unwrap().value
}

#[test]
fn clients_wait_for_the_disk_before_they_wait_for_each_other() {
    let alone = megabytes_per_second(1);
    // 24 operations of 12 KB in 24 times 19 us and a flush of 1 to 6 ms.
    assert_near(alone, 74.5, 7.5);
    let sixteen = megabytes_per_second(16);
    assert_near(sixteen / alone, 16.0, 2.0);
}

#[test]
fn more_clients_than_cpus_can_serve_saturate() {
    let (few, many) = (megabytes_per_second(16), megabytes_per_second(256));
    // Eight CPUs at 19 us for 12 KB, if they did nothing else.
    let most = 8.0 * 12.288 / 19e-3;
    assert!(few < many && many < most, "{few}, {many} of {most} MB/s");
}

#[test]
fn a_flush_takes_as_long_as_the_disk() {
    let result = run(4);
    let flush = &result.tasks[0].latencies_us["flush"];
    assert!(flush.min >= 1_000.0 && flush.max < 7_000.0, "{flush:?}");
    assert_near(flush.p50, 3_500.0, 500.0);
}
