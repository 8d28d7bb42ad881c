//! Taking a queue off its CPU for want of run time, and putting it back.

use teeter_machine::CpuId;

use crate::cfs_rq::{CfsRq, cfs_rq_of};
use crate::effect::Effect;
use crate::ids::{CfsRqId, GroupId, TaskId};
use crate::load::Update;
use crate::queue::{Dequeue, Enqueue};
use crate::sched::Sched;

impl Sched {
    /// Whether the queue or one above it is throttled (`throttled_hierarchy`).
    #[inline]
    pub(crate) fn throttled_hierarchy(&self, id: CfsRqId) -> bool {
        self.cfs(id).bandwidth.throttle_count > 0
    }

    /// Whether a task of the group may not go from one CPU to another, because the group is throttled on
    /// one of them (`throttled_lb_pair`).
    pub(crate) fn throttled_lb_pair(&self, task: TaskId, src: CpuId, dst: CpuId) -> bool {
        let group = self.task(task).group;
        [src, dst].into_iter().any(|cpu| {
            let on = cfs_rq_of(group, cpu.index(), self.nr_cpus);
            self.throttled_hierarchy(on)
        })
    }

    /// Throttles a queue that has used up its run time. Whether it is throttled
    /// (`check_cfs_rq_runtime`).
    #[inline]
    pub(crate) fn check_cfs_rq_runtime(&mut self, id: CfsRqId) -> bool {
        let own = &self.cfs(id).bandwidth;
        if !own.enabled || own.remaining > 0 {
            return false;
        }
        own.throttled || self.throttle_cfs_rq(id)
    }

    /// A queue that gets its first task may have no run time left (`check_enqueue_throttle`).
    pub(crate) fn check_enqueue_throttle(&mut self, id: CfsRqId) {
        let cfs_rq = self.cfs(id);
        if !cfs_rq.bandwidth.enabled || cfs_rq.curr.is_some() || cfs_rq.bandwidth.throttled {
            return;
        }
        self.account_cfs_rq_runtime(id, 0);
        if self.cfs(id).bandwidth.remaining <= 0 {
            self.throttle_cfs_rq(id);
        }
    }

    /// `throttle_cfs_rq`. False if there was run time for it after all.
    fn throttle_cfs_rq(&mut self, id: CfsRqId) -> bool {
        let (cpu, group) = (self.cpu_of(id), self.cfs(id).group);
        if self.rules.bandwidth.last_try && self.assign_cfs_rq_runtime(id, 1) {
            return false;
        }
        self.freeze(id, true);
        let CfsRq {
            h_nr_running: tasks,
            h_nr_delayed: sleepers,
            idle_h_nr_running: mut idle_tasks,
            ..
        } = *self.cfs(id);
        let mut empties = true;
        let mut next = self.cfs(id).se;
        while let Some(se) = next {
            let entity = self.se(se);
            let (above, parent) = (entity.cfs_rq, entity.parent);
            if !entity.on_rq {
                break;
            }
            if empties {
                // It does not stay queued, whatever it owes.
                let delayed = self.se(se).sched_delayed;
                let how = if delayed {
                    Dequeue::Delayed
                } else {
                    Dequeue::End
                };
                self.dequeue_entity(se, how);
            } else if self.rules.bandwidth.tracks_above {
                self.update_load_avg(se, Update::Tg);
                self.se_update_runnable(se);
            }
            if self.se_is_idle(se) {
                idle_tasks = tasks;
            }
            let queue = self.cfs_mut(above);
            queue.h_nr_running -= tasks;
            queue.h_nr_delayed -= sleepers;
            queue.idle_h_nr_running -= idle_tasks;
            empties &= queue.load.weight == 0;
            next = parent;
            if next.is_none() {
                self.rqs[cpu.index()].nr_running -= tasks;
            }
        }
        let now = self.now;
        let own = &mut self.cfs_mut(id).bandwidth;
        own.throttled = true;
        own.throttled_since = now;
        let first = self.rules.bandwidth.last_throttled_first;
        let pool = &mut self.groups[group.index()].bandwidth;
        let at = if first { 0 } else { pool.throttled.len() };
        pool.throttled.insert(at, id);
        self.start_cfs_bandwidth(group, cpu);
        self.effects.push(Effect::Throttle { cpu });
        true
    }

    /// `unthrottle_cfs_rq`, called on `from`.
    pub(crate) fn unthrottle_cfs_rq(&mut self, id: CfsRqId, from: CpuId) {
        let (cpu, group, now) = (self.cpu_of(id), self.cfs(id).group, self.now);
        let own = &mut self.cfs_mut(id).bandwidth;
        own.throttled = false;
        let passed = now - own.throttled_since;
        let pool = &mut self.groups[group.index()].bandwidth;
        pool.stats.throttled_time.0 += passed;
        pool.throttled.retain(|&other| other != id);
        self.freeze(id, false);
        self.effects.push(Effect::Throttle { cpu });
        if self.cfs(id).load.weight == 0 {
            return;
        }
        let CfsRq {
            h_nr_running: tasks,
            h_nr_delayed: sleepers,
            idle_h_nr_running: mut idle_tasks,
            ..
        } = *self.cfs(id);
        let mut was_empty = true;
        let mut next = self.cfs(id).se;
        while let Some(se) = next {
            let entity = self.se(se);
            let (above, parent, queued) = (entity.cfs_rq, entity.parent, entity.on_rq);
            let delayed = entity.sched_delayed;
            was_empty &= !queued || delayed;
            if was_empty && delayed {
                self.dequeue_entity(se, Dequeue::Delayed);
            }
            if was_empty {
                self.enqueue_entity(se, Enqueue::Woken);
            } else if self.rules.bandwidth.tracks_above {
                self.update_load_avg(se, Update::Tg);
                self.se_update_runnable(se);
            }
            if self.se_is_idle(se) {
                idle_tasks = tasks;
            }
            let queue = self.cfs_mut(above);
            queue.h_nr_running += tasks;
            queue.h_nr_delayed += sleepers;
            queue.idle_h_nr_running += idle_tasks;
            if queue.bandwidth.throttled {
                break;
            }
            next = parent;
            if next.is_none() {
                self.add_nr_running(cpu, tasks);
            }
        }
        let rq = &self.rqs[cpu.index()];
        if rq.curr.is_none() && rq.nr_running > 0 {
            self.resched_curr(cpu, from);
        }
    }

    /// Stops or starts the PELT clocks of a queue and those below it (`tg_throttle_down`,
    /// `tg_unthrottle_up`).
    fn freeze(&mut self, id: CfsRqId, stop: bool) {
        let (cpu, top) = (self.cpu_of(id), self.cfs(id).group);
        let clock = self.clock_pelt(cpu);
        // Parents come before their children.
        for group in (top.0..self.groups.len() as u32).map(GroupId) {
            if !self.is_within(group, top) {
                continue;
            }
            let below = cfs_rq_of(group, cpu.index(), self.nr_cpus);
            let own = &mut self.cfs_mut(below).bandwidth;
            if stop {
                if own.throttle_count == 0 {
                    own.stopped_at = clock - own.lost;
                }
                own.throttle_count += 1;
            } else {
                own.throttle_count -= 1;
                if own.throttle_count == 0 {
                    own.lost = clock - own.stopped_at;
                }
            }
        }
    }

    /// Whether a group is `top` or below it.
    pub(crate) fn is_within(&self, group: GroupId, top: GroupId) -> bool {
        let mut at = group;
        while at.0 > top.0 {
            at = self.groups[at.index()].parent;
        }
        at == top
    }

    /// The PELT clock of a queue, which stands still while it is throttled (`cfs_rq_clock_pelt`), ns.
    #[inline]
    pub(crate) fn cfs_rq_clock_pelt(&mut self, id: CfsRqId) -> u64 {
        let own = self.cfs(id).bandwidth;
        if own.throttle_count > 0 {
            own.stopped_at
        } else {
            self.clock_pelt(self.cpu_of(id)) - own.lost
        }
    }
}
