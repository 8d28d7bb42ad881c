//! One of the scenario's tasks while it runs: what its threads have in common.

use std::ops::Range;

use hdrhistogram::Histogram;
use teeter_machine::{CpuId, Footprint};
use teeter_sched::{Cause, GroupId};
use teeter_workload::{self as workload, Metric, Programs};

/// How the threads come into being.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Birth {
    /// Thread 0 is forked by a parent on this CPU, and forks the others from where it is then.
    Forked { from: CpuId, every: u64 },
    /// Each is placed on one of these CPUs.
    Placed { on: Vec<CpuId> },
    /// Each comes in a way of its own; what is forked by nobody is so from this CPU.
    Individual {
        from: CpuId,
        births: Vec<workload::Birth>,
    },
}

/// A task of the scenario.
#[derive(Clone, Debug)]
pub(crate) struct TaskRun {
    /// Its threads, as task numbers.
    pub(crate) threads: Range<u32>,
    pub(crate) birth: Birth,
    /// Threads of each of its processes.
    pub(crate) per_process: u32,
    /// The group of its session, where the kernel groups by session (autogroup).
    pub(crate) session: Option<GroupId>,
    pub(crate) start: u64,
    pub(crate) metric: Option<Metric>,
    /// What a thread has in caches.
    pub(crate) footprint: Footprint,
    /// What a core gives with more than one thread of which this is one, if that is not as usual,
    /// hundredths.
    pub(crate) smt: Option<u32>,
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
            // For three digits, and as wide as what is recorded; making it cannot fail.
            empty => match Histogram::new(3) {
                Ok(histogram) => empty.insert(histogram),
                Err(_) => return,
            },
        };
        // It grows as it must; only what would not fit into memory is taken for the longest it holds.
        if histogram.record(nanos).is_err() {
            histogram.saturating_record(nanos);
        }
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
        per_process: u32,
        session: Option<GroupId>,
        start: u64,
        programs: &Programs,
    ) -> Self {
        Self {
            alive: threads.end - threads.start,
            threads,
            birth,
            per_process: programs.teams.unwrap_or(per_process).max(1),
            session,
            start,
            metric: programs.metric.clone(),
            footprint: Footprint {
                private: programs.traits.footprint_bytes,
                llc: programs.traits.llc_bytes,
            },
            smt: programs.traits.smt,
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

    /// The thread that thread number `index` forks after so many others; `None`: it has forked all. The first
    /// one of the task forks the first of each other process, and each of these the others of its process.
    pub(crate) fn child(&self, index: u32, forked: u32) -> Option<u32> {
        if !index.is_multiple_of(self.per_process) {
            return None;
        }
        let processes = self.len().div_ceil(self.per_process);
        let others = if index == 0 { processes - 1 } else { 0 };
        if forked < others {
            return Some((forked + 1) * self.per_process);
        }
        let child = index + 1 + forked - others;
        let end = (index + self.per_process).min(self.len());
        (child < end).then_some(child)
    }

    /// When thread number `index` may be forked at the earliest.
    pub(crate) fn fork_time(&self, index: u32) -> u64 {
        match self.birth {
            Birth::Forked { every, .. } => self
                .start
                .saturating_add(every.saturating_mul(u64::from(index))),
            Birth::Placed { .. } | Birth::Individual { .. } => self.start,
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

#[cfg(test)]
mod tests {
    use teeter_scenario::document::{Tasks, Workload};

    use super::*;

    #[test]
    fn long_latencies_keep_three_digits() {
        let mut latencies = Latencies::default();
        let recorded = [0, 1_000, 14_288_000, 3_600_000_000_000];
        for nanos in recorded {
            latencies.record(nanos);
        }
        let longest = latencies.get().map(Histogram::max).unwrap_or_default();
        assert!(longest.abs_diff(recorded[3]) <= recorded[3] / 1000);
    }

    #[test]
    fn the_first_of_each_process_forks_the_others() {
        let birth = Birth::Placed { on: Vec::new() };
        let hog = Tasks::new("hog", Workload::Hog);
        let programs = teeter_workload::compile(&hog).unwrap();
        let task = TaskRun::new(10..19, birth, 3, None, 0, &programs);
        let of = |index| -> Vec<u32> { (0..).map_while(|n| task.child(index, n)).collect() };
        assert_eq!(of(0), [3, 6, 1, 2]);
        assert_eq!(of(3), [4, 5]);
        assert_eq!(of(6), [7, 8]);
        assert!(of(4).is_empty());
    }
}
