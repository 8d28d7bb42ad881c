//! The measured tables of the threads beside the simulation.
//!
//! Every table is a document (`crates/report/tables`) of what a mail measured and what has to be run to have it
//! simulated: scenario presets, what is set of them, a kernel before and one after. A row *agrees* where the simulated
//! change has the measured sign; only rows whose measured change stands out of the mail's own noise count. A miss is
//! told as one: tables hold numbers of the mails alone, and no parameter of the model is there for one of them.
//!
//! # What is missing
//!
//! Every table that misses a row or a target says why in its `notes`, which are printed behind its verdict as
//! `Known`. In short:
//!
//! - `netperf-stream`: `ksoftirqd`, which keeps a parted pair apart, is not modelled, so that all effects are small;
//!   why large messages lose is not known to anybody.
//! - `hackbench`, `genoa-hackbench`: the mutex of a pipe holds its users up here, but does not put them to sleep;
//!   its wakeups and the moves they bring are missing. What is run is too short for the nodes to even out.
//! - `tbench`, `services`: what a pair gains from one cache is smaller than measured; moves between caches are as
//!   frequent with the patch as without.
//! - `numa02` to `numa04`: the patch leaves pairs alone, of which machines with 256 busy threads have none; page
//!   faults, zeroing and the locks of a process's memory are not modelled, of which `Sys` mostly consists.
//! - `lu-normal`: the rows that count are means that differ by less than runs of one kernel do.
//!
//! # Changed after a table was seen
//!
//! - `nas-half` runs whole programs since two seconds of them were seen to be over before the balancer has spread
//!   the threads; the `services` of a pool are all woken, and do not keep calls back (`TCP_NODELAY`), since five of
//!   sixteen CPUs were seen busy at saturation; `netperf-stream` runs for four seconds. What was changed in the model
//!   of the hardware for a table is told in `teeter-machine`'s `speed`, what in programs in theirs.

mod print;
mod quantity;
mod score;
mod table;

use std::collections::BTreeMap;

use teeter_scenario::{Problem, Problems, Scenario};
use teeter_sim::RunResult;

pub use print::{json, text};
pub use quantity::{NumaCounter, Percentile, Quantity};
pub use score::{Agreement, MeasuredPair, Outcome, Row, Scored, SimulatedPair, overall};
pub use table::{
    Arm, Case, Change, Form, Measured, Observation, Significance, Statistic, Table, Target,
};

use crate::statistics::Sample;

/// Names each document after its file.
macro_rules! tables {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../tables/", $name, ".json")))),*]
    };
}

/// The documents, in the order they are shown.
const TABLES: &[(&str, &str)] = &tables![
    "lu-group",
    "lu-normal",
    "schbench-cgroup",
    "netperf-stream",
    "netperf-numa",
    "schbench-nodes",
    "nas-half",
    "controls",
    "hackbench",
    "tbench",
    "netperf-pairs",
    "schbench",
    "stream-10",
    "stream-100",
    "ycsb",
    "services",
    "genoa-hackbench",
    "numa01",
    "numa02",
    "numa03",
    "numa04",
    "numa05",
];

/// The names of all tables.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|(name, _)| *name)
}

/// The table of that name.
///
/// # Errors
/// Where there is none; the nearest is the hint.
pub fn table(name: &str) -> Result<Table, Problems> {
    let found = TABLES.iter().find(|(known, _)| *known == name);
    let (_, json) = found.ok_or_else(|| Problem::unknown("", "table", name, names()))?;
    serde_json::from_str(json).map_err(|error| Problem::new("", format!("{name}: {error}")).into())
}

/// Tables, and the runs they need.
#[derive(Clone, Debug)]
pub struct Replication {
    tables: Vec<Table>,
    repeats: u32,
    /// What is run, each once however many tables want it.
    scenarios: Vec<Scenario>,
    /// Which of them is which arm of which case of which table.
    places: BTreeMap<(usize, String, bool), usize>,
}

impl Replication {
    /// What has to be run for these tables, each scenario so many times.
    ///
    /// # Errors
    /// Where a table asks for what is no valid scenario: none as released.
    pub fn new(tables: Vec<Table>, repeats: u32) -> Result<Self, Problems> {
        let mut scenarios: Vec<Scenario> = Vec::new();
        let mut places = BTreeMap::new();
        for (at, table) in tables.iter().enumerate() {
            for (name, case) in &table.cases {
                for arm in [Arm::Baseline, Arm::Patched] {
                    let scenario = case.scenario(arm, repeats)?;
                    let known = scenarios.iter().position(|known| *known == scenario);
                    let place = known.unwrap_or_else(|| {
                        scenarios.push(scenario);
                        scenarios.len() - 1
                    });
                    places.insert((at, name.clone(), arm == Arm::Patched), place);
                }
            }
        }
        Ok(Self {
            tables,
            repeats,
            scenarios,
            places,
        })
    }

    /// The scenarios, each of one kernel, to be run for repeats 0 to [`Replication::repeats`].
    pub fn scenarios(&self) -> &[Scenario] {
        &self.scenarios
    }

    /// How often each is run.
    pub fn repeats(&self) -> u32 {
        self.repeats
    }

    /// Scores the tables by what the runs came to: of each scenario, in their order, all repeats.
    pub fn score(&self, runs: &[Vec<RunResult>]) -> Vec<Scored> {
        let of_table = |(at, table): (usize, &Table)| {
            score::score(table, &|observation| {
                let arm = observation.arm == Arm::Patched;
                let place = self.places.get(&(at, observation.case.clone(), arm));
                let repeats = place
                    .and_then(|&place| runs.get(place))
                    .into_iter()
                    .flatten();
                Sample::new(repeats.filter_map(|run| observation.quantity.of(run)))
            })
        };
        self.tables.iter().enumerate().map(of_table).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_can_be_read_and_asks_for_what_there_is() {
        for name in names() {
            let table = table(name).unwrap();
            assert_eq!(table.table, name);
            for row in &table.rows {
                assert!(table.cases.contains_key(&row.case), "{name}: {}", row.row);
            }
            for observation in table
                .targets
                .iter()
                .flat_map(|target| [Some(&target.of), target.over.as_ref()])
            {
                assert!(
                    observation.is_none_or(|it| table.cases.contains_key(&it.case)),
                    "{name}"
                );
            }
            let rows: Vec<&str> = table.rows.iter().map(|row| row.row.as_str()).collect();
            let mut named = rows.clone();
            named.sort_unstable();
            named.dedup();
            assert_eq!(
                named.len(),
                rows.len(),
                "{name}: a row has the name of another"
            );
            assert!(
                !Replication::new(vec![table], 1)
                    .unwrap()
                    .scenarios()
                    .is_empty()
            );
        }
    }

    #[test]
    fn tables_share_what_they_run() {
        let both = vec![table("lu-group").unwrap(), table("lu-normal").unwrap()];
        // Two cgroups and one, before and after.
        assert_eq!(Replication::new(both, 3).unwrap().scenarios().len(), 4);
    }

    /// A table of a short run of a small preset: `changes` go into its only row.
    fn scored(changes: &str) -> Scored {
        let json = format!(
            r#"{{ "table": "t", "seed_document": "000", "title": "t", "significance": "marked",
                "cases": {{ "c": {{ "preset": "laptop-mix", "kernels": ["v5.3", "v5.5"], "set": {{ "/run/duration": "200ms" }} }} }},
                "rows": [{{ "row": "r", "case": "c", "quantity": {{ "cpu_time": "timers" }}, "unit": "s", "marked": true, {changes} }}],
                "targets": [{{ "what": "w", "of": {{ "case": "c", "arm": "patched", "quantity": "busy" }}, "least": 1, "most": 100 }}] }}"#
        );
        let table = serde_json::from_str(&json).unwrap();
        let replication = Replication::new(vec![table], 2).unwrap();
        let run = |scenario: &Scenario, repeat| {
            let mut simulation = teeter_sim::Simulation::new(scenario, 0, repeat).unwrap();
            simulation.run_until(simulation.end());
            simulation.result()
        };
        let scenarios = replication.scenarios().iter();
        let runs: Vec<Vec<RunResult>> = scenarios
            .map(|scenario| (0..2).map(|repeat| run(scenario, repeat)).collect())
            .collect();
        replication.score(&runs).remove(0)
    }

    #[test]
    fn a_row_holds_what_was_measured_beside_what_was_run() {
        let scored = scored(r#""statistic": "max", "measured": [2, 3]"#);
        let row = &scored.rows[0];
        let [before, after] = &row.simulated.runs;
        assert_eq!((before.len(), after.len()), (2, 2));
        assert_eq!(row.simulated.baseline, Some(before[0].max(before[1])));
        assert_eq!(row.measured.unwrap().change_pct, Some(50.0));
        let change = row.simulated.change_pct.unwrap();
        assert_eq!(row.direction_agrees, Some(change > 0.0));
        assert_eq!(
            scored.directions(),
            Agreement {
                right: usize::from(change > 0.0),
                of: 1
            }
        );
        assert_eq!(scored.met(), Agreement { right: 1, of: 1 });
        assert!(text(&[scored], 2).contains("\n  met    w: "));
    }

    #[test]
    fn the_opposite_direction_is_a_miss_and_a_row_of_ones_own_is_neither() {
        let rising = scored(r#""statistic": "max", "measured": [2, 3]"#);
        let falling = scored(r#""statistic": "max", "measured": [3, 2]"#);
        let own = scored(r#""statistic": "max", "change": "plain""#);
        assert_eq!(rising.directions().right + falling.directions().right, 1);
        assert_eq!(own.directions(), Agreement::default());
        let rows: serde_json::Value = serde_json::from_str(&json(&[own, falling])).unwrap();
        assert_eq!(rows[0]["measured"], serde_json::Value::Null);
        assert_eq!(rows[0]["direction_agrees"], serde_json::Value::Null);
        assert_eq!(rows[1]["measured"]["baseline"], 3.0);
        assert_eq!(
            (&rows[1]["table"], &rows[1]["significant"]),
            (&"t".into(), &true.into())
        );
    }

    #[test]
    fn an_unknown_table_gets_a_hint() {
        let said = table("lu-grup").unwrap_err().to_string();
        assert_eq!(said, "unknown table `lu-grup` (did you mean `lu-group`?)");
    }

    #[test]
    fn the_mails_own_sense_of_a_change() {
        // Seed 004, numa01 Real: 530.25 to 507.83 is printed as 4.41486 %.
        let change = Change::FallOfNew.between(530.25, 507.83).unwrap();
        assert!((change - 4.414_86).abs() < 1e-3, "{change}");
        // Seed 002, Stddev of 64: 5.07 to 0.33 is printed as 93.55 % (of rounded values: 93.49).
        let change = Change::Fall.between(5.07, 0.33).unwrap();
        assert!((change - 93.55).abs() < 0.1, "{change}");
        assert_eq!(Change::Plain.between(0.0, 0.0), Some(0.0));
        assert_eq!(Change::Plain.between(0.0, 1.0), None);
    }

    #[test]
    fn rows_are_significant_by_the_rule_of_their_thread() {
        let row = |extra: &str| -> Measured {
            let common = r#""row": "r", "case": "c", "quantity": "busy", "unit": "x""#;
            serde_json::from_str(&format!("{{ {common}, {extra} }}")).unwrap()
        };
        let ranges = row(r#""measured": [1, 3], "ranges": [[0.5, 1.5], [2, 4]]"#);
        assert!(ranges.significant(Significance::DisjointRanges));
        let overlap = row(r#""measured": [1, 3], "ranges": [[0.5, 2.5], [2, 4]]"#);
        assert!(!overlap.significant(Significance::DisjointRanges));
        let varied =
            row(r#""measured": [1, 0.97], "change_pct": 2.88, "variation_pct": [1.4, 1.2]"#);
        assert!(varied.significant(Significance::TwiceVariation));
        let noisy =
            row(r#""measured": [1, 0.97], "change_pct": 2.88, "variation_pct": [2.88, 1.78]"#);
        assert!(!noisy.significant(Significance::TwiceVariation));
        let halved = row(r#""measured": [5.07, 2.4], "statistic": "stddev""#);
        assert!(halved.significant(Significance::MarkedOrTwofold));
        let fell = row(r#""measured": [423.47, 239.01], "statistic": "stddev""#);
        assert!(!fell.significant(Significance::MarkedOrTwofold));
        assert!(row(r#""measured": [1, 1.1], "marked": true"#).significant(Significance::Marked));
        assert!(!row(r#""marked": true"#).significant(Significance::Marked));
    }
}
