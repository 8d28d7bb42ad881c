//! Kernels side by side, as mmtests prints them: for each figure the mean over the repeats, how it spreads, and what
//! the other kernels change of the first one's.
//!
//! A change is marked `*` where Welch's t-test finds the two means apart at 5 %. With one repeat nothing is marked.

mod print;

use serde::Serialize;
use teeter_scenario::Scenario;
use teeter_sim::{Better, RunResult};

use crate::figure::{Figure, figures};
use crate::statistics::{Sample, Summary, welch};

/// Above this chance that two means are the same, a difference is not marked.
const CHANCE: f64 = 0.05;

/// The kernels of one scenario, over all repeats.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Version of the engine.
    pub engine: String,
    /// The scenario's name.
    pub name: String,
    /// Simulated time of each run, ns.
    pub duration_ns: u64,
    /// The kernels; the first is what the others are held against.
    pub kernels: Vec<String>,
    /// The seed of each repeat.
    pub seeds: Vec<u64>,
    /// The figures.
    pub figures: Vec<Row>,
}

/// One figure under each kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Which.
    #[serde(flatten)]
    pub figure: Figure,
    /// The mean that is compared: `Hmean` of rates, else `Amean`.
    pub mean: &'static str,
    /// What came of it under each kernel.
    pub kernels: Vec<Column>,
}

/// One figure under one kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Column {
    /// The kernel.
    pub kernel: String,
    /// The values, in the order of the seeds.
    pub values: Vec<f64>,
    /// What they come to.
    #[serde(flatten)]
    pub summary: Summary,
    /// Change of the mean against the first kernel, in percent of the first kernel's.
    pub change_pct: Option<f64>,
    /// The same where more is better: positive is a gain, as mmtests prints it. `None` for what is neither.
    pub gain_pct: Option<f64>,
    /// Change of the standard deviation in mmtests' sense: positive is less spread.
    pub stddev_gain_pct: Option<f64>,
    /// The chance of such a difference between equal means (Welch's t-test).
    pub p_value: Option<f64>,
    /// Whether that chance is below 5 %.
    pub significant: bool,
}

impl Comparison {
    /// Compares the runs of a scenario: a list for each kernel, in the scenario's order, of a run for each repeat.
    pub fn new(engine: &str, scenario: &Scenario, runs: &[Vec<RunResult>]) -> Self {
        let all: Vec<Vec<Vec<Figure>>> = runs
            .iter()
            .map(|kernel| kernel.iter().map(figures).collect())
            .collect();
        // A kernel may have a figure that another has not, such as NUMA counters.
        let mut like: Vec<Figure> = Vec::new();
        for figure in all.iter().flatten().flatten() {
            if !like.iter().any(|known| known.is_like(figure)) {
                let place = like.iter().rposition(|known| known.task == figure.task);
                like.insert(place.map_or(like.len(), |place| place + 1), figure.clone());
            }
        }
        let kernels: Vec<String> = scenario
            .kernels
            .iter()
            .map(|kernel| kernel.title().to_owned())
            .collect();
        let figures = like.into_iter().map(|figure| row(figure, &kernels, &all));
        Self {
            engine: engine.to_owned(),
            name: scenario.name.clone(),
            duration_ns: scenario.run.duration.as_nanos(),
            figures: figures.collect(),
            kernels,
            seeds: runs
                .first()
                .into_iter()
                .flatten()
                .map(|run| run.seed)
                .collect(),
        }
    }
}

fn row(figure: Figure, kernels: &[String], all: &[Vec<Vec<Figure>>]) -> Row {
    let samples: Vec<Sample> = all
        .iter()
        .map(|runs| {
            Sample::new(runs.iter().map(|run| {
                let found = run.iter().find(|other| other.is_like(&figure));
                // What a kernel never counted is 0; a time that did not come is no number.
                found.map_or(
                    if figure.unit.is_empty() {
                        0.0
                    } else {
                        f64::NAN
                    },
                    |figure| figure.value,
                )
            }))
        })
        .collect();
    let rate = figure.better == Some(Better::Higher)
        && samples.iter().all(|sample| sample.hmean().is_some());
    let mean = |sample: &Sample| if rate { sample.hmean() } else { sample.amean() };
    let columns = kernels
        .iter()
        .zip(&samples)
        .enumerate()
        .map(|(at, (kernel, sample))| {
            let first = samples.first();
            let change_pct = first.and_then(|first| change(mean(first)?, mean(sample)?));
            let p_value = first
                .filter(|_| at > 0)
                .and_then(|first| welch(first, sample));
            Column {
                kernel: kernel.clone(),
                values: sample.values().to_vec(),
                summary: sample.summary(),
                change_pct,
                gain_pct: match figure.better {
                    Some(Better::Higher) => change_pct,
                    Some(Better::Lower) => change_pct.map(|change| 0.0 - change),
                    None => None,
                },
                stddev_gain_pct: first
                    .and_then(|first| Some(0.0 - change(first.stddev()?, sample.stddev()?)?)),
                p_value,
                significant: p_value.is_some_and(|p| p < CHANCE),
            }
        });
    Row {
        mean: if rate { "Hmean" } else { "Amean" },
        kernels: columns.collect(),
        figure,
    }
}

impl Row {
    /// The mean that is compared.
    fn compared(&self, column: &Column) -> Option<f64> {
        if self.mean == "Hmean" {
            column.summary.hmean
        } else {
            column.summary.amean
        }
    }
}

/// From one value to another, in percent of the first; `None` from 0.
fn change(from: f64, to: f64) -> Option<f64> {
    let change = 100.0 * (to - from) / from.abs();
    if change.is_nan() {
        Some(0.0)
    } else {
        change.is_finite().then_some(change)
    }
}
