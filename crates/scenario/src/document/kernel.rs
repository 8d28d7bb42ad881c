//! A kernel: a named preset over rules, and what is changed of it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::SettingValue;

/// A kernel to run the scenario under.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The preset's name: `vBASE[+PATCH…]`.
    pub base: String,
    /// Rules that differ from the preset, by dotted name.
    pub rules: BTreeMap<String, Value>,
    /// Tunables that differ from the preset, by dotted name.
    pub set: BTreeMap<String, SettingValue>,
    /// What to call it in results; `None`: by its base.
    pub label: Option<String>,
}

impl Kernel {
    /// The newest preset: what a scenario runs under that names no kernel.
    pub const NEWEST: &'static str = "v6.17";

    /// A preset with nothing changed.
    pub fn new(base: impl Into<String>) -> Self {
        Self {
            base: base.into(),
            rules: BTreeMap::new(),
            set: BTreeMap::new(),
            label: None,
        }
    }

    /// The kernels of these names, to take the place of `kernels`: one that is there already stays as it
    /// is; another begins with the tunables on which all of `kernels` agree, such as the `hz` they run at.
    pub fn replace(kernels: &[Self], names: &[String]) -> Vec<Self> {
        let agreed = Self::agreed(kernels);
        let named = |name: &String| {
            kernels
                .iter()
                .find(|kernel| kernel.base == *name)
                .cloned()
                .unwrap_or_else(|| Self {
                    set: agreed.clone(),
                    ..Self::new(name)
                })
        };
        names.iter().map(named).collect()
    }

    /// The tunables that all of `kernels` set alike.
    fn agreed(kernels: &[Self]) -> BTreeMap<String, SettingValue> {
        let Some((first, rest)) = kernels.split_first() else {
            return BTreeMap::new();
        };
        let mut agreed = first.set.clone();
        agreed.retain(|name, value| {
            rest.iter()
                .all(|kernel| kernel.set.get(name) == Some(value))
        });
        agreed
    }

    /// What to call it in results.
    pub fn title(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.base)
    }
}

impl Default for Kernel {
    fn default() -> Self {
        Self::new(Self::NEWEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_kernels_keep_what_all_agree_on() {
        let with = |base: &str, set: &[(&str, i64)]| Kernel {
            set: set
                .iter()
                .map(|&(name, value)| (name.to_owned(), SettingValue::Int(value)))
                .collect(),
            ..Kernel::new(base)
        };
        let kernels = [
            with("v5.3", &[("hz", 1000), ("nr_migrate", 8)]),
            with("v5.5", &[("hz", 1000)]),
        ];
        let names = ["v5.3".to_owned(), "v5.6".to_owned()];
        assert_eq!(
            Kernel::replace(&kernels, &names),
            [kernels[0].clone(), with("v5.6", &[("hz", 1000)])]
        );
    }
}
