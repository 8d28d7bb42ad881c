//! Scenarios that come along, each in a document of its own under `presets/`.

use crate::document::Scenario;
use crate::problem::{Problem, Problems};

/// A scenario that comes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name, as in `preset:NAME` and `#p=NAME`.
    pub name: &'static str,
    /// The document, laid out for people.
    pub json: &'static str,
}

/// Names each preset after its file.
macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        [$(Preset { name: $name, json: include_str!(concat!("../presets/", $name, ".json")) }),*]
    };
}

/// All of them, in the order they are shown; the first is what a first visit shows.
///
/// In the lu presets the hogs come first, so that they run when lu is forked around them, and begin on nodes 1
/// and 2, where the measured runs had them; nothing holds them there. `hz` is 1000, as for those measurements.
/// In the numa presets it is 100, as arch/powerpc's configurations have it.
/// Then come the benchmarks of the threads' tables, as `teeter replicate` runs them; those with longer names are cases seen on real machines, under kernels with the fault and without.
pub const ALL: [Preset; 33] = presets![
    "lu-group",
    "lu-normal",
    "laptop-mix",
    "milan-periodic",
    "schbench-root",
    "schbench-cgroup",
    "netperf-stream",
    "schbench-nodes",
    "hackbench",
    "tbench",
    "netperf-pairs",
    "stream",
    "ycsb",
    "services",
    "genoa-hackbench",
    "lb-vs-wake-pingpong",
    "llc-spread-migrate-util",
    "k8s-97445-limit-high",
    "wasted-group-imbalance",
    "biglittle-force-balance",
    "equal-weight-cgroups-stress",
    "numa01",
    "numa02",
    "numa03",
    "numa04",
    "numa05",
    "numa06",
    "numa07",
    "numa08",
    "numa09",
    "numa10",
    "nas-half",
    "perf-pipe",
];

impl Preset {
    /// The scenario.
    ///
    /// # Errors
    /// None as released: a test reads them all.
    pub fn scenario(&self) -> Result<Scenario, Problems> {
        Scenario::from_json(self.json)
    }
}

/// The scenario of that name.
///
/// # Errors
/// Where there is none of that name; the nearest is the hint.
///
/// ```
/// let scenario = teeter_scenario::presets::get("lu-group").unwrap();
/// assert_eq!(scenario.tasks[1].threads, 76);
/// ```
pub fn get(name: &str) -> Result<Scenario, Problems> {
    match ALL.iter().find(|preset| preset.name == name) {
        Some(preset) => preset.scenario(),
        None => Err(Problem::unknown("", "preset", name, names()).into()),
    }
}

/// The names, in the order they are shown.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|preset| preset.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_valid_scenario() {
        for preset in ALL {
            let scenario = preset.scenario().unwrap();
            assert!(!scenario.name.is_empty() && !scenario.about.is_empty());
        }
    }

    #[test]
    fn the_lu_presets_differ_in_their_cgroups_alone() {
        let group = get("lu-group").unwrap();
        let mut normal = get("lu-normal").unwrap();
        assert!(normal.tasks.iter().all(|tasks| tasks.cgroup == "/all"));
        for (tasks, of_group) in normal.tasks.iter_mut().zip(&group.tasks) {
            tasks.cgroup.clone_from(&of_group.cgroup);
        }
        assert_eq!(normal.tasks, group.tasks);
        assert_eq!(normal.machine, group.machine);
        assert_eq!(normal.kernels, group.kernels);
        assert_eq!(normal.run, group.run);
    }

    #[test]
    fn a_misspelt_preset_gets_a_hint() {
        assert_eq!(
            get("lu-grup").unwrap_err().to_string(),
            "unknown preset `lu-grup` (did you mean `lu-group`?)"
        );
    }
}
