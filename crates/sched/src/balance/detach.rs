//! Which tasks move, and moving them.
//!
//! Source: kernel/sched/fair.c `detach_tasks`, `can_migrate_task`, `task_hot`, `detach_task` (v5.3, v5.5;
//! SCHED.md 5.6, 5.7 and 14).

use super::{Env, IdleType, Migration};
use crate::domain::Flags;
use crate::ids::TaskId;
use crate::queue::Dequeue;
use crate::rules::DetachLoad;
use crate::sched::Sched;

/// Whether a task of this load may go when so much is to be moved, after so many failed passes.
pub(crate) fn fits_load(
    load: i64,
    imbalance: i64,
    rule: DetachLoad,
    failed: u32,
    tries: u32,
) -> bool {
    match rule {
        DetachLoad::Twice => load / 2 <= imbalance,
        DetachLoad::UnlessStuck => load / 2 <= imbalance || failed > tries,
        DetachLoad::Shift => load.checked_shr(failed).unwrap_or(0) <= imbalance,
    }
}

impl Sched {
    /// Moves tasks of the source queue to the destination until the imbalance is gone. Gives how many.
    pub(super) fn detach_and_attach(&mut self, env: &mut Env) -> u32 {
        let mut detached = std::mem::take(&mut self.detached);
        detached.clear();
        self.detach_tasks(env, &mut detached);
        let moved = detached.len() as u32;
        while let Some(task) = detached.pop() {
            self.attach_task(task, env.dst_cpu, env.cause);
        }
        self.detached = detached;
        moved
    }

    /// Takes tasks off the source queue, the least recently run first.
    fn detach_tasks(&mut self, env: &mut Env, detached: &mut Vec<TaskId>) {
        if env.imbalance <= 0 {
            return;
        }
        let src = env.src_cpu.index();
        while let Some(&task) = self.rqs[src].cfs_tasks.first() {
            if env.idle != IdleType::NotIdle && self.rqs[src].nr_running <= 1 {
                break;
            }
            env.looked += 1;
            if env.looked > env.loop_max {
                break;
            }
            if self.can_migrate_task(env, task) && self.fits_imbalance(env, task) {
                self.detach_task(task);
                detached.push(task);
                // A preemptible kernel pulls one task at a time while it is about to idle.
                if env.idle == IdleType::NewlyIdle || env.imbalance <= 0 {
                    break;
                }
            } else {
                self.rqs[src].list_move(task);
            }
        }
    }

    /// Whether moving the task does not overshoot; takes it off the imbalance if so.
    fn fits_imbalance(&mut self, env: &mut Env, task: TaskId) -> bool {
        let se = self.task(task).se;
        let amount = match env.migration {
            Migration::Load => {
                let load = self.task_h_load(se).max(self.rules.balance.h_load_floor) as i64;
                let sd = self.domains.sd(env.sd);
                let (failed, tries) = (sd.nr_balance_failed, sd.cache_nice_tries);
                if !fits_load(
                    load,
                    env.imbalance,
                    self.rules.balance.detach_load,
                    failed,
                    tries,
                ) {
                    return false;
                }
                load
            }
            Migration::Util => {
                let util = self
                    .se(se)
                    .avg
                    .util_avg
                    .max(self.se(se).avg.util_est.estimate()) as i64;
                if util > env.imbalance {
                    return false;
                }
                util
            }
            Migration::Task => 1,
        };
        env.imbalance -= amount;
        true
    }

    /// Whether the task may and should go to the destination (`can_migrate_task`).
    pub(super) fn can_migrate_task(&mut self, env: &mut Env, task: TaskId) -> bool {
        let affinity = self.task(task).affinity;
        if !affinity.contains(env.dst_cpu) {
            env.some_pinned = true;
            if env.idle != IdleType::NewlyIdle && env.new_dst_cpu.is_none() {
                env.new_dst_cpu = env.dst_grpmask.and(&env.cpus).and(&affinity).first();
            }
            return false;
        }
        env.all_pinned = false;
        if self.rqs[env.src_cpu.index()].curr == Some(task) {
            return false;
        }
        let sd = self.domains.sd(env.sd);
        sd.nr_balance_failed > sd.cache_nice_tries || !self.task_hot(env, task)
    }

    /// Whether the task's data is likely still in the source's cache (`task_hot`).
    fn task_hot(&self, env: &Env, task: TaskId) -> bool {
        let se = self.task(task).se;
        let entity = self.se(se);
        let queue = self.cfs(entity.cfs_rq);
        if self.rqs[env.dst_cpu.index()].nr_running > 0
            && (queue.next == Some(se) || queue.last == Some(se))
        {
            return true;
        }
        let smt = self.domains.sd(env.sd).flags.has(Flags::SHARE_CPUCAPACITY);
        if smt && !self.rules.balance.hot_within_core {
            return false;
        }
        self.now - entity.exec_start < self.rules.tunables.migration_cost.0
    }

    /// Takes a queued task off its CPU to be moved (`detach_task`, `migrate_task_rq_fair`).
    pub(crate) fn detach_task(&mut self, task: TaskId) {
        let se = self.task(task).se;
        self.dequeue_task(task, Dequeue::Move);
        self.detach_entity_cfs_rq(se);
        let entity = self.se_mut(se);
        entity.avg.last_update_time = 0;
        entity.exec_start = 0;
    }
}
