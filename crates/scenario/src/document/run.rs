//! How long and how often a scenario runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// How long and how often to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Simulated time of one run.
    pub duration: Nanos,
    /// Time before statistics are taken.
    pub warmup: Nanos,
    /// How long the machine has been up and idle before the scenario begins. By default every sched domain counts as
    /// just balanced; after some time the next pass is due at each level.
    pub uptime: Nanos,
    /// Where all random draws come from.
    pub seed: u64,
    /// Runs of each kernel, each with a seed derived from `seed` and its number.
    pub repeats: u32,
    /// Time between two samples of the recorded series.
    pub sample: Nanos,
    /// When a run ends.
    pub until: Until,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            duration: Nanos::from_secs(30),
            warmup: Nanos::ZERO,
            uptime: Nanos::ZERO,
            seed: 1,
            repeats: 1,
            sample: Nanos::from_millis(10),
            until: Until::Time,
        }
    }
}

/// When a run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// After its duration.
    #[default]
    Time,
    /// When every workload that ends has ended, or after its duration.
    Done,
}
