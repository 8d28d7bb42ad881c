//! Sched domains against those of real kernels (tests/golden/domains), and what holds for any machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;
use teeter_machine::{Cpu, CpuId, CpuSet, NodeId, Topology};
use teeter_scenario::CpuList;
use teeter_scenario::document::{Kernel, Machine, MachineSource};
use teeter_sched::rules::DomainRules;
use teeter_sched::{DomainGroup, DomainView, Explanation, Outcome, Rules, SchedDomains, kernels};

fn cpus(list: &str) -> CpuSet {
    let list: CpuList = list.parse().expect("a list of CPUs");
    list.iter().map(|cpu| CpuId(cpu as u16)).collect()
}

fn text(cpus: &CpuSet) -> String {
    let list: CpuList = cpus.iter().map(|cpu| u32::from(cpu.0)).collect();
    list.to_string()
}

/// A machine of so many CPUs, to be filled in.
fn machine(cpus: usize) -> Topology {
    let machine = Machine::new(MachineSource::Synthetic(format!("core:{cpus}")));
    Topology::from_spec(&machine).expect("a plain machine")
}

fn strings(value: &Value) -> Vec<&str> {
    let list = value.as_array().expect("a list");
    list.iter().filter_map(Value::as_str).collect()
}

/// How a kernel builds domains.
fn domain_rules(kernel: &str) -> DomainRules {
    let rules = Rules::from_kernel(&Kernel::new(kernel)).expect("a known kernel");
    rules.topology
}

/// The machine of a golden file.
fn golden_machine(golden: &Value) -> Topology {
    let given = &golden["machine"];
    let nodes: Vec<CpuSet> = strings(&given["nodes"]).into_iter().map(cpus).collect();
    let mut topology = machine(nodes.iter().map(CpuSet::len).sum());
    let mut set = |key: &str, change: fn(&mut Cpu, u16)| {
        for (number, members) in strings(&given[key]).into_iter().enumerate() {
            for cpu in &cpus(members) {
                change(&mut topology.cpus[cpu.index()], number as u16);
            }
        }
    };
    set("cores", |cpu, core| cpu.core = core);
    set("clusters", |cpu, cluster| cpu.cluster = cluster);
    set("llcs", |cpu, llc| cpu.llc = llc);
    set("packages", |cpu, package| cpu.package = package);
    set("nodes", |cpu, node| cpu.node = NodeId(node));
    topology.nodes = nodes;
    let rows = given["distances"].as_array().expect("a matrix");
    topology.distances = rows
        .iter()
        .flat_map(|row| row.as_array().expect("a row"))
        .map(|distance| distance.as_u64().expect("a distance") as u8)
        .collect();
    topology.reclaim_distance = given["reclaim_distance"].as_u64().expect("a distance") as u8;
    topology
}

/// A group as golden files write it: its CPUs, those that balance for it if not all, its capacity if not 1024.
fn group_text(group: &DomainGroup) -> String {
    let span = text(&group.span);
    let mask = match text(&group.balance_mask) {
        mask if mask == span => String::new(),
        mask => format!("/{mask}"),
    };
    match group.capacity {
        1024 => span + &mask,
        capacity => format!("{span}{mask}={capacity}"),
    }
}

/// Groups of a golden domain for one of its CPUs: that which holds it first.
fn groups_for(cpu: CpuId, ring: &[&str]) -> Vec<String> {
    let holds = |group: &&str| {
        let span = group.split(['/', '=']).next().unwrap_or_default();
        cpus(span).contains(cpu)
    };
    let own = ring.iter().position(holds);
    let mut groups: Vec<String> = ring.iter().map(|&group| group.to_owned()).collect();
    groups.rotate_left(own.expect("the CPU is in one of the groups"));
    groups
}

/// What was compared.
#[derive(Default)]
struct Compared {
    files: u32,
    domains: u32,
    fields: u32,
}

impl Compared {
    fn field<T: PartialEq + std::fmt::Debug>(
        &mut self,
        place: &str,
        name: &str,
        got: &T,
        want: &T,
    ) {
        assert_eq!(got, want, "{place}: {name}");
        self.fields += 1;
    }

    fn domain(&mut self, place: &str, cpu: CpuId, got: &DomainView, want: &Value, params: &Value) {
        self.domains += 1;
        let mut fields = vec![
            ("name", Value::from(got.name), &params["name"]),
            ("flags", got.flags.join(" ").into(), &params["flags"]),
            ("span", text(&got.span).into(), &want["span"]),
            (
                "groups_flags",
                got.groups_flags.join(" ").into(),
                &params["groups_flags"],
            ),
            ("level", got.level.into(), &params["level_index"]),
            (
                "imbalance_pct",
                got.imbalance_pct.into(),
                &params["imbalance_pct"],
            ),
            (
                "cache_nice_tries",
                got.cache_nice_tries.into(),
                &params["cache_nice_tries"],
            ),
            (
                "busy_factor",
                got.busy_factor.into(),
                &params["busy_factor"],
            ),
            (
                "min_interval",
                got.min_interval.into(),
                &params["min_interval"],
            ),
            (
                "max_interval",
                got.max_interval.into(),
                &params["max_interval"],
            ),
        ];
        // Older kernels do not print these two.
        fields.retain(|(name, _, want)| {
            !(["groups_flags", "level"].contains(name) && want.is_null())
        });
        for (name, got, want) in fields {
            self.field(place, name, &got, want);
        }
        let groups: Vec<String> = got.groups.iter().map(group_text).collect();
        self.field(
            place,
            "groups",
            &groups,
            &groups_for(cpu, &strings(&want["groups"])),
        );
    }

    fn file(&mut self, path: &Path, kernel: &str) {
        self.files += 1;
        let json = std::fs::read_to_string(path).expect("a golden file");
        let golden: Value = serde_json::from_str(&json).expect("JSON");
        let topology = golden_machine(&golden);
        let rules = domain_rules(kernel);
        let domains = SchedDomains::build(&topology, rules, &[]);
        let golden_domains = golden["domains"].as_array().expect("a list");
        for cpu in topology.cpu_ids() {
            let mut want: Vec<&Value> = golden_domains
                .iter()
                .filter(|domain| cpus(domain["cpus"].as_str().unwrap_or_default()).contains(cpu))
                .collect();
            want.sort_by_key(|domain| domain["at"].as_u64());
            let got = domains.of(cpu);
            let place = format!("{} CPU {}", path.display(), cpu.0);
            self.field(&place, "number of domains", &got.len(), &want.len());
            for (got, want) in got.iter().zip(want) {
                let params = &golden["params"][want["params"].as_u64().expect("an index") as usize];
                let place = format!("{place} {}", got.name);
                self.domain(&place, cpu, got, want, params);
            }
        }
    }
}

#[test]
fn domains_are_those_of_real_kernels() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/domains");
    let mut compared = Compared::default();
    for (kernel, files) in [("v6.1.y", 26), ("v6.12.y", 11)] {
        let directory = std::fs::read_dir(golden.join(kernel)).expect("the golden files");
        let mut paths: Vec<PathBuf> = directory
            .map(|entry| entry.expect("a file").path())
            .collect();
        paths.sort();
        assert_eq!(paths.len(), files, "{kernel}");
        for path in paths {
            compared.file(&path, kernel);
        }
    }
    let Compared {
        files,
        domains,
        fields,
    } = compared;
    println!("{files} files, {domains} domains, {fields} fields compared");
    assert_eq!(domains, 2_112);
}

fn domains_of(kernel: &str, synthetic: &str, change: impl FnOnce(&mut Topology)) -> SchedDomains {
    let machine = Machine::new(MachineSource::Synthetic(synthetic.to_owned()));
    let mut topology = Topology::from_spec(&machine).expect("a machine");
    change(&mut topology);
    let rules = domain_rules(kernel);
    SchedDomains::build(&topology, rules, &[])
}

fn names(domains: &SchedDomains, cpu: u16) -> Vec<String> {
    let domains = domains.of(CpuId(cpu));
    let line = |sd: &DomainView| format!("{} {}", sd.name, text(&sd.span));
    domains.iter().map(line).collect()
}

#[test]
fn clusters_come_with_v5_16_and_have_a_flag_from_v6_7() {
    let machine = "node:1 l3:1 l2:2 core:4 pu:1";
    assert_eq!(names(&domains_of("v5.11", machine, |_| ()), 5), ["MC 0-7"]);
    let old = domains_of("v6.1", machine, |_| ());
    assert_eq!(names(&old, 5), ["CLS 4-7", "MC 0-7"]);
    assert!(!old.of(CpuId(5))[0].flags.contains(&"SD_CLUSTER"));
    let new = domains_of("v6.7", machine, |_| ());
    assert!(new.of(CpuId(5))[0].flags.contains(&"SD_CLUSTER"));
}

#[test]
fn offline_and_isolated_cpus_have_no_domains() {
    let domains = domains_of("v6.12", "node:2 l3:1 core:4 pu:1", |topology| {
        topology.online.remove(CpuId(1));
        topology.isolated.insert(CpuId(2));
    });
    assert_eq!(domains.explain(CpuId(1)), Explanation::Offline);
    assert_eq!(domains.explain(CpuId(2)), Explanation::Isolated);
    assert_eq!(names(&domains, 2), [""; 0]);
    assert_eq!(names(&domains, 0), ["MC 0,3", "NUMA 0,3-7"]);
    // Intervals count isolated CPUs.
    assert_eq!(domains.of(CpuId(0))[0].min_interval, 3);
}

#[test]
fn different_capacities_show_in_the_flags_and_stop_even_filling() {
    let big_little = |topology: &mut Topology| {
        for cpu in &mut topology.cpus[4..] {
            cpu.capacity = 512;
        }
    };
    let flags = |kernel| {
        let domains = domains_of(kernel, "node:1 l3:2 core:4 pu:1", big_little);
        let of = |level: &DomainView| {
            let asym = level.flags.iter().filter(|flag| {
                ["ASYM", "PREFER", "BALANCE_WAKE"]
                    .iter()
                    .any(|part| flag.contains(part))
            });
            format!(
                "{}: {}",
                level.name,
                asym.copied().collect::<Vec<_>>().join(" ")
            )
        };
        domains.of(CpuId(0)).iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(flags("v4.11"), ["MC: ", "DIE: SD_PREFER_SIBLING"]);
    assert_eq!(
        flags("v5.3"),
        [
            "MC: SD_BALANCE_WAKE",
            "DIE: SD_BALANCE_WAKE SD_ASYM_CPUCAPACITY SD_PREFER_SIBLING"
        ]
    );
    assert_eq!(
        flags("v5.11"),
        ["MC: ", "DIE: SD_ASYM_CPUCAPACITY SD_PREFER_SIBLING"]
    );
    let full = "SD_ASYM_CPUCAPACITY SD_ASYM_CPUCAPACITY_FULL SD_PREFER_SIBLING";
    assert_eq!(flags("v6.12"), ["MC: ".to_owned(), format!("PKG: {full}")]);
}

#[test]
fn packages_of_several_nodes_have_no_die_but_a_node_level() {
    let domains = domains_of("v6.1", "pack:2 node:2 l3:2 core:2 pu:1", |topology| {
        topology.distances = [
            [10, 12, 32, 32],
            [12, 10, 32, 32],
            [32, 32, 10, 12],
            [32, 32, 12, 10],
        ]
        .concat();
    });
    let want = ["MC 0-1", "NODE 0-3", "NUMA 0-7", "NUMA 0-15"];
    assert_eq!(names(&domains, 0), want);
    let Explanation::Levels(steps) = domains.explain(CpuId(0)) else {
        panic!("the CPU is online");
    };
    let dropped: Vec<String> = steps
        .iter()
        .filter(|step| step.outcome != Outcome::Kept)
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        dropped,
        [
            "SMT 0: dropped because it spans one CPU",
            "CLS 0: dropped because it spans one CPU",
            "DIE: not built because a package holds several nodes",
        ]
    );
}

/// gnr-snc3-distances: two packages of three nodes each, whose distances tell apart which of them neighbour.
#[test]
fn gnr_snc3_distances() {
    let snc3 = |topology: &mut Topology| {
        topology.distances = [
            [10, 15, 17, 21, 28, 26],
            [15, 10, 15, 23, 26, 23],
            [17, 15, 10, 26, 23, 21],
            [21, 28, 26, 10, 15, 17],
            [23, 26, 23, 15, 10, 15],
            [26, 23, 21, 17, 15, 10],
        ]
        .concat();
    };
    let machine = "pack:2 node:3 l3:1 core:2 pu:1";
    let tops = |kernel: &str, cpu| {
        let domains = domains_of(kernel, machine, snc3);
        names(&domains, cpu).split_off(1)
    };
    for faulty in ["v5.3", "v5.18", "v6.1", "v6.12", "v6.17"] {
        // Seen from the first node, the second package comes node by node; from its neighbour, otherwise.
        let from_first = [
            "NUMA 0-3",
            "NUMA 0-5",
            "NUMA 0-7",
            "NUMA 0-7,10-11",
            "NUMA 0-11",
        ];
        assert_eq!(tops(faulty, 0), from_first, "{faulty}");
        let from_second = tops(faulty, 2);
        // To v5.11 the distances of the first node are taken for those of all.
        let known: &[&str] = match faulty {
            "v5.3" => &["NUMA 0-5", "NUMA 0-11"],
            _ => &["NUMA 0-5", "NUMA 0-7,10-11", "NUMA 0-11"],
        };
        assert_eq!(from_second, known, "{faulty}");
    }
    let mended = |cpu| tops("v6.17+snc-distances", cpu);
    assert_eq!(mended(0), ["NUMA 0-3", "NUMA 0-5", "NUMA 0-11"]);
    assert_eq!(mended(2), ["NUMA 0-5", "NUMA 0-11"]);
    assert_eq!(mended(4), ["NUMA 2-5", "NUMA 0-5", "NUMA 0-11"]);
    assert_eq!(mended(8), ["NUMA 6-11", "NUMA 0-11"]);
    // Elsewhere nothing changes.
    let flat = |topology: &mut Topology| {
        topology.distances = [[10, 21], [21, 10]].concat();
    };
    let of = |kernel: &str| domains_of(kernel, "node:2 l3:1 core:2", flat);
    let (plain, patched) = (of("v6.17"), of("v6.17+snc-distances"));
    assert_eq!(names(&plain, 0), names(&patched, 0));
}

#[test]
fn kernels_up_to_v5_11_take_node_0_for_all() {
    // Nodes 1 and 2 are 40 apart, which node 0 does not know of.
    let line = |topology: &mut Topology| {
        topology.distances = [[10, 20, 20], [20, 10, 40], [20, 40, 10]].concat();
    };
    let old = domains_of("v5.11", "node:3 l3:1 core:2", line);
    assert_eq!(names(&old, 2), ["MC 2-3", "NUMA 0-3"]);
    let new = domains_of("v5.18", "node:3 l3:1 core:2", line);
    assert_eq!(names(&new, 2), ["MC 2-3", "NUMA 0-3", "NUMA 0-5"]);
    // Node 0 spans all at 20 already and has no third level.
    assert_eq!(names(&new, 0), ["MC 0-1", "NUMA 0-5"]);
}

/// A node: its LLCs, each of clusters, each of cores with so many threads.
type Node = Vec<Vec<Vec<u8>>>;

#[derive(Clone, Debug)]
struct Shape {
    nodes: Vec<Node>,
    /// Distances, by pairs of nodes; of which the upper half counts unless `one_way`.
    distances: Vec<u8>,
    one_way: bool,
    order: Vec<u32>,
    capacities: Vec<u32>,
    offline: BTreeSet<u16>,
    isolated: BTreeSet<u16>,
    nodes_a_package: u16,
    asym_packing: bool,
}

fn shape() -> impl Strategy<Value = Shape> {
    let cluster = prop::collection::vec(1..3_u8, 1..3);
    let llc = prop::collection::vec(cluster, 1..3);
    let node = prop::collection::vec(llc, 0..3);
    let distance = prop::sample::select(vec![11_u8, 16, 20, 31, 40]);
    (
        prop::collection::vec(node, 1..6),
        prop::collection::vec(distance, 36),
        prop::collection::vec(any::<u32>(), 128),
        prop::collection::vec(prop::sample::select(vec![1024_u32, 1024, 512, 300]), 128),
        prop::collection::btree_set(0..60_u16, 0..4),
        prop::collection::btree_set(0..60_u16, 0..4),
        1..3_u16,
        any::<(bool, bool)>(),
    )
        .prop_filter("a machine has CPUs", |shape| {
            shape.0.iter().any(|node| !node.is_empty())
        })
        .prop_map(
            |(
                nodes,
                distances,
                order,
                capacities,
                offline,
                isolated,
                packed,
                (packing, one_way),
            )| Shape {
                nodes,
                distances,
                one_way,
                order,
                capacities,
                offline,
                isolated,
                nodes_a_package: packed,
                asym_packing: packing,
            },
        )
}

impl Shape {
    /// The machine, its CPUs numbered in any order.
    fn topology(&self) -> Topology {
        let mut places = Vec::new();
        let (mut core, mut cluster, mut llc) = (0, 0, 0);
        for (node, llcs) in self.nodes.iter().enumerate() {
            for clusters in llcs {
                for cores in clusters {
                    for &threads in cores {
                        for _ in 0..threads {
                            places.push(Cpu {
                                core,
                                cluster,
                                llc,
                                die: llc,
                                package: node as u16 / self.nodes_a_package,
                                node: NodeId(node as u16),
                                capacity: self.capacities[usize::from(core)],
                            });
                        }
                        core += 1;
                    }
                    cluster += 1;
                }
                llc += 1;
            }
        }
        let mut keyed: Vec<_> = self.order.iter().zip(places).collect();
        keyed.sort_by_key(|&(key, _)| *key);
        let places: Vec<Cpu> = keyed.into_iter().map(|(_, place)| place).collect();
        let mut topology = machine(places.len());
        let count = self.nodes.len();
        topology.nodes = vec![CpuSet::EMPTY; count];
        for (cpu, place) in places.iter().enumerate() {
            topology.nodes[place.node.index()].insert(CpuId(cpu as u16));
        }
        topology.cpus = places;
        topology.distances = (0..count * count)
            .map(|at| (at / count, at % count))
            .map(|(a, b)| {
                if a == b {
                    10
                } else {
                    self.distances[self.pair(a, b)]
                }
            })
            .collect();
        for &cpu in &self.offline {
            topology.online.remove(CpuId(cpu));
        }
        topology.isolated = self.isolated.iter().map(|&cpu| CpuId(cpu)).collect();
        topology.asym_packing = self.asym_packing;
        topology
    }
}

impl Shape {
    fn pair(&self, from: usize, to: usize) -> usize {
        let turned = !self.one_way && from > to;
        let (from, to) = if turned { (to, from) } else { (from, to) };
        from * 6 + to
    }
}

/// Everything that holds for the domains of a CPU.
fn check_cpu(topology: &Topology, domains: &SchedDomains, cpu: CpuId, kernel: &str, mutual: bool) {
    let map = topology.online.minus(&topology.isolated);
    let list = domains.of(cpu);
    let kept = match domains.explain(cpu) {
        Explanation::Levels(steps) => steps
            .iter()
            .filter(|step| step.outcome == Outcome::Kept)
            .count(),
        Explanation::Offline | Explanation::Isolated => 0,
    };
    assert_eq!(list.len(), kept);
    if !map.contains(cpu) {
        assert!(list.is_empty());
        return;
    }
    let new = !["v4.", "v5.3", "v5.5", "v5.6", "v5.10", "v5.11"]
        .iter()
        .any(|old| kernel.starts_with(old));
    let top = list.last().map_or(CpuSet::of(cpu), |sd| sd.span);
    // Where distances differ by direction, the kernel may find no group that holds a far CPU.
    assert!(
        !new || !mutual || top == map,
        "the highest domain spans all CPUs"
    );
    let mut below = CpuSet::of(cpu);
    for sd in &list {
        assert!(below.is_subset(&sd.span), "domains nest");
        assert!(sd.span.is_subset(&map));
        assert!(
            sd.groups[0].span.contains(cpu),
            "the own group is the first"
        );
        if mutual && !kernel.starts_with("v4") {
            assert_eq!(sd.groups[0].span, below, "it is the domain below");
        }
        let mut covered = CpuSet::EMPTY;
        for group in &sd.groups {
            assert!(
                sd.numa_level > 0 || !covered.intersects(&group.span),
                "groups are apart"
            );
            assert!(!group.balance_mask.is_empty() && group.balance_mask.is_subset(&group.span));
            covered = covered.or(&group.span);
        }
        assert!(
            !mutual || sd.span.is_subset(&covered),
            "the groups cover the span"
        );
        assert!(!new || covered.is_subset(&sd.span), "and nothing else");
        below = sd.span;
    }
}

proptest! {
    #[test]
    fn domains_of_any_machine_nest_and_are_covered_by_their_groups(
        shape in shape(),
        kernel in prop::sample::select(kernels().iter().map(|info| info.name).collect::<Vec<_>>()),
    ) {
        let topology = shape.topology();
        let rules = domain_rules(kernel);
        let domains = SchedDomains::build(&topology, rules, &[]);
        for cpu in topology.cpu_ids() {
            check_cpu(&topology, &domains, cpu, kernel, !shape.one_way);
        }
    }
}
