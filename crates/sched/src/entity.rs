//! Scheduling entities: what a `cfs_rq` queues, a task or a whole group.

use crate::ids::{CfsRqId, EntityId, TaskId};
use crate::pelt::{Activity, SchedAvg};
use crate::rules::Pelt;
use crate::weight::{LoadWeight, SHIFT};

/// A `sched_entity`.
#[derive(Clone, Debug)]
pub(crate) struct Entity {
    pub(crate) load: LoadWeight,
    /// Scaled weight of what is runnable below, a task's own weight (v4.15 to v5.6); or 1024 for each task
    /// that is runnable below (v5.7).
    pub(crate) runnable_weight: u64,
    pub(crate) on_rq: bool,
    /// When it was last accounted as running, ns; 0 after a change of CPU.
    pub(crate) exec_start: u64,
    pub(crate) sum_exec_runtime: u64,
    /// `sum_exec_runtime` when it was picked.
    pub(crate) prev_sum_exec_runtime: u64,
    pub(crate) vruntime: u64,
    /// Virtual time by which it should have had its slice (EEVDF).
    pub(crate) deadline: u64,
    /// Virtual time the queue owes it, as of when it left (EEVDF).
    pub(crate) vlag: i64,
    /// What protects it since it was picked, see [`crate::rules::Protection`]: the deadline it had then, or the
    /// virtual time up to which it is.
    pub(crate) vprot: u64,
    /// A slice of its own, ns; a group's is the shortest below it. `None` = `base_slice`.
    pub(crate) custom_slice: Option<u64>,
    /// Whether `deadline` is relative to `vruntime` while it moves.
    pub(crate) rel_deadline: bool,
    /// Whether it sleeps, but stays queued until it has paid its debt.
    pub(crate) sched_delayed: bool,
    pub(crate) avg: SchedAvg,
    /// The group entity above, `None` at the root.
    pub(crate) parent: Option<EntityId>,
    /// The `cfs_rq` it is or would be queued on.
    pub(crate) cfs_rq: CfsRqId,
    pub(crate) kind: Kind,
}

/// What an entity stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Task(TaskId),
    /// A group on one CPU, with the `cfs_rq` it owns (`my_q`).
    Group(CfsRqId),
}

impl Entity {
    /// An entity of no history on a `cfs_rq`.
    pub(crate) fn new(
        kind: Kind,
        load: LoadWeight,
        cfs_rq: CfsRqId,
        parent: Option<EntityId>,
    ) -> Self {
        Self {
            load,
            runnable_weight: load.weight,
            on_rq: false,
            exec_start: 0,
            sum_exec_runtime: 0,
            prev_sum_exec_runtime: 0,
            vruntime: 0,
            deadline: 0,
            vlag: 0,
            vprot: 0,
            custom_slice: None,
            rel_deadline: false,
            sched_delayed: false,
            avg: SchedAvg {
                // To v4.14 the first update ends a period; later ones take over the queue's.
                period_contrib: 1023,
                ..SchedAvg::default()
            },
            parent,
            cfs_rq,
            kind,
        }
    }

    /// The `cfs_rq` a group entity owns (`group_cfs_rq`).
    #[inline]
    pub(crate) fn my_q(&self) -> Option<CfsRqId> {
        match self.kind {
            Kind::Task(_) => None,
            Kind::Group(cfs_rq) => Some(cfs_rq),
        }
    }

    /// Takes other weights, scaled, but keeps the inverse of one that stays.
    #[inline]
    pub(crate) fn set_weights(&mut self, weight: u64, runnable: u64, floor: u32) {
        self.runnable_weight = runnable;
        if self.load.weight != weight {
            self.load = LoadWeight::scaled(weight, floor);
        }
    }

    /// `se_weight`: the unscaled weight.
    #[inline]
    pub(crate) fn weight(&self) -> u64 {
        self.load.unscaled()
    }

    /// What the load sum is multiplied by to give the average: the unscaled weight, or (to v4.14) nothing
    /// more.
    #[inline]
    pub(crate) fn load_scale(&self, form: Pelt) -> u64 {
        match form {
            Pelt::Weighted(_) | Pelt::WeightedSegments => 1,
            Pelt::RunnableLoad | Pelt::Runnable => self.weight(),
        }
    }

    /// What the runnable sum is multiplied by to give the average: the unscaled runnable weight
    /// (`se_runnable`, v4.15 to v5.6), or nothing more.
    #[inline]
    pub(crate) fn runnable_scale(&self, form: Pelt) -> u64 {
        match form {
            Pelt::Weighted(_) | Pelt::WeightedSegments | Pelt::Runnable => 1,
            Pelt::RunnableLoad => self.runnable_weight >> SHIFT,
        }
    }

    /// What its sums grow by. To v4.14 the runnable sum of an entity is its load sum once more.
    #[expect(
        clippy::inline_always,
        reason = "a tick does this six times; a call costs a tenth of it"
    )]
    #[inline(always)]
    pub(crate) fn activity(&self, form: Pelt, running: bool) -> Activity {
        let on_rq = u64::from(self.on_rq);
        let (load, runnable) = match (form, self.kind) {
            (Pelt::Weighted(_) | Pelt::WeightedSegments, _) => {
                (on_rq * self.weight(), on_rq * self.weight())
            }
            (Pelt::RunnableLoad, _) => (on_rq, on_rq),
            (Pelt::Runnable, _) if self.sched_delayed => (on_rq, 0),
            (Pelt::Runnable, Kind::Task(_)) => (on_rq, on_rq << SHIFT),
            (Pelt::Runnable, Kind::Group(_)) => (on_rq, self.runnable_weight),
        };
        Activity {
            load,
            runnable,
            running,
        }
    }

    /// Derives its sums from its averages for the window of a queue it joins (v4.15).
    pub(crate) fn take_window(&mut self, form: Pelt, queue: &SchedAvg) {
        let (weight, divider) = (self.weight(), queue.divider(form));
        let avg = &mut self.avg;
        avg.period_contrib = queue.period_contrib;
        avg.util_sum = avg.util_avg * divider;
        avg.load_sum = (avg.load_avg * divider)
            .checked_div(weight)
            .unwrap_or(divider);
        avg.runnable_sum = match form {
            Pelt::Weighted(_) | Pelt::WeightedSegments | Pelt::RunnableLoad => avg.load_sum,
            Pelt::Runnable => avg.runnable_avg * divider,
        };
    }

    /// Brings its averages to `now`. True if they were due.
    #[expect(
        clippy::inline_always,
        reason = "a tick does this six times; a call costs a tenth of it"
    )]
    #[inline(always)]
    pub(crate) fn age(&mut self, form: Pelt, now: u64, activity: Activity) -> bool {
        let due = self.avg.update_sum(form, now, activity);
        if due {
            let (load, runnable) = (self.load_scale(form), self.runnable_scale(form));
            self.avg.update_avg(form, load, runnable);
        }
        due
    }
}
