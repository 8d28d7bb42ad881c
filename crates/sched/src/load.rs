//! Load tracking of entities and queues, and its way up the groups.
//!
//! Source: kernel/sched/fair.c `update_load_avg` and what it calls, as of v4.11 and v4.15 to v5.6
//! (SCHED.md 2.3, 2.5 to 2.12).

mod blocked;
pub(crate) mod clock;
pub(crate) mod cpu_load;
pub(crate) mod group;
mod queued;
mod signal;
pub(crate) mod util_est;

use crate::ids::{CfsRqId, EntityId, GroupId};
use crate::pelt::{Activity, LOAD_AVG_MAX, SchedAvg, add_positive};
use crate::rules::{NewUtil, Pelt};
use crate::sched::Sched;
use crate::weight::SHIFT;

/// What `update_load_avg` shall do beside ageing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    /// Age only.
    Age,
    /// Age, and let the group know of the new load (`UPDATE_TG`).
    Tg,
    /// The same, and attach an entity that has just come to the CPU (`DO_ATTACH`).
    TgAttach,
}

/// Whether a queue's load has moved far enough from what its group knows: by more than 1/64.
pub(crate) fn contribution_changed(delta: i64, contrib: u64) -> bool {
    delta.unsigned_abs() > contrib / 64
}

/// Utilization of a new task of this weight: half of what its CPU has left, or less where its queue's
/// load is little used.
pub(crate) fn new_task_util(cpu_scale: u64, queue: &SchedAvg, weight: u64) -> u64 {
    let cap = (cpu_scale as i64 - queue.util_avg as i64) / 2;
    let cap = u64::try_from(cap).unwrap_or(0);
    if queue.util_avg == 0 {
        cap
    } else {
        cap.min(queue.util_avg * weight / (queue.load_avg + 1))
    }
}

impl Sched {
    /// `update_load_avg` of an entity and the queue it belongs to.
    pub(crate) fn update_load_avg(&mut self, se: EntityId, update: Update) {
        // Each form is compiled apart, since nothing is called more often.
        match self.rules.load.pelt {
            Pelt::RunnableLoad => self.update_load_avg_of(Pelt::RunnableLoad, se, update),
            Pelt::Runnable => self.update_load_avg_of(Pelt::Runnable, se, update),
            weighted @ (Pelt::Weighted(_) | Pelt::WeightedSegments) => {
                self.update_load_avg_of(weighted, se, update);
            }
        }
    }

    #[expect(
        clippy::inline_always,
        reason = "it is to be compiled with the form known"
    )]
    #[inline(always)]
    pub(crate) fn update_load_avg_of(&mut self, form: Pelt, se: EntityId, update: Update) {
        let rule = self.rules.load.util_est;
        let id = self.se(se).cfs_rq;
        let now = self.cfs_rq_clock_pelt(id);
        let Self {
            cfs_rqs, entities, ..
        } = self;
        let (queue, entity) = (&mut cfs_rqs[id.index()], &mut entities[se.index()]);
        let my_q = entity.my_q();
        let fresh = entity.avg.last_update_time == 0;
        let ages = my_q.is_none() || self.rules.load.ages_groups;
        if !fresh && ages {
            let activity = entity.activity(form, queue.curr == Some(se));
            if entity.age(form, now, activity) {
                entity.avg.util_est.set_changed(rule);
            }
        }
        let mut decayed = if queue.removed.nr == 0 {
            queue.age(form, now)
        } else {
            self.age_queue(id, now)
        };
        // The withdrawn patch has this before the queue is aged; nothing in the one looks at the other.
        if let Some(my_q) = my_q {
            decayed |= self.propagate_entity_load_avg(se, my_q);
        }
        if fresh && update == Update::TgAttach {
            if decayed && form.is_weighted() {
                self.update_tg_load_avg(id);
            }
            self.attach_entity_load_avg(id, se);
            self.update_tg_load_avg(id);
        } else if decayed && update != Update::Age {
            self.update_tg_load_avg(id);
        }
    }

    /// Takes off what left while asleep, and ages the queue (`update_cfs_rq_load_avg`). True if the
    /// averages changed.
    pub(crate) fn update_cfs_rq_load_avg(&mut self, id: CfsRqId) -> bool {
        let now = self.cfs_rq_clock_pelt(id);
        self.age_queue(id, now)
    }

    /// The same at `now` by the queue's PELT clock.
    fn age_queue(&mut self, id: CfsRqId, now: u64) -> bool {
        let form = self.rules.load.pelt;
        let changed = self.cfs(id).removed.nr > 0 && self.take_off_removed(id);
        self.cfs_mut(id).age(form, now) | changed
    }

    /// Takes the load of what left while asleep off its queue. True if the load changed.
    fn take_off_removed(&mut self, id: CfsRqId) -> bool {
        let (form, sync) = (self.rules.load.pelt, self.rules.load.sum_sync);
        let cfs_rq = self.cfs_mut(id);
        let removed = std::mem::take(&mut cfs_rq.removed);
        let avg = &mut cfs_rq.avg;
        let divider = avg.divider(form);
        let (load, util) = (removed.load_avg, removed.util_avg);
        avg.load().sub(sync, load, load * divider, divider);
        avg.util().sub(sync, util, util * divider, divider);
        let mut propagated = removed.load_sum as i64;
        if form == Pelt::Runnable {
            let runnable = removed.runnable_avg;
            avg.runnable()
                .sub(sync, runnable, runnable * divider, divider);
            propagated = ((removed.runnable_avg * divider) >> SHIFT) as i64;
        }
        let changed = !form.is_weighted() || removed.load_avg > 0;
        if changed || removed.util_avg > 0 {
            self.add_tg_cfs_propagate(id, -propagated);
        }
        changed
    }

    /// Joins an entity's load to a queue (`attach_entity_load_avg`).
    pub(crate) fn attach_entity_load_avg(&mut self, cfs_rq: CfsRqId, se: EntityId) {
        let form = self.rules.load.pelt;
        let joins_with_sum = self.rules.load.joins_with_sum;
        let (queue, entity) = self.cfs_and_se_mut(cfs_rq, se);
        entity.avg.last_update_time = queue.avg.last_update_time;
        match form {
            Pelt::Weighted(_) | Pelt::WeightedSegments => {}
            Pelt::RunnableLoad | Pelt::Runnable => entity.take_window(form, &queue.avg),
        }
        if joins_with_sum {
            entity.avg.load_sum = entity.avg.load_sum.max(1);
        }
        queue.enqueue_load_avg(form, entity);
        queue.avg.util_avg += entity.avg.util_avg;
        queue.avg.util_sum += entity.avg.util_sum;
        if form == Pelt::Runnable {
            queue.avg.runnable_avg += entity.avg.runnable_avg;
            queue.avg.runnable_sum += entity.avg.runnable_sum;
        }
        let load_sum = entity.avg.load_sum;
        self.add_tg_cfs_propagate(cfs_rq, load_sum as i64);
    }

    /// Takes an entity's load out of its queue (`detach_entity_load_avg`).
    fn detach_entity_load_avg(&mut self, cfs_rq: CfsRqId, se: EntityId) {
        let (form, sync) = (self.rules.load.pelt, self.rules.load.sum_sync);
        let (queue, entity) = self.cfs_and_se_mut(cfs_rq, se);
        queue.dequeue_load_avg(form, sync, entity);
        let (avg, gone) = (&mut queue.avg, entity.avg);
        let divider = avg.divider(form);
        avg.util().sub(sync, gone.util_avg, gone.util_sum, divider);
        if form == Pelt::Runnable {
            avg.runnable()
                .sub(sync, gone.runnable_avg, gone.runnable_sum, divider);
        }
        self.add_tg_cfs_propagate(cfs_rq, -(gone.load_sum as i64));
    }

    /// `attach_entity_cfs_rq`: a new entity, with every group above told.
    pub(crate) fn attach_entity_cfs_rq(&mut self, se: EntityId) {
        let cfs_rq = self.se(se).cfs_rq;
        self.update_load_avg(se, Update::Age);
        self.attach_entity_load_avg(cfs_rq, se);
        self.update_tg_load_avg(cfs_rq);
        self.propagate_entity_cfs_rq(se);
    }

    /// `detach_entity_cfs_rq`: the entity leaves for another CPU, with every group above told.
    pub(crate) fn detach_entity_cfs_rq(&mut self, se: EntityId) {
        let cfs_rq = self.se(se).cfs_rq;
        self.update_load_avg(se, Update::Age);
        self.detach_entity_load_avg(cfs_rq, se);
        self.update_tg_load_avg(cfs_rq);
        self.propagate_entity_cfs_rq(se);
    }

    fn propagate_entity_cfs_rq(&mut self, se: EntityId) {
        let mut next = self.se(se).parent;
        while let Some(se) = next {
            self.update_load_avg(se, Update::Tg);
            next = self.se(se).parent;
        }
    }

    /// Ages a sleeping entity to its queue's last update (`sync_entity_load_avg`).
    pub(crate) fn sync_entity_load_avg(&mut self, se: EntityId) {
        let last_update = self.cfs(self.se(se).cfs_rq).avg.last_update_time;
        let form = self.rules.load.pelt;
        self.se_mut(se).age(form, last_update, Activity::BLOCKED);
    }

    /// Leaves a sleeping entity's load to be taken off at its queue's next update
    /// (`remove_entity_load_avg`).
    pub(crate) fn remove_entity_load_avg(&mut self, se: EntityId) {
        self.sync_entity_load_avg(se);
        let Self {
            cfs_rqs, entities, ..
        } = self;
        let entity = &entities[se.index()];
        let removed = &mut cfs_rqs[entity.cfs_rq.index()].removed;
        removed.nr += 1;
        removed.load_avg += entity.avg.load_avg;
        removed.util_avg += entity.avg.util_avg;
        removed.load_sum += entity.avg.load_sum;
        removed.runnable_avg += entity.avg.runnable_avg;
    }

    /// Ages a task that is woken away from an idle CPU to now: its queue there may not have been aged for long
    /// (`migrate_se_pelt_lag`, v6.0). What was taken off the queue is what the task had at the queue's time.
    pub(crate) fn migrate_se_pelt_lag(&mut self, se: EntityId) {
        let id = self.se(se).cfs_rq;
        let is_idle = self.rqs[self.cpu_of(id).index()].curr.is_none();
        if !self.rules.load.ages_movers || !is_idle || self.cfs(id).bandwidth.throttle_count > 0 {
            return;
        }
        let now = self.cfs_rq_clock_pelt(id);
        let form = self.rules.load.pelt;
        self.se_mut(se).age(form, now, Activity::BLOCKED);
    }

    /// Notes how many tasks a group has runnable, for its entity's average (`se_update_runnable`, v5.7).
    pub(crate) fn se_update_runnable(&mut self, se: EntityId) {
        if self.rules.load.pelt == Pelt::Runnable
            && let Some(my_q) = self.se(se).my_q()
        {
            self.se_mut(se).runnable_weight = u64::from(self.cfs(my_q).h_nr_runnable()) << SHIFT;
        }
    }

    /// Gives a new task its utilization and joins it to its queue (`post_init_entity_util_avg`).
    pub(crate) fn post_init_entity_util_avg(&mut self, se: EntityId, cpu_scale: u64) {
        let entity = self.se(se);
        let weight = match self.rules.load.new_util {
            NewUtil::Scaled => entity.load.weight,
            NewUtil::Unscaled => entity.weight(),
        };
        let queue = &self.cfs(entity.cfs_rq).avg;
        let util = new_task_util(cpu_scale, queue, weight);
        self.se_mut(se).avg.util_avg = util;
        let form = self.rules.load.pelt;
        let avg = &mut self.se_mut(se).avg;
        match form {
            Pelt::Weighted(_) | Pelt::WeightedSegments => {
                avg.util_sum = avg.util_avg * LOAD_AVG_MAX;
            }
            Pelt::RunnableLoad => {}
            Pelt::Runnable => avg.runnable_avg = avg.util_avg,
        }
        self.attach_entity_cfs_rq(se);
    }

    /// Tells the group of a queue's load if it changed by more than 1/64 (`update_tg_load_avg`).
    pub(crate) fn update_tg_load_avg(&mut self, id: CfsRqId) {
        let (now, interval) = (self.now, self.rules.load.tg_interval_ns);
        let cfs_rq = self.cfs_mut(id);
        if cfs_rq.group == GroupId::ROOT || now - cfs_rq.last_update_tg_load_avg < interval {
            return;
        }
        let contrib = cfs_rq.tg_load_avg_contrib;
        let delta = cfs_rq.avg.load_avg as i64 - contrib as i64;
        if contribution_changed(delta, contrib) {
            cfs_rq.tg_load_avg_contrib = cfs_rq.avg.load_avg;
            cfs_rq.last_update_tg_load_avg = now;
            let group = cfs_rq.group;
            add_positive(&mut self.groups[group.index()].load_avg, delta);
        }
    }
}

#[cfg(test)]
mod tests;
