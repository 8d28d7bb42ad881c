//! Changes of the tasks.

use teeter_scenario::document::{Action, Fork, Policy, Tasks, Workload};
use teeter_scenario::{CpuList, Nanos, Scenario};

use super::cgroups::is_within;

/// One change of the tasks.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskEdit {
    /// One more, with a name that is free.
    Add(Box<Tasks>),
    /// Takes one away.
    Remove(usize),
    /// A value of one.
    Field {
        /// Index of the task.
        task: usize,
        /// Which value, and what it is set to.
        field: TaskField,
    },
    /// A task, or all of a cgroup, comes to CPUs.
    Place {
        /// Who.
        who: Place,
        /// Which CPUs; `None`: wherever the kernel puts it.
        cpus: Option<CpuList>,
        /// Bound there, or only started there.
        bind: bool,
    },
}

/// Who is placed on CPUs.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A task, by its index.
    Task(usize),
    /// All tasks of a cgroup and of those below it.
    Cgroup(String),
}

/// A value of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskField {
    /// Its name.
    Name(String),
    /// How many threads it has.
    Threads(u32),
    /// How many processes it has.
    Processes(u32),
    /// The cgroup it is in.
    Cgroup(String),
    /// What it does.
    Workload(Workload),
    /// -20 to 19.
    Nice(i8),
    /// Its policy.
    Policy(Policy),
    /// The CPUs it may run on; `None`: all.
    Affinity(Option<CpuList>),
    /// When it begins.
    Start(Nanos),
    /// From where it is forked.
    Fork(Fork),
}

impl TaskField {
    fn name(&self) -> &'static str {
        match self {
            Self::Name(_) => "the name",
            Self::Threads(_) => "the threads",
            Self::Processes(_) => "the processes",
            Self::Cgroup(_) => "the cgroup",
            Self::Workload(_) => "the workload",
            Self::Nice(_) => "the nice value",
            Self::Policy(_) => "the policy",
            Self::Affinity(_) => "the affinity",
            Self::Start(_) => "the start",
            Self::Fork(_) => "the first CPU",
        }
    }
}

impl TaskEdit {
    pub(super) fn apply(&self, scenario: &mut Scenario) {
        match self {
            Self::Add(task) => {
                let mut task = (**task).clone();
                task.name = free_name(scenario, &task.name);
                scenario.tasks.push(task);
            }
            Self::Remove(index) => {
                if scenario.tasks.len() > 1 && *index < scenario.tasks.len() {
                    let gone = scenario.tasks.remove(*index).name;
                    scenario
                        .script
                        .retain(|entry| of_task(&entry.action).is_none_or(|of| !is(of, &gone)));
                }
            }
            Self::Field { task, field } => {
                if let TaskField::Name(name) = field {
                    rename(scenario, *task, name);
                } else if let Some(task) = scenario.tasks.get_mut(*task) {
                    write(task, field);
                }
            }
            Self::Place { who, cpus, bind } => {
                let placed = |index: usize, task: &Tasks| match who {
                    Place::Task(task) => *task == index,
                    Place::Cgroup(path) => path == "/" || is_within(&task.cgroup, path),
                };
                for (index, task) in scenario.tasks.iter_mut().enumerate() {
                    if placed(index, task) {
                        task.fork = cpus.clone().map_or_else(Fork::default, Fork::On);
                        task.affinity = cpus.clone().filter(|_| *bind);
                    }
                }
            }
        }
    }

    pub(super) fn label(&self) -> String {
        match self {
            Self::Add(task) => format!("add {}", task.name),
            Self::Remove(_) => "remove a task".to_owned(),
            Self::Field { field, .. } => match field {
                TaskField::Threads(threads) => format!("set {threads} threads"),
                TaskField::Cgroup(path) => format!("move a task to {path}"),
                TaskField::Name(name) => format!("call a task {name}"),
                field => format!("set {} of a task", field.name()),
            },
            Self::Place { cpus, bind, .. } => match cpus {
                Some(cpus) if *bind => format!("bind to CPUs {cpus}"),
                Some(cpus) => format!("start on CPUs {cpus}"),
                None => "let the kernel place".to_owned(),
            },
        }
    }

    pub(super) fn key(&self) -> Option<String> {
        match self {
            Self::Field { task, field } => Some(format!("{} {task}", field.name())),
            _ => None,
        }
    }

    /// The same as what an administrator does while the kernel runs.
    pub(super) fn live(&self, scenario: &Scenario) -> Option<Action> {
        let name = |index: usize| Some(scenario.tasks.get(index)?.name.clone());
        match self {
            Self::Field { task, field } => match field {
                TaskField::Cgroup(to) => Some(Action::Move {
                    task: name(*task)?,
                    to: to.clone(),
                }),
                TaskField::Nice(nice) => Some(Action::Nice {
                    task: name(*task)?,
                    nice: *nice,
                }),
                TaskField::Affinity(Some(cpus)) => Some(Action::Affinity {
                    task: name(*task)?,
                    cpus: cpus.clone(),
                }),
                _ => None,
            },
            Self::Place {
                who: Place::Task(task),
                cpus: Some(cpus),
                bind: true,
            } => Some(Action::Affinity {
                task: name(*task)?,
                cpus: cpus.clone(),
            }),
            _ => None,
        }
    }
}

fn write(task: &mut Tasks, field: &TaskField) {
    match field {
        // Renamed everywhere, see `rename`.
        TaskField::Name(_) => {}
        TaskField::Threads(threads) => task.threads = *threads,
        TaskField::Processes(processes) => task.processes = *processes,
        TaskField::Cgroup(path) => task.cgroup.clone_from(path),
        TaskField::Workload(workload) => {
            task.workload = workload.clone();
            if task.workload.own_threads().is_some() {
                task.threads = 1;
            }
        }
        TaskField::Nice(nice) => task.nice = *nice,
        TaskField::Policy(policy) => task.policy = *policy,
        TaskField::Affinity(cpus) => task.affinity.clone_from(cpus),
        TaskField::Start(start) => task.start = *start,
        TaskField::Fork(fork) => task.fork = fork.clone(),
    }
}

/// A name like this one that no task has.
pub fn free_name(scenario: &Scenario, wanted: &str) -> String {
    let taken = |name: &str| scenario.tasks.iter().any(|task| task.name == name);
    let stem = wanted.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let numbered = (2_u32..).map(|n| format!("{stem}-{n}"));
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|name| !taken(name))
        .unwrap_or_default()
}

fn rename(scenario: &mut Scenario, index: usize, name: &str) {
    let taken = scenario.tasks.iter().any(|task| task.name == name);
    let Some(task) = scenario.tasks.get_mut(index).filter(|_| !taken) else {
        return;
    };
    let old = std::mem::replace(&mut task.name, name.to_owned());
    for entry in &mut scenario.script {
        if let Some(of) = of_task_mut(&mut entry.action)
            && is(of, &old)
        {
            *of = format!("{name}{}", &of[old.len()..]);
        }
    }
}

/// Whether `of` names a task or one of its threads (`lu.3`).
fn is(of: &str, task: &str) -> bool {
    of.strip_prefix(task)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn of_task(action: &Action) -> Option<&str> {
    match action {
        Action::Affinity { task, .. }
        | Action::Move { task, .. }
        | Action::Nice { task, .. }
        | Action::Autogroup { task, .. }
        | Action::Slice { task, .. }
        | Action::Start(task)
        | Action::Stop(task) => Some(task),
        _ => None,
    }
}

fn of_task_mut(action: &mut Action) -> Option<&mut String> {
    match action {
        Action::Affinity { task, .. }
        | Action::Move { task, .. }
        | Action::Nice { task, .. }
        | Action::Autogroup { task, .. }
        | Action::Slice { task, .. }
        | Action::Start(task)
        | Action::Stop(task) => Some(task),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use teeter_scenario::document::{Machine, ScriptEntry};

    use super::*;

    fn scenario() -> Scenario {
        let task = |name: &str, cgroup: &str| Tasks {
            cgroup: cgroup.to_owned(),
            ..Tasks::new(name, Workload::Hog)
        };
        let tasks = vec![task("lu", "/a/b"), task("hog", "/c")];
        let mut scenario = Scenario::new(Machine::preset("laptop"), tasks);
        scenario.script = vec![ScriptEntry {
            at: Nanos::from_secs(1),
            action: Action::Stop("lu.0".to_owned()),
        }];
        scenario
    }

    fn after(edit: &TaskEdit) -> Scenario {
        let mut new = scenario();
        edit.apply(&mut new);
        new
    }

    #[test]
    fn a_renamed_task_is_renamed_in_the_script() {
        let name = |name: &str| TaskEdit::Field {
            task: 0,
            field: TaskField::Name(name.to_owned()),
        };
        let new = after(&name("bt"));
        assert_eq!(new.script[0].action, Action::Stop("bt.0".to_owned()));
        assert_eq!(after(&name("hog")), scenario(), "the name is taken");
    }

    #[test]
    fn a_removed_task_leaves_no_entry_behind_and_the_last_one_stays() {
        let mut new = after(&TaskEdit::Remove(0));
        assert!(new.script.is_empty());
        TaskEdit::Remove(0).apply(&mut new);
        assert_eq!(new.tasks.len(), 1);
    }

    #[test]
    fn an_added_task_has_a_name_of_its_own() {
        let task = Box::new(Tasks::new("hog", Workload::Hog));
        let mut new = after(&TaskEdit::Add(task.clone()));
        TaskEdit::Add(task).apply(&mut new);
        let names: Vec<_> = new.tasks.iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names, ["lu", "hog", "hog-2", "hog-3"]);
    }

    #[test]
    fn a_cgroup_is_placed_with_all_below_it() {
        let cpus = CpuList::range(2, 3);
        let place = |who, bind| TaskEdit::Place {
            who,
            cpus: Some(CpuList::range(2, 3)),
            bind,
        };
        let new = after(&place(Place::Cgroup("/a".to_owned()), true));
        assert_eq!(new.tasks[0].affinity, Some(cpus.clone()));
        assert_eq!(new.tasks[1].affinity, None);
        let started = after(&place(Place::Task(1), false));
        assert_eq!(started.tasks[1].fork, Fork::On(cpus));
        assert_eq!(started.tasks[1].affinity, None);
    }
}
