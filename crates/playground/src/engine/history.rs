//! Checkpoints of a run, so that any part of it can be simulated again.

use teeter_scenario::Nanos;
use teeter_scenario::document::ScriptEntry;
use teeter_sim::Simulation;

/// Distance of the first checkpoints; it doubles whenever there are too many of them.
const EVERY: Nanos = Nanos::from_millis(25);
/// Checkpoints of a machine of 80 CPUs and two cgroups at most: its spacing is then 0.6 s or less in a run of a minute.
/// Bigger ones have fewer, as each takes more memory.
const MOST: usize = 96;
/// Fewest checkpoints at most.
const LEAST: usize = 8;

/// The checkpoints, oldest first; the first is the beginning.
pub(super) struct History {
    kept: Vec<Simulation>,
    every: u64,
    most: usize,
}

impl History {
    /// Begins with a run that stands at time 0.
    pub(super) fn new(simulation: &mut Simulation) -> Self {
        let queues = simulation.cpus() * (simulation.threads().cgroups.len() + 1);
        Self {
            most: (MOST * 320 / queues.max(1)).clamp(LEAST, MOST),
            every: EVERY.0,
            kept: vec![simulation.checkpoint()],
        }
    }

    /// Keeps a checkpoint if the last one is long past.
    pub(super) fn note(&mut self, simulation: &mut Simulation) {
        let last = self.kept.last().map_or(0, |last| last.now().0);
        if simulation.now().0 < last.saturating_add(self.every) {
            return;
        }
        self.kept.push(simulation.checkpoint());
        if self.kept.len() > self.most {
            let mut place = 0;
            self.kept.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.every = self.every.saturating_mul(2);
        }
    }

    /// The latest checkpoint at or before a time.
    pub(super) fn at(&self, time: Nanos) -> Option<&Simulation> {
        self.kept.iter().rfind(|kept| kept.now() <= time)
    }

    /// The checkpoints before an event, by its number, the latest first.
    pub(super) fn before(&self, event: u64) -> impl Iterator<Item = &Simulation> {
        let before = self.kept.iter().rev();
        before.filter(move |kept| kept.events() < event)
    }

    /// A change was made to the run, later than all checkpoints.
    pub(super) fn insert(&mut self, entry: &ScriptEntry) {
        for kept in &mut self.kept {
            // The run itself took it: so do they.
            let _ = kept.insert_action(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use teeter_scenario::presets;

    use super::*;

    #[test]
    fn checkpoints_are_bounded_and_give_the_same_bits() {
        let mut scenario = presets::get("lu-group").unwrap();
        scenario.run.duration = Nanos::from_millis(400);
        let mut run = Simulation::new(&scenario, 1, 0).unwrap();
        let mut history = History::new(&mut run);
        history.most = 6;
        while !run.run_events(run.end(), 2_000) {
            history.note(&mut run);
        }
        assert!((4..=6).contains(&history.kept.len()));
        assert_eq!(history.kept[0].now(), Nanos::ZERO);
        let mut again = history.at(Nanos::from_millis(333)).unwrap().clone();
        assert!(again.now() > Nanos::from_millis(200));
        again.run_until(again.end());
        assert_eq!(again.digest(), run.digest());
        let early = history.before(run.events() / 2).next().unwrap();
        assert!(early.events() < run.events() / 2);
    }
}
