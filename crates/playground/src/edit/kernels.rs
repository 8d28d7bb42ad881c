//! Changes of the kernels that are compared.

use std::collections::BTreeMap;

use serde_json::Value;
use teeter_scenario::document::{Action, Kernel, SettingValue};
use teeter_scenario::{Scenario, limits};
use teeter_sched::Rules;
use teeter_sched::rules::tunables;

use super::script::drop_writes;

/// One change of the kernels. A slot of `None` means every kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum KernelEdit {
    /// The kernel of a slot, by the name of its preset. Tunables stay.
    Choose {
        /// Slot, from 0 (A).
        slot: usize,
        /// Preset.
        base: String,
    },
    /// One more kernel, by the name of its preset, with the tunables of the first.
    Add(String),
    /// Takes the kernel of a slot away; the last one stays.
    Remove(usize),
    /// A tunable; `None` is the kernel's default. A kernel that has none of that name is passed over.
    Set {
        /// Which kernel.
        slot: Option<usize>,
        /// Dotted name.
        name: String,
        /// Its value from the start of the run.
        value: Option<SettingValue>,
    },
    /// A rule; `None` is the preset's.
    Rule {
        /// Which kernel.
        slot: Option<usize>,
        /// Dotted name.
        name: String,
        /// The name of its value, or an expression.
        value: Option<Value>,
    },
    /// Takes back all that differs from the preset.
    Plain(usize),
}

impl KernelEdit {
    pub(super) fn apply(&self, scenario: &mut Scenario) {
        let kernels = &mut scenario.kernels;
        match self {
            Self::Choose { slot, base } => {
                if let Some(kernel) = kernels.get_mut(*slot) {
                    kernel.base.clone_from(base);
                    kernel.rules.clear();
                    kernel.label = None;
                    let has = Known::of(kernel);
                    kernel.set.retain(|name, _| has.tunable(name));
                }
            }
            Self::Add(base) => {
                if kernels.len() < limits::KERNELS {
                    let set = kernels.first().map(|kernel| kernel.set.clone());
                    let mut kernel = Kernel::new(base.as_str());
                    let has = Known::of(&kernel);
                    kernel.set = set.unwrap_or_default();
                    kernel.set.retain(|name, _| has.tunable(name));
                    kernels.push(kernel);
                }
            }
            Self::Remove(slot) => {
                if kernels.len() > 1 && *slot < kernels.len() {
                    kernels.remove(*slot);
                }
            }
            Self::Set { slot, name, value } => {
                for kernel in chosen(kernels, *slot) {
                    match value {
                        Some(value) if Known::of(kernel).tunable(name) => {
                            kernel.set.insert(name.clone(), value.clone());
                        }
                        _ => {
                            kernel.set.remove(name);
                        }
                    }
                }
                if value.is_none() {
                    drop_writes(&mut scenario.script, name);
                }
            }
            Self::Rule { slot, name, value } => {
                for kernel in chosen(kernels, *slot) {
                    match value {
                        Some(value) => kernel.rules.insert(name.clone(), value.clone()),
                        None => kernel.rules.remove(name),
                    };
                }
            }
            Self::Plain(slot) => {
                if let Some(kernel) = kernels.get_mut(*slot) {
                    *kernel = Kernel::new(kernel.base.as_str());
                }
            }
        }
    }

    pub(super) fn label(&self) -> String {
        match self {
            Self::Choose { base, .. } => format!("choose {base}"),
            Self::Add(base) => format!("add {base}"),
            Self::Remove(_) => "remove a kernel".to_owned(),
            Self::Set { name, value, .. } => match value {
                Some(value) => format!("set {name} to {value}"),
                None => format!("reset {name}"),
            },
            Self::Rule { name, value, .. } => match value {
                Some(Value::String(value)) => format!("switch {name} to {value}"),
                Some(Value::Object(_)) => format!("write a rule for {name}"),
                Some(value) => format!("switch {name} to {value}"),
                None => format!("reset {name}"),
            },
            Self::Plain(_) => "reset a kernel".to_owned(),
        }
    }

    pub(super) fn key(&self) -> Option<String> {
        match self {
            Self::Set { slot, name, .. } => Some(format!("set {name} {slot:?}")),
            _ => None,
        }
    }

    /// A tunable written under every kernel, if each has it and none has it fixed.
    pub(super) fn live(&self, scenario: &Scenario) -> Option<Action> {
        let Self::Set {
            slot: None,
            name,
            value: Some(value),
        } = self
        else {
            return None;
        };
        let fixed = tunables()
            .iter()
            .any(|info| info.fixed && info.name == *name);
        let everywhere = || {
            let mut kernels = scenario.kernels.iter();
            kernels.all(|kernel| Known::of(kernel).tunable(name))
        };
        (!fixed && everywhere())
            .then(|| Action::Set(BTreeMap::from([(name.clone(), value.clone())])))
    }
}

fn chosen(kernels: &mut [Kernel], slot: Option<usize>) -> &mut [Kernel] {
    match slot {
        None => kernels,
        Some(slot) => kernels.get_mut(slot..=slot).unwrap_or_default(),
    }
}

/// What a preset has.
struct Known(Option<Rules>);

impl Known {
    fn of(kernel: &Kernel) -> Self {
        Self(Rules::from_kernel(&Kernel::new(kernel.base.as_str())).ok())
    }

    /// Whether a tunable can be set; only features are refused by kernels that have none of that name.
    fn tunable(&self, name: &str) -> bool {
        !name.starts_with("features.")
            || self
                .0
                .as_ref()
                .is_some_and(|rules| rules.tunable(name, 1).is_some())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use teeter_scenario::document::{Machine, Tasks, Workload};

    use super::*;

    fn scenario() -> Scenario {
        let tasks = vec![Tasks::new("hog", Workload::Hog)];
        let mut scenario = Scenario::new(Machine::preset("laptop"), tasks);
        scenario.kernels = vec![Kernel::new("v5.3"), Kernel::new("v6.1")];
        scenario
    }

    fn after(edit: &KernelEdit) -> Scenario {
        let mut new = scenario();
        edit.apply(&mut new);
        new
    }

    fn feature(slot: Option<usize>) -> KernelEdit {
        KernelEdit::Set {
            slot,
            name: "features.SIS_UTIL".to_owned(),
            value: Some(SettingValue::Bool(false)),
        }
    }

    #[test]
    fn a_kernel_without_the_feature_is_passed_over() {
        let new = after(&feature(None));
        assert!(new.kernels[0].set.is_empty());
        assert_eq!(new.kernels[1].set.len(), 1);
        assert!(
            feature(None).live(&scenario()).is_none(),
            "no write for all"
        );
        let mut old = new;
        let base = "v5.5".to_owned();
        KernelEdit::Choose { slot: 1, base }.apply(&mut old);
        assert!(old.kernels[1].set.is_empty(), "v5.5 has none");
    }

    #[test]
    fn one_kernel_alone_is_changed_and_taken_back() {
        let value = Some(json!("v3"));
        let name = "numa_imbalance".to_owned();
        let slot = Some(1);
        let new = after(&KernelEdit::Rule { slot, name, value });
        assert!(new.kernels[0].rules.is_empty());
        assert_eq!(new.kernels[1].rules["numa_imbalance"], json!("v3"));
        let mut back = new;
        KernelEdit::Plain(1).apply(&mut back);
        assert_eq!(back, scenario());
        let nowhere = KernelEdit::Set {
            slot: Some(9),
            name: "hz".to_owned(),
            value: Some(SettingValue::Int(100)),
        };
        assert_eq!(after(&nowhere), scenario());
    }

    #[test]
    fn what_is_fixed_at_boot_is_no_write() {
        let set = |name: &str, value| KernelEdit::Set {
            slot: None,
            name: name.to_owned(),
            value: Some(value),
        };
        let live = |edit: KernelEdit| edit.live(&scenario()).is_some();
        assert!(live(set("nr_migrate", SettingValue::Int(8))));
        assert!(!live(set("hz", SettingValue::Int(100))));
    }
}
