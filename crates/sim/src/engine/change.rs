//! What the script changes: the kernel, cgroups, and the life of threads.

use std::ops::Range;

use teeter_scenario::Nanos;
use teeter_scenario::document::Bandwidth;
use teeter_sched::{GroupId, TaskId};
use teeter_workload as workload;

use super::Simulation;
use crate::queue::Event;
use crate::script::Change;
use crate::task::Birth;
use crate::thread::{NEVER, Phase};

impl Simulation {
    /// Carries out a change. Whether it can be was checked when it was added.
    pub(super) fn apply(&mut self, change: &Change) {
        let now = Nanos(self.now);
        match change {
            Change::Set { name, value } => {
                let written = self.sched.set(name, value);
                debug_assert_eq!(written, Ok(()), "a change is tried when it is added");
            }
            Change::Weight { group, weight } => {
                self.sched.set_group_weight(now, *group, *weight);
            }
            Change::Max { group, max, burst } => {
                let (quota, period, old_burst) = self.sched.group_bandwidth(*group);
                let Bandwidth { quota, period } = max.unwrap_or(Bandwidth { quota, period });
                let burst = burst.unwrap_or(old_burst);
                self.sched
                    .set_group_bandwidth(now, *group, quota, period, burst);
            }
            Change::Idle { group, idle } => self.sched.set_group_idle(now, *group, *idle),
            Change::GroupCpus { group, cpus } => {
                self.sched.set_group_cpus(now, *group, Some(*cpus));
            }
            Change::GroupMems { group, mems } => {
                self.sched.set_group_mems(now, *group, Some(mems));
            }
            Change::Offline { cpus } => {
                self.sched.set_offline(now, cpus);
                self.settle();
                self.note_online();
            }
            Change::Online { cpus } => {
                self.sched.set_online(now, cpus);
                self.note_online();
            }
            Change::Affinity { threads, cpus } => self.for_each(threads, |simulation, task| {
                // An administrator's call takes effect at once; the CPU it is made on is not modelled.
                let from = simulation.sched.task_cpu(task);
                simulation.sched.set_affinity(now, from, task, cpus);
            }),
            Change::Move { threads, to } => self.for_each(threads, |simulation, task| {
                let thread = &simulation.threads[task.0 as usize];
                let session = simulation.tasks[thread.task as usize].session;
                let to = session.filter(|_| *to == GroupId::ROOT).unwrap_or(*to);
                simulation.sched.move_task(now, task, to);
            }),
            Change::Nice { threads, nice } => self.for_each(threads, |simulation, task| {
                simulation.sched.set_nice(now, task, *nice);
            }),
            Change::Autogroup { threads, nice } => {
                let session = threads.clone().next().and_then(|thread| {
                    let task = self.threads[thread as usize].task;
                    self.tasks[task as usize].session
                });
                if let Some(session) = session {
                    self.sched.set_group_nice(now, session, *nice);
                }
            }
            Change::Slice { threads, slice } => self.for_each(threads, |simulation, task| {
                simulation.sched.set_slice(now, task, *slice);
            }),
            Change::Start { threads } => self.start(threads),
            Change::Stop { threads } => self.for_each(threads, |simulation, task| {
                simulation.kill(task.0);
            }),
        }
        self.settle();
        self.note_changes();
    }

    fn note_online(&mut self) {
        let online = *self.sched.online();
        for cpu in self.hardware.topology.cpu_ids() {
            self.stats.set_online(self.now, cpu, online.contains(cpu));
        }
    }

    fn for_each(&mut self, threads: &Range<u32>, change: impl Fn(&mut Self, TaskId)) {
        for thread in threads.clone() {
            change(self, TaskId(thread));
            self.settle();
        }
    }

    /// Tells the accounts which CPUs each thread may use now, and whether it may run.
    pub(super) fn note_changes(&mut self) {
        for thread in 0..self.threads.len() as u32 {
            let cpus = self.sched.affinity(TaskId(thread));
            self.stats.allow(self.now, thread, cpus);
            self.note_throttled(thread);
        }
    }

    /// Tells the accounts whether the thread is kept off its CPU for want of run time.
    pub(super) fn note_throttled(&mut self, thread: u32) {
        let throttled = self.sched.is_throttled(TaskId(thread));
        self.stats.throttle(self.now, thread, throttled);
    }

    /// Threads that have not begun come into being now. Of a task that forks its own, the first does so
    /// where it is among them.
    fn start(&mut self, threads: &Range<u32>) {
        for thread in threads.clone() {
            let state = &mut self.threads[thread as usize];
            let held = state.phase == Phase::Held;
            if held {
                state.phase = Phase::Unborn;
            }
            let unborn = state.phase == Phase::Unborn;
            let task = &mut self.tasks[state.task as usize];
            let first = task.threads.start;
            let forked = matches!(task.birth, Birth::Forked { .. }) && thread != first;
            let by_first = forked && (!held || threads.contains(&first));
            let index = (thread - first) as usize;
            let by_another = matches!(&task.birth, Birth::Individual { births, .. }
                if births.get(index) == Some(&workload::Birth::ByThread));
            if !unborn || by_first || by_another {
                continue;
            }
            if thread == first {
                task.start = self.now;
            }
            self.queue.cancel(Event::Timer(thread));
            self.give_birth(thread);
            self.settle();
        }
    }

    /// `SIGKILL`: the thread ends as soon as it runs; asleep, it is woken for that.
    fn kill(&mut self, thread: u32) {
        let state = &mut self.threads[thread as usize];
        let phase = state.phase;
        state.killed = true;
        match phase {
            Phase::Unborn | Phase::Held => self.never_born(thread),
            Phase::Asleep => self.wake_to_end(thread),
            Phase::Forking { .. } if !self.sched.is_runnable(TaskId(thread)) => {
                self.wake_to_end(thread);
            }
            Phase::Futex => {
                for barrier in &mut self.shared.barriers {
                    barrier.come.retain(|&other| other != thread);
                    barrier.to_wake.retain(|&other| other != thread);
                }
                self.wake_to_end(thread);
            }
            Phase::Poll | Phase::Released { .. } => {
                for barrier in &mut self.shared.barriers {
                    barrier.come.retain(|&other| other != thread);
                }
                self.end_when_running(thread);
            }
            Phase::Spin { flag, .. } => {
                self.shared.flags[flag as usize].leave(&mut self.threads, thread);
                self.end_when_running(thread);
            }
            Phase::Blocked(wait) => {
                self.stop_waiting(wait, thread);
                self.wake_to_end(thread);
            }
            // The call it is in comes to its end first.
            Phase::Waking { .. } | Phase::Call(_) | Phase::Done => {}
            Phase::Forking { .. }
            | Phase::Spawning { .. }
            | Phase::Ready
            | Phase::Work
            | Phase::Steady
            | Phase::Touch
            | Phase::Parking
            | Phase::Wall { .. }
            | Phase::Forever => self.end_when_running(thread),
        }
    }

    fn wake_to_end(&mut self, thread: u32) {
        let state = &mut self.threads[thread as usize];
        state.phase = Phase::Ready;
        state.expired = false;
        // The signal is no timer: how long it takes is nobody's latency.
        state.woken_at = NEVER;
        let cpu = state.cpu;
        self.queue.cancel(Event::Timer(thread));
        self.wake(cpu, thread, false);
        self.threads[thread as usize].woken_at = NEVER;
    }

    fn end_when_running(&mut self, thread: u32) {
        let cpu = self.threads[thread as usize].cpu;
        let running = self.cpus[cpu.index()].running == Some(thread);
        if running {
            self.charge(cpu);
        }
        self.threads[thread as usize].phase = Phase::Ready;
        if running {
            let state = &mut self.cpus[cpu.index()];
            state.from = state.from.max(self.now);
            self.arm(cpu);
        }
    }

    /// A thread that has not begun never will.
    fn never_born(&mut self, thread: u32) {
        self.queue.cancel(Event::Timer(thread));
        let state = &mut self.threads[thread as usize];
        state.started = self.now;
        state.phase = Phase::Done;
        self.note_end(thread);
    }
}
