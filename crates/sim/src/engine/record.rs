//! Puts what happens on record, if it is to be.

use teeter_machine::CpuId;
use teeter_scenario::Nanos;
use teeter_sched::{Cause, TaskId};

use super::Simulation;
use crate::queue::Event;
use crate::trace::{Context, Left, Recorder, TraceEvent, What};

impl Simulation {
    /// Puts switches, wakeups, migrations, forks and exits on record from now on, or no longer.
    pub fn record_trace(&mut self, on: bool) {
        self.recorder = on.then(Box::<Recorder>::default);
    }

    /// Moves the events since the last call to the end of `into`.
    pub fn take_trace(&mut self, into: &mut Vec<TraceEvent>) {
        if let Some(recorder) = &mut self.recorder {
            into.append(&mut recorder.events);
        }
    }

    /// How many CPUs there are, online or not.
    pub fn cpus(&self) -> usize {
        self.cpus.len()
    }

    /// A task's nice level.
    pub fn nice(&self, task: TaskId) -> i8 {
        self.sched.nice(task)
    }

    fn record(&mut self, cpu: CpuId, context: Context, what: What) {
        if let Some(recorder) = &mut self.recorder {
            let current = self.cpus[cpu.index()].running;
            recorder.events.push(TraceEvent {
                at: Nanos(self.now),
                cpu,
                current,
                context,
                what,
            });
        }
    }

    /// The event at hand is one of a CPU.
    pub(super) fn note_acting(&mut self, event: Event) {
        if let Some(recorder) = &mut self.recorder {
            recorder.acting = match event {
                Event::Boundary(cpu)
                | Event::Tick(cpu)
                | Event::Resched(cpu)
                | Event::NohzKick(cpu)
                | Event::Unthrottle(cpu)
                | Event::ActiveBalance(cpu)
                | Event::Stop(cpu) => Some(cpu),
                Event::Timer(_) | Event::KernelTimer => None,
            };
        }
    }

    /// What no event of a CPU brings about, such as a change by the script, is no task's doing.
    fn context(&self, context: Context) -> Context {
        let acting = self.recorder.as_ref().and_then(|recorder| recorder.acting);
        if acting.is_some() {
            context
        } else {
            Context::Hardirq
        }
    }

    /// A change by the script is at hand.
    pub(super) fn note_script(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.acting = None;
        }
    }

    pub(super) fn note_waking(&mut self, on: CpuId, context: Context, task: u32) {
        if self.recorder.is_some() {
            let context = self.context(context);
            let cpu = self.threads[task as usize].cpu;
            self.record(on, context, What::Waking { task, cpu });
        }
    }

    pub(super) fn note_wakeup(&mut self, on: CpuId, context: Context, task: u32, cpu: CpuId) {
        if self.recorder.is_none() {
            return;
        }
        let context = self.context(context);
        let from = self.threads[task as usize].cpu;
        if cpu != from {
            let migrate = What::Migrate {
                task,
                from,
                to: cpu,
                cause: Cause::Wakeup,
            };
            self.record(on, context, migrate);
        }
        self.record(on, context, What::Wakeup { task, cpu });
    }

    pub(super) fn note_fork(&mut self, parent: CpuId, task: u32, cpu: CpuId) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        // What starts programs is not modelled: it comes as a timer, and is not the task that runs there.
        if recorder.acting.is_some() {
            self.record(parent, Context::Task, What::Fork { task });
            self.record(parent, Context::Task, What::WakeupNew { task, cpu });
        } else {
            self.record(parent, Context::Hardirq, What::WakeupNew { task, cpu });
        }
    }

    /// A task is about to leave its CPU by itself.
    pub(super) fn note_leaving(&mut self, cpu: CpuId, task: u32, left: Left) {
        if left == Left::Dead {
            self.record(cpu, Context::Task, What::Exit { task });
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.leaving = Some((task, left));
        }
    }

    pub(super) fn note_switch(&mut self, cpu: CpuId, prev: Option<u32>, next: Option<u32>) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        let left = match recorder.leaving {
            Some((task, left)) if Some(task) == prev => {
                recorder.leaving = None;
                left
            }
            _ => Left::Runnable,
        };
        self.record(cpu, Context::Task, What::Switch { prev, left, next });
    }

    /// A task moves other than by a wakeup, which tells that itself.
    pub(super) fn note_migration(&mut self, task: u32, from: CpuId, to: CpuId, cause: Cause) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        let forked = cause == Cause::Fork && self.threads[task as usize].ran_on.is_none();
        if cause == Cause::Wakeup || forked {
            return;
        }
        let (on, context) = match cause {
            Cause::Periodic | Cause::Nohz => (recorder.acting.unwrap_or(to), Context::Softirq),
            Cause::Active | Cause::Affinity => (from, Context::Task),
            _ => (recorder.acting.unwrap_or(to), Context::Task),
        };
        let migrate = What::Migrate {
            task,
            from,
            to,
            cause,
        };
        self.record(on, context, migrate);
    }
}
