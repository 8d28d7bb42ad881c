//! Tunables by their dotted names.

use teeter_scenario::document::SettingValue;
use teeter_scenario::{Nanos, Problem};
use thiserror::Error;

use super::Rules;
use super::features::Features;
use super::numa::NumaTunables;

/// Why a tunable could not be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RulesError {
    /// No tunable has this name.
    #[error("unknown tunable `{name}`")]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// The value is of the wrong kind.
    #[error("`{name}` takes {expected}, not `{value}`")]
    Kind {
        /// The tunable.
        name: String,
        /// What it takes.
        expected: &'static str,
        /// What was given.
        value: String,
    },
    /// The value is outside what makes sense.
    #[error("`{name}` must be {min} to {max}, not {value}")]
    Range {
        /// The tunable.
        name: String,
        /// Smallest value, as text with its unit.
        min: String,
        /// Largest value, as text with its unit.
        max: String,
        /// What was given.
        value: String,
    },
    /// The kernel has no such feature.
    #[error("{kernel} has no `{name}`")]
    Absent {
        /// The tunable.
        name: String,
        /// The kernel's name.
        kernel: &'static str,
    },
    /// The tunable is fixed once the kernel runs.
    #[error("`{name}` cannot be changed while the kernel runs")]
    Fixed {
        /// The tunable.
        name: String,
    },
}

impl RulesError {
    /// The same as a problem of the document at `path`.
    pub fn problem(&self, path: impl Into<String>) -> Problem {
        match self {
            Self::Unknown { name } => {
                let names = names();
                Problem::unknown(path, "tunable", name, names.iter().map(String::as_str))
            }
            error => Problem::new(path, error.to_string()),
        }
    }
}

/// What an administrator may set, beside the domains. Times in ns; `None` = the kernel's default for the
/// number of CPUs (a base value times 1 + log2 of at most 8 CPUs).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunables {
    /// `sched_latency_ns`, base 6 ms.
    pub latency: Option<Nanos>,
    /// `sched_min_granularity_ns`, base 0.75 ms.
    pub min_granularity: Option<Nanos>,
    /// `sched_wakeup_granularity_ns`, base 1 ms.
    pub wakeup_granularity: Option<Nanos>,
    /// `sched_idle_min_granularity_ns`, of which a CPU's idle entities run at least (v5.15 to v6.5).
    pub idle_min_granularity: Nanos,
    /// `sched_base_slice_ns` (v6.6), see [`super::PickRules::base_slice_ns`].
    pub base_slice: Option<Nanos>,
    /// `sched_migration_cost_ns`: how long a task is cache-hot.
    pub migration_cost: Nanos,
    /// `sched_nr_migrate`: most tasks examined in one balance pass.
    pub nr_migrate: u32,
    /// `sched_autogroup_enabled`: tasks of the root cgroup are grouped by session. The engine makes the groups.
    pub autogroup: bool,
    /// NUMA balancing.
    pub numa: NumaTunables,
}

impl Default for Tunables {
    fn default() -> Self {
        Self {
            latency: None,
            min_granularity: None,
            wakeup_granularity: None,
            idle_min_granularity: Nanos(750_000),
            base_slice: None,
            migration_cost: Nanos(500_000),
            nr_migrate: 32,
            autogroup: false,
            numa: NumaTunables::default(),
        }
    }
}

impl Tunables {
    /// `sched_latency_ns` on a machine with this many online CPUs.
    pub fn latency_ns(&self, online: usize) -> u64 {
        self.latency.map_or(6_000_000 * factor(online), |t| t.0)
    }

    /// `sched_min_granularity_ns` on a machine with this many online CPUs.
    pub fn min_granularity_ns(&self, online: usize) -> u64 {
        self.min_granularity
            .map_or(750_000 * factor(online), |t| t.0)
    }

    /// `sched_wakeup_granularity_ns` on a machine with this many online CPUs.
    pub fn wakeup_granularity_ns(&self, online: usize) -> u64 {
        self.wakeup_granularity
            .map_or(1_000_000 * factor(online), |t| t.0)
    }
}

/// Times by which entities are picked, ns, for a number of online CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slices {
    pub(crate) latency: u64,
    pub(crate) min_granularity: u64,
    pub(crate) wakeup_granularity: u64,
    pub(crate) base_slice: u64,
}

impl Rules {
    /// What the tunables come to on a machine with this many online CPUs.
    pub(crate) fn slices(&self, online: usize) -> Slices {
        Slices {
            latency: self.tunables.latency_ns(online),
            min_granularity: self.tunables.min_granularity_ns(online),
            wakeup_granularity: self.tunables.wakeup_granularity_ns(online),
            base_slice: self.base_slice_ns(online),
        }
    }

    /// `sched_base_slice_ns` on a machine with this many online CPUs (v6.6).
    pub fn base_slice_ns(&self, online: usize) -> u64 {
        let default = self.pick.base_slice_ns * factor(online);
        self.tunables.base_slice.map_or(default, |t| t.0)
    }
}

/// `get_update_sysctl_factor` with the default logarithmic scaling.
fn factor(online: usize) -> u64 {
    1 + u64::from(online.clamp(1, 8).ilog2())
}

/// A tunable that is no domain's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tunable {
    /// Ticks per second.
    Hz,
    /// See [`Tunables::latency`].
    Latency,
    /// See [`Tunables::min_granularity`].
    MinGranularity,
    /// See [`Tunables::wakeup_granularity`].
    WakeupGranularity,
    /// See [`Tunables::idle_min_granularity`].
    IdleMinGranularity,
    /// See [`Tunables::base_slice`].
    BaseSlice,
    /// See [`Tunables::migration_cost`].
    MigrationCost,
    /// See [`Tunables::nr_migrate`].
    NrMigrate,
    /// See [`Tunables::autogroup`].
    Autogroup,
    /// See [`super::DomainRules::relax_domain_level`].
    RelaxDomainLevel,
}

impl Tunable {
    /// The kernel's own bounds for scheduler times.
    pub(super) const SHORTEST: Nanos = Nanos(100_000);
    pub(super) const LONGEST: Nanos = Nanos(1_000_000_000);

    pub(super) const ALL: [(&str, Self); 10] = [
        ("hz", Self::Hz),
        ("latency", Self::Latency),
        ("min_granularity", Self::MinGranularity),
        ("wakeup_granularity", Self::WakeupGranularity),
        ("idle_min_granularity", Self::IdleMinGranularity),
        ("base_slice", Self::BaseSlice),
        ("migration_cost", Self::MigrationCost),
        ("nr_migrate", Self::NrMigrate),
        ("autogroup", Self::Autogroup),
        ("relax_domain_level", Self::RelaxDomainLevel),
    ];

    /// Whether it is fixed once the kernel runs.
    pub(super) fn is_fixed(self) -> bool {
        matches!(self, Self::Hz | Self::Autogroup | Self::RelaxDomainLevel)
    }
}

/// A value of a sched domain that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainField {
    /// How much heavier another group must be, percent.
    ImbalancePct,
    /// By how much a busy CPU balances less often.
    BusyFactor,
    /// Failed passes before cache-hot tasks move.
    CacheNiceTries,
    /// Shortest balance interval, ms.
    MinInterval,
    /// Longest balance interval, ms.
    MaxInterval,
}

impl DomainField {
    /// In the order of the variants.
    pub(super) const ALL: [(&str, Self, i64, i64); 5] = [
        ("imbalance_pct", Self::ImbalancePct, 100, 1000),
        ("busy_factor", Self::BusyFactor, 1, 1000),
        ("cache_nice_tries", Self::CacheNiceTries, 0, 1000),
        ("min_interval", Self::MinInterval, 1, 100_000),
        ("max_interval", Self::MaxInterval, 1, 100_000),
    ];
}

/// One value of all domains of one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainSetting {
    /// `SMT`, `MC`, `DIE` or `PKG` (the same level), `NODE`, `NUMA` (every NUMA level), `NUMA2` (the
    /// second), `*` (all).
    pub level: String,
    /// Which value.
    pub field: DomainField,
    /// The value.
    pub value: u32,
}

const LEVELS: [&str; 10] = [
    "*", "SMT", "CLS", "MC", "DIE", "PKG", "NODE", "NUMA", "NUMA2", "NUMA3",
];

/// Every tunable's name.
fn names() -> Vec<String> {
    let domains = LEVELS.iter().flat_map(|level| {
        DomainField::ALL
            .iter()
            .map(move |(field, ..)| format!("domain.{level}.{field}"))
    });
    Tunable::ALL
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .chain(NumaTunables::NAMES.map(str::to_owned))
        .chain(Features::names().map(|name| format!("features.{name}")))
        .chain(domains)
        .collect()
}

impl Rules {
    /// Sets a tunable before the kernel runs. One that only other releases have does nothing here.
    ///
    /// # Errors
    /// An unknown name, or a value that does not fit.
    pub fn set(&mut self, name: &str, value: &SettingValue) -> Result<(), RulesError> {
        if let Some(path) = name.strip_prefix("domain.") {
            let setting = domain_setting(name, path, value)?;
            self.domains
                .retain(|old| (&old.level, old.field) != (&setting.level, setting.field));
            self.domains.push(setting);
            return Ok(());
        }
        if let Some(feature) = name.strip_prefix("features.") {
            return self.set_feature(name, feature, value);
        }
        if name.starts_with(NumaTunables::PREFIX) {
            return self.tunables.numa.set(name, value);
        }
        let known = Tunable::ALL.iter().find(|(known, _)| *known == name);
        let (_, tunable) = known.ok_or_else(|| RulesError::Unknown {
            name: name.to_owned(),
        })?;
        let tunables = &mut self.tunables;
        match tunable {
            Tunable::Hz => self.hz = int(name, value, 10, 10_000)? as u32,
            Tunable::Latency => tunables.latency = Some(time(name, value)?),
            Tunable::MinGranularity => tunables.min_granularity = Some(time(name, value)?),
            Tunable::WakeupGranularity => tunables.wakeup_granularity = Some(time(name, value)?),
            Tunable::IdleMinGranularity => tunables.idle_min_granularity = time(name, value)?,
            Tunable::BaseSlice => tunables.base_slice = Some(time(name, value)?),
            Tunable::MigrationCost => tunables.migration_cost = time_from(name, value, Nanos(0))?,
            Tunable::Autogroup => match value {
                SettingValue::Bool(on) => tunables.autogroup = *on,
                other => return Err(kind(name, "true or false", other)),
            },
            Tunable::RelaxDomainLevel => {
                let level = int(name, value, -1, 100)?;
                self.topology.relax_domain_level = u8::try_from(level).ok();
            }
            Tunable::NrMigrate => tunables.nr_migrate = int(name, value, 1, 100_000)? as u32,
        }
        Ok(())
    }

    /// Switches a feature.
    fn set_feature(
        &mut self,
        name: &str,
        feature: &str,
        value: &SettingValue,
    ) -> Result<(), RulesError> {
        let SettingValue::Bool(on) = value else {
            return Err(kind(name, "true or false", value));
        };
        if self.features.switch_by_name(feature, *on) {
            return Ok(());
        }
        let name = name.to_owned();
        Err(if Features::names().any(|known| known == feature) {
            let kernel = self.name;
            RulesError::Absent { name, kernel }
        } else {
            RulesError::Unknown { name }
        })
    }

    /// Sets a tunable while the kernel runs.
    ///
    /// # Errors
    /// As [`Rules::set`], and for what is fixed at boot.
    pub(crate) fn set_live(&mut self, name: &str, value: &SettingValue) -> Result<(), RulesError> {
        let known = Tunable::ALL.iter().find(|(known, _)| *known == name);
        if known.is_some_and(|(_, tunable)| tunable.is_fixed()) {
            return Err(RulesError::Fixed {
                name: name.to_owned(),
            });
        }
        self.set(name, value)
    }
}

fn domain_setting(
    name: &str,
    path: &str,
    value: &SettingValue,
) -> Result<DomainSetting, RulesError> {
    let unknown = || RulesError::Unknown {
        name: name.to_owned(),
    };
    let (level, field) = path.split_once('.').ok_or_else(unknown)?;
    if !LEVELS.contains(&level) {
        return Err(unknown());
    }
    let known = DomainField::ALL.iter().find(|(known, ..)| *known == field);
    let &(_, field, min, max) = known.ok_or_else(unknown)?;
    let value = int(name, value, min, max)? as u32;
    Ok(DomainSetting {
        level: level.to_owned(),
        field,
        value,
    })
}

fn int(name: &str, value: &SettingValue, min: i64, max: i64) -> Result<i64, RulesError> {
    match value {
        SettingValue::Int(n) if (min..=max).contains(n) => Ok(*n),
        SettingValue::Int(n) => Err(range(name, &min, &max, n)),
        other => Err(kind(name, "a whole number", other)),
    }
}

fn time(name: &str, value: &SettingValue) -> Result<Nanos, RulesError> {
    time_from(name, value, Tunable::SHORTEST)
}

/// A time from `min` on.
fn time_from(name: &str, value: &SettingValue, min: Nanos) -> Result<Nanos, RulesError> {
    let max = Tunable::LONGEST;
    match value {
        SettingValue::Time(t) if (min..=max).contains(t) => Ok(*t),
        SettingValue::Time(t) => Err(range(name, &min, &max, t)),
        other => Err(kind(name, "a time such as \"12ms\"", other)),
    }
}

/// A value outside its range.
pub(super) fn range<T: ToString>(name: &str, min: &T, max: &T, value: &T) -> RulesError {
    RulesError::Range {
        name: name.to_owned(),
        min: min.to_string(),
        max: max.to_string(),
        value: value.to_string(),
    }
}

/// A value of the wrong kind.
pub(super) fn kind(name: &str, expected: &'static str, value: &SettingValue) -> RulesError {
    RulesError::Kind {
        name: name.to_owned(),
        expected,
        value: value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use teeter_scenario::document::Kernel;

    use super::*;
    use crate::rules::Feature;

    #[test]
    fn settings_reach_the_rules() {
        let mut kernel = Kernel::new("v5.3");
        kernel.set.insert("hz".into(), SettingValue::Int(1000));
        kernel
            .set
            .insert("domain.NUMA.imbalance_pct".into(), SettingValue::Int(115));
        let rules = Rules::from_kernel(&kernel).unwrap();
        assert_eq!(rules.tick(), Nanos(1_000_000));
        assert_eq!(rules.domains.len(), 1);
    }

    #[test]
    fn every_bad_setting_is_reported_with_its_path() {
        let mut kernel = Kernel::new("v5.3");
        kernel.set.insert("latencyy".into(), SettingValue::Int(1));
        kernel
            .set
            .insert("domain.NUMA.imbalance_pct".into(), SettingValue::Int(10));
        let problems = Rules::from_kernel(&kernel).unwrap_err();
        let text: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            text,
            [
                "/set/domain.NUMA.imbalance_pct: `domain.NUMA.imbalance_pct` must be 100 to 1000, not 10",
                "/set/latencyy: unknown tunable `latencyy` (did you mean `latency`?)",
            ]
        );
    }

    #[test]
    fn features_are_switched_where_the_kernel_has_them() {
        let problems = |base: &str, name: &str| {
            let mut kernel = Kernel::new(base);
            kernel.set.insert(name.into(), SettingValue::Bool(false));
            Rules::from_kernel(&kernel).map_err(|problems| problems[0].to_string())
        };
        let rules = problems("v6.1", "features.SIS_UTIL").unwrap();
        assert!(!rules.features.has(Feature::SisUtil));
        assert_eq!(
            problems("v5.3", "features.SIS_UTIL").unwrap_err(),
            "/set/features.SIS_UTIL: v5.3 has no `features.SIS_UTIL`"
        );
        assert_eq!(
            problems("v5.3", "features.SIS_PROPP").unwrap_err(),
            "/set/features.SIS_PROPP: unknown tunable `features.SIS_PROPP` (did you mean `features.SIS_PROP`?)"
        );
    }

    #[test]
    fn an_unknown_kernel_names_the_nearest() {
        let problems = Rules::from_kernel(&Kernel::new("v5.33")).unwrap_err();
        assert!(problems[0].to_string().contains("v5.3"), "{}", problems[0]);
    }
}
