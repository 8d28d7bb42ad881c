//! `run`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changed;
use crate::Nanos;
use crate::document as doc;
use crate::document::Until;

/// How long and how often to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Run {
    /// Simulated time of one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "30s"))]
    duration: Option<Nanos>,
    /// Time before statistics are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "0s"))]
    warmup: Option<Nanos>,
    /// How long the machine has been up and idle before: by default every sched domain counts as just balanced,
    /// after some time the next pass is due at each level.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "0s"))]
    uptime: Option<Nanos>,
    /// Where all random draws come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    seed: Option<u64>,
    /// Runs of each kernel, each with a seed derived from `seed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("default" = 1))]
    repeats: Option<u32>,
    /// Time between two samples of the series.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "10ms"))]
    sample: Option<Nanos>,
    /// When a run ends: after its duration, or when every workload that ends has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "time"))]
    until: Option<Until>,
}

impl From<Run> for doc::Run {
    fn from(wire: Run) -> Self {
        let default = Self::default();
        Self {
            duration: wire.duration.unwrap_or(default.duration),
            warmup: wire.warmup.unwrap_or(default.warmup),
            uptime: wire.uptime.unwrap_or(default.uptime),
            seed: wire.seed.unwrap_or(default.seed),
            repeats: wire.repeats.unwrap_or(default.repeats),
            sample: wire.sample.unwrap_or(default.sample),
            until: wire.until.unwrap_or(default.until),
        }
    }
}

impl From<doc::Run> for Run {
    fn from(run: doc::Run) -> Self {
        let default = doc::Run::default();
        Self {
            duration: changed(run.duration, &default.duration),
            warmup: changed(run.warmup, &default.warmup),
            uptime: changed(run.uptime, &default.uptime),
            seed: changed(run.seed, &default.seed),
            repeats: changed(run.repeats, &default.repeats),
            sample: changed(run.sample, &default.sample),
            until: changed(run.until, &default.until),
        }
    }
}
