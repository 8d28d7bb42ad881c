//! An entity's load in the sums of its queue.
//!
//! Source: kernel/sched/fair.c `enqueue_load_avg`, `dequeue_load_avg`, `enqueue_runnable_load_avg`,
//! `dequeue_runnable_load_avg` (SCHED.md 2.6).

use crate::cfs_rq::CfsRq;
use crate::entity::Entity;
use crate::ids::{CfsRqId, EntityId};
use crate::pelt::sub_positive;
use crate::rules::Pelt;
use crate::sched::Sched;

impl CfsRq {
    /// Adds an entity's load (`enqueue_load_avg`).
    #[inline]
    pub(super) fn enqueue_load_avg(&mut self, form: Pelt, entity: &Entity) {
        self.avg.load_avg += entity.avg.load_avg;
        self.avg.load_sum += entity.load_scale(form) * entity.avg.load_sum;
    }

    /// Takes an entity's load off (`dequeue_load_avg`).
    #[inline]
    pub(super) fn dequeue_load_avg(&mut self, form: Pelt, entity: &Entity) {
        let load_sum = entity.load_scale(form) * entity.avg.load_sum;
        sub_positive(&mut self.avg.load_avg, entity.avg.load_avg);
        sub_positive(&mut self.avg.load_sum, load_sum);
    }

    /// Adds a queued entity's runnable load (`enqueue_runnable_load_avg`, to v5.6).
    #[inline]
    pub(super) fn enqueue_runnable_load_avg(&mut self, form: Pelt, entity: &Entity) {
        if form == Pelt::Runnable {
            return;
        }
        self.runnable_weight += queued_runnable_weight(form, entity);
        self.avg.runnable_avg += entity.avg.runnable_avg;
        self.avg.runnable_sum += entity.runnable_scale(form) * entity.avg.runnable_sum;
    }

    /// Takes a queued entity's runnable load off (`dequeue_runnable_load_avg`, to v5.6).
    #[inline]
    pub(super) fn dequeue_runnable_load_avg(&mut self, form: Pelt, entity: &Entity) {
        if form == Pelt::Runnable {
            return;
        }
        let runnable_sum = entity.runnable_scale(form) * entity.avg.runnable_sum;
        self.runnable_weight -= queued_runnable_weight(form, entity);
        sub_positive(&mut self.avg.runnable_avg, entity.avg.runnable_avg);
        sub_positive(&mut self.avg.runnable_sum, runnable_sum);
    }
}

fn queued_runnable_weight(form: Pelt, entity: &Entity) -> u64 {
    match form {
        Pelt::RunnableLoad => entity.runnable_weight,
        Pelt::Weighted(_) | Pelt::Runnable => 0,
    }
}

impl Sched {
    /// Adds a queued entity's runnable load to its queue.
    pub(crate) fn enqueue_runnable_load_avg(&mut self, cfs_rq: CfsRqId, se: EntityId) {
        let form = self.rules.load.pelt;
        let (queue, entity) = self.cfs_and_se_mut(cfs_rq, se);
        queue.enqueue_runnable_load_avg(form, entity);
    }

    /// Takes a queued entity's runnable load off its queue.
    pub(crate) fn dequeue_runnable_load_avg(&mut self, cfs_rq: CfsRqId, se: EntityId) {
        let form = self.rules.load.pelt;
        let (queue, entity) = self.cfs_and_se_mut(cfs_rq, se);
        queue.dequeue_runnable_load_avg(form, entity);
    }
}
