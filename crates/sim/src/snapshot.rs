//! The state of the machine at one moment, for drawing.

use teeter_machine::CpuId;
use teeter_scenario::time::Nanos;
use teeter_sched::Cause;

/// "No task": the CPU idles.
pub const IDLE: u32 = u32::MAX;

/// What every CPU does at one moment. Task numbers index [`crate::ThreadTable::threads`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The moment.
    pub now: Nanos,
    /// The running task of each CPU, [`IDLE`] where it idles.
    pub curr: Vec<u32>,
    /// Tasks that wait on a run-queue, CPU after CPU; see [`Snapshot::queued_start`].
    pub queued: Vec<u32>,
    /// Tasks waiting on CPU `c` are `queued[queued_start[c]..queued_start[c + 1]]`.
    pub queued_start: Vec<u32>,
    /// Load of each CPU's root run-queue (`load_avg`).
    pub load: Vec<u32>,
    /// Utilisation of each CPU's root run-queue (`util_avg`, 1024 = one CPU).
    pub util: Vec<u32>,
    /// 1 for each CPU whose running task polls a flag or a barrier, else 0.
    pub spinning: Vec<u8>,
}

/// One migration, to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrationMark {
    /// When.
    pub time: Nanos,
    /// Which task (index of [`crate::ThreadTable::threads`]).
    pub task: u32,
    /// CPU it left.
    pub from: CpuId,
    /// CPU it came to.
    pub to: CpuId,
    /// Why.
    pub cause: Cause,
}
