//! Properties of finished topologies.

use proptest::prelude::*;
use teeter_machine::{CpuId, CpuSet, Distance, Footprint, Speed, Topology};
use teeter_scenario::document::{
    ClusterSpec, CoreSpec, LlcSpec, Machine, MachineSource, NodeSpec, Numbering,
};

fn cores() -> impl Strategy<Value = Vec<CoreSpec>> {
    let core = (1..4_u32, 1..4_u32, 1..=1024_u32).prop_map(|(count, pus, capacity)| CoreSpec {
        count,
        pus,
        capacity,
    });
    prop::collection::vec(core, 1..3)
}

fn llc() -> impl Strategy<Value = LlcSpec> {
    let clusters = prop::collection::vec(
        (1..3_u32, cores()).prop_map(|(count, cores)| ClusterSpec { count, cores }),
        1..3,
    );
    let body = prop_oneof![
        cores().prop_map(|cores| (Vec::new(), cores)),
        clusters.prop_map(|clusters| (clusters, Vec::new())),
    ];
    (1..3_u32, body).prop_map(|(count, (clusters, cores))| LlcSpec {
        count,
        clusters,
        cores,
        size: None,
    })
}

fn nodes() -> impl Strategy<Value = MachineSource> {
    let node = (1..3_u32, prop::collection::vec(llc(), 0..3)).prop_map(|(count, llcs)| NodeSpec {
        count,
        llcs,
        memory: None,
    });
    prop::collection::vec(node, 1..4)
        .prop_filter("a machine needs a CPU", |nodes| {
            nodes.iter().any(|node| !node.llcs.is_empty())
        })
        .prop_map(MachineSource::Nodes)
}

/// At most two of each, which keeps eight levels within the limits.
fn synthetic() -> impl Strategy<Value = MachineSource> {
    let levels = vec!["pack", "die", "l3", "l2", "cluster", "core", "pu"];
    prop::sample::subsequence(levels, 1..=7)
        .prop_flat_map(|levels| {
            let above_cores = levels.partition_point(|level| !matches!(*level, "core" | "pu"));
            let counts = prop::collection::vec(1..3_usize, levels.len() + 1);
            (Just(levels), prop::option::of(0..=above_cores), counts)
        })
        .prop_map(|(mut levels, node, counts)| {
            if let Some(at) = node {
                levels.insert(at, "node");
            }
            levels.into_iter().zip(counts).collect::<Vec<_>>()
        })
        .prop_map(|words| {
            let words = words
                .iter()
                .map(|(level, count)| format!("{level}:{count}"));
            MachineSource::Synthetic(words.collect::<Vec<_>>().join(" "))
        })
}

pub(crate) fn machine() -> impl Strategy<Value = Machine> {
    prop_oneof![nodes(), synthetic()].prop_map(Machine::new)
}

/// The distinct sets of peers that `key` makes.
fn groups(topology: &Topology, key: fn(&teeter_machine::Cpu) -> u16) -> Vec<CpuSet> {
    let mut groups: Vec<CpuSet> = Vec::new();
    for cpu in topology.cpu_ids() {
        let peers = topology.peers(cpu, key);
        if !groups.contains(&peers) {
            groups.push(peers);
        }
    }
    groups
}

proptest! {
    #[test]
    fn levels_nest_and_are_numbered_densely(machine in machine()) {
        let topology = Topology::from_spec(&machine).unwrap();
        let all = CpuSet::first_n(topology.cpus.len());
        prop_assert_eq!(topology.online, all);
        let keys: [fn(&teeter_machine::Cpu) -> u16; 6] = [
            |cpu| cpu.core,
            |cpu| cpu.cluster,
            |cpu| cpu.llc,
            |cpu| cpu.die,
            |cpu| cpu.package,
            |cpu| cpu.node.0,
        ];
        for key in &keys[..5] {
            let groups = groups(&topology, *key);
            let numbers = topology.cpus.iter().map(key).max().unwrap() as usize + 1;
            let members: usize = groups.iter().map(CpuSet::len).sum();
            prop_assert_eq!((groups.len(), members), (numbers, all.len()));
        }
        for cpu in topology.cpu_ids() {
            let peers = keys.map(|key| topology.peers(cpu, key));
            let [core, cluster, llc, die, package, node] = &peers;
            prop_assert!(core.is_subset(cluster) && cluster.is_subset(llc));
            prop_assert!(llc.is_subset(node) && llc.is_subset(package) && die.is_subset(package));
            prop_assert_eq!(node, &topology.nodes[topology.cpu(cpu).node.index()]);
        }
        prop_assert_eq!(topology.distances.len(), topology.nodes.len().pow(2));
    }

    #[test]
    fn numberings_are_permutations(mut machine in machine()) {
        machine.numbering = Some(Numbering::Contiguous);
        let contiguous = Topology::from_spec(&machine).unwrap();
        machine.numbering = Some(Numbering::SiblingsLast);
        let siblings_last = Topology::from_spec(&machine).unwrap();
        let sorted = |topology: &Topology| {
            let mut cpus: Vec<_> = topology.cpus.iter().map(|cpu| (cpu.core, *cpu)).collect();
            cpus.sort_by_key(|&(core, _)| core);
            cpus
        };
        prop_assert_eq!(sorted(&contiguous), sorted(&siblings_last));
        prop_assert!(contiguous.cpus.is_sorted_by_key(|cpu| cpu.core));
        let first_threads = groups(&siblings_last, |cpu| cpu.core).len();
        let firsts = &siblings_last.cpus[..first_threads];
        prop_assert!(firsts.iter().enumerate().all(|(core, cpu)| cpu.core as usize == core));
    }

    #[test]
    fn costs_grow_with_distance(machine in machine(), a: u16, b: u16, private in 0..1_u32 << 20, llc in 0..1_u32 << 24) {
        let footprint = Footprint { private, llc };
        let topology = Topology::from_spec(&machine).unwrap();
        let speed = Speed::for_machine(&machine, &topology).unwrap();
        let cpu = |number: u16| CpuId(number % topology.cpus.len() as u16);
        let (a, b) = (cpu(a), cpu(b));
        let distance = topology.distance_class(a, b);
        prop_assert_eq!(distance, topology.distance_class(b, a));
        prop_assert_eq!(distance == Distance::SameCpu, a == b);
        for nearer in Distance::ALL.into_iter().filter(|nearer| *nearer < distance) {
            prop_assert!(speed.line(nearer) <= speed.line(distance));
            prop_assert!(speed.t_ipi(nearer) <= speed.t_ipi(distance));
            prop_assert!(speed.warm_up(nearer, footprint) <= speed.warm_up(distance, footprint));
        }
    }

    #[test]
    fn more_threads_are_slower_each_and_faster_together(machine in machine(), busy in 1..8_u32) {
        let topology = Topology::from_spec(&machine).unwrap();
        let speed = Speed::for_machine(&machine, &topology).unwrap();
        let (fewer, more) = (speed.smt_rate_q16(busy), speed.smt_rate_q16(busy + 1));
        prop_assert!(more < fewer);
        // Up to the rounding of one part in 65536 for each thread.
        prop_assert!(more * (busy + 1) + busy + 1 >= fewer * busy);
    }
}
