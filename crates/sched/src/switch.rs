//! The choice of the next task of a CPU, the tick, and preemption.
//!
//! Source: kernel/sched/core.c `__schedule`, `scheduler_tick`; kernel/sched/fair.c
//! `pick_next_task_fair`, `task_tick_fair`, `check_preempt_wakeup`, `yield_task_fair` (v5.3; SCHED.md 3.6).

use teeter_machine::CpuId;
use teeter_scenario::document::Policy;

use crate::cfs::sched_nr_latency;
use crate::cfs_rq::cfs_rq_of;
use crate::effect::Effect;
use crate::ids::{CfsRqId, EntityId, GroupId, TaskId};
use crate::load::Update;
use crate::queue::Dequeue;
use crate::rules::{Feature, IdleEntities, Pelt, Picking};
use crate::sched::Sched;
use crate::weight::calc_delta_fair;

/// Where the outgoing task stands when the next is picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outgoing {
    /// It and its groups are still their queues' current entities.
    Current,
    /// The stopper has displaced it: it waits in the queue, or has left.
    PutBack,
}

/// How a task came to a queue where it may preempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// It was forked.
    Forked,
    /// It has woken, or was moved there.
    Woken,
}

impl Sched {
    /// CPU of a queue.
    pub(crate) fn cpu_of(&self, cfs_rq: CfsRqId) -> CpuId {
        self.cfs(cfs_rq).cpu
    }

    /// Picks the next task of the CPU and switches to it. The outgoing task, if it sleeps, has been
    /// dequeued already.
    pub(crate) fn pick_and_switch(&mut self, cpu: CpuId, outgoing: Outgoing) {
        let prev = self.rqs[cpu.index()].curr;
        let mut picked = self.pick_task(cpu);
        if picked.is_none() {
            self.newidle_balance(cpu);
            picked = self.pick_task(cpu);
        }
        let displaced = match outgoing {
            Outgoing::Current => prev,
            Outgoing::PutBack => None,
        };
        let next = self.switch_entities(cpu, displaced, picked);
        self.rqs[cpu.index()].need_resched = false;
        self.update_misfit_status(cpu, next);
        if next == prev {
            return;
        }
        self.turn_clock_pelt(cpu, next.is_none());
        self.rqs[cpu.index()].curr = next;
        match (prev, next) {
            (Some(_), None) => self.enter_idle(cpu),
            (None, Some(_)) => {
                self.rqs[cpu.index()].idle_balance = false;
                self.cpu_load_restart(cpu);
            }
            _ => {}
        }
        self.effects.push(Effect::Switch { cpu, prev, next });
    }

    /// Descends from the root queue to a task (`pick_task_fair`). What only waited to be dequeued is
    /// dequeued when it is picked. `None`: there is nothing to run.
    pub(crate) fn pick_task(&mut self, cpu: CpuId) -> Option<EntityId> {
        let root = cfs_rq_of(GroupId::ROOT, cpu.index(), self.nr_cpus);
        let mut queue = root;
        while self.cfs(root).nr_running > 0 {
            let mut curr = self.cfs(queue).curr;
            if let Some(se) = curr {
                if self.se(se).on_rq {
                    self.update_curr(queue);
                } else {
                    curr = None;
                }
                if self.check_cfs_rq_runtime(queue) {
                    queue = root;
                    continue;
                }
            }
            let se = self.pick_next_entity(queue, curr)?;
            if self.se(se).sched_delayed {
                self.dequeue_entities(se, Dequeue::Delayed);
                queue = root;
                continue;
            }
            self.clear_buddies(se);
            match self.se(se).my_q() {
                Some(below) => queue = below,
                None => return Some(se),
            }
        }
        None
    }

    /// Makes the picked entity and those above it current instead of the outgoing ones.
    pub(crate) fn switch_entities(
        &mut self,
        cpu: CpuId,
        prev: Option<TaskId>,
        picked: Option<EntityId>,
    ) -> Option<TaskId> {
        let prev_se = prev.map(|prev| self.task(prev).se);
        let Some(se) = picked else {
            self.put_prev_upto(prev_se, None);
            return None;
        };
        let task = self.task_of(se)?;
        if Some(task) != prev {
            let shared = self.put_prev_upto(prev_se, Some(se));
            self.set_next_upto(se, shared);
        }
        if self.rules.balance.least_recent_first {
            self.rqs[cpu.index()].list_move(task);
        }
        Some(task)
    }

    /// Puts back the outgoing entities up to the queue both paths share, which it returns.
    pub(crate) fn put_prev_upto(
        &mut self,
        prev: Option<EntityId>,
        next: Option<EntityId>,
    ) -> Option<CfsRqId> {
        let shared = prev
            .zip(next)
            .and_then(|(prev, next)| self.shared_queue(prev, next));
        let mut up = prev;
        while let Some(se) = up {
            let entity = self.se(se);
            let (cfs_rq, parent) = (entity.cfs_rq, entity.parent);
            self.put_prev_entity(se);
            up = parent.filter(|_| Some(cfs_rq) != shared);
        }
        shared
    }

    /// Makes the entity and those above it current, up to the shared queue.
    pub(crate) fn set_next_upto(&mut self, se: EntityId, shared: Option<CfsRqId>) {
        let mut up = Some(se);
        while let Some(se) = up {
            let entity = self.se(se);
            let (cfs_rq, parent) = (entity.cfs_rq, entity.parent);
            self.set_next_entity(se);
            up = parent.filter(|_| Some(cfs_rq) != shared);
        }
    }

    /// The lowest queue that holds an ancestor of each (or itself).
    fn shared_queue(&self, a: EntityId, b: EntityId) -> Option<CfsRqId> {
        self.matching(a, b).map(|(a, _)| self.se(a).cfs_rq)
    }

    /// The ancestors (or selves) of two entities that are siblings (`find_matching_se`).
    fn matching(&self, a: EntityId, b: EntityId) -> Option<(EntityId, EntityId)> {
        let mut above_a = Some(a);
        while let Some(a) = above_a {
            let mut above_b = Some(b);
            while let Some(b) = above_b {
                if self.se(a).cfs_rq == self.se(b).cfs_rq {
                    return Some((a, b));
                }
                above_b = self.se(b).parent;
            }
            above_a = self.se(a).parent;
        }
        None
    }

    /// Marks the CPU to reschedule (`resched_curr`).
    pub(crate) fn resched_curr(&mut self, cpu: CpuId, from: CpuId) {
        let rq = &mut self.rqs[cpu.index()];
        if !rq.need_resched {
            rq.need_resched = true;
            self.effects.push(Effect::Resched { cpu, from });
        }
    }

    /// Preempts the CPU's current task if the task that has come deserves it (`check_preempt_curr`).
    pub(crate) fn check_preempt_curr(&mut self, cpu: CpuId, task: TaskId, from: CpuId, how: Came) {
        let Some(curr) = self.rqs[cpu.index()].curr else {
            return self.resched_curr(cpu, from);
        };
        if curr == task {
            return;
        }
        let (se, woken) = (self.task(curr).se, self.task(task).se);
        if self.throttled_hierarchy(self.se(woken).cfs_rq) {
            return;
        }
        let next_buddy = self.rules.features.has(Feature::NextBuddy) && how == Came::Woken;
        if next_buddy && !self.se(woken).sched_delayed {
            self.set_next_buddy(woken);
        }
        if self.rqs[cpu.index()].need_resched {
            return;
        }
        let nr_running = self.cfs(self.se(se).cfs_rq).nr_running;
        let Some(preempted) = self.preempted_by(curr, task) else {
            return;
        };
        self.resched_curr(cpu, from);
        let sched_nr_latency = sched_nr_latency(self.slices.latency, self.slices.min_granularity);
        if self.rules.features.has(Feature::LastBuddy)
            && u64::from(nr_running) >= sched_nr_latency
            && self.task_of(preempted).is_some()
            && !self.se_is_idle(preempted)
        {
            self.set_last_buddy(preempted);
        }
    }

    /// Whether the woken task preempts the current one: if so, the entity that stands for the current one
    /// where both meet (`check_preempt_wakeup`).
    fn preempted_by(&mut self, curr: TaskId, woken: TaskId) -> Option<EntityId> {
        let (curr_task, woken_task) = (self.task(curr), self.task(woken));
        let (se, woken_se) = (curr_task.se, woken_task.se);
        let woken_policy = woken_task.policy;
        let idle = self.rules.pick.idle;
        if idle != IdleEntities::WhereTheyMeet {
            if curr_task.policy == Policy::Idle && woken_policy != Policy::Idle {
                return Some(se);
            }
            if woken_policy != Policy::Normal {
                return None;
            }
        }
        if !self.rules.features.has(Feature::WakeupPreemption) {
            return None;
        }
        let (se, woken_se) = self.matching(se, woken_se)?;
        if idle != IdleEntities::Tasks {
            match (self.se_is_idle(se), self.se_is_idle(woken_se)) {
                (true, false) => {
                    self.cancel_protection(se);
                    return Some(se);
                }
                (false, true) => return None,
                _ => {}
            }
        }
        if woken_policy != Policy::Normal {
            return None;
        }
        let cfs_rq = self.se(se).cfs_rq;
        self.update_curr(cfs_rq);
        let preempts = match self.rules.pick.form {
            Picking::Cfs => {
                let preempts = self.wakeup_preempt_entity(se, woken_se) == 1;
                if preempts {
                    self.set_next_buddy(woken_se);
                }
                preempts
            }
            Picking::Eevdf => self.preempts_by_deadline(cfs_rq, se, woken_se),
        };
        preempts.then_some(se)
    }

    /// The scheduler's part of a tick on a CPU that runs a task (`task_tick_fair`).
    pub(crate) fn task_tick(&mut self, cpu: CpuId, curr: TaskId) {
        let se = self.task(curr).se;
        // Each form of load tracking is compiled apart, as in update_load_avg.
        match self.rules.load.pelt {
            Pelt::RunnableLoad => self.entities_tick(Pelt::RunnableLoad, cpu, se),
            Pelt::Runnable => self.entities_tick(Pelt::Runnable, cpu, se),
            weighted @ (Pelt::Weighted(_) | Pelt::WeightedSegments) => {
                self.entities_tick(weighted, cpu, se);
            }
        }
        self.update_misfit_status(cpu, Some(curr));
    }

    /// The tick of an entity that runs and of those above it (`entity_tick`).
    #[expect(
        clippy::inline_always,
        reason = "it is to be compiled with the form known"
    )]
    #[inline(always)]
    fn entities_tick(&mut self, form: Pelt, cpu: CpuId, se: EntityId) {
        let mut next = Some(se);
        while let Some(se) = next {
            let cfs_rq = self.se(se).cfs_rq;
            self.charge_curr(cfs_rq);
            self.update_load_avg_of(form, se, Update::Tg);
            self.update_cfs_group(se);
            // Deadlines are looked after by update_curr.
            if !self.is_eevdf()
                && self.cfs(cfs_rq).nr_running > 1
                && self.check_preempt_tick(cfs_rq, se)
            {
                self.resched_curr(cpu, cpu);
                self.clear_buddies(se);
            }
            next = self.se(se).parent;
        }
    }

    /// The current task lets others go first (`yield_task_fair`).
    pub(crate) fn yield_task(&mut self, cpu: CpuId) {
        let Some(curr) = self.rqs[cpu.index()].curr else {
            return;
        };
        if self.rqs[cpu.index()].nr_running == 1 {
            return;
        }
        let se = self.task(curr).se;
        self.clear_buddies(se);
        self.update_curr(self.se(se).cfs_rq);
        match self.rules.pick.form {
            Picking::Cfs => self.set_skip_buddy(se),
            Picking::Eevdf => {
                let vslice = calc_delta_fair(self.slice_of(se), self.se(se).load);
                let entity = self.se_mut(se);
                entity.deadline = entity.deadline.wrapping_add(vslice);
            }
        }
    }
}
