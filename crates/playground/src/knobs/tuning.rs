//! The kernels that are compared, as the knobs see them.

use std::collections::BTreeMap;

use serde_json::Value;
use teeter_scenario::Scenario;
use teeter_scenario::document::{Kernel, SettingValue};

use super::{Kind, Knob, Preset};
use crate::edit::{Edit, KernelEdit};
use crate::protocol::Level;
use crate::slot;

/// The kernels, what their presets have, what the script has written, and which of them a knob turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    kernels: Vec<Kernel>,
    presets: Vec<Option<Preset>>,
    written: BTreeMap<String, SettingValue>,
    /// The slot that knobs turn; `None`: all.
    pub target: Option<usize>,
}

/// How a knob stands under the kernels that it turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its value under the first of them that has it.
    pub value: Option<String>,
    /// Whether any of them differs from its preset here.
    pub changed: bool,
    /// Whether their presets differ.
    pub differs: bool,
    /// What the presets have, in words.
    pub own: String,
}

impl Tuning {
    /// Of a scenario on a machine with so many online CPUs, whose levels are known for each kernel.
    pub fn new(
        scenario: &Scenario,
        levels: &[Vec<Level>],
        online: usize,
        written: BTreeMap<String, SettingValue>,
        target: Option<usize>,
    ) -> Self {
        let kernels = scenario.kernels.clone();
        let presets = kernels.iter().enumerate().map(|(slot, kernel)| {
            Preset::of(
                kernel,
                levels.get(slot).map_or(&[][..], Vec::as_slice),
                online,
            )
        });
        Self {
            presets: presets.collect(),
            target: target.filter(|slot| *slot < kernels.len()),
            kernels,
            written,
        }
    }

    fn targets(&self) -> impl Iterator<Item = usize> + use<> {
        let all = 0..self.kernels.len();
        let target = self.target;
        all.filter(move |slot| target.is_none_or(|target| target == *slot))
    }

    /// What a kernel's preset has for a knob.
    fn own(&self, slot: usize, knob: &Knob) -> Option<String> {
        self.presets.get(slot)?.as_ref()?.value(knob)
    }

    fn set(&self, slot: usize, knob: &Knob) -> Option<String> {
        let written = || match &knob.kind {
            Kind::Rule(_) => None,
            _ => self.written.get(&knob.name).map(ToString::to_string),
        };
        written().or_else(|| knob.set_in(self.kernels.get(slot)?))
    }

    /// How a knob stands.
    pub fn standing(&self, knob: &Knob) -> Standing {
        let owns: Vec<(usize, Option<String>)> = self
            .targets()
            .map(|slot| (slot, self.own(slot, knob)))
            .collect();
        let value = owns.iter().find_map(|(slot, own)| {
            let own = own.clone()?;
            Some(self.set(*slot, knob).unwrap_or(own))
        });
        let changed = owns.iter().any(|(slot, own)| {
            let set = self.set(*slot, knob);
            set.is_some() && own.is_some()
        });
        Standing {
            value,
            changed,
            differs: owns.iter().any(|(_, own)| *own != owns[0].1),
            own: self.in_words(&owns),
        }
    }

    fn in_words(&self, owns: &[(usize, Option<String>)]) -> String {
        let title = |slot: usize| self.kernels[slot].base.as_str();
        match owns {
            [(slot, None)] => format!("{} has none", title(*slot)),
            [(slot, Some(own))] => format!("{}: {own}", title(*slot)),
            all if all.iter().all(|(_, own)| *own == all[0].1) => match &all[0].1 {
                None => "none of these kernels has it".to_owned(),
                Some(own) => format!("each kernel's own: {own}"),
            },
            all => {
                let each = all.iter().map(|(slot, own)| {
                    let own = own.as_deref().unwrap_or("none");
                    format!("{} {own}", slot::letter(*slot))
                });
                each.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// The edit that sets a knob to a text; `None` takes it back.
    ///
    /// # Errors
    /// What the knob takes.
    pub fn turn(&self, knob: &Knob, text: Option<&str>) -> Result<Edit, String> {
        let (slot, name) = (self.target, knob.name.clone());
        if let Kind::Rule(_) = &knob.kind {
            let value = text.map(|text| Value::String(text.to_owned()));
            return Ok(KernelEdit::Rule { slot, name, value }.into());
        }
        let value = text.map(|text| knob.parse(text)).transpose()?;
        Ok(KernelEdit::Set { slot, name, value }.into())
    }

    /// What a kernel sets to something: name, the preset's value, the new one.
    pub fn changes(&self, slot: usize) -> Vec<(String, Option<String>, String)> {
        let (Some(kernel), Some(preset)) = (self.kernels.get(slot), self.presets.get(slot)) else {
            return Vec::new();
        };
        let levels = preset.as_ref().map_or(&[][..], |preset| &preset.levels);
        let knobs = super::all(levels);
        let own = |name: &str, rule: bool| {
            let is = |knob: &&Knob| matches!(knob.kind, Kind::Rule(_)) == rule && knob.name == name;
            self.own(slot, knobs.iter().find(is)?)
        };
        let rules = kernel.rules.iter().map(|(name, value)| {
            let now = match value {
                Value::String(text) => text.clone(),
                Value::Object(members) => members
                    .get("expr")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned(),
                other => other.to_string(),
            };
            (name.clone(), own(name, true), now)
        });
        let set = kernel
            .set
            .iter()
            .map(|(name, value)| (name.clone(), own(name, false), value.to_string()));
        rules.chain(set).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use teeter_scenario::document::{Machine, Tasks, Workload};

    use super::*;
    use crate::knobs;

    fn tuning(target: Option<usize>) -> Tuning {
        let tasks = vec![Tasks::new("hog", Workload::Hog)];
        let mut scenario = Scenario::new(Machine::preset("laptop"), tasks);
        scenario.kernels = vec![Kernel::new("v5.3"), Kernel::new("v6.1")];
        let rules = &mut scenario.kernels[1].rules;
        rules.insert("detach_load".to_owned(), json!("twice"));
        let hz = SettingValue::Int(1000);
        scenario.kernels[1].set.insert("hz".to_owned(), hz);
        let written = BTreeMap::from([("nr_migrate".to_owned(), SettingValue::Int(8))]);
        Tuning::new(&scenario, &[], 8, written, target)
    }

    fn stands(target: Option<usize>, name: &str) -> Standing {
        let knobs = knobs::all(&[]);
        let knob = knobs.iter().find(|knob| knob.name == name).unwrap();
        tuning(target).standing(knob)
    }

    #[test]
    fn a_knob_stands_where_script_kernel_and_preset_put_it() {
        let written = stands(None, "nr_migrate");
        assert_eq!(written.value.as_deref(), Some("8"));
        assert!(written.changed);
        assert_eq!(written.own, "each kernel's own: 32");
        assert_eq!(stands(Some(0), "hz").value.as_deref(), Some("250"));
        assert!(!stands(Some(0), "hz").changed);
        assert_eq!(stands(Some(1), "hz").value.as_deref(), Some("1000"));
        assert_eq!(stands(Some(1), "hz").own, "v6.1: 250");
    }

    #[test]
    fn what_a_kernel_lacks_is_said() {
        let feature = stands(None, "features.SIS_UTIL");
        assert_eq!(feature.value.as_deref(), Some("true"));
        assert_eq!(feature.own, "A none, B true");
        assert_eq!(stands(Some(0), "features.SIS_UTIL").value, None);
        assert_eq!(stands(Some(0), "features.SIS_UTIL").own, "v5.3 has none");
    }

    #[test]
    fn changes_are_listed_with_what_they_replace() {
        assert!(tuning(None).changes(0).is_empty());
        let changes = tuning(None).changes(1);
        let names: Vec<_> = changes.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(names, ["detach_load", "hz"]);
        assert_eq!(changes[1].1.as_deref(), Some("250"));
    }
}
