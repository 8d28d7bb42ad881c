//! One of the scenario's tasks while it runs: what its threads have in common.

use std::ops::Range;

use hdrhistogram::Histogram;
use teeter_machine::CpuId;
use teeter_sched::{Cause, GroupId};
use teeter_workload::{Metric, Programs};

/// How the threads come into being.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Birth {
    /// Thread 0 is forked by a parent on this CPU, and forks the others from where it is then.
    Forked { from: CpuId, every: u64 },
    /// Each is placed on one of these CPUs.
    Placed { on: Vec<CpuId> },
}

/// A task of the scenario.
#[derive(Clone, Debug)]
pub(crate) struct TaskRun {
    /// Its threads, as task numbers.
    pub(crate) threads: Range<u32>,
    pub(crate) birth: Birth,
    /// The group of its session, where the kernel groups by session (autogroup).
    pub(crate) session: Option<GroupId>,
    pub(crate) start: u64,
    pub(crate) metric: Option<Metric>,
    /// Private working set of a thread, bytes.
    pub(crate) footprint: u32,
    /// Threads that have not ended.
    pub(crate) alive: u32,
    /// When the last thread ended.
    pub(crate) done: Option<u64>,
    /// Counts of progress.
    pub(crate) progress: u64,
    /// The same when statistics began.
    pub(crate) progress_before: u64,
    /// Migrations by [`Cause`].
    pub(crate) migrations: [u64; Cause::ALL.len()],
    /// When the part began that the benchmark measures.
    pub(crate) clock: Option<u64>,
    /// Wakeup latencies, ns.
    latency: Latencies,
    /// Latencies that the program measures itself, by name.
    pub(crate) latencies: Vec<(String, Latencies)>,
}

/// Latencies, ns, to three digits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(Option<Histogram<u32>>);

impl Latencies {
    pub(crate) fn record(&mut self, nanos: u64) {
        let histogram = match &mut self.0 {
            Some(histogram) => histogram,
            // The widest range there is for three digits; making it cannot fail.
            empty => match Histogram::new_with_bounds(1, 1 << 42, 3) {
                Ok(histogram) => empty.insert(histogram),
                Err(_) => return,
            },
        };
        histogram.saturating_record(nanos);
    }

    /// The latencies, if there were any.
    pub(crate) fn get(&self) -> Option<&Histogram<u32>> {
        self.0.as_ref().filter(|histogram| !histogram.is_empty())
    }

    fn forget(&mut self) {
        if let Some(histogram) = &mut self.0 {
            histogram.reset();
        }
    }
}

impl TaskRun {
    /// A task that has not begun.
    pub(crate) fn new(
        threads: Range<u32>,
        birth: Birth,
        session: Option<GroupId>,
        start: u64,
        programs: &Programs,
    ) -> Self {
        Self {
            alive: threads.end - threads.start,
            threads,
            birth,
            session,
            start,
            metric: programs.metric.clone(),
            footprint: programs.traits.footprint_bytes,
            done: None,
            progress: 0,
            progress_before: 0,
            migrations: [0; Cause::ALL.len()],
            clock: None,
            latency: Latencies::default(),
            latencies: programs
                .latencies
                .iter()
                .map(|name| (name.clone(), Latencies::default()))
                .collect(),
        }
    }

    /// How many threads it has.
    pub(crate) fn len(&self) -> u32 {
        self.threads.end - self.threads.start
    }

    /// When thread number `index` may be forked at the earliest.
    pub(crate) fn fork_time(&self, index: u32) -> u64 {
        match self.birth {
            Birth::Forked { every, .. } => self
                .start
                .saturating_add(every.saturating_mul(u64::from(index))),
            Birth::Placed { .. } => self.start,
        }
    }

    /// Counts one wakeup that took so many ns.
    pub(crate) fn record_latency(&mut self, nanos: u64) {
        self.latency.record(nanos);
    }

    /// The wakeup latencies, if there were any.
    pub(crate) fn latency(&self) -> Option<&Histogram<u32>> {
        self.latency.get()
    }

    /// Statistics begin anew.
    pub(crate) fn forget(&mut self) {
        self.progress_before = self.progress;
        self.latency.forget();
        for (_, latencies) in &mut self.latencies {
            latencies.forget();
        }
    }
}
