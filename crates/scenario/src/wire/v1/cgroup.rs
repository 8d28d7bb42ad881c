//! `cgroups`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changed;
use crate::document as doc;
use crate::document::{Bandwidth, Partition};
use crate::{CpuList, Nanos};

/// A cgroup. A parent that is not listed exists with the defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Cgroup {
    /// Absolute path, such as `/a/b`.
    path: String,
    /// cpu.weight
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10000), extend("default" = 100))]
    weight: Option<u32>,
    /// cpu.max
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<Bandwidth>,
    /// cpuset.cpus; by default the parent's.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpus: Option<CpuList>,
    /// cpuset.mems; by default the parent's.
    #[serde(skip_serializing_if = "Option::is_none")]
    mems: Option<CpuList>,
    /// cpu.idle
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    idle: Option<bool>,
    /// cpu.max.burst
    #[serde(skip_serializing_if = "Option::is_none")]
    burst: Option<Nanos>,
    /// cpuset.cpus.partition
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<Partition>,
}

impl From<Cgroup> for doc::Cgroup {
    fn from(wire: Cgroup) -> Self {
        let default = Self::new(wire.path);
        Self {
            weight: wire.weight.unwrap_or(default.weight),
            max: wire.max.unwrap_or(default.max),
            cpus: wire.cpus,
            mems: wire.mems,
            idle: wire.idle.unwrap_or(default.idle),
            burst: wire.burst.unwrap_or(default.burst),
            partition: wire.partition.unwrap_or(default.partition),
            ..default
        }
    }
}

impl From<doc::Cgroup> for Cgroup {
    fn from(cgroup: doc::Cgroup) -> Self {
        let default = doc::Cgroup::new("");
        Self {
            path: cgroup.path,
            weight: changed(cgroup.weight, &default.weight),
            max: changed(cgroup.max, &default.max),
            cpus: cgroup.cpus,
            mems: cgroup.mems,
            idle: changed(cgroup.idle, &default.idle),
            burst: changed(cgroup.burst, &default.burst),
            partition: changed(cgroup.partition, &default.partition),
        }
    }
}
