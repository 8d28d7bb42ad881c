//! The benchmarks: how fast the engine is here, and how many instructions it takes.
//!
//! Times differ from run to run and from machine to machine, counts of instructions hardly: they are compared with
//! those that the repository holds. The count is of the same compiler only.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::debian::{self, Distribution};
use crate::error::{Error, Result};
use crate::program::{Program, on_path};
use crate::step::Step;
use crate::workshop::Workshop;

/// Where the counts are kept: a line for the compiler, then a scenario, its events and its instructions in each.
const BASELINE: &str = "tests/bench/instructions.txt";

/// A count may grow by so much before it is reported, %.
const TOLERANCE: f64 = 3.0;

/// A scenario's count.
#[derive(Clone, Debug, PartialEq)]
struct Count {
    name: String,
    /// How many events are counted.
    events: u64,
    instructions: u64,
}

/// What the repository holds.
#[derive(Clone, Debug, PartialEq)]
struct Baseline {
    compiler: String,
    counts: Vec<Count>,
}

/// Measures the standard scenarios, then counts their instructions and compares; `bless`: keeps them instead.
///
/// # Errors
/// [`Error::Slower`] where a count has grown; else as the programs that are run.
pub(crate) fn run(workshop: &Workshop, bless: bool) -> Result<()> {
    let build = ["build", "--release", "--package", "teeter-cli"];
    workshop.cargo().args(build).run()?;
    let teeter = release_dir(workshop).join("teeter");
    Program::new(&teeter).args(["bench"]).run()?;
    let step = Step::begin("instructions");
    if on_path(&["valgrind"]).is_none() {
        if Distribution::here() == Distribution::Other {
            step.done("not counted: that takes valgrind");
            return Ok(());
        }
        debian::install(&step, workshop.cache(), &["valgrind"])?;
    }
    let path = workshop.checkout().join(BASELINE);
    let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    let baseline = Baseline::read(&text);
    let compiler = Program::new("rustc").args(["--version"]).output()?;
    let mut now = Baseline {
        compiler: compiler.trim().to_owned(),
        counts: Vec::new(),
    };
    let out = workshop.cache().log("callgrind");
    for count in &baseline.counts {
        let instructions = instructions(&teeter, count, &out)?;
        now.counts.push(Count {
            instructions,
            ..count.clone()
        });
    }
    print!("{}", table(&baseline, &now));
    if bless {
        fs::write(&path, now.to_text()).map_err(Error::file("write", &path))?;
        step.done("kept");
        return Ok(());
    }
    if baseline.compiler != now.compiler {
        step.done("not judged: those in the repository are of another compiler");
        return Ok(());
    }
    let slower = grown(&baseline, &now);
    if slower.is_empty() {
        step.done("none has grown");
        return Ok(());
    }
    Err(Error::Slower { scenarios: slower })
}

/// Where cargo puts what it builds for release.
fn release_dir(workshop: &Workshop) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| PathBuf::from("target"));
    workshop.checkout().join(target).join("release")
}

/// Counts what one scenario takes from its first event to its last.
fn instructions(teeter: &Path, count: &Count, out: &Path) -> Result<u64> {
    let mut file = std::ffi::OsString::from("--callgrind-out-file=");
    file.push(out);
    Program::new("valgrind")
        .args([
            "--quiet",
            "--tool=callgrind",
            "--toggle-collect=*bench::simulate*",
        ])
        .args([file])
        .args([teeter])
        .args(["bench", "--json", "--only", &count.name])
        .args(["--events", &count.events.to_string()])
        .output()?;
    let text = fs::read_to_string(out).map_err(Error::file("read", out))?;
    total(&text).ok_or_else(|| Error::Missing {
        what: format!("callgrind counted nothing of {}", count.name),
        help: "see that `simulate` of `teeter bench` is still called that".into(),
    })
}

/// The sum in a file of callgrind's.
fn total(text: &str) -> Option<u64> {
    let totals = text
        .lines()
        .find_map(|line| line.strip_prefix("totals: "))?;
    totals.trim().parse().ok().filter(|&total| total > 0)
}

impl Baseline {
    fn read(text: &str) -> Self {
        let mut lines = text.lines();
        let compiler = lines.next().unwrap_or_default().to_owned();
        let counts = lines.filter_map(|line| {
            let mut words = line.split_whitespace();
            Some(Count {
                name: words.next()?.to_owned(),
                events: words.next()?.parse().ok()?,
                instructions: words.next()?.parse().ok()?,
            })
        });
        Self {
            compiler,
            counts: counts.collect(),
        }
    }

    fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.compiler);
        for count in &self.counts {
            let (name, events) = (&count.name, count.events);
            // Writing to a String does not fail.
            let _ = writeln!(text, "{name} {events} {}", count.instructions);
        }
        text
    }
}

/// By how much each count has grown, %.
fn growth<'a>(before: &'a Baseline, now: &'a Baseline) -> impl Iterator<Item = (&'a Count, f64)> {
    let pairs = before.counts.iter().zip(&now.counts);
    pairs.map(|(before, now)| {
        let ratio = now.instructions as f64 / before.instructions.max(1) as f64;
        (now, 100.0 * (ratio - 1.0))
    })
}

/// The scenarios whose counts have grown by more than is let pass.
fn grown(before: &Baseline, now: &Baseline) -> Vec<String> {
    growth(before, now)
        .filter(|(_, percent)| *percent > TOLERANCE)
        .map(|(count, percent)| format!("{} (+{percent:.1} %)", count.name))
        .collect()
}

fn table(before: &Baseline, now: &Baseline) -> String {
    let rows = growth(before, now).map(|(count, percent)| {
        let each = count.instructions as f64 / count.events.max(1) as f64;
        format!(
            "{:<14} {each:>8.0} instructions an event {percent:>+7.1} %\n",
            count.name
        )
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "rustc 1.95.0\nflat32 1000 800000\nnuma02 10 9000\n";

    #[test]
    fn a_baseline_is_read_and_written() {
        let baseline = Baseline::read(TEXT);
        assert_eq!(baseline.counts[1].name, "numa02");
        assert_eq!(baseline.counts[1].instructions, 9000);
        assert_eq!(baseline.to_text(), TEXT);
    }

    #[test]
    fn what_grows_by_more_than_is_let_pass_is_named() {
        let before = Baseline::read(TEXT);
        let now = Baseline::read("rustc 1.95.0\nflat32 1000 820000\nnuma02 10 9300\n");
        assert_eq!(grown(&before, &now), ["numa02 (+3.3 %)"]);
        assert!(grown(&now, &before).is_empty());
        assert!(table(&before, &now).contains("820 instructions an event    +2.5 %"));
    }

    #[test]
    fn the_kept_baseline_names_scenarios() {
        let text = include_str!("../../../tests/bench/instructions.txt");
        let baseline = Baseline::read(text);
        assert!(baseline.counts.len() >= 8);
        assert!(baseline.counts.iter().all(|count| count.instructions > 0));
    }

    #[test]
    fn nothing_counted_is_no_count() {
        assert_eq!(total("version: 1\ntotals: 123\n"), Some(123));
        assert_eq!(total("totals: 0\n"), None);
        assert_eq!(total(""), None);
    }
}
