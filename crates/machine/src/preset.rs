//! Machines by name.

use teeter_scenario::document::{ClusterSpec, CoreSpec, LlcSpec, NodeSpec, Numbering};

use crate::speed::Hardware;

/// A machine that can be chosen by name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// One sentence about it.
    pub about: &'static str,
    /// Where its shape and distances come from, and what of it is assumed.
    pub source: &'static str,
    /// Its shape, as an hwloc synthetic description (in which all cores are alike; see
    /// [`Preset::nodes`]).
    pub synthetic: &'static str,
    /// How its CPUs are numbered.
    pub numbering: Numbering,
    /// RECLAIM_DISTANCE of its kernel.
    pub reclaim_distance: u8,
    /// SLIT distances between its nodes.
    distances: Distances,
    /// Whether its kernel prefers some CPUs to others (SD_ASYM_PACKING).
    pub asym_packing: bool,
    /// The cores of each cluster, where they are not all alike.
    clusters: &'static [Cluster],
    /// The hardware whose speed it has.
    pub(crate) hardware: Hardware,
}

/// SLIT distances between the nodes of a machine.
#[derive(Clone, Copy, Debug)]
enum Distances {
    /// The same between any two.
    Uniform(u8),
    /// `near` between nodes 2n and 2n+1, `far` between others.
    Pairs { near: u8, far: u8 },
    /// A row a node.
    Matrix(&'static [&'static [u8]]),
}

/// Clusters of one last-level cache that are alike.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    count: u32,
    cores: u32,
    pus: u32,
}

impl Preset {
    /// The preset of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// SLIT distance between two of its nodes.
    pub(crate) fn distance(&self, from: usize, to: usize) -> u8 {
        match self.distances {
            _ if from == to => LOCAL_DISTANCE,
            Distances::Pairs { near, .. } if from / 2 == to / 2 => near,
            Distances::Uniform(remote) | Distances::Pairs { far: remote, .. } => remote,
            Distances::Matrix(rows) => {
                let distance = rows.get(from).and_then(|row| row.get(to));
                distance.copied().unwrap_or(REMOTE_DISTANCE)
            }
        }
    }

    /// Its one node, where the cores of it are not all alike.
    pub fn nodes(&self) -> Option<Vec<NodeSpec>> {
        let cluster = |cluster: &Cluster| ClusterSpec {
            count: cluster.count,
            cores: vec![CoreSpec {
                count: cluster.cores,
                pus: cluster.pus,
                ..CoreSpec::default()
            }],
        };
        let llc = LlcSpec {
            count: 1,
            clusters: self.clusters.iter().map(cluster).collect(),
            cores: Vec::new(),
            size: None,
        };
        let node = NodeSpec {
            count: 1,
            llcs: vec![llc],
            memory: None,
        };
        (!self.clusters.is_empty()).then(|| vec![node])
    }
}

/// Distance of a node to itself in the ACPI SLIT.
pub(crate) const LOCAL_DISTANCE: u8 = 10;
/// Distance to another node where nothing else is known, as the kernel has it.
pub(crate) const REMOTE_DISTANCE: u8 = 20;
/// RECLAIM_DISTANCE of every architecture but some AMD machines.
pub(crate) const RECLAIM_DISTANCE: u8 = 30;

/// Every preset, smallest first within the machines of one vendor.
pub fn presets() -> &'static [Preset] {
    &PRESETS
}

/// An x86 machine of Intel's: firmware lists all first threads before the second ones, package by
/// package, so the kernel numbers them so.
const XEON: Preset = Preset {
    name: "",
    about: "",
    source: "",
    synthetic: "",
    numbering: Numbering::SiblingsLast,
    reclaim_distance: RECLAIM_DISTANCE,
    distances: Distances::Uniform(21),
    asym_packing: false,
    clusters: &[],
    hardware: Hardware::Haswell,
};

/// An AMD EPYC with one node a socket: 32 to the other socket, and since Linux 5.4 the kernel's
/// RECLAIM_DISTANCE is 32 there, so that fork and exec still balance over both.
const EPYC: Preset = Preset {
    reclaim_distance: 32,
    distances: Distances::Uniform(32),
    hardware: Hardware::Zen,
    ..XEON
};

static PRESETS: [Preset; 14] = [
    Preset {
        name: "laptop",
        about: "one socket of 4 cores with 2 threads each, one LLC",
        source: "a common client processor; numbers as firmware of Intel clients lists them",
        synthetic: "pack:1 node:1 l3:1 core:4 pu:2",
        hardware: Hardware::Client,
        ..XEON
    },
    Preset {
        name: "4n-80c",
        about: "4 nodes of 10 cores with 2 threads each, one LLC a node: 80 CPUs",
        source: "the machine of the load balance rework's lu.C table: 4 nodes of 20 CPUs with SMT, as reported; \
                 one LLC a node, distance 21 and numbering (node 0 has 0-9 and 40-49) as four-socket Xeons of \
                 80 CPUs list them",
        synthetic: "pack:4 node:1 l3:1 core:10 pu:2",
        hardware: Hardware::FourSocketXeon,
        ..XEON
    },
    Preset {
        name: "xeon-16c",
        about: "one socket of 16 cores with 2 threads each: 32 CPUs",
        source: "the machine of the schbench report on hierarchical load tracking: one socket, 16 cores and \
                 32 threads, as told in its thread",
        synthetic: "pack:1 node:1 l3:1 core:16 pu:2",
        ..XEON
    },
    Preset {
        name: "haswell-2s",
        about: "2 sockets of 12 cores with 2 threads each: 48 CPUs",
        source: "the machine of the NUMA imbalance patch's tables: two sockets of Haswell, 48 CPUs; one LLC a \
                 socket and distance 21 are usual for it",
        synthetic: "pack:2 node:1 l3:1 core:12 pu:2",
        ..XEON
    },
    Preset {
        name: "haswell-4s",
        about: "4 sockets of 18 cores with 2 threads each: 144 CPUs",
        source: "a machine named in the thread of the NUMA imbalance patch: four sockets, 144 CPUs; one LLC a \
                 socket and distance 21 are usual for it",
        synthetic: "pack:4 node:1 l3:1 core:18 pu:2",
        hardware: Hardware::FourSocketXeon,
        ..XEON
    },
    Preset {
        name: "rome-2s",
        about: "2 sockets of 16 CCXs of 4 cores with 2 threads each, an LLC a CCX: 256 CPUs",
        source: "a machine named in the thread of the NUMA imbalance patch: EPYC 2nd generation, 2 x 64 cores, \
                 NPS1; distances 10 and 32 as such machines report",
        synthetic: "pack:2 node:1 l3:16 core:4 pu:2",
        ..EPYC
    },
    Preset {
        name: "milan-2s",
        about: "2 sockets of 8 CCXs of 8 cores with 2 threads each, an LLC a CCX: 256 CPUs",
        source: "the machine of the tests of the wakeup bias patches: EPYC 3rd generation, 2 x 64 cores, NPS1, \
                 C2 disabled, as reported; distances 10 and 32 as such machines report",
        synthetic: "pack:2 node:1 l3:8 core:8 pu:2",
        ..EPYC
    },
    Preset {
        name: "genoa-2s",
        about: "2 sockets of 12 CCXs of 8 cores with 2 threads each, an LLC a CCX: 384 CPUs",
        source: "the machine of the wakeup bias patches' author: EPYC 4th generation, 192 cores on two sockets, \
                 as reported; distances 10 and 32 as such machines report",
        synthetic: "pack:2 node:1 l3:12 core:8 pu:2",
        ..EPYC
    },
    Preset {
        name: "power8-8n",
        about: "8 nodes of 4 POWER8 cores with 8 threads each, an LLC a core: 256 CPUs",
        source: "the machine of the numa01-numa10 report: lscpu lists 8 nodes of 32 CPUs, 8 threads a core, under \
                 pHyp; distances 20 within and 40 between pairs of nodes are those that a POWER8 S824 reports; \
                 RECLAIM_DISTANCE 10 as arch/powerpc defines it, so nothing is forked or woken to another node",
        synthetic: "node:8 l3:4 core:1 pu:8",
        numbering: Numbering::Contiguous,
        reclaim_distance: 10,
        distances: Distances::Pairs { near: 20, far: 40 },
        hardware: Hardware::Power8,
        ..XEON
    },
    Preset {
        name: "hybrid",
        about: "one socket of 8 P cores with 2 threads each and 8 E cores in clusters of 4: 24 CPUs",
        source: "a 12th generation Core i9 as lstopo draws it: P threads first (0-15), the E cores of a module \
                 share an L2, one L3 over all; ITMT makes the kernel prefer P cores, and as kernels do where \
                 cores have two threads, every CPU counts 1024",
        synthetic: "pack:1 node:1 l3:1 core:16",
        numbering: Numbering::Contiguous,
        asym_packing: true,
        clusters: &[
            Cluster {
                count: 8,
                cores: 1,
                pus: 2,
            },
            Cluster {
                count: 2,
                cores: 4,
                pus: 1,
            },
        ],
        hardware: Hardware::Client,
        ..XEON
    },
    Preset {
        name: "dual-ccd",
        about: "one socket of 2 CCDs of 8 cores with 2 threads each, an LLC a CCD: 32 CPUs",
        source: "a 16-core Ryzen 9 of the Zen 3 and later generations: two dies of eight cores, each under an L3 of \
                 its own; first threads are 0-15 as lscpu lists them",
        synthetic: "pack:1 node:1 l3:2 core:8 pu:2",
        ..EPYC
    },
    Preset {
        name: "glueless-8n",
        about: "8 sockets of 24 cores with 2 threads each, linked without a node controller: 384 CPUs",
        source: "eight sockets of Xeon Platinum 8160, three links each, so that some sockets are two hops apart: the \
                 distances 10, 21 and 31 as numactl reports them on such a machine",
        synthetic: "pack:8 node:1 l3:1 core:24 pu:2",
        distances: Distances::Matrix(&[
            &[10, 21, 21, 31, 21, 31, 31, 31],
            &[21, 10, 31, 21, 31, 21, 31, 31],
            &[21, 31, 10, 21, 31, 31, 21, 31],
            &[31, 21, 21, 10, 31, 31, 31, 21],
            &[21, 31, 31, 31, 10, 21, 31, 21],
            &[31, 21, 31, 31, 21, 10, 21, 31],
            &[31, 31, 21, 31, 31, 21, 10, 21],
            &[31, 31, 31, 21, 21, 31, 21, 10],
        ]),
        hardware: Hardware::FourSocketXeon,
        ..XEON
    },
    Preset {
        name: "snc3-2s",
        about: "2 sockets of 3 nodes of 32 cores with 2 threads each, an LLC a node: 384 CPUs",
        source: "Xeon 6 (Granite Rapids) with sub-NUMA clusters, a node for each of three dies: distances as in \
                 Linux commit 4d6dd05d07d0 (\"Fix sched domain build error for GNR, CWF in SNC-3 mode\"); 32 cores \
                 a node and the numbering as numactl lists a rented one (node 0 has 0-31 and 192-223)",
        synthetic: "pack:2 node:3 l3:1 core:32 pu:2",
        distances: Distances::Matrix(&[
            &[10, 15, 17, 21, 28, 26],
            &[15, 10, 15, 23, 26, 23],
            &[17, 15, 10, 26, 23, 21],
            &[21, 28, 26, 10, 15, 17],
            &[23, 26, 23, 15, 10, 15],
            &[26, 23, 21, 17, 15, 10],
        ]),
        hardware: Hardware::FourSocketXeon,
        ..XEON
    },
    Preset {
        name: "arm-clusters",
        about: "2 sockets of 2 nodes of 6 clusters of 4 cores, an LLC a node: 96 CPUs",
        source: "Kunpeng 920: four cores share a cluster's L3 tags, 24 an L3, and node 1 is three hops from node 3; \
                 distances 10 to 24 as numactl reports them in the threads on three-hop machines; its speed is taken \
                 from a Xeon, for want of measurements",
        synthetic: "pack:2 node:2 l3:1 cluster:6 core:4",
        numbering: Numbering::Contiguous,
        distances: Distances::Matrix(&[
            &[10, 12, 20, 22],
            &[12, 10, 22, 24],
            &[20, 22, 10, 12],
            &[22, 24, 12, 10],
        ]),
        ..XEON
    },
];
