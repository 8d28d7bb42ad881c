//! The moment of a run that is looked at: found by its time, or by steps from the one before.

use teeter_scenario::Nanos;
use teeter_sim::{Simulation, Step};

use super::history::History;

/// The run at that moment.
pub(super) struct Cursor {
    pub(super) simulation: Simulation,
}

impl Cursor {
    /// The run at a time.
    pub(super) fn at(history: &History, time: Nanos) -> Option<Self> {
        let mut simulation = history.at(time)?.clone();
        simulation.run_until(time);
        Some(Self { simulation })
    }

    /// One step on, but not beyond `end`: then the cursor stays.
    pub(super) fn forward(&mut self, step: Step, end: Nanos) {
        let mut next = self.simulation.checkpoint();
        if next.step(step) && next.now() <= end {
            self.simulation = next;
        }
    }

    /// One step back: to right after the last event of that kind before this one; to the start if there is none.
    pub(super) fn back(&mut self, history: &History, step: Step) {
        let here = self.simulation.events();
        let mut start = None;
        for checkpoint in history.before(here) {
            let mut run = checkpoint.clone();
            let mut last = None;
            while run.step(step) && run.events() < here {
                last = Some(run.events());
            }
            if let Some(events) = last {
                let mut run = checkpoint.clone();
                run.run_events(run.end(), events - checkpoint.events());
                self.simulation = run;
                return;
            }
            start = Some(checkpoint);
        }
        if let Some(start) = start {
            self.simulation = start.clone();
        }
    }

    /// When the last thing happened: what is seen has been so since then.
    pub(super) fn time(&self) -> Nanos {
        self.simulation.last_event().unwrap_or(Nanos::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use teeter_scenario::presets;

    use super::*;

    #[test]
    fn steps_back_undo_steps_forward() {
        let mut scenario = presets::get("lu-group").unwrap();
        scenario.run.duration = Nanos::from_millis(120);
        let mut run = Simulation::new(&scenario, 0, 0).unwrap();
        let mut history = History::new(&mut run);
        while !run.run_events(run.end(), 2_000) {
            history.note(&mut run);
        }
        let mut cursor = Cursor::at(&history, Nanos::from_millis(60)).unwrap();
        for step in [Step::Event, Step::Tick, Step::Balance] {
            // Onto a step of that kind first.
            cursor.forward(step, run.end());
            let (time, shown) = (cursor.time(), cursor.simulation.snapshot());
            cursor.forward(step, run.end());
            assert!(cursor.time() >= time);
            cursor.back(&history, step);
            assert_eq!(cursor.time(), time, "{step:?}");
            assert_eq!(cursor.simulation.snapshot().curr, shown.curr, "{step:?}");
        }
        let end = cursor.time();
        cursor.forward(Step::Event, end);
        assert_eq!(cursor.time(), end, "no further than the run has come");
    }
}
