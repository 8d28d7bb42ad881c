//! The worked examples of `tests/golden/worked_examples.json`, held against the production functions.

mod balance;
mod bandwidth;
mod eevdf;
mod history;
mod numa;
mod wake;

use serde_json::Value;
use teeter_scenario::document::Kernel;

use crate::balance::average_load::{self, Picture as AverageLoad};
use crate::balance::avg_idle;
use crate::balance::detach::fits_load;
use crate::balance::group::{GroupStats, GroupType, IdleType};
use crate::balance::group_type::{self, Migration, Picture as GroupTypes};
use crate::balance::numa_imbalance::Nodes;
use crate::cfs::{place_woken, sched_period, wakeup_gran};
use crate::domain::imb_numa_nr::{Rung, imb_numa_nr};
use crate::fork::spare_capacity::GroupLoad;
use crate::ids::SgId;
use crate::load::group::{calc_group_shares, h_load_below};
use crate::load::util_est::Sleeper;
use crate::pelt::{Activity, SchedAvg, UtilEst, accumulate_segments, decay_load};
use crate::rules::{self, AverageGuard, DetachLoad, ImbNumaNr, NumaImbalance, Pelt, Tunables};
use crate::weight::{LoadWeight, calc_delta, calc_delta_fair, shares_of_cpu_weight};

const EXAMPLES: &str = include_str!("../../../tests/golden/worked_examples.json");

/// A number of an example; -1 where it is absent, so that a missing one never passes for 0.
fn int(value: &Value, key: &str) -> i64 {
    value[key].as_i64().unwrap_or(-1)
}

fn uint(value: &Value, key: &str) -> u64 {
    value[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key} in {value}"))
}

fn or_zero(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
}

#[test]
fn production_functions_give_the_worked_results() {
    let examples: Vec<Value> = serde_json::from_str(EXAMPLES).unwrap();
    let mut checked = 0;
    let mut unchecked = Vec::new();
    for example in &examples {
        if check(example) {
            checked += 1;
        } else {
            unchecked.push(example["id"].as_str().unwrap());
        }
    }
    println!("{checked} of {} worked examples checked", examples.len());
    unchecked.retain(|id| !id.starts_with("seed."));
    assert_eq!(unchecked, NOT_BUILT);
}

/// Examples of rules that are not built, in the order of the file.
const NOT_BUILT: &[&str] = &[];

/// Checks an example if it is of a rule that is built. False: it is not.
fn check(example: &Value) -> bool {
    let id = example["id"].as_str().unwrap();
    let (given, want) = (&example["inputs"], &example["expected"]);
    let family: Vec<&str> = id.splitn(3, '.').collect();
    match (family[0], family[1]) {
        ("bw", _) => bandwidth::check(given, want),
        ("units", "factor") => check_factor(given, want),
        ("units", "vruntime") => {
            let weight = LoadWeight::of_nice(int(given, "nice") as i8);
            let got = calc_delta_fair(uint(given, "delta_exec_ns"), weight);
            assert_eq!(got, uint(want, "vruntime_delta_ns"), "{id}");
        }
        ("cgroup", "weight") => {
            let shares = shares_of_cpu_weight(uint(given, "cpu.weight") as u32);
            assert_eq!(shares >> 10, uint(want, "shares"), "{id}");
        }
        ("pelt", "decay") if family.get(2) != Some(&"zero.411") => {
            let got = decay_load(uint(given, "val"), uint(given, "n_periods"));
            assert_eq!(got, uint(want, "result"), "{id}");
        }
        ("pelt", "segments") => {
            let got =
                accumulate_segments(uint(given, "periods"), uint(given, "d1"), uint(given, "d3"));
            assert_eq!(got, uint(want, "contrib"), "{id}");
        }
        ("pelt", "run") => check_run(id, given, want),
        ("pelt", "duty50") => check_duty(id, given, want),
        ("pelt", "block") => check_block(id, given, want),
        ("utilest", "fastup") => check_util_est(id, given, want),
        ("group", "shares") => {
            let load = uint(given, "cfs_rq_load_weight_scaled") >> 10;
            let got = calc_group_shares(
                uint(given, "tg_shares_scaled"),
                uint(given, "tg_load_avg"),
                uint(given, "tg_load_avg_contrib"),
                load.max(uint(given, "cfs_rq_load_avg")),
            );
            assert_eq!(got, uint(want, "se_weight_scaled"), "{id}");
        }
        ("group", "tgcontrib") => {
            let (load, contrib) = (
                uint(given, "cfs_rq_load_avg"),
                uint(given, "tg_load_avg_contrib"),
            );
            let got = crate::load::contribution_changed(load as i64 - contrib as i64, contrib);
            assert_eq!(got, want["update"].as_bool().unwrap(), "{id}");
        }
        ("hload", _) => check_h_load(id, given, want),
        ("eevdf", _) => eevdf::check(id, given, want),
        ("cfs", "period") => {
            let got = sched_period(uint(given, "nr_running"), 24_000_000, 3_000_000);
            assert_eq!(got, uint(want, "period_ns"), "{id}");
        }
        ("cfs", "slice") => check_slice(id, given, want),
        ("cfs", "place") => {
            let got = place_woken(
                uint(given, "se_vruntime"),
                uint(given, "min_vruntime"),
                24_000_000 / 2,
            );
            assert_eq!(got, uint(want, "vruntime"), "{id}");
        }
        ("cfs", "preempt") => {
            let weight = LoadWeight::of_nice(int(given, "wakee_nice") as i8);
            assert_eq!(
                wakeup_gran(weight, 4_000_000),
                uint(want, "gran_ns"),
                "{id}"
            );
        }
        ("wake" | "v6", _) => return wake::check(id, given, want),
        ("lb", "avg_idle") => {
            let got = avg_idle(
                uint(given, "avg_idle"),
                uint(given, "idle_ns"),
                uint(given, "max_idle_balance_cost"),
            );
            assert_eq!(got, uint(want, "avg_idle"), "{id}");
        }
        ("v53", _) => return check_v53(id, given, want),
        ("v55", "classify") => {
            check_classify55(id, given, want);
        }
        ("v55", "gate") => {
            let got = group_types(given).passes_gates();
            assert_eq!(got, want["decision"] == "force", "{id}");
        }
        ("v55", "imb") => check_imbalance55(id, given, want),
        ("v55", "detach") if example["variant"] != "V3/V5 6.12" => {
            let rule = match example["variant"].as_str() {
                Some("V3/V5 5.6") => DetachLoad::UnlessStuck,
                _ => DetachLoad::Shift,
            };
            check_detach(id, rule, given, want);
        }
        ("v4", "imbnuma") => check_imb_numa_nr(id, given, want),
        ("v4", "numa") => check_numa(id, given, want),
        ("v4", "v3adj" | "v3neg") => check_v3(id, given, want),
        ("numa", family) => return numa::check(family, id, given, want),
        _ => return balance::check(example) || history::check(id, given, want),
    }
    true
}

fn check_factor(given: &Value, want: &Value) {
    let (tunables, online) = (Tunables::default(), uint(given, "online_cpus") as usize);
    assert_eq!(tunables.latency_ns(online), uint(want, "latency_ns"));
    assert_eq!(
        tunables.min_granularity_ns(online),
        uint(want, "min_granularity_ns")
    );
    assert_eq!(
        tunables.wakeup_granularity_ns(online),
        uint(want, "wakeup_granularity_ns")
    );
    let rules = rules::Rules::from_kernel(&Kernel::new("v6.6")).unwrap();
    assert_eq!(rules.base_slice_ns(online), uint(want, "base_slice_ns_6_6"));
}

const RUNNING: Activity = Activity {
    load: 1,
    runnable: 1,
    running: true,
};

fn check_run(id: &str, given: &Value, want: &Value) {
    let steps = given["steps"]
        .as_u64()
        .or(given["ticks"].as_u64())
        .unwrap_or(1);
    let step_ns = match given["tick_ns"].as_u64() {
        Some(ns) => ns,
        None => {
            given["delta_us"]
                .as_u64()
                .unwrap_or_else(|| uint(given, "delta_us_each"))
                << 10
        }
    };
    let mut avg = SchedAvg::default();
    for step in 1..=steps {
        if avg.update_sum(Pelt::RunnableLoad, step * step_ns, RUNNING) {
            avg.update_avg(Pelt::RunnableLoad, 1024, 1024);
        }
    }
    let got = [
        ("util_sum", avg.util_sum),
        ("util_avg", avg.util_avg),
        ("load_sum", avg.load_sum),
        ("load_avg", avg.load_avg),
        ("period_contrib", avg.period_contrib),
        ("last_update_time_ns", avg.last_update_time),
    ];
    for (key, got) in got {
        if let Some(want) = want[key].as_u64() {
            assert_eq!(got, want, "{id}: {key}");
        }
    }
}

fn check_duty(id: &str, given: &Value, want: &Value) {
    let mut avg = SchedAvg::default();
    let mut after_on = 0;
    for _ in 0..uint(given, "cycles") {
        for (periods, activity) in [("on_periods", RUNNING), ("off_periods", Activity::BLOCKED)] {
            let ns = uint(given, periods) * 1024 * 1024;
            let now = avg.last_update_time + ns;
            avg.update_sum(Pelt::RunnableLoad, now, activity);
            avg.update_avg(Pelt::RunnableLoad, 1024, 1024);
            if activity.running {
                after_on = avg.util_avg;
            }
        }
    }
    assert_eq!(after_on, uint(want, "util_avg_after_on"), "{id}");
    assert_eq!(avg.util_avg, uint(want, "util_avg_after_off"), "{id}");
}

fn check_block(id: &str, given: &Value, want: &Value) {
    let mut avg = SchedAvg {
        util_sum: uint(given, "util_sum"),
        load_sum: uint(given, "load_sum"),
        period_contrib: uint(given, "period_contrib"),
        ..SchedAvg::default()
    };
    avg.update_sum(
        Pelt::RunnableLoad,
        uint(given, "idle_us") << 10,
        Activity::BLOCKED,
    );
    avg.update_avg(Pelt::RunnableLoad, uint(given, "weight"), 0);
    for (key, got) in [
        ("util_avg", avg.util_avg),
        ("load_avg", avg.load_avg),
        ("util_sum", avg.util_sum),
        ("load_sum", avg.load_sum),
    ] {
        assert_eq!(got, uint(want, key), "{id}: {key}");
    }
}

/// The flag that the kernel keeps in the lowest bit is not in the examples.
fn check_util_est(id: &str, given: &Value, want: &Value) {
    let ewma = uint(given, "ewma");
    let mut est = UtilEst {
        enqueued: ewma & !1,
        ewma,
    };
    let before = est;
    let util_avg = uint(given, "task_util_at_dequeue");
    let sleeper = Sleeper {
        util_avg,
        runnable_avg: util_avg,
        capacity: 1024,
    };
    // They hold to v5.12.
    est.slept(sleeper, rules::UtilEst::LowMark, true);
    match want["enqueued_ewma"].as_array() {
        None => assert_eq!(est, before, "{id}"),
        Some(pair) => {
            let want: Vec<_> = pair.iter().map(|v| v.as_u64().unwrap()).collect();
            assert_eq!(
                vec![est.enqueued & !1, est.ewma & !1],
                [want[0] & !1, want[1] & !1],
                "{id}"
            );
        }
    }
}

fn check_h_load(id: &str, given: &Value, want: &Value) {
    let task = uint(given, "task_load_avg");
    if let Some(root) = given["root_load_avg(h_load)"].as_u64() {
        let group = h_load_below(root, uint(given, "group_se_load_avg"), root);
        assert_eq!(group, uint(want, "group_h_load"), "{id}");
        let got = h_load_below(group, task, uint(given, "gcfs_load_avg"));
        assert_eq!(got, uint(want, "h_load"), "{id}");
    } else {
        let got = h_load_below(uint(given, "cfs_h_load"), task, uint(given, "cfs_load_avg"));
        assert_eq!(got, uint(want, "h_load"), "{id}");
    }
}

fn check_slice(id: &str, given: &Value, want: &Value) {
    let of = |weight: u64, total: u64, slice| {
        calc_delta(slice, weight, LoadWeight::scaled(total << 10, 0))
    };
    if let Some(weights) = given["weights"].as_array() {
        let weights: Vec<_> = weights.iter().map(|w| w.as_u64().unwrap()).collect();
        let which = or_zero(given, "which") as usize;
        let period = sched_period(weights.len() as u64, 24_000_000, 3_000_000);
        assert_eq!(
            of(weights[which], weights.iter().sum(), period),
            uint(want, "slice_ns"),
            "{id}"
        );
    } else {
        let period = sched_period(uint(given, "leaf_nr_running"), 24_000_000, 3_000_000);
        let leaf = of(
            uint(given, "leaf_weight"),
            uint(given, "leaf_cfs_rq_weight"),
            period,
        );
        assert_eq!(leaf, uint(want, "after_leaf_ns"), "{id}");
        let got = of(
            uint(given, "group_se_weight"),
            uint(given, "root_cfs_rq_weight"),
            leaf,
        );
        assert_eq!(got, uint(want, "slice_ns"), "{id}");
    }
}

/// A group of an example, with what it does not say at 0.
fn group(value: &Value) -> GroupStats {
    let capacity = or_zero(value, "cap");
    let weight = value["gw"].as_u64().unwrap_or(capacity / 1024) as u32;
    let mut stats = GroupStats::new(SgId(0), weight, capacity);
    stats.sum_nr_running = or_zero(value, "nr") as u32;
    stats.sum_h_nr_running = value["h_nr"].as_u64().unwrap_or(or_zero(value, "nr")) as u32;
    stats.idle_cpus = or_zero(value, "idle") as u32;
    stats.avg_load = or_zero(value, "avg");
    stats.load_per_task = or_zero(value, "lpt");
    stats.group_load = or_zero(value, "load");
    stats.group_util = or_zero(value, "util");
    stats.group_type = kind(value["type"].as_str().unwrap_or("other"));
    stats
}

fn kind(name: &str) -> GroupType {
    match name {
        "other" => GroupType::Other,
        "has_spare" => GroupType::HasSpare,
        "fully_busy" => GroupType::FullyBusy,
        "imbalanced" => GroupType::Imbalanced,
        "overloaded" => GroupType::Overloaded,
        name => panic!("group type {name}"),
    }
}

fn idle(given: &Value) -> IdleType {
    match given["idle"].as_str() {
        Some("not_idle") => IdleType::NotIdle,
        Some("newly_idle") => IdleType::NewlyIdle,
        _ => IdleType::Idle,
    }
}

fn check_v53(id: &str, given: &Value, want: &Value) -> bool {
    if id.starts_with("v53.classify") {
        let pct = uint(given, "imbalance_pct") as u32;
        let mut stats = classified(given);
        stats.no_capacity = average_load::is_overloaded(&stats, pct);
        assert_eq!(
            average_load::classify(&stats, false),
            kind(want["type"].as_str().unwrap()),
            "{id}"
        );
        let has_capacity = average_load::has_capacity(&stats, pct);
        assert_eq!(
            has_capacity,
            want["has_capacity"].as_bool().unwrap(),
            "{id}"
        );
    } else if id.starts_with("v53.idlest") {
        let pair = |who: &str| GroupLoad {
            runnable: uint(given, &format!("{who}_runnable")),
            avg: uint(given, &format!("{who}_avg")),
        };
        let numa = given["SD_NUMA"] == true;
        let pct = uint(given, "imbalance_pct") as u32;
        let stays = pair("min").stays_local(pair("this"), pct, numa);
        assert_eq!(stays, want["result"] == "local", "{id}");
    } else if id.starts_with("v53.detach") {
        // What a pass lets go: the tail-first loads, at most one of them when newly idle.
        let mut imbalance = int(given, "imbalance");
        let loads = given["h_loads_tail_first"].as_array().unwrap();
        let mut detached = Vec::new();
        for load in loads.iter().map(|load| load.as_i64().unwrap()) {
            let stop = imbalance <= 0 || (given["newly_idle"] == true && !detached.is_empty());
            if !stop && fits_load(load, imbalance, DetachLoad::Twice, 0, 0) {
                imbalance -= load;
                detached.push(Value::from(load));
            }
        }
        assert_eq!(Value::from(detached), want["detached"], "{id}");
        assert_eq!(imbalance, int(want, "imbalance_left"), "{id}");
    } else if id.starts_with("v53.fixsmall") {
        let picture = average_picture(given);
        let got = picture.fix_small_imbalance(&picture.busiest, 0);
        assert_eq!(got, uint(want, "imbalance"), "{id}");
    } else if id == "v53.lu.nodeavg" {
        for node in 0..4 {
            let tasks = |key: &str| given[key][node].as_u64().unwrap();
            let load = tasks("per_node_lu") * uint(given, "lu_load")
                + tasks("per_node_stress") * uint(given, "stress_load");
            let avg = crate::balance::group::avg_load(load, uint(given, "node_capacity"));
            assert_eq!(avg, want["avg_load"][node].as_u64().unwrap(), "{id}");
        }
    } else {
        let mut picture = average_picture(given);
        if want["load_above_capacity"].is_u64() || id == "v53.imb.simple" {
            picture.busiest.group_type = GroupType::Overloaded;
            picture.local.group_type = if id == "v53.imb.simple" {
                GroupType::Other
            } else {
                GroupType::Overloaded
            };
        }
        let key = if want["imbalance"].is_u64() {
            "imbalance"
        } else {
            "imbalance_if_CPU_IDLE"
        };
        assert_eq!(picture.calculate_imbalance(), uint(want, key), "{id}");
    }
    true
}

fn classified(given: &Value) -> GroupStats {
    let mut stats = GroupStats::new(
        SgId(0),
        uint(given, "group_weight") as u32,
        uint(given, "group_capacity"),
    );
    stats.sum_nr_running = uint(given, "sum_nr_running") as u32;
    stats.group_util = uint(given, "group_util");
    stats.group_runnable = given["group_runnable"].as_u64();
    stats
}

fn average_picture(given: &Value) -> AverageLoad {
    let (local, busiest) = (group(&given["local"]), group(&given["busiest"]));
    let total_capacity = local.group_capacity + busiest.group_capacity;
    AverageLoad {
        forced_newly_idle: false,
        packs_onto: None,
        idle: idle(given),
        imbalance_pct: 125,
        // Chosen so that the domain's average is the example's.
        total_load: (or_zero(given, "sds_avg_load") * total_capacity).div_ceil(1024),
        total_capacity,
        local,
        busiest,
        dst_load_per_task: 0,
    }
}

fn check_classify55(id: &str, given: &Value, want: &Value) {
    let pct = uint(given, "imbalance_pct") as u32;
    let got = group_type::classify(&classified(given), pct, false);
    assert_eq!(got, kind(want["type"].as_str().unwrap()), "{id}");
}

fn group_types(given: &Value) -> GroupTypes {
    let sds = &given["sds"];
    let (total_load, total_capacity) = match given["sds_avg_load"].as_u64() {
        Some(avg) => (avg, 1024),
        None => (or_zero(sds, "total_load"), or_zero(sds, "total_capacity")),
    };
    GroupTypes {
        rework: rules::Rework::Merged,
        numa: None,
        by_util: true,
        guard: AverageGuard::None,
        asym_capacity: true,
        smt: false,
        even_idle: false,
        idle: idle(given),
        imbalance_pct: given["imbalance_pct"].as_u64().unwrap_or(125) as u32,
        prefer_sibling: given["prefer_sibling"] == true,
        total_load,
        total_capacity,
        local: group(&given["local"]),
        busiest: group(&given["busiest"]),
    }
}

fn check_imbalance55(id: &str, given: &Value, want: &Value) {
    let (migration, imbalance) = group_types(given).calculate_imbalance();
    let name = match migration {
        Migration::Load => "migrate_load",
        Migration::Util => "migrate_util",
        Migration::Task => "migrate_task",
        Migration::Misfit => "migrate_misfit",
    };
    assert_eq!(name, want["type"].as_str().unwrap(), "{id}");
    match want["imbalance_u64"].as_str() {
        Some(wrapped) => assert_eq!(imbalance as u64, wrapped.parse::<u64>().unwrap(), "{id}"),
        None => assert_eq!(imbalance, int(want, "imbalance"), "{id}"),
    }
}

fn check_detach(id: &str, rule: DetachLoad, given: &Value, want: &Value) {
    let mut imbalance = int(given, "imbalance");
    let failed = uint(given, "nr_balance_failed") as u32;
    let tries = uint(given, "cache_nice_tries") as u32;
    let by_load = given["migration_type"] == "migrate_load";
    let mut detached = Vec::new();
    for task in given["tasks_tail_first"].as_array().unwrap() {
        let stop = imbalance <= 0 || (given["newly_idle"] == true && !detached.is_empty());
        let load = if by_load { int(task, "h_load") } else { 1 };
        if !stop && (!by_load || fits_load(load, imbalance, rule, failed, tries)) {
            imbalance -= load;
            detached.push(task["id"].clone());
        }
    }
    assert_eq!(Value::from(detached), want["detached"], "{id}");
    assert_eq!(imbalance, int(want, "imbalance_left"), "{id}");
}

fn check_numa(id: &str, given: &Value, want: &Value) {
    let nodes = Nodes {
        difference: 2 * int(given, "raw_imbalance_halved"),
        imbalance_pct: uint(given, "imbalance_pct") as u32,
        local_nr_running: 0,
        busiest_nr_running: uint(given, "busiest_sum_nr_running") as u32,
        busiest_idle_cpus: uint(given, "busiest_idle_cpus") as u32,
        busiest_weight: uint(given, "busiest_group_weight") as u32,
        child_weight: uint(given, "child_span_weight") as u32,
        imb_numa_nr: 0,
    };
    for (key, rule) in [
        ("v1", NumaImbalance::V1),
        ("v1b_dec19", NumaImbalance::V1b),
        ("v2", NumaImbalance::V2),
        ("v3", NumaImbalance::V3),
        ("child_jan7", NumaImbalance::Child),
        ("valentin_squash", NumaImbalance::Squash),
        ("vincent_idle", NumaImbalance::Idle),
        ("hillf_gate", NumaImbalance::V3Gated),
        ("v4_5.6", NumaImbalance::Pair),
        ("5.11", NumaImbalance::Quarter),
    ] {
        assert_eq!(nodes.allow(rule), int(want, key), "{id}: {key}");
    }
}

/// The third posting takes `imbalance_adj` off up to the given number of running tasks, and nothing above.
fn check_v3(id: &str, given: &Value, want: &Value) {
    let imbalance = given["imbalance"].as_i64().unwrap_or(50);
    let allowed = |busiest_nr_running: u64| {
        let nodes = Nodes {
            difference: 2 * imbalance,
            imbalance_pct: uint(given, "imbalance_pct") as u32,
            local_nr_running: 0,
            busiest_nr_running: busiest_nr_running as u32,
            busiest_idle_cpus: 0,
            busiest_weight: 24,
            child_weight: 24,
            imb_numa_nr: 0,
        };
        nodes.allow(NumaImbalance::V3)
    };
    let adj = want["imbalance_adj"].as_i64().unwrap();
    match want["max_running_that_triggers"].as_u64() {
        Some(last) if adj > 0 => {
            assert_eq!(allowed(last), imbalance - adj, "{id}");
            assert_eq!(allowed(last + 1), imbalance, "{id}");
        }
        _ => assert_eq!(allowed(0), imbalance, "{id}"),
    }
}

fn check_imb_numa_nr(id: &str, given: &Value, want: &Value) {
    let rung = |span_weight: u64, shares_llc, numa| Rung {
        span_weight: span_weight as u32,
        shares_llc,
        numa,
    };
    let spans = given["numa_domain_spans"].as_array().unwrap();
    let mut rungs = vec![
        rung(uint(given, "cpus_per_llc"), true, false),
        rung(uint(given, "cpus_per_node_domain"), false, false),
    ];
    rungs.extend(
        spans
            .iter()
            .map(|span| rung(span.as_u64().unwrap(), false, true)),
    );
    for (rule, release) in [(ImbNumaNr::Quarter, "5.18"), (ImbNumaNr::Eighth, "6.0")] {
        let got = imb_numa_nr(rule, &rungs);
        assert_eq!(
            u64::from(got[1]),
            uint(want, &format!("{release}_node")),
            "{id}"
        );
        assert_eq!(
            Value::from(&got[2..]),
            want[format!("{release}_numa")],
            "{id}"
        );
    }
}
