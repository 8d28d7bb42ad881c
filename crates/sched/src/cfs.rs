//! Virtual time, slices, and the choice of the next entity.
//!
//! Source: kernel/sched/fair.c `update_curr`, `sched_slice`, `place_entity`, `check_preempt_tick`,
//! `wakeup_preempt_entity`, `pick_next_entity` (v4.11 to v5.12; SCHED.md 3.2).

use crate::cfs_rq::before;
use crate::ids::{CfsRqId, EntityId};
use crate::sched::Sched;
use crate::weight::{LoadWeight, calc_delta, calc_delta_fair};

/// How many entities fit into a round of `latency_ns` (`sched_nr_latency`).
pub(crate) fn sched_nr_latency(latency_ns: u64, min_granularity_ns: u64) -> u64 {
    latency_ns.div_ceil(min_granularity_ns)
}

/// Length of a round in which each of `nr_running` entities runs once (`__sched_period`).
pub(crate) fn sched_period(nr_running: u64, latency_ns: u64, min_granularity_ns: u64) -> u64 {
    if nr_running > sched_nr_latency(latency_ns, min_granularity_ns) {
        nr_running * min_granularity_ns
    } else {
        latency_ns
    }
}

/// Smallest vruntime a task wakes with: half a latency behind the queue (`GENTLE_FAIR_SLEEPERS`).
pub(crate) fn place_woken(vruntime: u64, min_vruntime: u64, latency_ns: u64) -> u64 {
    let floor = min_vruntime.wrapping_sub(latency_ns / 2);
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
    /// Charges the current entity for its run so far (`update_curr`).
    pub(crate) fn update_curr(&mut self, cfs_rq: CfsRqId) {
        let Some(curr) = self.cfs(cfs_rq).curr else {
            return;
        };
        let now = self.now;
        let entity = self.se_mut(curr);
        let delta = now.saturating_sub(entity.exec_start);
        if delta == 0 {
            return;
        }
        entity.exec_start = now;
        entity.sum_exec_runtime += delta;
        entity.vruntime = entity
            .vruntime
            .wrapping_add(calc_delta_fair(delta, entity.load));
        self.update_min_vruntime(cfs_rq);
    }

    /// Moves the queue's virtual time on to its least advanced entity (`update_min_vruntime`).
    pub(crate) fn update_min_vruntime(&mut self, id: CfsRqId) {
        let cfs_rq = self.cfs(id);
        let queued_curr = cfs_rq.curr.filter(|&curr| self.se(curr).on_rq);
        let curr = queued_curr.map(|curr| self.se(curr).vruntime);
        let leftmost = cfs_rq.timeline.leftmost().map(|(vruntime, _)| vruntime);
        let least = match (curr, leftmost) {
            (Some(a), Some(b)) => Some(if before(a, b) { a } else { b }),
            (one, other) => one.or(other),
        };
        if let Some(least) = least {
            let cfs_rq = self.cfs_mut(id);
            if before(cfs_rq.min_vruntime, least) {
                cfs_rq.min_vruntime = least;
            }
        }
    }

    /// Time the entity should run in one round, ns of the CPU (`sched_slice`).
    pub(crate) fn sched_slice(&self, se: EntityId) -> u64 {
        let tunables = &self.rules.tunables;
        let entity = self.se(se);
        let nr = self.cfs(entity.cfs_rq).nr_running + u32::from(!entity.on_rq);
        let mut slice = sched_period(
            u64::from(nr),
            tunables.latency_ns(self.nr_online),
            tunables.min_granularity_ns(self.nr_online),
        );
        let mut next = Some(se);
        while let Some(se) = next {
            let entity = self.se(se);
            let mut load = self.cfs(entity.cfs_rq).load;
            if !entity.on_rq {
                load.add(entity.load.weight);
            }
            slice = calc_delta(slice, entity.load.unscaled(), load);
            next = entity.parent;
        }
        slice
    }

    /// Gives an entity its place in virtual time, new or woken (`place_entity`).
    pub(crate) fn place_entity(&mut self, cfs_rq: CfsRqId, se: EntityId, initial: bool) {
        let min_vruntime = self.cfs(cfs_rq).min_vruntime;
        let own = self.se(se).vruntime;
        self.se_mut(se).vruntime = if initial {
            let vslice = calc_delta_fair(self.sched_slice(se), self.se(se).load);
            let placed = min_vruntime.wrapping_add(vslice);
            if before(own, placed) { placed } else { own }
        } else {
            let latency = self.rules.tunables.latency_ns(self.nr_online);
            place_woken(own, min_vruntime, latency)
        };
    }

    /// Whether the tick must preempt the current entity (`check_preempt_tick`).
    pub(crate) fn check_preempt_tick(&self, cfs_rq: CfsRqId, curr: EntityId) -> bool {
        let slice = self.sched_slice(curr);
        let entity = self.se(curr);
        let ran = entity.sum_exec_runtime - entity.prev_sum_exec_runtime;
        if ran > slice {
            return true;
        }
        if ran < self.rules.tunables.min_granularity_ns(self.nr_online) {
            return false;
        }
        self.cfs(cfs_rq)
            .timeline
            .leftmost()
            .is_some_and(|(leftmost, _)| {
                entity.vruntime.wrapping_sub(leftmost) as i64 > slice as i64
            })
    }

    /// Whether `se` is so far behind `curr` that it preempts it: 1; not enough: 0; not behind: -1
    /// (`wakeup_preempt_entity`).
    pub(crate) fn wakeup_preempt_entity(&self, curr: EntityId, se: EntityId) -> i32 {
        let vdiff = self.se(curr).vruntime.wrapping_sub(self.se(se).vruntime) as i64;
        if vdiff <= 0 {
            return -1;
        }
        let granularity = self.rules.tunables.wakeup_granularity_ns(self.nr_online);
        i32::from(vdiff > wakeup_gran(self.se(se).load, granularity) as i64)
    }

    /// The entity to run next: the leftmost or current one, unless a buddy is near enough
    /// (`pick_next_entity`). `None` only for an empty queue.
    pub(crate) fn pick_next_entity(&self, id: CfsRqId, curr: Option<EntityId>) -> Option<EntityId> {
        let cfs_rq = self.cfs(id);
        let timeline_first = cfs_rq.timeline.leftmost();
        let first = match (timeline_first, curr) {
            (Some((v, left)), Some(curr)) => {
                if before(self.se(curr).vruntime, v) {
                    curr
                } else {
                    left
                }
            }
            (left, curr) => left.map(|(_, se)| se).or(curr)?,
        };
        let mut chosen = first;
        if cfs_rq.skip == Some(first) {
            // The second of all: of the timeline after its leftmost, and of curr.
            let second = if Some(first) == curr {
                timeline_first.map(|(_, se)| se)
            } else {
                let second = cfs_rq.timeline.second();
                match (second, curr) {
                    (None, curr) => curr,
                    (Some((v, _)), Some(curr)) if before(self.se(curr).vruntime, v) => Some(curr),
                    (Some((_, se)), _) => Some(se),
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
    pub(crate) fn clear_buddies(&mut self, se: EntityId) {
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
