//! The result as JSON has the keys that `teeter run --json` promises.

use serde_json::{Value, json};
use teeter_scenario::Nanos;
use teeter_scenario::document::Workload;
use teeter_scenario::document::workload::Periodic;

use crate::bench::{MS, result, scenario, threads};

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_str())
        .collect()
}

/// The same keys in any order.
#[track_caller]
fn assert_keys(value: &Value, expected: &str) {
    let mut expected: Vec<&str> = expected.split_whitespace().collect();
    let mut keys = keys(value);
    keys.sort_unstable();
    expected.sort_unstable();
    assert_eq!(keys, expected);
}

#[test]
fn every_promised_key_is_there() {
    let periodic = Periodic {
        run: Nanos(MS),
        period: Nanos(4 * MS),
    };
    let tasks = vec![
        threads("p", Workload::Periodic(periodic), 3),
        threads("hog", Workload::Hog, 1),
    ];
    let result = result(&scenario("node:2 core:2 pu:1", tasks, 100));
    let json = serde_json::to_value(&result).unwrap();
    assert_keys(
        &json,
        "kernel seed digest events elapsed_ns tasks cpus cgroups idle_while_waiting numa balance switches wakeups",
    );
    let (periodic, hog) = (&json["tasks"][0], &json["tasks"][1]);
    assert_keys(
        periodic,
        "name threads metric done_ns cpu_ns system_ns wait_ns latency_us mean_on_node mean_on_cpu cpu_share migrations",
    );
    assert_eq!(keys(hog), keys(periodic));
    assert_keys(&periodic["metric"], "name value better");
    assert_keys(
        &periodic["latency_us"],
        "p50 p75 p90 p95 p99 p99.5 p99.9 min max samples",
    );
    assert_keys(
        &periodic["migrations"],
        "total fork wakeup periodic newidle nohz active numa affinity",
    );
    assert_eq!(
        (&hog["metric"], &hog["latency_us"], &hog["done_ns"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_keys(&json["cpus"], "busy nr_running node_busy");
    assert_keys(
        &json["numa"],
        "pte_updates hint_faults hint_faults_local pages_migrated",
    );
    let levels = keys(&json["balance"]);
    assert!(!levels.is_empty());
    for level in levels {
        assert_keys(
            &json["balance"][level],
            "count balanced failed moved active",
        );
    }
    let places = |value: &Value| value.as_array().map(Vec::len);
    assert_eq!(places(&periodic["mean_on_node"]), Some(2));
    assert_eq!(places(&periodic["mean_on_cpu"]), Some(4));
    assert_eq!(places(&periodic["cpu_share"]), Some(3));
    assert_eq!(json["elapsed_ns"], json!(100 * MS));
    assert_eq!(json["digest"].as_str().map(str::len), Some(16));
    assert_eq!(
        serde_json::from_value::<teeter_sim::RunResult>(json).unwrap(),
        result
    );
}
