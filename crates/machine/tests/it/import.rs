//! Machines read from the outputs of real tools, and everything that is no such output.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;
use teeter_machine::import::{MOST, import};
use teeter_machine::{Cpu, CpuSet, Topology};
use teeter_scenario::CpuList;
use teeter_scenario::document::{ImportKind, Machine, MachineSource, Numbering};

use crate::topology::machine;

const KINDS: [ImportKind; 9] = [
    ImportKind::LscpuP,
    ImportKind::LscpuE,
    ImportKind::LscpuJson,
    ImportKind::Lscpu,
    ImportKind::HwlocXml,
    ImportKind::NumactlH,
    ImportKind::Sysfs,
    ImportKind::Cpuinfo,
    ImportKind::Auto,
];

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/lscpu")
}

fn golden_text(name: &str) -> String {
    fs::read_to_string(golden().join(name)).unwrap()
}

/// What the kernels' own sysfs says of each machine.
fn machines() -> BTreeMap<String, Value> {
    serde_json::from_str(&golden_text("machines.json")).unwrap()
}

/// A machine that `auto` recognises and `kind` reads alike, and what was assumed.
fn imported(text: &str, kind: ImportKind) -> (Topology, Vec<String>) {
    let imported = import(text, kind).unwrap();
    assert_eq!(import(text, ImportKind::Auto).unwrap(), imported);
    let source = MachineSource::Import {
        text: text.to_owned(),
        from: kind,
    };
    let direct = Topology::from_spec(&Machine::new(source)).unwrap();
    let described = Topology::from_spec(&imported.machine).unwrap();
    assert_eq!(described.cpus, direct.cpus);
    assert_eq!(described.distances, direct.distances);
    assert_eq!(described.online, direct.online);
    (direct, imported.assumptions)
}

fn list(set: &CpuSet) -> String {
    let list: CpuList = set.iter().map(|cpu| u32::from(cpu.0)).collect();
    list.to_string()
}

/// The sets of CPUs for which `key` is the same, by their first.
fn groups(topology: &Topology, key: fn(&Cpu) -> u16) -> Vec<String> {
    let mut groups = Vec::new();
    for cpu in topology.cpu_ids() {
        let group = list(&topology.peers(cpu, key));
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups
}

fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().unwrap().iter();
    texts
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

#[track_caller]
fn assert_shape(name: &str, topology: &Topology, machine: &Value) {
    let with_cpus = |nodes: Vec<String>| -> Vec<String> {
        nodes.into_iter().filter(|cpus| !cpus.is_empty()).collect()
    };
    assert_eq!(
        groups(topology, |cpu| cpu.core),
        texts(&machine["cores"]),
        "{name}"
    );
    assert_eq!(
        groups(topology, |cpu| cpu.llc),
        texts(&machine["llcs"]),
        "{name}"
    );
    assert_eq!(
        groups(topology, |cpu| cpu.package),
        texts(&machine["packages"]),
        "{name}"
    );
    let nodes: Vec<String> = topology.nodes.iter().map(list).collect();
    assert_eq!(
        with_cpus(nodes),
        with_cpus(texts(&machine["nodes"])),
        "{name}"
    );
}

#[test]
fn tables_of_lscpu_are_the_kernels_own_machines() {
    for (name, machine) in machines() {
        for (end, kind) in [
            ("p.txt", ImportKind::LscpuP),
            ("e.txt", ImportKind::LscpuE),
            ("e.json", ImportKind::LscpuJson),
        ] {
            let (topology, assumptions) = imported(&golden_text(&format!("{name}.{end}")), kind);
            assert_shape(&format!("{name}.{end}"), &topology, &machine);
            let far = assumptions.iter().any(|told| told.starts_with("distances"));
            assert_eq!(far, topology.nodes.len() > 1, "{assumptions:?}");
        }
    }
}

#[test]
fn the_summary_of_lscpu_is_the_machine_or_says_what_it_assumed() {
    let (mut certain, mut assumed) = (0, 0);
    for (name, machine) in machines() {
        // Sockets that are not alike are more than a summary can tell; that of the AMD machine counts 32 L3
        // where the kernel has two.
        if name.starts_with("asym") || name.starts_with("amd") {
            continue;
        }
        let (topology, assumptions) =
            imported(&golden_text(&format!("{name}.json")), ImportKind::LscpuJson);
        if assumptions
            .iter()
            .any(|told| told.starts_with("which CPUs are threads"))
        {
            assumed += 1;
            let threads = topology.peers(teeter_machine::CpuId(0), |cpu| cpu.core);
            assert_eq!(threads.len(), 2, "{name}");
        } else {
            certain += 1;
            assert_shape(&name, &topology, &machine);
        }
    }
    assert!(certain >= 15 && assumed >= 3, "{certain} {assumed}");
}

#[test]
fn sysfs_tells_everything() {
    let mut read = 0;
    for (name, machine) in machines() {
        let path = golden().join(format!("{name}.sysfs.txt"));
        let Ok(text) = fs::read_to_string(path) else {
            continue;
        };
        let (topology, assumptions) = imported(&text, ImportKind::Sysfs);
        assert_eq!(assumptions, [""; 0], "{name}");
        assert_shape(&name, &topology, &machine);
        assert_eq!(
            groups(&topology, |cpu| cpu.die),
            texts(&machine["dies"]),
            "{name}"
        );
        let nodes: Vec<String> = topology.nodes.iter().map(list).collect();
        assert_eq!(nodes, texts(&machine["nodes"]), "{name}");
        let distances: Vec<u8> =
            serde_json::from_value::<Vec<Vec<u8>>>(machine["distances"].clone())
                .unwrap()
                .concat();
        assert_eq!(topology.distances, distances, "{name}");
        read += 1;
    }
    assert_eq!(read, 5);
}

#[test]
fn a_node_of_memory_only_stands_beside_a_table() {
    let source = MachineSource::Import {
        text: golden_text("memonly.p.txt"),
        from: ImportKind::LscpuP,
    };
    let mut machine = Machine::new(source);
    machine.distances = Some(vec![vec![10, 21, 30], vec![21, 10, 30], vec![30, 30, 10]]);
    let topology = Topology::from_spec(&machine).unwrap();
    let nodes: Vec<String> = topology.nodes.iter().map(list).collect();
    assert_eq!(nodes, ["0-3", "4-7", ""]);
    machine.numbering = Some(Numbering::Contiguous);
    assert_eq!(
        Topology::from_spec(&machine).unwrap_err()[0].to_string(),
        "/numbering: an imported machine has numbers already"
    );
}

#[test]
fn numactl_tells_nodes_memory_and_distances() {
    let text = "available: 3 nodes (0-1,8)\n\
                node 0 cpus: 0 1 2 3 8 9 10 11\n\
                node 0 size: 64215 MB\n\
                node 0 free: 12000 MB\n\
                node 1 cpus: 4 5 6 7 12 13 14 15\n\
                node 1 size: 0 MB\n\
                node 1 free: 0 MB\n\
                node 8 cpus:\n\
                node 8 size: 64507 MB\n\
                node 8 free: 60000 MB\n\
                node distances:\n\
                node   0   1   8 \n  \
                  0:  10  21  17 \n  \
                  1:  21  10  28 \n  \
                  8:  17  28  10 \n";
    let (topology, assumptions) = imported(text, ImportKind::NumactlH);
    assert_eq!(groups(&topology, |cpu| cpu.core)[..2], ["0,8", "1,9"]);
    let memory: Vec<bool> = (0..3)
        .map(|node| topology.has_memory(teeter_machine::NodeId(node)))
        .collect();
    assert_eq!(memory, [true, false, true]);
    assert_eq!(topology.distances, [10, 21, 17, 21, 10, 28, 17, 28, 10]);
    assert_eq!(
        assumptions,
        [
            "hardware threads are not told of: the 2 runs of each node's CPUs are the threads of its cores",
            "packages are not told of: every node is one",
            "caches are not told of: the CPUs of a package and node share one",
            "nodes are numbered without gaps: 0, 1, 8 become 0 to 2",
        ]
    );
}

#[test]
fn cpuinfo_tells_cores_and_packages() {
    let block = |cpu: u32, package: u32, core: u32| {
        format!(
            "processor\t: {cpu}\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel name\t: EPYC\n\
             physical id\t: {package}\nsiblings\t: 4\ncore id\t\t: {core}\ncpu cores\t: 2\n\n"
        )
    };
    let text: String = (0..8)
        .map(|cpu| block(cpu, cpu / 2 % 2, cpu % 2 * 4))
        .collect();
    let (topology, assumptions) = imported(&text, ImportKind::Cpuinfo);
    assert_eq!(
        groups(&topology, |cpu| cpu.core),
        ["0,4", "1,5", "2,6", "3,7"]
    );
    assert_eq!(groups(&topology, |cpu| cpu.node.0), ["0-1,4-5", "2-3,6-7"]);
    assert_eq!(topology.reclaim_distance, 32);
    assert_eq!(
        assumptions,
        [
            "nodes are not told of: every package is one",
            "caches are not told of: the CPUs of a package and node share one",
            "distances are not told of: any two nodes are 20 from each other",
            "the processor is an AMD Zen: the kernel's RECLAIM_DISTANCE is 32",
        ]
    );
}

#[test]
fn offline_cpus_keep_their_numbers() {
    let text = "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE\n\
                0   0    0      0    0:0:0:0       yes\n\
                1   -    -      -    -             no\n\
                2   0    0      1    1:1:1:0       yes\n\
                4   0    0      1    1:1:1:0       yes\n";
    let (topology, assumptions) = imported(text, ImportKind::LscpuE);
    assert_eq!(list(&topology.online), "0,2,4");
    assert_eq!(groups(&topology, |cpu| cpu.core), ["0", "1", "2,4", "3"]);
    assert_eq!(groups(&topology, |cpu| cpu.llc), ["0-4"]);
    assert_eq!(
        assumptions,
        ["where the offline CPUs 1,3 sit is not told: each is a core beside the CPU before it"]
    );
}

#[test]
fn an_l3_over_nodes_is_cut_aloud() {
    let text = "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,1,0,1,,1,1,1,0\n";
    let (topology, assumptions) = imported(text, ImportKind::LscpuP);
    assert_eq!(groups(&topology, |cpu| cpu.llc), ["0", "1"]);
    assert!(assumptions[1].contains("spans nodes"), "{assumptions:?}");
}

#[test]
fn hybrid_summaries_are_told_apart() {
    let text = "Architecture: x86_64\nCPU(s): 12\nOn-line CPU(s) list: 0-11\nThread(s) per core: 2\n\
                Core(s) per socket: 8\nSocket(s): 1\nVendor ID: GenuineIntel\n";
    let (topology, assumptions) = imported(text, ImportKind::Lscpu);
    let cores = groups(&topology, |cpu| cpu.core);
    assert_eq!(cores, ["0-1", "2-3", "4-5", "6-7", "8", "9", "10", "11"]);
    assert!(
        assumptions[0].contains("the first 4 have"),
        "{assumptions:?}"
    );
}

fn hwloc(name: &str) -> (Topology, Vec<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/hwloc")
        .join(name);
    imported(&fs::read_to_string(path).unwrap(), ImportKind::HwlocXml)
}

#[test]
fn a_hybrid_machine_of_hwloc_2() {
    let (topology, assumptions) = hwloc("hybrid.v2.xml");
    assert_eq!(groups(&topology, |cpu| cpu.core)[..3], ["0-1", "2-3", "4"]);
    assert_eq!(groups(&topology, |cpu| cpu.cluster), ["0-1", "2-3", "4-7"]);
    assert_eq!(groups(&topology, |cpu| cpu.llc), ["0-7"]);
    assert!(topology.asym_packing);
    assert_eq!(
        assumptions,
        ["the cores are of two kinds: the kernel prefers lower-numbered CPUs (SD_ASYM_PACKING)"]
    );
}

#[test]
fn four_threads_a_core_of_hwloc_3() {
    let (topology, assumptions) = hwloc("smt4.v3.xml");
    assert_eq!(
        groups(&topology, |cpu| cpu.core)[..3],
        ["0-3", "4-7", "8-11"]
    );
    assert_eq!(list(&topology.online), "0-12");
    assert_eq!(topology.distances, [10, 40, 80, 40, 10, 80, 80, 80, 10]);
    let nodes: Vec<String> = topology.nodes.iter().map(list).collect();
    assert_eq!(nodes, ["0-7", "8-15", ""]);
    assert_eq!(
        assumptions,
        [
            "where the offline CPUs 13-15 sit is not told: each is a core beside the CPU before it",
            "nodes are numbered without gaps: 0, 8, 250 become 0 to 2",
        ]
    );
}

#[test]
fn eight_nodes_are_the_same_of_hwloc_1_and_2() {
    let (first, assumptions) = hwloc("power-8-nodes.v1.xml");
    let (second, _) = hwloc("power-8-nodes.v2.xml");
    assert_eq!(first, second);
    assert_eq!(assumptions, [""; 0]);
    assert_eq!(first.distances[..8], [10, 20, 40, 40, 40, 40, 40, 40]);
    assert_eq!(groups(&first, |cpu| cpu.core).len(), 8);
}

#[track_caller]
fn refused(text: &str, kind: ImportKind, message: &str) {
    assert_eq!(import(text, kind).unwrap_err().to_string(), message);
}

#[test]
fn what_is_wrong_is_told_by_line_and_column() {
    use ImportKind::{Auto, Cpuinfo, HwlocXml, LscpuE, LscpuJson, LscpuP, NumactlH, Sysfs};
    refused(
        "# CPU,Core\n0,0\n0,1\n",
        LscpuP,
        "line 3, column 1: CPU 0 is told of twice",
    );
    refused(
        "0,0\n",
        LscpuP,
        "line 1, column 1: expected a header before the rows, such as `# CPU,Core,Socket,Node`, found `0,0`",
    );
    refused(
        "CPU NODE\n  0 0\n  1024 0\n",
        LscpuE,
        "line 3, column 3: expected the number of a CPU, from 0 to 1023, found `1024`",
    );
    refused(
        "CPU NODE\n0\n",
        LscpuE,
        "line 2, column 1: expected 2 cells, one for each column, found 1",
    );
    refused(
        "{\"cpus\": [\n{\"cpu\": 0,}]}",
        LscpuJson,
        "line 2, column 11: expected JSON: trailing comma",
    );
    refused(
        "node 0 cpus: 0 1\nnode 1 cpus: 1\n",
        NumactlH,
        "line 2, column 14: CPU 1 is on a node already",
    );
    refused(
        "/sys/devices/system/cpu/cpu0/topology/core_cpus_list:0,x\n",
        Sysfs,
        "line 1, column 54: expected a list of CPUs: `x` is not a list of CPUs: write numbers and ranges, as in \"0-3,8\"",
    );
    refused(
        "processor : 0\nnonsense\n",
        Cpuinfo,
        "line 2, column 1: expected a field and its value, such as `processor : 0`, found `nonsense`",
    );
    refused(
        "<topology>\n <object type=\"PU\" os_index=\"-1\"/>\n</topology>",
        HwlocXml,
        "line 2, column 2: expected `os_index` from 0 to 1023, found `-1`",
    );
    refused(
        "what is this",
        Auto,
        "line 1, column 1: expected the output of lscpu, numactl -H or lstopo, /proc/cpuinfo, a listing of \
         /sys/devices/system, or words such as `node:4 core:10`",
    );
    refused(
        "node 0 cpus: 0\nnode 1 cpus: 1\nnode distances:\nnode 0 1\n0: 10 5\n1: 20 10\n",
        NumactlH,
        "the distance from node 0 to 1 is 5: expected 10 to itself, 11 to 254 to others",
    );
}

#[test]
fn limits_hold_before_anything_is_made() {
    let long = "x".repeat(MOST + 1);
    for kind in KINDS {
        refused(&long, kind, "longer than 16777216 bytes");
    }
    let deep = "<topology>".to_owned() + &"<object type=\"Group\">".repeat(10_000);
    assert!(import(&deep, ImportKind::HwlocXml).is_err());
    let nested = "[".repeat(100_000);
    assert!(import(&nested, ImportKind::LscpuJson).is_err());
    let entities = "<!DOCTYPE topology [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">\
                    <!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\">\
                    <!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;\"><!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;\">]>\
                    <topology>&f;</topology>";
    assert!(import(entities, ImportKind::HwlocXml).is_err());
}

#[test]
fn the_largest_machine_is_read() {
    let source = MachineSource::Synthetic("node:64 l3:2 core:4 pu:2".to_owned());
    let mut machine = Machine::new(source);
    machine.numbering = Some(Numbering::SiblingsLast);
    let topology = Topology::from_spec(&machine).unwrap();
    assert_eq!((topology.cpus.len(), topology.nodes.len()), (1024, 64));
    let mut text = "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n".to_owned();
    for (cpu, place) in topology.cpus.iter().enumerate() {
        let (core, llc) = (place.core, place.llc);
        text += &format!(
            "{cpu},{core},{},{},,{core},{core},{core},{llc}\n",
            place.package, place.node.0
        );
    }
    let (read, _) = imported(&text, ImportKind::LscpuP);
    assert_eq!(read, topology);
    let more = text + "1024,0,0,0,,0,0,0,0\n";
    refused(
        &more,
        ImportKind::LscpuP,
        "line 1026, column 1: expected the number of a CPU, from 0 to 1023, found `1024`",
    );
}

#[test]
fn repetition_costs_no_more_than_its_length() {
    for (line, kind) in [
        ("NUMA node1 CPU(s): 0-1023\n", ImportKind::Lscpu),
        ("/node/node1/cpulist:0-1023\n", ImportKind::Sysfs),
        ("node 1 cpus:\n", ImportKind::NumactlH),
    ] {
        let text = line.repeat((1 << 20) / line.len());
        let cpus = import(&text, kind)
            .map(|imported| Topology::from_spec(&imported.machine).unwrap().cpus.len());
        assert!(cpus.is_err() || cpus == Ok(1024), "{line}");
    }
}

/// Texts that are nearly right: a real output with something cut out and something put in.
fn mangled() -> impl Strategy<Value = String> {
    let files = [
        "s2c4t2_2n.p.txt",
        "memonly.e.txt",
        "asym4_2.json",
        "s1c2t2.e.json",
        "snc2dies.sysfs.txt",
    ];
    let mut texts: Vec<String> = files.iter().map(|name| golden_text(name)).collect();
    for xml in ["hybrid.v2.xml", "smt4.v3.xml", "power-8-nodes.v1.xml"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/hwloc")
            .join(xml);
        texts.push(fs::read_to_string(path).unwrap());
    }
    texts.push(
        "node 0 cpus: 0 1 2\nnode 0 size: 12 MB\nnode distances:\nnode 0\n0: 10\n".to_owned(),
    );
    texts.push("processor : 0\nphysical id : 0\ncore id : 0\n\nprocessor : 1\n".to_owned());
    let cut = (
        any::<prop::sample::Index>(),
        0..40_usize,
        "[-0-9a-z:,/<>\"{}= \n]{0,6}",
    );
    (
        prop::sample::select(texts),
        prop::collection::vec(cut, 1..4),
    )
        .prop_map(|(mut text, cuts)| {
            for (at, length, put) in cuts {
                let at = text.floor_char_boundary(at.index(text.len() + 1));
                let end = text.floor_char_boundary((at + length).min(text.len()));
                text.replace_range(at..end, &put);
            }
            text
        })
}

proptest! {
    #[test]
    fn garbage_is_refused_or_makes_a_machine(text in prop_oneof![".{0,200}", mangled()]) {
        for kind in KINDS {
            if let Ok(imported) = import(&text, kind) {
                let source = &imported.machine.source;
                let whole = !matches!(source, MachineSource::Synthetic(_));
                prop_assert!(!whole || Topology::from_spec(&imported.machine).is_ok());
            }
        }
    }

    #[test]
    fn a_described_machine_is_made_again(
        mut machine in machine(),
        siblings_last: bool,
        dark in prop::option::of(1..9_u16),
        asym_packing: bool,
    ) {
        machine.numbering = siblings_last.then_some(Numbering::SiblingsLast);
        machine.asym_packing = Some(asym_packing);
        let cpus = Topology::from_spec(&machine).unwrap().cpus.len() as u32;
        machine.offline = dark.map(u32::from).filter(|&cpu| cpu < cpus).into_iter().collect();
        let topology = Topology::from_spec(&machine).unwrap();
        let again = Topology::from_spec(&topology.describe()).unwrap();
        prop_assert_eq!(again, topology);
    }

    #[test]
    fn a_table_is_the_machine(machine in machine(), shuffle: u64) {
        // Numbers without any rule: the CPUs of a machine in another order.
        let mut topology = Topology::from_spec(&machine).unwrap();
        let count = topology.cpus.len();
        topology.cpus.rotate_left((shuffle % count as u64) as usize);
        let mut text = "# CPU,Core,Cluster,LLC,Die,Socket,Node,Capacity\n".to_owned();
        for (cpu, place) in topology.cpus.iter().enumerate() {
            text += &format!(
                "{cpu},{},{},{},{},{},{},{}\n",
                place.core, place.cluster, place.llc, place.die, place.package, place.node.0, place.capacity
            );
        }
        let imported = import(&text, ImportKind::Auto).unwrap();
        let read = Topology::from_spec(&imported.machine).unwrap();
        for key in [
            |cpu: &Cpu| cpu.core,
            |cpu: &Cpu| cpu.cluster,
            |cpu: &Cpu| cpu.llc,
            |cpu: &Cpu| cpu.die,
            |cpu: &Cpu| cpu.package,
            |cpu: &Cpu| cpu.node.0,
        ] {
            prop_assert_eq!(groups(&read, key), groups(&topology, key));
        }
    }
}
