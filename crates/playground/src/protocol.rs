//! What page and worker say to each other. One worker runs one kernel.
//!
//! The worker never simulates beyond the credit of the latest [`ToWorker::Advance`], and answers each
//! with [`FromWorker::Frame`]s. Every message carries the generation of the [`ToWorker::Load`] it belongs
//! to: what comes late from an earlier one is dropped. [`wire`] has the form in which they travel.

pub mod decisions;
pub mod domains;
pub mod window;
pub mod wire;

use serde::{Deserialize, Serialize};
use teeter_sim::ThreadTable;

use decisions::Decisions;
use domains::CpuDomains;
use window::{Explained, Window};

/// From the page to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToWorker {
    /// Drop what runs and begin this.
    Load {
        /// Number of this run.
        generation: u32,
        /// The scenario, as JSON.
        scenario: String,
        /// Which of its kernels.
        kernel: u32,
    },
    /// Simulate up to this time.
    Advance {
        /// Simulated time, ns.
        until_ns: f64,
    },
    /// The scenario has one more script entry, its last, at or after the credit given so far.
    Append {
        /// The whole scenario, as JSON.
        scenario: String,
    },
    /// Put decisions on record from now on, and tell those that pass; `None`: no longer.
    Watch {
        /// An expression over the names of decisions; empty: all pass.
        filter: Option<String>,
    },
    /// Tell the sched domains of a CPU.
    Domains {
        /// Which one.
        cpu: u32,
    },
    /// Simulate a window of what has run again, with everything on record. A later one takes its place.
    Look {
        /// Number of the question, for its answer.
        id: u32,
        /// Where it begins, simulated ns.
        from_ns: f64,
        /// Where it ends, simulated ns.
        to_ns: f64,
    },
    /// Tell a decision of the window looked at last.
    Explain {
        /// Number of that window.
        id: u32,
        /// The decision's place in it.
        index: u32,
    },
    /// Show the machine at a moment of what has run.
    Seek {
        /// Simulated time, ns.
        at_ns: f64,
    },
    /// Show the machine one step on from the moment shown, or one step back.
    Step {
        /// A step of what kind.
        step: StepKind,
        /// Back, rather than on.
        back: bool,
    },
}

/// How far one step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// To the next event.
    Event,
    /// To the next tick of any CPU.
    Tick,
    /// To the next event in which a balance pass is made.
    Balance,
}

/// From a worker to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum FromWorker {
    /// The worker's program runs and hears.
    Ready,
    /// The run stands at time 0.
    Loaded(Loaded),
    /// What has happened since the last frame.
    Frame(Frame),
    /// What was watched for.
    Decisions(Decisions),
    /// The sched domains that were asked for.
    Domains(CpuDomains),
    /// The window that was asked for.
    Window(Window),
    /// The decision that was asked for.
    Explained(Explained),
    /// The moment that was asked for.
    Moment(Moment),
    /// The scenario cannot be run, or the change not be made.
    Failed(Failed),
}

/// What a run consists of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    /// Of the load it answers.
    pub generation: u32,
    /// Who is who.
    pub table: ThreadTable,
    /// How many NUMA nodes there are.
    pub nodes: u32,
    /// The levels of its sched domains, lowest first.
    pub levels: Vec<Level>,
    /// When it ends, simulated ns.
    pub end_ns: f64,
    /// Length of one sample of the series, ns.
    pub sample_ns: f64,
}

/// A level of sched domains, with the values that this kernel has where nobody sets them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// As it is set by, after `domain.`: `SMT`, `MC`, `PKG`, `NUMA`, `NUMA2`…
    pub name: String,
    /// CPUs of one domain.
    pub span: u32,
    /// How much busier another group has to be, percent.
    pub imbalance_pct: u32,
    /// By how much a busy CPU balances less often.
    pub busy_factor: u32,
    /// Failed passes before cache-hot tasks move.
    pub cache_nice_tries: u32,
    /// Shortest interval between two passes, ms.
    pub min_interval: u32,
    /// Longest interval between two passes, ms.
    pub max_interval: u32,
}

/// A moment of the run, and the series and migrations since the last frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Of the load it belongs to.
    pub generation: u32,
    /// The moment, simulated ns.
    pub now_ns: f64,
    /// Whether the run is over.
    pub finished: bool,
    /// The result so far as JSON ([`teeter_sim::RunResult`]); not with every frame.
    pub result: Option<String>,
    /// The machine at that moment.
    pub cpus: CpuStates,
    /// New rows of the series, one after another; see [`row_width`].
    pub rows: Vec<f64>,
    /// New migrations: thread, from CPU, to CPU, cause, one after another.
    pub migrations: Vec<u32>,
    /// New rows of what every CPU did in a sample, a [cell](teeter_sim::LaneCell) a CPU each.
    pub lanes: Vec<u32>,
}

/// The machine at a moment that has been.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Of the load it belongs to.
    pub generation: u32,
    /// Whether it was found by a step, rather than by its time.
    pub stepped: bool,
    /// The moment, simulated ns.
    pub at_ns: f64,
    /// The machine then.
    pub cpus: CpuStates,
}

/// What every CPU does, as columns by CPU number; see [`teeter_sim::Snapshot`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CpuStates {
    /// Running thread, or [`teeter_sim::IDLE`].
    pub curr: Vec<u32>,
    /// Waiting threads, CPU after CPU.
    pub queued: Vec<u32>,
    /// Where each CPU's waiting threads begin; one more entry than CPUs.
    pub queued_start: Vec<u32>,
    /// Load of the root run-queue.
    pub load: Vec<u32>,
    /// Utilisation of the root run-queue.
    pub util: Vec<u32>,
    /// 1 where the running thread polls.
    pub spinning: Vec<u8>,
}

impl CpuStates {
    /// Threads that wait on a CPU.
    pub fn waiting(&self, cpu: usize) -> &[u32] {
        let bound = |index: usize| self.queued_start.get(index).map(|start| *start as usize);
        match (bound(cpu), bound(cpu + 1)) {
            (Some(from), Some(to)) => self.queued.get(from..to).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The thread that runs on a CPU.
    pub fn running(&self, cpu: usize) -> Option<u32> {
        self.curr
            .get(cpu)
            .copied()
            .filter(|thread| *thread != teeter_sim::IDLE)
    }
}

/// Why a run cannot go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    /// Of the load it belongs to.
    pub generation: u32,
    /// One line for each problem, with its place in the scenario.
    pub problems: Vec<String>,
}

/// Numbers of one row of the series: end of the sample, idle while waiting, migrations, then runnable
/// threads for each task and node, then progress for each task (NaN where a task has no metric).
pub fn row_width(tasks: usize, nodes: usize) -> usize {
    3 + tasks * nodes + tasks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_threads_are_found_by_cpu() {
        let cpus = CpuStates {
            curr: vec![7, u32::MAX, 9],
            queued: vec![1, 2, 3],
            queued_start: vec![0, 2, 2, 3],
            ..CpuStates::default()
        };
        assert_eq!(cpus.waiting(0), [1, 2]);
        assert!(cpus.waiting(1).is_empty());
        assert_eq!(cpus.waiting(2), [3]);
        assert!(cpus.waiting(3).is_empty(), "no such CPU");
        assert_eq!(
            (cpus.running(0), cpus.running(1), cpus.running(5)),
            (Some(7), None, None)
        );
    }
}
