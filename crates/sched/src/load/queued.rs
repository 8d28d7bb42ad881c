//! An entity's load in the sums of its queue.
//!
//! Source: kernel/sched/fair.c `enqueue_load_avg`, `dequeue_load_avg`, `enqueue_runnable_load_avg`,
//! `dequeue_runnable_load_avg` (SCHED.md 2.6).

use crate::cfs_rq::CfsRq;
use crate::entity::Entity;
use crate::ids::{CfsRqId, EntityId};
use crate::pelt::sub_positive;
use crate::rules::{LoadRules, Pelt, SumSync};
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
    pub(super) fn dequeue_load_avg(&mut self, form: Pelt, sync: SumSync, entity: &Entity) {
        let load_sum = entity.load_scale(form) * entity.avg.load_sum;
        let divider = entity.avg.divider(form);
        self.avg
            .load()
            .sub(sync, entity.avg.load_avg, load_sum, divider);
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

    /// Gives an entity of it other weights. To v4.14 its averages follow only as it ages.
    #[inline]
    pub(super) fn reweight(
        &mut self,
        rules: &LoadRules,
        entity: &mut Entity,
        weight: u64,
        runnable: u64,
    ) {
        let (form, on_rq) = (rules.pelt, entity.on_rq);
        if entity.load.weight == weight && entity.runnable_weight == runnable {
            return self.refresh(rules, entity);
        }
        if on_rq {
            self.load.sub(entity.load.weight);
            self.load.add(weight);
        }
        if form.is_weighted() {
            return entity.set_weights(weight, runnable, rules.weight_floor);
        }
        if on_rq {
            self.dequeue_runnable_load_avg(form, entity);
        }
        self.dequeue_load_avg(form, rules.sum_sync, entity);
        entity.set_weights(weight, runnable, rules.weight_floor);
        let (load, runnable) = (entity.load_scale(form), entity.runnable_scale(form));
        let avg = &mut entity.avg;
        avg.load_avg = avg.average(form, load * avg.load_sum);
        if form == Pelt::RunnableLoad {
            avg.runnable_avg = avg.average(form, runnable * avg.runnable_sum);
        }
        self.enqueue_load_avg(form, entity);
        if on_rq {
            self.enqueue_runnable_load_avg(form, entity);
        }
    }

    /// The same for one that keeps its weights, as most do that a tick looks at: no weight is taken off and added
    /// again, so that what follows need not wait for the weights to be computed.
    #[inline]
    fn refresh(&mut self, rules: &LoadRules, entity: &mut Entity) {
        let form = rules.pelt;
        if form.is_weighted() {
            return;
        }
        let (load, runnable) = (entity.load_scale(form), entity.runnable_scale(form));
        let (avg, on_rq) = (&mut entity.avg, entity.on_rq);
        let load_sum = load * avg.load_sum;
        self.avg
            .load()
            .sub(rules.sum_sync, avg.load_avg, load_sum, avg.divider(form));
        avg.load_avg = avg.average(form, load_sum);
        self.avg.load_avg += avg.load_avg;
        self.avg.load_sum += load_sum;
        if form == Pelt::RunnableLoad {
            let runnable_sum = runnable * avg.runnable_sum;
            let runnable_avg = avg.average(form, runnable_sum);
            if on_rq {
                let queued = self.avg.runnable();
                queued.sub(SumSync::Apart, avg.runnable_avg, runnable_sum, 0);
                self.avg.runnable_avg += runnable_avg;
                self.avg.runnable_sum += runnable_sum;
            }
            avg.runnable_avg = runnable_avg;
        }
    }
}

fn queued_runnable_weight(form: Pelt, entity: &Entity) -> u64 {
    match form {
        Pelt::RunnableLoad => entity.runnable_weight,
        Pelt::Weighted(_) | Pelt::WeightedSegments | Pelt::Runnable => 0,
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
