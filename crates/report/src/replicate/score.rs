//! What the simulation made of a table, beside what was measured.

use serde::Serialize;

use super::table::{Arm, Change, Form, Measured, Observation, Statistic, Table};
use crate::statistics::Sample;

/// One row, as `teeter replicate --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The table.
    pub table: String,
    /// The row.
    pub row: String,
    /// The document it is from.
    pub seed_document: String,
    /// Unit.
    pub unit: String,
    /// What the mail has; `None` for a row that it does not have.
    pub measured: Option<MeasuredPair>,
    /// What came out here.
    pub simulated: SimulatedPair,
    /// Whether the mail's change counts.
    pub significant: bool,
    /// Whether the change has the mail's sign; `None` for a row that the mail does not have.
    pub direction_agrees: Option<bool>,
}

/// The mail's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeasuredPair {
    /// Before.
    pub baseline: f64,
    /// After.
    pub patched: f64,
    /// In the mail's own sense.
    pub change_pct: Option<f64>,
    /// How far the mail's runs are apart; `None` where it does not tell.
    pub noise_pct: Option<f64>,
}

/// The simulation's numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SimulatedPair {
    /// Before.
    pub baseline: Option<f64>,
    /// After.
    pub patched: Option<f64>,
    /// In the mail's own sense.
    pub change_pct: Option<f64>,
    /// The larger coefficient of variation over the repeats.
    pub spread_pct: Option<f64>,
    /// How often a repeat of the one and a repeat of the other differ as the means do, in percent of all pairs: 100 is
    /// a change that every boot shows, 50 is chance.
    pub consistent_pct: Option<f64>,
    /// Every repeat.
    pub runs: [Vec<f64>; 2],
}

/// What became of a target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// In words.
    pub what: String,
    /// The number.
    pub value: Option<f64>,
    /// From where to where it should be.
    pub least: Option<f64>,
    /// See `least`.
    pub most: Option<f64>,
    /// Whether it is.
    pub met: bool,
}

/// A table with all its rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scored {
    /// Its name.
    pub table: String,
    /// The document it is from.
    pub seed_document: String,
    /// What was measured.
    pub title: String,
    /// The rows.
    pub rows: Vec<Row>,
    /// The targets.
    pub targets: Vec<Outcome>,
    /// At which scale it was run.
    pub scale: Option<String>,
    /// What is known of what is missed.
    pub notes: Vec<String>,
}

/// How much of something is right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Agreement {
    /// So many are.
    pub right: usize,
    /// Of so many.
    pub of: usize,
}

impl Agreement {
    fn count(all: impl Iterator<Item = bool>) -> Self {
        all.fold(Self::default(), |sum, right| Self {
            right: sum.right + usize::from(right),
            of: sum.of + 1,
        })
    }

    /// All of them are.
    pub fn whole(self) -> bool {
        self.right == self.of
    }
}

impl Scored {
    /// Directions over the significant rows.
    pub fn directions(&self) -> Agreement {
        let significant = self.rows.iter().filter(|row| row.significant);
        Agreement::count(significant.map(|row| row.direction_agrees == Some(true)))
    }

    /// Targets met.
    pub fn met(&self) -> Agreement {
        Agreement::count(self.targets.iter().map(|target| target.met))
    }

    /// In a few words.
    pub fn verdict(&self) -> String {
        let (directions, met) = (self.directions(), self.met());
        let word = match (directions.whole(), met.whole()) {
            _ if directions.of + met.of == 0 => "nothing to hold it against",
            (true, true) => "replicated",
            (false, false) => "missed in directions and in size",
            (true, false) => "directions replicated, not all sizes",
            (false, true) => "sizes as aimed at, not all directions",
        };
        let targets = if met.of > 0 {
            format!("; {} of {} targets met", met.right, met.of)
        } else {
            String::new()
        };
        let direction = match directions.of {
            0 => "no row stands out of the mail's noise".to_owned(),
            of => format!(
                "direction right on {} of {of} significant rows",
                directions.right
            ),
        };
        format!("{word}: {direction}{targets}")
    }
}

/// Directions over all tables.
pub fn overall(tables: &[Scored]) -> Agreement {
    tables
        .iter()
        .map(Scored::directions)
        .fold(Agreement::default(), |sum, table| Agreement {
            right: sum.right + table.right,
            of: sum.of + table.of,
        })
}

/// Scores a table; `values` reads a quantity of every repeat of an arm.
pub(super) fn score(table: &Table, values: &dyn Fn(&Observation) -> Sample) -> Scored {
    let rows = table
        .rows
        .iter()
        .map(|measured| row(table, measured, values));
    let targets = table.targets.iter().map(|target| {
        let number = |observation: &Observation| observation.statistic.of(&values(observation));
        let of = number(&target.of);
        let value = match &target.over {
            None => of,
            Some(over) => of
                .zip(number(over))
                .and_then(|(of, over)| match target.form {
                    Form::Ratio => (over != 0.0).then(|| of / over),
                    Form::ChangePct => Change::Plain.between(over, of),
                }),
        };
        let within = |value: f64| {
            target.least.is_none_or(|least| value >= least)
                && target.most.is_none_or(|most| value <= most)
        };
        Outcome {
            what: target.what.clone(),
            value,
            least: target.least,
            most: target.most,
            met: value.is_some_and(within),
        }
    });
    Scored {
        table: table.table.clone(),
        seed_document: table.seed_document.clone(),
        title: table.title.clone(),
        rows: rows.collect(),
        targets: targets.collect(),
        scale: table.scale.clone(),
        notes: table.notes.clone(),
    }
}

fn row(table: &Table, measured: &Measured, values: &dyn Fn(&Observation) -> Sample) -> Row {
    let sample = |arm| {
        values(&Observation {
            case: measured.case.clone(),
            arm,
            quantity: measured.quantity.clone(),
            statistic: measured.statistic,
        })
    };
    let change = measured.change.unwrap_or(table.change);
    let samples = [sample(Arm::Baseline), sample(Arm::Patched)];
    let [mut baseline, mut patched] = samples
        .each_ref()
        .map(|sample| measured.statistic.of(sample));
    let simulated_change = baseline
        .zip(patched)
        .and_then(|(from, to)| change.between(from, to));
    let factor = if measured.unit == "%" {
        1.0
    } else {
        table.factor
    };
    (baseline, patched) = (
        baseline.map(|it| it * factor),
        patched.map(|it| it * factor),
    );
    if table.normalised {
        patched = baseline.zip(patched).map(|(from, to)| to / from);
        baseline = baseline.map(|_| 1.0);
    }
    let pair = measured.measured.map(|[baseline, patched]| MeasuredPair {
        baseline,
        patched,
        change_pct: measured
            .change_pct
            .or_else(|| change.between(baseline, patched)),
        noise_pct: measured.noise_pct(),
    });
    let agrees = |pair: MeasuredPair| {
        let (a, b) = (
            pair.change_pct.unwrap_or(0.0),
            simulated_change.unwrap_or(0.0),
        );
        simulated_change.is_some() && sign(a) == sign(b)
    };
    Row {
        table: table.table.clone(),
        row: measured.row.clone(),
        seed_document: table.seed_document.clone(),
        unit: measured.unit.clone(),
        direction_agrees: pair.map(agrees),
        measured: pair,
        significant: measured.significant(table.significance),
        simulated: SimulatedPair {
            baseline,
            patched,
            change_pct: simulated_change,
            spread_pct: samples.iter().filter_map(Sample::cv_pct).reduce(f64::max),
            consistent_pct: consistent(&samples),
            runs: samples.map(|sample| sample.values().to_vec()),
        },
    }
}

fn sign(number: f64) -> i8 {
    i8::from(number > 0.0) - i8::from(number < 0.0)
}

/// How many of all pairs of repeats differ as the means do.
fn consistent([before, after]: &[Sample; 2]) -> Option<f64> {
    let toward = sign(after.amean()? - before.amean()?);
    let pairs = before
        .values()
        .iter()
        .flat_map(|from| after.values().iter().map(move |to| sign(to - from)));
    let agreement = Agreement::count(pairs.map(|pair| pair == toward));
    (agreement.of > 0).then(|| 100.0 * agreement.right as f64 / agreement.of as f64)
}

impl Statistic {
    /// What the repeats come to.
    pub fn of(self, sample: &Sample) -> Option<f64> {
        match self {
            Self::Amean => sample.amean(),
            Self::Hmean => sample.hmean(),
            Self::Gmean => sample.gmean(),
            Self::Stddev => sample.stddev(),
            Self::Min => sample.quantile(0.0),
            Self::Q1 => sample.quantile(0.25),
            Self::Median => sample.quantile(0.5),
            Self::Q3 => sample.quantile(0.75),
            Self::Max => sample.quantile(1.0),
            Self::Run(number) => {
                let values = sample.values();
                let at = (number.saturating_sub(1) as usize).checked_rem(values.len())?;
                values.get(at).copied()
            }
        }
    }
}
