//! What an administrator, or a task itself, changes about a task that exists: its CPUs, nice level and group.
//!
//! Source: kernel/sched/core.c `__set_cpus_allowed_ptr`, `move_queued_task`, `migration_cpu_stop`,
//! `set_user_nice`, `sched_move_task`; kernel/sched/fair.c `reweight_task`, `task_move_group_fair` (v5.3).

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;
use teeter_scenario::document::Policy;

use super::Sched;
use crate::effect::{Cause, Effect};
use crate::ids::{GroupId, TaskId};
use crate::queue::{Dequeue, Enqueue};
use crate::switch::{Came, Outgoing};
use crate::task::State;
use crate::weight::LoadWeight;

/// Where a task stood when it was taken out to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stood {
    queued: bool,
    running: bool,
}

impl Sched {
    /// Lets a task use these CPUs from now on (`sched_setaffinity`), called on `from`. One that is queued on
    /// another CPU moves at once; one that runs there is moved by the stopper ([`Effect::Stop`]). Nothing
    /// changes if its group may use none of them.
    pub fn set_affinity(&mut self, now: Nanos, from: CpuId, task: TaskId, cpus: &CpuSet) {
        self.advance(now);
        let open = self.group_cpus(self.task(task).group);
        let usable = cpus.and(open);
        if !usable.is_empty() {
            self.task_mut(task).user_cpus = Some(*cpus);
            self.set_cpus_allowed(from, task, &usable);
        }
    }

    /// `__set_cpus_allowed_ptr`; some CPU of the set is online.
    pub(super) fn set_cpus_allowed(&mut self, from: CpuId, task: TaskId, cpus: &CpuSet) {
        if *cpus == self.task(task).cpus_mask {
            return;
        }
        let affinity = cpus.and(&self.nohz.online);
        let stood = self.take_out(task, Dequeue::Save);
        let held = self.task_mut(task);
        held.cpus_mask = *cpus;
        held.affinity = affinity;
        self.put_back(task, stood);
        let cpu = self.task(task).cpu;
        if affinity.contains(cpu) || !self.is_queued(task) {
            return;
        }
        let to = self.any_allowed_cpu(from, task);
        if stood.running {
            self.stop(cpu, from, task, to);
        } else {
            self.move_queued_task(task, to);
        }
    }

    /// A CPU the task may use: the first (`cpumask_any_and`), or from v5.7 on the one after that last chosen
    /// from the caller's CPU (`cpumask_any_and_distribute`).
    fn any_allowed_cpu(&mut self, from: CpuId, task: TaskId) -> CpuId {
        let affinity = self.task(task).affinity;
        let first = affinity.first().unwrap_or(from);
        if !self.rules.change.spreads_bound_tasks {
            return first;
        }
        let rq = &mut self.rqs[from.index()];
        let last = rq.distribute_cpu_mask_prev;
        let next = affinity.next_from(last.index() + 1).unwrap_or(first);
        rq.distribute_cpu_mask_prev = next;
        next
    }

    /// Asks the stopper of a CPU to move the task that runs there.
    fn stop(&mut self, cpu: CpuId, from: CpuId, task: TaskId, to: CpuId) {
        let pending = &mut self.rqs[cpu.index()].to_move;
        pending.retain(|&(other, _)| other != task);
        pending.push((task, to));
        self.effects.push(Effect::Stop { cpu, from });
    }

    /// The answer to [`Effect::Stop`]: the stopper of the CPU moves the tasks it was asked to, those that are
    /// still there and may not stay.
    pub fn run_stopper(&mut self, now: Nanos, cpu: CpuId) {
        self.advance(now);
        let pending = std::mem::take(&mut self.rqs[cpu.index()].to_move);
        if pending.is_empty() {
            return;
        }
        self.displace(cpu);
        for (task, to) in pending {
            let held = self.task(task);
            let here = held.cpu == cpu && held.state == State::Runnable;
            if here && !held.affinity.contains(cpu) {
                let to = if held.affinity.contains(to) {
                    to
                } else {
                    self.select_fallback_rq(task, cpu)
                };
                self.move_queued_task(task, to);
            }
        }
        self.pick_and_switch(cpu, Outgoing::PutBack);
    }

    /// `move_queued_task`; the task is not its queue's current entity.
    pub(super) fn move_queued_task(&mut self, task: TaskId, to: CpuId) {
        self.detach_task(task);
        self.attach_task(task, to, Cause::Affinity);
    }

    /// Gives a task another nice level (`set_user_nice`); -20 to 19, outside that it is clamped.
    pub fn set_nice(&mut self, now: Nanos, task: TaskId, nice: i8) {
        self.advance(now);
        let nice = nice.clamp(-20, 19);
        let before = self.task(task).nice;
        if nice == before {
            return;
        }
        self.task_mut(task).nice = nice;
        if self.task(task).policy == Policy::Idle {
            return;
        }
        let stood = self.take_out(task, Dequeue::Save);
        self.reweight_task(task, LoadWeight::of_nice(nice));
        self.put_back(task, stood);
        let cpu = self.task(task).cpu;
        if stood.running {
            if nice > before || !self.rules.change.renice_weighs {
                self.resched_curr(cpu, cpu);
            }
        } else if stood.queued && self.rules.change.renice_weighs {
            self.check_preempt_curr(cpu, task, cpu, Came::Woken);
        } else if stood.queued && nice < before {
            self.resched_curr(cpu, cpu);
        }
    }

    /// Moves a task to another group (`sched_move_task`).
    pub fn move_task(&mut self, now: Nanos, task: TaskId, group: GroupId) {
        self.advance(now);
        if group == self.task(task).group || group.index() >= self.groups.len() {
            return;
        }
        let left = self.task(task).group;
        let stood = self.take_out(task, Dequeue::Move);
        self.task_move_group(task, group);
        self.cpuset_migrate_mm(task);
        self.put_back(task, stood);
        let cpu = self.task(task).cpu;
        if stood.running {
            self.resched_curr(cpu, cpu);
        } else if stood.queued && self.rules.change.moved_task_preempts {
            self.check_preempt_curr(cpu, task, cpu, Came::Woken);
        }
        self.attach_cpuset(task, left);
    }

    /// `task_move_group_fair`: the task, which is not queued, takes its load to the other group's queue.
    fn task_move_group(&mut self, task: TaskId, group: GroupId) {
        let (se, state, cpu) = (
            self.task(task).se,
            self.task(task).state,
            self.task(task).cpu,
        );
        if state == State::Dead {
            self.task_mut(task).group = group;
            return self.set_task_rq(task, cpu);
        }
        let absolute = state == State::Sleeping && !self.is_eevdf();
        if absolute {
            let cfs_rq = self.se(se).cfs_rq;
            self.place_sleeper(cfs_rq, se);
            self.sub_min_vruntime(se);
        }
        // A task that slept elsewhere has been detached from its queue already.
        if self.se(se).avg.last_update_time != 0 {
            self.detach_entity_cfs_rq(se);
        }
        self.task_mut(task).group = group;
        self.set_task_rq(task, cpu);
        self.se_mut(se).avg.last_update_time = 0;
        self.attach_entity_cfs_rq(se);
        if absolute {
            self.add_min_vruntime(se);
        }
    }

    /// Takes a task off its queue and from its CPU, if it is there, to change it.
    pub(super) fn take_out(&mut self, task: TaskId, how: Dequeue) -> Stood {
        let held = self.task(task);
        let (cpu, se) = (held.cpu, held.se);
        let stood = Stood {
            queued: self.is_queued(task),
            running: self.rqs[cpu.index()].curr == Some(task),
        };
        if stood.queued {
            self.dequeue_task(task, how);
        }
        if stood.running {
            self.put_prev_upto(Some(se), None);
        }
        stood
    }

    /// Puts a task back where it stood.
    pub(super) fn put_back(&mut self, task: TaskId, stood: Stood) {
        if stood.queued {
            self.enqueue_task(task, Enqueue::Moved);
        }
        if stood.running {
            let se = self.task(task).se;
            self.set_next_upto(se, None);
            let mut next = Some(se);
            while let Some(se) = next {
                self.account_cfs_rq_runtime(self.se(se).cfs_rq, 0);
                next = self.se(se).parent;
            }
        }
    }
}
