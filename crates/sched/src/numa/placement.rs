//! Where a task belongs: its preferred node, found from its faults once a scan.
//!
//! Source: kernel/sched/fair.c `task_numa_placement`, `preferred_group_nid`, `score_nearby_nodes`,
//! `task_weight`, `group_weight`, `sched_setnuma` (v5.3; SCHED.md 7).

use teeter_machine::NodeId;

use super::nodes::{Connection, LOCAL_DISTANCE};
use super::share::weight;
use super::state::{FaultMap, Numa, OnNode, PRIVATE, SHARED};
use super::{Faults, ScanBounds};
use crate::ids::TaskId;
use crate::pelt::LOAD_AVG_MAX;
use crate::sched::Sched;

impl Numa {
    /// Faults that count for a node: those on its memory, and on that of nodes near it where not all nodes
    /// are equally far from each other.
    fn score(&self, faults: &FaultMap, node: NodeId, distance: u8) -> u64 {
        let own = faults.nodes[node.index()].mem();
        if self.nodes.connection == Connection::Direct {
            return own;
        }
        let max = self.nodes.max_distance;
        let nearby = self.nodes.ids().map(|other| {
            let between = self.nodes.distance(node, other);
            let faults = faults.nodes[other.index()].mem();
            match self.nodes.connection {
                _ if other == node || between == max => 0,
                Connection::Backplane if between >= distance => 0,
                Connection::GluelessMesh => {
                    faults * u64::from(max - between) / u64::from(max - LOCAL_DISTANCE)
                }
                _ => faults,
            }
        });
        own + nearby.sum::<u64>()
    }

    /// Thousandths of a task's faults that count for a node, as seen over a distance.
    pub(super) fn task_weight(&self, task: TaskId, node: NodeId, distance: u8) -> i64 {
        let faults = self.task(task).and_then(|known| known.faults.as_ref());
        faults.map_or(0, |faults| {
            weight(self.score(faults, node, distance), faults.total)
        })
    }

    /// The same of its group.
    pub(super) fn group_weight(&self, task: TaskId, node: NodeId, distance: u8) -> i64 {
        self.group_of(task).map_or(0, |group| {
            weight(
                self.score(&group.faults, node, distance),
                group.faults.total,
            )
        })
    }

    /// The node a group's task belongs to, `node` being that with the most faults.
    fn preferred_group_nid(&self, task: TaskId, node: NodeId) -> NodeId {
        match self.nodes.connection {
            Connection::Direct => node,
            Connection::GluelessMesh => {
                let (mut best, mut most) = (node, 0);
                for other in self.nodes.ids() {
                    let score = self.group_weight(task, other, self.nodes.max_distance);
                    if score > most {
                        (best, most) = (other, score);
                    }
                }
                best
            }
            Connection::Backplane => self.preferred_by_backplane(task, node),
        }
    }

    /// Searches the groups of nodes around the backplane, and then within the best of them.
    fn preferred_by_backplane(&self, task: TaskId, node: NodeId) -> NodeId {
        let Some(group) = self.group_of(task) else {
            return node;
        };
        let mut found = node;
        let mut nodes: Vec<NodeId> = self.nodes.ids().collect();
        for distance in (LOCAL_DISTANCE + 1..=self.nodes.max_distance).rev() {
            if !self.nodes.has_distance(distance) {
                continue;
            }
            let mut most = 0;
            let mut best = Vec::new();
            let mut left = nodes.clone();
            while let Some(&first) = left.first() {
                let near = |node: &NodeId| self.nodes.distance(first, *node) < distance;
                let (together, others): (Vec<_>, Vec<_>) = left.into_iter().partition(near);
                let faults = together
                    .iter()
                    .map(|node| group.faults.nodes[node.index()].mem())
                    .sum();
                if faults > most {
                    most = faults;
                    best = together;
                    found = first;
                }
                left = others;
            }
            if most == 0 {
                break;
            }
            nodes = best;
        }
        found
    }
}

impl Sched {
    /// What bounds a task's scan period.
    pub(super) fn scan_bounds(&self, task: TaskId) -> ScanBounds<'_> {
        let scaled = self.rules.numa.scan_period == crate::rules::ScanPeriod::Sharing;
        let rss = self.numa.task(task).map_or(0, |known| {
            let mm = self.numa.mms.get(known.mm.index());
            mm.map_or(0, |mm| mm.rss)
        });
        ScanBounds {
            tunables: &self.rules.tunables.numa,
            rss,
            sharing: self.numa_sharing(task).filter(|_| scaled),
        }
    }

    /// Once for each scan of the whole memory: averages the faults, and finds the preferred node and the
    /// next scan period.
    pub(super) fn task_numa_placement(&mut self, task: TaskId) {
        let Some(known) = self.numa.task(task) else {
            return;
        };
        let seq = self.numa.mms[known.mm.index()].scan_seq;
        if known.scan_seq == seq {
            return;
        }
        let period_max = self.scan_bounds(task).max();
        let run_share = self.numa_run_share(task);
        let Some(known) = self.numa.task_mut(task) else {
            return;
        };
        known.scan_seq = seq;
        known.scan_period_max = period_max;
        let total = known.local + known.remote;
        let buffer = std::mem::take(&mut known.buffer);
        let mut kinds = [0; 2];
        for buffer in &buffer {
            for kind in [SHARED, PRIVATE] {
                kinds[kind] += buffer.mem[kind];
            }
        }
        let preferred = self.average_faults(task, &buffer, run_share, total);
        let Some(known) = self.numa.task_mut(task) else {
            return;
        };
        known.buffer = buffer;
        known.buffer.fill(OnNode::default());
        if let Some(node) = preferred
            && known.preferred != Some(node)
        {
            self.sched_setnuma(task, Some(node));
        }
        self.update_task_scan_period(task, kinds);
    }

    /// How much of the time since the last placement the task ran, of 65536 (`numa_get_avg_runtime`).
    fn numa_run_share(&mut self, task: TaskId) -> u64 {
        let entity = self.se(self.task(task).se);
        let (now, runtime) = (entity.exec_start, entity.sum_exec_runtime);
        // To v4.14 the sum holds the weight. It is divided by the scaled one, as the kernel did: next to nothing
        // is left.
        let weight = if self.rules.load.pelt.is_weighted() {
            entity.load.weight.max(1)
        } else {
            1
        };
        let average = (entity.avg.load_sum / weight, LOAD_AVG_MAX);
        let Some(known) = self.numa.task_mut(task) else {
            return 0;
        };
        let (ran, period) = match known.last_placement {
            0 => average,
            last => (
                runtime.saturating_sub(known.last_runtime),
                now.saturating_sub(last),
            ),
        };
        known.last_placement = now;
        known.last_runtime = runtime;
        ((u128::from(ran) << 16) / (u128::from(period) + 1)) as u64
    }

    /// Takes the faults since the last placement into the task's averages and its group's. Gives the node
    /// that has the most.
    fn average_faults(
        &mut self,
        task: TaskId,
        buffer: &[OnNode],
        run_share: u64,
        total: u64,
    ) -> Option<NodeId> {
        let group = self.numa.task(task)?.group;
        self.numa.move_to_group(task, None);
        let faults = self.numa.task_mut(task)?.faults.as_mut()?;
        faults.total = 0;
        for (mean, new) in faults.nodes.iter_mut().zip(buffer) {
            for kind in [SHARED, PRIVATE] {
                mean.mem[kind] = new.mem[kind] + mean.mem[kind] - mean.mem[kind] / 2;
                let weighted = u128::from(run_share) * u128::from(new.cpu[kind]);
                let weighted = (weighted / (u128::from(total) + 1)) as u64;
                mean.cpu[kind] = weighted + mean.cpu[kind] - mean.cpu[kind] / 2;
            }
            faults.total += mean.mem();
        }
        self.numa.move_to_group(task, group);
        let (mut most, mut found) = (0, None);
        let of_group = self.numa.group_of(task).map(|group| &group.faults);
        let all = of_group.or_else(|| self.numa.task(task)?.faults.as_ref())?;
        for (node, faults) in self.numa.nodes.ids().zip(&all.nodes) {
            if faults.mem() > most {
                (most, found) = (faults.mem(), Some(node));
            }
        }
        let mut found = found?;
        if self.rules.numa.cpu_nodes_only {
            found = self.numa.nodes.with_cpus(found);
        }
        if let Some(group) = group {
            self.numa.groups[group as usize].count_active_nodes();
            found = self.numa.preferred_group_nid(task, found);
        }
        Some(found)
    }

    /// Sets the next scan period by the faults since the last one.
    fn update_task_scan_period(&mut self, task: TaskId, [shared, private]: [u64; 2]) {
        let bounds = self.scan_bounds(task);
        let (min, max) = (bounds.min(), bounds.max());
        let rule = self.rules.numa.scan_period;
        let Some(known) = self.numa.task_mut(task) else {
            return;
        };
        let faults = Faults {
            local: known.local,
            remote: known.remote,
            private,
            shared,
            failed: known.failed,
        };
        if faults.slow_down() {
            // Left as they are: what failed slows down the next scans too.
            let period = faults.next_period(known.scan_period, min, known.scan_period_max, rule);
            known.scan_period = period;
            let mm = known.mm.index();
            let next = self.jiffies() + self.msecs_to_jiffies(period);
            self.numa.mms[mm].next_scan = next;
            return;
        }
        known.scan_period = faults.next_period(known.scan_period, min, max, rule);
        (known.local, known.remote, known.failed) = (0, 0, 0);
    }

    /// Gives a task another preferred node (`sched_setnuma`).
    pub(super) fn sched_setnuma(&mut self, task: TaskId, node: Option<NodeId>) {
        let queued = self.se(self.task(task).se).on_rq;
        if queued {
            self.account_numa_dequeue(task);
        }
        if let Some(known) = self.numa.task_mut(task) {
            known.preferred = node;
        }
        if queued {
            self.account_numa_enqueue(task);
        }
    }

    /// Counts a task that comes to its CPU's run-queue (`account_numa_enqueue`).
    #[inline]
    pub(crate) fn account_numa_enqueue(&mut self, task: TaskId) {
        if let Some(node) = self.numa.preferred(task) {
            let cpu = self.task(task).cpu;
            let there = self.numa.nodes.of(cpu) == node;
            let rq = &mut self.rqs[cpu.index()];
            rq.nr_numa_running += 1;
            rq.nr_preferred_running += u32::from(there);
        }
    }

    /// Counts a task that leaves its CPU's run-queue (`account_numa_dequeue`).
    #[inline]
    pub(crate) fn account_numa_dequeue(&mut self, task: TaskId) {
        if let Some(node) = self.numa.preferred(task) {
            let cpu = self.task(task).cpu;
            let there = self.numa.nodes.of(cpu) == node;
            let rq = &mut self.rqs[cpu.index()];
            rq.nr_numa_running -= 1;
            rq.nr_preferred_running -= u32::from(there);
        }
    }
}
