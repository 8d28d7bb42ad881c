//! The choice of the next entity of a queue, in the kernel's form: by least virtual time ([`crate::cfs`]) or
//! by earliest deadline ([`crate::eevdf`]).
//!
//! Source: kernel/sched/fair.c `update_curr`, `place_entity`, `pick_next_entity`, `set_delayed` (v4.11 to
//! v6.17; SCHED.md 3).

use teeter_scenario::document::Policy;

use crate::cfs_rq::{Waiting, before};
use crate::eevdf::Place;
use crate::entity::Kind;
use crate::ids::{CfsRqId, EntityId, TaskId};
use crate::queue::{Dequeue, Enqueue};
use crate::rules::{Delayed, Feature, Picking};
use crate::sched::Sched;
use crate::task::State;
use crate::weight::calc_delta_fair;

impl Sched {
    #[inline]
    pub(crate) fn is_eevdf(&self) -> bool {
        self.rules.pick.form == Picking::Eevdf
    }

    /// Charges the current entity for its run so far (`update_curr`).
    pub(crate) fn update_curr(&mut self, id: CfsRqId) {
        self.charge_curr(id);
    }

    /// The same where it is to be compiled into its caller.
    #[expect(
        clippy::inline_always,
        reason = "a tick does little else; a call costs a tenth of it"
    )]
    #[inline(always)]
    pub(crate) fn charge_curr(&mut self, id: CfsRqId) {
        let (now, eevdf) = (self.now, self.is_eevdf());
        let Self {
            cfs_rqs, entities, ..
        } = self;
        let queue = &mut cfs_rqs[id.index()];
        let Some(curr) = queue.curr else {
            return;
        };
        let entity = &mut entities[curr.index()];
        let delta = now.saturating_sub(entity.exec_start);
        if delta == 0 {
            return;
        }
        entity.exec_start = now;
        entity.sum_exec_runtime += delta;
        entity.load.update_inv_weight();
        entity.vruntime = entity
            .vruntime
            .wrapping_add(calc_delta_fair(delta, entity.load));
        let due = eevdf && !before(entity.vruntime, entity.deadline);
        queue.update_min_vruntime(Some(entity));
        let shared = queue.nr_running > 1;
        if eevdf || queue.bandwidth.enabled {
            self.after_charge(id, curr, delta, due, shared);
        }
    }

    /// What a charge brings about: a new deadline, run time used up, another entity's turn. `due`: it has reached its
    /// deadline; `shared`: others are queued.
    fn after_charge(&mut self, id: CfsRqId, curr: EntityId, delta: u64, due: bool, shared: bool) {
        let eevdf = self.is_eevdf();
        if due {
            self.renew_deadline(curr);
        }
        self.account_cfs_rq_runtime(id, delta);
        if eevdf && shared && (due || self.protection_lost(id, curr)) {
            let cpu = self.cpu_of(id);
            self.resched_curr(cpu, cpu);
            self.clear_buddies(curr);
        }
    }

    /// Moves the queue's virtual time on to its least advanced entity (`update_min_vruntime`).
    pub(crate) fn update_min_vruntime(&mut self, id: CfsRqId) {
        let Self {
            cfs_rqs, entities, ..
        } = self;
        let cfs_rq = &mut cfs_rqs[id.index()];
        let curr = cfs_rq.curr.map(|curr| &entities[curr.index()]);
        cfs_rq.update_min_vruntime(curr);
    }

    /// Puts an entity among those that wait (`__enqueue_entity`).
    pub(crate) fn timeline_insert(&mut self, se: EntityId) {
        let eevdf = self.is_eevdf();
        let entity = self.se(se);
        let (id, weight) = (entity.cfs_rq, entity.weight());
        let waiting = Waiting {
            vruntime: entity.vruntime,
            deadline: entity.deadline,
            se,
        };
        let queue = self.cfs_mut(id);
        if eevdf {
            queue.timeline_sum = queue.timeline_sum.with(queue.key(waiting.vruntime), weight);
        }
        queue.timeline.insert(waiting);
    }

    /// Takes an entity from among those that wait (`__dequeue_entity`).
    pub(crate) fn timeline_remove(&mut self, se: EntityId) {
        let eevdf = self.is_eevdf();
        let entity = self.se(se);
        let (id, vruntime, weight) = (entity.cfs_rq, entity.vruntime, entity.weight());
        let queue = self.cfs_mut(id);
        queue.timeline.remove(vruntime, se);
        if eevdf {
            queue.timeline_sum = queue.timeline_sum.without(queue.key(vruntime), weight);
        }
    }

    /// Gives an entity that is enqueued its place in virtual time (`place_entity`).
    pub(crate) fn place_entity(&mut self, id: CfsRqId, se: EntityId, how: Enqueue) {
        match self.rules.pick.form {
            Picking::Cfs => {
                if matches!(how, Enqueue::Woken | Enqueue::WokenMoved) {
                    self.place_sleeper(id, se);
                }
            }
            Picking::Eevdf => {
                let initial = how == Enqueue::New && self.rules.pick.enqueue_initial;
                let place = if initial {
                    Place::Initial
                } else {
                    Place::Again
                };
                self.place_by_lag(id, se, place);
            }
        }
    }

    /// Notes what an entity that leaves its queue takes with it. It is still queued.
    pub(crate) fn before_leaving(&mut self, id: CfsRqId, se: EntityId, how: Dequeue) {
        if !self.is_eevdf() {
            return;
        }
        self.update_entity_lag(id, se);
        if !how.is_sleep() && self.rules.features.has(Feature::PlaceRelDeadline) {
            let entity = self.se_mut(se);
            entity.deadline = entity.deadline.wrapping_sub(entity.vruntime);
            entity.rel_deadline = true;
        }
    }

    /// The entity of a queue to run next (`pick_next_entity`). `None` only for an empty queue.
    pub(crate) fn pick_next_entity(&self, id: CfsRqId, curr: Option<EntityId>) -> Option<EntityId> {
        match self.rules.pick.form {
            Picking::Cfs => self.pick_least_vruntime(id, curr),
            Picking::Eevdf => {
                let next = self.cfs(id).next.filter(|&next| {
                    self.rules.features.has(Feature::NextBuddy) && self.entity_eligible(id, next)
                });
                next.or_else(|| self.pick_eevdf(id, true))
            }
        }
    }

    /// Whether an entity of this queue that goes to sleep stays queued, since it owes time (`DELAY_DEQUEUE`).
    pub(crate) fn delays_dequeue(&self, id: CfsRqId, se: EntityId, how: Dequeue) -> bool {
        how == Dequeue::Sleep
            && self.rules.features.has(Feature::DelayDequeue)
            && !self.entity_eligible(id, se)
    }

    /// Marks an entity that sleeps, but stays queued (`set_delayed`).
    pub(crate) fn set_delayed(&mut self, se: EntityId) {
        self.se_mut(se).sched_delayed = true;
        self.count_delayed(se, 1);
    }

    /// The entity has woken, or has left at last (`clear_delayed`).
    pub(crate) fn clear_delayed(&mut self, se: EntityId) {
        self.se_mut(se).sched_delayed = false;
        self.count_delayed(se, -1);
    }

    /// Whether this kernel counts sleepers that are still queued.
    #[inline]
    pub(crate) fn counts_delayed(&self) -> bool {
        self.rules.pick.delayed == Delayed::Apart
    }

    /// Counts a sleeping task that is still queued in the queues above it, where this kernel does.
    pub(crate) fn count_delayed(&mut self, se: EntityId, change: i32) {
        if !self.counts_delayed() || self.se(se).my_q().is_some() {
            return;
        }
        let mut next = Some(se);
        while let Some(se) = next {
            let (id, parent) = (self.se(se).cfs_rq, self.se(se).parent);
            let queue = self.cfs_mut(id);
            queue.h_nr_delayed = queue.h_nr_delayed.saturating_add_signed(change);
            if queue.bandwidth.throttled {
                break;
            }
            next = parent;
        }
    }

    /// Whether a task is on a run-queue: runnable, or asleep and not dequeued yet (`task_on_rq_queued`).
    pub(crate) fn is_queued(&self, task: TaskId) -> bool {
        let held = self.task(task);
        held.state == State::Runnable || self.se(held.se).sched_delayed
    }

    /// Whether an entity gives way to others (`se_is_idle`).
    pub(crate) fn se_is_idle(&self, se: EntityId) -> bool {
        match self.se(se).kind {
            Kind::Task(task) => self.task(task).policy == Policy::Idle,
            Kind::Group(below) => self.cfs_rq_is_idle(below),
        }
    }

    /// Whether the queue's group gives way to others (`cfs_rq_is_idle`).
    #[inline]
    pub(crate) fn cfs_rq_is_idle(&self, cfs_rq: CfsRqId) -> bool {
        self.groups[self.cfs(cfs_rq).group.index()].idle
    }
}
