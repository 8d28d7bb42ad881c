//! JSON Lines: an object for each event, with the fields of its tracepoint.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::event::{Context, TraceEvent, What};
use super::face::Face;
use crate::Simulation;

/// An event.
pub(super) fn line(
    out: &mut dyn Write,
    simulation: &Simulation,
    event: &TraceEvent,
) -> io::Result<()> {
    let current = Face::or_idle(simulation, event.current, event.cpu);
    let context = match event.context {
        Context::Task => "task",
        Context::Hardirq => "hardirq",
        Context::Softirq => "softirq",
    };
    let mut object = json!({
        "at_ns": event.at.0, "cpu": event.cpu.0, "event": event.what.name(),
        "current": current.comm, "current_pid": current.pid, "context": context,
    });
    let face = |task| Face::of(simulation, task);
    let fields = match event.what {
        What::Switch { prev, left, next } => {
            let prev = Face::or_idle(simulation, prev, event.cpu);
            let next = Face::or_idle(simulation, next, event.cpu);
            json!({
                "prev_comm": prev.comm, "prev_pid": prev.pid, "prev_prio": prev.prio, "prev_state": left.letter(),
                "next_comm": next.comm, "next_pid": next.pid, "next_prio": next.prio,
            })
        }
        What::Waking { task, cpu } | What::Wakeup { task, cpu } | What::WakeupNew { task, cpu } => {
            let face = face(task);
            json!({ "comm": face.comm, "pid": face.pid, "prio": face.prio, "target_cpu": cpu.0 })
        }
        What::Fork { task } | What::Exit { task } => {
            let face = face(task);
            json!({ "comm": face.comm, "pid": face.pid, "prio": face.prio })
        }
        What::Migrate {
            task,
            from,
            to,
            cause,
        } => {
            let (face, cause) = (face(task), format!("{cause:?}").to_lowercase());
            json!({
                "comm": face.comm, "pid": face.pid, "prio": face.prio, "orig_cpu": from.0, "dest_cpu": to.0, "cause": cause,
            })
        }
    };
    if let (Value::Object(object), Value::Object(fields)) = (&mut object, fields) {
        object.extend(fields);
    }
    writeln!(out, "{object}")
}
