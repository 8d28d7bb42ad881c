//! Making groups and tasks.

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;
use teeter_scenario::document::Policy;

use super::Sched;
use crate::cfs_rq::{CfsRq, cfs_rq_of};
use crate::entity::{Entity, Kind};
use crate::group::TaskGroup;
use crate::ids::{EntityId, GroupId, TaskId};
use crate::load::Update;
use crate::pelt::LOAD_AVG_MAX;
use crate::queue::Dequeue;
use crate::rules::{Feature, Pelt};
use crate::task::{NewTask, State, Task};
use crate::weight::{LoadWeight, NICE_0_LOAD, shares_of_cpu_weight};

impl Sched {
    /// Makes room for so many more groups and tasks, so that what is there need not be copied as they come.
    pub fn make_room(&mut self, groups: usize, tasks: usize) {
        let queues = groups * self.nr_cpus;
        self.groups.reserve_exact(groups);
        self.cfs_rqs.reserve_exact(queues);
        self.entities.reserve_exact(queues + tasks);
        self.tasks.reserve_exact(tasks);
    }

    /// Makes a group below `parent`. `weight` is a cgroup v2 `cpu.weight`, 1 to 10000.
    pub fn add_group(&mut self, parent: GroupId, weight: u32) -> GroupId {
        let group = GroupId(self.groups.len() as u32);
        let effective = *self.group_cpus(parent);
        let shares = shares_of_cpu_weight(weight);
        self.groups.push(TaskGroup::new(parent, shares, effective));
        for cpu in 0..self.nr_cpus {
            let below = cfs_rq_of(group, cpu, self.nr_cpus);
            let on = cfs_rq_of(parent, cpu, self.nr_cpus);
            let above = self.cfs(on).se;
            let load = LoadWeight::scaled(NICE_0_LOAD, self.rules.load.weight_floor);
            let se = EntityId(self.entities.len() as u32);
            self.entities
                .push(Entity::new(Kind::Group(below), load, on, above));
            self.cfs_rqs.push(CfsRq::new(
                group,
                CpuId(cpu as u16),
                Some(se),
                self.rules.load.weight_floor,
            ));
            self.attach_entity_cfs_rq(se);
        }
        group
    }

    /// Gives a group another `cpu.weight` (`sched_group_set_shares`). One that is idle keeps its own.
    pub fn set_group_weight(&mut self, now: Nanos, group: GroupId, weight: u32) {
        self.advance(now);
        let known = group != GroupId::ROOT && group.index() < self.groups.len();
        if known && !self.groups[group.index()].idle {
            self.set_shares(group, shares_of_cpu_weight(weight));
        }
    }

    /// Gives a group the weight of a task of a nice level (`proc_sched_autogroup_set_nice`); -20 to 19, outside
    /// that it is clamped.
    pub fn set_group_nice(&mut self, now: Nanos, group: GroupId, nice: i8) {
        self.advance(now);
        let known = group != GroupId::ROOT && group.index() < self.groups.len();
        if known && !self.groups[group.index()].idle {
            self.set_shares(group, LoadWeight::of_nice(nice).weight);
        }
    }

    /// Gives a group other scaled shares (`__sched_group_set_shares`).
    pub(super) fn set_shares(&mut self, group: GroupId, shares: u64) {
        self.groups[group.index()].shares = shares;
        for cpu in 0..self.nr_cpus {
            let mut next = self.cfs(cfs_rq_of(group, cpu, self.nr_cpus)).se;
            while let Some(se) = next {
                self.update_load_avg(se, Update::Tg);
                self.update_cfs_group(se);
                next = self.se(se).parent;
            }
        }
    }

    /// Makes a task known; [`Sched::fork`] starts it.
    pub fn add_task(&mut self, new: &NewTask) -> TaskId {
        let task = TaskId(self.tasks.len() as u32);
        let se = EntityId(self.entities.len() as u32);
        let load = match new.policy {
            Policy::Idle => LoadWeight::idle_policy(),
            Policy::Normal | Policy::Batch => LoadWeight::of_nice(new.nice),
        };
        let cfs_rq = cfs_rq_of(new.group, 0, self.nr_cpus);
        let above = self.cfs(cfs_rq).se;
        let mut entity = Entity::new(Kind::Task(task), load, cfs_rq, above);
        let avg = &mut entity.avg;
        avg.load_avg = load.unscaled();
        match self.rules.load.pelt {
            Pelt::Weighted(_) | Pelt::WeightedSegments => {
                avg.load_sum = avg.load_avg * LOAD_AVG_MAX;
                (avg.runnable_avg, avg.runnable_sum) = (avg.load_avg, avg.load_sum);
            }
            Pelt::RunnableLoad => avg.runnable_avg = avg.load_avg,
            Pelt::Runnable => {}
        }
        self.entities.push(entity);
        let everywhere = CpuSet::first_n(self.nr_cpus);
        let asked = new.affinity.and(&everywhere);
        let cpus = self.first_cpus(new.group, &asked);
        self.tasks.push(Task {
            se,
            group: new.group,
            nice: new.nice.clamp(-20, 19),
            policy: new.policy,
            user_cpus: Some(asked).filter(|asked| *asked != everywhere && !asked.is_empty()),
            cpus_mask: if asked == everywhere && self.has_all_cpus(new.group) {
                everywhere
            } else {
                cpus
            },
            affinity: cpus,
            per_cpu_kthread: new.per_cpu_kthread,
            state: State::Dead,
            cpu: CpuId(0),
            recent_used_cpu: CpuId(0),
            wakee_flips: 0,
            wakee_flip_decay_ts: 0,
            last_wakee: None,
        });
        task
    }

    /// Gives a task a slice of its own, which is taken within 0.1 to 100 ms, or takes it away
    /// (`sched_setattr`, v6.12). Kernels without `PREEMPT_SHORT` ignore it.
    pub fn set_slice(&mut self, now: Nanos, task: TaskId, slice: Option<Nanos>) {
        self.advance(now);
        if !self.rules.features.has(Feature::PreemptShort) {
            return;
        }
        self.custom_slices = true;
        let stood = self.take_out(task, Dequeue::Save);
        let se = self.task(task).se;
        self.se_mut(se).custom_slice = slice.map(|slice| slice.0.clamp(100_000, 100_000_000));
        self.put_back(task, stood);
    }

    /// Points a task's entity at the queues of a CPU (`__set_task_cpu`, `set_task_rq`).
    pub(crate) fn set_task_rq(&mut self, task: TaskId, cpu: CpuId) {
        let Task { se, group, .. } = *self.task(task);
        self.update_scan_period(task, cpu);
        let cfs_rq = cfs_rq_of(group, cpu.index(), self.nr_cpus);
        let above = self.cfs(cfs_rq).se;
        let entity = self.se_mut(se);
        entity.cfs_rq = cfs_rq;
        entity.parent = above;
        self.task_mut(task).cpu = cpu;
    }
}
