//! Machines by name.

use teeter_scenario::document::Numbering;

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
    /// Its shape, as an hwloc synthetic description.
    pub synthetic: &'static str,
    /// How its CPUs are numbered.
    pub numbering: Numbering,
    /// RECLAIM_DISTANCE of its kernel.
    pub reclaim_distance: u8,
    /// SLIT distance between nodes of different pairs.
    remote: u8,
    /// SLIT distance between nodes 2n and 2n+1, where they are nearer to each other than the others.
    pair: Option<u8>,
    /// The hardware whose speed it has.
    pub(crate) hardware: Hardware,
}

impl Preset {
    /// The preset of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// SLIT distance between two of its nodes.
    pub(crate) fn distance(&self, from: usize, to: usize) -> u8 {
        match self.pair {
            _ if from == to => LOCAL_DISTANCE,
            Some(pair) if from / 2 == to / 2 => pair,
            _ => self.remote,
        }
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
    remote: 21,
    pair: None,
    hardware: Hardware::Haswell,
};

/// An AMD EPYC with one node a socket: 32 to the other socket, and since Linux 5.4 the kernel's
/// RECLAIM_DISTANCE is 32 there, so that fork and exec still balance over both.
const EPYC: Preset = Preset {
    reclaim_distance: 32,
    remote: 32,
    hardware: Hardware::Zen,
    ..XEON
};

static PRESETS: [Preset; 9] = [
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
                 pHyp; distances 20 within and 40 between pairs of nodes are those that a POWER8 S824 reports",
        synthetic: "node:8 l3:4 core:1 pu:8",
        numbering: Numbering::Contiguous,
        reclaim_distance: RECLAIM_DISTANCE,
        remote: 40,
        pair: Some(20),
        hardware: Hardware::Power8,
    },
];
