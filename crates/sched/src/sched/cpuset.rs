//! Which CPUs a group's tasks may use (`cpuset.cpus` of cgroup v2).
//!
//! Source: kernel/cgroup/cpuset.c `update_cpumasks_hier`, `update_tasks_cpumask`, `cpuset_attach` (v5.3);
//! kernel/sched/core.c `__set_cpus_allowed_ptr_locked` (v6.2).

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;
use teeter_scenario::document::Partition;

use super::Sched;
use crate::group::TaskGroup;
use crate::ids::{GroupId, TaskId};

impl Sched {
    /// Writes `cpuset.cpus` of a group; `None` = its parent's. A set without a CPU that its parent has and
    /// that is online counts as not written.
    pub fn set_group_cpus(&mut self, now: Nanos, group: GroupId, cpus: Option<CpuSet>) {
        self.advance(now);
        if group != GroupId::ROOT && group.index() < self.groups.len() {
            self.groups[group.index()].cpus = cpus;
            self.update_cpusets();
        }
    }

    /// CPUs that tasks of the group may use: online, its own and its parents' (`cpuset.cpus.effective`).
    pub fn group_cpus(&self, group: GroupId) -> &CpuSet {
        &self.groups[group.index()].effective_cpus
    }

    /// Makes a group the root of a partition with sched domains of its own, or none if `isolated`
    /// (`cpuset.cpus.partition`); `None`: a member of its parent's. Its CPUs are its alone: they are taken from
    /// its parent, which must be a partition's root too. Kernels before v5.0 have no partitions, those before
    /// v6.1 no isolated ones: then it stays a member.
    pub fn set_group_partition(&mut self, now: Nanos, group: GroupId, partition: Partition) {
        self.advance(now);
        if group == GroupId::ROOT || group.index() >= self.groups.len() {
            return;
        }
        let known = match partition {
            Partition::Member => true,
            Partition::Root => self.rules.change.partitions,
            Partition::Isolated => self.rules.change.isolated_partitions,
        };
        if known {
            self.groups[group.index()].partition = partition;
            self.update_cpusets();
        }
    }

    /// Computes what CPUs each group has, parents first, binds the tasks of those that changed, and builds the
    /// domains anew if partitions did.
    pub(super) fn update_cpusets(&mut self) {
        let online = self.nohz.online;
        let mut granted = vec![online];
        let mut taken = vec![CpuSet::EMPTY];
        // CPUs of each partition: what its parent has, if it does not leave that without any.
        for group in 1..self.groups.len() {
            let held = &self.groups[group];
            let above = held.parent.index();
            let left = granted[above].minus(&taken[above]);
            let own = held.cpus.map_or(CpuSet::EMPTY, |own| own.and(&left));
            let root = held.partition != Partition::Member
                && (above == 0 || self.groups[above].is_partition)
                && !own.is_empty()
                && own != left;
            if root {
                taken[above] = taken[above].or(&own);
            }
            granted.push(if root { own } else { CpuSet::EMPTY });
            taken.push(CpuSet::EMPTY);
            self.groups[group].is_partition = root;
        }
        for group in 0..self.groups.len() {
            let held = &self.groups[group];
            let effective = if group == 0 || held.is_partition {
                granted[group].minus(&taken[group])
            } else {
                let above = self.groups[held.parent.index()].effective_cpus;
                let own = held.cpus.map(|own| own.and(&above));
                own.filter(|own| !own.is_empty()).unwrap_or(above)
            };
            let changed = effective != held.effective_cpus;
            let root_gave = group == 0 && taken[0] != held.given_away;
            self.groups[group].given_away = taken[group];
            self.groups[group].effective_cpus = effective;
            if changed || root_gave {
                self.bind_tasks_of(GroupId(group as u32), root_gave);
            }
        }
        self.update_maps();
    }

    /// The sets of CPUs that are balanced apart: each partition's.
    fn maps(&self) -> Vec<CpuSet> {
        let balanced = |group: &&TaskGroup| group.partition != Partition::Isolated;
        let partitions = self.groups[1..].iter().filter(|group| group.is_partition);
        std::iter::once(&self.groups[0])
            .chain(partitions.filter(balanced))
            .map(|group| group.effective_cpus.minus(&self.topology.isolated))
            .filter(|map| !map.is_empty())
            .collect()
    }

    /// Builds the domains anew if the maps have changed (`rebuild_sched_domains`).
    fn update_maps(&mut self) {
        let maps = self.maps();
        if maps != self.maps {
            self.maps = maps;
            self.rebuild_domains();
        }
    }

    /// `update_tasks_cpumask`; tasks of the root's cpuset keep the CPUs they have, unless partitions took some.
    fn bind_tasks_of(&mut self, group: GroupId, root_gave: bool) {
        if self.has_all_cpus(group) && !root_gave {
            return;
        }
        for task in (0..self.tasks.len() as u32).map(TaskId) {
            if self.task(task).group == group {
                self.bind_to_cpuset(task);
            }
        }
    }

    /// The nearest group, itself or above, that has a `cpuset.cpus` of its own.
    fn cpuset_of(&self, group: GroupId) -> GroupId {
        let mut at = group;
        while at != GroupId::ROOT && self.groups[at.index()].cpus.is_none() {
            at = self.groups[at.index()].parent;
        }
        at
    }

    /// The task has come to another group: it is bound to that one's CPUs if they are another cpuset's.
    pub(super) fn attach_cpuset(&mut self, task: TaskId, from: GroupId) {
        let to = self.task(task).group;
        if self.cpuset_of(from) != self.cpuset_of(to) {
            self.bind_to_cpuset(task);
        }
    }

    /// Gives a task all CPUs of its cpuset, or from v6.2 on those of them it has asked for, if there are any.
    fn bind_to_cpuset(&mut self, task: TaskId) {
        let held = self.task(task);
        let effective = self.groups[held.group.index()].effective_cpus;
        let asked = held.user_cpus.filter(|_| self.rules.change.keeps_user_cpus);
        let kept = asked.map(|asked| asked.and(&effective));
        let cpus = kept.filter(|kept| !kept.is_empty()).unwrap_or(effective);
        let from = held.cpu;
        self.set_cpus_allowed(from, task, &cpus);
    }

    /// Whether the group's tasks may use all CPUs, whichever come online.
    pub(super) fn has_all_cpus(&self, group: GroupId) -> bool {
        self.cpuset_of(group) == GroupId::ROOT && self.groups[0].given_away.is_empty()
    }

    /// CPUs of a new task that asks for these.
    pub(super) fn first_cpus(&self, group: GroupId, asked: &CpuSet) -> CpuSet {
        let effective = self.groups[group.index()].effective_cpus;
        let cpus = asked.and(&effective);
        if cpus.is_empty() { effective } else { cpus }
    }

    /// A CPU for a task that may use none of those it is bound to, and the end of that bond
    /// (`select_fallback_rq`): nearest first, of its node, of those it may use, then any.
    pub(crate) fn select_fallback_rq(&mut self, task: TaskId, cpu: CpuId) -> CpuId {
        let active = self.nohz.online;
        let bound = self.task(task).cpus_mask.and(&active);
        if bound.is_empty() {
            let group = self.task(task).group;
            let effective = self.groups[group.index()].effective_cpus;
            let held = self.task_mut(task);
            held.cpus_mask = effective;
            held.affinity = effective;
        }
        let affinity = self.task(task).affinity;
        let node = self.topology.nodes[self.topology.cpu(cpu).node.index()];
        node.and(&affinity)
            .first()
            .or_else(|| affinity.first())
            .unwrap_or(cpu)
    }
}
