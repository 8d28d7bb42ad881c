//! Touching memory: where new pages go, and hinting faults on marked ones.
//!
//! Source: mm/memory.c `do_numa_page`; mm/mempolicy.c `mpol_misplaced`; kernel/sched/fair.c
//! `should_numa_migrate_memory`, `task_numa_fault`, `task_numa_group` (v5.3; SCHED.md 7).

use teeter_machine::{CpuId, NodeId};
use teeter_scenario::Nanos;

use super::memory::{LastTouch, RATE_WINDOW_MS, RegionId};
use super::share::GroupFaults;
use super::state::{FaultMap, PRIVATE, SHARED};
use super::{NodeMask, Sharing, Touched};
use crate::ids::TaskId;
use crate::sched::Sched;

/// Scans of a process within which pages follow a task at once.
const EARLY_SCANS: u32 = 4;

/// A hinting fault.
#[derive(Clone, Copy, Debug)]
struct Fault {
    /// Node of the task.
    here: NodeId,
    /// Node of the memory, after it was moved.
    mem_node: NodeId,
    /// Whether it was there before.
    local: bool,
    pages: u64,
}

impl Sched {
    /// A task that runs on `cpu`, or did until now, touched `len` bytes of a region from `from` on, in
    /// order; the region begins again at its end.
    pub fn touch(
        &mut self,
        now: Nanos,
        cpu: CpuId,
        task: TaskId,
        region: RegionId,
        from: u64,
        len: u64,
    ) -> Touched {
        self.advance(now);
        let mut touched = Touched::default();
        let Some(known) = self.numa.regions.get(region.index()) else {
            return touched;
        };
        let here = self.numa.nodes.of(cpu);
        let mems = self.mems_allowed(task);
        let (first, count) = known.chunks_in(from, len);
        let chunks = known.chunks.len();
        for chunk in (first..first + count).map(|chunk| chunk % chunks) {
            let state = &self.numa.regions[region.index()].chunks[chunk];
            if state.node.is_none() {
                touched.allocated += self.place_chunk(region, chunk, here, mems);
            } else if state.marked && self.rules.tunables.numa.balancing {
                let (pages, migrated) = self.do_numa_page(cpu, task, region, chunk);
                touched.faults += pages;
                touched.migrated += if migrated { pages } else { 0 };
            }
        }
        touched
    }

    /// Puts an untouched chunk on a node, or the nearest to it that is allowed and has room. Gives its pages.
    pub(super) fn place_chunk(
        &mut self,
        region: RegionId,
        chunk: usize,
        node: NodeId,
        allowed: NodeMask,
    ) -> u64 {
        let numa = &mut self.numa;
        let pages = numa.regions[region.index()].pages_of(chunk);
        let mut order: Vec<NodeId> = numa
            .nodes
            .ids()
            .filter(|&node| allowed.contains(node))
            .collect();
        order.sort_by_key(|&other| (other != node, numa.nodes.distance(node, other)));
        // With no room anywhere the kernel would end a process; here the memory is made to fit.
        let first = order.first().copied().unwrap_or(node);
        let found = order.into_iter().find(|&node| numa.room.take(node, pages));
        let node = found.unwrap_or(first);
        let region = &mut numa.regions[region.index()];
        region.chunks[chunk].node = Some(node);
        region.on_node[node.index()] += pages;
        region.moves += 1;
        numa.mms[region.mm.index()].rss += pages;
        pages
    }

    /// A hinting fault (`do_numa_page`). Gives the pages, and whether they moved to the task's node.
    fn do_numa_page(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        region: RegionId,
        chunk: usize,
    ) -> (u64, bool) {
        let here = self.numa.nodes.of(cpu);
        let held = &mut self.numa.regions[region.index()];
        let pages = held.pages_of(chunk);
        held.watch.touched_by(task);
        let state = &mut held.chunks[chunk];
        state.marked = false;
        let last = state.last.replace(LastTouch { task, cpu });
        let Some(node) = state.node else {
            return (0, false);
        };
        let stats = &mut self.numa.stats;
        stats.hint_faults += pages;
        stats.hint_faults_local += if node == here { pages } else { 0 };
        let misplaced = self.should_numa_migrate_memory(task, last, node, here) && node != here;
        let allowed = self.mems_allowed(task).contains(here)
            && (!misplaced || self.within_page_rate(here, pages));
        let migrated = misplaced && allowed && self.numa.room.take(here, pages);
        if migrated {
            self.numa.room.give(node, pages);
            let held = &mut self.numa.regions[region.index()];
            held.chunks[chunk].node = Some(here);
            held.on_node[node.index()] -= pages;
            held.on_node[here.index()] += pages;
            held.moves += 1;
            self.numa.stats.pages_migrated += pages;
        } else if misplaced && let Some(known) = self.numa.task_mut(task) {
            known.failed += pages;
        }
        let mem_node = if migrated { here } else { node };
        let fault = Fault {
            here,
            mem_node,
            local: node == here,
            pages,
        };
        self.task_numa_fault(task, last, fault);
        (pages, migrated)
    }

    /// Whether so many pages may come to a node now.
    pub(super) fn within_page_rate(&mut self, node: NodeId, pages: u64) -> bool {
        let (jiffies, window) = (self.jiffies(), self.msecs_to_jiffies(RATE_WINDOW_MS));
        !self.rules.numa.page_rate_limit || {
            let room = &mut self.numa.room;
            room.within_rate(node, pages, jiffies, window)
        }
    }

    /// Whether a page that `last` touched before should go to the node it is touched from now.
    pub(super) fn should_numa_migrate_memory(
        &self,
        task: TaskId,
        last: Option<LastTouch>,
        src: NodeId,
        dst: NodeId,
    ) -> bool {
        let Some(known) = self.numa.task(task) else {
            return false;
        };
        let private = last.is_some_and(|last| last.task == task);
        let early = known.preferred.is_none() || known.scan_seq <= EARLY_SCANS;
        if self.rules.numa.early_pages && early && (last.is_none() || private) {
            return true;
        }
        // Twice from one node in a row: chance alone seldom does that.
        if last.is_some_and(|last| self.numa.nodes.of(last.cpu) != dst) {
            return false;
        }
        match self.numa.group_of(task) {
            Some(group) if !private => {
                let (src, dst) = (
                    &group.faults.nodes[src.index()],
                    &group.faults.nodes[dst.index()],
                );
                let faults = GroupFaults {
                    cpu_src: src.cpu(),
                    cpu_dst: dst.cpu(),
                    mem_src: src.mem(),
                    mem_dst: dst.mem(),
                };
                faults.wants_page()
            }
            _ => true,
        }
    }

    /// Books a hinting fault on memory of a node.
    fn task_numa_fault(&mut self, task: TaskId, last: Option<LastTouch>, fault: Fault) {
        let Fault {
            here,
            mem_node,
            local,
            pages,
        } = fault;
        let nodes = self.numa.nodes.len();
        let Some(known) = self.numa.task_mut(task) else {
            return;
        };
        if known.faults.is_none() {
            known.faults = Some(FaultMap::new(nodes));
        }
        let private = match last {
            None => true,
            Some(last) if last.task == task => true,
            Some(last) => self.task_numa_group(task, last),
        };
        // Faults between the nodes that a spread-out group uses anyhow do not hurry its scans.
        let settled = self.numa.group_of(task).is_some_and(|group| {
            group.active_nodes > 1 && group.is_active(here) && group.is_active(mem_node)
        });
        let local = local || (!private && settled);
        let Some(known) = self.numa.task_mut(task) else {
            return;
        };
        let kind = if private { PRIVATE } else { SHARED };
        known.buffer[mem_node.index()].mem[kind] += pages;
        known.buffer[here.index()].cpu[kind] += pages;
        if local {
            known.local += pages;
        } else {
            known.remote += pages;
        }
        known.faulted = true;
    }

    /// A task touched what another had touched: they may join in a group (`task_numa_group`). Gives whether
    /// the fault counts as private all the same.
    fn task_numa_group(&mut self, task: TaskId, last: LastTouch) -> bool {
        let Some(own) = self.numa.found_group(task) else {
            return false;
        };
        // Only one that is running where it touched the page is found.
        let running = self.rqs[last.cpu.index()].curr == Some(last.task);
        let other = self.numa.task(last.task).filter(|_| running);
        let Some((group, mm)) = other.and_then(|other| Some((other.group?, other.mm))) else {
            return false;
        };
        let tasks = |group: u32| self.numa.groups[group as usize].tasks;
        if group == own || (tasks(own), own) > (tasks(group), group) {
            return false;
        }
        let same = self.numa.task(task).is_some_and(|known| known.mm == mm);
        if same {
            self.numa.move_to_group(task, Some(group));
        }
        !same
    }

    /// How a task's group shares its memory.
    pub(super) fn numa_sharing(&self, task: TaskId) -> Option<Sharing> {
        self.numa
            .group_of(task)
            .map(super::state::NumaGroup::sharing)
    }
}
