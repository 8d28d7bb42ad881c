//! Putting entities on queues and taking them off, level by level.
//!
//! Source: kernel/sched/fair.c `enqueue_entity`, `dequeue_entity`, `enqueue_task_fair`,
//! `dequeue_task_fair`, `set_next_entity`, `put_prev_entity` (v5.3; SCHED.md 3.5).

use teeter_machine::CpuId;
use teeter_scenario::document::Policy;

use crate::entity::Kind;
use crate::ids::{EntityId, TaskId};
use crate::load::Update;
use crate::rules::Feature;
use crate::sched::Sched;

/// How an entity comes to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enqueue {
    /// New: its vruntime is relative to its parent's queue.
    New,
    /// Moved while queued: its vruntime is relative to the queue it left.
    Moved,
    /// Woken on the CPU where it slept.
    Woken,
    /// Woken on another CPU (`ENQUEUE_MIGRATED`).
    WokenMoved,
}

/// How an entity leaves a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dequeue {
    /// It sleeps.
    Sleep,
    /// It ends.
    End,
    /// It moves.
    Move,
    /// It comes back at once, changed (`DEQUEUE_SAVE`).
    Save,
    /// It has slept for some time, but stayed queued (`DEQUEUE_DELAYED`).
    Delayed,
}

impl Dequeue {
    /// Whether it will have to be woken.
    pub(crate) fn is_sleep(self) -> bool {
        !matches!(self, Self::Move | Self::Save)
    }
}

impl Sched {
    pub(crate) fn enqueue_entity(&mut self, se: EntityId, how: Enqueue) {
        let cfs_rq = self.se(se).cfs_rq;
        let eevdf = self.is_eevdf();
        let renorm = !eevdf && how != Enqueue::Woken;
        let is_curr = self.cfs(cfs_rq).curr == Some(se);
        if renorm && is_curr {
            self.add_min_vruntime(se);
        }
        if eevdf && is_curr {
            self.place_entity(cfs_rq, se, how);
        }
        self.update_curr(cfs_rq);
        if renorm && !is_curr {
            self.add_min_vruntime(se);
        }
        self.update_load_avg(se, Update::TgAttach);
        self.se_update_runnable(se);
        self.update_cfs_group(se);
        self.enqueue_runnable_load_avg(cfs_rq, se);
        if !eevdf || !is_curr {
            self.place_entity(cfs_rq, se, how);
        }
        let weight = self.se(se).load.weight;
        let queue = self.cfs_mut(cfs_rq);
        queue.load.add(weight);
        queue.nr_running += 1;
        if !is_curr {
            self.timeline_insert(se);
        }
        self.se_mut(se).on_rq = true;
        if self.cfs(cfs_rq).nr_running == 1 {
            let cpu = self.cpu_of(cfs_rq);
            self.list_add_leaf_cfs_rq(cpu, cfs_rq);
            self.check_enqueue_throttle(cfs_rq);
        }
    }

    /// Makes an entity's relative vruntime one of its queue.
    pub(crate) fn add_min_vruntime(&mut self, se: EntityId) {
        let min_vruntime = self.cfs(self.se(se).cfs_rq).min_vruntime;
        let entity = self.se_mut(se);
        entity.vruntime = entity.vruntime.wrapping_add(min_vruntime);
    }

    /// Makes an entity's vruntime relative, to go with it to another queue.
    pub(crate) fn sub_min_vruntime(&mut self, se: EntityId) {
        let min_vruntime = self.cfs(self.se(se).cfs_rq).min_vruntime;
        let entity = self.se_mut(se);
        entity.vruntime = entity.vruntime.wrapping_sub(min_vruntime);
    }

    /// False: the entity stays queued, since it owes time.
    pub(crate) fn dequeue_entity(&mut self, se: EntityId, how: Dequeue) -> bool {
        let cfs_rq = self.se(se).cfs_rq;
        self.update_curr(cfs_rq);
        if self.delays_dequeue(cfs_rq, se, how) {
            self.clear_buddies(se);
            self.update_load_avg(se, Update::Age);
            self.set_delayed(se);
            return false;
        }
        self.update_load_avg(se, Update::Tg);
        self.se_update_runnable(se);
        self.dequeue_runnable_load_avg(cfs_rq, se);
        self.clear_buddies(se);
        self.before_leaving(cfs_rq, se, how);
        if self.cfs(cfs_rq).curr != Some(se) {
            self.timeline_remove(se);
        }
        let entity = self.se_mut(se);
        entity.on_rq = false;
        let weight = entity.load.weight;
        let queue = self.cfs_mut(cfs_rq);
        queue.load.sub(weight);
        queue.nr_running -= 1;
        if !how.is_sleep() && !self.is_eevdf() {
            self.sub_min_vruntime(se);
        }
        self.return_cfs_rq_runtime(cfs_rq);
        self.update_cfs_group(se);
        if how != Dequeue::Save {
            self.update_min_vruntime(cfs_rq);
        }
        if how == Dequeue::Delayed {
            self.clear_delayed(se);
            if self.rules.features.has(Feature::DelayZero) {
                let entity = self.se_mut(se);
                entity.vlag = entity.vlag.min(0);
            }
        }
        true
    }

    /// Queues a task on its CPU and every group above that was empty (`enqueue_task_fair`).
    pub(crate) fn enqueue_task(&mut self, task: TaskId, how: Enqueue) {
        let cpu = self.task(task).cpu;
        let se = self.task(task).se;
        let delayed = u32::from(self.se(se).sched_delayed && self.counts_delayed());
        if !self.se(se).sched_delayed {
            self.util_est_enqueue(cpu, se);
        }
        self.account_numa_enqueue(task);
        self.rqs[cpu.index()].list_add(task);
        let mut idle = u32::from(self.task(task).policy == Policy::Idle);
        let mut how = how;
        let mut next = Some(se);
        while let Some(se) = next {
            let entity = self.se(se);
            let (cfs_rq, parent, queued) = (entity.cfs_rq, entity.parent, entity.on_rq);
            self.update_group_slice(se);
            if queued {
                if self.se(se).sched_delayed {
                    self.requeue_delayed_entity(se);
                }
                self.update_load_avg(se, Update::Tg);
                self.se_update_runnable(se);
                self.update_cfs_group(se);
            } else {
                self.enqueue_entity(se, how);
                how = Enqueue::Woken;
            }
            let queue = self.cfs_mut(cfs_rq);
            queue.h_nr_running += 1;
            queue.h_nr_delayed += delayed;
            queue.idle_h_nr_running += idle;
            if queue.bandwidth.throttled {
                return;
            }
            idle |= u32::from(self.cfs_rq_is_idle(cfs_rq));
            next = parent;
        }
        self.add_nr_running(cpu, 1);
    }

    /// More tasks on the CPU's run-queue (`add_nr_running`).
    pub(crate) fn add_nr_running(&mut self, cpu: CpuId, tasks: u32) {
        let rq = &mut self.rqs[cpu.index()];
        rq.nr_running += tasks;
        if rq.nr_running >= 2 {
            self.overload = true;
        }
    }

    /// Takes a task off its CPU and every group above that it leaves empty (`dequeue_task_fair`). A task that
    /// sleeps in debt stays queued.
    pub(crate) fn dequeue_task(&mut self, task: TaskId, how: Dequeue) {
        let cpu = self.task(task).cpu;
        let se = self.task(task).se;
        let delayed = self.se(se).sched_delayed;
        if delayed {
            self.count_delayed(se, -1);
        }
        self.dequeue_entities(se, how);
        if !delayed {
            self.util_est_dequeue(cpu, task, how.is_sleep());
        }
    }

    /// Takes an entity off, a task or a group without tasks, and every group above that it leaves empty
    /// (`dequeue_entities`).
    pub(crate) fn dequeue_entities(&mut self, se: EntityId, how: Dequeue) {
        let task = self.task_of(se);
        let leaving = u32::from(task.is_some());
        let policy = task.map(|task| self.task(task).policy);
        let mut idle = u32::from(policy == Some(Policy::Idle));
        let sleep = how.is_sleep();
        let mut how = how;
        let mut emptied = true;
        let mut next = Some(se);
        while let Some(at) = next {
            let entity = self.se(at);
            let (cfs_rq, parent) = (entity.cfs_rq, entity.parent);
            if emptied && self.dequeue_entity(at, how) {
                how = Dequeue::Sleep;
                if self.cfs(cfs_rq).load.weight > 0 {
                    emptied = false;
                    if let Some(parent) = parent
                        && sleep
                        && !self.throttled_hierarchy(cfs_rq)
                    {
                        self.set_next_buddy(parent);
                    }
                }
            } else {
                if at == se {
                    return;
                }
                emptied = false;
                self.update_load_avg(at, Update::Tg);
                self.se_update_runnable(at);
                self.update_cfs_group(at);
                self.update_group_slice(at);
            }
            if at == se
                && let Some(task) = task
            {
                self.account_numa_dequeue(task);
                let cpu = self.cpu_of(cfs_rq);
                self.rqs[cpu.index()].list_del(task);
            }
            let queue = self.cfs_mut(cfs_rq);
            queue.h_nr_running -= leaving;
            queue.idle_h_nr_running -= idle;
            if queue.bandwidth.throttled {
                return;
            }
            idle |= leaving & u32::from(self.cfs_rq_is_idle(cfs_rq));
            next = parent;
        }
        let cpu = self.cpu_of(self.se(se).cfs_rq);
        self.rqs[cpu.index()].nr_running -= leaving;
    }

    /// Makes an entity its queue's current one (`set_next_entity`).
    pub(crate) fn set_next_entity(&mut self, se: EntityId) {
        let cfs_rq = self.se(se).cfs_rq;
        let now = self.now;
        self.clear_buddies(se);
        if self.se(se).on_rq {
            self.timeline_remove(se);
            self.update_load_avg(se, Update::Tg);
            if self.is_eevdf() {
                self.protect(cfs_rq, se);
            }
        }
        let entity = self.se_mut(se);
        entity.exec_start = now;
        entity.prev_sum_exec_runtime = entity.sum_exec_runtime;
        self.cfs_mut(cfs_rq).curr = Some(se);
    }

    /// Puts a queue's current entity back among the others (`put_prev_entity`).
    pub(crate) fn put_prev_entity(&mut self, se: EntityId) {
        let cfs_rq = self.se(se).cfs_rq;
        if self.se(se).on_rq {
            self.update_curr(cfs_rq);
        }
        self.check_cfs_rq_runtime(cfs_rq);
        if self.se(se).on_rq {
            self.timeline_insert(se);
            self.update_load_avg(se, Update::Age);
        }
        self.cfs_mut(cfs_rq).curr = None;
    }

    /// The task an entity stands for; `None` for a group.
    pub(crate) fn task_of(&self, se: EntityId) -> Option<TaskId> {
        match self.se(se).kind {
            Kind::Task(task) => Some(task),
            Kind::Group(_) => None,
        }
    }
}
