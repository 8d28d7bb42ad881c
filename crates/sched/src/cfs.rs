//! Slices of a round, and the choice of the entity with the least virtual time.
//!
//! Source: kernel/sched/fair.c `sched_slice`, `place_entity`, `check_preempt_tick`,
//! `wakeup_preempt_entity`, `pick_next_entity` (v4.11 to v6.5; SCHED.md 3.2).

use crate::cfs_rq::before;
use crate::ids::{CfsRqId, EntityId};
use crate::rules::{Feature, IdleEntities};
use crate::sched::Sched;
use crate::weight::{LoadWeight, calc_delta, calc_delta_fair};

/// How many entities fit into a round of `latency_ns` (`sched_nr_latency`).
pub(crate) fn sched_nr_latency(latency_ns: u64, min_granularity_ns: u64) -> u64 {
    latency_ns.div_ceil(min_granularity_ns)
}

/// Length of a round in which each of `nr_running` entities runs once (`__sched_period`).
pub(crate) fn sched_period(nr_running: u64, latency_ns: u64, min_granularity_ns: u64) -> u64 {
    // As nr_running > sched_nr_latency, without its division.
    if nr_running.saturating_sub(1) * min_granularity_ns >= latency_ns {
        nr_running * min_granularity_ns
    } else {
        latency_ns
    }
}

/// Virtual time a task wakes with: at most `credit_ns` behind the queue.
pub(crate) fn place_woken(vruntime: u64, min_vruntime: u64, credit_ns: u64) -> u64 {
    let floor = min_vruntime.wrapping_sub(credit_ns);
    if before(vruntime, floor) {
        floor
    } else {
        vruntime
    }
}

/// How far ahead in virtual time a waking entity of this weight must be to preempt (`wakeup_gran`).
pub(crate) fn wakeup_gran(wakee: LoadWeight, wakeup_granularity_ns: u64) -> u64 {
    calc_delta_fair(wakeup_granularity_ns, wakee)
}

impl Sched {
    /// Time the entity should run in one round, ns of the CPU (`sched_slice`).
    #[inline]
    pub(crate) fn sched_slice(&mut self, se: EntityId) -> u64 {
        let features = self.rules.features;
        let entity = self.se(se);
        let cpu = self.cpu_of(entity.cfs_rq);
        let queued = if features.has(Feature::AltPeriod) {
            self.cfs_rqs[cpu.index()].h_nr_running
        } else {
            self.cfs(entity.cfs_rq).nr_running
        };
        let mut slice = sched_period(
            u64::from(queued + u32::from(!entity.on_rq)),
            self.slices.latency,
            self.slices.min_granularity,
        );
        let Self {
            cfs_rqs, entities, ..
        } = self;
        let mut next = Some(se);
        while let Some(se) = next {
            let entity = &entities[se.index()];
            let queue = &mut cfs_rqs[entity.cfs_rq.index()];
            queue.load.update_inv_weight();
            let mut load = queue.load;
            if !entity.on_rq {
                load.add(entity.load.weight);
            }
            slice = calc_delta(slice, entity.weight(), load);
            next = entity.parent;
        }
        if features.has(Feature::BaseSlice) {
            slice = slice.max(self.least_slice(se));
        }
        slice
    }

    /// The shortest slice an entity may have, ns.
    fn least_slice(&self, se: EntityId) -> u64 {
        if self.rules.pick.idle >= IdleEntities::TasksAndGroups
            && self.se_is_idle(se)
            && !self.only_idle(self.se(se).cfs_rq)
        {
            self.rules.tunables.idle_min_granularity.0
        } else {
            self.slices.min_granularity
        }
    }

    /// Whether all that a queue has are idle entities (`sched_idle_cfs_rq`).
    fn only_idle(&self, id: CfsRqId) -> bool {
        let queue = self.cfs(id);
        let curr = queue.curr.filter(|&curr| self.se(curr).on_rq);
        let mut queued = queue.timeline.iter().map(|waiting| waiting.se).chain(curr);
        queue.nr_running > 0 && queued.all(|se| self.se_is_idle(se))
    }

    /// Gives a new entity its place: a slice behind the queue (`place_entity`, initial).
    pub(crate) fn place_new(&mut self, id: CfsRqId, se: EntityId) {
        let mut placed = self.cfs(id).min_vruntime;
        if self.rules.features.has(Feature::StartDebit) {
            let vslice = calc_delta_fair(self.sched_slice(se), self.se(se).load);
            placed = placed.wrapping_add(vslice);
        }
        let entity = self.se_mut(se);
        if before(entity.vruntime, placed) {
            entity.vruntime = placed;
        }
    }

    /// Gives a woken entity its place: not further behind the queue than sleepers may be (`place_entity`).
    pub(crate) fn place_sleeper(&mut self, id: CfsRqId, se: EntityId) {
        let idle = self.rules.pick.idle >= IdleEntities::TasksAndGroups && self.se_is_idle(se);
        let mut credit = if idle {
            self.slices.min_granularity
        } else {
            self.slices.latency
        };
        if self.rules.features.has(Feature::GentleFairSleepers) {
            credit /= 2;
        }
        let min_vruntime = self.cfs(id).min_vruntime;
        let entity = self.se_mut(se);
        entity.vruntime = place_woken(entity.vruntime, min_vruntime, credit);
    }

    /// Whether the tick must preempt the current entity (`check_preempt_tick`).
    #[inline]
    pub(crate) fn check_preempt_tick(&mut self, cfs_rq: CfsRqId, curr: EntityId) -> bool {
        let mut slice = self.sched_slice(curr);
        if self.rules.pick.slice_limit {
            slice = slice.min(self.slices.latency);
        }
        let entity = self.se(curr);
        let ran = entity.sum_exec_runtime - entity.prev_sum_exec_runtime;
        if ran > slice {
            return true;
        }
        if ran < self.slices.min_granularity {
            return false;
        }
        self.cfs(cfs_rq)
            .timeline
            .leftmost()
            .is_some_and(|leftmost| {
                entity.vruntime.wrapping_sub(leftmost.vruntime) as i64 > slice as i64
            })
    }

    /// Whether `se` is so far behind `curr` that it preempts it: 1; not enough: 0; not behind: -1
    /// (`wakeup_preempt_entity`).
    pub(crate) fn wakeup_preempt_entity(&self, curr: EntityId, se: EntityId) -> i32 {
        let vdiff = self.se(curr).vruntime.wrapping_sub(self.se(se).vruntime) as i64;
        if vdiff <= 0 {
            return -1;
        }
        let granularity = self.slices.wakeup_granularity;
        i32::from(vdiff > wakeup_gran(self.se(se).load, granularity) as i64)
    }

    /// The entity to run next: the leftmost or current one, unless a buddy is near enough
    /// (`pick_next_entity`). `None` only for an empty queue.
    pub(crate) fn pick_least_vruntime(
        &self,
        id: CfsRqId,
        curr: Option<EntityId>,
    ) -> Option<EntityId> {
        let cfs_rq = self.cfs(id);
        let timeline_first = cfs_rq.timeline.leftmost();
        let first = match (timeline_first, curr) {
            (Some(left), Some(curr)) => {
                if before(self.se(curr).vruntime, left.vruntime) {
                    curr
                } else {
                    left.se
                }
            }
            (left, curr) => left.map(|left| left.se).or(curr)?,
        };
        let mut chosen = first;
        if cfs_rq.skip == Some(first) {
            // The second of all: of the timeline after its leftmost, and of curr.
            let second = if Some(first) == curr {
                timeline_first.map(|first| first.se)
            } else {
                let second = cfs_rq.timeline.second();
                match (second, curr) {
                    (None, curr) => curr,
                    (Some(second), Some(curr))
                        if before(self.se(curr).vruntime, second.vruntime) =>
                    {
                        Some(curr)
                    }
                    (Some(second), _) => Some(second.se),
                }
            };
            if let Some(second) = second
                && self.wakeup_preempt_entity(second, first) < 1
            {
                chosen = second;
            }
        }
        for buddy in [cfs_rq.last, cfs_rq.next].into_iter().flatten() {
            if self.wakeup_preempt_entity(buddy, first) < 1 {
                chosen = buddy;
            }
        }
        Some(chosen)
    }

    /// Drops every buddy mark of the entity and of the groups above it (`clear_buddies`).
    #[inline]
    pub(crate) fn clear_buddies(&mut self, se: EntityId) {
        let queue = self.cfs(self.se(se).cfs_rq);
        if [queue.last, queue.next, queue.skip].contains(&Some(se)) {
            self.clear_marks(se);
        }
    }

    fn clear_marks(&mut self, se: EntityId) {
        self.clear_buddy(se, |cfs_rq| &mut cfs_rq.last);
        self.clear_buddy(se, |cfs_rq| &mut cfs_rq.next);
        self.clear_buddy(se, |cfs_rq| &mut cfs_rq.skip);
    }

    fn clear_buddy(
        &mut self,
        se: EntityId,
        mark: impl Fn(&mut crate::cfs_rq::CfsRq) -> &mut Option<EntityId>,
    ) {
        let mut next = Some(se);
        while let Some(se) = next {
            let entity = self.se(se);
            let (cfs_rq, parent) = (entity.cfs_rq, entity.parent);
            let mark = mark(self.cfs_mut(cfs_rq));
            if *mark != Some(se) {
                break;
            }
            *mark = None;
            next = parent;
        }
    }

    /// Marks the entity and the groups above it to be preferred (`set_next_buddy`).
    pub(crate) fn set_next_buddy(&mut self, se: EntityId) {
        self.set_buddy(se, |cfs_rq| &mut cfs_rq.next);
    }

    /// Marks the entity and the groups above it as preempted (`set_last_buddy`).
    pub(crate) fn set_last_buddy(&mut self, se: EntityId) {
        self.set_buddy(se, |cfs_rq| &mut cfs_rq.last);
    }

    /// Marks the entity and the groups above it to be passed over (`set_skip_buddy`).
    pub(crate) fn set_skip_buddy(&mut self, se: EntityId) {
        self.set_buddy(se, |cfs_rq| &mut cfs_rq.skip);
    }

    fn set_buddy(
        &mut self,
        se: EntityId,
        mark: impl Fn(&mut crate::cfs_rq::CfsRq) -> &mut Option<EntityId>,
    ) {
        let mut next = Some(se);
        while let Some(se) = next {
            let entity = self.se(se);
            if !entity.on_rq {
                break;
            }
            let (cfs_rq, parent) = (entity.cfs_rq, entity.parent);
            *mark(self.cfs_mut(cfs_rq)) = Some(se);
            next = parent;
        }
    }
}
