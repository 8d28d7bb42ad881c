//! Text as tracefs `trace` prints it: kernel/trace/trace.c `print_event_info`, kernel/trace/trace_output.c
//! `trace_print_context` (v6.1), include/trace/events/sched.h.

use std::io::{self, Write};

use super::event::{Context, TraceEvent, What};
use super::face::Face;
use crate::Simulation;

/// The lines before the events. The first is as long for any number of events, so that it can be written
/// again when they have been counted.
pub(super) fn header(out: &mut dyn Write, events: u64, cpus: usize) -> io::Result<()> {
    let counts = format!("{events}/{events}   #P:{cpus}");
    writeln!(
        out,
        "# tracer: nop\n\
         #\n\
         # entries-in-buffer/entries-written: {counts:<56}\n\
         #\n\
         #                                _-----=> irqs-off/BH-disabled\n\
         #                               / _----=> need-resched\n\
         #                              | / _---=> hardirq/softirq\n\
         #                              || / _--=> preempt-depth\n\
         #                              ||| / _-=> migrate-disable\n\
         #                              |||| /     delay\n\
         #           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n\
         #              | |         |   |||||     |         |"
    )
}

/// An event.
pub(super) fn line(
    out: &mut dyn Write,
    simulation: &Simulation,
    event: &TraceEvent,
) -> io::Result<()> {
    let current = Face::or_idle(simulation, event.current, event.cpu);
    let comm = if current.pid == 0 {
        "<idle>"
    } else {
        &current.comm
    };
    // Rounded to the nearest, as ns2usecs does.
    let micros = (event.at.0 + 500) / 1000;
    write!(
        out,
        "{comm:>16}-{:<7} [{:03}] {} {:5}.{:06}: {}: ",
        current.pid,
        event.cpu.0,
        flags(event),
        micros / 1_000_000,
        micros % 1_000_000,
        event.what.name()
    )?;
    payload(out, simulation, event)
}

/// What the irq-info flags say at this event: interrupts off, need-resched, hardirq or softirq, preempt depth,
/// migrate-disable.
const fn flags(event: &TraceEvent) -> &'static str {
    match (event.context, &event.what) {
        (_, What::Fork { .. } | What::Exit { .. }) => ".....",
        (_, What::Switch { .. }) | (Context::Task, What::WakeupNew { .. }) => "d..2.",
        (Context::Task, What::Wakeup { .. }) => "d..4.",
        (Context::Task, _) => "d..3.",
        (Context::Hardirq, What::Wakeup { .. }) => "d.h3.",
        (Context::Hardirq, _) => "d.h2.",
        (Context::Softirq, _) => "d.s3.",
    }
}

fn payload(out: &mut dyn Write, simulation: &Simulation, event: &TraceEvent) -> io::Result<()> {
    let face = |task| Face::of(simulation, task);
    let woken = |out: &mut dyn Write, task, cpu: teeter_machine::CpuId| {
        let Face { comm, pid, prio } = face(task);
        writeln!(
            out,
            "comm={comm} pid={pid} prio={prio} target_cpu={:03}",
            cpu.0
        )
    };
    match event.what {
        What::Switch { prev, left, next } => {
            let left = match prev {
                Some(_) => left.letter(),
                None => 'R',
            };
            let prev = Face::or_idle(simulation, prev, event.cpu);
            let next = Face::or_idle(simulation, next, event.cpu);
            writeln!(
                out,
                "prev_comm={} prev_pid={} prev_prio={} prev_state={left} ==> next_comm={} next_pid={} next_prio={}",
                prev.comm, prev.pid, prev.prio, next.comm, next.pid, next.prio
            )
        }
        What::Waking { task, cpu } | What::Wakeup { task, cpu } | What::WakeupNew { task, cpu } => {
            woken(out, task, cpu)
        }
        What::Fork { task } => {
            let parent = Face::or_idle(simulation, event.current, event.cpu);
            let child = face(task);
            writeln!(
                out,
                "comm={} pid={} child_comm={} child_pid={}",
                parent.comm, parent.pid, child.comm, child.pid
            )
        }
        What::Exit { task } => {
            let Face { comm, pid, prio } = face(task);
            writeln!(out, "comm={comm} pid={pid} prio={prio}")
        }
        What::Migrate { task, from, to, .. } => {
            let Face { comm, pid, prio } = face(task);
            writeln!(
                out,
                "comm={comm} pid={pid} prio={prio} orig_cpu={} dest_cpu={}",
                from.0, to.0
            )
        }
    }
}
