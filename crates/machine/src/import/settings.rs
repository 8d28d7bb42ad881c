//! The settings of a real kernel: a listing of `/sys/kernel/debug/sched`, of `/proc/sys/kernel`, or sysctl
//! lines.

use std::collections::BTreeMap;

use teeter_scenario::document::SettingValue;
use teeter_scenario::{Nanos, limits};

use super::MOST;
use super::found::cpu_number;
use super::sysfs::entries;
use super::text::{ImportError, Span, lines};

/// Tunables as a scenario's kernel has them under `set`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// By dotted name.
    pub set: BTreeMap<String, SettingValue>,
    /// What could not be taken over as it is, as sentences without a full stop.
    pub assumptions: Vec<String>,
}

/// Fields of a domain that can be set.
const DOMAIN_FIELDS: [&str; 5] = [
    "imbalance_pct",
    "busy_factor",
    "cache_nice_tries",
    "min_interval",
    "max_interval",
];

/// What is told of the domains: their names and values by CPU and level.
type Domains = BTreeMap<(u32, u32), Domain>;

#[derive(Debug, Default)]
struct Domain {
    name: String,
    values: BTreeMap<String, u32>,
}

/// Reads settings, from whatever lines hold some; a listing may hold a machine as well.
///
/// # Errors
///
/// A line that is none, and a value that is not what the file holds, with line and column.
pub fn settings(text: &str) -> Result<Settings, ImportError> {
    if text.len() > MOST {
        return Err(ImportError::TooLong { most: MOST });
    }
    let mut settings = Settings::default();
    let mut domains = Domains::new();
    let sysctls = lines(text).all(|line| {
        let line = line.trim();
        line.text.is_empty() || !line.text.contains('/') && line.text.contains('=')
    });
    if sysctls {
        for line in lines(text) {
            if let Some((name, value)) = line.split_once('=') {
                let steps: Vec<Span<'_>> = name.trim().split('.').collect();
                settings.read(&steps, value.trim(), &mut domains)?;
            }
        }
    } else {
        for entry in entries(text) {
            let entry = entry?;
            let steps: Vec<Span<'_>> = entry.path.split('/').collect();
            settings.read(&steps, entry.value, &mut domains)?;
        }
    }
    settings.add_domains(&domains);
    if settings.set.len() > limits::SETTINGS {
        let message = format!("more than {} settings", limits::SETTINGS);
        return Err(ImportError::Whole(message));
    }
    Ok(settings)
}

impl Settings {
    /// Takes in one file or sysctl.
    fn read(
        &mut self,
        steps: &[Span<'_>],
        value: Span<'_>,
        domains: &mut Domains,
    ) -> Result<(), ImportError> {
        let texts: Vec<&str> = steps.iter().map(|step| step.text).collect();
        if let [.., _, cpu, domain, file] = steps
            && let (Some(cpu), Some(level)) =
                (cpu.strip_prefix("cpu"), domain.strip_prefix("domain"))
        {
            let level = level.number("the number of a domain")?;
            let domain = domains.entry((cpu_number(cpu)?, level)).or_default();
            if file.text == "name" {
                value.text.clone_into(&mut domain.name);
            } else if DOMAIN_FIELDS.contains(&file.text) {
                let value = value.number("a whole number")?;
                domain.values.insert(file.text.to_owned(), value);
            }
            return Ok(());
        }
        let name = match texts.as_slice() {
            [.., "sched", file] => file,
            [.., "kernel", file] => file.strip_prefix("sched_").unwrap_or(file),
            _ => return Ok(()),
        };
        self.tunable(name, value)
    }

    fn tunable(&mut self, name: &str, value: Span<'_>) -> Result<(), ImportError> {
        let switch = || Ok(SettingValue::Bool(value.number("0 or 1")? != 0));
        let (name, value) = match name {
            "migration_cost_ns" => ("migration_cost", time(value)?),
            "latency_ns" => ("latency", time(value)?),
            "min_granularity_ns" => ("min_granularity", time(value)?),
            "wakeup_granularity_ns" => ("wakeup_granularity", time(value)?),
            "base_slice_ns" => ("base_slice", time(value)?),
            "nr_migrate" => {
                let number = value.number("a whole number")?;
                ("nr_migrate", SettingValue::Int(i64::from(number)))
            }
            "numa_balancing" => ("numa_balancing", switch()?),
            "autogroup_enabled" => ("autogroup", switch()?),
            "features" => {
                for word in value.words() {
                    let name = word.text.strip_prefix("NO_");
                    let on = SettingValue::Bool(name.is_none());
                    self.set
                        .insert(format!("features.{}", name.unwrap_or(word.text)), on);
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.set.insert(name.to_owned(), value);
        Ok(())
    }

    /// Values of a level that are the same on every CPU.
    fn add_domains(&mut self, domains: &Domains) {
        let mut values: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let (mut cpu, mut numa) = (None, 0);
        for (&(number, _), domain) in domains {
            if cpu != Some(number) {
                (cpu, numa) = (Some(number), 0);
            }
            let level = match domain.name.as_str() {
                "NUMA" => {
                    numa += 1;
                    if numa == 1 {
                        "NUMA".to_owned()
                    } else {
                        format!("NUMA{numa}")
                    }
                }
                "" => continue,
                name => name.to_owned(),
            };
            for (field, &value) in &domain.values {
                let told = values.entry(format!("domain.{level}.{field}")).or_default();
                if !told.contains(&value) {
                    told.push(value);
                }
            }
        }
        for (name, told) in values {
            if let [value] = told.as_slice() {
                self.set.insert(name, SettingValue::Int(i64::from(*value)));
            } else {
                self.assumptions.push(format!(
                    "{name} differs between CPUs: it is left as the kernel makes it"
                ));
            }
        }
    }
}

fn time(value: Span<'_>) -> Result<SettingValue, ImportError> {
    let time = value.text.parse().ok().map(Nanos);
    let time = time.ok_or_else(|| value.expected("a time in ns"))?;
    Ok(SettingValue::Time(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (Vec<String>, Vec<String>) {
        let settings = settings(text).unwrap();
        let set = settings.set.iter();
        (
            set.map(|(name, value)| format!("{name} = {value}"))
                .collect(),
            settings.assumptions,
        )
    }

    #[test]
    fn a_listing_of_debugfs() {
        let text = "/sys/kernel/debug/sched/features:GENTLE_FAIR_SLEEPERS NO_HRTICK SIS_UTIL\n\
                    /sys/kernel/debug/sched/nr_migrate:32\n\
                    /sys/kernel/debug/sched/migration_cost_ns:500000\n\
                    /sys/kernel/debug/sched/preempt:none (voluntary) full\n\
                    /sys/kernel/debug/sched/domains/cpu0/domain0/name:MC\n\
                    /sys/kernel/debug/sched/domains/cpu0/domain0/imbalance_pct:117\n\
                    /sys/kernel/debug/sched/domains/cpu0/domain0/max_interval:8\n\
                    /sys/kernel/debug/sched/domains/cpu0/domain1/name:NUMA\n\
                    /sys/kernel/debug/sched/domains/cpu0/domain1/busy_factor:16\n\
                    /sys/kernel/debug/sched/domains/cpu0/domain2/name:NUMA\n\
                    /sys/kernel/debug/sched/domains/cpu0/domain2/cache_nice_tries:3\n\
                    /sys/kernel/debug/sched/domains/cpu1/domain0/name:MC\n\
                    /sys/kernel/debug/sched/domains/cpu1/domain0/imbalance_pct:117\n\
                    /sys/kernel/debug/sched/domains/cpu1/domain0/max_interval:4\n\
                    /proc/sys/kernel/numa_balancing:0\n";
        let (set, assumptions) = shown(text);
        assert_eq!(
            set,
            [
                "domain.MC.imbalance_pct = 117",
                "domain.NUMA.busy_factor = 16",
                "domain.NUMA2.cache_nice_tries = 3",
                "features.GENTLE_FAIR_SLEEPERS = true",
                "features.HRTICK = false",
                "features.SIS_UTIL = true",
                "migration_cost = 500us",
                "nr_migrate = 32",
                "numa_balancing = false",
            ]
        );
        assert_eq!(
            assumptions,
            ["domain.MC.max_interval differs between CPUs: it is left as the kernel makes it"]
        );
    }

    #[test]
    fn sysctl_lines() {
        let text = "kernel.sched_latency_ns = 24000000\nkernel.sched_autogroup_enabled = 1\n\
                    kernel.sched_domain.cpu0.domain0.name = SMT\n\
                    kernel.sched_domain.cpu0.domain0.imbalance_pct = 110\nvm.swappiness = 60\n";
        assert_eq!(
            shown(text).0,
            [
                "autogroup = true",
                "domain.SMT.imbalance_pct = 110",
                "latency = 24ms"
            ]
        );
    }

    #[test]
    fn wrong_values_are_told_by_their_place() {
        let error = settings("kernel.sched_nr_migrate = many\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 1, column 27: expected a whole number, found `many`"
        );
        let error = settings("/a:1\nnonsense\n").unwrap_err().to_string();
        assert!(error.starts_with("line 2, column 1: expected"), "{error}");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(kernel|/sched|[.:=/ \n0-9]|cpu1|domain0|name){0,20}") {
            let _ = settings(&text);
        }
    }
}
