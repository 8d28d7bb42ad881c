//! Everything about a kernel that can be set: its rules, its tunables and the values of its sched domains, each
//! with what the kernel itself has for it. Pure: no browser here.

mod tuning;

use serde_json::Value;
use teeter_scenario::document::{Kernel, SettingValue};
use teeter_scenario::{Bytes, Nanos};
use teeter_sched::rules::{RuleInfo, Takes, tunables};
use teeter_sched::{DomainField, Rules, rules};

use crate::protocol::Level;

pub use tuning::{Standing, Tuning};

/// One thing that can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct Knob {
    /// Its dotted name.
    pub name: String,
    /// What it does, in a phrase.
    pub about: &'static str,
    /// Under which heading it is listed.
    pub group: &'static str,
    /// What it takes.
    pub kind: Kind,
}

/// What a knob takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A rule: the name of one of its values.
    Rule(Vec<&'static str>),
    /// A tunable.
    Tunable(Takes),
    /// A value of all sched domains of one level.
    Domain(DomainField),
}

/// Headings, in the order in which they are listed.
pub const GROUPS: [&str; 12] = [
    "Sched domains",
    "Times and limits",
    "Features",
    "Balancing",
    "Balancing of idle CPUs",
    "Wakeup",
    "Fork and exec",
    "Load tracking",
    "NUMA balancing",
    "Picking the next task",
    "CPU bandwidth",
    "Changes while it runs",
];

/// Every knob of a kernel with these levels of sched domains.
pub fn all(levels: &[Level]) -> Vec<Knob> {
    let domains = levels.iter().flat_map(|level| {
        DomainField::all().map(|field| {
            let (name, about, ..) = field.describe();
            Knob {
                name: format!("domain.{}.{name}", level.name),
                about,
                group: GROUPS[0],
                kind: Kind::Domain(field),
            }
        })
    });
    let tunables = tunables().into_iter().map(|info| Knob {
        group: match info.name.as_str() {
            name if name.starts_with("features.") => GROUPS[2],
            name if name.starts_with("numa_balancing") => GROUPS[8],
            _ => GROUPS[1],
        },
        name: info.name,
        about: info.about,
        kind: Kind::Tunable(info.takes),
    });
    let rules = rules::all().iter().map(|rule| Knob {
        name: rule.name.to_owned(),
        about: rule.about,
        group: group_of(rule),
        kind: Kind::Rule(rule.values()),
    });
    let mut all: Vec<Knob> = domains.chain(tunables).chain(rules).collect();
    all.sort_by_key(|knob| GROUPS.iter().position(|group| *group == knob.group));
    all
}

fn group_of(rule: &RuleInfo) -> &'static str {
    match rule.area() {
        "balance" => GROUPS[3],
        "idle" => GROUPS[4],
        "wake" => GROUPS[5],
        "fork" => GROUPS[6],
        "load" => GROUPS[7],
        "numa" => GROUPS[8],
        "pick" => GROUPS[9],
        "bandwidth" => GROUPS[10],
        "topology" => GROUPS[0],
        _ => GROUPS[11],
    }
}

/// A kernel as its preset has it, to be asked for what a knob stands at.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    rules: Rules,
    levels: Vec<Level>,
    online: usize,
}

impl Preset {
    /// The preset of a kernel, on a machine with so many online CPUs and these levels of domains.
    pub fn of(kernel: &Kernel, levels: &[Level], online: usize) -> Option<Self> {
        let rules = Rules::from_kernel(&Kernel::new(kernel.base.as_str())).ok()?;
        Some(Self {
            rules,
            levels: levels.to_vec(),
            online,
        })
    }

    /// What the preset has for a knob; `None`: it has none of that name.
    pub fn value(&self, knob: &Knob) -> Option<String> {
        match &knob.kind {
            Kind::Rule(_) => {
                let rule = rules::all().iter().find(|rule| rule.name == knob.name)?;
                Some(rule.of(&self.rules).to_owned())
            }
            Kind::Tunable(_) => {
                let value = self.rules.tunable(&knob.name, self.online)?;
                Some(value.to_string())
            }
            Kind::Domain(field) => {
                let name = knob.name.strip_prefix("domain.")?.split('.').next()?;
                let level = self.levels.iter().find(|level| level.name == name)?;
                let value = match field {
                    DomainField::ImbalancePct => level.imbalance_pct,
                    DomainField::BusyFactor => level.busy_factor,
                    DomainField::CacheNiceTries => level.cache_nice_tries,
                    DomainField::MinInterval => level.min_interval,
                    DomainField::MaxInterval => level.max_interval,
                };
                Some(value.to_string())
            }
        }
    }

    /// The rules in which this preset differs from another: name, value there, value here.
    pub fn differences(&self, other: &Self) -> Vec<(&'static str, &'static str, &'static str)> {
        rules::all()
            .iter()
            .map(|rule| (rule.name, rule.of(&other.rules), rule.of(&self.rules)))
            .filter(|(_, there, here)| there != here)
            .collect()
    }
}

impl Knob {
    /// What a scenario's kernel sets it to, if it does.
    pub fn set_in(&self, kernel: &Kernel) -> Option<String> {
        match &self.kind {
            Kind::Rule(_) => kernel.rules.get(&self.name).map(|value| match value {
                Value::String(text) => text.clone(),
                Value::Object(_) => "your own".to_owned(),
                other => other.to_string(),
            }),
            _ => kernel.set.get(&self.name).map(ToString::to_string),
        }
    }

    /// Whether its name or what it does has all these words.
    pub fn matches(&self, words: &str) -> bool {
        let text = format!("{} {} {}", self.name, self.about, self.group).to_lowercase();
        words
            .to_lowercase()
            .split_whitespace()
            .all(|word| text.contains(word))
    }

    /// The value for a typed text.
    ///
    /// # Errors
    /// What it takes, in words.
    pub fn parse(&self, text: &str) -> Result<SettingValue, String> {
        let takes = match &self.kind {
            Kind::Domain(field) => {
                let (.., min, max) = field.describe();
                Takes::Int { min, max }
            }
            Kind::Tunable(takes) => *takes,
            Kind::Rule(values) => return Err(format!("one of {}", values.join(", "))),
        };
        let value = match takes {
            Takes::Int { min, max } => {
                let number = text.parse::<i64>().ok();
                let within = number.filter(|number| (min..=max).contains(number));
                within.map(SettingValue::Int)
            }
            Takes::Time { min, max } => {
                let time = text.parse::<Nanos>().ok();
                let within = time.filter(|time| (min..=max).contains(time));
                within.map(SettingValue::Time)
            }
            Takes::Size { min, max } => {
                let size = text.parse::<Bytes>().ok();
                let within = size.filter(|size| (min..=max).contains(size));
                within.map(SettingValue::Size)
            }
            Takes::Switch => text.parse::<bool>().ok().map(SettingValue::Bool),
        };
        value.ok_or_else(|| in_words(takes))
    }
}

fn in_words(takes: Takes) -> String {
    match takes {
        Takes::Int { min, max } => format!("a whole number from {min} to {max}"),
        Takes::Time { min, max } => format!("a time from {min} to {max}, such as 2ms"),
        Takes::Size { min, max } => format!("a size from {min} to {max}, such as 256MB"),
        Takes::Switch => "true or false".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numa() -> Vec<Level> {
        vec![Level {
            name: "NUMA".to_owned(),
            span: 80,
            imbalance_pct: 125,
            ..Level::default()
        }]
    }

    #[test]
    fn every_knob_has_a_heading_and_a_name_of_its_own() {
        let knobs = all(&numa());
        for (at, knob) in knobs.iter().enumerate() {
            assert!(GROUPS.contains(&knob.group), "{}", knob.name);
            let before = knobs[..at].iter();
            // A rule and a tunable may share a name: they stand in different maps.
            let same = |other: &Knob| {
                other.name == knob.name
                    && matches!(other.kind, Kind::Rule(_)) == matches!(knob.kind, Kind::Rule(_))
            };
            assert!(!before.clone().any(same), "{}", knob.name);
        }
        for group in GROUPS {
            assert!(knobs.iter().any(|knob| knob.group == group), "{group}");
        }
    }

    #[test]
    fn values_are_the_presets_until_they_are_set() {
        let mut kernel = Kernel::new("v5.3");
        let preset = Preset::of(&kernel, &numa(), 80).unwrap();
        let knobs = all(&numa());
        let find = |name: &str| knobs.iter().find(|knob| knob.name == name).unwrap();
        let pct = find("domain.NUMA.imbalance_pct");
        assert_eq!(preset.value(pct), Some("125".to_owned()));
        assert_eq!(preset.value(find("latency")), Some("24ms".to_owned()));
        assert_eq!(preset.value(find("features.SIS_UTIL")), None);
        assert_eq!(pct.set_in(&kernel), None);
        let set = pct.parse("117").unwrap();
        kernel.set.insert(pct.name.clone(), set);
        assert_eq!(pct.set_in(&kernel), Some("117".to_owned()));
        assert_eq!(
            pct.parse("99"),
            Err("a whole number from 100 to 1000".to_owned())
        );
        assert!(find("migration_cost").parse("2").is_err());
        assert!(find("migration_cost").parse("0ms").is_ok());
    }

    #[test]
    fn knobs_are_found_by_words_in_any_order() {
        let knobs = all(&[]);
        let found = |words: &str| knobs.iter().filter(|knob| knob.matches(words)).count();
        assert!(found("hot cache") >= 2);
        assert!(found("migration_COST") >= 1);
        assert_eq!(found("no such thing"), 0);
        assert_eq!(found(""), knobs.len());
    }

    #[test]
    fn presets_differ_where_the_series_changed_a_rule() {
        let preset = |base: &str| Preset::of(&Kernel::new(base), &[], 8).unwrap();
        let differences = preset("v5.5+numa-v3").differences(&preset("v5.5"));
        assert!(
            differences
                .iter()
                .any(|(name, ..)| *name == "numa_imbalance"),
            "{differences:?}"
        );
        assert!(preset("v5.5").differences(&preset("v5.5")).is_empty());
    }
}
