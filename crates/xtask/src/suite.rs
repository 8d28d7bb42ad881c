//! The test suite: its parts, each of which can be run alone.

use std::time::Duration;

use clap::ValueEnum;

use crate::e2e;
use crate::error::{Error, Result};
use crate::program::on_path;
use crate::step::{Step, seconds};
use crate::trace_cmd;
use crate::wasm_std::TARGET;
use crate::workshop::Workshop;

/// The crate that runs in the browser.
const PLAYGROUND: &str = "teeter-playground";

/// A part of the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// rustfmt finds nothing to change
    Fmt,
    /// clippy finds nothing, in any crate
    Clippy,
    /// clippy finds nothing in the playground and what it uses, built for wasm32
    ClippyWasm,
    /// unit and integration tests of every crate
    Unit,
    /// the examples in the documentation
    Doc,
    /// the playground's tests as wasm in a browser
    Wasm,
    /// the page, driven in a browser
    E2e,
}

/// How a part came out.
struct Outcome {
    part: Part,
    took: Duration,
    passed: bool,
}

impl Part {
    fn name(self) -> String {
        self.to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    /// Runs the part, the runner's output going straight through.
    fn run(self, workshop: &Workshop) -> Result<()> {
        let denied = ["--", "--deny", "warnings"];
        match self {
            Self::Fmt => workshop.cargo().args(["fmt", "--all", "--check"]).run(),
            Self::Clippy => workshop
                .cargo()
                .args(["clippy", "--workspace", "--all-targets"])
                .args(denied)
                .run(),
            Self::ClippyWasm => workshop
                .wasm_cargo()?
                .args(["clippy", "--package", PLAYGROUND, "--all-targets"])
                .args(["--target", TARGET])
                .args(denied)
                .run(),
            Self::Unit => {
                let runner: &[&str] = if on_path(&["cargo-nextest"]).is_some() {
                    &["nextest", "run", "--workspace"]
                } else {
                    &["test", "--workspace", "--lib", "--bins", "--tests"]
                };
                trace_cmd::ready(workshop.cache())?;
                workshop.cargo().args(runner).run()
            }
            Self::Doc => workshop
                .cargo()
                .args(["test", "--workspace", "--doc"])
                .run(),
            Self::Wasm => workshop
                .wasm_test_cargo()?
                .args(["test", "--package", PLAYGROUND, "--lib", "--tests"])
                .args(["--target", TARGET])
                .run(),
            Self::E2e => e2e::test(workshop),
        }
    }
}

/// Runs the parts in the suite's order, all of them even if one fails. No parts means all.
///
/// # Errors
/// [`Error::Tests`], naming the parts that failed.
pub(crate) fn run(workshop: &Workshop, only: &[Part]) -> Result<()> {
    let parts = Part::value_variants();
    let selected = parts
        .iter()
        .filter(|part| only.is_empty() || only.contains(part));
    let mut outcomes = Vec::new();
    for &part in selected {
        println!("\n[xtask] ── {} ──", part.name());
        let step = Step::begin(part.name());
        let result = part.run(workshop);
        if let Err(error) = &result {
            println!("[xtask] {}: {error}", part.name());
            if let Some(help) = error.help() {
                println!("[xtask] {}: {help}", part.name());
            }
        }
        let passed = result.is_ok();
        let took = step.done(if passed { "passed" } else { "FAILED" });
        outcomes.push(Outcome { part, took, passed });
    }
    print!("\n{}", table(&outcomes));
    let failed: Vec<String> = outcomes
        .iter()
        .filter(|outcome| !outcome.passed)
        .map(|outcome| outcome.part.name())
        .collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Error::Tests { parts: failed })
    }
}

/// The closing table: each part with how it came out and how long it took, and the sums.
fn table(outcomes: &[Outcome]) -> String {
    let line = |name: &str, verdict: &str, took: Duration| {
        format!("{name:<12} {verdict:<7} {:>12}\n", seconds(took))
    };
    let rows = outcomes.iter().map(|outcome| {
        let verdict = if outcome.passed { "passed" } else { "FAILED" };
        line(&outcome.part.name(), verdict, outcome.took)
    });
    let total = outcomes.iter().map(|outcome| outcome.took).sum();
    let failed = outcomes.iter().filter(|outcome| !outcome.passed).count();
    rows.chain([
        line("all", "", total),
        format!(
            "parts: {} passed, {failed} failed\n",
            outcomes.len() - failed
        ),
    ])
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_spelled_as_documented() {
        let names: Vec<String> = Part::value_variants()
            .iter()
            .map(|part| part.name())
            .collect();
        let documented = ["fmt", "clippy", "clippy-wasm", "unit", "doc", "wasm", "e2e"];
        assert_eq!(names, documented);
    }

    #[test]
    fn the_table_adds_up() {
        let outcome = |part, seconds, passed| Outcome {
            part,
            took: Duration::from_secs(seconds),
            passed,
        };
        let text = table(&[outcome(Part::Fmt, 2, true), outcome(Part::Wasm, 130, false)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "fmt          passed         2.0 s");
        assert_eq!(lines[1], "wasm         FAILED    2 min 10 s");
        assert_eq!(lines[2], "all                    2 min 12 s");
        assert_eq!(lines[3], "parts: 1 passed, 1 failed");
    }
}
