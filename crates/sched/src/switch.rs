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
use crate::sched::Sched;

/// Where the outgoing task stands when the next is picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outgoing {
    /// It and its groups are still their queues' current entities.
    Current,
    /// The stopper has displaced it: it waits in the queue, or has left.
    PutBack,
}

impl Sched {
    /// CPU of a queue.
    pub(crate) fn cpu_of(&self, cfs_rq: CfsRqId) -> CpuId {
        CpuId((cfs_rq.index() % self.nr_cpus) as u16)
    }

    /// Picks the next task of the CPU and switches to it. The outgoing task, if it sleeps, has been
    /// dequeued already.
    pub(crate) fn pick_and_switch(&mut self, cpu: CpuId, outgoing: Outgoing) {
        let prev = self.rqs[cpu.index()].curr;
        if self.rqs[cpu.index()].nr_running == 0 {
            self.newidle_balance(cpu);
        }
        let next = match outgoing {
            Outgoing::Current => self.pick_next_task(cpu, prev),
            Outgoing::PutBack => self.pick_next_task(cpu, None),
        };
        self.rqs[cpu.index()].need_resched = false;
        self.update_misfit_status(cpu, next);
        if next == prev {
            return;
        }
        self.turn_clock_pelt(cpu, next.is_none());
        self.rqs[cpu.index()].curr = next;
        match (prev, next) {
            (Some(_), None) => self.enter_idle(cpu),
            (None, Some(_)) => self.rqs[cpu.index()].idle_balance = false,
            _ => {}
        }
        self.effects.push(Effect::Switch { cpu, prev, next });
    }

    /// Descends from the root queue to a task, and makes the entities on the way current.
    fn pick_next_task(&mut self, cpu: CpuId, prev: Option<TaskId>) -> Option<TaskId> {
        let prev_se = prev.map(|prev| self.task(prev).se);
        if self.rqs[cpu.index()].nr_running == 0 {
            self.put_prev_upto(prev_se, None);
            return None;
        }
        let mut queue = cfs_rq_of(GroupId::ROOT, cpu.index(), self.nr_cpus);
        let se = loop {
            let mut curr = self.cfs(queue).curr;
            if let Some(se) = curr {
                if self.se(se).on_rq {
                    self.update_curr(queue);
                } else {
                    curr = None;
                }
            }
            let se = self.pick_next_entity(queue, curr)?;
            self.clear_buddies(se);
            match self.se(se).my_q() {
                Some(below) => queue = below,
                None => break se,
            }
        };
        let task = self.task_of(se)?;
        if Some(task) != prev {
            let shared = self.put_prev_upto(prev_se, Some(se));
            self.set_next_upto(se, shared);
        }
        self.rqs[cpu.index()].list_move(task);
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
    pub(crate) fn check_preempt_curr(&mut self, cpu: CpuId, task: TaskId, from: CpuId) {
        let Some(curr) = self.rqs[cpu.index()].curr else {
            return self.resched_curr(cpu, from);
        };
        let (curr_task, woken) = (self.task(curr), self.task(task));
        if curr == task || self.rqs[cpu.index()].need_resched {
            return;
        }
        let (mut se, pse) = (curr_task.se, woken.se);
        let nr_running = self.cfs(self.se(se).cfs_rq).nr_running;
        if curr_task.policy != Policy::Idle || woken.policy == Policy::Idle {
            if woken.policy != Policy::Normal {
                return;
            }
            let Some((above, woken_above)) = self.matching(se, pse) else {
                return;
            };
            self.update_curr(self.se(above).cfs_rq);
            if self.wakeup_preempt_entity(above, woken_above) != 1 {
                return;
            }
            self.set_next_buddy(woken_above);
            se = above;
        }
        self.resched_curr(cpu, from);
        let tunables = &self.rules.tunables;
        let sched_nr_latency = sched_nr_latency(
            tunables.latency_ns(self.nr_online),
            tunables.min_granularity_ns(self.nr_online),
        );
        if u64::from(nr_running) >= sched_nr_latency && self.task_of(se).is_some() {
            self.set_last_buddy(se);
        }
    }

    /// The scheduler's part of a tick on a CPU that runs a task (`task_tick_fair`).
    pub(crate) fn task_tick(&mut self, cpu: CpuId, curr: TaskId) {
        let mut next = Some(self.task(curr).se);
        while let Some(se) = next {
            let cfs_rq = self.se(se).cfs_rq;
            self.update_curr(cfs_rq);
            self.update_load_avg(se, Update::Tg);
            self.update_cfs_group(se);
            if self.cfs(cfs_rq).nr_running > 1 && self.check_preempt_tick(cfs_rq, se) {
                self.resched_curr(cpu, cpu);
                self.clear_buddies(se);
            }
            next = self.se(se).parent;
        }
        self.update_misfit_status(cpu, Some(curr));
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
        let mut next = Some(se);
        while let Some(se) = next {
            let (cfs_rq, parent) = (self.se(se).cfs_rq, self.se(se).parent);
            self.cfs_mut(cfs_rq).skip = Some(se);
            next = parent;
        }
    }
}
