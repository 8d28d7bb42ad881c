//! Worked examples of v4.11 and of the postings on it.

use serde_json::Value;
use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, Machine, MachineSource, Policy};

use super::uint;
use crate::ids::GroupId;
use crate::load::cpu_load::average;
use crate::load::group::{calc_group_shares, load_within_shares, queued_load};
use crate::load::new_task_util;
use crate::pelt::{Activity, LOAD_AVG_MAX, SchedAvg, decay_load_or_keep};
use crate::queue::Enqueue;
use crate::rules::{Pelt, Propagation, Rules};
use crate::sched::Sched;
use crate::task::{NewTask, State};

/// Checks an example if it is of this file's rules. False: it is not.
pub(super) fn check(id: &str, given: &Value, want: &Value) -> bool {
    let family: Vec<&str> = id.splitn(3, '.').collect();
    match (family[0], family[1]) {
        ("pelt", "decay") => {
            let got = decay_load_or_keep(uint(given, "val"), uint(given, "n_periods"));
            assert_eq!(got, uint(want, "result"), "{id}");
        }
        ("pelt411", "run") => check_run(id, given, want),
        ("pelt", "newtask") => {
            let queue = SchedAvg {
                util_avg: uint(given, "cfs_util_avg"),
                load_avg: uint(given, "cfs_load_avg"),
                ..SchedAvg::default()
            };
            let weight = uint(given, "se_load_weight_scaled");
            let got = new_task_util(uint(given, "cpu_scale"), &queue, weight);
            assert_eq!(got, uint(want, "util_avg"), "{id}");
        }
        ("group", "shares411") => {
            let got = shares(given, uint(given, "cfs_rq_load_weight_scaled"), given);
            assert_eq!(got, uint(want, "se_weight_scaled"), "{id}");
        }
        ("v411", "cpu_load") => {
            let got = average(
                uint(given, "old"),
                uint(given, "now"),
                uint(given, "i") as u32,
            );
            assert_eq!(got, uint(want, "cpu_load_i"), "{id}");
        }
        ("v1", "propagate411") => {
            let got = within_shares(given, "gcfs_rq_load_avg");
            assert_eq!(got, uint(want, "se_load_avg"), "{id}");
        }
        ("v1", "propagate") => {
            let weight = uint(given, "gcfs_rq_load_weight_scaled");
            let shares = shares(given, weight, given);
            assert_eq!(shares, uint(want, "shares_scaled"), "{id}");
            let runnable = uint(given, "gcfs_rq_runnable_load_avg");
            let got = queued_load(runnable, shares >> 10, weight >> 10);
            assert_eq!(got, uint(want, "se_load_avg"), "{id}");
        }
        ("v1", "maxweight") => check_max_weight(id, given, want),
        ("v1", "ramp") => check_ramp(id, given, want),
        ("v1", "root") => check_root(id, given, want),
        _ => return false,
    }
    true
}

fn check_run(id: &str, given: &Value, want: &Value) {
    let weight = uint(given, "weight");
    let running = Activity {
        load: weight,
        runnable: weight,
        running: true,
    };
    let mut avg = SchedAvg::default();
    if avg.update_sum(
        Pelt::Weighted(Propagation::Load),
        uint(given, "delta_us") << 10,
        running,
    ) {
        avg.update_avg(Pelt::Weighted(Propagation::Load), 1, 1);
    }
    for (key, got) in [
        ("load_sum", avg.load_sum),
        ("util_sum", avg.util_sum),
        ("load_avg", avg.load_avg),
        ("util_avg", avg.util_avg),
        ("pc", avg.period_contrib),
    ] {
        assert_eq!(got, uint(want, key), "{id}: {key}");
    }
    let runnable = (avg.runnable_sum, avg.runnable_avg);
    assert_eq!(runnable, (avg.load_sum, avg.load_avg), "{id}");
}

/// Scaled weight of a group on a CPU whose queue has this weight and contributes what `queue` says.
fn shares(group: &Value, weight: u64, queue: &Value) -> u64 {
    let contrib = queue["tg_load_avg_contrib"].as_u64();
    calc_group_shares(
        uint(group, "tg_shares_scaled"),
        uint(group, "tg_load_avg"),
        contrib.unwrap_or_else(|| uint(queue, "contrib")),
        weight >> 10,
    )
}

fn within_shares(given: &Value, load: &str) -> u64 {
    load_within_shares(
        uint(given, load),
        uint(given, "tg_load_avg"),
        uint(given, "contrib"),
        uint(given, "tg_shares"),
    )
}

/// A group of the largest weight: what its entity weighs with one task and with two, and what its load is under
/// v4.11 and under the posting.
fn check_max_weight(id: &str, given: &Value, want: &Value) {
    let at_max = |contrib, weight| calc_group_shares(102_400 << 10, 18_677, contrib, weight);
    let (one, two) = (at_max(600, 1024), at_max(1200, 2048));
    match id {
        "v1.maxweight.shares" => {
            for (queue, scaled, unscaled) in [
                ("one_task", "one_scaled", "one_unscaled"),
                ("two_tasks", "two_scaled", "two_unscaled"),
            ] {
                let queue = &given[queue];
                let got = shares(given, uint(queue, "load_weight_scaled"), queue);
                assert_eq!(got, uint(want, scaled), "{id}");
                assert_eq!(got >> 10, uint(want, unscaled), "{id}");
            }
        }
        "v1.maxweight.before" => {
            let got = within_shares(given, "gcfs_load_avg");
            assert_eq!(got, uint(want, "ge_load_avg"), "{id}");
            assert_eq!(
                one >> 10,
                uint(want, "pelt_target_if_always_queued"),
                "{id}"
            );
        }
        _ => {
            let got = queued_load(uint(given, "runnable_one"), one >> 10, 1024);
            assert_eq!(got, uint(want, "one"), "{id}");
            let got = queued_load(uint(given, "runnable_two"), two >> 10, 2048);
            assert_eq!(got, uint(want, "two"), "{id}");
        }
    }
}

fn check_ramp(id: &str, given: &Value, want: &Value) {
    let (load_avg, weight) = (uint(given, "ge_load_avg_start"), uint(given, "new_weight"));
    let mut avg = SchedAvg {
        load_avg,
        load_sum: load_avg * LOAD_AVG_MAX,
        ..SchedAvg::default()
    };
    let queued = Activity {
        load: weight,
        runnable: weight,
        running: false,
    };
    let ns = uint(given, "periods") * 1024 * 1024;
    assert!(
        avg.update_sum(Pelt::Weighted(Propagation::Load), ns, queued),
        "{id}"
    );
    avg.update_avg(Pelt::Weighted(Propagation::Load), 1, 1);
    assert_eq!(avg.load_avg, uint(want, "ge_load_avg"), "{id}");
}

/// A group with one task queued on a CPU, and a second one that wakes there. Averages are set to the
/// example's; nothing ages, since no time passes.
fn check_root(id: &str, given: &Value, want: &Value) {
    let [before, below, after] = root_runnable("v4.11", given);
    assert_eq!(before, uint(given, "ge_load_avg"), "{id}");
    assert_eq!(below, uint(want, "gcfs_runnable_load_avg_after"), "{id}");
    assert_eq!(after, uint(want, "root_runnable_load_avg_after"), "{id}");
    for repaired in ["v4.11+propagate", "v4.11+propagate-v2"] {
        let [before, _, after] = root_runnable(repaired, given);
        assert!(after > before, "{repaired}: {before} to {after}");
    }
}

/// The root's `runnable_load_avg` before the second task wakes, and the group's and the root's after it.
fn root_runnable(kernel: &str, given: &Value) -> [u64; 3] {
    let machine = Machine::new(MachineSource::Synthetic("node:1 core:1 pu:1".to_owned()));
    let topology = Topology::from_spec(&machine).unwrap();
    let mut sched = Sched::new(&topology, Rules::from_kernel(&Kernel::new(kernel)).unwrap());
    let group = sched.add_group(GroupId::ROOT, 100);
    let tasks = [(); 2].map(|()| {
        sched.add_task(&NewTask {
            group,
            nice: 0,
            policy: Policy::Normal,
            affinity: CpuSet::first_n(1),
            per_cpu_kthread: false,
        })
    });
    for task in tasks {
        sched.fork(Nanos(0), CpuId(0), task, None);
        sched.schedule(Nanos(0), CpuId(0));
    }
    sched.block(Nanos(0), CpuId(0));
    let asleep = tasks.into_iter().find(|&task| !sched.is_runnable(task));
    let (asleep, gcfs) = (
        asleep.unwrap(),
        sched.cfs(sched.se(sched.task(tasks[0]).se).cfs_rq),
    );
    let (ge, below) = (gcfs.se.unwrap(), gcfs.avg);
    assert_eq!(below.runnable_avg, 1024, "one task is queued");
    let se = sched.task(asleep).se;
    let gcfs = sched.se(se).cfs_rq;
    let set = |avg: &mut SchedAvg, load: u64| {
        (avg.runnable_avg, avg.runnable_sum) = (load, load * LOAD_AVG_MAX);
    };
    set(
        &mut sched.cfs_mut(gcfs).avg,
        uint(given, "gcfs_runnable_load_avg_before"),
    );
    set(
        &mut sched.se_mut(se).avg,
        uint(given, "waking_task_load_avg"),
    );
    let root = sched.se(ge).cfs_rq;
    for avg in [
        &mut sched.entities[ge.index()].avg,
        &mut sched.cfs_rqs[root.index()].avg,
    ] {
        set(avg, uint(given, "ge_load_avg"));
    }
    sched.cfs_mut(gcfs).propagate = false;
    let before = sched.cfs(root).avg.runnable_avg;
    sched.task_mut(asleep).state = State::Runnable;
    sched.enqueue_task(asleep, Enqueue::Woken);
    let runnable = |queue| sched.cfs(queue).avg.runnable_avg;
    [before, runnable(gcfs), runnable(root)]
}
