//! A measured table as a document: the numbers of the mail, and what to run and read to have them simulated.
//!
//! The documents lie in `crates/report/tables`. All that is in them is the mail's, but for what has to be said to
//! run the same: nothing is tuned here, and a scale at which a benchmark is run shorter is told in `scale`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use teeter_scenario::document::Kernel;
use teeter_scenario::{Problem, Problems, Scenario, pointer, presets};

use super::quantity::Quantity;

/// A table of one of the mails.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its name.
    pub table: String,
    /// The document it is from.
    pub seed_document: String,
    /// What was measured.
    pub title: String,
    /// When a row's change counts.
    pub significance: Significance,
    /// How the mail writes changes.
    #[serde(default)]
    pub change: Change,
    /// Whether the mail divides everything by the baseline.
    #[serde(default)]
    pub normalised: bool,
    /// What simulated numbers but percentages are multiplied by, because the benchmark runs shorter by so much.
    #[serde(default = "one")]
    pub factor: f64,
    /// How much shorter than in the mail the benchmark runs, and why that does not matter.
    #[serde(default)]
    pub scale: Option<String>,
    /// What to run.
    pub cases: BTreeMap<String, Case>,
    /// The rows.
    pub rows: Vec<Measured>,
    /// What else has to hold.
    #[serde(default)]
    pub targets: Vec<Target>,
    /// What is known of rows that are missed.
    #[serde(default)]
    pub notes: Vec<String>,
}

const fn one() -> f64 {
    1.0
}

/// When a change counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Significance {
    /// The ranges of the runs do not overlap.
    DisjointRanges,
    /// The mail marks it, or it is at least twofold.
    MarkedOrTwofold,
    /// It is more than twice the larger coefficient of variation.
    TwiceVariation,
    /// The mail says so of these rows (the percentiles from p99 upward).
    Marked,
}

/// How a change is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// New against old, in percent of the old.
    #[default]
    Plain,
    /// The same, where a fall is a gain and written positive.
    Fall,
    /// A fall in percent of the new value, as seed 004 has it.
    FallOfNew,
}

impl Change {
    /// From one value to another in percent; `None` from 0.
    pub fn between(self, from: f64, to: f64) -> Option<f64> {
        let change = match self {
            Self::Plain => 100.0 * (to - from) / from.abs(),
            Self::Fall => 100.0 * (from - to) / from.abs(),
            Self::FallOfNew => 100.0 * (from - to) / to.abs(),
        };
        if change.is_nan() {
            Some(0.0)
        } else {
            change.is_finite().then_some(change)
        }
    }
}

/// What is run twice: the baseline, and the patched.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The scenario.
    pub preset: String,
    /// What of it is set, by JSON Pointer.
    #[serde(default)]
    pub set: Map<String, Value>,
    /// The kernels of the baseline and of the patched run.
    pub kernels: [String; 2],
    /// Another scenario for the patched run, where it is not the kernel that differs.
    #[serde(default)]
    pub patched_preset: Option<String>,
}

/// The baseline or the patched run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arm {
    /// As it was.
    Baseline,
    /// As changed.
    Patched,
}

/// One row of the mail.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Its name.
    pub row: String,
    /// The case it is of.
    pub case: String,
    /// What is read of each run.
    pub quantity: Quantity,
    /// What the repeats come to.
    #[serde(default)]
    pub statistic: Statistic,
    /// Unit.
    pub unit: String,
    /// Baseline and patched; `None`: a row that the mail does not have.
    #[serde(default)]
    pub measured: Option<[f64; 2]>,
    /// The change as the mail prints it; else it is computed.
    #[serde(default)]
    pub change_pct: Option<f64>,
    /// How this row's change is written, where it is not as the rest of the table.
    #[serde(default)]
    pub change: Option<Change>,
    /// Least and greatest of the baseline's runs, and of the patched ones.
    #[serde(default)]
    pub ranges: Option<[[f64; 2]; 2]>,
    /// Coefficients of variation in percent.
    #[serde(default)]
    pub variation_pct: Option<[f64; 2]>,
    /// The mail marks it, or says in words that it stands out.
    #[serde(default)]
    pub marked: bool,
}

/// What repeats come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Statistic {
    /// Arithmetic mean.
    #[default]
    Amean,
    /// Harmonic mean.
    Hmean,
    /// Geometric mean.
    Gmean,
    /// Standard deviation.
    Stddev,
    /// Least.
    Min,
    /// First quartile.
    Q1,
    /// Median.
    Median,
    /// Third quartile.
    Q3,
    /// Greatest.
    Max,
    /// One run, from 1; with fewer repeats they are counted through again.
    Run(u32),
}

/// Something that has to hold besides directions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// In words.
    pub what: String,
    /// The number.
    pub of: Observation,
    /// What it is divided by or held against.
    #[serde(default)]
    pub over: Option<Observation>,
    /// How.
    #[serde(default)]
    pub form: Form,
    /// It has to be at least so much.
    #[serde(default)]
    pub least: Option<f64>,
    /// And at most so much.
    #[serde(default)]
    pub most: Option<f64>,
}

/// What two observations come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// One divided by the other; one alone.
    #[default]
    Ratio,
    /// One against the other, in percent of the other.
    ChangePct,
}

/// One number of one arm of one case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// The case.
    pub case: String,
    /// Which run of it.
    pub arm: Arm,
    /// What is read of each run.
    pub quantity: Quantity,
    /// What the repeats come to.
    #[serde(default)]
    pub statistic: Statistic,
}

impl Case {
    /// The scenario of one of its arms, for so many repeats.
    ///
    /// # Errors
    /// Where it is no valid scenario: none as released.
    pub fn scenario(&self, arm: Arm, repeats: u32) -> Result<Scenario, Problems> {
        let (preset, [before, after]) = (&self.preset, &self.kernels);
        let (preset, kernel) = match arm {
            Arm::Baseline => (preset, before),
            Arm::Patched => (self.patched_preset.as_ref().unwrap_or(preset), after),
        };
        let mut scenario = presets::get(preset)?;
        scenario.kernels = Kernel::replace(&scenario.kernels, std::slice::from_ref(kernel));
        scenario.run.repeats = repeats;
        if self.set.is_empty() {
            return Ok(scenario);
        }
        let invalid = |error: String| Problems::from(Problem::new("", error));
        let mut document: Value = serde_json::from_str(&scenario.to_json())
            .map_err(|error| invalid(error.to_string()))?;
        for (place, value) in &self.set {
            pointer::set(&mut document, place, value.clone())
                .map_err(|error| invalid(error.to_string()))?;
        }
        Scenario::from_json(&document.to_string())
    }
}

impl Measured {
    /// Whether the mail's change is one.
    pub fn significant(&self, rule: Significance) -> bool {
        let Some([before, after]) = self.measured else {
            return false;
        };
        self.marked
            || match rule {
                Significance::DisjointRanges => {
                    self.ranges
                        .is_some_and(|[[least, most], [new_least, new_most]]| {
                            most < new_least || new_most < least
                        })
                }
                Significance::TwiceVariation => {
                    let change = self
                        .change_pct
                        .unwrap_or(100.0 * (after - before) / before.abs());
                    self.variation_pct
                        .is_some_and(|[a, b]| change.abs() > 2.0 * a.max(b))
                }
                Significance::MarkedOrTwofold => {
                    let twofold = after >= 2.0 * before || before >= 2.0 * after;
                    let spread = self.statistic == Statistic::Stddev || self.unit == "count";
                    spread && twofold && (before > 0.0 || after > 0.0)
                }
                Significance::Marked => false,
            }
    }

    /// How far the mail's own runs are apart, in percent; `None` where it does not tell.
    pub fn noise_pct(&self) -> Option<f64> {
        let of_range = |[least, most]: [f64; 2]| {
            let middle = f64::midpoint(least, most);
            if middle > 0.0 {
                100.0 * (most - least) / middle
            } else {
                0.0
            }
        };
        let variation = self.variation_pct.map(|[a, b]| a.max(b));
        variation.or_else(|| self.ranges.map(|[a, b]| of_range(a).max(of_range(b))))
    }
}
