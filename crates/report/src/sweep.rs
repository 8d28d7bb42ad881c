//! A grid over places of a scenario: every combination of their values, each with several seeds.
//!
//! ```json
//! { "teeter-sweep": 1,
//!   "scenario": { "teeter": 1, "machine": { "preset": "haswell-2s" }, "tasks": [{ "name": "a", "workload": "hog" }] },
//!   "grid": { "/tasks/0/threads": [2, 4, 8], "/kernels/0/set/domain.NUMA.imbalance_pct": [110, 125] },
//!   "seeds": 3 }
//! ```
//!
//! The order is fixed by the document: the last place of the grid changes fastest, then come the kernels of the
//! scenario, then the seeds. Each job has one line of output, which depends on nothing but the document and its number.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use teeter_scenario::{Problems, Scenario, pointer, presets};
use teeter_sim::RunResult;

/// Jobs that one sweep may have.
const JOBS: usize = 1_000_000;

/// A sweep that makes sense: every point of it is a valid scenario.
#[derive(Clone, Debug)]
pub struct Sweep {
    scenario: Value,
    grid: Vec<(String, Vec<Value>)>,
    seeds: u32,
    jobs: Vec<Job>,
}

/// One run of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Number of the point in the grid, from 0.
    pub point: usize,
    /// Number of the kernel in the point's scenario, from 0.
    pub kernel: usize,
    /// Number of the seed, from 0: the `repeat` of [`teeter_sim::Simulation::new`].
    pub repeat: u32,
}

/// A sweep as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(rename = "teeter-sweep")]
    version: u32,
    scenario: Value,
    #[serde(default)]
    grid: Map<String, Value>,
    #[serde(default = "one")]
    seeds: u32,
}

/// One line of the output.
#[derive(Serialize)]
struct Line<'a> {
    point: Map<String, Value>,
    /// From 1.
    seed: u32,
    run: &'a RunResult,
}

/// What of a line tells whose it is.
#[derive(Deserialize)]
struct Known {
    point: Map<String, Value>,
    seed: u32,
    run: KnownRun,
}

#[derive(Deserialize)]
struct KnownRun {
    kernel: String,
}

/// Why a sweep can not be run.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// It is no JSON, or not of this shape.
    #[error("{0}")]
    Shape(#[from] serde_json::Error),
    /// It was written for another version.
    #[error("/teeter-sweep: version {0} is not known, 1 is")]
    Version(u32),
    /// Something of the grid is not a list of values.
    #[error("/grid: {0}: a list of at least one value is expected")]
    Values(String),
    /// Without a seed there is nothing to run.
    #[error("/seeds: {0} is not within 1 to 1000")]
    Seeds(u32),
    /// There would be too many jobs.
    #[error("more than {JOBS} runs")]
    Jobs,
    /// The scenario itself has problems.
    #[error("/scenario: {0}")]
    Scenario(Problems),
    /// A place of the grid is not in the scenario.
    #[error("/grid: {0}")]
    Pointer(#[from] pointer::PointerError),
    /// A point of the grid is no valid scenario.
    #[error("/grid: at {point}: {problems}")]
    Point {
        /// The point, as `place = value`.
        point: String,
        /// What is wrong with it.
        problems: Problems,
    },
    /// What is said to be the beginning of the output is that of another sweep.
    #[error("line {line} is not of this sweep")]
    Stranger {
        /// Its number, from 1.
        line: usize,
    },
}

const fn one() -> u32 {
    1
}

impl Sweep {
    /// Reads a sweep, and makes sure that every point of it is a valid scenario.
    ///
    /// # Errors
    /// What is wrong with it, with the place.
    pub fn from_json(text: &str) -> Result<Self, SweepError> {
        let document: Document = serde_json::from_str(text)?;
        if document.version != 1 {
            return Err(SweepError::Version(document.version));
        }
        if !(1..=1000).contains(&document.seeds) {
            return Err(SweepError::Seeds(document.seeds));
        }
        let grid = document
            .grid
            .into_iter()
            .map(|(place, values)| match values {
                Value::Array(values) if !values.is_empty() => Ok((place, values)),
                _ => Err(SweepError::Values(place)),
            });
        let mut sweep = Self {
            scenario: base(&document.scenario)?,
            grid: grid.collect::<Result<_, _>>()?,
            seeds: document.seeds,
            jobs: Vec::new(),
        };
        let mut points = sweep.grid.iter().map(|(_, values)| values.len());
        let points = points
            .try_fold(1_usize, usize::checked_mul)
            .filter(|&points| points <= JOBS);
        for point in 0..points.ok_or(SweepError::Jobs)? {
            for kernel in 0..sweep.at(point)?.kernels.len() {
                let repeats = 0..sweep.seeds;
                sweep.jobs.extend(repeats.map(|repeat| Job {
                    point,
                    kernel,
                    repeat,
                }));
            }
            if sweep.jobs.len() > JOBS {
                return Err(SweepError::Jobs);
            }
        }
        Ok(sweep)
    }

    /// All jobs, in their order.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The scenario of a point.
    ///
    /// # Errors
    /// Where the point is no valid scenario; none for the points of [`Sweep::jobs`].
    pub fn at(&self, point: usize) -> Result<Scenario, SweepError> {
        let mut document = self.scenario.clone();
        let values = self.point(point);
        for (place, value) in &values {
            pointer::set(&mut document, place, value.clone())?;
        }
        pointer::set(&mut document, "/run/repeats", self.seeds.into())?;
        Scenario::from_json(&document.to_string()).map_err(|problems| SweepError::Point {
            point: told(&values),
            problems,
        })
    }

    /// The values of a point, in the grid's order.
    pub fn point(&self, point: usize) -> Map<String, Value> {
        let mut rest = point;
        let mut values: Vec<(String, Value)> = Vec::with_capacity(self.grid.len());
        for (place, all) in self.grid.iter().rev() {
            values.extend(
                all.get(rest % all.len())
                    .map(|value| (place.clone(), value.clone())),
            );
            rest /= all.len();
        }
        values.into_iter().rev().collect()
    }

    /// A point for people.
    pub fn name(&self, point: usize) -> String {
        told(&self.point(point))
    }

    /// What is printed of a job: one line of JSON.
    pub fn line(&self, job: Job, run: &RunResult) -> String {
        let line = Line {
            point: self.point(job.point),
            seed: job.repeat + 1,
            run,
        };
        // Every key is a text, so that nothing can fail here.
        serde_json::to_string(&line).unwrap_or_default() + "\n"
    }

    /// How many bytes of an earlier output are whole lines of these jobs, and how many jobs that is: where to go on.
    ///
    /// # Errors
    /// [`SweepError::Stranger`] where a whole line is not that of the job whose turn it would be.
    pub fn done(&self, jobs: &[Job], output: &str) -> Result<(usize, usize), SweepError> {
        let mut bytes = 0;
        let mut count = 0;
        for line in output
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
        {
            let known: Option<Known> = serde_json::from_str(line).ok();
            let own = jobs
                .get(count)
                .zip(known)
                .is_some_and(|(&job, known)| self.is_of(job, &known));
            if !own {
                return Err(SweepError::Stranger { line: count + 1 });
            }
            bytes += line.len();
            count += 1;
        }
        Ok((bytes, count))
    }

    fn is_of(&self, job: Job, known: &Known) -> bool {
        let kernel = self.at(job.point).ok();
        let title = kernel
            .as_ref()
            .and_then(|scenario| scenario.kernels.get(job.kernel));
        known.point == self.point(job.point)
            && known.seed == job.repeat + 1
            && title.is_some_and(|kernel| kernel.title() == known.run.kernel)
    }
}

/// The scenario that the grid changes, as a document with its kernels written out. `"preset:NAME"` stands for one.
fn base(scenario: &Value) -> Result<Value, SweepError> {
    let name = scenario
        .as_str()
        .and_then(|name| name.strip_prefix("preset:"));
    let scenario = match name {
        Some(name) => presets::get(name),
        None => Scenario::from_json(&scenario.to_string()),
    };
    let json = scenario.map_err(SweepError::Scenario)?.to_json();
    Ok(serde_json::from_str(&json)?)
}

fn told(values: &Map<String, Value>) -> String {
    let values: Vec<String> = values
        .iter()
        .map(|(place, value)| format!("{place} = {value}"))
        .collect();
    values.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWEEP: &str = r#"{ "teeter-sweep": 1,
        "scenario": { "teeter": 1, "machine": { "preset": "laptop" },
            "tasks": [{ "name": "p", "workload": { "periodic": { "run": "1ms", "period": "4ms" } } }] },
        "grid": { "/tasks/0/threads": [2, 4], "/kernels/0/set/hz": [250, 1000], "/run/seed": [5] },
        "seeds": 2 }"#;

    fn refused(from: &str, to: &str) -> String {
        Sweep::from_json(&SWEEP.replace(from, to))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn the_last_place_changes_fastest_then_the_seed() {
        let sweep = Sweep::from_json(SWEEP).unwrap();
        let points: Vec<(u64, i64, u32)> = sweep
            .jobs()
            .iter()
            .map(|job| {
                let point = sweep.point(job.point);
                let value = |place: &str| point[place].as_i64().unwrap();
                (
                    value("/tasks/0/threads") as u64,
                    value("/kernels/0/set/hz"),
                    job.repeat,
                )
            })
            .collect();
        assert_eq!(
            points[..4],
            [(2, 250, 0), (2, 250, 1), (2, 1000, 0), (2, 1000, 1)]
        );
        assert_eq!(points.len(), 8);
        assert_eq!(points[7], (4, 1000, 1));
        let keys: Vec<String> = sweep.point(0).keys().cloned().collect();
        assert_eq!(keys, ["/tasks/0/threads", "/kernels/0/set/hz", "/run/seed"]);
    }

    #[test]
    fn a_point_changes_the_scenario() {
        let sweep = Sweep::from_json(SWEEP).unwrap();
        let last = sweep.at(3).unwrap();
        assert_eq!(
            (last.tasks[0].threads, last.run.seed, last.run.repeats),
            (4, 5, 2)
        );
        assert_eq!(last.kernels[0].set["hz"].to_string(), "1000");
        assert_eq!(
            sweep.name(3),
            "/tasks/0/threads = 4, /kernels/0/set/hz = 1000, /run/seed = 5"
        );
    }

    #[test]
    fn kernels_may_be_swept_too() {
        let sweep = SWEEP.replace(
            "\"/run/seed\": [5]",
            r#""/kernels": [["v5.3"], ["v5.5", "v5.6"]]"#,
        );
        let sweep =
            Sweep::from_json(&sweep.replace("\"/kernels/0/set/hz\": [250, 1000], ", "")).unwrap();
        let kernels: Vec<(usize, usize)> = sweep
            .jobs()
            .iter()
            .map(|job| (job.point, job.kernel))
            .collect();
        assert_eq!(
            kernels[..6],
            [(0, 0), (0, 0), (1, 0), (1, 0), (1, 1), (1, 1)]
        );
    }

    #[test]
    fn a_preset_may_stand_for_a_scenario() {
        let sweep = r#"{ "teeter-sweep": 1, "scenario": "preset:laptop-mix", "grid": { "/run/seed": [1, 2] } }"#;
        let sweep = Sweep::from_json(sweep).unwrap();
        assert_eq!(sweep.jobs().len(), 4);
        let unknown = r#"{ "teeter-sweep": 1, "scenario": "preset:none" }"#;
        let said = Sweep::from_json(unknown).unwrap_err().to_string();
        assert!(
            said.starts_with("/scenario: unknown preset `none`"),
            "{said}"
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        assert_eq!(
            refused("/tasks/0/threads", "/tasks/1/threads"),
            "/grid: there is no place `/tasks/1/threads` in the scenario"
        );
        let said = refused("[2, 4]", "[2, 0]");
        assert!(
            said.starts_with("/grid: at /tasks/0/threads = 0, /kernels/0/set/hz = 250"),
            "{said}"
        );
        assert!(said.contains(": /tasks/0/threads: "), "{said}");
        assert_eq!(
            refused("[2, 4]", "2"),
            "/grid: /tasks/0/threads: a list of at least one value is expected"
        );
        assert_eq!(
            refused("\"seeds\": 2", "\"seeds\": 0"),
            "/seeds: 0 is not within 1 to 1000"
        );
        assert_eq!(
            refused("\"teeter-sweep\": 1", "\"teeter-sweep\": 2"),
            "/teeter-sweep: version 2 is not known, 1 is"
        );
        assert!(refused("\"grid\"", "\"gird\"").contains("unknown field `gird`"));
        assert!(
            refused("\"workload\"", "\"wrokload\"").starts_with("/scenario: /tasks/0/wrokload: ")
        );
    }
}
