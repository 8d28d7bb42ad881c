//! Which tasks move, and moving them.
//!
//! Source: kernel/sched/fair.c `detach_tasks`, `can_migrate_task`, `task_hot`, `detach_task` (v5.3 to
//! v6.17; SCHED.md 5.6, 5.7 and 14).

use teeter_scenario::document::Policy;

use super::{Env, IdleType, Migration};
use crate::cfs_rq::cfs_rq_of;
use crate::decision::Verdict;
use crate::domain::Flags;
use crate::ids::TaskId;
use crate::queue::Dequeue;
use crate::rules::{Delayed, DetachLoad, Feature, Rework};
use crate::sched::Sched;
use crate::task::Task;

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

/// Tasks after which a pass takes a breath (`SCHED_NR_MIGRATE_BREAK`).
const LOOP_BREAK: u32 = 32;

/// Whether a task of this utilization may go when so much is to be moved, after so many failed passes.
pub(crate) fn fits_util(util: i64, imbalance: i64, shift: bool, failed: u32) -> bool {
    let failed = if shift { failed } else { 0 };
    util.checked_shr(failed).unwrap_or(0) <= imbalance
}

/// Whether a task moves although its data is still in the cache.
pub(crate) fn moves_hot(failed: u32, tries: u32) -> bool {
    failed > tries
}

/// Whether a task that last ran so long ago still has its data in the cache, ns.
pub(crate) fn is_recent(since_exec_start: u64, migration_cost: u64) -> bool {
    since_exec_start < migration_cost
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

    /// The task of a CPU that a pass looks at next.
    fn next_to_look_at(&self, src: usize) -> Option<TaskId> {
        let tasks = &self.rqs[src].cfs_tasks;
        let next = if self.rules.balance.least_recent_first {
            tasks.first()
        } else {
            tasks.last()
        };
        next.copied()
    }

    /// Takes tasks off the source queue, the least recently run first, or (to v4.15) the last queued.
    fn detach_tasks(&mut self, env: &mut Env, detached: &mut Vec<TaskId>) {
        if env.imbalance <= 0 {
            return;
        }
        let src = env.src_cpu.index();
        while let Some(task) = self.next_to_look_at(src) {
            if env.idle != IdleType::NotIdle && self.rqs[src].nr_running <= 1 {
                break;
            }
            env.looked += 1;
            if env.looked > env.loop_max && !self.looks_on(env) {
                break;
            }
            let refused = self.refusal(env, task);
            let refused = match refused {
                None if !self.fits_imbalance(env, task) => Some(Verdict::TooHeavy),
                refused => refused,
            };
            self.note_candidate(task, refused.unwrap_or(Verdict::Moved));
            if refused.is_none() {
                self.detach_task(task);
                detached.push(task);
                // A preemptible kernel pulls one task at a time while it is about to idle.
                if env.idle == IdleType::NewlyIdle || env.imbalance <= 0 {
                    break;
                }
            } else if self.rules.balance.least_recent_first {
                self.rqs[src].list_move(task);
            } else {
                self.rqs[src].list_move_tail(task);
            }
        }
    }

    /// Whether a pass looks past its limit: while all tasks were pinned, to the end of the block of tasks in
    /// which it has seen as many as the queue holds.
    fn looks_on(&self, env: &Env) -> bool {
        self.rules.balance.past_pinned
            && env.all_pinned
            && env.looked
                <= self.rqs[env.src_cpu.index()]
                    .nr_running
                    .next_multiple_of(LOOP_BREAK)
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
                let util = self.task_util_est(task) as i64;
                let failed = self.domains.sd(env.sd).nr_balance_failed;
                let shift = self.rules.balance.detach_util_shift;
                if !fits_util(util, env.imbalance, shift, failed) {
                    return false;
                }
                util
            }
            Migration::Misfit if self.fits_misfit(env, task) => return false,
            Migration::Misfit => env.imbalance,
            Migration::Task => 1,
        };
        env.imbalance -= amount;
        true
    }

    /// Whether the task is not the one too big for its CPU that the pass is for.
    fn fits_misfit(&mut self, env: &Env, task: TaskId) -> bool {
        match self.rules.balance.rework {
            Rework::V2 => (self.task_h_load(self.task(task).se) as i64) < env.imbalance,
            Rework::Merged => self.task_fits_cpu(task, env.src_cpu),
        }
    }

    /// Why the task may not or should not go to the destination, if so (`can_migrate_task`).
    pub(super) fn refusal(&mut self, env: &mut Env, task: TaskId) -> Option<Verdict> {
        if self.throttled_lb_pair(task, env.src_cpu, env.dst_cpu) {
            return Some(Verdict::Throttled);
        }
        if self.waits_for_failure(env, task) {
            return Some(Verdict::Ineligible);
        }
        if let Some(verdict) = self.bound_to_its_queue(env, task) {
            return Some(verdict);
        }
        let affinity = self.task(task).affinity;
        if !affinity.contains(env.dst_cpu) {
            env.some_pinned = true;
            if env.idle != IdleType::NewlyIdle && env.new_dst_cpu.is_none() && !env.active {
                env.new_dst_cpu = env.dst_grpmask.and(&env.cpus).and(&affinity).first();
            }
            return Some(Verdict::Affinity);
        }
        env.all_pinned = false;
        if self.rqs[env.src_cpu.index()].curr == Some(task) {
            return Some(Verdict::Running);
        }
        if env.active && self.rules.balance.active_moves_hot {
            return None;
        }
        let sd = self.domains.sd(env.sd);
        let stays = !moves_hot(sd.nr_balance_failed, sd.cache_nice_tries) && self.stays(env, task);
        stays.then_some(Verdict::Hot)
    }

    /// Whether the task owes time, and would where it comes to as well: it is not taken while passes succeed
    /// (`task_is_ineligible_on_dst_cpu`).
    fn waits_for_failure(&self, env: &Env, task: TaskId) -> bool {
        let held = self.task(task);
        let there = cfs_rq_of(held.group, env.dst_cpu.index(), self.nr_cpus);
        self.rules.balance.eligible_first
            && self.domains.sd(env.sd).nr_balance_failed == 0
            && self.rules.features.has(Feature::PlaceLag)
            && self.cfs(there).nr_running > 0
            && !self.entity_eligible(self.se(held.se).cfs_rq, held.se)
    }

    /// Whether the task is one that passes leave alone, if this kernel knows: a kernel thread of its CPU, or one
    /// that sleeps and is queued for the time it owes.
    fn bound_to_its_queue(&self, env: &Env, task: TaskId) -> Option<Verdict> {
        let held = self.task(task);
        if held.per_cpu_kthread && self.rules.balance.kthreads_stay {
            return Some(Verdict::PerCpuKthread);
        }
        let delayed = self.se(held.se).sched_delayed && self.rules.pick.delayed == Delayed::Apart;
        (delayed && env.migration != Migration::Load).then_some(Verdict::Delayed)
    }

    /// Whether the task is better off where it is: near its memory, or else its cache.
    fn stays(&self, env: &Env, task: TaskId) -> bool {
        let numa = self.domains.sd(env.sd).flags.has(Flags::NUMA);
        let idle = env.idle == IdleType::Idle;
        let degrades = if numa {
            self.migrate_degrades_locality(task, env.src_cpu, env.dst_cpu, idle)
        } else {
            None
        };
        degrades.unwrap_or_else(|| self.task_hot(env, task))
    }

    /// Whether the task's data is likely still in the source's cache (`task_hot`).
    fn task_hot(&self, env: &Env, task: TaskId) -> bool {
        let Task { se, policy, .. } = *self.task(task);
        let smt = self.domains.sd(env.sd).flags.has(Flags::SHARE_CPUCAPACITY);
        if policy == Policy::Idle || (smt && !self.rules.balance.hot_within_core) {
            return false;
        }
        let entity = self.se(se);
        let queue = self.cfs(entity.cfs_rq);
        if self.rqs[env.dst_cpu.index()].nr_running > 0
            && (queue.next == Some(se) || queue.last == Some(se))
        {
            return true;
        }
        let since = self.now - entity.exec_start;
        is_recent(since, self.rules.tunables.migration_cost.0)
    }

    /// Takes a queued task off its CPU to be moved (`detach_task`, `migrate_task_rq_fair`).
    pub(crate) fn detach_task(&mut self, task: TaskId) {
        let se = self.task(task).se;
        self.dequeue_task(task, Dequeue::Move);
        if self.rules.load.detach_at_once {
            self.detach_entity_cfs_rq(se);
        } else {
            self.remove_entity_load_avg(se);
        }
        let entity = self.se_mut(se);
        entity.avg.last_update_time = 0;
        entity.exec_start = 0;
    }
}
