//! The queue of one group on one CPU.

use crate::bandwidth::CfsRuntime;
use teeter_machine::CpuId;

use crate::eevdf::VirtualSum;
use crate::entity::Entity;
use crate::ids::{CfsRqId, EntityId, GroupId};
use crate::pelt::{Activity, SchedAvg};
use crate::rules::Pelt;
use crate::weight::{LoadWeight, SHIFT};

/// A `cfs_rq`.
#[derive(Clone, Debug)]
pub(crate) struct CfsRq {
    /// Weights of all queued entities, the current one among them.
    pub(crate) load: LoadWeight,
    /// Scaled runnable weights of all queued entities.
    pub(crate) runnable_weight: u64,
    /// Entities queued at this level.
    pub(crate) nr_running: u32,
    /// Tasks queued here and below.
    pub(crate) h_nr_running: u32,
    /// Those of them that are of idle policy or in a group that is idle.
    pub(crate) idle_h_nr_running: u32,
    /// How many of those sleep and only wait to be dequeued, where the kernel counts them apart.
    pub(crate) h_nr_delayed: u32,
    /// Never goes back.
    pub(crate) min_vruntime: u64,
    /// Weights of what is in the timeline, and the same times virtual time (EEVDF).
    pub(crate) timeline_sum: VirtualSum,
    pub(crate) timeline: Timeline,
    /// The entity that runs, which is not in the timeline.
    pub(crate) curr: Option<EntityId>,
    pub(crate) next: Option<EntityId>,
    pub(crate) last: Option<EntityId>,
    pub(crate) skip: Option<EntityId>,
    pub(crate) avg: SchedAvg,
    pub(crate) removed: Removed,
    /// What this queue last added to its group's `load_avg`.
    pub(crate) tg_load_avg_contrib: u64,
    /// When it last did, ns.
    pub(crate) last_update_tg_load_avg: u64,
    /// Whether a change of load waits to be passed to the group entity above.
    pub(crate) propagate: bool,
    pub(crate) prop_runnable_sum: i64,
    /// Load of the root that falls to this queue, and the jiffy it was computed in.
    pub(crate) h_load: u64,
    pub(crate) last_h_load_update: u64,
    pub(crate) group: GroupId,
    pub(crate) cpu: CpuId,
    /// The entity that stands for this queue one level up; `None` at the root.
    pub(crate) se: Option<EntityId>,
    /// Whether it is in its run-queue's list of queues with load.
    pub(crate) on_list: bool,
    /// Run time that is left to it.
    pub(crate) bandwidth: CfsRuntime,
}

/// Load of tasks that left for another CPU while asleep, to be taken off at the next update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Removed {
    pub(crate) nr: u32,
    pub(crate) load_avg: u64,
    pub(crate) util_avg: u64,
    pub(crate) load_sum: u64,
    pub(crate) runnable_avg: u64,
}

impl CfsRq {
    /// An empty queue (`init_cfs_rq`).
    pub(crate) fn new(group: GroupId, cpu: CpuId, se: Option<EntityId>, weight_floor: u32) -> Self {
        Self {
            load: LoadWeight::zero(weight_floor),
            runnable_weight: 0,
            nr_running: 0,
            h_nr_running: 0,
            idle_h_nr_running: 0,
            h_nr_delayed: 0,
            min_vruntime: (1u64 << 20).wrapping_neg(),
            timeline_sum: VirtualSum::default(),
            timeline: Timeline::default(),
            curr: None,
            next: None,
            last: None,
            skip: None,
            avg: SchedAvg::default(),
            removed: Removed::default(),
            tg_load_avg_contrib: 0,
            last_update_tg_load_avg: 0,
            propagate: false,
            prop_runnable_sum: 0,
            h_load: 0,
            last_h_load_update: 0,
            group,
            cpu,
            se,
            on_list: false,
            bandwidth: CfsRuntime::default(),
        }
    }

    /// Tasks queued here and below that want to run, as far as this kernel knows (`h_nr_runnable`).
    #[inline]
    pub(crate) fn h_nr_runnable(&self) -> u32 {
        self.h_nr_running - self.h_nr_delayed
    }

    /// Virtual time of an entity as the sums have it (`entity_key`).
    #[inline]
    pub(crate) fn key(&self, vruntime: u64) -> i64 {
        vruntime.wrapping_sub(self.min_vruntime) as i64
    }

    /// Moves `min_vruntime` on; keys become smaller by as much (`__update_min_vruntime`).
    #[inline]
    pub(crate) fn advance_min_vruntime(&mut self, to: u64) {
        if before(self.min_vruntime, to) {
            let delta = to.wrapping_sub(self.min_vruntime) as i64;
            self.timeline_sum.shift(delta);
            self.min_vruntime = to;
        }
    }

    /// Moves `min_vruntime` on to the least advanced of what waits and `curr`, the entity that runs
    /// (`update_min_vruntime`).
    #[inline]
    pub(crate) fn update_min_vruntime(&mut self, curr: Option<&Entity>) {
        let curr = curr.filter(|curr| curr.on_rq).map(|curr| curr.vruntime);
        let leftmost = self.timeline.leftmost().map(|waiting| waiting.vruntime);
        let least = match (curr, leftmost) {
            (Some(a), Some(b)) => Some(if before(a, b) { a } else { b }),
            (one, other) => one.or(other),
        };
        if let Some(least) = least {
            self.advance_min_vruntime(least);
        }
    }

    /// What its sums grow by.
    #[inline]
    fn activity(&self, form: Pelt) -> Activity {
        let load = self.load.unscaled();
        Activity {
            load,
            runnable: match form {
                Pelt::Weighted(_) | Pelt::WeightedSegments => load,
                Pelt::RunnableLoad => self.runnable_weight >> SHIFT,
                Pelt::Runnable => u64::from(self.h_nr_runnable()) << SHIFT,
            },
            running: self.curr.is_some(),
        }
    }

    /// Brings its averages to `now` by its PELT clock. True if they were due.
    #[expect(
        clippy::inline_always,
        reason = "a tick does this six times; a call costs a tenth of it"
    )]
    #[inline(always)]
    pub(crate) fn age(&mut self, form: Pelt, now: u64) -> bool {
        let activity = self.activity(form);
        let due = self.avg.update_sum(form, now, activity);
        if due {
            self.avg.update_avg(form, 1, 1);
        }
        due
    }

    /// Whether nothing of past load is left (`cfs_rq_is_decayed`).
    pub(crate) fn is_decayed(&self) -> bool {
        self.load.weight == 0
            && self.avg.load_sum == 0
            && self.avg.util_sum == 0
            && self.avg.runnable_sum == 0
    }

    /// Whether blocked load is left to decay (`cfs_rq_has_blocked`).
    pub(crate) fn has_blocked(&self) -> bool {
        self.avg.load_avg > 0 || self.avg.util_avg > 0
    }
}

/// The `cfs_rq` of a group on a CPU.
pub(crate) const fn cfs_rq_of(group: GroupId, cpu: usize, nr_cpus: usize) -> CfsRqId {
    CfsRqId((group.index() * nr_cpus + cpu) as u32)
}

/// `a` before `b` in virtual time, which wraps (`entity_before`).
#[inline]
pub(crate) fn before(a: u64, b: u64) -> bool {
    (a.wrapping_sub(b) as i64) < 0
}

/// An entity in a [`Timeline`], with what it is chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) vruntime: u64,
    pub(crate) deadline: u64,
    pub(crate) se: EntityId,
}

/// Entities by vruntime; of equals the one that came first is further left. Kept right to left, so that
/// the leftmost is cheap to take.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    queue: Vec<Waiting>,
}

impl Timeline {
    /// Queues an entity.
    pub(crate) fn insert(&mut self, waiting: Waiting) {
        let at = self
            .queue
            .partition_point(|other| before(waiting.vruntime, other.vruntime));
        self.queue.insert(at, waiting);
    }

    /// Takes an entity out, which must be in with this vruntime.
    pub(crate) fn remove(&mut self, vruntime: u64, se: EntityId) {
        // Mostly it is picked.
        if self.queue.last().is_some_and(|leftmost| leftmost.se == se) {
            self.queue.pop();
            return;
        }
        let from = self
            .queue
            .partition_point(|other| before(vruntime, other.vruntime));
        let at = self.queue[from..].iter().position(|other| other.se == se);
        debug_assert!(
            at.is_some(),
            "an entity is in the timeline with its vruntime"
        );
        if let Some(at) = at {
            self.queue.remove(from + at);
        }
    }

    /// The entity with the smallest vruntime.
    #[inline]
    pub(crate) fn leftmost(&self) -> Option<Waiting> {
        self.queue.last().copied()
    }

    /// The one after the leftmost.
    #[inline]
    pub(crate) fn second(&self) -> Option<Waiting> {
        self.queue.len().checked_sub(2).map(|at| self.queue[at])
    }

    /// Leftmost first.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = Waiting> + '_ {
        self.queue.iter().rev().copied()
    }

    /// How many entities wait.
    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(vruntime: u64, se: u32) -> Waiting {
        Waiting {
            vruntime,
            deadline: 0,
            se: EntityId(se),
        }
    }

    #[test]
    fn equals_keep_their_order_and_order_wraps() {
        let mut timeline = Timeline::default();
        for waiting in [at(5, 0), at(5, 1), at(u64::MAX - 3, 2)] {
            timeline.insert(waiting);
        }
        assert_eq!(timeline.leftmost(), Some(at(u64::MAX - 3, 2)));
        timeline.remove(u64::MAX - 3, EntityId(2));
        assert_eq!(timeline.leftmost(), Some(at(5, 0)));
        assert_eq!(timeline.second(), Some(at(5, 1)));
        timeline.remove(5, EntityId(0));
        assert_eq!(timeline.leftmost(), Some(at(5, 1)));
    }
}
