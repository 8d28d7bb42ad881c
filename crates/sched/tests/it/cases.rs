//! Faults seen on real machines, by name, with what the faulty kernels do and
//! what the mended ones.

use std::collections::BTreeSet;

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;
use teeter_scenario::document::{
    CoreSpec, Kernel, LlcSpec, Machine, MachineSource, NodeSpec, SettingValue,
};
use teeter_sched::decision::{Decision, Decisions, Value};
use teeter_sched::{GroupId, TaskId, kernels};

use crate::driver::Driver;

const MS: u64 = 1_000_000;

fn synthetic(text: &str) -> Machine {
    Machine::new(MachineSource::Synthetic(text.to_owned()))
}

fn cpus(list: impl IntoIterator<Item = u16>) -> CpuSet {
    list.into_iter().map(CpuId).collect()
}

/// A hog bound to a CPU, running there.
fn hog_on(driver: &mut Driver, cpu: u16) {
    let hog = driver.task_with(GroupId::ROOT, 0, CpuSet::of(CpuId(cpu)));
    driver.fork(cpu, hog);
}

/// A task that may use some CPUs and sleeps, last on `cpu`.
fn sleeper_on(driver: &mut Driver, cpu: u16, allowed: CpuSet) -> TaskId {
    let task = driver.task_with(GroupId::ROOT, 0, allowed);
    driver
        .sched
        .fork(driver.now, CpuId(cpu), task, Some(CpuId(cpu)));
    driver.settle();
    driver.block(CpuId(cpu));
    task
}

/// A sleeper wakes by its timer while every CPU that is not isolated is busy. Gives the CPU.
fn woken_beside_isolated_threads(kernel: &str) -> u16 {
    let mut machine = synthetic("node:1 l3:1 core:4 pu:2");
    machine.isolcpus = "1,3,5,7".parse().expect("a list of CPUs");
    let mut driver = Driver::on(&Kernel::new(kernel), &machine);
    let task = sleeper_on(&mut driver, 0, CpuSet::first_n(8));
    hog_on(&mut driver, 0);
    hog_on(&mut driver, 2);
    driver.run(Nanos::from_millis(500));
    hog_on(&mut driver, 4);
    hog_on(&mut driver, 6);
    let cpu = driver.sched.wake_from_interrupt(driver.now, CpuId(0), task);
    cpu.0
}

#[test]
fn isolcpus_leak() {
    for faulty in ["v5.3", "v5.6", "v5.18", "v6.1", "v6.5", "v6.7"] {
        let cpu = woken_beside_isolated_threads(faulty);
        assert!(cpu % 2 == 1, "{faulty} takes an isolated thread: {cpu}");
    }
    for mended in ["v5.10", "v5.11", "v6.1.y", "v6.12", "v6.17"] {
        let cpu = woken_beside_isolated_threads(mended);
        assert_eq!(cpu, 0, "{mended} leaves isolated CPUs alone");
    }
}

/// A worker that sleeps on the second node is woken from the first, where all but the waker idle; on the
/// worker's CPU a kernel thread has left load, but it idles too. Gives the CPU.
fn woken_over_idle_previous_cpu(kernel: &str) -> u16 {
    let mut driver = Driver::new(kernel, "node:2 l3:1 core:4 pu:1");
    let waker = sleeper_on(&mut driver, 0, CpuSet::of(CpuId(0)));
    let worker = sleeper_on(&mut driver, 4, CpuSet::first_n(8));
    let kworker = sleeper_on(&mut driver, 4, CpuSet::of(CpuId(4)));
    let burst = |driver: &mut Driver, task: TaskId, from: u64, long: u64| {
        driver.now = Nanos(from);
        let cpu = driver.sched.task_cpu(task);
        let cpu = driver.sched.wake_from_interrupt(driver.now, cpu, task);
        driver.settle();
        driver.now = Nanos(from + long);
        driver.block(cpu);
    };
    for round in 1..100 {
        let start = round * 20 * MS;
        burst(&mut driver, waker, start, MS);
        burst(&mut driver, worker, start + 2 * MS, MS);
        burst(&mut driver, kworker, start + 10 * MS, 4 * MS);
    }
    driver.now = Nanos(100 * 20 * MS);
    driver
        .sched
        .wake_from_interrupt(driver.now, CpuId(0), waker);
    driver.settle();
    assert_eq!(driver.sched.task_cpu(worker), CpuId(4), "{kernel}");
    driver.sched.wake(driver.now, CpuId(0), worker, false).0
}

#[test]
fn idle_prev_kworker_noise() {
    for faulty in ["v5.5", "v5.6"] {
        let cpu = woken_over_idle_previous_cpu(faulty);
        assert!(cpu < 4, "{faulty} pulls it to the waker's node: {cpu}");
    }
    for mended in ["v5.10", "v5.11", "v6.1", "v6.12"] {
        let cpu = woken_over_idle_previous_cpu(mended);
        assert_eq!(cpu, 4, "{mended} keeps to the idle CPU it was on");
    }
}

/// Eight tasks that slept on one CPU are woken at once on a machine of eight cores of two threads. Gives how
/// many cores run two.
fn cores_doubled(kernel: &str, other_capacity: u32) -> usize {
    let cores = |capacity| CoreSpec {
        count: 4,
        pus: 2,
        capacity,
    };
    let machine = Machine::new(MachineSource::Nodes(vec![NodeSpec {
        count: 1,
        llcs: vec![LlcSpec {
            count: 1,
            clusters: Vec::new(),
            cores: vec![cores(1024), cores(other_capacity)],
            size: None,
        }],
        memory: None,
    }]));
    let mut driver = Driver::on(&Kernel::new(kernel), &machine);
    let all = CpuSet::first_n(16);
    let tasks: Vec<_> = (0..8).map(|_| sleeper_on(&mut driver, 0, all)).collect();
    // Passes of the load balance tell searches how used the cache is.
    hog_on(&mut driver, 12);
    hog_on(&mut driver, 14);
    driver.run(Nanos::from_millis(500));
    for cpu in [12, 14] {
        driver.sched.exit(driver.now, CpuId(cpu));
        driver.settle();
    }
    for task in tasks {
        driver.sched.wake_from_interrupt(driver.now, CpuId(0), task);
    }
    let running = driver.nr_running();
    let doubled = |core: &&[u32]| core.iter().sum::<u32>() > 1;
    running.chunks(2).filter(doubled).count()
}

/// smt-two-wakeups-one-core: the search by capacity takes any idle thread that is big enough; that for idle cores is
/// for machines of one capacity only. The postings of 2026 look at cores there too. (The last of them, of 30 June, is
/// for two wakeups that search at the same moment: here each is queued before the next one searches.)
#[test]
fn smt_two_wakeups_one_core() {
    for capacity in [960, 1024] {
        assert_eq!(cores_doubled("v6.17+smt-capacity", capacity), 0);
    }
    for kernel in ["v5.10", "v5.18", "v6.12", "v6.17"] {
        assert_eq!(cores_doubled(kernel, 960), 4, "{kernel}: four cores unused");
        assert_eq!(cores_doubled(kernel, 1024), 0, "{kernel}: of one capacity");
    }
}

/// Twelve compilers forked from CPU 0 that may use twelve CPUs. Gives how many CPUs they use after two
/// seconds.
fn cpus_used_by_make(kernel: &str, isolcpus: &str) -> usize {
    let mut machine = synthetic("node:2 l3:1 core:10 pu:2");
    machine.isolcpus = isolcpus.parse().expect("a list of CPUs");
    let mut driver = Driver::on(&Kernel::new(kernel), &machine);
    let allowed = cpus((0..6).chain(20..26));
    for _ in 0..12 {
        let task = driver.task_with(GroupId::ROOT, 0, allowed);
        driver.fork(0, task);
    }
    driver.run(Nanos::from_millis(2000));
    driver.nr_running().iter().filter(|&&nr| nr > 0).count()
}

#[test]
fn moby_isolcpus_single_cpu() {
    for kernel in kernels().iter().map(|info| info.name) {
        assert_eq!(cpus_used_by_make(kernel, "0-17,20-37"), 1, "{kernel}");
        assert_eq!(cpus_used_by_make(kernel, ""), 12, "{kernel}");
    }
}

/// A worker of a machine with hardware threads sleeps every 2 ms while tasks wait elsewhere. Gives the domains in
/// which its CPU looks for one of those before it idles.
fn searched_before_idling(kernel: &str, relax_domain_level: i64) -> BTreeSet<&'static str> {
    let mut kernel = Kernel::new(kernel);
    let level = SettingValue::Int(relax_domain_level);
    kernel.set.insert("relax_domain_level".to_owned(), level);
    let mut driver = Driver::with(&kernel, "node:1 l3:1 core:4 pu:2");
    let worker = sleeper_on(&mut driver, 0, CpuSet::of(CpuId(0)));
    hog_on(&mut driver, 2);
    hog_on(&mut driver, 2);
    driver.sched.record_decisions(true);
    for round in 1..=50 {
        driver.now = Nanos(round * 4 * MS);
        driver.wake(CpuId(4), worker);
        driver.now = Nanos((round * 4 + 2) * MS);
        driver.block(CpuId(0));
    }
    let mut decisions = Decisions::new();
    driver.sched.take_decisions(&mut decisions);
    let domain = |decision: Decision<'_>| {
        let field = |wanted| decision.fields().find(|(name, _)| *name == wanted);
        match (field("idle")?.1, field("domain.name")?.1) {
            (Value::Name("CPU_NEWLY_IDLE"), Value::Name(domain)) => Some(domain),
            _ => None,
        }
    };
    decisions.iter().filter_map(domain).collect()
}

/// relax-domain-level-zero: it was meant to keep CPUs from looking for work at all before they idle, and left the
/// lowest level to them, as 1 does where it is mended.
#[test]
fn relax_domain_level_zero() {
    let searched = |kernel, level| Vec::from_iter(searched_before_idling(kernel, level));
    for faulty in ["v5.3", "v5.5", "v6.1", "v6.6", "v6.7"] {
        assert_eq!(searched(faulty, -1), ["MC", "SMT"], "{faulty}");
        assert_eq!(searched(faulty, 0), ["SMT"], "{faulty}");
    }
    for mended in ["v6.12", "v6.17"] {
        assert_eq!(searched(mended, -1), ["MC", "SMT"], "{mended}");
        assert_eq!(searched(mended, 1), ["SMT"], "{mended}");
    }
    for mended in ["v6.1.y", "v6.12", "v6.12.y", "v6.17"] {
        assert!(searched(mended, 0).is_empty(), "{mended}");
    }
}
