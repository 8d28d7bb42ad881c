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
//! 5. [`Simulation::result`] and [`Simulation::digest`] sum it up.

mod code;
mod cpu;
mod digest;
mod engine;
mod error;
mod groups;
mod hardware;
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

pub use engine::Simulation;
pub use error::Error;
pub use result::{
    BalanceCounts, Better, CpuResult, Latency, MetricResult, MigrationCounts, NumaCounts,
    RunResult, TaskResult,
};
pub use seed::derive_seed;
pub use series::Series;
pub use snapshot::{IDLE, MigrationMark, Snapshot};
pub use table::{TaskInfo, ThreadInfo, ThreadTable};
pub use teeter_sched::{KernelInfo, kernels};
