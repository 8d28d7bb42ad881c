//! `machine`

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::{Deserialize, Serialize, Serializer};

use super::shape::exactly_one;
use super::{changed, into_all};
use crate::document as doc;
use crate::document::{ImportKind, Numbering, SettingValue};
use crate::problem::Problem;
use crate::{Bytes, CpuList};

/// The hardware: exactly one of `preset`, `synthetic`, `import` and `nodes`, and changes beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Machine {
    /// A machine preset by name; `teeter presets` lists them.
    #[serde(skip_serializing_if = "Option::is_none")]
    preset: Option<String>,
    /// An hwloc synthetic description, such as `node:4 l3:1 core:10 pu:2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    synthetic: Option<String>,
    /// The output of a tool, as it is; `from` says which.
    #[serde(skip_serializing_if = "Option::is_none")]
    import: Option<String>,
    /// The tool whose output `import` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "auto"))]
    from: Option<ImportKind>,
    /// Node by node.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<Node>>,
    /// Distances between nodes, row by row, 10 being local.
    #[serde(skip_serializing_if = "Option::is_none")]
    distances: Option<Vec<Vec<u32>>>,
    /// How the hardware threads of a core are numbered.
    #[serde(skip_serializing_if = "Option::is_none")]
    numbering: Option<Numbering>,
    /// CPUs that are switched off from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    offline: Option<CpuList>,
    /// Hardware whose speed it has; that of the preset, or what is most like it in shape, unless it is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    hardware: Option<String>,
    /// Parameters of the hardware model, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<BTreeMap<String, SettingValue>>,
    /// Whether lower-numbered SMT siblings are preferred (SD_ASYM_PACKING).
    #[serde(skip_serializing_if = "Option::is_none")]
    asym_packing: Option<bool>,
    /// Distance beyond which a NUMA level does not balance on fork, exec and wake; 30 unless the source says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    reclaim_distance: Option<u32>,
    /// The nodes of each package; one each unless the source says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    packages: Option<Vec<Vec<u32>>>,
    /// CPUs outside every sched domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    isolcpus: Option<CpuList>,
}

/// A NUMA node, or `count` alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Node {
    /// How many alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    count: Option<u32>,
    /// Last-level caches with what shares them; none: memory only.
    #[serde(skip_serializing_if = "Option::is_none")]
    llcs: Option<Vec<Llc>>,
    /// Size of its memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Bytes>,
}

/// What shares one last-level cache, or `count` such alike: `clusters` or `cores`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Llc {
    /// How many alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    count: Option<u32>,
    /// Clusters of cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    clusters: Option<Vec<Cluster>>,
    /// The cores, where they are not in clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    cores: Option<Cores>,
    /// Size of the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<Bytes>,
}

/// Cores that share more than the last-level cache, or `count` such clusters alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Cluster {
    /// How many alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    count: Option<u32>,
    cores: Cores,
}

/// A core, or `count` alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Core {
    /// How many alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    count: Option<u32>,
    /// Hardware threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    pus: Option<u32>,
    /// Capacity, 1024 being the largest core's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1024))]
    capacity: Option<u32>,
}

/// Cores one by one; a bare number stands for that many of one thread each.
#[derive(Clone, Debug, PartialEq)]
struct Cores(Vec<Core>);

impl Serialize for Cores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [
                Core {
                    count: Some(count),
                    pus: None,
                    capacity: None,
                },
            ] => serializer.serialize_u32(*count),
            cores => cores.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Cores {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CoresVisitor;

        impl<'de> Visitor<'de> for CoresVisitor {
            type Value = Cores;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of cores or a list of them")
            }

            fn visit_u64<E: Error>(self, count: u64) -> Result<Cores, E> {
                let count = u32::try_from(count)
                    .map_err(|_too_large| E::custom(format!("{count} cores are too many")))?;
                Ok(Cores(vec![Core {
                    count: Some(count),
                    ..Core::default()
                }]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, cores: A) -> Result<Cores, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(cores)).map(Cores)
            }
        }

        deserializer.deserialize_any(CoresVisitor)
    }
}

impl JsonSchema for Cores {
    fn schema_name() -> Cow<'static, str> {
        "Cores".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let core = generator.subschema_for::<Core>();
        json_schema!({
            "description": "The cores one by one, or how many there are with one thread each.",
            "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "array", "items": core }]
        })
    }
}

impl Machine {
    /// What the types do not rule out.
    pub(super) fn check(&self, path: &str, problems: &mut Vec<Problem>) {
        let sources = [
            ("preset", self.preset.is_some()),
            ("synthetic", self.synthetic.is_some()),
            ("import", self.import.is_some()),
            ("nodes", self.nodes.is_some()),
        ];
        exactly_one(path, &sources, problems);
        if self.from.is_some() && self.import.is_none() {
            problems.push(Problem::new(
                format!("{path}/from"),
                "says what `import` is, and there is none",
            ));
        }
        for (i, node) in self.nodes.iter().flatten().enumerate() {
            for (j, llc) in node.llcs.iter().flatten().enumerate() {
                let keys = [
                    ("cores", llc.cores.is_some()),
                    ("clusters", llc.clusters.is_some()),
                ];
                exactly_one(&format!("{path}/nodes/{i}/llcs/{j}"), &keys, problems);
            }
        }
    }
}

impl From<Machine> for doc::Machine {
    fn from(wire: Machine) -> Self {
        let source = match (wire.preset, wire.synthetic, wire.import) {
            (Some(name), _, _) => doc::MachineSource::Preset(name),
            (None, Some(words), _) => doc::MachineSource::Synthetic(words),
            (None, None, Some(text)) => doc::MachineSource::Import {
                text,
                from: wire.from.unwrap_or_default(),
            },
            (None, None, None) => {
                doc::MachineSource::Nodes(into_all(wire.nodes.unwrap_or_default()))
            }
        };
        Self {
            source,
            distances: wire.distances,
            numbering: wire.numbering,
            offline: wire.offline.unwrap_or_default(),
            hardware: wire.hardware,
            speed: wire.speed.unwrap_or_default(),
            asym_packing: wire.asym_packing,
            reclaim_distance: wire.reclaim_distance,
            packages: wire.packages.unwrap_or_default(),
            isolcpus: wire.isolcpus.unwrap_or_default(),
        }
    }
}

impl From<doc::Machine> for Machine {
    fn from(machine: doc::Machine) -> Self {
        let source = match machine.source {
            doc::MachineSource::Preset(name) => Self {
                preset: Some(name),
                ..Self::default()
            },
            doc::MachineSource::Synthetic(words) => Self {
                synthetic: Some(words),
                ..Self::default()
            },
            doc::MachineSource::Import { text, from } => Self {
                import: Some(text),
                from: changed(from, &ImportKind::default()),
                ..Self::default()
            },
            doc::MachineSource::Nodes(nodes) => Self {
                nodes: Some(into_all(nodes)),
                ..Self::default()
            },
        };
        Self {
            distances: machine.distances,
            numbering: machine.numbering,
            offline: changed(machine.offline, &CpuList::EMPTY),
            hardware: machine.hardware,
            speed: changed(machine.speed, &BTreeMap::new()),
            asym_packing: machine.asym_packing,
            reclaim_distance: machine.reclaim_distance,
            packages: changed(machine.packages, &Vec::new()),
            isolcpus: changed(machine.isolcpus, &CpuList::EMPTY),
            ..source
        }
    }
}

impl From<Node> for doc::NodeSpec {
    fn from(wire: Node) -> Self {
        Self {
            count: wire.count.unwrap_or(1),
            llcs: into_all(wire.llcs.unwrap_or_default()),
            memory: wire.memory,
        }
    }
}

impl From<doc::NodeSpec> for Node {
    fn from(node: doc::NodeSpec) -> Self {
        Self {
            count: changed(node.count, &1),
            llcs: super::some_all(node.llcs),
            memory: node.memory,
        }
    }
}

impl From<Llc> for doc::LlcSpec {
    fn from(wire: Llc) -> Self {
        Self {
            count: wire.count.unwrap_or(1),
            clusters: into_all(wire.clusters.unwrap_or_default()),
            cores: wire.cores.map(Vec::from).unwrap_or_default(),
            size: wire.size,
        }
    }
}

impl From<doc::LlcSpec> for Llc {
    fn from(llc: doc::LlcSpec) -> Self {
        let (clusters, cores) = if llc.clusters.is_empty() {
            (None, Some(llc.cores.into()))
        } else {
            (Some(into_all(llc.clusters)), None)
        };
        Self {
            count: changed(llc.count, &1),
            clusters,
            cores,
            size: llc.size,
        }
    }
}

impl From<Cluster> for doc::ClusterSpec {
    fn from(wire: Cluster) -> Self {
        Self {
            count: wire.count.unwrap_or(1),
            cores: wire.cores.into(),
        }
    }
}

impl From<doc::ClusterSpec> for Cluster {
    fn from(cluster: doc::ClusterSpec) -> Self {
        Self {
            count: changed(cluster.count, &1),
            cores: cluster.cores.into(),
        }
    }
}

impl From<Cores> for Vec<doc::CoreSpec> {
    fn from(wire: Cores) -> Self {
        let default = doc::CoreSpec::default();
        let core = |core: Core| doc::CoreSpec {
            count: core.count.unwrap_or(default.count),
            pus: core.pus.unwrap_or(default.pus),
            capacity: core.capacity.unwrap_or(default.capacity),
        };
        wire.0.into_iter().map(core).collect()
    }
}

impl From<Vec<doc::CoreSpec>> for Cores {
    fn from(cores: Vec<doc::CoreSpec>) -> Self {
        let default = doc::CoreSpec::default();
        let core = |core: doc::CoreSpec| Core {
            count: changed(core.count, &default.count),
            pus: changed(core.pus, &default.pus),
            capacity: changed(core.capacity, &default.capacity),
        };
        Self(cores.into_iter().map(core).collect())
    }
}
