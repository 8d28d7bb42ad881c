//! Writes the events of a run to a file.

use std::io::{self, Seek, Write};

use super::dat::Dat;
use super::event::TraceEvent;
use super::perfetto::Perfetto;
use super::{ftrace, jsonl};
use crate::Simulation;

/// How a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// Text, as tracefs `trace` has it.
    Ftrace,
    /// A Chrome trace in JSON, for Perfetto: what ran on each CPU, what each thread did, who woke whom.
    Perfetto,
    /// An object for each event, a line each.
    Jsonl,
    /// `trace.dat` of trace-cmd, version 6. All events are kept until the end.
    Dat,
}

/// Writes a trace as the run goes on.
#[derive(Debug)]
pub struct TraceWriter<W: Write + Seek> {
    out: W,
    state: State,
    count: u64,
}

#[derive(Debug)]
enum State {
    Ftrace { cpus: usize },
    Perfetto(Box<Perfetto>),
    Jsonl,
    Dat(Dat),
}

impl<W: Write + Seek> TraceWriter<W> {
    /// Begins a trace of a simulation.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn new(mut out: W, format: TraceFormat, simulation: &Simulation) -> io::Result<Self> {
        let cpus = simulation.cpus();
        let state = match format {
            TraceFormat::Ftrace => {
                ftrace::header(&mut out, 0, cpus)?;
                State::Ftrace { cpus }
            }
            TraceFormat::Perfetto => {
                State::Perfetto(Box::new(Perfetto::begin(&mut out, simulation)?))
            }
            TraceFormat::Jsonl => State::Jsonl,
            TraceFormat::Dat => State::Dat(Dat::new(cpus)),
        };
        Ok(Self {
            out,
            state,
            count: 0,
        })
    }

    /// Writes events, which come in the order in which they happened.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn write(&mut self, simulation: &Simulation, events: &[TraceEvent]) -> io::Result<()> {
        self.count += events.len() as u64;
        for event in events {
            match &mut self.state {
                State::Ftrace { .. } => ftrace::line(&mut self.out, simulation, event)?,
                State::Perfetto(perfetto) => perfetto.event(&mut self.out, simulation, event)?,
                State::Jsonl => jsonl::line(&mut self.out, simulation, event)?,
                State::Dat(dat) => dat.event(simulation, event),
            }
        }
        Ok(())
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn finish(mut self, simulation: &Simulation) -> io::Result<W> {
        match &mut self.state {
            State::Ftrace { cpus } => {
                self.out.rewind()?;
                ftrace::header(&mut self.out, self.count, *cpus)?;
            }
            State::Perfetto(perfetto) => perfetto.end(&mut self.out, simulation)?,
            State::Jsonl => {}
            State::Dat(dat) => dat.end(&mut self.out, simulation)?,
        }
        self.out.flush()?;
        Ok(self.out)
    }
}
