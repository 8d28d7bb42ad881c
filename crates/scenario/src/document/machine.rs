//! The hardware a scenario runs on, as it is described; the `machine` crate builds it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SettingValue;
use crate::{Bytes, CpuList};

/// A machine: where its shape comes from, and what is changed or added beside that.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Where its shape comes from.
    pub source: MachineSource,
    /// Node distances in the ACPI SLIT's units (10 = local), row by row; `None`: as the source has them.
    pub distances: Option<Vec<Vec<u32>>>,
    /// How CPUs are numbered; `None`: as the source has it, else contiguous.
    pub numbering: Option<Numbering>,
    /// CPUs that are switched off from the start.
    pub offline: CpuList,
    /// The hardware whose speed it has, by name; `None`: that of its preset, else what is most like it in shape.
    pub hardware: Option<String>,
    /// Overrides of the hardware model's parameters, by name.
    pub speed: BTreeMap<String, SettingValue>,
    /// Whether lower-numbered SMT siblings are preferred (SD_ASYM_PACKING); `None`: as the source has it.
    pub asym_packing: Option<bool>,
    /// RECLAIM_DISTANCE, beyond which a NUMA level does not balance on fork, exec and wake; `None`: as the
    /// source has it, else 30.
    pub reclaim_distance: Option<u32>,
    /// The nodes of each package; empty: as the source has it, else one node each.
    pub packages: Vec<Vec<u32>>,
    /// CPUs outside every sched domain, as the boot parameter.
    pub isolcpus: CpuList,
}

impl Machine {
    /// A machine as its source describes it, with nothing changed.
    pub fn new(source: MachineSource) -> Self {
        Self {
            source,
            distances: None,
            numbering: None,
            offline: CpuList::EMPTY,
            hardware: None,
            speed: BTreeMap::new(),
            asym_packing: None,
            reclaim_distance: None,
            packages: Vec::new(),
            isolcpus: CpuList::EMPTY,
        }
    }

    /// The machine preset of that name.
    pub fn preset(name: impl Into<String>) -> Self {
        Self::new(MachineSource::Preset(name.into()))
    }
}

/// Where a machine's shape comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineSource {
    /// A machine preset by name, such as `4n-80c`.
    Preset(String),
    /// An hwloc synthetic description, such as `node:4 l3:1 core:10 pu:2`.
    Synthetic(String),
    /// The output of a tool on the machine itself.
    Import {
        /// The tool's output, as it is.
        text: String,
        /// Which tool's.
        from: ImportKind,
    },
    /// Node by node.
    Nodes(Vec<NodeSpec>),
}

/// Which tool's output is imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImportKind {
    /// `lscpu -p`
    LscpuP,
    /// `lscpu -e`
    LscpuE,
    /// `lscpu -J` or `lscpu -e -J`
    LscpuJson,
    /// `lscpu`
    Lscpu,
    /// `lstopo --of xml`
    HwlocXml,
    /// `numactl -H`
    #[serde(rename = "numactl-H")]
    NumactlH,
    /// A dump of `/sys/devices/system`
    Sysfs,
    /// `/proc/cpuinfo`
    Cpuinfo,
    /// Whichever it looks like.
    #[default]
    Auto,
}

/// How the hardware threads of a core are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Numbering {
    /// The threads of a core are neighbours.
    #[default]
    Contiguous,
    /// All first threads, then all second ones, as most x86 servers.
    SiblingsLast,
}

/// A NUMA node, or several alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSpec {
    /// How many alike.
    pub count: u32,
    /// Its last-level caches with what shares them; none: a node of memory only.
    pub llcs: Vec<LlcSpec>,
    /// Its memory; `None`: the hardware model's default.
    pub memory: Option<Bytes>,
}

/// The CPUs that share one last-level cache, or several such sets alike. Holds `clusters` or `cores`, not both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlcSpec {
    /// How many alike.
    pub count: u32,
    /// Clusters of cores (that share an L2 or a bus), if the cores are in such.
    pub clusters: Vec<ClusterSpec>,
    /// The cores, if they are not in clusters.
    pub cores: Vec<CoreSpec>,
    /// The cache's size; `None`: the hardware model's default.
    pub size: Option<Bytes>,
}

/// Cores that share more than the last-level cache, or several such clusters alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterSpec {
    /// How many alike.
    pub count: u32,
    /// The cores.
    pub cores: Vec<CoreSpec>,
}

/// A core, or several alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreSpec {
    /// How many alike.
    pub count: u32,
    /// Its hardware threads.
    pub pus: u32,
    /// Its capacity, where 1024 is the largest core of the machine.
    pub capacity: u32,
}

impl Default for CoreSpec {
    fn default() -> Self {
        Self {
            count: 1,
            pus: 1,
            capacity: 1024,
        }
    }
}
