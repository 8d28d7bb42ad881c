//! What lets a run be looked at again: checkpoints, steps, and rows for a picture of CPUs over time.

use teeter_scenario::Nanos;

use super::Simulation;
use crate::lanes::Lanes;
use crate::queue::Event;

/// How far [`Simulation::step`] goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the next event, of whatever kind.
    Event,
    /// To the next tick of any CPU.
    Tick,
    /// To the next event in which a balance pass is made.
    Balance,
}

impl Simulation {
    /// A copy that goes on as this one does, without the series so far and without what is on record.
    #[must_use]
    pub fn checkpoint(&mut self) -> Self {
        let empty = self.sampler.series.emptied();
        let series = std::mem::replace(&mut self.sampler.series, empty);
        let lanes = self.sampler.lanes.take();
        let (recorder, marks) = (self.recorder.take(), std::mem::take(&mut self.marks));
        let mut copy = self.clone();
        copy.record_decisions(false);
        self.sampler.series = series;
        self.sampler.lanes = lanes;
        (self.recorder, self.marks) = (recorder, marks);
        copy
    }

    /// How many events have been handled.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// When the last of them was.
    pub fn last_event(&self) -> Option<Nanos> {
        self.last_event.map(Nanos)
    }

    /// Goes one step on. Gives whether there was one before the end.
    pub fn step(&mut self, step: Step) -> bool {
        while !self.finished() {
            let (events, passes) = (self.events, self.balance_passes());
            let tick = matches!(self.queue.first(), Some((_, Event::Tick(_))));
            self.run_events(Nanos(self.end), 1);
            let made = match step {
                Step::Event => true,
                Step::Tick => tick,
                Step::Balance => self.balance_passes() > passes,
            };
            if made && self.events > events {
                return true;
            }
        }
        false
    }

    /// Balance passes so far, on all levels.
    fn balance_passes(&self) -> u64 {
        let levels = self.sched.balance_stats().iter();
        levels.map(|level| level.count).sum()
    }

    /// Keeps from now on what every CPU did in each sample, or no longer.
    pub fn record_lanes(&mut self, on: bool) {
        self.sampler.lanes = on.then(|| Lanes::new(&self.stats, self.now));
    }

    /// The rows since the last call, one [packed](crate::LaneCell::pack) cell a CPU each.
    pub fn take_lanes(&mut self) -> Vec<u32> {
        let lanes = self.sampler.lanes.as_mut();
        lanes.map_or_else(Vec::new, |lanes| std::mem::take(&mut lanes.cells))
    }
}

#[cfg(test)]
mod tests {
    use teeter_scenario::presets;

    use super::*;
    use crate::LaneCell;

    fn run(millis: u64) -> Simulation {
        let mut scenario = presets::get("lu-group").unwrap();
        scenario.run.duration = Nanos::from_millis(millis);
        scenario.run.sample = Nanos::from_millis(1);
        Simulation::new(&scenario, 0, 0).unwrap()
    }

    #[test]
    fn a_checkpoint_gives_the_same_bits_whatever_is_recorded_on_it() {
        let mut whole = run(60);
        whole.run_until(whole.end());
        let mut watched = run(60);
        watched.record_lanes(true);
        watched.record_decisions(true);
        watched.run_until(Nanos::from_millis(25));
        let mut copy = watched.checkpoint();
        watched.run_until(watched.end());
        assert_eq!(watched.digest(), whole.digest());
        let rows = watched.take_lanes();
        assert_eq!(rows.len(), 60 * 80);
        copy.record_trace(true);
        copy.record_decisions(true);
        copy.run_until(copy.end());
        assert_eq!(copy.digest(), whole.digest());
        assert_eq!(copy.result(), whole.result());
        assert!(watched.series().len() == 60 && copy.series().len() == 35);
    }

    #[test]
    fn lanes_hold_the_integrals_of_the_series() {
        let mut simulation = run(20);
        simulation.record_lanes(true);
        simulation.run_until(simulation.end());
        let rows = simulation.take_lanes();
        assert!(simulation.take_lanes().is_empty());
        for (row, cells) in rows.chunks_exact(80).enumerate() {
            let cells: Vec<_> = cells.iter().map(|word| LaneCell::unpack(*word)).collect();
            let busy: f64 = cells.iter().map(|cell| f64::from(cell.busy) / 255.0).sum();
            let series = simulation.series();
            let wanted: f64 = series
                .busy
                .iter()
                .map(|column| f64::from(column[row]))
                .sum();
            assert!((busy - wanted * 20.0).abs() < 0.4, "{busy} {wanted}");
        }
    }

    #[test]
    fn steps_stop_where_they_say() {
        let mut simulation = run(30);
        simulation.run_until(Nanos::from_millis(10));
        let (at, events) = (simulation.now(), simulation.events());
        assert!(simulation.step(Step::Event));
        assert_eq!(simulation.events(), events + 1);
        assert!(simulation.now() > at);
        let passes = simulation.balance_passes();
        assert!(simulation.step(Step::Balance));
        assert!(simulation.balance_passes() > passes);
        assert!(simulation.step(Step::Tick));
        simulation.run_until(simulation.end());
        assert!(!simulation.step(Step::Event));
        let mut whole = run(30);
        whole.run_until(whole.end());
        assert_eq!(simulation.digest(), whole.digest());
    }
}
