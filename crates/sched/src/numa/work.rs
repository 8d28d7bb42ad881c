//! The tick's part: scanning memory when it is time, and placing a task after its faults.
//!
//! Source: kernel/sched/fair.c `task_tick_numa`, `task_numa_work`, `init_numa_balancing`,
//! `update_scan_period`; mm/mprotect.c `change_pte_range` (v5.3; SCHED.md 7).

use teeter_machine::{CpuId, NodeId};

use super::memory::MmId;
use super::scan::millis;
use crate::ids::TaskId;
use crate::sched::Sched;

/// What marking one page takes, ns; an assumption of ours. A task runs other code for 32 times as long
/// before it scans again.
const MARK_COST_NS: u64 = 15;
const SCAN_SHARE: u64 = 32;
/// A scan passes over so many times more memory where nothing is to be marked.
const VIRTUAL: u64 = 8;

impl Sched {
    /// A new task of a process that has memory: when its scans begin (`init_numa_balancing`).
    pub(crate) fn init_numa_balancing(&mut self, task: TaskId, parent_cpu: CpuId) {
        let parent = self.rqs[parent_cpu.index()].curr;
        let Some(mm) = self.numa.task(task).map(|known| known.mm) else {
            return;
        };
        let delay = millis(self.rules.tunables.numa.scan_delay);
        let due = self.jiffies() + self.msecs_to_jiffies(delay);
        let stagger = 2 * self.rules.tick().0;
        let space = &mut self.numa.mms[mm.index()];
        space.users += 1;
        let first = space.users == 1;
        if first {
            space.next_scan = due;
            space.scan_seq = 0;
        }
        let seq = space.scan_seq;
        let sibling = parent.and_then(|parent| self.numa.task(parent));
        let inherited = sibling.filter(|sibling| sibling.mm == mm && !first);
        let preferred = inherited.and_then(|sibling| sibling.preferred);
        let staggered = self.rules.numa.staggered_start && !first;
        if let Some(known) = self.numa.task_mut(task) {
            known.scan_seq = seq;
            known.scan_period = delay;
            known.scan_period_max = 0;
            known.node_stamp = if staggered { stagger } else { 0 };
            known.preferred = preferred;
        }
    }

    /// A task with memory ends (`task_numa_free`).
    pub(crate) fn task_numa_free(&mut self, task: TaskId) {
        if let Some(mm) = self.numa.task(task).map(|known| known.mm) {
            self.numa.mms[mm.index()].users -= 1;
            self.numa.move_to_group(task, None);
        }
    }

    /// A task goes to another CPU: one that leaves its preferred node is scanned at its first rate again
    /// (`update_scan_period`).
    pub(crate) fn update_scan_period(&mut self, task: TaskId, to: CpuId) {
        let rules = &self.rules;
        if !rules.numa.move_resets_scan || !rules.tunables.numa.balancing {
            return;
        }
        let src = self.numa.nodes.of(self.task(task).cpu);
        let dst = self.numa.nodes.of(to);
        let Some(known) = self.numa.task(task).filter(|_| src != dst) else {
            return;
        };
        let stays_away = known.preferred.is_some() && known.preferred != Some(src);
        let homewards = known.preferred == Some(dst) || stays_away;
        if known.faults.is_none() || (known.scan_seq > 0 && homewards) {
            return;
        }
        let start = self.scan_bounds(task).start();
        if let Some(known) = self.numa.task_mut(task) {
            known.scan_period = start;
        }
    }

    /// NUMA balancing's part of a tick. May move the running task, or swap it with another CPU's.
    pub(crate) fn task_tick_numa(&mut self, cpu: CpuId) {
        if !self.rules.tunables.numa.balancing {
            return;
        }
        let Some(task) = self.rqs[cpu.index()].curr else {
            return;
        };
        let Some(known) = self.numa.task(task) else {
            return;
        };
        let ran = self.se(self.task(task).se).sum_exec_runtime;
        let period = known.scan_period * 1_000_000;
        if ran > known.node_stamp + period {
            let mm = known.mm;
            let start = (known.node_stamp == 0).then(|| self.scan_bounds(task).start());
            if let Some(known) = self.numa.task_mut(task) {
                known.scan_period = start.unwrap_or(known.scan_period);
                known.node_stamp += period;
            }
            if self.jiffies() >= self.numa.mms[mm.index()].next_scan {
                self.task_numa_work(task, mm);
            }
        }
        let jiffies = self.jiffies();
        let Some(known) = self.numa.task_mut(task) else {
            return;
        };
        if std::mem::take(&mut known.faulted) && jiffies > known.migrate_retry {
            self.task_numa_placement(task);
            self.numa_migrate_preferred(task);
        }
    }

    /// Marks the next part of a process's memory, on behalf of all its tasks.
    fn task_numa_work(&mut self, task: TaskId, mm: MmId) {
        let bounds = self.scan_bounds(task);
        let (start, max) = (bounds.start(), bounds.max());
        let Some(known) = self.numa.task_mut(task) else {
            return;
        };
        if known.scan_period == 0 {
            known.scan_period_max = max;
            known.scan_period = start;
        }
        let period = known.scan_period;
        // So that another task of the process likely comes first the next time.
        known.node_stamp += 2 * self.rules.tick().0;
        let next = self.jiffies() + self.msecs_to_jiffies(period);
        self.numa.mms[mm.index()].next_scan = next;
        let here = self.numa.nodes.of(self.task(task).cpu);
        let marked = self.mark(mm, here);
        self.numa.stats.pte_updates += marked;
        if let Some(known) = self.numa.task_mut(task) {
            known.node_stamp += SCAN_SHARE * MARK_COST_NS * marked;
        }
    }

    /// Marks memory from where the last scan ended: as much as one scan covers, or to the end. Gives the
    /// pages marked.
    fn mark(&mut self, mm: MmId, here: NodeId) -> u64 {
        let size = (self.rules.tunables.numa.scan_size.0 / super::PAGE) as i64;
        let (mut pages, mut virtpages) = (size, size * VIRTUAL as i64);
        let numa = &mut self.numa;
        let space = &mut numa.mms[mm.index()];
        // What only one task touches is left alone where it is near that task.
        let alone = space.users == 1;
        let (mut at, mut chunk) = space.scan_offset;
        if at >= space.regions.len() {
            space.scan_seq += 1;
            (at, chunk) = (0, 0);
        }
        let mut marked = 0;
        while at < space.regions.len() && pages > 0 && virtpages > 0 {
            let region = &mut numa.regions[space.regions[at].index()];
            let end = (chunk + region.chunks_for(pages as u64)).min(region.chunks.len());
            let mut updated = 0;
            for one in chunk..end {
                let state = &mut region.chunks[one];
                let near = alone && state.node == Some(here);
                if state.node.is_some() && !state.marked && !near {
                    state.marked = true;
                    updated += region.pages_of(one);
                }
            }
            let span = region.pages_between(chunk, end) as i64;
            pages -= if updated > 0 { span } else { 0 };
            virtpages -= span;
            marked += updated;
            (at, chunk) = if end == region.chunks.len() {
                (at + 1, 0)
            } else {
                (at, end)
            };
        }
        space.scan_offset = (at, chunk);
        if at >= space.regions.len() && pages > 0 && virtpages > 0 {
            space.scan_seq += 1;
            space.scan_offset = (0, 0);
        }
        marked
    }
}
