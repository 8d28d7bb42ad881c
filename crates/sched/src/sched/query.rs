//! Questions to a running kernel.

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;

use super::Sched;
use crate::bandwidth::BandwidthStats;
use crate::cfs_rq::cfs_rq_of;
use crate::ids::{GroupId, TaskId};
use crate::load::group::h_load_below;
use crate::rules::OwnTrap;
use crate::stats::LevelStats;
use crate::task::State;

impl Sched {
    /// Expressions of the user's own rules that had no result somewhere.
    pub fn own_traps(&self) -> impl Iterator<Item = OwnTrap> {
        self.own_traps.iter()
    }

    /// The task that runs on the CPU; `None` = it idles.
    #[inline]
    pub fn curr(&self, cpu: CpuId) -> Option<TaskId> {
        self.rqs[cpu.index()].curr
    }

    /// Whether the CPU has been told to reschedule and has not.
    #[inline]
    pub fn need_resched(&self, cpu: CpuId) -> bool {
        self.rqs[cpu.index()].need_resched
    }

    /// Tasks on the CPU's run-queue, the running one and sleepers whose dequeue is delayed among them.
    #[inline]
    pub fn nr_running(&self, cpu: CpuId) -> u32 {
        self.rqs[cpu.index()].nr_running
    }

    /// Tasks on the CPU's run-queue that run or want to, most recently queued last. Sleepers whose dequeue is
    /// delayed are not among them.
    pub fn queued(&self, cpu: CpuId) -> impl Iterator<Item = TaskId> + '_ {
        let tasks = self.rqs[cpu.index()].cfs_tasks.iter().copied();
        tasks.filter(|&task| !self.se(self.task(task).se).sched_delayed)
    }

    /// The CPU the task is on, or was when it slept.
    pub fn task_cpu(&self, task: TaskId) -> CpuId {
        self.task(task).cpu
    }

    /// The task's nice level.
    pub fn nice(&self, task: TaskId) -> i8 {
        self.task(task).nice
    }

    /// Whether the task runs or wants to; a sleeper whose dequeue is delayed does not.
    pub fn is_runnable(&self, task: TaskId) -> bool {
        self.task(task).state == State::Runnable
    }

    /// Whether the task wants to run, but is kept off its CPU for want of run time (cpu.max).
    pub fn is_throttled(&self, task: TaskId) -> bool {
        self.is_runnable(task) && self.throttled_hierarchy(self.se(self.task(task).se).cfs_rq)
    }

    /// Load of the CPU that falls to a group there (`h_load`): at each level, the part of the load above that the
    /// group's entity has. A group without load on the CPU has none.
    pub fn group_h_load(&self, group: GroupId, cpu: CpuId) -> u64 {
        let queue = self.cfs(cfs_rq_of(group, cpu.index(), self.nr_cpus));
        match queue.se {
            None => queue.avg.load_avg,
            Some(se) => {
                let entity = self.se(se);
                let above = self.cfs(entity.cfs_rq);
                let h_load = self.group_h_load(above.group, cpu);
                h_load_below(h_load, entity.avg.load_avg, above.avg.load_avg)
            }
        }
    }

    /// `cpu.max` of a group, its quota (`None` = no limit) and period, and `cpu.max.burst`.
    pub fn group_bandwidth(&self, group: GroupId) -> (Option<Nanos>, Nanos, Nanos) {
        let pool = &self.groups[group.index()].bandwidth;
        (pool.quota.map(Nanos), Nanos(pool.period), Nanos(pool.burst))
    }

    /// What became of a group's cpu.max.
    pub fn bandwidth_stats(&self, group: GroupId) -> BandwidthStats {
        self.groups[group.index()].bandwidth.stats
    }

    /// CPUs the task may use.
    pub fn affinity(&self, task: TaskId) -> &CpuSet {
        &self.task(task).affinity
    }

    /// Load of the CPU: its root queue's `load_avg`.
    pub fn cpu_load(&self, cpu: CpuId) -> u64 {
        self.cfs_rqs[cpu.index()].avg.load_avg
    }

    /// Load of the CPU as load balancing counts it in this version: its root queue's `runnable_load_avg` (to v5.4)
    /// or `load_avg`.
    pub fn balance_load(&self, cpu: CpuId) -> u64 {
        self.lb_load(cpu)
    }

    /// Utilization of the CPU: its root queue's `util_avg`, of 1024.
    pub fn cpu_util(&self, cpu: CpuId) -> u64 {
        self.cfs_rqs[cpu.index()].avg.util_avg
    }

    /// What balancing did so far at each level, lowest first.
    pub fn balance_stats(&self) -> &[LevelStats] {
        self.stats.levels()
    }
}
