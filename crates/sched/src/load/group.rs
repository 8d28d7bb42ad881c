//! A group's weight on a CPU, and how load below it reaches the entity that stands for it.
//!
//! Source: kernel/sched/fair.c `calc_group_shares`, `calc_group_runnable`, `reweight_entity`,
//! `propagate_entity_load_avg`, `update_cfs_rq_h_load` (v4.15 to v5.6; SCHED.md 2.8 to 2.10).

use crate::ids::{CfsRqId, EntityId, TaskId};
use crate::pelt::{LOAD_AVG_MAX, add_positive};
use crate::rules::Pelt;
use crate::sched::Sched;
use crate::weight::{LoadWeight, MIN_SHARES, SHIFT};

/// Scaled weight of a group on one CPU: its shares in proportion to this queue's part of the group's load
/// (`calc_group_shares`). `load` is the larger of the queue's weight and average, `tg_load_avg` the
/// group's sum with this queue's contribution `contrib` in it; all three unscaled.
pub(crate) fn calc_group_shares(tg_shares: u64, tg_load_avg: u64, contrib: u64, load: u64) -> u64 {
    let tg_weight = (tg_load_avg + load).saturating_sub(contrib);
    let shares = tg_shares * load;
    shares
        .checked_div(tg_weight)
        .unwrap_or(shares)
        .clamp(MIN_SHARES, tg_shares)
}

/// Load of the root that falls to a queue one level down (`update_cfs_rq_h_load`), or to a task
/// (`task_h_load`): its part of the queue it is on.
#[inline]
pub(crate) fn h_load_below(h_load: u64, load_avg: u64, cfs_rq_load_avg: u64) -> u64 {
    h_load * load_avg / (cfs_rq_load_avg + 1)
}

impl Sched {
    /// Brings a group entity's weights up to date (`update_cfs_group`); nothing for a task.
    pub(crate) fn update_cfs_group(&mut self, se: EntityId) {
        let Some(my_q) = self.se(se).my_q() else {
            return;
        };
        let gcfs = self.cfs(my_q);
        let group = &self.groups[gcfs.group.index()];
        let load = gcfs.load.unscaled().max(gcfs.avg.load_avg);
        let shares =
            calc_group_shares(group.shares, group.load_avg, gcfs.tg_load_avg_contrib, load);
        let runnable = match self.rules.load.pelt {
            Pelt::RunnableLoad => {
                let queued = gcfs.avg.runnable_avg.max(gcfs.runnable_weight >> SHIFT);
                let runnable = (queued * shares).checked_div(load);
                runnable
                    .unwrap_or(queued * shares)
                    .clamp(MIN_SHARES, shares)
            }
            Pelt::Runnable => self.se(se).runnable_weight,
        };
        self.reweight_entity(se, shares, runnable);
    }

    /// Gives a task another weight (`reweight_task`).
    pub(crate) fn reweight_task(&mut self, task: TaskId, load: LoadWeight) {
        let se = self.task(task).se;
        let runnable = match self.rules.load.pelt {
            Pelt::RunnableLoad => load.weight,
            Pelt::Runnable => self.se(se).runnable_weight,
        };
        self.reweight_entity(se, load.weight, runnable);
        // The inverse of a nice level is the table's.
        self.se_mut(se).load = load;
    }

    /// Gives a queued or unqueued entity other weights (`reweight_entity`).
    fn reweight_entity(&mut self, se: EntityId, weight: u64, runnable: u64) {
        let cfs_rq = self.se(se).cfs_rq;
        if self.se(se).on_rq {
            if self.cfs(cfs_rq).curr == Some(se) {
                self.update_curr(cfs_rq);
            }
            let old = self.se(se).load.weight;
            self.cfs_mut(cfs_rq).load.sub(old);
            self.dequeue_runnable_load_avg(cfs_rq, se);
        }
        self.dequeue_load_avg(cfs_rq, se);
        let (form, floor) = (self.rules.load.pelt, self.rules.load.weight_floor);
        let entity = self.se_mut(se);
        entity.runnable_weight = runnable;
        entity.load = LoadWeight::scaled(weight, floor);
        let (load, runnable) = (entity.weight(), entity.runnable(form));
        let divider = entity.avg.divider();
        entity.avg.load_avg = load * entity.avg.load_sum / divider;
        if form == Pelt::RunnableLoad {
            entity.avg.runnable_avg = runnable * entity.avg.runnable_sum / divider;
        }
        self.enqueue_load_avg(cfs_rq, se);
        if self.se(se).on_rq {
            self.cfs_mut(cfs_rq).load.add(weight);
            self.enqueue_runnable_load_avg(cfs_rq, se);
        }
    }

    /// Notes that load came to or left a queue, for the entity above it.
    pub(super) fn add_tg_cfs_propagate(&mut self, cfs_rq: CfsRqId, runnable_sum: i64) {
        let cfs_rq = self.cfs_mut(cfs_rq);
        cfs_rq.propagate = true;
        cfs_rq.prop_runnable_sum += runnable_sum;
    }

    /// Passes what was noted on to a group entity and its queue (`propagate_entity_load_avg`).
    pub(super) fn propagate_entity_load_avg(&mut self, se: EntityId) -> bool {
        let Some(my_q) = self.se(se).my_q() else {
            return false;
        };
        let gcfs = self.cfs_mut(my_q);
        if !gcfs.propagate {
            return false;
        }
        gcfs.propagate = false;
        let runnable_sum = gcfs.prop_runnable_sum;
        let cfs_rq = self.se(se).cfs_rq;
        self.add_tg_cfs_propagate(cfs_rq, runnable_sum);
        self.update_tg_cfs_util(cfs_rq, se, my_q);
        if self.rules.load.pelt == Pelt::Runnable {
            self.update_tg_cfs_runnable(cfs_rq, se, my_q);
        }
        if runnable_sum != 0 {
            self.cfs_mut(my_q).prop_runnable_sum = 0;
            self.update_tg_cfs_load(cfs_rq, se, my_q, runnable_sum);
        }
        true
    }

    /// What an average that comes from below is multiplied by to give its sum: the largest there can be
    /// (to v5.7), or that of the queue's window (v5.8).
    fn propagation_divider(&self, cfs_rq: CfsRqId) -> u64 {
        if self.rules.load.window_divider {
            self.cfs(cfs_rq).avg.divider()
        } else {
            LOAD_AVG_MAX
        }
    }

    fn update_tg_cfs_util(&mut self, cfs_rq: CfsRqId, se: EntityId, my_q: CfsRqId) {
        let divider = self.propagation_divider(cfs_rq);
        let util = self.cfs(my_q).avg.util_avg;
        let avg = &mut self.se_mut(se).avg;
        let delta = util as i64 - avg.util_avg as i64;
        if delta == 0 {
            return;
        }
        avg.util_avg = util;
        avg.util_sum = util * divider;
        let avg = &mut self.cfs_mut(cfs_rq).avg;
        add_positive(&mut avg.util_avg, delta);
        avg.util_sum = avg.util_avg * divider;
    }

    /// From v5.7 on: how much is runnable below.
    fn update_tg_cfs_runnable(&mut self, cfs_rq: CfsRqId, se: EntityId, my_q: CfsRqId) {
        let divider = self.propagation_divider(cfs_rq);
        let runnable = self.cfs(my_q).avg.runnable_avg;
        let avg = &mut self.se_mut(se).avg;
        let delta = runnable as i64 - avg.runnable_avg as i64;
        if delta == 0 {
            return;
        }
        avg.runnable_avg = runnable;
        avg.runnable_sum = runnable * divider;
        let avg = &mut self.cfs_mut(cfs_rq).avg;
        add_positive(&mut avg.runnable_avg, delta);
        avg.runnable_sum = avg.runnable_avg * divider;
    }

    fn update_tg_cfs_load(
        &mut self,
        cfs_rq: CfsRqId,
        se: EntityId,
        my_q: CfsRqId,
        prop_runnable_sum: i64,
    ) {
        let divider = self.propagation_divider(cfs_rq);
        let gcfs = self.cfs(my_q);
        let per_weight = gcfs.avg.load_sum.checked_div(gcfs.load.unscaled());
        let entity = self.se(se);
        let avg = &entity.avg;
        let bounded = if prop_runnable_sum >= 0 {
            (avg.load_sum + prop_runnable_sum as u64).min(divider)
        } else {
            avg.load_sum.min(per_weight.unwrap_or(0))
        };
        let runnable_sum = bounded.max(avg.util_sum >> SHIFT);
        let weight = entity.weight();
        let load_sum = weight * runnable_sum;
        let load_avg = load_sum / divider;
        let delta_sum = load_sum as i64 - (weight * avg.load_sum) as i64;
        let delta_avg = load_avg as i64 - avg.load_avg as i64;

        let entity = self.se_mut(se);
        entity.avg.load_sum = runnable_sum;
        entity.avg.load_avg = load_avg;
        let avg = &mut self.cfs_mut(cfs_rq).avg;
        add_positive(&mut avg.load_avg, delta_avg);
        add_positive(&mut avg.load_sum, delta_sum);
        if self.rules.load.pelt == Pelt::RunnableLoad {
            self.update_tg_cfs_runnable_load(cfs_rq, se, runnable_sum);
        }
    }

    /// To v5.6: the same for the load of what is queued.
    fn update_tg_cfs_runnable_load(&mut self, cfs_rq: CfsRqId, se: EntityId, runnable_sum: u64) {
        let entity = self.se(se);
        let (weight, runnable) = (entity.weight(), entity.runnable(Pelt::RunnableLoad));
        let load_sum = runnable * runnable_sum;
        let load_avg = load_sum / LOAD_AVG_MAX;
        let delta_sum = load_sum as i64 - (weight * entity.avg.runnable_sum) as i64;
        let delta_avg = load_avg as i64 - entity.avg.runnable_avg as i64;
        let entity = self.se_mut(se);
        entity.avg.runnable_sum = runnable_sum;
        entity.avg.runnable_avg = load_avg;
        if entity.on_rq {
            let avg = &mut self.cfs_mut(cfs_rq).avg;
            add_positive(&mut avg.runnable_avg, delta_avg);
            add_positive(&mut avg.runnable_sum, delta_sum);
        }
    }

    /// Load of the root that falls to a queue, at most a jiffy old (`update_cfs_rq_h_load`).
    fn h_load(&mut self, id: CfsRqId) -> u64 {
        let jiffies = self.jiffies();
        let cfs_rq = self.cfs(id);
        if cfs_rq.last_h_load_update == jiffies {
            return cfs_rq.h_load;
        }
        let h_load = match cfs_rq.se {
            None => cfs_rq.avg.load_avg,
            Some(se) => {
                let (load_avg, above) = (self.se(se).avg.load_avg, self.se(se).cfs_rq);
                h_load_below(self.h_load(above), load_avg, self.cfs(above).avg.load_avg)
            }
        };
        let cfs_rq = self.cfs_mut(id);
        cfs_rq.h_load = h_load;
        cfs_rq.last_h_load_update = jiffies;
        h_load
    }

    /// Load of the root that falls to a task (`task_h_load`).
    pub(crate) fn task_h_load(&mut self, se: EntityId) -> u64 {
        let entity = self.se(se);
        let (load_avg, cfs_rq) = (entity.avg.load_avg, entity.cfs_rq);
        let h_load = self.h_load(cfs_rq);
        h_load_below(h_load, load_avg, self.cfs(cfs_rq).avg.load_avg)
    }
}
