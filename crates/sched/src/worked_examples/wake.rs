//! Examples of wakeup placement.

use serde_json::Value;
use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, Machine, MachineSource, Policy, SettingValue};

use super::{int, uint};
use crate::ids::GroupId;
use crate::rules::{Rules, SisIdle, UtilFits};
use crate::sched::Sched;
use crate::task::NewTask;
use crate::wake::affine::{AffineWeight, wake_wide};
use crate::wake::fits::fits_remaining;
use crate::wake::idle_sibling::Search;
use crate::wake::scan_limit::{Budget, sis_prop, sis_util};

/// Checks an example of wakeup placement. False: it is of something else.
pub(super) fn check(id: &str, given: &Value, want: &Value) -> bool {
    let family: Vec<&str> = id.splitn(3, '.').collect();
    match (family[0], family[1]) {
        ("wake", "wide") => {
            let flips = |key| uint(given, key) as u32;
            let got = wake_wide(
                flips("waker_flips"),
                flips("wakee_flips"),
                flips("llc_size"),
            );
            assert_eq!(got, want["wide"].as_bool().unwrap(), "{id}");
        }
        ("wake", "affine_weight") => check_affine(id, given, want),
        ("wake", "sis_prop") => {
            let rule = if given["div512"] == false {
                SisIdle::Aged
            } else {
                SisIdle::Divided
            };
            let idle = rule.of_average(uint(given, "avg_idle_ns"));
            let got = sis_prop(
                idle,
                uint(given, "avg_scan_cost_ns"),
                uint(given, "llc_span"),
            );
            assert_eq!(got, uint(want, "nr"), "{id}");
            assert_eq!(examined(got), uint(want, "cpus_examined"), "{id}");
        }
        ("wake", "sis_util") => {
            let got = sis_util(
                uint(given, "sum_util"),
                uint(given, "llc_weight") as u32,
                uint(given, "imbalance_pct") as u32,
            );
            assert_eq!(i64::from(got), int(want, "nr_idle_scan"), "{id}");
            assert_eq!(
                examined(u64::from(got) + 1),
                uint(want, "cpus_examined"),
                "{id}"
            );
        }
        ("v6", "fits") => {
            for (key, form) in [("v1", UtilFits::Whole), ("v2", UtilFits::Margin)] {
                let got = fits_remaining(
                    form,
                    uint(given, "rq_util_est_enqueued"),
                    uint(given, "task_util_est"),
                    uint(given, "cpu_capacity"),
                );
                assert_eq!(got, want[key].as_bool().unwrap(), "{id}: {key}");
            }
        }
        ("v6", "order") => check_order(id, given, want),
        _ => return false,
    }
    true
}

/// CPUs that a search of this bound looks at.
fn examined(nr: u64) -> u64 {
    let mut budget = Budget::new(nr);
    (0..u64::MAX).take_while(|_| budget.spend()).count() as u64
}

fn check_affine(id: &str, given: &Value, want: &Value) {
    let sync = given["sync"] == true;
    let weight = AffineWeight {
        this_load: uint(given, "this_load"),
        prev_load: uint(given, "prev_load"),
        task_h_load: uint(given, "task_h_load"),
        sync_h_load: sync.then(|| uint(given, "current_h_load")),
        this_capacity: uint(given, "cap_this"),
        prev_capacity: uint(given, "cap_prev"),
        bias_pct: Some(uint(given, "imbalance_pct") as u32),
        of_equals: false,
    };
    assert_eq!(weight.prefers_this(), want["target"] == "this", "{id}");
}

/// Two CPUs of one cache, P and T, each idle or not, with room or without.
fn check_order(id: &str, given: &Value, want: &Value) {
    let mut kernel = Kernel::new("v6.5+fits+bias");
    for feature in ["SELECT_BIAS_PREV", "UTIL_FITS_CAPACITY"] {
        let on = given[feature].as_bool().unwrap();
        let name = format!("features.{feature}");
        kernel.set.insert(name, SettingValue::Bool(on));
    }
    let machine = Machine::new(MachineSource::Synthetic("node:1 l3:1 core:2 pu:1".into()));
    let topology = Topology::from_spec(&machine).unwrap();
    let mut sched = Sched::new(&topology, Rules::from_kernel(&kernel).unwrap());
    let task_on = |sched: &mut Sched, cpu: CpuId| {
        let task = sched.add_task(&NewTask {
            group: GroupId::ROOT,
            nice: 0,
            policy: Policy::Normal,
            affinity: CpuSet::of(cpu),
            per_cpu_kthread: false,
        });
        sched.fork(Nanos(0), cpu, task, Some(cpu));
        sched.schedule(Nanos(0), cpu);
        task
    };
    let (prev, target) = (CpuId(0), CpuId(1));
    let waking = task_on(&mut sched, prev);
    sched.block(Nanos(0), prev);
    for (cpu, name) in [(prev, "P"), (target, "T")] {
        if given["idle"][name] == false {
            task_on(&mut sched, cpu);
        }
        let fits = given["fits"][name].as_bool().unwrap();
        let enqueued = &mut sched.cfs_rqs[cpu.index()].avg.util_est.enqueued;
        *enqueued = if fits { 100 } else { 1024 };
    }
    let (cpu, _) = sched.select_idle_sibling(&Search {
        task: waking,
        allowed: CpuSet::first_n(2),
        this_cpu: target,
        in_task: true,
        prev,
        target,
    });
    let expected = if want["cpu"] == "P" { prev } else { target };
    assert_eq!(cpu, expected, "{id}");
}
