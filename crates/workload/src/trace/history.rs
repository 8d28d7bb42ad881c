//! From events to what each task did: its runs, its sleeps and what ended them, whom it woke and forked.

use std::collections::BTreeMap;

use teeter_scenario::limits;

use super::event::{Context, Event, Named, State, What};
use super::recording::{Origin, PIECES, Piece, Recorded, too_many};
use crate::error::Error;

/// What a task is doing, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Runs, and its run is counted up to `since`.
    Run { since: u64 },
    /// Waits for a CPU.
    Wait,
    /// Sleeps since then.
    Sleep { since: u64 },
    /// Has ended.
    Dead,
}

/// What runs on a CPU, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Current {
    /// Nothing has been heard of it yet, or events were lost.
    Unknown,
    Idle,
    Task(u32),
}

/// A waking that has been seen, before what shows whether it ended a sleep.
#[derive(Clone, Copy, Debug)]
struct Waking {
    at: u64,
    by: Option<u32>,
    sure: bool,
    /// Its place among the pieces of the waker.
    piece: usize,
}

/// A task of the recording.
#[derive(Clone, Debug)]
struct Track {
    task: Recorded,
    doing: Doing,
    waking: Option<Waking>,
    /// Forked, but not yet seen on a run-queue.
    newborn: bool,
}

/// A sleep that a task seems to have ended: a line that does not say whether an interrupt did.
#[derive(Clone, Copy, Debug)]
struct Unsure {
    by: u32,
    wake: usize,
    task: u32,
    sleep: usize,
}

/// What is to be found in the whole text, which tells what the absence of an event means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kinds {
    /// `sched_waking`
    pub(super) waking: bool,
    /// `sched_wakeup`
    pub(super) wakeup: bool,
}

/// All tasks, and what was odd.
#[derive(Clone, Debug)]
pub(super) struct History {
    kinds: Kinds,
    tracks: Vec<Track>,
    by_pid: BTreeMap<u32, u32>,
    /// What runs on each CPU, and the time of the last event there.
    current: BTreeMap<u32, (Current, u64)>,
    start: u64,
    end: u64,
    pieces: usize,
    unsure: Vec<Unsure>,
    /// One more than the highest CPU that an event names.
    pub(super) cpus: u32,
    /// Events that came with an earlier time than the one before.
    pub(super) disordered: u64,
    /// Times a CPU ran another task than its last switch said, and lines that tell of lost events.
    pub(super) gaps: u64,
    /// Whether the context of some event is unknown.
    pub(super) unknown_context: bool,
}

impl History {
    pub(super) fn new(kinds: Kinds) -> Self {
        Self {
            kinds,
            tracks: Vec::new(),
            by_pid: BTreeMap::new(),
            current: BTreeMap::new(),
            start: 0,
            end: 0,
            pieces: 0,
            unsure: Vec::new(),
            cpus: 1,
            disordered: 0,
            gaps: 0,
            unknown_context: false,
        }
    }

    /// Takes the next event.
    pub(super) fn add(&mut self, event: &Event<'_>) -> Result<(), Error> {
        if event.what == What::Lost {
            self.gaps += 1;
            self.lose(event.cpu);
            return Ok(());
        }
        if self.tracks.is_empty() && self.current.is_empty() {
            (self.start, self.end) = (event.at, event.at);
        }
        self.disordered += u64::from(event.at < self.end);
        let at = event.at.max(self.end);
        self.end = at;
        let named = match event.what {
            What::Waking { cpu, .. } | What::Wakeup { cpu, .. } | What::WakeupNew { cpu, .. } => {
                cpu
            }
            What::Migrate { from, to, .. } => from.max(to),
            _ => 0,
        };
        self.cpus = self.cpus.max(event.cpu + 1).max(named + 1);
        self.unknown_context |= event.context == Context::Unknown;
        self.note_current(event, at)?;
        match event.what {
            What::Switch { prev, state, next } => self.switch(event.cpu, at, prev, state, next)?,
            What::Waking { task, cpu } => {
                let task = self.known(task, cpu, Doing::Sleep { since: self.start })?;
                self.waking(task, event, at)?;
            }
            What::Wakeup { task, cpu } => {
                let task = self.known(task, cpu, Doing::Sleep { since: self.start })?;
                self.wakeup(task, event, at)?;
            }
            What::WakeupNew { task, cpu } => self.born(task, cpu, event, at)?,
            What::Migrate { task, from, .. } => {
                self.known(task, from, Doing::Wait)?;
            }
            What::Fork { child, .. } => {
                let child = self.born_by(child, event.cpu, event, at)?;
                self.tracks[child as usize].newborn = true;
            }
            What::Exit { .. } | What::Lost => {}
        }
        Ok(())
    }

    /// The recording ends: how long it was, and its tasks.
    pub(super) fn finish(&mut self) -> (u64, Vec<Recorded>) {
        let end = self.end;
        for task in 0..self.tracks.len() as u32 {
            self.run_to(task, end);
            self.cancel(task);
            let track = &mut self.tracks[task as usize];
            if matches!(track.doing, Doing::Sleep { .. }) {
                track.task.pieces.push(Piece::Block);
            }
        }
        // Of a task that never sleeps, an interrupt that wakes another cannot be told from the task itself.
        let sleeps = |task: u32| {
            let pieces = &self.tracks[task as usize].task.pieces;
            pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Sleep { .. }))
        };
        let (_, wrong): (Vec<_>, Vec<_>) = std::mem::take(&mut self.unsure)
            .into_iter()
            .partition(|unsure| sleeps(unsure.by));
        for unsure in wrong {
            if let Some(piece) = self.tracks[unsure.by as usize]
                .task
                .pieces
                .get_mut(unsure.wake)
            {
                *piece = Piece::Run(0);
            }
            let sleep = self.tracks[unsure.task as usize]
                .task
                .pieces
                .get_mut(unsure.sleep);
            if let Some(Piece::Sleep { by, .. }) = sleep {
                *by = None;
            }
        }
        let tracks = std::mem::take(&mut self.tracks);
        let tasks = tracks.into_iter().map(|track| track.task).collect();
        (end - self.start, tasks)
    }

    /// The task that an event says is running where it happened.
    fn note_current(&mut self, event: &Event<'_>, at: u64) -> Result<(), Error> {
        let running = match (event.what, event.current) {
            (What::Switch { prev, .. }, _) => prev,
            (_, Some(pid)) => Named {
                comm: event.comm,
                pid,
                prio: None,
            },
            (_, None) => return Ok(()),
        };
        let unknown = (Current::Unknown, self.start);
        let (before, last) = self.current.get(&event.cpu).copied().unwrap_or(unknown);
        let is_new = !self.by_pid.contains_key(&running.pid);
        let now = if running.pid == 0 {
            Current::Idle
        } else {
            Current::Task(self.known(running, event.cpu, Doing::Wait)?)
        };
        if before != now {
            self.gaps += u64::from(before != Current::Unknown);
            if let Current::Task(old) = before {
                self.run_to(old, last);
                self.tracks[old as usize].doing = Doing::Wait;
            }
            if let Current::Task(now) = now {
                // What is heard of for the first time has run since the last event here, or from the beginning.
                self.runs(now, if is_new { last } else { at }, at);
            }
        }
        self.current.insert(event.cpu, (now, at));
        Ok(())
    }

    /// A task runs that was not seen to be switched to.
    fn runs(&mut self, task: u32, since: u64, at: u64) {
        if let Doing::Sleep { since: asleep } = self.tracks[task as usize].doing {
            self.wake(task, at.max(asleep));
        }
        let track = &mut self.tracks[task as usize];
        track.newborn = false;
        if track.doing != Doing::Dead {
            track.doing = Doing::Run { since };
        }
    }

    fn lose(&mut self, cpu: u32) {
        let end = self.end;
        if let Some((Current::Task(task), _)) = self.current.get(&cpu).copied() {
            self.run_to(task, end);
            self.tracks[task as usize].doing = Doing::Wait;
        }
        self.current.insert(cpu, (Current::Unknown, end));
    }

    fn switch(
        &mut self,
        cpu: u32,
        at: u64,
        prev: Named<'_>,
        state: State,
        next: Named<'_>,
    ) -> Result<(), Error> {
        if prev.pid != 0 {
            let prev = self.known(prev, cpu, Doing::Wait)?;
            self.run_to(prev, at);
            match state {
                State::Runnable => {
                    self.cancel(prev);
                    self.tracks[prev as usize].doing = Doing::Wait;
                }
                State::Asleep => {
                    // A waking that came before the switch ends the sleep if the wakeup follows it.
                    if !self.kinds.wakeup {
                        self.cancel(prev);
                    }
                    self.tracks[prev as usize].doing = Doing::Sleep { since: at };
                }
                State::Dead => {
                    self.push(prev, Piece::Exit)?;
                    let track = &mut self.tracks[prev as usize];
                    track.doing = Doing::Dead;
                    self.by_pid.remove(&track.task.pid);
                }
            }
        }
        let now = if next.pid == 0 {
            Current::Idle
        } else {
            // Without wakeups it is not known whether a task that is new waited or slept.
            let before = if self.kinds.waking || self.kinds.wakeup {
                Doing::Wait
            } else {
                Doing::Sleep { since: self.start }
            };
            let next = self.known(next, cpu, before)?;
            self.runs(next, at, at);
            Current::Task(next)
        };
        self.current.insert(cpu, (now, at));
        Ok(())
    }

    fn waking(&mut self, task: u32, event: &Event<'_>, at: u64) -> Result<(), Error> {
        let track = &self.tracks[task as usize];
        let asleep = matches!(track.doing, Doing::Sleep { .. });
        if asleep && track.waking.is_some() || track.doing == Doing::Dead {
            return Ok(());
        }
        self.cancel(task);
        let by = self.actor(event).filter(|&by| by != task);
        let sure = event.context == Context::Task;
        let mut piece = 0;
        if let Some(by) = by {
            self.run_to(by, at);
            piece = self.push(by, Piece::Wake { task })?;
        }
        let waking = Waking {
            at,
            by,
            sure,
            piece,
        };
        self.tracks[task as usize].waking = Some(waking);
        Ok(())
    }

    fn wakeup(&mut self, task: u32, event: &Event<'_>, at: u64) -> Result<(), Error> {
        if !matches!(self.tracks[task as usize].doing, Doing::Sleep { .. }) {
            self.cancel(task);
            return Ok(());
        }
        if !self.kinds.waking {
            self.waking(task, event, at)?;
        }
        self.wake(task, at);
        Ok(())
    }

    /// A sleep ends, by the waking that was seen or else by somebody unknown, now.
    fn wake(&mut self, task: u32, at: u64) {
        let track = &mut self.tracks[task as usize];
        let Doing::Sleep { since } = track.doing else {
            return;
        };
        let waking = track.waking.take();
        let (until, by) = match waking {
            Some(waking) => (waking.at.max(since), waking.by),
            None => (at, None),
        };
        track.doing = Doing::Wait;
        if let Some(waking) = waking
            && let Some(by) = by
            && !waking.sure
        {
            self.unsure.push(Unsure {
                by,
                wake: waking.piece,
                task,
                sleep: track.task.pieces.len(),
            });
        }
        let until = until - self.start;
        track.task.pieces.push(Piece::Sleep { until, by });
        self.pieces += 1;
    }

    /// The task was not asleep: what seemed to wake it did not.
    fn cancel(&mut self, task: u32) {
        let waking = self.tracks[task as usize].waking.take();
        if let Some(Waking {
            by: Some(by),
            piece,
            ..
        }) = waking
            && let Some(piece) = self.tracks[by as usize].task.pieces.get_mut(piece)
        {
            *piece = Piece::Run(0);
        }
    }

    fn born(&mut self, task: Named<'_>, cpu: u32, event: &Event<'_>, at: u64) -> Result<(), Error> {
        let known = self.by_pid.get(&task.pid).copied();
        let newborn = known.filter(|&task| self.tracks[task as usize].newborn);
        let born = match newborn {
            Some(born) => born,
            None => self.born_by(task, cpu, event, at)?,
        };
        self.seen(born, task);
        let track = &mut self.tracks[born as usize];
        track.newborn = false;
        track.task.cpu = cpu;
        Ok(())
    }

    /// A task that begins here, whatever had its number before.
    fn born_by(
        &mut self,
        task: Named<'_>,
        cpu: u32,
        event: &Event<'_>,
        at: u64,
    ) -> Result<u32, Error> {
        self.by_pid.remove(&task.pid);
        let born = self.known(task, cpu, Doing::Wait)?;
        if let Some(parent) = self.actor(event) {
            self.run_to(parent, at);
            self.push(parent, Piece::Fork { task: born })?;
            self.tracks[born as usize].task.origin = Origin::Forked;
        } else {
            let at = at - self.start;
            self.tracks[born as usize].task.origin = Origin::Appeared { at };
        }
        Ok(born)
    }

    /// The task whose doing an event is, if it is a task's.
    fn actor(&self, event: &Event<'_>) -> Option<u32> {
        let pid = event.current.filter(|&pid| pid != 0)?;
        (event.context != Context::Interrupt).then_some(())?;
        self.by_pid.get(&pid).copied()
    }

    /// The index of a task. One that is new was there from the beginning, and doing `before`.
    fn known(&mut self, task: Named<'_>, cpu: u32, before: Doing) -> Result<u32, Error> {
        if let Some(&known) = self.by_pid.get(&task.pid) {
            self.seen(known, task);
            return Ok(known);
        }
        if self.tracks.len() >= limits::THREADS as usize {
            return Err(too_many("tasks", limits::THREADS as usize));
        }
        let index = self.tracks.len() as u32;
        self.by_pid.insert(task.pid, index);
        self.tracks.push(Track {
            task: Recorded {
                pid: task.pid,
                comm: task.comm.to_owned(),
                prio: task.prio,
                cpu,
                origin: Origin::Start,
                pieces: Vec::new(),
            },
            doing: before,
            waking: None,
            newborn: false,
        });
        Ok(index)
    }

    /// A task is named: it may have another name by now, and its priority may be told for the first time.
    fn seen(&mut self, task: u32, named: Named<'_>) {
        let task = &mut self.tracks[task as usize].task;
        // `<...>`: the kernel had forgotten the name.
        if task.comm != named.comm && named.comm != "<...>" {
            named.comm.clone_into(&mut task.comm);
        }
        let fair = |prio: i32| (100..140).contains(&prio);
        if named.prio.is_some_and(fair) && !task.prio.is_some_and(fair) || task.prio.is_none() {
            task.prio = named.prio;
        }
    }

    /// Books the run of a task up to now.
    fn run_to(&mut self, task: u32, at: u64) {
        let track = &mut self.tracks[task as usize];
        let Doing::Run { since } = &mut track.doing else {
            return;
        };
        let ran = at.saturating_sub(*since);
        *since = at.max(*since);
        if ran == 0 {
            return;
        }
        if let Some(Piece::Run(run)) = track.task.pieces.last_mut() {
            *run += ran;
        } else {
            track.task.pieces.push(Piece::Run(ran));
            self.pieces += 1;
        }
    }

    fn push(&mut self, task: u32, piece: Piece) -> Result<usize, Error> {
        self.pieces += 1;
        if self.pieces > PIECES {
            return Err(too_many("runs, sleeps and wakeups", PIECES));
        }
        let pieces = &mut self.tracks[task as usize].task.pieces;
        pieces.push(piece);
        Ok(pieces.len() - 1)
    }
}
