//! Changes of the cgroup tree.

use teeter_scenario::document::{Action, Bandwidth, Cgroup, CgroupChange, Partition, ScriptEntry};
use teeter_scenario::{CpuList, Scenario};

/// One change of the cgroup tree.
#[derive(Clone, Debug, PartialEq)]
pub enum CgroupEdit {
    /// Each task in a cgroup of its own, or all in one.
    Grouped(bool),
    /// One more cgroup.
    Add(String),
    /// Takes a cgroup away: what is in it goes to its parent.
    Remove(String),
    /// Another path for a cgroup and all below it: another name, or another parent.
    Rename {
        /// The cgroup.
        path: String,
        /// Its new path.
        to: String,
    },
    /// A value of a cgroup.
    Field {
        /// The cgroup.
        path: String,
        /// Which value, and what it is set to.
        field: CgroupField,
    },
}

/// A value of a cgroup, as its file takes it.
#[derive(Clone, Debug, PartialEq)]
pub enum CgroupField {
    /// `cpu.weight`, 1 to 10000.
    Weight(u32),
    /// `cpu.max`.
    Max(Bandwidth),
    /// `cpuset.cpus`; `None`: its parent's.
    Cpus(Option<CpuList>),
    /// `cpuset.mems`; `None`: its parent's.
    Mems(Option<CpuList>),
    /// `cpu.idle`.
    Idle(bool),
    /// `cpuset.cpus.partition`.
    Partition(Partition),
}

impl CgroupField {
    fn name(&self) -> &'static str {
        match self {
            Self::Weight(_) => "cpu.weight",
            Self::Max(_) => "cpu.max",
            Self::Cpus(_) => "cpuset.cpus",
            Self::Mems(_) => "cpuset.mems",
            Self::Idle(_) => "cpu.idle",
            Self::Partition(_) => "cpuset.cpus.partition",
        }
    }

    fn write(&self, cgroup: &mut Cgroup) {
        match self {
            Self::Weight(weight) => cgroup.weight = *weight,
            Self::Max(max) => cgroup.max = *max,
            Self::Cpus(cpus) => cgroup.cpus.clone_from(cpus),
            Self::Mems(mems) => cgroup.mems.clone_from(mems),
            Self::Idle(idle) => cgroup.idle = *idle,
            Self::Partition(partition) => cgroup.partition = *partition,
        }
    }
}

impl CgroupEdit {
    pub(super) fn apply(&self, scenario: &mut Scenario) {
        match self {
            Self::Grouped(grouped) => group(scenario, *grouped),
            Self::Add(path) => {
                if !known_cgroups(scenario).contains(path) {
                    scenario.cgroups.push(Cgroup::new(path.as_str()));
                }
            }
            Self::Remove(path) => remove(scenario, path),
            Self::Rename { path, to } => {
                let taken = known_cgroups(scenario).contains(to);
                // A cgroup cannot go below itself.
                if path != "/" && !taken && !is_within(to, path) {
                    list(scenario, path);
                    each_path(scenario, |known| {
                        if is_within(known, path) {
                            *known = format!("{to}{}", &known[path.len()..]);
                        }
                    });
                }
            }
            Self::Field { path, field } => {
                if path != "/" {
                    list(scenario, path);
                    let mut cgroups = scenario.cgroups.iter_mut();
                    if let Some(cgroup) = cgroups.find(|cgroup| cgroup.path == *path) {
                        field.write(cgroup);
                    }
                }
            }
        }
    }

    pub(super) fn label(&self) -> String {
        match self {
            Self::Grouped(true) => "put each task in a cgroup of its own".to_owned(),
            Self::Grouped(false) => "put all tasks in one cgroup".to_owned(),
            Self::Add(path) => format!("add {path}"),
            Self::Remove(path) => format!("remove {path}"),
            Self::Rename { path, to } => format!("make {path} {to}"),
            Self::Field { path, field } => format!("set {} of {path}", field.name()),
        }
    }

    pub(super) fn key(&self) -> Option<String> {
        match self {
            Self::Field { path, field } => Some(format!("{} {path}", field.name())),
            _ => None,
        }
    }

    /// The same as a write to the cgroup's file while the kernel runs.
    pub(super) fn live(&self) -> Option<Action> {
        let Self::Field { path, field } = self else {
            return None;
        };
        let mut change = CgroupChange {
            path: path.clone(),
            ..CgroupChange::default()
        };
        match field {
            CgroupField::Weight(weight) => change.weight = Some(*weight),
            CgroupField::Max(max) => change.max = Some(*max),
            CgroupField::Idle(idle) => change.idle = Some(*idle),
            CgroupField::Cpus(Some(cpus)) => change.cpus = Some(cpus.clone()),
            CgroupField::Mems(Some(mems)) => change.mems = Some(mems.clone()),
            _ => return None,
        }
        Some(Action::Cgroup(change))
    }
}

/// All cgroups but the root, those only implied by a task or a child among them, as a tree is read: parents
/// first, siblings in the order of the document.
pub fn known_cgroups(scenario: &Scenario) -> Vec<String> {
    let listed = scenario.cgroups.iter().map(|cgroup| cgroup.path.as_str());
    let used = scenario.tasks.iter().map(|task| task.cgroup.as_str());
    let mut known: Vec<String> = Vec::new();
    for path in listed.chain(used) {
        let ends = path.char_indices().skip(1).filter(|(_, c)| *c == '/');
        for end in ends.map(|(end, _)| end).chain([path.len()]) {
            let part = &path[..end];
            if part.len() > 1 && known.iter().all(|other| other != part) {
                known.push(part.to_owned());
            }
        }
    }
    let mut tree = Vec::with_capacity(known.len());
    below("/", &known, &mut tree);
    tree
}

fn below(parent: &str, known: &[String], tree: &mut Vec<String>) {
    for path in known.iter().filter(|path| parent_of(path) == parent) {
        tree.push(path.clone());
        below(path, known, tree);
    }
}

/// The path of a cgroup's parent.
pub(super) fn parent_of(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(end) => &path[..end],
    }
}

/// Whether a path is that of a cgroup or of one below it.
pub(super) fn is_within(path: &str, cgroup: &str) -> bool {
    path.strip_prefix(cgroup)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Lists a cgroup that was only implied.
fn list(scenario: &mut Scenario, path: &str) {
    if scenario.cgroups.iter().all(|cgroup| cgroup.path != path) {
        scenario.cgroups.push(Cgroup::new(path));
    }
}

/// Lists the cgroups of tasks that are neither listed nor the parent of a listed one.
pub(super) fn settle(scenario: &mut Scenario) {
    for index in 0..scenario.tasks.len() {
        let path = scenario.tasks[index].cgroup.clone();
        let mut listed = scenario.cgroups.iter();
        if path != "/" && !listed.any(|cgroup| is_within(&cgroup.path, &path)) {
            list(scenario, &path);
        }
    }
}

/// Goes through every place where the path of a cgroup stands.
fn each_path(scenario: &mut Scenario, mut change: impl FnMut(&mut String)) {
    for cgroup in &mut scenario.cgroups {
        change(&mut cgroup.path);
    }
    for task in &mut scenario.tasks {
        change(&mut task.cgroup);
    }
    for entry in &mut scenario.script {
        match &mut entry.action {
            Action::Cgroup(written) => change(&mut written.path),
            Action::Move { to, .. } => change(to),
            _ => {}
        }
    }
}

fn remove(scenario: &mut Scenario, path: &str) {
    let parent = parent_of(path).to_owned();
    scenario.cgroups.retain(|cgroup| cgroup.path != path);
    scenario
        .script
        .retain(|entry| !matches!(&entry.action, Action::Cgroup(change) if change.path == path));
    let up = |known: &str| match (&known[path.len()..], parent.as_str()) {
        ("", parent) => parent.to_owned(),
        (rest, "/") => rest.to_owned(),
        (rest, parent) => format!("{parent}{rest}"),
    };
    let others = known_cgroups(scenario);
    each_path(scenario, |known| {
        if is_within(known, path) {
            let free = up(known);
            let taken = *known != path && others.contains(&free);
            // A child whose name is taken up there is told apart.
            *known = if taken { format!("{free}-2") } else { free };
        }
    });
}

/// The one cgroup all tasks are in when they are not grouped.
const ALL: &str = "/all";

/// Moves all tasks into one cgroup, or each into one of its own: the listed ones in their order where
/// there is one for each task, else new ones called after the tasks.
fn group(scenario: &mut Scenario, grouped: bool) {
    let is_all = |entry: &ScriptEntry| matches!(&entry.action, Action::Cgroup(c) if c.path == ALL);
    scenario.script.retain(|entry| !is_all(entry));
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
    use teeter_scenario::document::{Machine, Tasks, Workload};

    use super::*;

    fn scenario() -> Scenario {
        let task = |name: &str, cgroup: &str| Tasks {
            cgroup: cgroup.to_owned(),
            ..Tasks::new(name, Workload::Hog)
        };
        let tasks = vec![task("x", "/a/b"), task("y", "/c"), task("z", "/a")];
        let mut scenario = Scenario::new(Machine::preset("laptop"), tasks);
        scenario.cgroups = vec![Cgroup::new("/c"), Cgroup::new("/a/b/d")];
        scenario
    }

    fn after(edit: &CgroupEdit) -> (Vec<String>, Vec<String>) {
        let mut new = scenario();
        edit.apply(&mut new);
        let tasks = new.tasks.iter().map(|task| task.cgroup.clone()).collect();
        (known_cgroups(&new), tasks)
    }

    #[test]
    fn the_tree_has_parents_that_are_only_implied() {
        assert_eq!(known_cgroups(&scenario()), ["/c", "/a", "/a/b", "/a/b/d"]);
    }

    #[test]
    fn a_removed_cgroup_leaves_what_was_in_it_to_its_parent() {
        let (tree, tasks) = after(&CgroupEdit::Remove("/a/b".to_owned()));
        assert_eq!(tree, ["/c", "/a", "/a/d"]);
        assert_eq!(tasks, ["/a", "/c", "/a"]);
        let (tree, tasks) = after(&CgroupEdit::Remove("/a".to_owned()));
        assert_eq!(tree, ["/c", "/b", "/b/d"]);
        assert_eq!(tasks, ["/b", "/c", "/"]);
    }

    #[test]
    fn a_renamed_cgroup_takes_all_below_it_along() {
        let rename = |path: &str, to: &str| CgroupEdit::Rename {
            path: path.to_owned(),
            to: to.to_owned(),
        };
        let (tree, tasks) = after(&rename("/a", "/c/a"));
        assert_eq!(tree, ["/c", "/c/a", "/c/a/b", "/c/a/b/d"]);
        assert_eq!(tasks, ["/c/a/b", "/c", "/c/a"]);
        let unchanged = after(&CgroupEdit::Add("/c".to_owned()));
        assert_eq!(
            after(&rename("/a", "/a/b/e")),
            unchanged,
            "not below itself"
        );
        assert_eq!(after(&rename("/a", "/c")), unchanged, "the name is taken");
    }

    #[test]
    fn values_are_written_to_cgroups_that_were_only_implied_too() {
        let edit = CgroupEdit::Field {
            path: "/a".to_owned(),
            field: CgroupField::Weight(300),
        };
        let mut new = scenario();
        edit.apply(&mut new);
        let found = new.cgroups.iter().find(|cgroup| cgroup.path == "/a");
        assert_eq!(found.map(|cgroup| cgroup.weight), Some(300));
        assert!(edit.live().is_some());
    }
}
