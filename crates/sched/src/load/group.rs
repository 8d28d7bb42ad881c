//! A group's weight on a CPU, and how load below it reaches the entity that stands for it.
//!
//! Source: kernel/sched/fair.c `calc_group_shares`, `calc_group_runnable`, `reweight_entity`,
//! `propagate_entity_load_avg`, `update_cfs_rq_h_load` (v4.15 to v5.6), `calc_cfs_shares`,
//! `update_tg_cfs_load` (v4.11; SCHED.md 2.8 to 2.10).

use super::signal::Signal;
use crate::cfs_rq::CfsRq;
use crate::eevdf::reweight_moves;
use crate::ids::{CfsRqId, EntityId, TaskId};
use crate::pelt::{LOAD_AVG_MAX, SchedAvg, add_positive};
use crate::rules::{Pelt, Propagation, SumSync};
use crate::sched::Sched;
use crate::weight::{LoadWeight, MIN_SHARES, SHIFT};

/// Scaled weight of a group on one CPU: its shares in proportion to this queue's part of the group's load
/// (`calc_cfs_shares`, `calc_group_shares` from v4.15 on). `load` is the queue's weight, or from v4.15 on the
/// larger of that and its average; `tg_load_avg` the group's sum with this queue's contribution `contrib` in
/// it; all three unscaled.
#[inline]
pub(crate) fn calc_group_shares(tg_shares: u64, tg_load_avg: u64, contrib: u64, load: u64) -> u64 {
    let tg_weight = (tg_load_avg + load).saturating_sub(contrib);
    let shares = tg_shares * load;
    shares
        .checked_div(tg_weight)
        .unwrap_or(shares)
        .clamp(MIN_SHARES, tg_shares)
}

/// Load of a group's queue as that of the entity above (`update_tg_cfs_load`, v4.10 to v4.14): scaled down only
/// if the whole group's load is above its shares. All unscaled.
pub(crate) fn load_within_shares(load: u64, tg_load_avg: u64, contrib: u64, tg_shares: u64) -> u64 {
    let tg_load = (tg_load_avg + 1 + load).saturating_sub(contrib);
    if load > 0 && tg_load > tg_shares {
        load * tg_shares / tg_load
    } else {
        load
    }
}

/// Load of what a group has queued on a CPU as that of the entity above, whose weight is `shares` (postings of
/// 24 April and 4 May 2017). All unscaled.
pub(crate) fn queued_load(runnable_load_avg: u64, shares: u64, weight: u64) -> u64 {
    (runnable_load_avg * shares)
        .checked_div(weight)
        .map_or(0, |load| load.min(shares))
}

/// Load of the root that falls to a queue one level down (`update_cfs_rq_h_load`), or to a task
/// (`task_h_load`): its part of the queue it is on.
#[inline]
pub(crate) fn h_load_below(h_load: u64, load_avg: u64, cfs_rq_load_avg: u64) -> u64 {
    h_load * load_avg / (cfs_rq_load_avg + 1)
}

impl Sched {
    /// Brings a group entity's weights up to date (`update_cfs_group`); nothing for a task.
    #[inline]
    pub(crate) fn update_cfs_group(&mut self, se: EntityId) {
        if let Some(my_q) = self.se(se).my_q() {
            self.update_group_of(se, my_q);
        }
    }

    fn update_group_of(&mut self, se: EntityId, my_q: CfsRqId) {
        let rules = &self.rules;
        let gcfs = self.cfs(my_q);
        if rules.pick.empty_group_keeps_weight && gcfs.load.weight == 0 {
            return;
        }
        let shares = self.shares_here(gcfs);
        let runnable = match rules.load.pelt {
            Pelt::RunnableLoad => {
                let queued = gcfs.avg.runnable_avg.max(gcfs.runnable_weight >> SHIFT);
                let load = gcfs.load.unscaled().max(gcfs.avg.load_avg);
                let runnable = (queued * shares).checked_div(load);
                runnable
                    .unwrap_or(queued * shares)
                    .clamp(MIN_SHARES, shares)
            }
            Pelt::Weighted(_) | Pelt::WeightedSegments | Pelt::Runnable => {
                self.se(se).runnable_weight
            }
        };
        if self.rules.load.reweights_unchanged || self.se(se).load.weight != shares {
            self.reweight_entity(se, shares, runnable);
        }
    }

    /// Scaled weight that the entity above a group's queue is to have now.
    #[inline]
    fn shares_here(&self, gcfs: &CfsRq) -> u64 {
        let group = &self.groups[gcfs.group.index()];
        let mut load = gcfs.load.unscaled();
        if self.rules.load.shares_of_load {
            load = load.max(gcfs.avg.load_avg);
        }
        calc_group_shares(group.shares, group.load_avg, gcfs.tg_load_avg_contrib, load)
    }

    /// Gives a task another weight (`reweight_task`).
    pub(crate) fn reweight_task(&mut self, task: TaskId, load: LoadWeight) {
        let se = self.task(task).se;
        let runnable = match self.rules.load.pelt {
            Pelt::RunnableLoad => load.weight,
            Pelt::Weighted(_) | Pelt::WeightedSegments | Pelt::Runnable => {
                self.se(se).runnable_weight
            }
        };
        self.reweight_entity(se, load.weight, runnable);
        // The inverse of a nice level is the table's.
        self.se_mut(se).load = load;
    }

    /// Gives a queued or unqueued entity other weights (`reweight_entity`).
    fn reweight_entity(&mut self, se: EntityId, weight: u64, runnable: u64) {
        let eevdf = self.is_eevdf();
        let Self {
            rules,
            cfs_rqs,
            entities,
            now,
            ..
        } = self;
        let entity = &mut entities[se.index()];
        let id = entity.cfs_rq;
        let queue = &mut cfs_rqs[id.index()];
        let (on_rq, old) = (entity.on_rq, entity.load.weight);
        let runs = on_rq && queue.curr == Some(se);
        let moves = eevdf && reweight_moves(rules.pick.reweight, old, weight, on_rq && !runs);
        if !moves && (!runs || entity.exec_start == *now) {
            queue.reweight(&rules.load, entity, weight, runnable);
            if runs && eevdf {
                queue.update_min_vruntime(Some(entity));
            }
            return;
        }
        if runs {
            self.update_curr(id);
        }
        if moves {
            let average = self.before_reweight(se);
            self.reweight_eevdf(se, average, old, weight);
        }
        let (queue, entity) = (
            &mut self.cfs_rqs[id.index()],
            &mut self.entities[se.index()],
        );
        queue.reweight(&self.rules.load, entity, weight, runnable);
        if on_rq && moves {
            self.after_reweight(se);
        }
        if on_rq && eevdf {
            self.update_min_vruntime(id);
        }
    }

    /// Notes that load came to or left a queue, for the entity above it.
    pub(super) fn add_tg_cfs_propagate(&mut self, cfs_rq: CfsRqId, runnable_sum: i64) {
        let cfs_rq = self.cfs_mut(cfs_rq);
        cfs_rq.propagate = true;
        cfs_rq.prop_runnable_sum += runnable_sum;
    }

    /// Passes what was noted on to a group entity and its queue (`propagate_entity_load_avg`).
    #[inline]
    pub(super) fn propagate_entity_load_avg(&mut self, se: EntityId, my_q: CfsRqId) -> bool {
        let queued = match self.rules.load.pelt {
            Pelt::Weighted(propagation @ (Propagation::Queued | Propagation::QueuedApart)) => {
                self.propagate_queued(propagation, se, my_q)
            }
            _ => false,
        };
        if self.cfs(my_q).propagate {
            self.propagate_noted(se, my_q);
            true
        } else {
            queued
        }
    }

    fn propagate_noted(&mut self, se: EntityId, my_q: CfsRqId) {
        let cfs_rq = self.se(se).cfs_rq;
        let gcfs = self.cfs_mut(my_q);
        gcfs.propagate = false;
        let runnable_sum = std::mem::take(&mut gcfs.prop_runnable_sum);
        self.add_tg_cfs_propagate(cfs_rq, runnable_sum);
        self.update_tg_cfs_util(cfs_rq, se, my_q);
        match self.rules.load.pelt {
            Pelt::Weighted(propagation) => self.propagate_load(propagation, cfs_rq, se, my_q),
            Pelt::WeightedSegments => self.propagate_load(Propagation::Load, cfs_rq, se, my_q),
            Pelt::RunnableLoad | Pelt::Runnable => {
                if self.rules.load.pelt == Pelt::Runnable {
                    self.update_tg_cfs_runnable(cfs_rq, se, my_q);
                }
                if runnable_sum != 0 {
                    self.update_tg_cfs_load(cfs_rq, se, my_q, runnable_sum);
                }
            }
        }
    }

    /// Under the postings of 2017: passes on what the group has queued, at every update.
    fn propagate_queued(&mut self, propagation: Propagation, se: EntityId, my_q: CfsRqId) -> bool {
        let cfs_rq = self.se(se).cfs_rq;
        let gcfs = self.cfs(my_q);
        let shares = self.shares_here(gcfs) >> SHIFT;
        let queued = queued_load(gcfs.avg.runnable_avg, shares, gcfs.load.unscaled());
        if propagation == Propagation::Queued {
            self.set_load(cfs_rq, se, queued);
        }
        self.set_runnable_load(cfs_rq, se, queued)
    }

    /// To v4.14: passes on the group's load when tasks have come or left.
    fn propagate_load(
        &mut self,
        propagation: Propagation,
        cfs_rq: CfsRqId,
        se: EntityId,
        my_q: CfsRqId,
    ) {
        if propagation == Propagation::Queued {
            return;
        }
        let load = self.load_within_shares(my_q);
        self.set_load(cfs_rq, se, load);
        if propagation == Propagation::Load {
            self.set_runnable_load(cfs_rq, se, load);
        }
    }

    fn load_within_shares(&self, my_q: CfsRqId) -> u64 {
        let gcfs = self.cfs(my_q);
        let group = &self.groups[gcfs.group.index()];
        load_within_shares(
            gcfs.avg.load_avg,
            group.load_avg,
            gcfs.tg_load_avg_contrib,
            group.shares >> SHIFT,
        )
    }

    /// Gives a group's entity an average that came from below, and its queue the difference. `divider`: what an
    /// average is multiplied by to give its sum.
    fn follow(
        &mut self,
        cfs_rq: CfsRqId,
        se: EntityId,
        signal: impl Fn(&mut SchedAvg) -> Signal<'_>,
        below: u64,
        divider: u64,
    ) {
        // Sums were set to what averages come to here before they were elsewhere.
        let sync = match self.rules.load.sum_sync {
            SumSync::Apart | SumSync::Average => SumSync::Average,
            SumSync::AtLeast => SumSync::AtLeast,
        };
        let own = signal(&mut self.se_mut(se).avg);
        let average = below as i64 - *own.average as i64;
        if average == 0 {
            return;
        }
        let sum = (below * divider) as i64 - *own.sum as i64;
        *own.average = below;
        *own.sum = below * divider;
        signal(&mut self.cfs_mut(cfs_rq).avg).change(sync, average, sum, divider);
    }

    /// To v4.14: passes up the load of a group.
    fn set_load(&mut self, cfs_rq: CfsRqId, se: EntityId, load: u64) {
        self.follow(cfs_rq, se, SchedAvg::load, load, LOAD_AVG_MAX);
    }

    /// To v4.14: passes up the load that counts while the entity is queued. True if it changed.
    fn set_runnable_load(&mut self, cfs_rq: CfsRqId, se: EntityId, load: u64) -> bool {
        let entity = self.se_mut(se);
        let delta = load as i64 - entity.avg.runnable_avg as i64;
        if delta == 0 {
            return false;
        }
        entity.avg.runnable_avg = load;
        entity.avg.runnable_sum = load * LOAD_AVG_MAX;
        if entity.on_rq {
            let avg = &mut self.cfs_mut(cfs_rq).avg;
            add_positive(&mut avg.runnable_avg, delta);
            avg.runnable_sum = avg.runnable_avg * LOAD_AVG_MAX;
        }
        true
    }

    /// What an average that comes from below is multiplied by to give its sum: the largest there can be
    /// (to v5.7), or that of the queue's window (v5.8).
    fn propagation_divider(&self, cfs_rq: CfsRqId) -> u64 {
        if self.rules.load.window_divider {
            self.cfs(cfs_rq).avg.divider(self.rules.load.pelt)
        } else {
            LOAD_AVG_MAX
        }
    }

    fn update_tg_cfs_util(&mut self, cfs_rq: CfsRqId, se: EntityId, my_q: CfsRqId) {
        let divider = self.propagation_divider(cfs_rq);
        let util = self.cfs(my_q).avg.util_avg;
        self.follow(cfs_rq, se, SchedAvg::util, util, divider);
    }

    /// From v5.7 on: how much is runnable below.
    fn update_tg_cfs_runnable(&mut self, cfs_rq: CfsRqId, se: EntityId, my_q: CfsRqId) {
        let divider = self.propagation_divider(cfs_rq);
        let runnable = self.cfs(my_q).avg.runnable_avg;
        self.follow(cfs_rq, se, SchedAvg::runnable, runnable, divider);
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

        let sync = self.rules.load.sum_sync;
        let entity = self.se_mut(se);
        if delta_avg != 0 || sync != SumSync::AtLeast {
            entity.avg.load_sum = runnable_sum;
        }
        if delta_avg != 0 || sync == SumSync::Apart {
            entity.avg.load_avg = load_avg;
            let load = self.cfs_mut(cfs_rq).avg.load();
            load.change(sync, delta_avg, delta_sum, divider);
        }
        if self.rules.load.pelt == Pelt::RunnableLoad {
            self.update_tg_cfs_runnable_load(cfs_rq, se, runnable_sum);
        }
    }

    /// To v5.6: the same for the load of what is queued.
    fn update_tg_cfs_runnable_load(&mut self, cfs_rq: CfsRqId, se: EntityId, runnable_sum: u64) {
        let entity = self.se(se);
        let (weight, runnable) = (entity.weight(), entity.runnable_scale(Pelt::RunnableLoad));
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
