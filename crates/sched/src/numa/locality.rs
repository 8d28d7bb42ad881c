//! What load balancing asks of NUMA balancing: which queues to pull from, and whether a task belongs where
//! it is.
//!
//! Source: kernel/sched/fair.c `fbq_classify_group`, `fbq_classify_rq`, `migrate_degrades_locality` (v4.11,
//! v5.3; SCHED.md 5.6).

use teeter_machine::CpuId;

use crate::ids::TaskId;
use crate::sched::Sched;

/// Kinds of run-queues by their tasks (`fbq_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FbqType {
    /// Some do not care where they run.
    Regular,
    /// Some are not on their preferred node.
    Remote,
    /// All are on their preferred node.
    All,
}

impl FbqType {
    /// That of so many tasks.
    pub(crate) fn of(nr_running: u32, nr_numa_running: u32, nr_preferred_running: u32) -> Self {
        if nr_running > nr_numa_running {
            Self::Regular
        } else if nr_running > nr_preferred_running {
            Self::Remote
        } else {
            Self::All
        }
    }
}

impl Sched {
    /// That of a CPU's run-queue.
    pub(crate) fn fbq_classify_rq(&self, cpu: CpuId) -> FbqType {
        let rq = &self.rqs[cpu.index()];
        FbqType::of(rq.nr_running, rq.nr_numa_running, rq.nr_preferred_running)
    }

    /// Whether a task would lose by going from one CPU to another in a NUMA domain; `None`: that does not
    /// matter. `idle`: the destination balances because it idles.
    pub(crate) fn migrate_degrades_locality(
        &self,
        task: TaskId,
        src_cpu: CpuId,
        dst_cpu: CpuId,
        idle: bool,
    ) -> Option<bool> {
        let known = self.numa.task(task)?;
        if !self.rules.tunables.numa.balancing || known.faults.is_none() {
            return None;
        }
        let nodes = &self.numa.nodes;
        let (src, dst) = (nodes.of(src_cpu), nodes.of(dst_cpu));
        if src == dst {
            return None;
        }
        if known.preferred == Some(src) {
            let rq = &self.rqs[src_cpu.index()];
            return (rq.nr_running > rq.nr_preferred_running).then_some(true);
        }
        if known.preferred == Some(dst) {
            return Some(false);
        }
        if idle && self.rules.numa.idle_ignores_locality {
            return None;
        }
        let distance = nodes.distance(src, dst);
        let weight = |node| match known.group {
            Some(_) => self.numa.group_weight(task, node, distance),
            None => self.numa.task_weight(task, node, distance),
        };
        Some(weight(dst) < weight(src))
    }
}
