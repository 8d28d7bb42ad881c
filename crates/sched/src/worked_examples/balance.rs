//! Worked examples of balancing from v5.12 on, and of who balances when.

use serde_json::Value;
use teeter_machine::{CpuId, CpuSet};

use super::{int, uint};
use crate::balance::detach::{fits_util, is_recent, moves_hot};
use crate::balance::group::GroupStats;
use crate::balance::group_type::sibling_imbalance;
use crate::balance::numa_imbalance::Nodes;
use crate::balance::periodic::{balance_interval, decay_cost};
use crate::balance::{Migration, balancer, failed_often};
use crate::ids::SgId;
use crate::rules::NumaImbalance;

/// Checks an example if it is of a rule of this file. False: it is not.
pub(super) fn check(example: &Value) -> bool {
    let id = example["id"].as_str().unwrap();
    let (given, want) = (&example["inputs"], &example["expected"]);
    let family: Vec<&str> = id.splitn(4, '.').collect();
    match (family[0], family[1]) {
        ("v66", "sibling") => {
            let group = |which: &str| {
                let mut stats = GroupStats::new(SgId(0), 0, 0);
                stats.sum_nr_running = uint(given, &format!("nr_{which}")) as u32;
                stats.traits.cores = uint(given, &format!("cores_{which}")) as u32;
                stats
            };
            let got = sibling_imbalance(&group("local"), &group("busiest"));
            assert_eq!(u64::from(got), uint(want, "imbalance"), "{id}");
        }
        ("v4", "adj") => {
            let nodes = Nodes {
                difference: int(given, "raw_difference"),
                imbalance_pct: 117,
                local_nr_running: uint(given, "local_sum_nr_running") as u32,
                busiest_nr_running: 0,
                busiest_idle_cpus: 0,
                busiest_weight: 0,
                child_weight: 0,
                imb_numa_nr: uint(given, "imb_numa_nr") as u32,
            };
            let halved = nodes.allow(NumaImbalance::NodeHalved);
            assert_eq!(halved, int(want, "5.18"), "{id}");
            assert_eq!(nodes.allow(NumaImbalance::Node), int(want, "6.0"), "{id}");
        }
        ("v55", "detach") if family[2] == "util612" => check_detach_util(id, given, want),
        ("lb", "interval") => {
            let busy = given["cpu_busy"] == true;
            let factor = if busy { uint(given, "busy_factor") } else { 1 };
            let hz = uint(given, "HZ");
            let jiffies = (uint(given, "balance_interval_ms") * factor * hz).div_ceil(1000);
            let less_one = busy && given["minus_one_rule"] == true;
            let got = balance_interval(jiffies, less_one, hz, uint(given, "online_cpus"));
            assert_eq!(got, uint(want, "jiffies"), "{id}");
        }
        ("lb", "newidle") => {
            let seconds = uint(given, "seconds");
            let got = (0..seconds).fold(uint(given, "cost"), |cost, _| decay_cost(cost));
            assert_eq!(got, uint(want, "cost"), "{id}");
        }
        ("lb", "swb") => {
            let cpus = |key: &str| -> CpuSet {
                let list = given[key].as_array().unwrap();
                list.iter()
                    .map(|cpu| CpuId(cpu.as_u64().unwrap() as u16))
                    .collect()
            };
            let (idle, mask) = (cpus("idle_cpus"), cpus("group_balance_mask"));
            let dst = CpuId(uint(given, "dst_cpu") as u16);
            let found = balancer(&mask, |cpu| idle.contains(cpu), |_| true);
            let got = given["newly_idle"] == true || found == Some(dst);
            assert_eq!(got, want["balance"].as_bool().unwrap(), "{id}");
        }
        ("lb", "active") => {
            let (migration, any_type) = match given["migration_type"].as_str().unwrap() {
                "migrate_task" => (Migration::Task, false),
                "migrate_load" => (Migration::Load, false),
                _ => (Migration::Load, true),
            };
            let got = failed_often(
                any_type,
                migration,
                uint(given, "nr_balance_failed") as u32,
                uint(given, "cache_nice_tries") as u32,
            );
            assert_eq!(got, want["active"].as_bool().unwrap(), "{id}");
        }
        ("lb", "hot") => {
            let got = is_recent(uint(given, "rq_clock_task_minus_exec_start_ns"), 500_000);
            assert_eq!(got, want["hot"].as_bool().unwrap(), "{id}");
        }
        ("lb", "canmigrate") => {
            let failed = uint(given, "nr_balance_failed") as u32;
            let hot = given["hot"].as_bool().unwrap();
            let got = moves_hot(failed, uint(given, "cache_nice_tries") as u32) || !hot;
            assert_eq!(got, want["ok"].as_bool().unwrap(), "{id}");
        }
        _ => return false,
    }
    true
}

fn check_detach_util(id: &str, given: &Value, want: &Value) {
    let mut imbalance = int(given, "imbalance");
    let failed = uint(given, "nr_balance_failed") as u32;
    let mut detached = Vec::new();
    for task in given["tasks_tail_first"].as_array().unwrap() {
        let util = int(task, "util");
        if imbalance > 0 && fits_util(util, imbalance, true, failed) {
            imbalance -= util;
            detached.push(task["id"].clone());
        }
    }
    assert_eq!(Value::from(detached), want["detached"], "{id}");
    assert_eq!(imbalance, int(want, "imbalance_left"), "{id}");
}
