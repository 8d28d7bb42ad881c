//! Scheduling entities: what a `cfs_rq` queues, a task or a whole group.

use crate::ids::{CfsRqId, EntityId, TaskId};
use crate::pelt::SchedAvg;
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
            avg: SchedAvg::default(),
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

    /// `se_weight`: the unscaled weight.
    #[inline]
    pub(crate) fn weight(&self) -> u64 {
        self.load.unscaled()
    }

    /// What the runnable sum is multiplied by to give the average: the unscaled runnable weight
    /// (`se_runnable`, to v5.6), or nothing more.
    #[inline]
    pub(crate) fn runnable(&self, form: Pelt) -> u64 {
        match form {
            Pelt::RunnableLoad => self.runnable_weight >> SHIFT,
            Pelt::Runnable => 1,
        }
    }

    /// What the runnable sum grows by: 1 if it is queued (to v5.6), or 1024 for each runnable task.
    #[inline]
    pub(crate) fn runnable_factor(&self, form: Pelt) -> u64 {
        match (form, self.kind) {
            (Pelt::RunnableLoad, _) => u64::from(self.on_rq),
            (Pelt::Runnable, Kind::Task(_)) => u64::from(self.on_rq) << SHIFT,
            (Pelt::Runnable, Kind::Group(_)) => self.runnable_weight,
        }
    }
}
