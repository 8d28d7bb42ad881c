//! A window of the run, simulated again from a checkpoint with everything on record.

use teeter_scenario::Nanos;
use teeter_sched::decision::{Decisions, Value};
use teeter_sim::{Simulation, Spans, TraceEvent, What};

use super::history::History;
use super::watch::told;
use crate::protocol::window::{Explained, KINDS, NOBODY, Window};

/// Spans of a window at most; a longer one is cut short.
const SPANS: usize = 200_000;
/// Decisions of a window at most; later ones are left out.
const DECISIONS: usize = 50_000;

/// A window that is being simulated.
pub(super) struct Look {
    window: Window,
    to: Nanos,
    simulation: Simulation,
    /// `None` before the window is reached.
    spans: Option<Spans>,
    /// The run as the window begins.
    origin: Option<Simulation>,
    events: Vec<TraceEvent>,
    /// Decisions, as many as were taken out at once each.
    decisions: Vec<Decisions>,
    decided: usize,
}

/// A window that was simulated: what can still be asked about it.
pub(super) struct Seen {
    id: u32,
    generation: u32,
    /// The run as it begins.
    origin: Option<Simulation>,
    simulation: Simulation,
    decisions: Vec<Decisions>,
}

impl Look {
    /// Begins at the latest checkpoint (or the beginning of the window looked at last) before `from`.
    pub(super) fn begin(
        history: &History,
        seen: Option<&Seen>,
        (generation, id): (u32, u32),
        (from, to): (Nanos, Nanos),
    ) -> Option<Self> {
        let known = seen
            .filter(|seen| seen.generation == generation)
            .and_then(|seen| seen.origin.as_ref())
            .filter(|origin| origin.now() <= from);
        let near = history.at(from).into_iter().chain(known);
        let simulation = near.max_by_key(|near| near.now())?.clone();
        Some(Self {
            window: Window {
                generation,
                id,
                from_ns: from.0 as f64,
                ..Window::default()
            },
            to,
            spans: None,
            origin: None,
            events: Vec::new(),
            decisions: Vec::new(),
            decided: 0,
            simulation,
        })
    }

    /// Simulates at most so many events. Gives whether that was all.
    pub(super) fn work(&mut self, events: u64) -> bool {
        let Some(spans) = &mut self.spans else {
            let from = Nanos(self.window.from_ns as u64);
            if self.simulation.run_events(from, events) {
                self.origin = Some(self.simulation.checkpoint());
                self.simulation.record_trace(true);
                self.simulation.record_decisions(true);
                self.spans = Some(Spans::begin(&self.simulation));
            }
            return false;
        };
        let reached = self.simulation.run_events(self.to, events);
        self.simulation.take_trace(&mut self.events);
        for event in self.events.drain(..) {
            spans.event(&event);
            if let What::Migrate {
                task,
                from,
                to,
                cause,
            } = event.what
            {
                let moved = [task, from.0.into(), to.0.into(), cause as u32];
                self.window.moved_ns.push(event.at.0 as f64);
                self.window.moved.extend(moved);
            }
        }
        if self.decided < DECISIONS {
            let mut taken = Decisions::default();
            self.simulation.take_decisions(&mut taken);
            if !taken.is_empty() {
                self.decided += taken.len();
                self.decisions.push(taken);
            }
        } else {
            self.simulation.record_decisions(false);
        }
        reached || spans.len() > SPANS
    }

    /// The window, and what is kept of it.
    pub(super) fn finish(mut self) -> (Window, Seen) {
        let now = self.simulation.now();
        self.window.to_ns = now.0 as f64;
        let spans = self.spans.take().map(|spans| spans.finish(now));
        for span in spans.iter().flatten() {
            self.window.push_span(span);
        }
        for decision in self.decisions.iter().flat_map(Decisions::iter) {
            let kind = KINDS.iter().position(|kind| *kind == decision.kind());
            let task = decision.fields().find_map(|(_, value)| match value {
                Value::Task(task) => Some(task.0),
                _ => None,
            });
            self.window.decided_ns.push(decision.at.0 as f64);
            self.window.decided.extend([
                u32::from(decision.cpu.0),
                kind.unwrap_or(KINDS.len()) as u32,
                task.unwrap_or(NOBODY),
            ]);
        }
        let seen = Seen {
            id: self.window.id,
            generation: self.window.generation,
            origin: self.origin,
            simulation: self.simulation,
            decisions: self.decisions,
        };
        (self.window, seen)
    }
}

impl Seen {
    /// A decision of the window with that number in full.
    pub(super) fn explain(&self, id: u32, index: u32) -> Option<Explained> {
        let mut all = self.decisions.iter().flat_map(Decisions::iter);
        let decision = all.nth(index as usize)?;
        (id == self.id).then(|| Explained {
            generation: self.generation,
            id,
            index,
            told: told(&decision, self.simulation.threads()),
        })
    }
}

#[cfg(test)]
mod tests {
    use teeter_scenario::presets;

    use super::*;

    #[test]
    fn a_window_holds_what_the_run_did() {
        let mut scenario = presets::get("lu-group").unwrap();
        scenario.run.duration = Nanos::from_millis(200);
        let mut run = Simulation::new(&scenario, 0, 0).unwrap();
        let mut history = History::new(&mut run);
        while !run.run_events(run.end(), 2_000) {
            history.note(&mut run);
        }
        let digest = run.digest();
        let bounds = (Nanos::from_millis(90), Nanos::from_millis(120));
        let mut look = Look::begin(&history, None, (4, 7), bounds).unwrap();
        while !look.work(500) {}
        let (window, seen) = look.finish();
        assert_eq!((window.generation, window.id), (4, 7));
        assert!(window.covers(90e6, 120e6) && !window.covers(89e6, 120e6));
        assert!(
            window
                .spans()
                .all(|(from, to, ..)| 90e6 <= from && from < to && to <= 120e6)
        );
        let busy: f64 = window
            .spans()
            .filter(|span| span.4)
            .map(|(from, to, ..)| to - from)
            .sum();
        assert!(busy > 40.0 * 30e6 && busy <= 80.0 * 30e6, "{busy}");
        let first = window.decided().next().unwrap();
        let told = seen.explain(7, 0).unwrap().told;
        assert_eq!(
            (told.kind.as_str(), told.cpu as usize),
            (first.kind, first.cpu)
        );
        assert!(seen.explain(8, 0).is_none());

        // A window within it begins no earlier than that one, and all ends in the same bits.
        let bounds = (Nanos::from_millis(100), Nanos::from_millis(101));
        let mut within = Look::begin(&history, Some(&seen), (4, 8), bounds).unwrap();
        assert!(within.simulation.now() >= Nanos::from_millis(90));
        while !within.work(u64::MAX) {}
        within.simulation.run_until(within.simulation.end());
        assert_eq!(within.simulation.digest(), digest);
    }
}
