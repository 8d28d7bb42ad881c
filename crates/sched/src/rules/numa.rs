//! NUMA balancing, by release (SCHED.md 7).

use teeter_scenario::document::SettingValue;
use teeter_scenario::{Bytes, Nanos};

use super::named::Choice;
use super::release::Release;
use super::settings::{RulesError, kind, range};

/// How the scan period follows what hinting faults tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanPeriod {
    /// By how local the faults are; private ones count when scanning speeds up (to v4.13).
    Locality,
    /// By how private or how local they are, whichever is more (v4.14).
    Sharing,
}

impl Choice for ScanPeriod {
    const ALL: &'static [(&'static str, Self)] =
        &[("locality", Self::Locality), ("sharing", Self::Sharing)];
}

/// What a scan does with regions that the task on whose time it runs has not touched of late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OthersRegions {
    /// It scans them too (to v6.3).
    Scanned,
    /// It passes over them from the third scan of everything on (v6.4 to v6.6).
    Skipped,
    /// The same, but scans one of them if there is nothing else (v6.7).
    SkippedUnlessLast,
}

impl Choice for OthersRegions {
    const ALL: &'static [(&'static str, Self)] = &[
        ("scanned", Self::Scanned),
        ("skipped", Self::Skipped),
        ("skipped-unless-last", Self::SkippedUnlessLast),
    ];
}

/// What `task_numa_migrate` asks before it moves a task to another node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumaMove {
    /// That the nodes' loads stay within the domain's percentage, or come nearer (to v4.18).
    Slope,
    /// That the nodes' loads do not drift further apart (v4.19 to v5.6).
    Load,
    /// The same, but of a node with spare capacity only that its tasks stay within what load balancing
    /// leaves alone (v5.7).
    Spare,
}

impl Choice for NumaMove {
    const ALL: &'static [(&'static str, Self)] = &[
        ("slope", Self::Slope),
        ("load", Self::Load),
        ("spare", Self::Spare),
    ];
}

/// How one kernel balances memory and tasks between NUMA nodes.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a point of its own where versions differ"
)]
#[derive(Clone, Debug, PartialEq)]
pub struct NumaRules {
    /// The scan period.
    pub scan_period: ScanPeriod,
    /// Moving a task.
    pub moves: NumaMove,
    /// Regions of other tasks of the process.
    pub others_regions: OthersRegions,
    /// Whether a node takes 128 MB in 100 ms at most of what follows its tasks (to v4.18).
    pub page_rate_limit: bool,
    /// Whether an idle CPU's balance pass takes no heed of locality (v4.16).
    pub idle_ignores_locality: bool,
    /// Whether a new thread's scans begin some ticks later than its parent's (v4.18).
    pub staggered_start: bool,
    /// Whether a task that leaves its preferred node scans at its first rate again (v4.20).
    pub move_resets_scan: bool,
    /// Whether pages follow a task at once in its first four scans (v4.20).
    pub early_pages: bool,
    /// Whether the allowed imbalance is judged by the destination's tasks (v5.9), not the source's.
    pub by_destination: bool,
    /// Whether a node without CPUs stands for the nearest one that has some (v5.18).
    pub cpu_nodes_only: bool,
    /// Whether tasks of one group are not swapped with a node that has spare capacity (v6.0).
    pub no_swap_with_spare: bool,
}

impl NumaRules {
    pub(super) fn of(release: Release) -> Self {
        Self {
            scan_period: if release.since(4, 14) {
                ScanPeriod::Sharing
            } else {
                ScanPeriod::Locality
            },
            moves: match release {
                _ if release.since(5, 7) => NumaMove::Spare,
                _ if release.since(4, 19) => NumaMove::Load,
                _ => NumaMove::Slope,
            },
            others_regions: match release {
                _ if release.since(6, 7) => OthersRegions::SkippedUnlessLast,
                _ if release.since(6, 4) => OthersRegions::Skipped,
                _ => OthersRegions::Scanned,
            },
            page_rate_limit: !release.since(4, 19),
            idle_ignores_locality: release.since(4, 16),
            staggered_start: release.since(4, 18),
            move_resets_scan: release.since(4, 20),
            early_pages: release.since(4, 20),
            by_destination: release.since(5, 9),
            cpu_nodes_only: release.since(5, 18),
            no_swap_with_spare: release.since(6, 0),
        }
    }
}

/// What an administrator may set of NUMA balancing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumaTunables {
    /// `numa_balancing`: whether it is on. It looks only at tasks that have memory.
    pub balancing: bool,
    /// `numa_balancing_scan_delay`: from a process's start to its first scan.
    pub scan_delay: Nanos,
    /// `numa_balancing_scan_period_min`: shortest time between two scans of the whole memory.
    pub scan_period_min: Nanos,
    /// `numa_balancing_scan_period_max`: longest time between two scans of the whole memory.
    pub scan_period_max: Nanos,
    /// `numa_balancing_scan_size`: memory that one scan looks at.
    pub scan_size: Bytes,
}

impl Default for NumaTunables {
    fn default() -> Self {
        Self {
            balancing: true,
            scan_delay: Nanos::from_secs(1),
            scan_period_min: Nanos::from_secs(1),
            scan_period_max: Nanos::from_secs(60),
            scan_size: Bytes::from_mb(256),
        }
    }
}

impl NumaTunables {
    /// What each tunable's name begins with; that of the switch is no longer.
    pub(super) const PREFIX: &'static str = "numa_balancing";

    pub(super) const NAMES: [&'static str; 5] = [
        "numa_balancing",
        "numa_balancing_scan_delay",
        "numa_balancing_scan_period_min",
        "numa_balancing_scan_period_max",
        "numa_balancing_scan_size",
    ];

    /// Writes the tunable of this name. The kernel counts times in whole ms and sizes in whole MB.
    pub(super) fn set(&mut self, name: &str, value: &SettingValue) -> Result<(), RulesError> {
        let bytes = (Bytes::from_mb(1), Bytes::from_gb(1024));
        match name.strip_prefix(Self::PREFIX) {
            Some("") => match value {
                SettingValue::Bool(on) => self.balancing = *on,
                SettingValue::Int(on @ (0 | 1)) => self.balancing = *on == 1,
                _ => return Err(kind(name, "true or false", value)),
            },
            Some("_scan_delay") => self.scan_delay = millis(name, value, 0)?,
            Some("_scan_period_min") => self.scan_period_min = millis(name, value, 1)?,
            Some("_scan_period_max") => self.scan_period_max = millis(name, value, 1)?,
            Some("_scan_size") => match value {
                SettingValue::Size(size) if (bytes.0..=bytes.1).contains(size) => {
                    self.scan_size = Bytes::from_mb(size.0 >> 20);
                }
                SettingValue::Size(size) => return Err(range(name, &bytes.0, &bytes.1, size)),
                _ => return Err(kind(name, "a size such as \"256MB\"", value)),
            },
            _ => {
                let name = name.to_owned();
                return Err(RulesError::Unknown { name });
            }
        }
        Ok(())
    }
}

/// A time of so many ms to an hour, in whole ms.
fn millis(name: &str, value: &SettingValue, min: u64) -> Result<Nanos, RulesError> {
    let (min, max) = (Nanos::from_millis(min), Nanos::from_secs(3600));
    match value {
        SettingValue::Time(time) if (min..=max).contains(time) => {
            Ok(Nanos::from_millis(time.0 / 1_000_000))
        }
        SettingValue::Time(time) => Err(range(name, &min, &max, time)),
        _ => Err(kind(name, "a time such as \"1s\"", value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tunables_are_written_in_the_kernels_units() {
        let mut numa = NumaTunables::default();
        let mut set = |name: &str, value: &str| {
            let value = match value {
                "false" => SettingValue::Bool(false),
                text => SettingValue::from_text(text),
            };
            numa.set(name, &value).map_err(|error| error.to_string())
        };
        set("numa_balancing_scan_delay", "1500us").unwrap();
        set("numa_balancing_scan_size", "64MB").unwrap();
        set("numa_balancing", "false").unwrap();
        assert_eq!(
            set("numa_balancing_scan_period_max", "0s").unwrap_err(),
            "`numa_balancing_scan_period_max` must be 1ms to 3600s, not 0s"
        );
        assert!(set("numa_balancing_scan", "1s").is_err());
        assert_eq!(numa.scan_delay, Nanos::from_millis(1));
        assert_eq!(
            (numa.scan_size, numa.balancing),
            (Bytes::from_mb(64), false)
        );
    }
}
