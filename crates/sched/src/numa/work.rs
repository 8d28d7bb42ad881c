//! The tick's part: scanning memory when it is time, and placing a task after its faults.
//!
//! Source: kernel/sched/fair.c `task_tick_numa`, `task_numa_work`, `init_numa_balancing`,
//! `update_scan_period`; mm/mprotect.c `change_pte_range` (v5.3; SCHED.md 7).

use teeter_machine::{CpuId, NodeId};

use super::memory::{MmId, Region};
use super::scan::millis;
use super::state::Numa;
use super::watch::{Admission, Seen};
use crate::ids::TaskId;
use crate::rules::OthersRegions;
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
        // The kernel does it at the fault (`task_numa_fault`), and to v4.18 places the task even if it may not try to
        // move again; but that is at most a sixteenth of a scan period off.
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
        let marked = self.mark(task, mm, here);
        self.numa.stats.pte_updates += marked;
        if let Some(known) = self.numa.task_mut(task) {
            known.node_stamp += SCAN_SHARE * MARK_COST_NS * marked;
        }
    }

    /// Marks memory from where the last scan ended: as much as one scan covers, or to the end. Gives the
    /// pages marked.
    fn mark(&mut self, task: TaskId, mm: MmId, here: NodeId) -> u64 {
        let mut scan = Scan {
            task,
            here,
            rule: self.rules.numa.others_regions,
            jiffies: self.jiffies(),
            delay: self.msecs_to_jiffies(millis(self.rules.tunables.numa.scan_delay)),
            pages: (self.rules.tunables.numa.scan_size.0 / super::PAGE) as i64,
            virtpages: (self.rules.tunables.numa.scan_size.0 / super::PAGE * VIRTUAL) as i64,
            marked: 0,
        };
        let passed_over = scan.pass(&mut self.numa, mm, false);
        if passed_over && scan.rule == OthersRegions::SkippedUnlessLast {
            scan.pass(&mut self.numa, mm, true);
        }
        scan.marked
    }
}

/// A scan of some of a process's memory (`task_numa_work`).
#[derive(Clone, Copy, Debug)]
struct Scan {
    /// On whose time it runs, and on which node.
    task: TaskId,
    here: NodeId,
    rule: OthersRegions,
    jiffies: u64,
    delay: u64,
    /// How much it still covers, and how much it still passes over.
    pages: i64,
    virtpages: i64,
    /// Pages marked.
    marked: u64,
}

impl Scan {
    /// Goes on from where the last one ended. Gives whether it came to the end and has passed over regions
    /// of other tasks. A forced one takes those too, one at a time.
    fn pass(&mut self, numa: &mut Numa, mm: MmId, forced: bool) -> bool {
        let Numa { mms, regions, .. } = numa;
        let space = &mut mms[mm.index()];
        let (mut at, mut chunk) = space.scan_offset;
        if at >= space.regions.len() {
            space.scan_seq += 1;
            space.scan_offset = (0, 0);
            (at, chunk) = (0, 0);
        }
        let (mut passed_over, mut stopped) = (false, false);
        while at < space.regions.len() && self.pages > 0 && self.virtpages > 0 {
            let region = &mut regions[space.regions[at].index()];
            let seen = Seen {
                jiffies: self.jiffies,
                delay: self.delay,
                scan_seq: space.scan_seq,
                users: space.users,
                begun: chunk > 0,
            };
            match region.watch.admits(self.task, seen, self.rule) {
                Admission::NotNow => (at, chunk) = (at + 1, 0),
                Admission::Others if !forced => {
                    passed_over = true;
                    (at, chunk) = (at + 1, 0);
                }
                Admission::Others | Admission::Own => {
                    // What only one task touches is left alone where it is near that task.
                    let end = self.mark_part(region, chunk, space.users == 1);
                    (at, chunk) = (at, end);
                    if end == region.chunks.len() {
                        region.watch.done(space.scan_seq);
                        (at, chunk) = (at + 1, 0);
                        if forced {
                            stopped = true;
                            break;
                        }
                    }
                }
            }
        }
        let more = self.pages > 0 && self.virtpages > 0;
        let ended = at >= space.regions.len() && more && !stopped;
        if ended && passed_over && self.rule == OthersRegions::SkippedUnlessLast {
            return true;
        }
        space.scan_offset = (at, chunk);
        if ended {
            space.scan_seq += 1;
            space.scan_offset = (0, 0);
        }
        false
    }

    /// Marks a region from a chunk on, as far as the scan covers. Gives the chunk at which to go on.
    fn mark_part(&mut self, region: &mut Region, from: usize, alone: bool) -> usize {
        let end = (from + region.chunks_for(self.pages as u64)).min(region.chunks.len());
        let mut updated = 0;
        for one in from..end {
            let state = &mut region.chunks[one];
            let near = alone && state.node == Some(self.here);
            if state.node.is_some() && !state.marked && !near {
                state.marked = true;
                updated += region.pages_of(one);
            }
        }
        let span = region.pages_between(from, end) as i64;
        self.pages -= if updated > 0 { span } else { 0 };
        self.virtpages -= span;
        self.marked += updated;
        end
    }
}
