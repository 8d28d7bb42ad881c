//! Which CPUs a group's tasks may use (`cpuset.cpus` of cgroup v2).
//!
//! Source: kernel/cgroup/cpuset.c `update_cpumasks_hier`, `update_tasks_cpumask`, `cpuset_attach` (v5.3);
//! kernel/sched/core.c `__set_cpus_allowed_ptr_locked` (v6.2).

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;

use super::Sched;
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

    /// Computes what CPUs each group has, parents first, and binds the tasks of those that changed.
    pub(super) fn update_cpusets(&mut self) {
        for group in (0..self.groups.len() as u32).map(GroupId) {
            let held = &self.groups[group.index()];
            let effective = if group == GroupId::ROOT {
                self.nohz.online
            } else {
                let above = self.groups[held.parent.index()].effective_cpus;
                let own = held.cpus.map(|own| own.and(&above));
                own.filter(|own| !own.is_empty()).unwrap_or(above)
            };
            if effective != held.effective_cpus {
                self.groups[group.index()].effective_cpus = effective;
                self.bind_tasks_of(group);
            }
        }
    }

    /// `update_tasks_cpumask`; tasks of the root's cpuset keep the CPUs they have.
    fn bind_tasks_of(&mut self, group: GroupId) {
        if self.cpuset_of(group) == GroupId::ROOT {
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
