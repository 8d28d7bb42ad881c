//! Whatever happens, in whatever order, the state holds together.

use proptest::prelude::*;
use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, Partition, Policy};
use teeter_sched::{GroupId, NewTask, kernels};

use crate::driver::Driver;

/// One thing that can happen.
#[derive(Clone, Debug)]
enum Event {
    Fork(u16),
    Block(u16),
    Wake {
        waker: u16,
        task: usize,
    },
    Yield(u16),
    Exit(u16),
    Weight {
        group: u32,
        weight: u32,
    },
    Affinity {
        from: u16,
        task: usize,
        cpus: u16,
    },
    Cpuset {
        group: u32,
        cpus: Option<u16>,
    },
    Limit {
        group: u32,
        quota_us: Option<u64>,
        period_us: u64,
    },
    Idle {
        group: u32,
        idle: bool,
    },
    Offline(u16),
    Online(u16),
    Partition {
        group: u32,
        partition: Partition,
    },
    Nice {
        task: usize,
        nice: i8,
    },
    Move {
        task: usize,
        group: u32,
    },
    Run {
        us: u64,
    },
}

fn event() -> impl Strategy<Value = Event> {
    let cpu = 0u16..16;
    prop_oneof![
        3 => cpu.clone().prop_map(Event::Fork),
        4 => cpu.clone().prop_map(Event::Block),
        6 => (cpu.clone(), 0usize..24).prop_map(|(waker, task)| Event::Wake { waker, task }),
        1 => cpu.clone().prop_map(Event::Yield),
        1 => cpu.clone().prop_map(Event::Exit),
        1 => (1u32..4, 1u32..10_000).prop_map(|(group, weight)| Event::Weight { group, weight }),
        2 => (cpu.clone(), 0usize..24, any::<u16>())
            .prop_map(|(from, task, cpus)| Event::Affinity { from, task, cpus }),
        1 => (1u32..4, prop::option::of(any::<u16>()))
            .prop_map(|(group, cpus)| Event::Cpuset { group, cpus }),
        2 => (1u32..4, prop::option::of(1_000u64..20_000), 1_000u64..30_000)
            .prop_map(|(group, quota_us, period_us)| Event::Limit { group, quota_us, period_us }),
        1 => (1u32..4, any::<bool>()).prop_map(|(group, idle)| Event::Idle { group, idle }),
        1 => any::<u16>().prop_map(Event::Offline),
        2 => any::<u16>().prop_map(Event::Online),
        1 => (
            1u32..4,
            prop::sample::select(vec![Partition::Member, Partition::Root, Partition::Isolated]),
        )
            .prop_map(|(group, partition)| Event::Partition { group, partition }),
        1 => (0usize..24, -20i8..20).prop_map(|(task, nice)| Event::Nice { task, nice }),
        2 => (0usize..24, 0u32..4).prop_map(|(task, group)| Event::Move { task, group }),
        4 => (1u64..30_000).prop_map(|us| Event::Run { us }),
    ]
}

/// The CPUs of a machine whose bits are set.
fn cpus_of(bits: u16, cpus: u16) -> CpuSet {
    let set = |cpu: &u16| bits >> (cpu % 16) & 1 == 1;
    (0..cpus).filter(set).map(CpuId).collect()
}

/// A CPU that is online, by any number.
fn online(driver: &Driver, cpu: u16) -> u16 {
    let online = driver.sched.online();
    let cpu = CpuId(cpu % driver.cpus);
    online.iter_wrap(cpu).next().map_or(0, |cpu| cpu.0)
}

fn machine() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "node:1 l3:1 core:1 pu:1",
        "node:1 l3:2 core:2 pu:2",
        "node:2 l3:1 core:4 pu:2",
        "node:4 l3:1 core:4 pu:1",
    ])
}

fn kernel() -> impl Strategy<Value = &'static str> {
    prop::sample::select(kernels().iter().map(|info| info.name).collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn random_events_keep_every_invariant(
        kernel in kernel(),
        machine in machine(),
        events in prop::collection::vec(event(), 1..200),
        pins in prop::collection::vec(any::<u16>(), 24),
        nices in prop::collection::vec(-20i8..20, 24),
    ) {
        // Without it, a CPU idles on over a task that comes to it from a throttled group.
        let mut kernel = Kernel::new(kernel);
        kernel.rules.insert("change.moved_task_preempts".to_owned(), "true".into());
        let mut driver = Driver::with(&kernel, machine);
        let cpus = driver.cpus;
        let a = driver.sched.add_group(GroupId::ROOT, 100);
        let b = driver.sched.add_group(a, 300);
        let c = driver.sched.add_group(GroupId::ROOT, 1);
        let groups = [GroupId::ROOT, a, b, c];
        let tasks: Vec<_> = (0..24).map(|at| {
            let policy = [Policy::Normal, Policy::Batch, Policy::Idle][pins[at] as usize % 3];
            driver.task_of(&NewTask {
                group: groups[at % 4],
                nice: nices[at],
                policy,
                affinity: cpus_of(pins[at], cpus),
                per_cpu_kthread: false,
            })
        }).collect();
        let mut forked = 0;
        for event in events {
            match event {
                Event::Fork(cpu) if forked < tasks.len() => {
                    driver.fork(online(&driver, cpu), tasks[forked]);
                    forked += 1;
                }
                Event::Fork(_) => {}
                Event::Block(cpu) => driver.block(CpuId(cpu % cpus)),
                Event::Wake { waker, task } => driver.wake(CpuId(online(&driver, waker)), tasks[task]),
                Event::Yield(cpu) => driver.sched.yield_now(driver.now, CpuId(cpu % cpus)),
                Event::Exit(cpu) => driver.sched.exit(driver.now, CpuId(cpu % cpus)),
                Event::Weight { group, weight } => {
                    driver.sched.set_group_weight(driver.now, GroupId(group), weight);
                }
                Event::Affinity { from, task, cpus: bits } => {
                    let (from, cpus) = (CpuId(online(&driver, from)), cpus_of(bits, cpus));
                    driver.sched.set_affinity(driver.now, from, tasks[task], &cpus);
                }
                Event::Cpuset { group, cpus: bits } => {
                    let cpus = bits.map(|bits| cpus_of(bits, cpus));
                    driver.sched.set_group_cpus(driver.now, GroupId(group), cpus);
                }
                Event::Limit { group, quota_us, period_us } => {
                    let quota = quota_us.map(Nanos::from_micros);
                    let (now, period) = (driver.now, Nanos::from_micros(period_us));
                    let group = GroupId(group);
                    driver.sched.set_group_bandwidth(now, group, quota, period, Nanos(0));
                }
                Event::Idle { group, idle } => {
                    driver.sched.set_group_idle(driver.now, GroupId(group), idle);
                }
                Event::Offline(bits) => {
                    driver.sched.set_offline(driver.now, &cpus_of(bits, cpus));
                }
                Event::Online(bits) => {
                    driver.sched.set_online(driver.now, &cpus_of(bits, cpus));
                }
                Event::Partition { group, partition } => {
                    let now = driver.now;
                    driver.sched.set_group_partition(now, GroupId(group), partition);
                }
                Event::Nice { task, nice } => driver.sched.set_nice(driver.now, tasks[task], nice),
                Event::Move { task, group } => {
                    driver.sched.move_task(driver.now, tasks[task], GroupId(group));
                }
                Event::Run { us } => driver.run(Nanos(us * 1000)),
            }
            driver.settle();
            prop_assert_eq!(driver.sched.check(), Ok(()));
        }
    }
}
