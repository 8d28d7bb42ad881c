//! The cgroup tree: who is whose parent, and which CPUs each may use.

use std::collections::{BTreeMap, BTreeSet};

use teeter_machine::{CpuId, CpuSet, NodeId};
use teeter_scenario::document::{Bandwidth, Scenario, Tasks};
use teeter_scenario::{Nanos, limits};
use teeter_sched::{GroupId, Sched};

/// cpu.weight of a cgroup that is not listed.
const DEFAULT_WEIGHT: u32 = 100;

/// The path of the root cgroup.
const ROOT: &str = "/";

/// How the kernel names the group of a session.
fn autogroup(session: u32) -> String {
    format!("/autogroup-{session}")
}

/// One cgroup.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) path: String,
    pub(crate) id: GroupId,
    /// CPUs its tasks may use: online, its own and its parents'.
    pub(crate) cpus: CpuSet,
}

/// All cgroups, parents before children; the root is the first.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    list: Vec<Group>,
    by_path: BTreeMap<String, usize>,
}

/// Paths of the cgroups listed, of those that tasks name and that rt-app documents do, and of sessions' groups where
/// the kernel makes them.
fn paths(scenario: &Scenario, autogroups: bool) -> Vec<String> {
    let tasks = || scenario.tasks.iter();
    let listed = scenario.cgroups.iter().map(|cgroup| cgroup.path.clone());
    let sessions = tasks().filter(|_| autogroups);
    listed
        .chain(tasks().map(|tasks| tasks.cgroup.clone()))
        .chain(tasks().flat_map(teeter_workload::rtapp::taskgroups))
        .chain(sessions.map(|tasks| autogroup(tasks.session)))
        .collect()
}

/// A path and those of its parents but the root's.
fn upwards(path: &str) -> impl Iterator<Item = &str> {
    let parents = std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0));
    parents.take_while(|path| !path.is_empty())
}

impl Groups {
    /// Makes the scenario's cgroups known to the scheduler: those listed, in their order, those that
    /// tasks name, and the parents they need.
    pub(crate) fn new(scenario: &Scenario, online: &CpuSet, sched: &mut Sched) -> Self {
        let root = Group {
            path: ROOT.to_owned(),
            id: GroupId::ROOT,
            cpus: *online,
        };
        let mut groups = Self {
            list: vec![root],
            by_path: BTreeMap::from([(ROOT.to_owned(), 0)]),
        };
        let paths = paths(scenario, sched.rules().tunables.autogroup);
        let with_parents: BTreeSet<&str> = paths.iter().flat_map(|path| upwards(path)).collect();
        let threads = scenario.threads().min(u64::from(limits::THREADS));
        sched.make_room(with_parents.len(), threads as usize);
        for path in &paths {
            groups.make(path, scenario, sched);
        }
        groups
    }

    /// The group of a task's session, where the kernel makes one.
    pub(crate) fn session(&self, tasks: &Tasks) -> Option<GroupId> {
        let place = self.by_path.get(&autogroup(tasks.session));
        place.map(|&place| self.list[place].id)
    }

    /// The group a task begins in: its cgroup, or that of its session if that is the root.
    pub(crate) fn of(&self, tasks: &Tasks) -> &Group {
        &self.list[self.index_of(tasks)]
    }

    /// Its place in the list.
    pub(crate) fn index_of(&self, tasks: &Tasks) -> usize {
        let session = self.by_path.get(&autogroup(tasks.session));
        match session {
            Some(&place) if tasks.cgroup == ROOT => place,
            _ => self.index(&tasks.cgroup),
        }
    }

    /// The cgroup's place in the list; the root's where there is no such cgroup.
    fn index(&self, path: &str) -> usize {
        self.by_path.get(path).copied().unwrap_or(0)
    }

    /// The cgroup of this path, if there is one.
    pub(crate) fn named(&self, path: &str) -> Option<&Group> {
        self.by_path.get(path).map(|&place| &self.list[place])
    }

    /// All paths in order.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.list.iter().map(|group| group.path.clone()).collect()
    }

    /// The scheduler's number of each cgroup but the root, by path.
    pub(crate) fn ids(&self) -> BTreeMap<String, GroupId> {
        self.list
            .iter()
            .skip(1)
            .map(|group| (group.path.clone(), group.id))
            .collect()
    }

    /// Makes the cgroup of this path unless it is there, its parents first. Gives its place.
    fn make(&mut self, path: &str, scenario: &Scenario, sched: &mut Sched) -> usize {
        if let Some(&index) = self.by_path.get(path) {
            return index;
        }
        let parent = match path.rsplit_once('/') {
            Some((parent, _)) if !parent.is_empty() => self.make(parent, scenario, sched),
            _ => 0,
        };
        let parent = &self.list[parent];
        let spec = scenario.cgroups.iter().find(|cgroup| cgroup.path == path);
        let weight = spec.map_or(DEFAULT_WEIGHT, |cgroup| cgroup.weight);
        let own: Option<CpuSet> = spec
            .and_then(|cgroup| cgroup.cpus.as_ref())
            .map(|list| list.iter().map(|cpu| CpuId(cpu as u16)).collect());
        let id = sched.add_group(parent.id, weight);
        sched.set_group_cpus(Nanos::ZERO, id, own);
        if let Some(spec) = spec {
            let Bandwidth { quota, period } = spec.max;
            if quota.is_some() {
                sched.set_group_bandwidth(Nanos::ZERO, id, quota, period, spec.burst);
            }
            sched.set_group_idle(Nanos::ZERO, id, spec.idle);
            sched.set_group_partition(Nanos::ZERO, id, spec.partition);
        }
        let mems: Option<Vec<NodeId>> = spec
            .and_then(|cgroup| cgroup.mems.as_ref())
            .map(|list| list.iter().map(|node| NodeId(node as u16)).collect());
        sched.set_group_mems(Nanos::ZERO, id, mems.as_deref());
        let cpus = *sched.group_cpus(id);
        let index = self.list.len();
        self.list.push(Group {
            path: path.to_owned(),
            id,
            cpus,
        });
        self.by_path.insert(path.to_owned(), index);
        index
    }
}
