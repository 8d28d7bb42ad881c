//! What a person can change in a scenario, as values: applied, named, undone and merged by [`crate::state`].
//!
//! Each part of the scenario has its changes in a file of its own.

mod cgroups;
mod describe;
mod kernels;
mod moment;
mod script;
mod tasks;

use std::rc::Rc;

use teeter_scenario::document::{Machine, ScriptEntry};
use teeter_scenario::{Nanos, Scenario};

pub use cgroups::{CgroupEdit, CgroupField, known_cgroups};
pub use describe::describe;
pub use kernels::KernelEdit;
pub use moment::{max_at, tunable_at, weight_at, written_at};
pub use script::ScriptEdit;
pub use tasks::{Place, TaskEdit, TaskField, free_name};

/// The tunable behind the first slider: `imbalance_pct` of every NUMA level.
pub const NUMA_IMBALANCE_PCT: &str = "domain.NUMA.imbalance_pct";

/// One change to a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// The scenario's name.
    Name(String),
    /// Another machine, or a change of it, as undo calls it.
    Machine(Machine, String),
    /// Of the kernels.
    Kernels(KernelEdit),
    /// Of the cgroups.
    Cgroups(CgroupEdit),
    /// Of the tasks.
    Tasks(TaskEdit),
    /// Of the script.
    Script(ScriptEdit),
    /// How long the run lasts.
    Duration(Nanos),
    /// Where all random draws come from.
    Seed(u64),
    /// Everything, as it was written in the JSON panel.
    Whole(Rc<Scenario>),
    /// Everything, with parts pasted into it.
    Pasted(Rc<Scenario>),
}

impl From<KernelEdit> for Edit {
    fn from(edit: KernelEdit) -> Self {
        Self::Kernels(edit)
    }
}

impl From<CgroupEdit> for Edit {
    fn from(edit: CgroupEdit) -> Self {
        Self::Cgroups(edit)
    }
}

impl From<TaskEdit> for Edit {
    fn from(edit: TaskEdit) -> Self {
        Self::Tasks(edit)
    }
}

impl From<ScriptEdit> for Edit {
    fn from(edit: ScriptEdit) -> Self {
        Self::Script(edit)
    }
}

impl Edit {
    /// The scenario after the change. What does not fit (a slot that is not there) changes nothing.
    pub fn apply(&self, scenario: &Scenario) -> Scenario {
        let mut new = scenario.clone();
        match self {
            Self::Name(name) => new.name.clone_from(name),
            Self::Machine(machine, _) => new.machine = machine.clone(),
            Self::Kernels(edit) => edit.apply(&mut new),
            Self::Cgroups(edit) => edit.apply(&mut new),
            Self::Tasks(edit) => edit.apply(&mut new),
            Self::Script(edit) => edit.apply(&mut new),
            Self::Duration(duration) => new.run.duration = *duration,
            Self::Seed(seed) => new.run.seed = *seed,
            Self::Whole(scenario) | Self::Pasted(scenario) => new = (**scenario).clone(),
        }
        if matches!(self, Self::Cgroups(_) | Self::Tasks(_)) {
            cgroups::settle(&mut new);
        }
        new
    }

    /// What undo calls it.
    pub fn label(&self) -> String {
        match self {
            Self::Name(_) => "rename the scenario".to_owned(),
            Self::Machine(_, label) => label.clone(),
            Self::Kernels(edit) => edit.label(),
            Self::Cgroups(edit) => edit.label(),
            Self::Tasks(edit) => edit.label(),
            Self::Script(edit) => edit.label(),
            Self::Duration(duration) => format!("set the duration to {duration}"),
            Self::Seed(seed) => format!("set the seed to {seed}"),
            Self::Whole(_) => "change the JSON".to_owned(),
            Self::Pasted(_) => "paste".to_owned(),
        }
    }

    /// Edits of one key that follow each other quickly are one step of undo.
    pub fn key(&self) -> Option<String> {
        match self {
            Self::Name(_) => Some("name".to_owned()),
            Self::Machine(_, label) => Some(format!("machine {label}")),
            Self::Kernels(edit) => edit.key(),
            Self::Cgroups(edit) => edit.key(),
            Self::Tasks(edit) => edit.key(),
            Self::Script(edit) => edit.key(),
            _ => None,
        }
    }

    /// The same change as a write at a moment of a run that goes on, where it can be one.
    pub fn live(&self, scenario: &Scenario, at: Nanos) -> Option<Self> {
        let action = match self {
            Self::Kernels(edit) => edit.live(scenario),
            Self::Cgroups(edit) => edit.live(),
            Self::Tasks(edit) => edit.live(scenario),
            _ => None,
        }?;
        Some(ScriptEdit::Add(ScriptEntry { at, action }).into())
    }
}

/// Whether tasks are in more than one cgroup.
pub fn is_grouped(scenario: &Scenario) -> bool {
    let mut paths = scenario.tasks.iter().map(|tasks| &tasks.cgroup);
    let first = paths.next();
    paths.any(|path| Some(path) != first)
}

/// The entry by which `new` goes on where `old` was, if appending it is the whole difference and it
/// lies at or after `from`: then a run of `old` need not begin again.
pub fn continuation<'a>(old: &Scenario, new: &'a Scenario, from: Nanos) -> Option<&'a ScriptEntry> {
    let (entry, rest) = new.script.split_last()?;
    let same = rest == old.script.as_slice()
        && new.machine == old.machine
        && new.cgroups == old.cgroups
        && new.tasks == old.tasks
        && new.kernels == old.kernels
        && new.run == old.run;
    (same && entry.at >= from).then_some(entry)
}

/// Whether two scenarios run alike: they differ in words only.
pub fn runs_alike(a: &Scenario, b: &Scenario) -> bool {
    a.machine == b.machine
        && a.cgroups == b.cgroups
        && a.tasks == b.tasks
        && a.kernels == b.kernels
        && a.script == b.script
        && a.run == b.run
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::{Cgroup, Kernel, SettingValue, Tasks, Workload};

    fn scenario() -> Scenario {
        let tasks = |name: &str, cgroup: &str| Tasks {
            cgroup: cgroup.to_owned(),
            ..Tasks::new(name, Workload::Hog)
        };
        let mut scenario = Scenario::new(
            Machine::preset("4n-80c"),
            vec![tasks("lu", "/lu"), tasks("stress", "/hogs")],
        );
        scenario.cgroups = vec![Cgroup::new("/lu"), Cgroup::new("/hogs")];
        scenario.kernels = vec![Kernel::new("v5.3"), Kernel::new("v5.5")];
        scenario
    }

    fn pct(value: Option<i64>) -> Edit {
        let set = KernelEdit::Set {
            slot: None,
            name: NUMA_IMBALANCE_PCT.to_owned(),
            value: value.map(SettingValue::Int),
        };
        set.into()
    }

    fn pct_at(scenario: &Scenario, at: Nanos) -> Option<i64> {
        match tunable_at(scenario, NUMA_IMBALANCE_PCT, at)? {
            SettingValue::Int(pct) => Some(pct),
            _ => None,
        }
    }

    fn live(edit: &Edit, at: Nanos) -> Edit {
        edit.live(&scenario(), at).unwrap()
    }

    #[test]
    fn one_knob_turns_every_kernel_and_back() {
        let turned = pct(Some(110)).apply(&scenario());
        assert_eq!(pct_at(&turned, Nanos::ZERO), Some(110));
        assert!(turned.kernels.iter().all(|kernel| kernel.set.len() == 1));
        assert_eq!(pct(None).apply(&turned), scenario());
    }

    #[test]
    fn a_live_write_counts_from_its_moment() {
        let at = Nanos::from_secs(2);
        let new = live(&pct(Some(117)), at).apply(&scenario());
        assert_eq!(pct_at(&new, Nanos::from_secs(1)), None);
        assert_eq!(pct_at(&new, at), Some(117));
        assert_eq!(
            pct(None).apply(&new),
            scenario(),
            "a reset takes its writes out"
        );
    }

    #[test]
    fn of_two_writes_at_one_moment_the_later_counts() {
        let at = Nanos::from_secs(2);
        let once = live(&pct(Some(117)), at).apply(&scenario());
        let twice = live(&pct(Some(140)), at).apply(&once);
        assert_eq!(pct_at(&twice, at), Some(140));
    }

    #[test]
    fn only_an_appended_entry_that_is_still_to_come_continues_a_run() {
        let old = scenario();
        let new = live(&pct(Some(117)), Nanos::from_secs(2)).apply(&old);
        assert!(continuation(&old, &new, Nanos::from_secs(2)).is_some());
        assert!(continuation(&old, &new, Nanos::from_secs(3)).is_none());
        let other = Edit::Seed(7).apply(&new);
        assert!(continuation(&old, &other, Nanos::ZERO).is_none());
        assert!(continuation(&old, &old, Nanos::ZERO).is_none());
    }

    #[test]
    fn ungrouping_and_grouping_come_back_to_the_same_cgroups() {
        let one = Edit::from(CgroupEdit::Grouped(false)).apply(&scenario());
        assert!(!is_grouped(&one));
        assert_eq!(
            Edit::from(CgroupEdit::Grouped(true)).apply(&one),
            scenario()
        );
    }

    #[test]
    fn grouping_without_listed_cgroups_names_them_after_the_tasks() {
        let mut one = Edit::from(CgroupEdit::Grouped(false)).apply(&scenario());
        one.cgroups.clear();
        let grouped = Edit::from(CgroupEdit::Grouped(true)).apply(&one);
        assert_eq!(grouped.tasks[1].cgroup, "/stress");
    }

    #[test]
    fn weights_are_those_of_the_moment() {
        let heavy: Edit = CgroupEdit::Field {
            path: "/lu".to_owned(),
            field: CgroupField::Weight(300),
        }
        .into();
        let set = heavy.apply(&scenario());
        assert_eq!(weight_at(&set, "/lu", Nanos::ZERO), 300);
        let live = live(&heavy, Nanos::from_secs(1)).apply(&scenario());
        assert_eq!(weight_at(&live, "/lu", Nanos::ZERO), 100);
        assert_eq!(weight_at(&live, "/lu", Nanos::from_secs(1)), 300);
        assert_eq!(weight_at(&live, "/elsewhere", Nanos::ZERO), 100);
    }

    #[test]
    fn a_chosen_kernel_keeps_the_tunables() {
        let turned = pct(Some(110)).apply(&scenario());
        let choose = KernelEdit::Choose {
            slot: 1,
            base: "v5.3".to_owned(),
        };
        let chosen = Edit::from(choose).apply(&turned);
        assert_eq!(chosen.kernels[1].base, "v5.3");
        assert_eq!(chosen.kernels[1].set.len(), 1);
        let remove = Edit::from(KernelEdit::Remove(0));
        let one = remove.apply(&chosen);
        assert_eq!(remove.apply(&one).kernels.len(), 1, "the last one stays");
    }

    #[test]
    fn words_do_not_make_a_run_different() {
        assert!(runs_alike(
            &scenario(),
            &Edit::Name("x".to_owned()).apply(&scenario())
        ));
        assert!(!runs_alike(&scenario(), &Edit::Seed(2).apply(&scenario())));
    }
}
