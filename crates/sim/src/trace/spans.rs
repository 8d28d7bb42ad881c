//! What each thread did when and where, from the events of a trace.

use teeter_machine::CpuId;
use teeter_scenario::Nanos;

use super::event::{Left, TraceEvent, What};
use crate::Simulation;
use crate::snapshot::IDLE;

/// A thread runs or waits on a CPU for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Index of [`crate::ThreadTable::threads`].
    pub thread: u32,
    /// Where.
    pub cpu: CpuId,
    /// Whether it runs there; else it waits for the CPU.
    pub runs: bool,
    /// Since when.
    pub from: Nanos,
    /// Until when.
    pub to: Nanos,
}

/// What a thread does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Doing {
    cpu: CpuId,
    runs: bool,
    since: Nanos,
}

/// Makes spans of events, which come in the order in which they happened.
#[derive(Clone, Debug)]
pub struct Spans {
    doing: Vec<Option<Doing>>,
    done: Vec<Span>,
}

impl Spans {
    /// Begins at the present moment of a simulation.
    pub fn begin(simulation: &Simulation) -> Self {
        let snapshot = simulation.snapshot();
        let mut doing = vec![None; simulation.threads().threads.len()];
        let mut put = |thread: u32, cpu: usize, runs| {
            if let Some(place) = doing.get_mut(thread as usize) {
                *place = Some(Doing {
                    cpu: CpuId(cpu as u16),
                    runs,
                    since: snapshot.now,
                });
            }
        };
        for (cpu, bounds) in snapshot.queued_start.windows(2).enumerate() {
            for thread in &snapshot.queued[bounds[0] as usize..bounds[1] as usize] {
                put(*thread, cpu, false);
            }
            if snapshot.curr[cpu] != IDLE {
                put(snapshot.curr[cpu], cpu, true);
            }
        }
        Self {
            doing,
            done: Vec::new(),
        }
    }

    /// Takes in an event.
    pub fn event(&mut self, event: &TraceEvent) {
        let at = event.at;
        match event.what {
            What::Switch { prev, left, next } => {
                if let Some(prev) = prev
                    && self.runs_on(prev, event.cpu)
                {
                    let stays = left == Left::Runnable;
                    self.set(at, prev, stays.then_some((event.cpu, false)));
                }
                if let Some(next) = next {
                    self.set(at, next, Some((event.cpu, true)));
                }
            }
            What::Wakeup { task, cpu } | What::WakeupNew { task, cpu } => {
                self.set(at, task, Some((cpu, false)));
            }
            What::Migrate { task, to, .. } => {
                if self.waits(task) {
                    self.set(at, task, Some((to, false)));
                }
            }
            What::Exit { .. } | What::Fork { .. } | What::Waking { .. } => {}
        }
    }

    /// How many spans have ended.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Ends all spans; gives them by the time at which they end.
    pub fn finish(mut self, now: Nanos) -> Vec<Span> {
        for thread in 0..self.doing.len() as u32 {
            self.set(now, thread, None);
        }
        self.done
    }

    /// One that was swapped with another CPU's thread may run there already.
    fn runs_on(&self, thread: u32, cpu: CpuId) -> bool {
        let doing = self.doing.get(thread as usize).copied().flatten();
        doing.is_some_and(|doing| doing.runs && doing.cpu == cpu)
    }

    fn waits(&self, thread: u32) -> bool {
        let doing = self.doing.get(thread as usize).copied().flatten();
        doing.is_some_and(|doing| !doing.runs)
    }

    fn set(&mut self, at: Nanos, thread: u32, now: Option<(CpuId, bool)>) {
        let Some(place) = self.doing.get_mut(thread as usize) else {
            return;
        };
        if place.map(|doing| (doing.cpu, doing.runs)) == now {
            return;
        }
        if let Some(doing) = place.filter(|doing| doing.since < at) {
            self.done.push(Span {
                thread,
                cpu: doing.cpu,
                runs: doing.runs,
                from: doing.since,
                to: at,
            });
        }
        *place = now.map(|(cpu, runs)| Doing {
            cpu,
            runs,
            since: at,
        });
    }
}

#[cfg(test)]
mod tests {
    use teeter_scenario::presets;

    use super::*;

    #[test]
    fn spans_say_at_each_moment_what_a_snapshot_says() {
        let mut scenario = presets::get("tbench").unwrap();
        scenario.run.duration = Nanos::from_millis(30);
        scenario.run.warmup = Nanos::ZERO;
        let mut simulation = Simulation::new(&scenario, 0, 0).unwrap();
        simulation.run_until(Nanos::from_millis(20));
        let mut other = simulation.checkpoint();
        simulation.record_trace(true);
        let mut spans = Spans::begin(&simulation);
        simulation.run_until(Nanos::from_millis(30));
        let mut events = Vec::new();
        simulation.take_trace(&mut events);
        for event in &events {
            spans.event(event);
        }
        assert!(!spans.is_empty() && spans.len() > 20);
        let spans = spans.finish(simulation.now());
        for step in 1..100 {
            // Odd times, so that nothing happens right then.
            other.run_until(Nanos(20_000_000 + step * 97_003));
            let now = other.now();
            let snapshot = other.snapshot();
            let cpus = snapshot.curr.len();
            let (mut runs, mut waits) = (vec![IDLE; cpus], vec![Vec::new(); cpus]);
            for span in spans
                .iter()
                .filter(|span| span.from < now && now <= span.to)
            {
                if span.runs {
                    runs[span.cpu.index()] = span.thread;
                } else {
                    waits[span.cpu.index()].push(span.thread);
                }
            }
            assert_eq!(runs, snapshot.curr, "at {now}");
            for (cpu, bounds) in snapshot.queued_start.windows(2).enumerate() {
                let mut queued = snapshot.queued[bounds[0] as usize..bounds[1] as usize].to_vec();
                queued.sort_unstable();
                waits[cpu].sort_unstable();
                assert_eq!(waits[cpu], queued, "on {cpu} at {now}");
            }
        }
    }
}
