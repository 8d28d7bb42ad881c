//! The two side by side.

use std::fmt::Write as _;

use super::record::{Case, Measured};

const RECORD: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/golden/placement.txt"
);

/// How far a mean may be off.
const NODE_TOLERANCE: f64 = 0.5;
const CPU_TOLERANCE: f64 = 0.3;

/// By what factor migrations and the time to spread may be off.
const MIGRATION_FACTOR: f64 = 2.0;
const SPREAD_FACTOR: f64 = 1.5;

/// One scenario.
pub(super) struct Row {
    set: String,
    label: String,
    hogs: bool,
    stable: bool,
    repeats: Vec<Measured>,
    /// What each of our runs gave, or why there is none.
    ours: Result<Vec<Measured>, String>,
    /// How many of them alone are near enough.
    alone: usize,
    /// What is off.
    faults: Vec<&'static str>,
}

/// Whether one of our values, or one between them, is as near one of the measured or between those as it may be.
fn overlap(
    ours: impl Iterator<Item = f64>,
    theirs: impl Iterator<Item = f64>,
    low: impl Fn(f64) -> f64,
    high: impl Fn(f64) -> f64,
) -> bool {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(least, most), value| (least.min(value), most.max(value)),
        )
    };
    let (least, most) = range(&mut { ours });
    let (their_least, their_most) = range(&mut { theirs });
    most >= low(their_least) - 1e-9 && least <= high(their_most) + 1e-9
}

fn means_agree(
    ours: &[Measured],
    theirs: &[Measured],
    of: impl Fn(&Measured) -> &Vec<f64>,
    off: f64,
) -> bool {
    (0..of(&theirs[0]).len()).all(|at| {
        overlap(
            ours.iter().map(|run| of(run)[at]),
            theirs.iter().map(|run| of(run)[at]),
            |least| least - off,
            |most| most + off,
        )
    })
}

/// What is off in our runs of a scenario.
fn faults(case: &Case, ours: &[Measured]) -> Vec<&'static str> {
    let theirs = &case.repeats;
    let mut faults = Vec::new();
    if !means_agree(ours, theirs, |m| &m.nodes, NODE_TOLERANCE) {
        faults.push("nodes");
    }
    if !case.is_hogs() {
        return faults;
    }
    if !means_agree(ours, theirs, |m| &m.cpus, CPU_TOLERANCE) {
        faults.push("CPUs");
    }
    // One more on both sides, so that none against one is within the factor.
    let counts = |m: &Measured| m.migrations as f64 + 1.0;
    let (ours_n, theirs_n) = (ours.iter().map(counts), theirs.iter().map(counts));
    let factor = MIGRATION_FACTOR;
    if !overlap(ours_n, theirs_n, |n| n / factor, |n| n * factor) {
        faults.push("migrations");
    }
    if case.most.is_some() {
        let time = |m: &Measured| m.balanced_ms.unwrap_or(f64::INFINITY);
        let (ours_ms, theirs_ms) = (ours.iter().map(time), theirs.iter().map(time));
        let factor = SPREAD_FACTOR;
        if !overlap(ours_ms, theirs_ms, |ms| ms / factor, |ms| ms * factor) {
            faults.push("time");
        }
    }
    faults
}

impl Row {
    pub(super) fn new(case: &Case, ours: Vec<Measured>) -> Self {
        Self {
            faults: faults(case, &ours),
            alone: ours
                .iter()
                .filter(|run| faults(case, std::slice::from_ref(*run)).is_empty())
                .count(),
            ours: Ok(ours),
            ..Self::not_run(case, String::new())
        }
    }

    pub(super) fn not_run(case: &Case, why: String) -> Self {
        Self {
            set: case.set.clone(),
            label: case.label.clone(),
            hogs: case.is_hogs(),
            stable: case.is_stable(),
            repeats: case.repeats.clone(),
            ours: Err(why),
            alone: 0,
            faults: Vec::new(),
        }
    }

    /// Whether it counts.
    fn counts(&self) -> bool {
        self.stable && self.ours.is_ok()
    }

    fn verdict(&self) -> String {
        let missed = || format!("miss: {}", self.faults.join(", "));
        match &self.ours {
            Err(why) => format!("not run: {why}"),
            Ok(_) if !self.stable => "not counted".to_owned(),
            Ok(runs) if self.faults.is_empty() && self.alone == runs.len() => "pass".to_owned(),
            Ok(runs) if self.faults.is_empty() => {
                format!("pass, {} of {} alone", self.alone, runs.len())
            }
            Ok(_) => missed(),
        }
    }
}

fn list(means: &[f64]) -> String {
    let words: Vec<String> = means.iter().map(|mean| format!("{mean:.1}")).collect();
    words.join(" ")
}

/// The smallest and the largest of the means of CPUs.
fn range(means: &[f64]) -> String {
    let least = means.last().copied().unwrap_or(0.0);
    let most = means.first().copied().unwrap_or(0.0);
    format!("{least:.1}-{most:.1}")
}

fn numbers(measured: &Measured) -> String {
    let spread = measured
        .balanced_ms
        .map_or(String::new(), |ms| format!(", {ms:.0} ms"));
    format!(
        "{} | {} | {}{spread}",
        list(&measured.nodes),
        range(&measured.cpus),
        measured.migrations
    )
}

/// The whole table.
pub(super) fn text(rows: &[Row]) -> String {
    let mut text = String::from(
        "Tasks per node (sorted) | least and most on a CPU | migrations, time until spread; \
         measured on a real kernel, then ours.\n",
    );
    let mut set = "";
    for row in rows {
        if row.set != set {
            set = &row.set;
            let _ = write!(text, "\n{set}\n");
        }
        let theirs = numbers(&row.repeats[0]);
        let ours = row
            .ours
            .as_ref()
            .map_or(String::new(), |runs| numbers(&runs[0]));
        let _ = writeln!(
            text,
            "  {:16} {theirs} || {ours} || {}",
            row.label,
            row.verdict()
        );
    }
    let (hogs, all_hogs) = passed(rows, true);
    let (sleepy, all_sleepy) = passed(rows, false);
    let _ = write!(
        text,
        "\n{hogs} of {all_hogs} scenarios of hogs pass, {sleepy} of {all_sleepy} of tasks that sleep.\n"
    );
    text
}

/// How many scenarios of hogs, or of tasks that sleep, pass, and of how many that count.
pub(super) fn passed(rows: &[Row], hogs: bool) -> (usize, usize) {
    let counted = rows.iter().filter(|row| row.hogs == hogs && row.counts());
    let passed = counted.clone().filter(|row| row.faults.is_empty()).count();
    (passed, counted.count())
}

/// Holds the table against the one on record, or writes that anew if asked to.
pub(super) fn record(text: &str) {
    if std::env::var_os("TEETER_BLESS").is_some() {
        std::fs::write(RECORD, text).unwrap();
    }
    let record = std::fs::read_to_string(RECORD).unwrap();
    assert!(
        text == record,
        "the table on record is another one: TEETER_BLESS=1 cargo test -p teeter-sim golden_placement writes it anew"
    );
}
