//! The order of steps of each kernel, by scenes in which the CPU that each step takes becomes busy in turn.

use serde_json::json;
use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::{
    CoreSpec, Kernel, LlcSpec, Machine, MachineSource, NodeSpec, Policy,
};

use super::Search;
use crate::rules::Rules;
use crate::sched::Sched;
use crate::task::NewTask;
use crate::{GroupId, TaskId};

/// Two caches of four cores with four hardware threads.
const SMT4: &str = "node:1 l3:2 core:4 pu:4";

/// A task about to be woken.
struct Scene {
    sched: Sched,
    search: Search,
    recent: u16,
}

impl Scene {
    fn new(kernel: &Kernel, machine: &Machine) -> Self {
        let topology = Topology::from_spec(machine).unwrap();
        let mut sched = Sched::new(&topology, Rules::from_kernel(kernel).unwrap());
        let everywhere = CpuSet::first_n(topology.cpus.len());
        let task = add_task(&mut sched, everywhere, Policy::Normal, false);
        for llc in &mut sched.domains.llcs {
            llc.nr_idle_scan = llc.size;
        }
        let search = Search {
            task,
            allowed: everywhere,
            this_cpu: CpuId(0),
            in_task: true,
            prev: CpuId(4),
            target: CpuId(0),
        };
        Self {
            sched,
            search,
            recent: 9,
        }
    }

    /// On a machine of a synthetic string; it was on CPU 4, and before that on 9; the waker is on 0.
    fn on(kernel: &str, synthetic: &str) -> Self {
        let machine = Machine::new(MachineSource::Synthetic(synthetic.into()));
        Self::new(&Kernel::new(kernel), &machine)
    }

    fn with_rule(kernel: &str, rule: &str, value: &str) -> Self {
        let mut kernel = Kernel::new(kernel);
        kernel.rules.insert(rule.into(), json!(value));
        let machine = Machine::new(MachineSource::Synthetic(SMT4.into()));
        Self::new(&kernel, &machine)
    }

    /// Makes a CPU run a task of its own.
    fn occupy(&mut self, cpu: u16, policy: Policy, kthread: bool) {
        let cpu = CpuId(cpu);
        let task = add_task(&mut self.sched, CpuSet::of(cpu), policy, kthread);
        self.sched.fork(Nanos(0), cpu, task, Some(cpu));
        self.sched.schedule(Nanos(0), cpu);
    }

    fn busy(&mut self, cpus: &[u16]) {
        for &cpu in cpus {
            self.occupy(cpu, Policy::Normal, false);
        }
    }

    /// Where the task goes.
    fn place(&mut self) -> u16 {
        self.sched.task_mut(self.search.task).recent_used_cpu = CpuId(self.recent);
        let search = self.search.clone();
        self.sched.select_idle_sibling(&search).0.0
    }

    /// Where it goes, and where as each of these becomes busy, for so many steps.
    fn walk(&mut self, steps: usize) -> Vec<u16> {
        let step = |_| {
            let cpu = self.place();
            self.busy(&[cpu]);
            cpu
        };
        (0..steps).map(step).collect()
    }
}

fn add_task(sched: &mut Sched, affinity: CpuSet, policy: Policy, kthread: bool) -> TaskId {
    sched.add_task(&NewTask {
        group: GroupId::ROOT,
        nice: 0,
        policy,
        affinity,
        per_cpu_kthread: kthread,
    })
}

#[test]
fn v4_11_knows_no_recent_cpu_and_searches_all() {
    let walk = Scene::on("v4.11", SMT4).walk(17);
    // Target, previous, idle cores, then every CPU; the target again when all are busy.
    let want = [0, 4, 8, 12, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 0];
    assert_eq!(walk, want);
}

#[test]
fn v4_13_bounds_the_search() {
    for kernel in ["v4.14", "v4.15"] {
        let walk = Scene::on(kernel, SMT4).walk(17);
        let want = [0, 4, 8, 12, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 0];
        assert_eq!(walk, want, "{kernel}");
        let mut scene = Scene::on(kernel, SMT4);
        scene.sched.rqs[0].avg_idle = 0;
        // 0, 1 and 2 may be looked at, then the target's threads.
        assert_eq!(scene.walk(8), [0, 4, 8, 12, 1, 2, 3, 0], "{kernel}");
    }
}

#[test]
fn v5_3_to_v5_11_take_the_recent_cpu_before_they_search() {
    for kernel in ["v5.3", "v5.5", "v5.6", "v5.10", "v5.11"] {
        let walk = Scene::on(kernel, SMT4).walk(17);
        let want = [0, 4, 9, 12, 1, 2, 3, 5, 6, 7, 8, 10, 11, 13, 14, 15, 0];
        assert_eq!(walk, want, "{kernel}");
    }
}

#[test]
fn to_v5_11_a_thread_of_the_target_comes_last() {
    for kernel in ["v5.3", "v5.6", "v5.11"] {
        let mut scene = Scene::on(kernel, SMT4);
        // Three CPUs may be looked at: 0, 1 and 2.
        scene.sched.rqs[0].avg_idle = 0;
        assert_eq!(scene.walk(8), [0, 4, 9, 12, 1, 2, 3, 0], "{kernel}");
    }
}

#[test]
fn v5_12_merges_the_searches() {
    let mut scene = Scene::with_rule("v5.11", "wake.idle_scan", "merged");
    // With idle cores gone, the first idle thread on the way is taken; then CPUs from the target on.
    assert_eq!(scene.walk(8), [0, 4, 9, 12, 1, 2, 3, 5]);
    let mut scene = Scene::with_rule("v5.11", "wake.idle_scan", "merged");
    scene.sched.rqs[0].avg_idle = 0;
    assert_eq!(scene.walk(7), [0, 4, 9, 12, 1, 2, 0], "three CPUs");
}

#[test]
fn from_v5_13_threads_of_the_previous_core_come_before_the_search() {
    for kernel in ["v5.18", "v6.1", "v6.5", "v6.6", "v6.7", "v6.12", "v6.17"] {
        let walk = Scene::on(kernel, SMT4).walk(17);
        let want = [0, 4, 9, 12, 1, 5, 6, 7, 2, 3, 8, 10, 11, 13, 14, 15, 0];
        assert_eq!(walk, want, "{kernel}");
    }
}

#[test]
fn to_v5_19_the_search_is_bounded_by_idle_time() {
    let mut scene = Scene::on("v5.18", SMT4);
    scene.sched.rqs[0].wake_avg_idle = 0;
    // 1, 2 and 3 may be looked at.
    assert_eq!(scene.walk(11), [0, 4, 9, 12, 1, 5, 6, 7, 2, 3, 0]);
}

#[test]
fn from_v6_0_it_is_bounded_by_use() {
    for kernel in ["v6.1", "v6.6", "v6.12"] {
        let mut scene = Scene::on(kernel, SMT4);
        scene.sched.domains.llcs[0].nr_idle_scan = 2;
        assert_eq!(scene.walk(10), [0, 4, 9, 12, 1, 5, 6, 7, 2, 0], "{kernel}");
        let mut scene = Scene::on(kernel, SMT4);
        scene.sched.domains.llcs[0].nr_idle_scan = 0;
        assert_eq!(
            scene.walk(4),
            [0, 4, 9, 0],
            "{kernel}: idle cores are no help"
        );
    }
}

#[test]
fn the_previous_cpu_must_share_the_cache() {
    for kernel in ["v5.3", "v5.11", "v6.1", "v6.12"] {
        let mut scene = Scene::on(kernel, SMT4);
        scene.search.prev = CpuId(20);
        scene.recent = 24;
        scene.busy(&[0]);
        assert_eq!(
            scene.place(),
            4,
            "{kernel}: an idle core of the target's cache"
        );
    }
}

#[test]
fn without_a_cache_shared_with_others_the_target_is_all_there_is() {
    for kernel in [
        "v4.11", "v4.15", "v5.3", "v5.6", "v5.11", "v5.18", "v6.1", "v6.12",
    ] {
        let mut scene = Scene::on(kernel, "node:1 l3:6 core:1 pu:1");
        scene.recent = 5;
        assert_eq!(scene.walk(2), [0, 0], "{kernel}");
    }
}

#[test]
fn only_allowed_cpus_are_found() {
    for kernel in ["v5.3", "v5.11", "v6.1", "v6.12"] {
        let mut scene = Scene::on(kernel, SMT4);
        scene.search.prev = CpuId(20);
        scene.search.allowed = [0, 7, 20].map(CpuId).into_iter().collect();
        scene.recent = 20;
        scene.busy(&[0]);
        assert_eq!(scene.place(), 7, "{kernel}");
    }
}

#[test]
fn a_per_cpu_kernel_thread_keeps_whom_it_wakes() {
    let woken = |kernel: &str, in_task: bool, crowd: bool| {
        let mut scene = Scene::on(kernel, SMT4);
        scene.busy(&[0]);
        scene.occupy(4, Policy::Normal, true);
        if crowd {
            scene.busy(&[4]);
        }
        scene.search.this_cpu = CpuId(4);
        scene.search.in_task = in_task;
        scene.place()
    };
    assert_eq!(woken("v5.5", true, false), 9);
    for kernel in ["v5.6", "v5.11", "v6.1", "v6.12"] {
        assert_eq!(woken(kernel, true, false), 4, "{kernel}");
        assert_eq!(woken(kernel, true, true), 9, "{kernel}: not alone");
    }
    assert_eq!(woken("v5.11", false, false), 4, "an interrupt will do");
    assert_eq!(woken("v6.1", false, false), 9, "or not, from v5.16 on");
}

#[test]
fn the_recent_cpu_is_renewed_by_use_and_later_by_every_wakeup() {
    let recent_after = |kernel: &str, busy: &[u16]| {
        let mut scene = Scene::on(kernel, SMT4);
        scene.busy(busy);
        scene.place();
        scene.sched.task(scene.search.task).recent_used_cpu.0
    };
    assert_eq!(recent_after("v5.11", &[0, 4]), 4, "used");
    assert_eq!(recent_after("v5.11", &[0, 4, 9]), 9, "not used");
    assert_eq!(recent_after("v6.1", &[0, 4, 9]), 4);
    assert_eq!(recent_after("v6.12", &[0, 4, 9]), 4);
}

#[test]
fn v5_15_to_v6_5_ask_whether_the_previous_cpu_is_allowed_instead_of_the_recent() {
    let place = |kernel: &str| {
        let mut scene = Scene::on(kernel, SMT4);
        scene.search.allowed.remove(CpuId(9));
        scene.busy(&[0, 4]);
        scene.place()
    };
    for kernel in ["v5.18", "v6.1", "v6.5"] {
        assert_eq!(place(kernel), 9, "{kernel}");
    }
    for kernel in ["v5.3", "v5.11", "v6.6", "v6.12"] {
        assert_ne!(place(kernel), 9, "{kernel}");
    }
}

#[test]
fn cpus_of_idle_policy_count_as_idle_from_v5_6_on() {
    let place = |kernel: &str| {
        let mut scene = Scene::on(kernel, "node:1 l3:1 core:4 pu:1");
        scene.search.prev = CpuId(1);
        scene.recent = 1;
        scene.occupy(0, Policy::Idle, false);
        scene.busy(&[1, 2]);
        scene.place()
    };
    assert_eq!(place("v5.3"), 3);
    assert_eq!(place("v5.5"), 3);
    assert_eq!(place("v5.6"), 0);
    assert_eq!(place("v6.12"), 0);
}

#[test]
fn from_v6_7_the_targets_cluster_comes_first() {
    let clusters = "node:1 l3:1 l2:4 core:4 pu:1";
    let walk = |kernel: &str, nr_idle_scan| {
        let mut scene = Scene::on(kernel, clusters);
        scene.sched.domains.llcs[0].nr_idle_scan = nr_idle_scan;
        scene.walk(7)
    };
    assert_eq!(walk("v6.6", 16), [0, 4, 9, 1, 2, 3, 5]);
    for kernel in ["v6.7", "v6.12", "v6.17"] {
        assert_eq!(walk(kernel, 16), [0, 1, 2, 3, 4, 5, 6], "{kernel}");
        // The search ends in the cluster: the CPUs it was on, idle as they are, come next.
        assert_eq!(walk(kernel, 3), [0, 1, 2, 3, 4, 9, 0], "{kernel}");
    }
}

/// Four big CPUs, then four of half their capacity, in one cache.
fn big_and_little() -> Machine {
    let cores = |capacity| CoreSpec {
        count: 4,
        pus: 1,
        capacity,
    };
    Machine::new(MachineSource::Nodes(vec![NodeSpec {
        count: 1,
        llcs: vec![LlcSpec {
            count: 1,
            clusters: Vec::new(),
            cores: vec![cores(1024), cores(512)],
            size: None,
        }],
        memory: None,
    }]))
}

/// Where a task of some utilization goes that was on the little CPU 5 and is woken on the little CPU 4.
fn place_by_util(kernel: &Kernel, util: u64, busy: &[u16]) -> u16 {
    let mut scene = Scene::new(kernel, &big_and_little());
    (scene.search.target, scene.search.prev) = (CpuId(4), CpuId(5));
    scene.recent = 5;
    let se = scene.sched.task(scene.search.task).se;
    scene.busy(busy);
    let queue = scene.sched.se(se).cfs_rq;
    let last_update_time = scene.sched.cfs(queue).avg.last_update_time;
    let avg = &mut scene.sched.se_mut(se).avg;
    (avg.util_avg, avg.last_update_time) = (util, last_update_time);
    scene.place()
}

#[test]
fn from_v5_10_every_cpu_must_be_big_enough() {
    for kernel in ["v5.10", "v5.11", "v6.1", "v6.12"] {
        let place = |util, busy: &[u16]| place_by_util(&Kernel::new(kernel), util, busy);
        assert_eq!(place(100, &[]), 4, "{kernel}: small");
        assert_eq!(place(600, &[]), 0, "{kernel}: big");
        assert_eq!(place(600, &[0, 1]), 2, "{kernel}: the next big one");
        assert_eq!(
            place(600, &[0, 1, 2, 3]),
            4,
            "{kernel}: at least an idle one"
        );
    }
    assert_eq!(place_by_util(&Kernel::new("v5.6"), 600, &[]), 4);
}

#[test]
fn v5_7_to_v5_9_look_for_capacity_before_anything_else() {
    let mut kernel = Kernel::new("v5.6");
    kernel
        .rules
        .insert("wake.asym".into(), json!("capacity-first"));
    assert_eq!(place_by_util(&kernel, 100, &[4]), 5);
    assert_eq!(place_by_util(&kernel, 600, &[4]), 0);
    assert_eq!(place_by_util(&kernel, 600, &[0, 1, 2, 3, 4, 5, 6, 7]), 4);
}
