//! A Chrome trace in JSON, which Perfetto and chrome://tracing open.
//!
//! Process 0 holds a track for each CPU: what ran there, and migrations that it pulled. Each of the scenario's tasks is
//! a process with a track for each thread: running, waiting or asleep. Arrows lead from wakers to those they woke.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::event::{Context, Left, TraceEvent, What};
use super::face::Face;
use crate::Simulation;

/// What a thread does, since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    what: Doing,
    since: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Running { cpu: u16 },
    Waiting,
    Asleep,
    Nothing,
}

/// Spans that have begun and not ended.
#[derive(Debug)]
pub(super) struct Perfetto {
    /// What each thread does.
    threads: Vec<Span>,
    /// What runs on each CPU, since when.
    cpus: Vec<(Option<u32>, u64)>,
    /// Arrows so far.
    arrows: u64,
    /// For each thread that has been woken and not run: by whom, and when.
    woken: Vec<Option<(u32, u64)>>,
    written: bool,
}

/// The number of the process of a thread's task.
fn process(simulation: &Simulation, task: u32) -> u32 {
    let threads = &simulation.threads().threads;
    1 + threads.get(task as usize).map_or(0, |thread| thread.task)
}

/// µs, as the format has times.
fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1000.0
}

impl Perfetto {
    /// Writes the names of all tracks.
    pub(super) fn begin(out: &mut dyn Write, simulation: &Simulation) -> io::Result<Self> {
        let table = simulation.threads();
        let mut perfetto = Self {
            threads: vec![
                Span {
                    what: Doing::Nothing,
                    since: 0
                };
                table.threads.len()
            ],
            cpus: vec![(None, 0); simulation.cpus()],
            arrows: 0,
            woken: vec![None; table.threads.len()],
            written: false,
        };
        write!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        let name = |what: &str, pid: u32, tid: u32, name: &str| json!({ "ph": "M", "name": what, "pid": pid, "tid": tid, "args": { "name": name } });
        perfetto.put(out, &name("process_name", 0, 0, "CPUs"))?;
        for cpu in 0..simulation.cpus() as u32 {
            perfetto.put(out, &name("thread_name", 0, cpu, &format!("CPU {cpu}")))?;
        }
        for (pid, task) in (1..).zip(&table.tasks) {
            perfetto.put(out, &name("process_name", pid, 0, &task.name))?;
        }
        for task in 0..table.threads.len() as u32 {
            let tid = Face::of(simulation, task).pid;
            let name = name(
                "thread_name",
                process(simulation, task),
                tid,
                &table.name(task),
            );
            perfetto.put(out, &name)?;
        }
        Ok(perfetto)
    }

    pub(super) fn event(
        &mut self,
        out: &mut dyn Write,
        simulation: &Simulation,
        event: &TraceEvent,
    ) -> io::Result<()> {
        let at = event.at.0;
        match event.what {
            What::Switch { prev, left, next } => {
                let cpu = event.cpu.0;
                self.end_on(out, simulation, cpu, at)?;
                if let Some(on) = self.cpus.get_mut(usize::from(cpu)) {
                    *on = (next, at);
                }
                if let Some(prev) = prev {
                    let what = match left {
                        Left::Runnable => Doing::Waiting,
                        Left::Asleep => Doing::Asleep,
                        Left::Dead => Doing::Nothing,
                    };
                    self.does(out, simulation, prev, what, at)?;
                }
                if let Some(next) = next {
                    self.does(out, simulation, next, Doing::Running { cpu }, at)?;
                    self.arrow(out, simulation, next, at)?;
                }
                Ok(())
            }
            What::Wakeup { task, .. } | What::WakeupNew { task, .. } => {
                self.does(out, simulation, task, Doing::Waiting, at)?;
                if event.context == Context::Task
                    && let Some(waker) = event.current
                {
                    self.woken[task as usize] = Some((waker, at));
                }
                Ok(())
            }
            What::Migrate {
                task,
                from,
                to,
                cause,
            } => {
                let mark = json!({
                    "ph": "i", "s": "t", "cat": "migration", "ts": micros(at), "pid": 0, "tid": to.0,
                    "name": format!("{} from CPU {}", simulation.threads().name(task), from.0),
                    "args": { "cause": format!("{cause:?}").to_lowercase(), "on_cpu": event.cpu.0 },
                });
                self.put(out, &mark)
            }
            What::Waking { .. } | What::Fork { .. } | What::Exit { .. } => Ok(()),
        }
    }

    /// Ends all spans, and the file.
    pub(super) fn end(&mut self, out: &mut dyn Write, simulation: &Simulation) -> io::Result<()> {
        let now = simulation.now().0;
        for cpu in 0..self.cpus.len() as u16 {
            self.end_on(out, simulation, cpu, now)?;
        }
        for task in 0..self.threads.len() as u32 {
            self.does(out, simulation, task, Doing::Nothing, now)?;
        }
        writeln!(out, "\n]}}")
    }

    /// Writes the arrow to a thread that runs, if somebody woke it.
    fn arrow(
        &mut self,
        out: &mut dyn Write,
        simulation: &Simulation,
        task: u32,
        at: u64,
    ) -> io::Result<()> {
        let Some((waker, woken_at)) = self.woken[task as usize].take() else {
            return Ok(());
        };
        self.arrows += 1;
        let end = |phase: &str, task: u32, at: u64| {
            json!({
                "ph": phase, "bp": "e", "cat": "wakeup", "name": "wakeup", "id": self.arrows, "ts": micros(at),
                "pid": process(simulation, task), "tid": Face::of(simulation, task).pid,
            })
        };
        let (begin, end) = (end("s", waker, woken_at), end("f", task, at));
        self.put(out, &begin)?;
        self.put(out, &end)
    }

    /// Writes what has run on a CPU until now.
    fn end_on(
        &mut self,
        out: &mut dyn Write,
        simulation: &Simulation,
        cpu: u16,
        at: u64,
    ) -> io::Result<()> {
        let Some(&(Some(task), since)) = self.cpus.get(usize::from(cpu)) else {
            return Ok(());
        };
        let face = Face::of(simulation, task);
        let span = json!({
            "ph": "X", "cat": "cpu", "name": simulation.threads().name(task), "pid": 0, "tid": cpu,
            "ts": micros(since), "dur": micros(at - since), "args": { "pid": face.pid, "prio": face.prio },
        });
        self.put(out, &span)
    }

    /// Writes what a thread has done until now, and begins what it does next.
    fn does(
        &mut self,
        out: &mut dyn Write,
        simulation: &Simulation,
        task: u32,
        what: Doing,
        at: u64,
    ) -> io::Result<()> {
        let Some(span) = self.threads.get_mut(task as usize) else {
            return Ok(());
        };
        let before = std::mem::replace(span, Span { what, since: at });
        let (name, args) = match before.what {
            Doing::Running { cpu } => ("running", json!({ "cpu": cpu })),
            Doing::Waiting => ("waiting", json!({})),
            Doing::Asleep | Doing::Nothing => return Ok(()),
        };
        let span = json!({
            "ph": "X", "cat": "thread", "name": name, "pid": process(simulation, task), "tid": Face::of(simulation, task).pid,
            "ts": micros(before.since), "dur": micros(at - before.since), "args": args,
        });
        self.put(out, &span)
    }

    fn put(&mut self, out: &mut dyn Write, event: &Value) -> io::Result<()> {
        let separator = if self.written { ",\n" } else { "\n" };
        self.written = true;
        write!(out, "{separator}{event}")
    }
}
