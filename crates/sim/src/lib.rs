//! The engine: runs a scenario under one kernel as a discrete-event simulation.
//!
//! A [`Simulation`] binds the machine, the kernel's scheduler and the task programs. It is a plain
//! value: `clone` makes a checkpoint, and a clone continued gives what the original gives. The
//! result is a pure function of the scenario, the kernel and the repeat; neither cutting the run
//! into pieces nor looking at it on the way changes it.
//!
//! 1. [`Simulation::new`] builds everything, or says what is wrong with the scenario.
//! 2. [`Simulation::run_until`] or [`Simulation::run_events`] let time pass.
//! 3. [`Simulation::snapshot`], [`Simulation::series`] and [`Simulation::take_migrations`] show it.
//! 4. [`Simulation::insert_action`] changes it while it runs, as the script does.
//! 5. [`Simulation::record_trace`] and [`TraceWriter`] put every switch, wakeup, migration, fork and exit on record.
//! 6. [`Simulation::checkpoint`] and [`Simulation::step`] let a part of the run be looked at again: [`Spans`] says what
//!    each thread did then, and [`Simulation::take_lanes`] what each CPU did in each sample.
//! 7. [`Simulation::result`] and [`Simulation::digest`] sum it up.
//!
//! # What is modelled, and what is not
//!
//! * Time is whole nanoseconds. A CPU's next event is its tick or the end of what its thread is doing;
//!   only CPUs whose speed changes get a new one. Ticks have a phase of their own on each CPU, drawn from
//!   the seed, and stop while the CPU idles.
//! * A thread that computes is slowed by busy hardware threads of its core, pays for each switch to it,
//!   and owes a cache warm-up after it has moved, of at most half of each burst. Between a wakeup and the
//!   woken thread lie the interrupt, the exit from the idle state that the CPU's last idle periods led it
//!   to choose, the cache lines that travel, and whatever the scheduler makes it wait.
//! * A thread that polls a flag occupies its CPU; it sees a new value one line transfer after it was
//!   stored, and only while it runs. A barrier is polled for a while and then slept on; the last to come
//!   wakes the sleepers one after another, at its own cost.
//! * A thread with memory walks through it while it computes (or at its `touch` steps only), at the speed that
//!   the nodes its pages lie on allow. Pages lie where they are first touched, if the scenario does not say
//!   where. What it has touched is told to the scheduler at its ticks and when it leaves a CPU; hinting
//!   faults, page migration and scans cost it kernel time. Pages have 4 KB, and neighbours move together.
//!   The bandwidth of memory is not modelled.
//! * The first thread of a task is forked from the CPU the scenario names, and forks the others, as
//!   the master of an OpenMP team does. The shell that starts programs is not modelled: it neither runs
//!   nor counts.
//! * The scheduler itself takes no time beyond the switch. Interrupts, other than those above, and other
//!   classes than the fair one do not exist. What the engine does not do yet is refused by its path.

mod code;
mod cpu;
mod digest;
mod engine;
mod error;
mod groups;
mod hardware;
mod lanes;
mod memory;
mod queue;
mod result;
mod sampler;
mod script;
mod seed;
mod series;
mod snapshot;
mod stats;
mod support;
mod sync;
mod table;
mod task;
mod thread;
mod trace;
mod traffic;

pub use engine::{Simulation, Step};
pub use error::Error;
pub use lanes::LaneCell;
pub use result::{
    BalanceCounts, Better, CgroupResult, CpuResult, Latency, MetricResult, MigrationCounts,
    NumaCounts, RunResult, TaskResult,
};
pub use seed::derive_seed;
pub use series::Series;
pub use snapshot::{IDLE, MigrationMark, Snapshot};
pub use table::{TaskInfo, ThreadInfo, ThreadTable};
pub use teeter_sched::{Cause, KernelInfo, kernels};
pub use trace::{Context, Face, Left, Span, Spans, TraceEvent, TraceFormat, TraceWriter, What};
