//! Every tunable: what it sets, what it takes, and what a kernel has for it.

use teeter_scenario::document::SettingValue;
use teeter_scenario::{Bytes, Nanos};

use super::features::Features;
use super::pick::{IdleEntities, Picking};
use super::settings::{DomainField, Tunable};
use super::{NumaTunables, Rules};

/// What a tunable takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A whole number.
    Int {
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// A time.
    Time {
        /// Shortest.
        min: Nanos,
        /// Longest.
        max: Nanos,
    },
    /// An amount of memory.
    Size {
        /// Smallest.
        min: Bytes,
        /// Largest.
        max: Bytes,
    },
    /// True or false.
    Switch,
}

/// A tunable that is set by its name: a feature among them, but not the values of sched domains, for which see
/// [`DomainField`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TunableInfo {
    /// Its dotted name in a scenario's `set`.
    pub name: String,
    /// What it sets, in a phrase.
    pub about: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// Whether it is fixed once the kernel runs.
    pub fixed: bool,
}

/// Every tunable but those of sched domains.
///
/// ```
/// let all = teeter_sched::rules::tunables();
/// assert!(all.iter().any(|tunable| tunable.name == "migration_cost"));
/// ```
pub fn tunables() -> Vec<TunableInfo> {
    let own = Tunable::ALL.iter().map(|&(name, tunable)| TunableInfo {
        name: name.to_owned(),
        about: tunable.about(),
        takes: tunable.takes(),
        fixed: tunable.is_fixed(),
    });
    let numa = NumaTunables::NAMES
        .iter()
        .zip(NUMA)
        .map(|(name, (about, takes))| TunableInfo {
            name: (*name).to_owned(),
            about,
            takes,
            fixed: false,
        });
    let features = Features::abouts().map(|(name, about)| TunableInfo {
        name: format!("features.{name}"),
        about,
        takes: Takes::Switch,
        fixed: false,
    });
    own.chain(numa).chain(features).collect()
}

/// As [`NumaTunables::NAMES`]. An hour and a terabyte are bounds of ours.
const NUMA: [(&str, Takes); 5] = [
    (
        "memory and tasks are brought together, where a task has memory",
        Takes::Switch,
    ),
    (
        "from a process's start to its first scan",
        Takes::Time {
            min: Nanos(0),
            max: Nanos::from_secs(3600),
        },
    ),
    (
        "shortest time between two scans of a task's memory",
        Takes::Time {
            min: Nanos::from_millis(1),
            max: Nanos::from_secs(3600),
        },
    ),
    (
        "longest time between two scans of a task's memory",
        Takes::Time {
            min: Nanos::from_millis(1),
            max: Nanos::from_secs(3600),
        },
    ),
    (
        "how much memory a scan looks at",
        Takes::Size {
            min: Bytes::from_mb(1),
            max: Bytes::from_gb(1024),
        },
    ),
];

impl Tunable {
    fn about(self) -> &'static str {
        match self {
            Self::Hz => "ticks per second (CONFIG_HZ)",
            Self::Latency => "time in which every task of a CPU runs once, while they are few",
            Self::MinGranularity => "how long a task runs at least",
            Self::WakeupGranularity => "by how much a woken task must be behind to preempt",
            Self::IdleMinGranularity => "how long tasks of an idle group run at least",
            Self::BaseSlice => "how long a task runs before others are asked",
            Self::MigrationCost => "how long a task is cache-hot after it ran",
            Self::NrMigrate => "most tasks that one balance pass looks at",
            Self::Autogroup => "tasks of the root cgroup are grouped by session",
            Self::RelaxDomainLevel => {
                "up to which level newly idle and woken tasks look around (-1: the kernel's own)"
            }
        }
    }

    fn takes(self) -> Takes {
        let time = |min| Takes::Time {
            min,
            max: Self::LONGEST,
        };
        match self {
            Self::Hz => Takes::Int {
                min: 10,
                max: 10_000,
            },
            Self::NrMigrate => Takes::Int {
                min: 1,
                max: 100_000,
            },
            Self::Autogroup => Takes::Switch,
            Self::RelaxDomainLevel => Takes::Int { min: -1, max: 100 },
            Self::MigrationCost => time(Nanos(0)),
            _ => time(Self::SHORTEST),
        }
    }
}

impl Rules {
    /// What this kernel has for a tunable that is no domain's, on a machine with so many online CPUs; `None`
    /// where it has none of that name.
    pub fn tunable(&self, name: &str, online: usize) -> Option<SettingValue> {
        if let Some(feature) = name.strip_prefix("features.") {
            return self.features.by_name(feature).map(SettingValue::Bool);
        }
        let numa = &self.tunables.numa;
        let values = [
            SettingValue::Bool(numa.balancing),
            SettingValue::Time(numa.scan_delay),
            SettingValue::Time(numa.scan_period_min),
            SettingValue::Time(numa.scan_period_max),
            SettingValue::Size(numa.scan_size),
        ];
        if let Some(at) = NumaTunables::NAMES.iter().position(|known| *known == name) {
            return values.into_iter().nth(at);
        }
        let (_, tunable) = Tunable::ALL.iter().find(|(known, _)| *known == name)?;
        let cfs = self.pick.form == Picking::Cfs;
        let time = |ns| SettingValue::Time(Nanos(ns));
        match tunable {
            Tunable::Hz => Some(SettingValue::Int(i64::from(self.hz))),
            Tunable::Latency => cfs.then(|| time(self.tunables.latency_ns(online))),
            Tunable::MinGranularity => cfs.then(|| time(self.tunables.min_granularity_ns(online))),
            Tunable::WakeupGranularity => {
                cfs.then(|| time(self.tunables.wakeup_granularity_ns(online)))
            }
            Tunable::IdleMinGranularity => (cfs && self.pick.idle != IdleEntities::Tasks)
                .then_some(SettingValue::Time(self.tunables.idle_min_granularity)),
            Tunable::BaseSlice => (!cfs).then(|| time(self.base_slice_ns(online))),
            Tunable::MigrationCost => Some(SettingValue::Time(self.tunables.migration_cost)),
            Tunable::NrMigrate => Some(SettingValue::Int(i64::from(self.tunables.nr_migrate))),
            Tunable::Autogroup => Some(SettingValue::Bool(self.tunables.autogroup)),
            Tunable::RelaxDomainLevel => {
                let level = self.topology.relax_domain_level;
                Some(SettingValue::Int(level.map_or(-1, i64::from)))
            }
        }
    }
}

impl DomainField {
    /// Its name after `domain.LEVEL.`, what it sets, and the smallest and largest value.
    pub fn describe(self) -> (&'static str, &'static str, i64, i64) {
        let about = match self {
            Self::ImbalancePct => "how much busier another group must be, percent of the local one",
            Self::BusyFactor => "how many times less often a busy CPU balances",
            Self::CacheNiceTries => "passes that fail before cache-hot tasks are moved",
            Self::MinInterval => "shortest time between two passes, ms",
            Self::MaxInterval => "longest time between two passes, ms",
        };
        let (name, _, min, max) = Self::ALL[self as usize];
        (name, about, min, max)
    }

    /// Every value of a domain that can be set.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.iter().map(|(_, field, ..)| *field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{kernels, presets};

    #[test]
    fn what_a_kernel_has_for_a_tunable_can_be_set_to_it_again() {
        for kernel in kernels() {
            let rules = presets::preset(kernel.name).unwrap();
            for info in tunables() {
                let Some(value) = rules.tunable(&info.name, 8) else {
                    continue;
                };
                let mut again = rules.clone();
                again.set(&info.name, &value).unwrap();
                let has = again.tunable(&info.name, 8);
                assert_eq!(has, Some(value), "{} {}", kernel.name, info.name);
            }
        }
    }

    #[test]
    fn bounds_are_those_that_are_held() {
        let takes = |rules: &mut Rules, name: &str, value| rules.set(name, &value).is_ok();
        let mut rules = presets::preset("v6.1").unwrap();
        for info in tunables() {
            let ends = match info.takes {
                Takes::Int { min, max } => {
                    let outside = SettingValue::Int(max + 1);
                    assert!(!takes(&mut rules, &info.name, outside), "{}", info.name);
                    [min, max].map(SettingValue::Int)
                }
                Takes::Time { min, max } => {
                    let outside = SettingValue::Time(Nanos(max.0 + 1_000_000));
                    assert!(!takes(&mut rules, &info.name, outside), "{}", info.name);
                    [min, max].map(SettingValue::Time)
                }
                Takes::Size { min, max } => [min, max].map(SettingValue::Size),
                Takes::Switch => continue,
            };
            for end in ends {
                assert!(
                    takes(&mut rules, &info.name, end.clone()),
                    "{} {end}",
                    info.name
                );
            }
        }
        for field in DomainField::all() {
            let (name, _, min, max) = field.describe();
            let name = format!("domain.NUMA.{name}");
            assert!(takes(&mut rules, &name, SettingValue::Int(min)));
            assert!(takes(&mut rules, &name, SettingValue::Int(max)));
            assert!(!takes(&mut rules, &name, SettingValue::Int(max + 1)));
        }
    }

    #[test]
    fn a_kernel_has_the_times_of_its_way_of_picking_only() {
        let old = presets::preset("v5.3").unwrap();
        let new = presets::preset("v6.17").unwrap();
        assert_eq!(
            old.tunable("latency", 80),
            Some(SettingValue::Time(Nanos::from_millis(24)))
        );
        assert_eq!(old.tunable("base_slice", 80), None);
        assert_eq!(new.tunable("latency", 80), None);
        assert!(new.tunable("base_slice", 80).is_some());
        assert_eq!(new.tunable("features.SIS_PROP", 80), None);
    }
}
