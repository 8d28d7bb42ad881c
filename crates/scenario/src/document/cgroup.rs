//! A cgroup with its cpu and cpuset controllers.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CpuList, Nanos};

/// A cgroup. The root `/` always exists; a parent that is not listed exists with the defaults of
/// [`Cgroup::new`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cgroup {
    /// Absolute path, `/a/b`.
    pub path: String,
    /// cpu.weight, 1 to 10000; 100 is the default and equals cpu.shares 1024.
    pub weight: u32,
    /// cpu.max.
    pub max: Bandwidth,
    /// cpuset.cpus; `None`: the parent's.
    pub cpus: Option<CpuList>,
    /// cpuset.mems, as node numbers; `None`: the parent's.
    pub mems: Option<CpuList>,
    /// cpu.idle
    pub idle: bool,
    /// cpu.max.burst
    pub burst: Nanos,
    /// cpuset.cpus.partition
    pub partition: Partition,
}

impl Cgroup {
    /// A cgroup with the kernel's defaults.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            weight: 100,
            max: Bandwidth::default(),
            cpus: None,
            mems: None,
            idle: false,
            burst: Nanos::ZERO,
            partition: Partition::Member,
        }
    }
}

/// cpuset.cpus.partition
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Partition {
    /// Part of its parent's partition.
    #[default]
    Member,
    /// The root of a partition with its own sched domains.
    Root,
    /// The same without load balancing.
    Isolated,
}

/// cpu.max: how much CPU time in each period. Written as in the kernel's file, in microseconds.
///
/// ```
/// use teeter_scenario::document::Bandwidth;
///
/// let half: Bandwidth = "50000 100000".parse().unwrap();
/// assert_eq!(half.quota, Some(teeter_scenario::Nanos::from_millis(50)));
/// assert_eq!(Bandwidth::default().to_string(), "max 100000");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bandwidth {
    /// CPU time in each period; `None` is `max`, no limit.
    pub quota: Option<Nanos>,
    /// The period, 100 ms unless said otherwise.
    pub period: Nanos,
}

impl Default for Bandwidth {
    fn default() -> Self {
        Self {
            quota: None,
            period: Nanos::from_millis(100),
        }
    }
}

impl fmt::Display for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.quota {
            Some(quota) => write!(f, "{}", quota.0 / 1_000)?,
            None => write!(f, "max")?,
        }
        write!(f, " {}", self.period.0 / 1_000)
    }
}

impl FromStr for Bandwidth {
    type Err = BandwidthError;

    fn from_str(text: &str) -> Result<Self, BandwidthError> {
        let error = || BandwidthError(text.to_owned());
        let micros = |word: &str| {
            let micros: u64 = word.parse().ok()?;
            (micros > 0).then(|| micros.checked_mul(1_000).map(Nanos))?
        };
        let mut words = text.split_ascii_whitespace();
        let quota = match words.next().ok_or_else(error)? {
            "max" => None,
            word => Some(micros(word).ok_or_else(error)?),
        };
        let period = match words.next() {
            Some(word) => micros(word).ok_or_else(error)?,
            None => Self::default().period,
        };
        match words.next() {
            Some(_) => Err(error()),
            None => Ok(Self { quota, period }),
        }
    }
}

/// A text that is not a cpu.max.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a cpu.max: write \"QUOTA PERIOD\" in microseconds, as in \"50000 100000\" or \"max 100000\""
)]
pub struct BandwidthError(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_max_is_read_as_the_kernel_reads_it() {
        for (text, canonical) in [
            ("max", "max 100000"),
            ("max 50000", "max 50000"),
            ("200000", "200000 100000"),
            ("200000  100000", "200000 100000"),
        ] {
            assert_eq!(
                text.parse::<Bandwidth>().unwrap().to_string(),
                canonical,
                "{text}"
            );
        }
        for text in [
            "",
            "0 100000",
            "1 0",
            "1 2 3",
            "50%",
            "99999999999999999999",
        ] {
            assert_eq!(
                text.parse::<Bandwidth>(),
                Err(BandwidthError(text.to_owned()))
            );
        }
    }
}
