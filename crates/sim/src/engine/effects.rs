//! Answers to what the scheduler did and wants done.

use teeter_machine::CpuId;
use teeter_scenario::Nanos;
use teeter_sched::{Cause, Effect, TaskId};

use super::{MARKS, Simulation};
use crate::queue::Event;
use crate::snapshot::{IDLE, MigrationMark};

/// Kinds of records in the digest; those of migrations follow by cause.
const SWITCHED: u64 = 1;
const MIGRATED: u64 = 2;

impl Simulation {
    /// Answers all effects, and those of the answers, until the scheduler wants nothing more now.
    #[inline]
    pub(super) fn settle(&mut self) {
        while let Some(effect) = self.sched.next_effect() {
            self.answer(effect);
        }
        let timer = self.sched.next_timer();
        if timer != self.kernel_timer {
            self.set_kernel_timer(timer);
        }
    }

    fn set_kernel_timer(&mut self, timer: Option<Nanos>) {
        self.kernel_timer = timer;
        match timer {
            Some(time) => self.queue.set(Event::KernelTimer, time.0.max(self.now)),
            None => self.queue.cancel(Event::KernelTimer),
        }
    }

    fn answer(&mut self, effect: Effect) {
        match effect {
            Effect::Resched { cpu, from } if cpu == from => {
                self.sched.schedule(Nanos(self.now), cpu);
            }
            Effect::Resched { cpu, from } => {
                self.interrupt(Event::Resched(cpu), cpu, from, 0);
            }
            Effect::NohzKick { cpu, from } => {
                self.interrupt(Event::NohzKick(cpu), cpu, from, 0);
            }
            Effect::Unthrottle { cpu, from } => {
                self.interrupt(Event::Unthrottle(cpu), cpu, from, 0);
            }
            Effect::ActiveBalance { cpu, from } => {
                let switch = self.hardware.switch();
                self.interrupt(Event::ActiveBalance(cpu), cpu, from, switch);
            }
            Effect::Stop { cpu, from } => {
                let switch = self.hardware.switch();
                self.interrupt(Event::Stop(cpu), cpu, from, switch);
            }
            Effect::Throttle { cpu } => {
                for task in self.sched.queued(cpu) {
                    let throttled = self.sched.is_throttled(task);
                    self.stats.throttle(self.now, task.0, throttled);
                }
            }
            Effect::Switch { cpu, prev, next } => {
                self.switch(cpu, prev.map(|task| task.0), next.map(|task| task.0));
            }
            Effect::Migrate {
                task,
                from,
                to,
                cause,
            } => self.migrated(task, from, to, cause),
        }
    }

    /// Sends an interrupt, which comes when the CPU has left its idle state, and `extra` later.
    fn interrupt(&mut self, event: Event, cpu: CpuId, from: CpuId, extra: u64) {
        let exit = self.idle_exit(cpu);
        let arrival = self.now + self.hardware.ipi(from, cpu) + exit + extra;
        self.queue.set_earlier(event, arrival);
    }

    /// A CPU goes from one thread (or idling) to another.
    fn switch(&mut self, cpu: CpuId, prev: Option<u32>, next: Option<u32>) {
        let record = SWITCHED << 56 | u64::from(cpu.0) << 32 | u64::from(next.unwrap_or(IDLE));
        self.digest.word(self.now);
        self.digest.word(record);
        self.switches += 1;
        self.note_switch(cpu, prev, next);

        match prev {
            Some(thread) => self.leave(cpu, thread),
            None => self.charge(cpu),
        }
        if let Some(thread) = prev {
            self.threads[thread as usize].left_cpu = self.now;
        }
        let state = &mut self.cpus[cpu.index()];
        debug_assert_eq!(state.running, prev, "the engine knows who runs");
        state.running = next;
        state.from = self.now;
        let queued = self.sched.queued(cpu).map(|task| task.0);
        self.stats.switch(self.now, cpu, prev, next, queued);
        match (prev, next) {
            (None, Some(_)) => self.gets_busy(cpu),
            (Some(_), None) => self.gets_idle(cpu),
            _ => {}
        }
        match next {
            Some(thread) => self.resume(cpu, thread),
            None => self.queue.cancel(Event::Boundary(cpu)),
        }
    }

    /// An idle CPU has work again: its tick comes back.
    fn gets_busy(&mut self, cpu: CpuId) {
        self.cpus[cpu.index()].leaves_idle(self.now);
        self.queue.start_tick(cpu, self.now);
        self.share_core(cpu, 1);
    }

    /// A CPU idles: its tick stops.
    fn gets_idle(&mut self, cpu: CpuId) {
        self.cpus[cpu.index()].goes_idle(self.now);
        self.queue.stop_tick(cpu);
        self.share_core(cpu, -1);
    }

    /// One more or one less hardware thread of the core is busy: all of them change speed, and those of the
    /// package with them if its clock does.
    fn share_core(&mut self, cpu: CpuId, by: i32) {
        let hardware = self.hardware.clone();
        let core = hardware.core(cpu);
        let before = self.busy[core];
        let busy = before.saturating_add_signed(by);
        self.busy[core] = busy;
        let package = hardware.package(cpu);
        let active = self.active[package];
        let now_active = active - u32::from(before > 0) + u32::from(busy > 0);
        self.active[package] = now_active;
        let others = if hardware.clock(active) == hardware.clock(now_active) {
            hardware.siblings(core)
        } else {
            hardware.cpus_of(package)
        };
        for &other in others {
            self.change_speed(other, cpu);
        }
    }

    /// The thread on a CPU, if any, goes on at another speed because of what `cause` does, which is armed
    /// later.
    fn change_speed(&mut self, cpu: CpuId, cause: CpuId) {
        self.charge(cpu);
        self.set_rate(cpu);
        let works = |thread: u32| self.threads[thread as usize].phase.makes_progress();
        if cpu != cause && self.cpus[cpu.index()].running.is_some_and(works) {
            self.arm(cpu);
        }
    }

    fn migrated(&mut self, task: TaskId, from: CpuId, to: CpuId, cause: Cause) {
        let record = (MIGRATED + cause as u64) << 56
            | u64::from(from.0) << 44
            | u64::from(to.0) << 32
            | u64::from(task.0);
        self.digest.word(self.now);
        self.digest.word(record);
        self.note_migration(task.0, from, to, cause);
        if self.cpus[from.index()].running == Some(task.0) {
            self.charge(from);
            self.tell_touched(from, task.0);
        }
        let thread = &mut self.threads[task.0 as usize];
        thread.cpu = to;
        self.tasks[thread.task as usize].migrations[cause as usize] += 1;
        self.stats.migrate(self.now, task.0, to);
        self.note_throttled(task.0);
        if self.marks.len() >= MARKS {
            self.marks.pop_front();
        }
        self.marks.push_back(MigrationMark {
            time: Nanos(self.now),
            task: task.0,
            from,
            to,
            cause,
        });
    }
}
