//! What a person can change in a scenario, as values: applied, named, undone and merged by [`crate::state`].

use std::collections::BTreeMap;

use teeter_scenario::document::{
    Action, Cgroup, CgroupChange, Kernel, Machine, ScriptEntry, SettingValue,
};
use teeter_scenario::{Nanos, Scenario, limits};

/// The tunable behind the slider: `imbalance_pct` of every NUMA level.
pub const NUMA_IMBALANCE_PCT: &str = "domain.NUMA.imbalance_pct";

/// One change to a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// The scenario's name.
    Name(String),
    /// Another machine.
    Machine(Machine),
    /// The kernel of a slot, by the name of its preset. Tunables stay.
    Kernel {
        /// Slot, from 0 (A).
        slot: usize,
        /// Preset.
        base: String,
    },
    /// One more kernel, by the name of its preset, with the tunables of the first.
    AddKernel(String),
    /// Takes the kernel of a slot away; the last one stays.
    RemoveKernel(usize),
    /// A tunable of every kernel; `None` is the kernel's default.
    Tunable {
        /// Dotted name.
        name: &'static str,
        /// Its value from the start of the run.
        value: Option<i64>,
    },
    /// Each task in a cgroup of its own, or all in one.
    Grouped(bool),
    /// `cpu.weight` of a cgroup.
    Weight {
        /// The cgroup's path.
        path: String,
        /// 1 to 10000.
        weight: u32,
    },
    /// How many threads a task has.
    Threads {
        /// Index of the task.
        task: usize,
        /// 1 or more.
        threads: u32,
    },
    /// One more entry of the script, at its end.
    AddEntry(ScriptEntry),
    /// Takes an entry out of the script.
    RemoveEntry(usize),
    /// How long the run lasts.
    Duration(Nanos),
    /// Where all random draws come from.
    Seed(u64),
}

impl Edit {
    /// The scenario after the change. What does not fit (a slot that is not there) changes nothing.
    pub fn apply(&self, scenario: &Scenario) -> Scenario {
        let mut new = scenario.clone();
        match self {
            Self::Name(name) => new.name.clone_from(name),
            Self::Machine(machine) => new.machine = machine.clone(),
            Self::Kernel { slot, base } => {
                if let Some(kernel) = new.kernels.get_mut(*slot) {
                    kernel.base.clone_from(base);
                    kernel.rules.clear();
                    kernel.label = None;
                }
            }
            Self::AddKernel(base) => {
                if new.kernels.len() < limits::KERNELS {
                    let set = new.kernels.first().map(|kernel| kernel.set.clone());
                    let mut kernel = Kernel::new(base.as_str());
                    kernel.set = set.unwrap_or_default();
                    new.kernels.push(kernel);
                }
            }
            Self::RemoveKernel(slot) => {
                if new.kernels.len() > 1 && *slot < new.kernels.len() {
                    new.kernels.remove(*slot);
                }
            }
            Self::Tunable { name, value } => {
                for kernel in &mut new.kernels {
                    match value {
                        Some(value) => kernel
                            .set
                            .insert((*name).to_owned(), SettingValue::Int(*value)),
                        None => kernel.set.remove(*name),
                    };
                }
                if value.is_none() {
                    drop_writes(&mut new.script, name);
                }
            }
            Self::Grouped(grouped) => group(&mut new, *grouped),
            Self::Weight { path, weight } => set_weight(&mut new.cgroups, path, *weight),
            Self::Threads { task, threads } => {
                if let Some(task) = new.tasks.get_mut(*task) {
                    task.threads = *threads;
                }
            }
            Self::AddEntry(entry) => new.script.push(entry.clone()),
            Self::RemoveEntry(index) => {
                if *index < new.script.len() {
                    new.script.remove(*index);
                }
            }
            Self::Duration(duration) => new.run.duration = *duration,
            Self::Seed(seed) => new.run.seed = *seed,
        }
        new
    }

    /// What undo calls it.
    pub fn label(&self) -> String {
        match self {
            Self::Name(_) => "rename".to_owned(),
            Self::Machine(_) => "change the machine".to_owned(),
            Self::Kernel { base, .. } => format!("choose {base}"),
            Self::AddKernel(base) => format!("add {base}"),
            Self::RemoveKernel(_) => "remove a kernel".to_owned(),
            Self::Tunable {
                name,
                value: Some(value),
            } => format!("set {name} to {value}"),
            Self::Tunable { name, value: None } => format!("reset {name}"),
            Self::Grouped(true) => "put each task in a cgroup of its own".to_owned(),
            Self::Grouped(false) => "put all tasks in one cgroup".to_owned(),
            Self::Weight { path, weight } => format!("set the weight of {path} to {weight}"),
            Self::Threads { threads, .. } => format!("set {threads} threads"),
            Self::AddEntry(entry) => format!("{} at {}", describe(&entry.action), entry.at),
            Self::RemoveEntry(_) => "remove a script entry".to_owned(),
            Self::Duration(duration) => format!("set the duration to {duration}"),
            Self::Seed(seed) => format!("set the seed to {seed}"),
        }
    }

    /// Edits of one key that follow each other quickly are one step of undo.
    pub fn key(&self) -> Option<String> {
        match self {
            Self::Name(_) => Some("name".to_owned()),
            Self::Tunable { name, .. } => Some((*name).to_owned()),
            Self::Weight { path, .. } => Some(format!("weight {path}")),
            Self::Threads { task, .. } => Some(format!("threads {task}")),
            _ => None,
        }
    }

    /// The same change as a write at a moment of a run that goes on, where it can be one.
    pub fn live(&self, at: Nanos) -> Option<Self> {
        let action = match self {
            Self::Tunable {
                name,
                value: Some(value),
            } => Action::Set(BTreeMap::from([(
                (*name).to_owned(),
                SettingValue::Int(*value),
            )])),
            Self::Weight { path, weight } => Action::Cgroup(CgroupChange {
                path: path.clone(),
                weight: Some(*weight),
                ..CgroupChange::default()
            }),
            _ => return None,
        };
        Some(Self::AddEntry(ScriptEntry { at, action }))
    }
}

/// A script entry in words.
pub fn describe(action: &Action) -> String {
    match action {
        Action::Set(values) => {
            let writes: Vec<_> = values
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            writes.join(", ")
        }
        Action::Affinity { task, cpus } => format!("bind {task} to CPUs {cpus}"),
        Action::Cgroup(change) => match change.weight {
            Some(weight) => format!("weight of {} = {weight}", change.path),
            None => format!("write to {}", change.path),
        },
        Action::Move { task, to } => format!("move {task} to {to}"),
        Action::Start(task) => format!("start {task}"),
        Action::Stop(task) => format!("stop {task}"),
        Action::Offline(cpus) => format!("switch CPUs {cpus} off"),
        Action::Online(cpus) => format!("switch CPUs {cpus} on"),
        Action::Nice { task, nice } => format!("renice {task} to {nice}"),
        Action::Autogroup { task, nice } => format!("renice the session of {task} to {nice}"),
        Action::Slice { task, slice } => format!("slice of {task} = {slice}"),
    }
}

/// The value of an integer tunable at a moment: the latest write, else the first kernel's setting.
pub fn tunable_at(scenario: &Scenario, name: &str, at: Nanos) -> Option<i64> {
    let written = |entry: &ScriptEntry| match &entry.action {
        Action::Set(values) => values.get(name).and_then(as_int),
        _ => None,
    };
    latest(scenario, at, written).or_else(|| {
        let kernel = scenario.kernels.first()?;
        kernel.set.get(name).and_then(as_int)
    })
}

/// The `cpu.weight` of a cgroup at a moment.
pub fn weight_at(scenario: &Scenario, path: &str, at: Nanos) -> u32 {
    let written = |entry: &ScriptEntry| match &entry.action {
        Action::Cgroup(change) if change.path == path => change.weight,
        _ => None,
    };
    latest(scenario, at, written)
        .or_else(|| {
            Some(
                scenario
                    .cgroups
                    .iter()
                    .find(|cgroup| cgroup.path == path)?
                    .weight,
            )
        })
        .unwrap_or(100)
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

fn as_int(value: &SettingValue) -> Option<i64> {
    match value {
        SettingValue::Int(value) => Some(*value),
        _ => None,
    }
}

fn latest<T>(
    scenario: &Scenario,
    at: Nanos,
    written: impl Fn(&ScriptEntry) -> Option<T>,
) -> Option<T> {
    let before = scenario.script.iter().filter(|entry| entry.at <= at);
    before
        .filter_map(|entry| Some((entry.at, written(entry)?)))
        .max_by_key(|(at, _)| *at)
        .map(|(_, value)| value)
}

fn drop_writes(script: &mut Vec<ScriptEntry>, name: &str) {
    script.retain_mut(|entry| match &mut entry.action {
        Action::Set(values) => {
            values.remove(name);
            !values.is_empty()
        }
        _ => true,
    });
}

fn set_weight(cgroups: &mut Vec<Cgroup>, path: &str, weight: u32) {
    if let Some(cgroup) = cgroups.iter_mut().find(|cgroup| cgroup.path == path) {
        cgroup.weight = weight;
    } else if path != "/" {
        cgroups.push(Cgroup {
            weight,
            ..Cgroup::new(path)
        });
    }
}

/// The one cgroup all tasks are in when they are not grouped.
const ALL: &str = "/all";

/// Moves all tasks into one cgroup, or each into one of its own: the listed ones in their order where
/// there is one for each task, else new ones called after the tasks.
fn group(scenario: &mut Scenario, grouped: bool) {
    scenario.cgroups.retain(|cgroup| cgroup.path != ALL);
    if !grouped {
        scenario.cgroups.push(Cgroup::new(ALL));
        for task in &mut scenario.tasks {
            ALL.clone_into(&mut task.cgroup);
        }
        return;
    }
    if scenario.cgroups.len() != scenario.tasks.len() {
        scenario.cgroups = scenario
            .tasks
            .iter()
            .map(|task| Cgroup::new(format!("/{}", task.name)))
            .collect();
    }
    for (task, cgroup) in scenario.tasks.iter_mut().zip(&scenario.cgroups) {
        task.cgroup.clone_from(&cgroup.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::{Tasks, Workload};

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
        Edit::Tunable {
            name: NUMA_IMBALANCE_PCT,
            value,
        }
    }

    #[test]
    fn one_knob_turns_every_kernel_and_back() {
        let turned = pct(Some(110)).apply(&scenario());
        assert_eq!(
            tunable_at(&turned, NUMA_IMBALANCE_PCT, Nanos::ZERO),
            Some(110)
        );
        assert!(turned.kernels.iter().all(|kernel| kernel.set.len() == 1));
        assert_eq!(pct(None).apply(&turned), scenario());
    }

    #[test]
    fn a_live_write_counts_from_its_moment() {
        let at = Nanos::from_secs(2);
        let new = pct(Some(117)).live(at).unwrap().apply(&scenario());
        assert_eq!(
            tunable_at(&new, NUMA_IMBALANCE_PCT, Nanos::from_secs(1)),
            None
        );
        assert_eq!(tunable_at(&new, NUMA_IMBALANCE_PCT, at), Some(117));
        assert_eq!(
            pct(None).apply(&new),
            scenario(),
            "a reset takes its writes out"
        );
    }

    #[test]
    fn of_two_writes_at_one_moment_the_later_counts() {
        let at = Nanos::from_secs(2);
        let once = pct(Some(117)).live(at).unwrap().apply(&scenario());
        let twice = pct(Some(140)).live(at).unwrap().apply(&once);
        assert_eq!(tunable_at(&twice, NUMA_IMBALANCE_PCT, at), Some(140));
    }

    #[test]
    fn only_an_appended_entry_that_is_still_to_come_continues_a_run() {
        let old = scenario();
        let new = pct(Some(117))
            .live(Nanos::from_secs(2))
            .unwrap()
            .apply(&old);
        assert!(continuation(&old, &new, Nanos::from_secs(2)).is_some());
        assert!(continuation(&old, &new, Nanos::from_secs(3)).is_none());
        let other = Edit::Seed(7).apply(&new);
        assert!(continuation(&old, &other, Nanos::ZERO).is_none());
        assert!(continuation(&old, &old, Nanos::ZERO).is_none());
    }

    #[test]
    fn ungrouping_and_grouping_come_back_to_the_same_cgroups() {
        let one = Edit::Grouped(false).apply(&scenario());
        assert!(!is_grouped(&one));
        assert_eq!(Edit::Grouped(true).apply(&one), scenario());
    }

    #[test]
    fn grouping_without_listed_cgroups_names_them_after_the_tasks() {
        let mut one = Edit::Grouped(false).apply(&scenario());
        one.cgroups.clear();
        let grouped = Edit::Grouped(true).apply(&one);
        assert_eq!(grouped.tasks[1].cgroup, "/stress");
    }

    #[test]
    fn weights_are_those_of_the_moment() {
        let heavy = Edit::Weight {
            path: "/lu".to_owned(),
            weight: 300,
        };
        let set = heavy.apply(&scenario());
        assert_eq!(weight_at(&set, "/lu", Nanos::ZERO), 300);
        let live = heavy.live(Nanos::from_secs(1)).unwrap().apply(&scenario());
        assert_eq!(weight_at(&live, "/lu", Nanos::ZERO), 100);
        assert_eq!(weight_at(&live, "/lu", Nanos::from_secs(1)), 300);
        assert_eq!(weight_at(&live, "/elsewhere", Nanos::ZERO), 100);
    }

    #[test]
    fn a_chosen_kernel_keeps_the_tunables() {
        let turned = pct(Some(110)).apply(&scenario());
        let chosen = Edit::Kernel {
            slot: 1,
            base: "v5.3".to_owned(),
        }
        .apply(&turned);
        assert_eq!(chosen.kernels[1].base, "v5.3");
        assert_eq!(chosen.kernels[1].set.len(), 1);
        let one = Edit::RemoveKernel(0).apply(&chosen);
        assert_eq!(
            Edit::RemoveKernel(0).apply(&one).kernels.len(),
            1,
            "the last one stays"
        );
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
