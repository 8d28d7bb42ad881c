//! Pushing the running task of a CPU away, by its stopper.
//!
//! Source: kernel/sched/fair.c `active_load_balance_cpu_stop`, `detach_one_task`; kernel/sched/core.c
//! `migration_cpu_stop` (v5.3; SCHED.md 5.8 and 14).

use teeter_machine::CpuId;

use super::{Env, IdleType, Migration};
use crate::effect::Cause;
use crate::ids::TaskId;
use crate::sched::Sched;
use crate::switch::Outgoing;

impl Sched {
    /// The stopper of `cpu` runs, and pushes one task to the CPU that asked for it.
    pub(crate) fn active_load_balance_cpu_stop(&mut self, cpu: CpuId) {
        let Some(target) = self.rqs[cpu.index()].active_balance.take() else {
            return;
        };
        // The stopper itself counts, so one fair task is enough to be pushed.
        if self.rqs[cpu.index()].nr_running == 0 {
            return;
        }
        let mut next = self.rqs[target.index()].sd;
        let sd = loop {
            let Some(sd) = next else { return };
            if self.domains.sd(sd).span.contains(cpu) {
                break sd;
            }
            next = self.domains.sd(sd).parent;
        };
        let env = Env {
            sd,
            idle: IdleType::Idle,
            dst_cpu: target,
            src_cpu: cpu,
            cpus: self.domains.sd(sd).span,
            dst_grpmask: teeter_machine::CpuSet::EMPTY,
            new_dst_cpu: None,
            migration: Migration::Task,
            imbalance: 1,
            all_pinned: false,
            some_pinned: false,
            looked: 0,
            loop_max: 0,
            src_misfit: false,
            active: true,
            cause: Cause::Active,
            seen: None,
        };
        self.displace(cpu);
        if let Some(task) = self.detach_one_task(env) {
            self.detach_task(task);
            self.attach_task(task, target, Cause::Active);
            self.domains.sd_mut(sd).nr_balance_failed = 0;
        }
        self.pick_and_switch(cpu, Outgoing::PutBack);
    }

    /// The stopper of `cpu` takes the running task to another CPU (`migration_cpu_stop`).
    pub(crate) fn push_current(&mut self, cpu: CpuId, to: CpuId) {
        if let Some(task) = self.rqs[cpu.index()].curr {
            self.displace(cpu);
            self.detach_task(task);
            self.attach_task(task, to, Cause::Fork);
            self.pick_and_switch(cpu, Outgoing::PutBack);
        }
    }

    /// The first task that may move, the least recently run first, or (to v4.15) the last queued; the running
    /// one too, which the stopper has displaced.
    fn detach_one_task(&mut self, mut env: Env) -> Option<TaskId> {
        let src = env.src_cpu.index();
        let running = self.rqs[src].curr.take();
        let tasks = self.rqs[src].cfs_tasks.len();
        let least_recent_first = self.rules.balance.least_recent_first;
        let found = (0..tasks).find_map(|at| {
            let at = if least_recent_first {
                at
            } else {
                tasks - 1 - at
            };
            let task = self.rqs[src].cfs_tasks[at];
            self.refusal(&mut env, task).is_none().then_some(task)
        });
        self.rqs[src].curr = running;
        found
    }

    /// Puts the running task back among the waiting ones, as a switch to the stopper does.
    pub(crate) fn displace(&mut self, cpu: CpuId) {
        let curr = self.rqs[cpu.index()].curr;
        let mut next = curr.map(|curr| self.task(curr).se);
        while let Some(se) = next {
            next = self.se(se).parent;
            self.put_prev_entity(se);
        }
    }
}
