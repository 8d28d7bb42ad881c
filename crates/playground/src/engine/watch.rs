//! Decisions on their way to the page: filtered and counted as they are made, since there can be more than fit
//! into memory.

use teeter_scenario::expr::Expr;
use teeter_sched::decision::{self, Decision, VOCABULARY, Value};
use teeter_sim::{Simulation, ThreadTable};

use crate::protocol::decisions::{Decisions, MOST, Told, Word};

/// What is watched for. It outlives runs; its counts do not.
#[derive(Default)]
pub(super) struct Watch {
    /// `None`: nothing is put on record.
    filter: Option<Filter>,
    all: u64,
    passed: u64,
    told: Vec<Told>,
    weighed: Option<Told>,
    fresh: bool,
    taken: decision::Decisions,
}

enum Filter {
    All,
    Expr(Expr),
}

impl Watch {
    /// Watches for what a filter lets through (an empty one: for all), or for nothing. Gives the same as before
    /// where the filter does not read: the page reads it first.
    pub(super) fn set(&mut self, filter: Option<&str>) {
        self.filter = filter.map(|source| {
            let read = Expr::parse(source, &VOCABULARY);
            read.map_or(Filter::All, Filter::Expr)
        });
        self.begin();
    }

    /// Counts anew.
    pub(super) fn begin(&mut self) {
        *self = Self {
            filter: self.filter.take(),
            ..Self::default()
        };
    }

    /// Has a run put its decisions on record, or not.
    pub(super) fn apply(&self, simulation: &mut Simulation) {
        simulation.record_decisions(self.filter.is_some());
    }

    /// Takes in what a run has decided.
    pub(super) fn take(&mut self, simulation: &mut Simulation) {
        let Some(filter) = &self.filter else { return };
        simulation.take_decisions(&mut self.taken);
        for decision in self.taken.iter() {
            self.all += 1;
            self.fresh = true;
            let threads = simulation.threads();
            if decision
                .fields()
                .any(|(name, _)| name == "imbalance_before")
            {
                self.weighed = Some(told(&decision, threads));
            }
            let passes = match filter {
                Filter::All => true,
                Filter::Expr(filter) => {
                    let said = filter.eval(|input| decision.get(input).map(Value::number));
                    matches!(said, Ok(value) if value != 0)
                }
            };
            if passes {
                self.passed += 1;
                self.told.push(told(&decision, threads));
            }
        }
        let surplus = self.told.len().saturating_sub(MOST);
        self.told.drain(..surplus);
    }

    /// What the page has not been told yet.
    pub(super) fn news(&mut self, generation: u32) -> Option<Decisions> {
        std::mem::take(&mut self.fresh).then(|| Decisions {
            generation,
            all: self.all as f64,
            passed: self.passed as f64,
            told: std::mem::take(&mut self.told),
            weighed: self.weighed.take(),
        })
    }
}

pub(super) fn told(decision: &Decision<'_>, threads: &ThreadTable) -> Told {
    let word = |value| match value {
        Value::Number(number) => Word::Number(number as f64),
        Value::Name(name) => Word::Name(name.to_owned()),
        Value::Task(task) => Word::Task(threads.name(task.0)),
    };
    let candidates = decision.candidates().iter();
    Told {
        at_ns: decision.at.0 as f64,
        cpu: u32::from(decision.cpu.0),
        kind: decision.kind().to_owned(),
        fields: decision
            .fields()
            .skip(3)
            .map(|(name, value)| (name.to_owned(), word(value)))
            .collect(),
        candidates: candidates
            .map(|(task, verdict)| (threads.name(task.0), verdict.name().to_owned()))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use teeter_scenario::{Nanos, presets};

    use super::*;

    fn watched(filter: &str) -> Decisions {
        let scenario = presets::get("lu-group").unwrap();
        let mut simulation = Simulation::new(&scenario, 0, 0).unwrap();
        let mut watch = Watch::default();
        watch.set(Some(filter));
        watch.apply(&mut simulation);
        simulation.run_events(Nanos::from_millis(10), u64::MAX);
        watch.take(&mut simulation);
        watch.news(3).unwrap()
    }

    #[test]
    fn what_passes_is_told_and_all_is_counted() {
        let all = watched("");
        assert_eq!((all.generation, all.passed), (3, all.all));
        assert_eq!(all.told.len(), MOST.min(all.all as usize));
        let forks = watched("kind == fork");
        assert_eq!(forks.all as u64, all.all as u64);
        assert!(forks.passed > 0.0 && forks.passed < forks.all);
        assert!(forks.told.iter().all(|told| told.kind == "fork"));
    }

    #[test]
    fn nothing_is_told_while_nothing_is_watched() {
        let scenario = presets::get("lu-group").unwrap();
        let mut simulation = Simulation::new(&scenario, 0, 0).unwrap();
        let mut watch = Watch::default();
        watch.apply(&mut simulation);
        simulation.run_events(Nanos::from_millis(5), u64::MAX);
        watch.take(&mut simulation);
        assert_eq!(watch.news(1), None);
    }
}
