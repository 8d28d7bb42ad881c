//! Every switch, wakeup, migration, fork and exit of a run, as the tracepoints of the kernel tell them.
//!
//! [`Simulation::record_trace`](crate::Simulation::record_trace) turns the recording on; while it is off, nothing is
//! kept. [`TraceWriter`] writes events as text of tracefs, as a `trace.dat` of trace-cmd, as a
//! Chrome trace for Perfetto, or as JSON Lines.
//!
//! What differs from a kernel's own: the stopper and other kernel threads of the scheduler itself do not run here, so
//! the switches to `migration/N` around a push are missing; a wakeup is told on the waker's CPU, also where a kernel
//! would send an interrupt and tell it on the other one; a preempted task leaves as `R`, never as `R+`.

mod dat;
mod event;
mod face;
mod ftrace;
mod jsonl;
mod perfetto;
mod recorder;
mod spans;
mod writer;

pub use event::{Context, Left, TraceEvent, What};
pub use face::Face;
pub(crate) use recorder::Recorder;
pub use spans::{Span, Spans};
pub use writer::{TraceFormat, TraceWriter};
