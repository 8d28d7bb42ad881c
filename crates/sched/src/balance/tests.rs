//! What a pass refuses, finds and leaves behind, by release.

use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, Machine, MachineSource, Policy};

use super::{Env, IdleType, Migration, avg_idle};
use crate::decision::Verdict;
use crate::effect::{Cause, Effect};
use crate::ids::{GroupId, SdId, TaskId};
use crate::rules::{Rules, kernels};
use crate::sched::Sched;
use crate::task::NewTask;

/// Two nodes of two cores of two threads: CPUs 0 and 1 are a core, 0 to 3 a node.
const SMT2: &str = "node:2 l3:1 core:2 pu:2";
/// The same without threads: CPUs 0 and 1 are a node.
const CORES: &str = "node:2 l3:1 core:2 pu:1";

fn boot(kernel: &str, machine: &str) -> Sched {
    let machine = Machine::new(MachineSource::Synthetic(machine.into()));
    let topology = Topology::from_spec(&machine).unwrap();
    Sched::new(&topology, Rules::from_kernel(&Kernel::new(kernel)).unwrap())
}

fn start_as(sched: &mut Sched, cpu: u16, new: &NewTask) -> TaskId {
    let task = sched.add_task(new);
    sched.fork(Nanos(0), CpuId(cpu), task, Some(CpuId(cpu)));
    sched.schedule(Nanos(0), CpuId(cpu));
    task
}

fn task(sched: &Sched) -> NewTask {
    NewTask {
        group: GroupId::ROOT,
        nice: 0,
        policy: Policy::Normal,
        affinity: CpuSet::first_n(sched.nr_cpus),
        per_cpu_kthread: false,
    }
}

/// A hog that may run anywhere.
fn start(sched: &mut Sched, cpu: u16) -> TaskId {
    let new = task(sched);
    start_as(sched, cpu, &new)
}

/// One that may run on its CPU only.
fn bound(sched: &mut Sched, cpu: u16) -> TaskId {
    let new = NewTask {
        affinity: CpuSet::of(CpuId(cpu)),
        ..task(sched)
    };
    start_as(sched, cpu, &new)
}

/// The domain of this name of a CPU.
fn domain(sched: &Sched, cpu: u16, name: &str) -> SdId {
    let mut next = sched.rqs[usize::from(cpu)].sd;
    while let Some(sd) = next {
        if sched.domains.sd(sd).name == name {
            return sd;
        }
        next = sched.domains.sd(sd).parent;
    }
    panic!("the machine has a domain {name}");
}

/// A pass of CPU `dst` over CPU 0.
fn pass(sched: &Sched, dst: u16, name: &str) -> Env {
    let sd = domain(sched, dst, name);
    Env {
        sd,
        idle: IdleType::Idle,
        dst_cpu: CpuId(dst),
        src_cpu: CpuId(0),
        cpus: sched.domains.sd(sd).span,
        dst_grpmask: sched.domains.sg(sched.domains.local_group(sd)).span,
        new_dst_cpu: None,
        migration: Migration::Task,
        imbalance: 1,
        all_pinned: true,
        some_pinned: false,
        looked: 0,
        loop_max: 32,
        src_misfit: false,
        active: false,
        cause: Cause::Periodic,
        seen: None,
    }
}

/// Lets a waiting task have run last so long ago, us.
fn ran(sched: &mut Sched, task: TaskId, us_ago: u64) {
    let se = sched.task(task).se;
    sched.se_mut(se).exec_start = sched.now - us_ago * 1000;
}

/// A CPU that runs one task while another waits; the waiting one ran last so long ago.
fn waiting(kernel: &str, machine: &str, us_ago: u64) -> (Sched, TaskId) {
    let mut sched = boot(kernel, machine);
    start(&mut sched, 0);
    let waits = start(&mut sched, 0);
    assert_ne!(sched.curr(CpuId(0)), Some(waits), "{kernel}");
    ran(&mut sched, waits, us_ago);
    (sched, waits)
}

#[test]
fn a_task_that_has_just_run_stays_until_passes_fail() {
    for kernel in kernels().iter().map(|info| info.name) {
        let (mut sched, waits) = waiting(kernel, CORES, 400);
        let mut env = pass(&sched, 1, "MC");
        assert_eq!(
            sched.refusal(&mut env, waits),
            Some(Verdict::Hot),
            "{kernel}"
        );
        assert!(!env.all_pinned, "{kernel}");
        ran(&mut sched, waits, 500);
        assert_eq!(sched.refusal(&mut env, waits), None, "{kernel}: half a ms");
        ran(&mut sched, waits, 400);
        let sd = sched.domains.sd_mut(env.sd);
        sd.nr_balance_failed = sd.cache_nice_tries + 1;
        assert_eq!(sched.refusal(&mut env, waits), None, "{kernel}: failed");
        let runs = sched.curr(CpuId(0)).unwrap();
        let refused = sched.refusal(&mut env, runs);
        assert_eq!(refused, Some(Verdict::Running), "{kernel}");
    }
}

#[test]
fn tasks_of_idle_policy_are_never_hot() {
    for kernel in kernels().iter().map(|info| info.name) {
        let mut sched = boot(kernel, CORES);
        start(&mut sched, 0);
        let new = NewTask {
            policy: Policy::Idle,
            ..task(&sched)
        };
        let idle = start_as(&mut sched, 0, &new);
        ran(&mut sched, idle, 1);
        let mut env = pass(&sched, 1, "MC");
        assert_eq!(sched.refusal(&mut env, idle), None, "{kernel}");
    }
}

#[test]
fn from_v5_10_a_core_shares_its_cache() {
    let refused = |kernel| {
        let (mut sched, waits) = waiting(kernel, SMT2, 1);
        // Failures are nothing new to this level, which tries once only.
        let mut env = pass(&sched, 1, "SMT");
        sched.refusal(&mut env, waits)
    };
    assert_eq!(
        ["v4.11", "v4.15", "v5.3", "v5.6"].map(refused),
        [Some(Verdict::Hot); 4]
    );
    assert_eq!(["v5.10", "v5.18", "v6.1", "v6.12"].map(refused), [None; 4]);
}

#[test]
fn to_v6_5_whom_a_wakeup_preempted_is_hot_and_to_the_end_who_was_woken_last() {
    let refused = |kernel: &str, last: bool| {
        let (mut sched, waits) = waiting(kernel, CORES, 10_000);
        start(&mut sched, 1);
        let se = sched.task(waits).se;
        let queue = &mut sched.cfs_rqs[0];
        (queue.last, queue.next) = if last {
            (Some(se), None)
        } else {
            (None, Some(se))
        };
        let mut env = pass(&sched, 1, "MC");
        sched.refusal(&mut env, waits)
    };
    for kernel in ["v4.11", "v5.3", "v5.10", "v6.5"] {
        assert_eq!(refused(kernel, true), Some(Verdict::Hot), "{kernel}");
    }
    for kernel in ["v4.11", "v5.10", "v6.5", "v6.6", "v6.12"] {
        assert_eq!(refused(kernel, false), Some(Verdict::Hot), "{kernel}");
    }
}

#[test]
fn kernel_threads_of_a_cpu_are_told_from_bound_tasks_since_v5_12() {
    let refused = |kernel: &str, kthread: bool| {
        let (mut sched, _) = waiting(kernel, CORES, 10_000);
        let new = NewTask {
            affinity: CpuSet::of(CpuId(0)),
            per_cpu_kthread: kthread,
            ..task(&sched)
        };
        let held = start_as(&mut sched, 0, &new);
        let mut env = pass(&sched, 1, "MC");
        (sched.refusal(&mut env, held), env.some_pinned)
    };
    for kernel in kernels().iter().map(|info| info.name) {
        assert_eq!(
            refused(kernel, false),
            (Some(Verdict::Affinity), true),
            "{kernel}"
        );
    }
    for kernel in ["v4.11", "v5.3", "v5.11"] {
        assert_eq!(
            refused(kernel, true),
            (Some(Verdict::Affinity), true),
            "{kernel}"
        );
    }
    for kernel in ["v5.18", "v6.1", "v6.12"] {
        let told = (Some(Verdict::PerCpuKthread), false);
        assert_eq!(refused(kernel, true), told, "{kernel}");
    }
}

#[test]
fn another_cpu_of_the_group_is_found_for_who_may_not_come_here() {
    for kernel in kernels().iter().map(|info| info.name) {
        let (mut sched, _) = waiting(kernel, CORES, 10_000);
        let new = NewTask {
            affinity: [0, 3].map(CpuId).into_iter().collect(),
            ..task(&sched)
        };
        let held = start_as(&mut sched, 0, &new);
        let mut env = pass(&sched, 2, "NUMA");
        assert_eq!(
            sched.refusal(&mut env, held),
            Some(Verdict::Affinity),
            "{kernel}"
        );
        assert_eq!(env.new_dst_cpu, Some(CpuId(3)), "{kernel}");
        for (idle, active) in [(IdleType::NewlyIdle, false), (IdleType::Idle, true)] {
            let mut env = Env {
                idle,
                active,
                ..pass(&sched, 2, "NUMA")
            };
            sched.refusal(&mut env, held);
            assert_eq!(env.new_dst_cpu, None, "{kernel}: {idle:?}");
        }
    }
}

#[test]
fn from_v5_12_an_active_balance_takes_what_is_hot() {
    let refused = |kernel| {
        let (mut sched, waits) = waiting(kernel, CORES, 1);
        let mut env = Env {
            active: true,
            ..pass(&sched, 1, "MC")
        };
        sched.refusal(&mut env, waits)
    };
    assert_eq!(
        ["v4.11", "v5.3", "v5.11"].map(refused),
        [Some(Verdict::Hot); 3]
    );
    assert_eq!(["v5.18", "v6.1", "v6.12"].map(refused), [None; 3]);
}

#[test]
fn from_v6_14_a_task_that_owes_time_is_not_taken_to_others_before_a_pass_fails() {
    let refused = |kernel: &str, others: bool, failed: u32| {
        let mut sched = boot(kernel, CORES);
        for _ in 0..3 {
            start(&mut sched, 0);
        }
        if others {
            start(&mut sched, 1);
        }
        // The first has run for 12 ms, the others wait.
        let first = sched.curr(CpuId(0)).unwrap();
        for ms in [4, 8, 12] {
            sched.tick(Nanos::from_millis(ms), CpuId(0));
        }
        sched.schedule(Nanos::from_millis(12), CpuId(0));
        assert_ne!(sched.curr(CpuId(0)), Some(first));
        ran(&mut sched, first, 10_000);
        let mut env = pass(&sched, 1, "MC");
        sched.domains.sd_mut(env.sd).nr_balance_failed = failed;
        sched.refusal(&mut env, first)
    };
    for kernel in ["v6.6", "v6.12", "v6.12.y"] {
        assert_eq!(refused(kernel, true, 0), None, "{kernel}");
    }
    assert_eq!(refused("v6.17", true, 0), Some(Verdict::Ineligible));
    assert_eq!(refused("v6.17", true, 1), None);
    assert_eq!(refused("v6.17", false, 0), None, "nobody waits there");
}

/// Whether the level above knows that affinity got in the way of a pass of CPU 1 over CPU 0, whose tasks may not
/// come; and after another pass, when the tasks have gone.
fn imbalance_known_above(kernel: &str) -> [bool; 2] {
    let mut sched = boot(kernel, CORES);
    let tasks = [(); 3].map(|()| bound(&mut sched, 0));
    let known = |sched: &Sched| {
        let above = domain(sched, 1, "NUMA");
        sched.domains.sgs[sched.domains.local_group(above).index()].imbalance
    };
    let look = |sched: &mut Sched| {
        let sd = domain(sched, 1, "MC");
        sched.load_balance(CpuId(1), sd, IdleType::Idle, Cause::Periodic);
        known(sched)
    };
    // To v5.2 load counts once it has been there for some ticks.
    for ms in 1..=25 {
        sched.tick(Nanos::from_millis(4 * ms), CpuId(0));
    }
    let pinned = look(&mut sched);
    for _ in &tasks[1..] {
        sched.exit(Nanos::from_millis(101), CpuId(0));
    }
    [pinned, look(&mut sched)]
}

#[test]
fn pinned_tasks_are_told_to_the_level_above() {
    for kernel in kernels().iter().map(|info| info.name) {
        // To v4.12 the pass goes on without that queue, finds nothing, and takes it back (to v5.5).
        let told = !kernel.starts_with("v4.11");
        assert_eq!(imbalance_known_above(kernel), [told, false], "{kernel}");
    }
}

#[test]
fn a_group_whose_tasks_are_pinned_gives_one_away() {
    // CPU 0 holds two bound tasks and one that is free, its neighbour idles but may take none; the other node idles.
    for kernel in ["v5.5", "v5.10", "v6.1", "v6.12"] {
        let mut sched = boot(kernel, CORES);
        let new = NewTask {
            affinity: [0, 2, 3].map(CpuId).into_iter().collect(),
            ..task(&sched)
        };
        for _ in 0..2 {
            bound(&mut sched, 0);
        }
        let free = start_as(&mut sched, 0, &new);
        ran(&mut sched, free, 10_000);
        let sd = domain(&sched, 2, "NUMA");
        let local = sched.domains.local_group(sd);
        let sgs = &mut sched.domains.sgs;
        for (at, group) in sgs.iter_mut().enumerate() {
            group.imbalance = at != local.index();
        }
        let (moved, _) = sched.load_balance(CpuId(2), sd, IdleType::Idle, Cause::Periodic);
        assert_eq!((moved, sched.task(free).cpu), (1, CpuId(2)), "{kernel}");
    }
}

/// The queue of the first node that is busiest by utilization: CPU 0 has a single task that uses it more than
/// CPU 1 is by two.
fn busiest_by_util(kernel: &str) -> CpuId {
    let mut sched = boot(kernel, CORES);
    for cpu in [0, 1, 1] {
        start(&mut sched, cpu);
    }
    sched.cfs_rqs[0].avg.util_avg = 900;
    sched.cfs_rqs[1].avg.util_avg = 600;
    let env = Env {
        migration: Migration::Util,
        ..pass(&sched, 2, "NUMA")
    };
    let group = sched.domains.local_group(domain(&sched, 0, "NUMA"));
    sched.find_busiest_queue(&env, group).unwrap()
}

#[test]
fn from_v5_7_a_lone_task_is_not_pulled_for_its_utilization() {
    assert_eq!(["v5.5", "v5.6"].map(busiest_by_util), [CpuId(0); 2]);
    for kernel in ["v5.10", "v5.18", "v6.1", "v6.6", "v6.12"] {
        assert_eq!(busiest_by_util(kernel), CpuId(1), "{kernel}");
    }
}

/// The queue of the first cache that is busiest by load: CPU 0 has no task, but what sleeps there weighs most.
fn busiest_by_load(kernel: &str) -> Option<CpuId> {
    let mut sched = boot(kernel, "node:1 l3:2 core:2 pu:1");
    for cpu in [1, 1] {
        start(&mut sched, cpu);
    }
    sched.cfs_rqs[0].avg.load_avg = 5000;
    let name = sched.rules.topology.package_name;
    let env = Env {
        migration: Migration::Load,
        imbalance: 10_000,
        ..pass(&sched, 2, name)
    };
    let group = sched.domains.local_group(domain(&sched, 0, name));
    sched.find_busiest_queue(&env, group)
}

#[test]
fn to_v6_0_a_queue_without_tasks_may_be_the_busiest() {
    assert_eq!(
        ["v5.5", "v5.11", "v5.18"].map(busiest_by_load),
        [Some(CpuId(0)); 3]
    );
    assert_eq!(
        ["v6.1", "v6.5", "v6.12"].map(busiest_by_load),
        [Some(CpuId(1)); 3]
    );
    // Before v5.5 only what is queued counts.
    assert_eq!(["v4.11", "v5.3"].map(busiest_by_load), [Some(CpuId(1)); 2]);
}

/// Who is kicked by CPU 0, which has two tasks, and when balancing is next due, in jiffies from now; that it was due
/// some jiffies ago.
fn kicked(kernel: &str, busy: &[u16], ago: u64) -> (Vec<u16>, i64) {
    let mut sched = boot(kernel, CORES);
    start(&mut sched, 0);
    start(&mut sched, 0);
    for &cpu in busy {
        start(&mut sched, cpu);
        sched.nohz_balance_exit_idle(CpuId(cpu));
    }
    sched.nohz.next_balance = sched.jiffies() - ago;
    sched.rqs[0].idle_balance = false;
    sched.effects.clear();
    sched.nohz_balancer_kick(CpuId(0));
    let kicks = sched.effects.iter().filter_map(|effect| match effect {
        Effect::NohzKick { cpu, .. } => Some(cpu.0),
        _ => None,
    });
    let kicks = kicks.collect();
    (
        kicks,
        sched.nohz.next_balance as i64 - sched.jiffies() as i64,
    )
}

#[test]
fn a_busy_cpu_kicks_the_first_idle_one() {
    for kernel in kernels().iter().map(|info| info.name) {
        assert_eq!(kicked(kernel, &[], 0).0, [1], "{kernel}");
        assert_eq!(kicked(kernel, &[1], 0).0, [2], "{kernel}");
        assert_eq!(
            kicked(kernel, &[1, 2, 3], 0).0,
            [0; 0],
            "{kernel}: nobody idles"
        );
    }
}

#[test]
fn from_v5_11_balancing_is_next_due_a_jiffy_from_the_kick() {
    let due = |kernel| kicked(kernel, &[], 5).1;
    assert_eq!(["v4.11", "v5.3", "v5.6", "v5.10"].map(due), [-4; 4]);
    assert_eq!(["v5.11", "v5.18", "v6.1", "v6.12"].map(due), [1; 4]);
}

#[test]
fn a_lone_task_kicks_nobody_but_where_others_of_its_cache_are_busy() {
    for kernel in ["v5.3", "v5.11", "v6.1", "v6.12"] {
        let kicks = |others: &[u16]| {
            let mut sched = boot(kernel, CORES);
            for &cpu in [0].iter().chain(others) {
                start(&mut sched, cpu);
                sched.nohz_balance_exit_idle(CpuId(cpu));
            }
            sched.nohz.next_balance = sched.jiffies();
            sched.rqs[0].idle_balance = false;
            sched.effects.clear();
            sched.nohz_balancer_kick(CpuId(0));
            let kick = sched.rqs.iter().find_map(|rq| rq.nohz_kick);
            kick.is_some_and(|kick| kick.balance)
        };
        assert!(!kicks(&[2]), "{kernel}: the other one is of another cache");
        assert!(kicks(&[1]), "{kernel}");
    }
}

#[test]
fn from_v5_15_a_cpu_that_idles_asks_for_a_new_date() {
    let next = |kernel: &str| {
        let mut sched = boot(kernel, CORES);
        start(&mut sched, 0);
        start(&mut sched, 1);
        sched.nohz_balance_exit_idle(CpuId(1));
        sched.exit(Nanos(0), CpuId(1));
        sched.nohz.next_balance = sched.jiffies() + 100;
        sched.rqs[0].idle_balance = false;
        sched.nohz_balancer_kick(CpuId(0));
        sched.rqs[1].nohz_kick.is_some_and(|kick| kick.next)
    };
    assert_eq!(["v5.3", "v5.11"].map(next), [false; 2]);
    assert_eq!(["v5.18", "v6.1", "v6.12"].map(next), [true; 3]);
}

/// By how much the interval of a domain grows with a pass of a CPU that finds nothing to do.
fn grown(kernel: &str, idle: IdleType) -> u32 {
    let mut sched = boot(kernel, CORES);
    let sd = domain(&sched, 1, "MC");
    let before = sched.domains.sd(sd).balance_interval;
    sched.load_balance(CpuId(1), sd, idle, Cause::Periodic);
    sched.domains.sd(sd).balance_interval / before
}

#[test]
fn passes_that_find_nothing_put_the_next_one_off() {
    for kernel in kernels().iter().map(|info| info.name) {
        assert_eq!(grown(kernel, IdleType::Idle), 2, "{kernel}");
        // From v5.0 on not those before idling.
        let newly = if kernel.starts_with("v4.") { 2 } else { 1 };
        assert_eq!(grown(kernel, IdleType::NewlyIdle), newly, "{kernel}");
    }
}

/// The queue of the first node that is busiest by utilization: two tasks of each CPU, but on CPU 0 they wait more.
fn busiest_with_waiting(kernel: &str) -> CpuId {
    let mut sched = boot(kernel, CORES);
    for cpu in [0, 0, 1, 1] {
        start(&mut sched, cpu);
    }
    for (queue, (util, runnable)) in sched.cfs_rqs.iter_mut().zip([(500, 2000), (600, 600)]) {
        (queue.avg.util_avg, queue.avg.runnable_avg) = (util, runnable);
        queue.avg.util_est.enqueued = 0;
    }
    let env = Env {
        migration: Migration::Util,
        ..pass(&sched, 2, "NUMA")
    };
    let group = sched.domains.local_group(domain(&sched, 0, "NUMA"));
    sched.find_busiest_queue(&env, group).unwrap()
}

#[test]
fn from_v6_5_waiting_counts_as_utilization_of_a_queue() {
    assert_eq!(
        ["v5.10", "v5.18", "v6.1"].map(busiest_with_waiting),
        [CpuId(1); 3]
    );
    assert_eq!(
        ["v6.5", "v6.6", "v6.12"].map(busiest_with_waiting),
        [CpuId(0); 3]
    );
}

/// Whether an idle CPU pulls the only task of one of whose capacity others take half.
fn helps_a_reduced_cpu(kernel: &str) -> bool {
    let mut sched = boot(kernel, CORES);
    start(&mut sched, 0);
    sched.tick(Nanos::from_millis(4), CpuId(0));
    sched.rqs[0].cpu_capacity = 500;
    let sd = domain(&sched, 1, "MC");
    sched.effects.clear();
    sched.load_balance(CpuId(1), sd, IdleType::Idle, Cause::Periodic);
    let pushed = Effect::ActiveBalance {
        cpu: CpuId(0),
        from: CpuId(1),
    };
    sched.effects.contains(&pushed)
}

#[test]
fn from_v6_1_the_only_task_of_a_cpu_of_reduced_capacity_is_misfit() {
    assert_eq!(
        ["v5.5", "v5.11", "v5.18"].map(helps_a_reduced_cpu),
        [false; 3]
    );
    assert_eq!(
        ["v6.1", "v6.5", "v6.12"].map(helps_a_reduced_cpu),
        [true; 3]
    );
}

/// Whether the running task of the second thread of a core is pushed to the first, of higher priority, by a pass of
/// that.
fn packed(kernel: &str, idle: IdleType) -> bool {
    let mut machine = Machine::new(MachineSource::Synthetic(SMT2.into()));
    machine.asym_packing = Some(true);
    let topology = Topology::from_spec(&machine).unwrap();
    let mut sched = Sched::new(&topology, Rules::from_kernel(&Kernel::new(kernel)).unwrap());
    start(&mut sched, 1);
    for ms in 1..=25 {
        sched.tick(Nanos::from_millis(4 * ms), CpuId(1));
    }
    let sd = domain(&sched, 0, "SMT");
    sched.effects.clear();
    sched.load_balance(CpuId(0), sd, idle, Cause::Periodic);
    let pushed = Effect::ActiveBalance {
        cpu: CpuId(1),
        from: CpuId(0),
    };
    sched.effects.contains(&pushed)
}

#[test]
fn a_task_goes_to_the_thread_of_higher_priority() {
    for kernel in ["v5.3", "v5.5", "v5.11", "v5.18", "v6.1"] {
        assert!(packed(kernel, IdleType::Idle), "{kernel}");
        assert!(packed(kernel, IdleType::NewlyIdle), "{kernel}");
        assert!(!packed(kernel, IdleType::NotIdle), "{kernel}");
    }
    // To v5.0 only when that is about to idle; from v6.5 on threads are alike.
    for kernel in ["v4.11", "v4.14", "v4.15"] {
        assert!(!packed(kernel, IdleType::Idle), "{kernel}");
        assert!(packed(kernel, IdleType::NewlyIdle), "{kernel}");
    }
    for kernel in ["v6.5", "v6.6", "v6.12"] {
        assert!(!packed(kernel, IdleType::Idle), "{kernel}");
    }
}

#[test]
fn from_v4_17_blocked_load_is_reason_enough() {
    let stats = |kernel: &str| {
        let mut sched = boot(kernel, CORES);
        start(&mut sched, 0);
        start(&mut sched, 1);
        sched.exit(Nanos(0), CpuId(1));
        let later = Nanos::from_millis(100);
        sched.advance(later);
        sched.nohz.next_balance = sched.jiffies() + 100;
        sched.rqs[0].idle_balance = false;
        sched.effects.clear();
        sched.nohz_balancer_kick(CpuId(0));
        let kick = sched.rqs[1].nohz_kick;
        kick.map(|kick| (kick.stats, kick.balance))
    };
    assert_eq!(["v4.11", "v4.15"].map(stats), [None; 2]);
    assert_eq!(
        ["v5.3", "v6.1", "v6.12"].map(stats),
        [Some((true, false)); 3]
    );
}

#[test]
fn idle_time_is_averaged_by_an_eighth_and_capped() {
    assert_eq!(avg_idle(1_000_000, 200_000, 500_000), 900_000);
    assert_eq!(avg_idle(1_000_000, 3_000_000, 500_000), 1_000_000);
    assert_eq!(avg_idle(1_000_000, 999_999, 500_000), 999_999);
}
