//! Every rule by its dotted name, so that it can be listed and switched alone.

mod table;

use serde_json::Value;
use teeter_scenario::Problem;

use super::{OwnPoint, Rules};
use table::RULES;

/// A rule with values that have names.
pub(super) trait Choice: Copy + PartialEq + 'static {
    /// Every value, by its name in a scenario.
    const ALL: &'static [(&'static str, Self)];
}

impl Choice for bool {
    const ALL: &'static [(&'static str, Self)] = &[("false", false), ("true", true)];
}

/// A point where kernels differ, that can be switched alone.
pub struct RuleInfo {
    /// Its name in a scenario's `rules`.
    pub name: &'static str,
    /// What it decides, in a phrase.
    pub about: &'static str,
    field: &'static str,
    values: fn() -> Vec<&'static str>,
    get: fn(&Rules) -> &'static str,
    set: fn(&mut Rules, &str) -> bool,
}

impl RuleInfo {
    /// The area of the scheduler it belongs to: `load`, `balance`, `idle`, `wake`, `fork`, `numa`, `bandwidth`,
    /// `change`, `pick` or `topology`.
    pub fn area(&self) -> &'static str {
        let end = self.field.find(|c: char| !c.is_ascii_alphanumeric());
        &self.field[..end.unwrap_or(self.field.len())]
    }

    /// The values it takes.
    pub fn values(&self) -> Vec<&'static str> {
        (self.values)()
    }

    /// Its value in a kernel.
    pub fn of(&self, rules: &Rules) -> &'static str {
        (self.get)(rules)
    }
}

fn names<T: Choice>(_: fn(&Rules) -> T) -> Vec<&'static str> {
    T::ALL.iter().map(|(name, _)| *name).collect()
}

fn name_of<T: Choice>(value: T) -> &'static str {
    let found = T::ALL.iter().find(|(_, known)| *known == value);
    found.map_or("", |(name, _)| name)
}

fn choose<T: Choice>(place: &mut T, name: &str) -> bool {
    let found = T::ALL.iter().find(|(known, _)| *known == name);
    if let Some((_, value)) = found {
        *place = *value;
    }
    found.is_some()
}

/// Every rule that can be switched alone.
///
/// ```
/// let numa = teeter_sched::rules::all().iter().find(|rule| rule.name == "numa_imbalance");
/// assert!(numa.unwrap().values().contains(&"v3"));
/// ```
pub fn all() -> &'static [RuleInfo] {
    RULES
}

impl Rules {
    /// Switches one rule.
    pub(super) fn set_rule(&mut self, name: &str, value: &Value) -> Result<(), Problem> {
        let path = format!("/rules/{name}");
        if self.own.set(name, value, &path)? {
            return Ok(());
        }
        let Some(rule) = RULES.iter().find(|rule| rule.name == name) else {
            let own = OwnPoint::ALL.iter().map(|(_, name, ..)| *name);
            let known = RULES.iter().map(|rule| rule.name).chain(own);
            return Err(Problem::unknown(path, "rule", name, known));
        };
        let known = rule.values();
        let value = match value {
            Value::String(value) => value.clone(),
            Value::Bool(value) => value.to_string(),
            _ => {
                let hint = format!("known: {}", known.join(", "));
                return Err(Problem::new(path, "takes the name of a value").with_hint(hint));
            }
        };
        if (rule.set)(self, &value) {
            Ok(())
        } else {
            Err(Problem::unknown(path, "value", &value, known))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::release::Release;
    use crate::rules::{Features, kernels, presets};

    const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/rules.txt");

    /// Every release there could be a kernel of.
    fn releases() -> impl Iterator<Item = Release> {
        let of = |major, minors: std::ops::RangeInclusive<u8>| {
            minors.map(move |minor| Release(major, minor))
        };
        of(4, 11..=20).chain(of(5, 0..=19)).chain(of(6, 0..=17))
    }

    /// At which releases something changes, and to what.
    fn changes(name: &str, of: impl Fn(&Rules) -> &'static str) -> String {
        let mut last = "";
        let mut change = |release| {
            let Release(major, minor) = release;
            let value = of(&presets::of(release, ""));
            let said = (value != last).then(|| format!(" v{major}.{minor} {value}"));
            last = value;
            said
        };
        let changes: String = releases().filter_map(&mut change).collect();
        format!("{name:34}{changes}")
    }

    /// Each rule and feature with the releases at which its value changed, then what each patch series changes.
    fn by_release() -> String {
        let mut lines = Vec::new();
        for rule in all() {
            lines.push(changes(rule.name, |rules| rule.of(rules)));
        }
        for feature in Features::names() {
            let state = |rules: &Rules| match rules.features.by_name(feature) {
                Some(true) => "on",
                Some(false) => "off",
                None => "none",
            };
            lines.push(changes(&format!("features.{feature}"), state));
        }
        for kernel in kernels() {
            let patched = presets::preset(kernel.name).unwrap();
            let release = kernel.name.split(['+', 'y']).next().unwrap();
            let base = presets::preset(release.trim_end_matches('.')).unwrap();
            let differs = |rule: &&RuleInfo| rule.of(&patched) != rule.of(&base);
            for rule in all().iter().filter(differs) {
                lines.push(format!(
                    "{:34} {} {}",
                    kernel.name,
                    rule.name,
                    rule.of(&patched)
                ));
            }
        }
        lines.join("\n") + "\n"
    }

    /// What was read in the sources is on record, so that a slip in a table of rules is seen. A change that is meant:
    /// `TEETER_BLESS=1 cargo test -p teeter-sched every_rule_changes`.
    #[test]
    fn every_rule_changes_at_the_release_on_record() {
        let found = by_release();
        if std::env::var_os("TEETER_BLESS").is_some() {
            std::fs::write(RECORD, &found).unwrap();
        }
        let record = std::fs::read_to_string(RECORD).unwrap();
        for (found, record) in found.lines().zip(record.lines()) {
            assert_eq!(found, record);
        }
        assert_eq!(found.lines().count(), record.lines().count());
    }

    #[test]
    fn every_kernel_has_a_value_for_every_rule_that_can_be_switched_to() {
        for kernel in kernels() {
            let rules = presets::preset(kernel.name).unwrap();
            for rule in all() {
                let (values, value) = (rule.values(), rule.of(&rules));
                assert!(values.contains(&value), "{} {}", kernel.name, rule.name);
                for wanted in values {
                    let mut switched = rules.clone();
                    switched.set_rule(rule.name, &json!(wanted)).unwrap();
                    assert_eq!(rule.of(&switched), wanted, "{} {}", kernel.name, rule.name);
                }
            }
        }
    }

    #[test]
    fn every_rule_is_of_an_area() {
        let areas = "load balance idle wake fork numa bandwidth change pick topology";
        for rule in all() {
            assert!(
                areas.split(' ').any(|area| area == rule.area()),
                "{}",
                rule.name
            );
        }
    }

    #[test]
    fn unknown_rules_and_values_name_the_nearest() {
        let mut rules = presets::preset("v5.5").unwrap();
        let refused = |problem: Result<(), Problem>| problem.unwrap_err().to_string();
        assert_eq!(
            refused(rules.set_rule("numa_imbalanse", &json!("v3"))),
            "/rules/numa_imbalanse: unknown rule `numa_imbalanse` (did you mean `numa_imbalance`?)"
        );
        assert_eq!(
            refused(rules.set_rule("detach_load", &json!("shitf"))),
            "/rules/detach_load: unknown value `shitf` (did you mean `shift`?)"
        );
        assert!(refused(rules.set_rule("detach_load", &json!(3))).contains("known: twice"));
        rules.set_rule("busy_less_one", &json!(true)).unwrap();
        assert!(rules.balance.busy_less_one);
    }
}
