//! NUMA balancing by release, on two nodes of two CPUs.

use serde_json::json;
use teeter_machine::{CpuId, CpuSet, NodeId, Topology};
use teeter_scenario::document::{Kernel, Machine, MachineSource, Policy};
use teeter_scenario::{Bytes, Nanos};

use super::memory::LastTouch;
use super::state::FaultMap;
use crate::ids::{GroupId, TaskId};
use crate::rules::Rules;
use crate::sched::Sched;
use crate::task::NewTask;

const HOME: NodeId = NodeId(0);
const AWAY: NodeId = NodeId(1);

fn boot(kernel: &Kernel) -> Sched {
    boot_on(kernel, "node:2 core:2 pu:1")
}

fn boot_on(kernel: &Kernel, machine: &str) -> Sched {
    let machine = Machine::new(MachineSource::Synthetic(machine.into()));
    let topology = Topology::from_spec(&machine).unwrap();
    Sched::new(&topology, Rules::from_kernel(kernel).unwrap())
}

/// A task on a CPU, bound to it or not, with memory on the second node or none.
fn start(sched: &mut Sched, cpu: u16, bound: bool, memory: bool) -> TaskId {
    let cpus = if bound {
        CpuSet::of(CpuId(cpu))
    } else {
        CpuSet::first_n(sched.nr_cpus)
    };
    let task = sched.add_task(&NewTask {
        group: GroupId::ROOT,
        nice: 0,
        policy: Policy::Normal,
        affinity: cpus,
        per_cpu_kthread: false,
    });
    if memory {
        let mm = sched.add_mm();
        sched.map(mm, Bytes::from_mb(64), &[AWAY]);
        sched.set_mm(task, mm);
    }
    sched.fork(Nanos(0), CpuId(cpu), task, Some(CpuId(cpu)));
    sched.schedule(Nanos(0), CpuId(cpu));
    task
}

/// A task on the first node, with so many faults on memory of each.
fn faulting(kernel: &str, faults: [u64; 2]) -> (Sched, TaskId) {
    let mut sched = boot(&Kernel::new(kernel));
    let task = start(&mut sched, 0, false, true);
    fault(&mut sched, task, faults);
    (sched, task)
}

fn fault(sched: &mut Sched, task: TaskId, faults: [u64; 2]) {
    let mut map = FaultMap::new(2);
    for (node, faults) in map.nodes.iter_mut().zip(faults) {
        node.mem = [0, faults];
    }
    map.total = faults.iter().sum();
    sched.numa.task_mut(task).unwrap().faults = Some(map);
}

/// Scan period of a task after it tried to go to its memory, of 5000 ms before, and its node. Other tasks are bound
/// to CPUs there.
fn tried(kernel: &str, others: &[u16]) -> (u64, NodeId) {
    let mut sched = boot(&Kernel::new(kernel));
    for &cpu in others {
        start(&mut sched, cpu, true, false);
    }
    let task = start(&mut sched, 0, false, true);
    fault(&mut sched, task, [0, 1000]);
    sched.numa.task_mut(task).unwrap().scan_period = 5000;
    sched.sched_setnuma(task, Some(AWAY));
    sched.numa_migrate_preferred(task);
    let node = sched.numa.nodes.of(sched.task(task).cpu);
    (sched.numa.task(task).unwrap().scan_period, node)
}

#[test]
fn only_a_task_that_moves_is_scanned_at_its_first_rate_again() {
    for kernel in [
        "v4.11", "v4.14", "v4.15", "v5.3", "v5.6", "v5.11", "v6.1", "v6.12",
    ] {
        let crowded = tried(kernel, &[2, 2, 3, 3]);
        assert_eq!(crowded, (5000, HOME), "{kernel}");
        // v5.11 leaves it where it is: not even one task is fewer than a quarter of two CPUs.
        let idle = tried(kernel, &[]);
        if kernel != "v5.11" {
            assert_eq!(idle, (1000, AWAY), "{kernel}");
        }
    }
}

#[test]
fn from_v4_20_it_is_the_move_that_does_it_whoever_moved_the_task() {
    let moved = |kernel: &str| {
        let (mut sched, task) = faulting(kernel, [1000, 0]);
        sched.numa.task_mut(task).unwrap().scan_period = 5000;
        sched.sched_setnuma(task, Some(HOME));
        sched.detach_task(task);
        sched.set_task_rq(task, CpuId(2));
        sched.numa.task(task).unwrap().scan_period
    };
    assert_eq!(["v4.11", "v4.15"].map(moved), [5000; 2]);
    assert_eq!(["v5.3", "v6.1", "v6.12"].map(moved), [1000; 3]);
}

/// How many tasks count on the second node of which two are ready and one sleeps but stays queued.
fn counted(kernel: &str) -> u32 {
    let mut sched = boot(&Kernel::new(kernel));
    for _ in 0..3 {
        start(&mut sched, 2, true, false);
    }
    // It has run for longer than its share when it goes to sleep.
    sched.block(Nanos::from_millis(2), CpuId(2));
    sched.numa_stats_of(AWAY, 112).nr_running
}

#[test]
fn sleepers_that_stay_queued_count_in_v6_12_only() {
    assert_eq!(counted("v6.6"), 2);
    assert_eq!(counted("v6.12"), 3);
    assert_eq!(counted("v6.12.y"), 2);
    assert_eq!(counted("v6.17"), 2);
}

/// Whether a task loses by going to the second node, as a pass of an idle or a busy CPU sees it.
fn loses(sched: &Sched, task: TaskId, idle: bool) -> Option<bool> {
    sched.migrate_degrades_locality(task, CpuId(0), CpuId(2), idle)
}

#[test]
fn load_balancing_asks_where_a_tasks_memory_is() {
    for kernel in ["v4.11", "v5.3", "v6.1", "v6.12"] {
        let (mut sched, task) = faulting(kernel, [600, 400]);
        assert_eq!(loses(&sched, task, false), Some(true), "{kernel}");
        fault(&mut sched, task, [400, 600]);
        assert_eq!(loses(&sched, task, false), Some(false), "{kernel}");
        sched.sched_setnuma(task, Some(AWAY));
        assert_eq!(loses(&sched, task, true), Some(false), "{kernel}: home");
        sched.sched_setnuma(task, Some(HOME));
        assert_eq!(loses(&sched, task, true), None, "{kernel}: all are at home");
        start(&mut sched, 0, true, false);
        assert_eq!(
            loses(&sched, task, true),
            Some(true),
            "{kernel}: others are"
        );
    }
}

#[test]
fn from_v4_16_an_idle_cpu_does_not_care() {
    let idle = |kernel: &str| {
        let (sched, task) = faulting(kernel, [600, 400]);
        loses(&sched, task, true)
    };
    assert_eq!(["v4.11", "v4.14", "v4.15"].map(idle), [Some(true); 3]);
    assert_eq!(["v5.3", "v6.1", "v6.17"].map(idle), [None; 3]);
}

#[test]
fn from_v4_20_pages_follow_a_young_task_at_once() {
    // It touched the page before, from the other node.
    let follows = |kernel: &str, seq: u32, other: bool| {
        let (mut sched, task) = faulting(kernel, [0, 0]);
        let stranger = start(&mut sched, 1, true, true);
        sched.sched_setnuma(task, Some(HOME));
        sched.numa.task_mut(task).unwrap().scan_seq = seq;
        let last = LastTouch {
            task: if other { stranger } else { task },
            cpu: CpuId(2),
        };
        sched.should_numa_migrate_memory(task, Some(last), AWAY, HOME)
    };
    for kernel in ["v4.11", "v4.15"] {
        assert!(!follows(kernel, 4, false), "{kernel}");
    }
    for kernel in ["v5.3", "v5.11", "v6.1", "v6.12"] {
        assert!(follows(kernel, 4, false), "{kernel}");
        assert!(!follows(kernel, 4, true), "{kernel}: another's");
        assert!(!follows(kernel, 5, false), "{kernel}: not young");
    }
}

#[test]
fn from_v4_18_a_threads_scans_begin_later() {
    let stamp = |kernel: &str| {
        let mut sched = boot(&Kernel::new(kernel));
        let first = start(&mut sched, 0, false, true);
        let mm = sched.numa.task(first).unwrap().mm;
        let second = start(&mut sched, 1, true, false);
        sched.set_mm(second, mm);
        sched.init_numa_balancing(second, CpuId(0));
        let stamp = |task| sched.numa.task(task).unwrap().node_stamp;
        (stamp(first), stamp(second) / sched.rules.tick().0)
    };
    assert_eq!(["v4.11", "v4.15"].map(stamp), [(0, 0); 2]);
    assert_eq!(["v5.3", "v6.1", "v6.12"].map(stamp), [(0, 2); 3]);
}

#[test]
fn to_v4_18_a_node_takes_so_many_pages_at_a_time() {
    let taken = |kernel: &str| {
        let (mut sched, _) = faulting(kernel, [0, 0]);
        (0..10)
            .filter(|_| sched.within_page_rate(AWAY, 8192))
            .count()
    };
    // 32 MB each: four of them are 128 MB, the fifth was asked for before that was passed.
    assert_eq!(["v4.11", "v4.15"].map(taken), [5; 2]);
    assert_eq!(["v5.3", "v6.12"].map(taken), [10; 2]);
}

#[test]
fn from_v5_9_two_tasks_are_allowed_at_the_destination() {
    // One task on the first node, which wants to go to where others run, on four CPUs.
    let leaves = |by_destination: bool, others: u16| {
        let mut kernel = Kernel::new("v5.10");
        let rule = "numa.by_destination".to_owned();
        kernel.rules.insert(rule, json!(by_destination));
        let mut sched = boot_on(&kernel, "node:2 core:4 pu:1");
        for cpu in 4..4 + others {
            start(&mut sched, cpu, true, false);
        }
        let task = start(&mut sched, 0, false, true);
        fault(&mut sched, task, [0, 1000]);
        sched.sched_setnuma(task, Some(AWAY));
        sched.numa_migrate_preferred(task);
        sched.numa.nodes.of(sched.task(task).cpu) == AWAY
    };
    assert!(leaves(true, 1), "two are there then");
    assert!(!leaves(true, 2), "three are");
    assert!(leaves(false, 2), "none are left where it came from");
}

#[test]
fn from_v5_18_the_nearest_node_with_cpus_stands_for_one_without() {
    let preferred = |kernel: &str| {
        let (mut sched, task) = faulting(kernel, [1, 0]);
        // The second node's CPUs go; its memory stays.
        sched.set_offline(Nanos(0), &[2, 3].map(CpuId).into_iter().collect());
        let known = sched.numa.task_mut(task).unwrap();
        known.buffer[AWAY.index()].mem = [0, 1000];
        let mm = known.mm;
        sched.numa.mms[mm.index()].scan_seq += 1;
        sched.task_numa_placement(task);
        sched.preferred_node(task)
    };
    assert_eq!(["v5.3", "v5.11"].map(preferred), [Some(AWAY); 2]);
    assert_eq!(["v5.18", "v6.1", "v6.12"].map(preferred), [Some(HOME); 3]);
}
