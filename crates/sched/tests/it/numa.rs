//! Memory is accounted for whatever tasks do, on any machine.

use proptest::prelude::*;
use teeter_machine::{CpuId, NodeId};
use teeter_scenario::document::{
    CoreSpec, Kernel, LlcSpec, Machine, MachineSource, NodeSpec, SettingValue,
};
use teeter_scenario::{Bytes, Nanos};
use teeter_sched::{GroupId, RegionId, Sched, kernels};

use crate::driver::Driver;

/// Cores and megabytes of each node: nodes of memory or CPUs only are among them.
fn machine() -> impl Strategy<Value = Machine> {
    let node = prop_oneof![
        4 => (1u32..4, prop::option::of(1u64..400)),
        1 => Just((0, None)),
        1 => (1u32..3, Just(Some(0))),
    ];
    let nodes = prop::collection::vec(node, 1..6);
    (nodes, any::<bool>()).prop_map(|(nodes, ring)| {
        let count = nodes.len() as u32;
        let spec = |(cores, mb): (u32, Option<u64>)| NodeSpec {
            count: 1,
            llcs: (cores > 0)
                .then(|| LlcSpec {
                    count: 1,
                    clusters: Vec::new(),
                    cores: vec![CoreSpec {
                        count: cores,
                        ..CoreSpec::default()
                    }],
                    size: None,
                })
                .into_iter()
                .collect(),
            memory: mb.map(Bytes::from_mb),
        };
        let mut specs: Vec<_> = nodes.into_iter().map(spec).collect();
        if specs.iter().all(|spec| spec.llcs.is_empty()) {
            specs.push(spec((2, None)));
        }
        let count = count.max(specs.len() as u32);
        let mut machine = Machine::new(MachineSource::Nodes(specs));
        let hops = |a: u32, b: u32| a.abs_diff(b).min(count - a.abs_diff(b));
        if ring {
            let row = |a| (0..count).map(|b| 10 + 10 * hops(a, b)).collect();
            machine.distances = Some((0..count).map(row).collect());
        }
        machine
    })
}

#[derive(Clone, Debug)]
enum Event {
    Fork(u16),
    Block(u16),
    Wake(usize),
    Exit(u16),
    Touch { cpu: u16, from: u64, len: u64 },
    Run { ms: u64 },
    Offline(u16),
    Online(u16),
    Mems { nodes: u8 },
}

fn event() -> impl Strategy<Value = Event> {
    let cpu = 0u16..16;
    prop_oneof![
        2 => cpu.clone().prop_map(Event::Fork),
        1 => cpu.clone().prop_map(Event::Block),
        2 => (0usize..12).prop_map(Event::Wake),
        1 => cpu.clone().prop_map(Event::Exit),
        8 => (cpu.clone(), any::<u64>(), prop_oneof![0u64..1 << 22, any::<u64>()])
            .prop_map(|(cpu, from, len)| Event::Touch { cpu, from, len }),
        1 => cpu.clone().prop_map(Event::Offline),
        1 => cpu.clone().prop_map(Event::Online),
        1 => any::<u8>().prop_map(|nodes| Event::Mems { nodes }),
        6 => (1u64..700).prop_map(|ms| Event::Run { ms }),
    ]
}

/// Pages on all nodes; never more than there are.
fn placed(sched: &Sched, region: RegionId) -> u64 {
    sched.pages_on_node(region).iter().sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn pages_are_never_lost(
        kernel in prop::sample::select(kernels().iter().map(|info| Kernel::new(info.name)).collect::<Vec<_>>()),
        machine in machine(),
        events in prop::collection::vec(event(), 1..120),
        sizes in prop::collection::vec(1u64..1 << 28, 4),
    ) {
        let mut driver = Driver::on(&kernel, &machine);
        let cpus = driver.cpus;
        let group = driver.sched.add_group(GroupId::ROOT, 100);
        for (name, ms) in [("scan_delay", 0), ("scan_period_min", 1), ("scan_period_max", 200)] {
            let value = SettingValue::Time(Nanos::from_millis(ms));
            let set = driver.sched.set(&format!("numa_balancing_{name}"), &value);
            prop_assert_eq!(set, Ok(()));
        }
        // Three processes: one with two regions, one placed on all nodes, one whose memory is touched first.
        let mms: Vec<_> = (0..3).map(|_| driver.sched.add_mm()).collect();
        let nodes: Vec<_> = (0..driver.nodes).map(NodeId).collect();
        let regions = [
            driver.sched.map(mms[0], Bytes(sizes[0]), &[]),
            driver.sched.map(mms[0], Bytes(sizes[1]), &[]),
            driver.sched.map(mms[1], Bytes(sizes[2]), &nodes),
            driver.sched.map(mms[2], Bytes(sizes[3]), &[]),
        ];
        prop_assert_eq!(placed(&driver.sched, regions[2]), driver.sched.region_pages(regions[2]));
        let tasks: Vec<_> = (0..12).map(|_| driver.task(group)).collect();
        for (at, &task) in tasks.iter().enumerate() {
            driver.sched.set_mm(task, mms[at % 3]);
        }
        let (mut forked, mut allocated) = (0, [0; 4]);
        for event in events {
            match event {
                Event::Fork(cpu) if forked < tasks.len() => {
                    driver.fork(cpu % cpus, tasks[forked]);
                    forked += 1;
                }
                Event::Block(cpu) => driver.block(CpuId(cpu % cpus)),
                Event::Wake(task) => {
                    let cpu = driver.sched.task_cpu(tasks[task]);
                    driver.wake(cpu, tasks[task]);
                }
                Event::Exit(cpu) => driver.sched.exit(driver.now, CpuId(cpu % cpus)),
                Event::Touch { cpu, from, len } => {
                    let cpu = CpuId(cpu % cpus);
                    let Some(task) = driver.sched.curr(cpu) else { continue };
                    let of_process: &[usize] = [&[0, 1][..], &[2], &[3]][task.0 as usize % 3];
                    for &region in of_process {
                        let id = regions[region];
                        let touched = driver.sched.touch(driver.now, cpu, task, id, from, len);
                        allocated[region] += touched.allocated;
                        prop_assert!(touched.migrated <= touched.faults);
                    }
                }
                Event::Offline(cpu) if driver.sched.online().len() > 1 => {
                    let cpus = [CpuId(cpu % cpus)].into_iter().collect();
                    driver.sched.set_offline(driver.now, &cpus);
                }
                Event::Fork(_) | Event::Offline(_) => {}
                Event::Online(cpu) => {
                    let cpus = [CpuId(cpu % cpus)].into_iter().collect();
                    driver.sched.set_online(driver.now, &cpus);
                }
                Event::Mems { nodes: bits } => {
                    let mems: Vec<_> = nodes
                        .iter()
                        .copied()
                        .filter(|node| bits >> node.0 & 1 == 1)
                        .collect();
                    driver.sched.set_group_mems(driver.now, group, Some(&mems));
                }
                Event::Run { ms } => driver.run(Nanos::from_millis(ms)),
            }
            driver.settle();
            prop_assert_eq!(driver.sched.check(), Ok(()));
            for region in [0, 1, 3] {
                let held = placed(&driver.sched, regions[region]);
                prop_assert_eq!(held, allocated[region]);
                prop_assert!(held <= driver.sched.region_pages(regions[region]));
            }
            let all = driver.sched.region_pages(regions[2]);
            prop_assert_eq!(placed(&driver.sched, regions[2]), all);
            let stats = driver.sched.numa_stats();
            prop_assert!(stats.hint_faults <= stats.pte_updates);
            prop_assert!(stats.hint_faults_local + stats.pages_migrated <= stats.hint_faults);
        }
    }
}
