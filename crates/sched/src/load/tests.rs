//! Where load goes when tasks come and go, by kernel.

use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, Machine, MachineSource, Policy};

use crate::cfs_rq::cfs_rq_of;
use crate::ids::{CfsRqId, EntityId, GroupId, TaskId};
use crate::pelt::{LEAST_DIVIDER, LOAD_AVG_MAX};
use crate::rules::{Rules, kernels};
use crate::sched::Sched;
use crate::task::NewTask;

const CPU: CpuId = CpuId(0);

fn boot(kernel: &str) -> Sched {
    let machine = Machine::new(MachineSource::Synthetic("node:1 core:2 pu:1".into()));
    let topology = Topology::from_spec(&machine).unwrap();
    Sched::new(&topology, Rules::from_kernel(&Kernel::new(kernel)).unwrap())
}

/// A hog of a group, forked onto the first CPU.
fn start(sched: &mut Sched, group: GroupId, at: Nanos) -> TaskId {
    let task = sched.add_task(&NewTask {
        group,
        nice: 0,
        policy: Policy::Normal,
        affinity: CpuSet::first_n(2),
        per_cpu_kthread: false,
    });
    sched.fork(at, CPU, task, Some(CPU));
    sched.schedule(at, CPU);
    task
}

fn root(cpu: u32) -> CfsRqId {
    CfsRqId(cpu)
}

/// Load of the first CPU before a waiting task is moved away, at once after, and when its queue has been brought up
/// to date.
fn loads_around_a_move(kernel: &str) -> [u64; 3] {
    let mut sched = boot(kernel);
    let tasks = [(); 2].map(|()| start(&mut sched, GroupId::ROOT, Nanos(0)));
    sched.tick(Nanos::from_millis(4), CPU);
    let load = |sched: &Sched| sched.cfs(root(0)).avg.load_avg;
    let before = load(&sched);
    let waits = tasks
        .into_iter()
        .find(|&task| sched.curr(CPU) != Some(task));
    sched.detach_task(waits.unwrap());
    let at_once = load(&sched);
    sched.update_cfs_rq_load_avg(root(0));
    [before, at_once, load(&sched)]
}

#[test]
fn to_v4_14_the_load_of_a_moved_task_stays_until_the_next_update() {
    for kernel in ["v4.11", "v4.14"] {
        let [before, at_once, later] = loads_around_a_move(kernel);
        assert_eq!(before, at_once, "{kernel}");
        assert!(later < before * 6 / 10, "{kernel}: {before} to {later}");
    }
    for kernel in ["v4.15", "v5.3", "v5.10", "v6.1", "v6.12"] {
        let [before, at_once, later] = loads_around_a_move(kernel);
        assert!(at_once < before * 6 / 10, "{kernel}: {before} to {at_once}");
        assert_eq!(at_once, later, "{kernel}");
    }
}

/// The entity of a new group on the first CPU.
fn group_entity(sched: &mut Sched) -> (GroupId, EntityId) {
    let group = sched.add_group(GroupId::ROOT, 100);
    let queue = sched.cfs(cfs_rq_of(group, 0, sched.nr_cpus));
    (group, queue.se.unwrap())
}

#[test]
fn a_group_begins_without_utilization_whatever_its_cpu_has_left() {
    // v4.8 and v4.9 gave it half of that, as a task (post_init_entity_util_avg); d03266910a53 (v4.10) ended it.
    for kernel in kernels().iter().map(|info| info.name) {
        let mut sched = boot(kernel);
        start(&mut sched, GroupId::ROOT, Nanos(0));
        let before = sched.cfs(root(0)).avg.util_avg;
        let (_, entity) = group_entity(&mut sched);
        let avg = &sched.se(entity).avg;
        assert_eq!(
            [avg.util_avg, avg.load_avg, avg.util_sum],
            [0; 3],
            "{kernel}"
        );
        assert_eq!(sched.cfs(root(0)).avg.util_avg, before, "{kernel}");
    }
}

#[test]
fn from_v5_8_what_comes_from_below_is_measured_by_the_window() {
    let divider = |kernel: &str| {
        let mut sched = boot(kernel);
        let (group, entity) = group_entity(&mut sched);
        start(&mut sched, group, Nanos(700_000));
        let avg = &sched.se(entity).avg;
        assert!(avg.util_avg > 0 && avg.period_contrib > 0, "{kernel}");
        let window = LEAST_DIVIDER + avg.period_contrib;
        (avg.util_sum / avg.util_avg, window)
    };
    for kernel in ["v4.11", "v4.14", "v4.15", "v5.3", "v5.6"] {
        assert_eq!(divider(kernel).0, LOAD_AVG_MAX, "{kernel}");
    }
    for kernel in ["v5.10", "v5.18", "v6.1", "v6.12"] {
        let (found, window) = divider(kernel);
        assert_eq!(found, window, "{kernel}");
        assert_ne!(found, LOAD_AVG_MAX, "{kernel}");
    }
}

#[test]
fn from_v5_18_whatever_joins_has_some_load_sum() {
    let joined = |kernel: &str| {
        let mut sched = boot(kernel);
        let task = start(&mut sched, GroupId::ROOT, Nanos(0));
        let se = sched.task(task).se;
        let avg = &mut sched.se_mut(se).avg;
        (avg.load_avg, avg.load_sum) = (0, 0);
        sched.attach_entity_load_avg(root(0), se);
        sched.se(se).avg.load_sum
    };
    assert_eq!(["v4.15", "v5.3", "v5.11"].map(joined), [0; 3]);
    assert_eq!(["v5.18", "v6.1", "v6.12"].map(joined), [1; 3]);
}
