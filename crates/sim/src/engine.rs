//! The simulation: all state, and the loop that lets time pass.

mod build;
mod change;
mod communicate;
mod effects;
mod interpret;
mod look;
mod memory;
mod outcome;
mod record;

pub use look::Step;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Scenario, ScriptEntry, Until};
use teeter_sched::decision::Decisions;
use teeter_sched::{GroupId, Sched, TaskId};
use teeter_workload as workload;

use crate::code::Code;
use crate::cpu::Cpu;
use crate::digest::Digest;
use crate::error::Error;
use crate::hardware::Hardware;
use crate::queue::{Event, Queue};
use crate::sampler::Sampler;
use crate::script::{Names, Script};
use crate::series::Series;
use crate::snapshot::MigrationMark;
use crate::stats::{Stats, Totals};
use crate::sync::Shared;
use crate::table::ThreadTable;
use crate::task::{Birth, TaskRun};
use crate::thread::{Phase, Thread};
use crate::trace::{Context, Recorder};
use crate::traffic::Traffic;

/// Migrations kept for [`Simulation::take_migrations`]; older ones are forgotten.
const MARKS: usize = 4096;

/// One run of a scenario under one kernel. See the [crate's documentation](crate).
#[derive(Clone, Debug)]
pub struct Simulation {
    now: u64,
    end: u64,
    until: Until,
    /// When statistics begin, until they have.
    warmup: Option<u64>,
    seed: u64,
    kernel: String,

    hardware: Arc<Hardware>,
    code: Arc<Code>,
    table: Arc<ThreadTable>,
    groups: Arc<BTreeMap<String, GroupId>>,

    queue: Queue,
    sched: Sched,
    /// When the kernel's timer event is set to.
    kernel_timer: Option<Nanos>,
    cpus: Vec<Cpu>,
    /// Busy hardware threads of each core.
    busy: Vec<u32>,
    /// Busy cores of each package.
    active: Vec<u32>,
    traffic: Traffic,
    threads: Vec<Thread>,
    tasks: Vec<TaskRun>,
    shared: Shared,
    script: Script,
    /// Threads that end by themselves and have not.
    to_end: u32,

    stats: Stats,
    /// What the accounts said when statistics began.
    before: Totals,
    measured_from: u64,
    sampler: Sampler,
    marks: VecDeque<MigrationMark>,
    recorder: Option<Box<Recorder>>,
    digest: Digest,
    events: u64,
    switches: u64,
    wakeups: u64,
    /// Time of the last event handled.
    last_event: Option<u64>,
}

impl Simulation {
    /// Builds the run of a scenario under its kernel number `kernel`, with the seed of repeat number
    /// `repeat`; both count from 0.
    ///
    /// # Errors
    /// [`Error::Problems`]: everything in the scenario that does not fit together, or that the engine
    /// does not do yet, by its path in the document.
    pub fn new(scenario: &Scenario, kernel: usize, repeat: u32) -> Result<Self, Error> {
        build::simulation(scenario, kernel, repeat, teeter_workload::compile)
            .map_err(Error::Problems)
    }

    /// Lets time pass up to `t` (or the [end](Self::end)): everything that happens before `t` has then
    /// happened. Cutting a run into any pieces gives the same result.
    pub fn run_until(&mut self, t: Nanos) {
        self.run_events(t, u64::MAX);
    }

    /// As [`Simulation::run_until`], but stops after `max_events` events. Gives whether `until` or the
    /// end was reached.
    pub fn run_events(&mut self, until: Nanos, max_events: u64) -> bool {
        let stop_after = self.events.saturating_add(max_events);
        loop {
            let until = until.0.min(self.end);
            if self.now >= until {
                return true;
            }
            self.apply_script();
            self.share_memory();
            let stop = until.min(self.next_mark());
            while let Some((time, event)) = self.queue.first()
                && time < stop
                && !self.finished()
            {
                if self.events >= stop_after {
                    return false;
                }
                self.now = time;
                self.handle(event);
                self.share_memory();
            }
            if !self.finished() {
                self.now = stop;
                self.note_time();
            }
        }
    }

    /// The present moment.
    pub fn now(&self) -> Nanos {
        Nanos(self.now)
    }

    /// When the run ends: after its duration, or when it is done.
    pub fn end(&self) -> Nanos {
        Nanos(self.end)
    }

    /// Whether the end has come.
    pub fn finished(&self) -> bool {
        self.now >= self.end
    }

    /// Adds a change while the simulation runs, as if the script had had it as its last entry.
    ///
    /// # Errors
    /// [`Error::Past`] if something has already happened at that time or later; [`Error::Problems`] as
    /// for the script, with paths below `/script`.
    pub fn insert_action(&mut self, entry: &ScriptEntry) -> Result<(), Error> {
        let past = entry.at.0 < self.now || self.last_event.is_some_and(|last| entry.at.0 <= last);
        if past {
            return Err(Error::Past {
                at: entry.at,
                now: self.now(),
            });
        }
        let names = Names {
            groups: &self.groups,
            table: &self.table,
            cpus: CpuSet::first_n(self.cpus.len()),
            nodes: self.hardware.topology.nodes.len(),
        };
        let added = self.script.add("/script", entry, names, &self.sched);
        added.map_err(Error::Problems)
    }

    /// One row for each `run.sample` so far.
    pub fn series(&self) -> &Series {
        &self.sampler.series
    }

    /// Migrations since the last call, oldest first; at most the latest few thousand.
    pub fn take_migrations(&mut self) -> Vec<MigrationMark> {
        self.marks.drain(..).collect()
    }

    /// Puts the scheduler's decisions on record from now on, or no longer.
    pub fn record_decisions(&mut self, on: bool) {
        self.sched.record_decisions(on);
    }

    /// Puts the decisions made since the last call in place of those that `into` holds.
    pub fn take_decisions(&mut self, into: &mut Decisions) {
        self.sched.take_decisions(into);
    }

    /// Who is who.
    pub fn threads(&self) -> &ThreadTable {
        &self.table
    }

    /// When the loop must stop to look at the clock.
    fn next_mark(&self) -> u64 {
        let script = self.script.next_time().unwrap_or(u64::MAX);
        let warmup = self.warmup.unwrap_or(u64::MAX);
        script.min(warmup).min(self.sampler.due)
    }

    /// Takes the sample and begins statistics, if it is time.
    fn note_time(&mut self) {
        if self.now == self.sampler.due {
            self.sampler.take(&self.stats, &self.tasks, self.switches);
        }
        if self.warmup.is_some_and(|warmup| self.now >= warmup) {
            self.warmup = None;
            self.before = self.stats.totals(self.now);
            self.measured_from = self.now;
            self.tasks.iter_mut().for_each(TaskRun::forget);
        }
    }

    /// Makes the changes that are due, before anything else of their time.
    fn apply_script(&mut self) {
        while let Some(change) = self.script.take_due(self.now) {
            self.note_script();
            self.apply(&change);
            self.settle();
        }
    }

    /// Handles one event at its time.
    fn handle(&mut self, event: Event) {
        self.events += 1;
        self.last_event = Some(self.now);
        let now = Nanos(self.now);
        self.note_acting(event);
        match event {
            Event::Boundary(cpu) => return self.boundary(cpu),
            Event::Tick(cpu) => {
                self.queue.pass_tick();
                self.tick(cpu);
            }
            Event::Resched(cpu) => {
                self.queue.cancel(event);
                self.sched.schedule(now, cpu);
            }
            Event::NohzKick(cpu) => {
                self.queue.cancel(event);
                self.sched.nohz_balance(now, cpu);
            }
            Event::Unthrottle(cpu) => {
                self.queue.cancel(event);
                self.sched.unthrottle_queued(now, cpu);
            }
            Event::ActiveBalance(cpu) => {
                self.queue.cancel(event);
                self.sched.active_balance(now, cpu);
            }
            Event::Stop(cpu) => {
                self.queue.cancel(event);
                self.sched.run_stopper(now, cpu);
            }
            Event::KernelTimer => self.sched.run_timers(now),
            Event::Timer(thread) => {
                self.queue.cancel(event);
                self.timer(thread);
            }
        }
        self.settle();
    }

    /// A thread's timer expired: it is born or wakes up.
    fn timer(&mut self, thread: u32) {
        if self.threads[thread as usize].phase == Phase::Unborn {
            self.give_birth(thread);
        } else {
            self.expire(thread);
        }
    }

    /// The first of a task's threads, or one that is placed, comes into being.
    fn give_birth(&mut self, thread: u32) {
        let task = &self.tasks[self.threads[thread as usize].task as usize];
        let index = thread - task.threads.start;
        match &task.birth {
            Birth::Forked { from, .. } => self.fork(self.online_cpu(*from), thread, None),
            Birth::Individual { from, births } => {
                let on = match births.get(index as usize) {
                    Some(&workload::Birth::Placed { cpu, .. }) => Some(CpuId(cpu as u16)),
                    _ => None,
                };
                self.fork(self.online_cpu(on.unwrap_or(*from)), thread, on);
            }
            Birth::Placed { on } => {
                let on = on[index as usize % on.len()];
                self.fork(on, thread, Some(on));
            }
        }
    }

    /// The CPU, or if it is off the next one that is not.
    fn online_cpu(&self, cpu: CpuId) -> CpuId {
        let online = self.sched.online();
        online.iter_wrap(cpu).next().unwrap_or(cpu)
    }

    /// A sleeping thread's timer fires on the CPU where it last ran, which may have to leave an idle
    /// state for it first.
    fn expire(&mut self, thread: u32) {
        let on = self.online_cpu(self.threads[thread as usize].cpu);
        let exit = self.idle_exit(on);
        let state = &mut self.threads[thread as usize];
        if !state.expired {
            state.woken_at = self.now;
            if exit > 0 {
                state.expired = true;
                return self.queue.set(Event::Timer(thread), self.now + exit);
            }
        }
        state.expired = false;
        let cpu = on;
        self.wakeups += 1;
        let task = TaskId(thread);
        self.note_waking(cpu, Context::Hardirq, thread);
        let on = self.sched.wake_from_interrupt(Nanos(self.now), cpu, task);
        self.note_wakeup(cpu, Context::Hardirq, thread, on);
        self.woken(cpu, on, thread);
    }

    /// Time a CPU takes to leave its idle state; nothing for one that is busy.
    fn idle_exit(&self, cpu: CpuId) -> u64 {
        let state = &self.cpus[cpu.index()];
        if state.running.is_some() {
            return 0;
        }
        let package_idle = self.active[self.hardware.package(cpu)] == 0;
        self.hardware.idle_exit(state.expected_idle(), package_idle)
    }

    /// `wake_up_new_task`, called on `parent`.
    fn fork(&mut self, parent: CpuId, thread: u32, on: Option<CpuId>) {
        let cpu = self.sched.fork(Nanos(self.now), parent, TaskId(thread), on);
        self.note_fork(parent, thread, cpu);
        let state = &mut self.threads[thread as usize];
        state.started = self.now;
        state.timer = self.now;
        state.cpu = cpu;
        let task = &self.tasks[state.task as usize];
        let forks_others = matches!(task.birth, Birth::Forked { .. })
            && task.child(thread - task.threads.start, 0).is_some();
        if forks_others {
            state.phase = Phase::Forking { forked: 0 };
            state.left = interpret::FORK_WORK;
        } else {
            state.phase = Phase::Ready;
        }
        self.stats.enqueue(self.now, thread, cpu);
        self.note_throttled(thread);
    }

    /// `try_to_wake_up`, called on `waker`; `sync` if the waker is about to sleep (WF_SYNC).
    fn wake(&mut self, waker: CpuId, thread: u32, sync: bool) {
        self.wakeups += 1;
        self.note_waking(waker, Context::Task, thread);
        let cpu = self
            .sched
            .wake(Nanos(self.now), waker, TaskId(thread), sync);
        self.note_wakeup(waker, Context::Task, thread, cpu);
        self.woken(waker, cpu, thread);
    }

    /// A thread has been woken from one CPU and put on another.
    fn woken(&mut self, waker: CpuId, cpu: CpuId, thread: u32) {
        let state = &mut self.threads[thread as usize];
        state.woken_at = state.woken_at.min(self.now);
        state.lines = self.hardware.wake_lines(waker, cpu);
        state.cpu = cpu;
        if let Phase::Asleep | Phase::Futex | Phase::Blocked(_) = state.phase {
            state.phase = Phase::Ready;
        }
        self.stats.enqueue(self.now, thread, cpu);
        self.note_throttled(thread);
    }
}
