//! What hardware and tasks do to the kernel: the calls of the engine.
//!
//! Source: kernel/sched/core.c `wake_up_new_task`, `try_to_wake_up`, `__schedule`, `scheduler_tick`
//! (v5.3; SCHED.md 6.1).

use teeter_machine::CpuId;
use teeter_scenario::Nanos;

use super::Sched;
use crate::decision::{Event, Placement, Step};
use crate::effect::{Cause, Effect};
use crate::ids::TaskId;
use crate::queue::{Dequeue, Enqueue};
use crate::switch::{Came, Outgoing};
use crate::task::State;
use crate::wake::Waker;

impl Sched {
    /// Starts a task (`wake_up_new_task`): forked by the current task of `parent_cpu` and placed by fork
    /// balancing, or on the CPU `on`, if it may run there. Gives the CPU.
    pub fn fork(
        &mut self,
        now: Nanos,
        parent_cpu: CpuId,
        task: TaskId,
        on: Option<CpuId>,
    ) -> CpuId {
        self.advance(now);
        let se = self.task(task).se;
        self.set_task_rq(task, parent_cpu);
        self.init_numa_balancing(task, parent_cpu);
        self.task_mut(task).recent_used_cpu = parent_cpu;
        self.task_fork_fair(task, parent_cpu);
        let allowed = self.task(task).affinity;
        let (cpu, step) = match on.filter(|&cpu| allowed.contains(cpu)) {
            Some(cpu) => (cpu, Step::Given),
            None => (self.select_task_rq_fork(task, parent_cpu), Step::Idlest),
        };
        self.note_slow_path(Event::Fork, task, parent_cpu, cpu, step);
        self.set_task_rq(task, cpu);
        self.task_mut(task).state = State::Runnable;
        if cpu != parent_cpu {
            let (from, to) = (parent_cpu, cpu);
            self.effects.push(Effect::Migrate {
                task,
                from,
                to,
                cause: Cause::Fork,
            });
        }
        let scale = match self.rules.topology.smt_gain {
            // What the threads of a core share counts for balancing only.
            Some(_) => 1024,
            None => self.rqs[cpu.index()].cpu_capacity_orig,
        };
        self.post_init_entity_util_avg(se, scale);
        self.enqueue_task(task, Enqueue::New);
        self.check_preempt_curr(cpu, task, parent_cpu, Came::Forked);
        cpu
    }

    /// The current task of the CPU calls `exec`, and goes where that is best (`sched_exec`): it has little
    /// in the caches just now. The stopper moves it. Gives the CPU it is on then; `None`: the CPU idles.
    pub fn exec(&mut self, now: Nanos, cpu: CpuId) -> Option<CpuId> {
        self.advance(now);
        let task = self.rqs[cpu.index()].curr?;
        let to = self.select_task_rq_exec(task, cpu);
        self.note_slow_path(Event::Exec, task, cpu, to, Step::Idlest);
        if to != cpu {
            self.push_current(cpu, to);
        }
        Some(self.task(task).cpu)
    }

    /// Notes where a new task, or one that calls `exec`, goes.
    fn note_slow_path(
        &mut self,
        event: Event,
        task: TaskId,
        prev_cpu: CpuId,
        chosen_cpu: CpuId,
        step: Step,
    ) {
        self.note_placement(
            prev_cpu,
            Placement {
                event,
                task,
                prev_cpu,
                target_cpu: None,
                chosen_cpu,
                sync: false,
                step,
            },
        );
    }

    /// Wakes a sleeping task, on `waker_cpu`, whose current task is the waker (`try_to_wake_up`). `sync`:
    /// the waker is about to sleep. Gives the CPU the task was put on. A task that does not sleep stays
    /// as it is.
    pub fn wake(&mut self, now: Nanos, waker_cpu: CpuId, task: TaskId, sync: bool) -> CpuId {
        self.try_to_wake_up(now, waker_cpu, task, Waker::Task { sync })
    }

    /// The same by an interrupt on `cpu`, such as that of the task's timer.
    pub fn wake_from_interrupt(&mut self, now: Nanos, cpu: CpuId, task: TaskId) -> CpuId {
        self.try_to_wake_up(now, cpu, task, Waker::Interrupt)
    }

    fn try_to_wake_up(
        &mut self,
        now: Nanos,
        waker_cpu: CpuId,
        task: TaskId,
        waker: Waker,
    ) -> CpuId {
        self.advance(now);
        let prev_cpu = self.task(task).cpu;
        if self.task(task).state != State::Sleeping {
            return prev_cpu;
        }
        self.task_mut(task).state = State::Runnable;
        let se = self.task(task).se;
        if self.se(se).sched_delayed {
            // It never left its queue (ttwu_runnable).
            self.util_est_enqueue(prev_cpu, se);
            self.requeue_delayed_entity(se);
            self.check_preempt_curr(prev_cpu, task, waker_cpu, Came::Woken);
            return prev_cpu;
        }
        let cpu = self.select_task_rq_wake(task, waker_cpu, waker);
        let mut how = Enqueue::Woken;
        if cpu != prev_cpu {
            if !self.is_eevdf() {
                self.sub_min_vruntime(se);
            }
            self.remove_entity_load_avg(se);
            self.migrate_se_pelt_lag(se);
            let entity = self.se_mut(se);
            entity.avg.last_update_time = 0;
            entity.exec_start = 0;
            self.set_task_rq(task, cpu);
            how = Enqueue::WokenMoved;
            let cause = Cause::Wakeup;
            self.effects.push(Effect::Migrate {
                task,
                from: prev_cpu,
                to: cpu,
                cause,
            });
        }
        self.enqueue_task(task, how);
        self.check_preempt_curr(cpu, task, waker_cpu, Came::Woken);
        self.end_idle_stamp(cpu);
        cpu
    }

    /// The current task of the CPU goes to sleep; the next is picked.
    pub fn block(&mut self, now: Nanos, cpu: CpuId) {
        self.leave(now, cpu, State::Sleeping);
    }

    /// The current task of the CPU ends; the next is picked.
    pub fn exit(&mut self, now: Nanos, cpu: CpuId) {
        self.leave(now, cpu, State::Dead);
    }

    fn leave(&mut self, now: Nanos, cpu: CpuId, state: State) {
        self.advance(now);
        let Some(task) = self.rqs[cpu.index()].curr else {
            return;
        };
        self.task_mut(task).state = state;
        let how = match state {
            State::Dead => Dequeue::End,
            State::Sleeping | State::Runnable => Dequeue::Sleep,
        };
        self.dequeue_task(task, how);
        if state == State::Dead {
            // task_dead_fair: its load goes with it at the queue's next update.
            let se = self.task(task).se;
            self.remove_entity_load_avg(se);
            self.task_numa_free(task);
        }
        self.pick_and_switch(cpu, Outgoing::Current);
    }

    /// The current task of the CPU lets others go first (`sched_yield`).
    pub fn yield_now(&mut self, now: Nanos, cpu: CpuId) {
        self.advance(now);
        self.yield_task(cpu);
        self.pick_and_switch(cpu, Outgoing::Current);
    }

    /// Picks the next task of a CPU that was told to: the answer to [`Effect::Resched`].
    pub fn schedule(&mut self, now: Nanos, cpu: CpuId) {
        if self.rqs[cpu.index()].need_resched {
            self.advance(now);
            self.pick_and_switch(cpu, Outgoing::Current);
        }
    }

    /// A tick of the CPU (`scheduler_tick`, then the balance softirq). A CPU that idles has none unless its
    /// tick was not stopped (`nohz=off`): then it balances for itself.
    pub fn tick(&mut self, now: Nanos, cpu: CpuId) {
        self.advance(now);
        if let Some(curr) = self.rqs[cpu.index()].curr {
            self.task_tick(cpu, curr);
        }
        self.cpu_load_tick(cpu);
        let idle = self.rqs[cpu.index()].is_idle();
        self.rqs[cpu.index()].idle_balance = idle;
        if idle {
            self.nohz_balance_exit_idle(cpu);
        }
        self.trigger_load_balance(cpu);
        self.task_tick_numa(cpu);
    }

    /// The answer to [`Effect::NohzKick`]: an idle CPU balances on behalf of all idle ones.
    pub fn nohz_balance(&mut self, now: Nanos, cpu: CpuId) {
        self.advance(now);
        self.answer_nohz_kick(cpu);
    }

    /// The answer to [`Effect::ActiveBalance`]: the stopper of the CPU pushes its running task away.
    pub fn active_balance(&mut self, now: Nanos, cpu: CpuId) {
        self.advance(now);
        self.active_load_balance_cpu_stop(cpu);
    }

    /// Counts the idle time that a wakeup ended (`ttwu_do_wakeup`).
    fn end_idle_stamp(&mut self, cpu: CpuId) {
        let (now, jiffies) = (self.now, self.jiffies());
        let rq = &mut self.rqs[cpu.index()];
        if rq.idle_stamp != 0 {
            let idle = now - rq.idle_stamp;
            rq.avg_idle = crate::balance::avg_idle(rq.avg_idle, idle, rq.max_idle_balance_cost);
            rq.wake_avg_idle = rq.avg_idle / 2;
            rq.wake_stamp = jiffies;
            rq.idle_stamp = 0;
        }
    }

    /// Gives a new task its place in the virtual time of its group on the parent's CPU (`task_fork_fair`). With
    /// EEVDF it gets its place when it is enqueued.
    fn task_fork_fair(&mut self, task: TaskId, parent_cpu: CpuId) {
        let se = self.task(task).se;
        let cfs_rq = self.se(se).cfs_rq;
        if self.is_eevdf() {
            if !self.rules.pick.enqueue_initial {
                self.update_curr(cfs_rq);
            }
            return;
        }
        self.update_curr(cfs_rq);
        let parent = self.rqs[parent_cpu.index()]
            .curr
            .map(|parent| self.se(self.task(parent).se));
        let start = match parent.filter(|parent| parent.cfs_rq == cfs_rq) {
            Some(parent) => parent.vruntime,
            None => self.cfs(cfs_rq).min_vruntime,
        };
        self.se_mut(se).vruntime = start;
        self.place_new(cfs_rq, se);
        let min_vruntime = self.cfs(cfs_rq).min_vruntime;
        let entity = self.se_mut(se);
        entity.vruntime = entity.vruntime.wrapping_sub(min_vruntime);
    }
}
