//! Where tasks go when they are forked, woken, or call `exec`.

use proptest::prelude::*;
use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;
use teeter_scenario::document::{
    CoreSpec, Kernel, LlcSpec, Machine, MachineSource, NodeSpec, Policy,
};
use teeter_sched::{GroupId, KernelInfo, NewTask, TaskId, kernels};

use crate::driver::Driver;

fn cpus(list: impl IntoIterator<Item = u16>) -> CpuSet {
    list.into_iter().map(CpuId).collect()
}

/// Forks so many hogs at once from CPU 0, each bound to `allowed`. Gives tasks on each of two nodes.
fn forked(kernel: &str, machine: &str, hogs: u32, allowed: &CpuSet) -> [u32; 2] {
    let mut driver = Driver::new(kernel, machine);
    for _ in 0..hogs {
        let task = driver.task_with(GroupId::ROOT, 0, *allowed);
        driver.fork(0, task);
    }
    let running = driver.nr_running();
    let (first, second) = running.split_at(running.len() / 2);
    [first.iter().sum(), second.iter().sum()]
}

#[test]
fn forks_stay_on_their_node_for_shorter_from_release_to_release() {
    let forked = |kernel, hogs| {
        let machine = "node:2 l3:1 core:16 pu:1";
        forked(kernel, machine, hogs, &CpuSet::first_n(32))
    };
    for kernel in ["v5.5", "v5.6", "v5.10"] {
        assert_eq!(forked(kernel, 16), [16, 0], "{kernel}: while a CPU idles");
        assert_eq!(forked(kernel, 20), [16, 4], "{kernel}");
    }
    assert_eq!(forked("v5.11", 8), [8, 0], "a quarter of all CPUs");
    assert_eq!(forked("v5.11", 16), [8, 8]);
    assert_eq!(forked("v5.18", 4), [4, 0], "a quarter of the node");
    assert_eq!(forked("v5.18", 8), [4, 4]);
    for kernel in ["v6.1", "v6.6", "v6.12", "v6.17"] {
        assert_eq!(forked(kernel, 2), [2, 0], "{kernel}: an eighth of the node");
        assert_eq!(forked(kernel, 4), [2, 2], "{kernel}");
        assert_eq!(forked(kernel, 32), [16, 16], "{kernel}");
    }
}

#[test]
fn from_v6_0_a_task_bound_to_part_of_its_node_leaves_it_sooner() {
    let bound = cpus((0..1).chain(16..32));
    let forked = |kernel| forked(kernel, "node:2 l3:1 core:16 pu:1", 2, &bound);
    assert_eq!(forked("v5.18"), [2, 0]);
    assert_eq!(forked("v6.1"), [1, 1]);
}

#[test]
fn to_v5_7_forks_stay_where_all_groups_are_overloaded() {
    let node_of_fork = |kernel| {
        let mut driver = Driver::new(kernel, "node:2 l3:1 core:2 pu:1");
        for hog in 0..9 {
            let on = if hog < 6 { hog % 2 } else { 2 + hog % 2 };
            let task = driver.task_with(GroupId::ROOT, 0, CpuSet::of(CpuId(on)));
            driver.fork(on, task);
        }
        driver.run(Nanos::from_millis(500));
        let task = driver.task(GroupId::ROOT);
        driver.fork(0, task);
        driver.sched.task_cpu(task).0 / 2
    };
    assert_eq!(node_of_fork("v5.5"), 0);
    assert_eq!(node_of_fork("v5.6"), 0);
    for kernel in ["v5.10", "v5.11", "v5.18", "v6.1", "v6.12", "v6.17"] {
        assert_eq!(node_of_fork(kernel), 1, "{kernel}: to the less loaded node");
    }
}

#[test]
fn forks_to_another_node_take_the_cpu_that_idles_since_last() {
    // Up to v5.4 the load that the ended task left behind sends the fork on.
    let by_type =
        |info: &&KernelInfo| !info.name.starts_with("v4.") && !info.name.starts_with("v5.3");
    for kernel in kernels().iter().filter(by_type).map(|info| info.name) {
        let mut driver = Driver::new(kernel, "node:2 l3:1 core:4 pu:1");
        for cpu in [0, 1, 2, 3, 5, 7, 6] {
            let task = driver.task_with(GroupId::ROOT, 0, CpuSet::of(CpuId(cpu)));
            driver.fork(cpu, task);
        }
        for cpu in [6, 5, 7] {
            driver.run(Nanos::from_millis(8));
            driver.sched.exit(driver.now, CpuId(cpu));
            driver.settle();
        }
        let task = driver.task(GroupId::ROOT);
        driver.fork(0, task);
        assert_eq!(driver.sched.task_cpu(task), CpuId(7), "{kernel}");
    }
}

#[test]
fn exec_leaves_a_crowded_cpu() {
    for kernel in kernels().iter().map(|info| info.name) {
        let mut driver = Driver::new(kernel, "node:2 l3:1 core:2 pu:2");
        for _ in 0..3 {
            let task = driver.task_with(GroupId::ROOT, 0, CpuSet::of(CpuId(0)));
            driver.fork(0, task);
        }
        let task = driver.task(GroupId::ROOT);
        driver
            .sched
            .fork(driver.now, CpuId(0), task, Some(CpuId(0)));
        driver.settle();
        while driver.sched.curr(CpuId(0)) != Some(task) {
            driver.run(Nanos::from_millis(4));
            if driver.sched.task_cpu(task) != CpuId(0) {
                break;
            }
        }
        if driver.sched.task_cpu(task) == CpuId(0) {
            let cpu = driver.sched.exec(driver.now, CpuId(0));
            driver.settle();
            assert_ne!(cpu, Some(CpuId(0)), "{kernel}");
            assert_eq!(cpu, Some(driver.sched.task_cpu(task)), "{kernel}");
        }
        assert_eq!(driver.sched.check(), Ok(()), "{kernel}");
        assert_eq!(
            driver.sched.curr(driver.sched.task_cpu(task)),
            Some(task),
            "{kernel}"
        );
    }
}

#[test]
fn exec_of_a_task_alone_on_its_cpu_stays_near() {
    for kernel in ["v5.5", "v5.11", "v6.1", "v6.12"] {
        let mut driver = Driver::new(kernel, "node:2 l3:1 core:4 pu:1");
        let task = driver.task(GroupId::ROOT);
        driver
            .sched
            .fork(driver.now, CpuId(1), task, Some(CpuId(1)));
        driver.settle();
        driver.run(Nanos::from_millis(100));
        let cpu = driver.sched.exec(driver.now, CpuId(1));
        assert_eq!(cpu, Some(CpuId(1)), "{kernel}");
    }
}

/// A sleeper of the second node is woken by an interrupt on an idle CPU of the first. Gives its node.
fn woken_by_interrupt(kernel: &str) -> u16 {
    let mut driver = Driver::new(kernel, "node:2 l3:1 core:4 pu:1");
    let task = driver.task(GroupId::ROOT);
    driver
        .sched
        .fork(driver.now, CpuId(5), task, Some(CpuId(5)));
    driver.settle();
    driver.run(Nanos::from_millis(100));
    driver.block(CpuId(5));
    let cpu = driver.sched.wake_from_interrupt(driver.now, CpuId(1), task);
    cpu.0 / 4
}

#[test]
fn to_v4_15_an_interrupt_pulls_to_its_node() {
    for kernel in ["v4.14", "v4.15"] {
        assert_eq!(woken_by_interrupt(kernel), 0, "{kernel}");
    }
    for kernel in ["v5.10", "v6.1", "v6.12", "v6.17"] {
        assert_eq!(woken_by_interrupt(kernel), 1, "{kernel}");
    }
}

/// A machine: nodes alike, some CPUs of which are isolated or of half the capacity, or off.
#[derive(Clone, Debug)]
struct Shape {
    nodes: u32,
    llcs: u32,
    pus: u32,
    big: u32,
    little: u32,
    isolated: u32,
    offline: u32,
}

impl Shape {
    fn machine(&self) -> Machine {
        let cores = |count, capacity| CoreSpec {
            count,
            pus: self.pus,
            capacity,
        };
        let mut all = vec![cores(self.big, 1024)];
        if self.little > 0 {
            all.push(cores(self.little, 512));
        }
        let llc = LlcSpec {
            count: self.llcs,
            clusters: Vec::new(),
            cores: all,
            size: None,
        };
        let mut machine = Machine::new(MachineSource::Nodes(vec![NodeSpec {
            count: self.nodes,
            llcs: vec![llc],
            memory: None,
        }]));
        let list = |mask: u32| {
            let bits = (1..self.cpus()).filter(|cpu| mask >> (cpu % 32) & 1 == 1);
            let numbers: Vec<_> = bits.map(|cpu| cpu.to_string()).collect();
            numbers.join(",").parse().expect("a list of numbers")
        };
        machine.isolcpus = list(self.isolated);
        machine.offline = list(self.offline & !self.isolated);
        machine
    }

    fn cpus(&self) -> u32 {
        self.nodes * self.llcs * (self.big + self.little) * self.pus
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    let sparse =
        || prop_oneof![3 => Just(0), 1 => any::<u32>(), 1 => (0..32_u32).prop_map(|bit| 1 << bit)];
    (
        1..3_u32,
        1..3_u32,
        1..4_u32,
        1..4_u32,
        0..3_u32,
        sparse(),
        sparse(),
    )
        .prop_map(|(nodes, llcs, pus, big, little, isolated, offline)| Shape {
            nodes,
            llcs,
            pus,
            big,
            little,
            isolated,
            offline,
        })
}

/// One thing that can happen.
#[derive(Clone, Debug)]
enum Event {
    Fork(u16),
    Block(u16),
    Exec(u16),
    Wake {
        waker: u16,
        task: u32,
        sync: bool,
        interrupt: bool,
    },
    Run(u64),
}

fn event() -> impl Strategy<Value = Event> {
    let cpu = 0..48_u16;
    prop_oneof![
        3 => cpu.clone().prop_map(Event::Fork),
        4 => cpu.clone().prop_map(Event::Block),
        2 => cpu.clone().prop_map(Event::Exec),
        6 => (cpu, 0..24_u32, any::<bool>(), any::<bool>()).prop_map(
            |(waker, task, sync, interrupt)| Event::Wake { waker, task, sync, interrupt }
        ),
        2 => (1..20_000_u64).prop_map(Event::Run),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn whatever_happens_tasks_go_to_cpus_they_may_use(
        kernel in prop::sample::select(kernels().iter().map(|info| info.name).collect::<Vec<_>>()),
        shape in shape(),
        masks in prop::collection::vec(any::<u64>(), 24),
        events in prop::collection::vec(event(), 1..120),
    ) {
        let mut driver = Driver::on(&Kernel::new(kernel), &shape.machine());
        let count = driver.cpus;
        for (at, mask) in masks.iter().enumerate() {
            let allowed = cpus((0..count).filter(|cpu| mask >> (cpu % 64) & 1 == 1));
            let policy = if at % 5 == 0 { Policy::Idle } else { Policy::Normal };
            driver.ran.push(0);
            driver.sched.add_task(&NewTask {
                group: GroupId::ROOT,
                nice: 0,
                policy,
                affinity: allowed,
                per_cpu_kthread: at % 7 == 0,
            });
        }
        let mut forked = 0;
        for event in events {
            let placed = match event {
                Event::Fork(cpu) if forked < 24 => {
                    let task = TaskId(forked);
                    forked += 1;
                    let parent = CpuId(cpu % count);
                    Some((task, driver.sched.fork(driver.now, parent, task, None)))
                }
                Event::Block(cpu) => {
                    driver.sched.block(driver.now, CpuId(cpu % count));
                    None
                }
                Event::Exec(cpu) => {
                    let cpu = CpuId(cpu % count);
                    let task = driver.sched.curr(cpu);
                    task.zip(driver.sched.exec(driver.now, cpu))
                }
                Event::Wake { waker, task, sync, interrupt } if task < forked => {
                    let (task, waker) = (TaskId(task), CpuId(waker % count));
                    let cpu = if interrupt {
                        driver.sched.wake_from_interrupt(driver.now, waker, task)
                    } else {
                        driver.sched.wake(driver.now, waker, task, sync)
                    };
                    driver.sched.is_runnable(task).then_some((task, cpu))
                }
                Event::Fork(_) | Event::Wake { .. } => None,
                Event::Run(us) => {
                    driver.run(Nanos::from_micros(us));
                    None
                }
            };
            if let Some((task, cpu)) = placed {
                prop_assert!(driver.sched.affinity(task).contains(cpu), "{:?} on {:?}", task, cpu);
                prop_assert_eq!(driver.sched.task_cpu(task), cpu);
            }
            driver.settle();
            prop_assert_eq!(driver.sched.check(), Ok(()));
        }
    }
}
