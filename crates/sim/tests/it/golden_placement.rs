//! Where a real kernel put tasks, and where ours puts them: every scenario measured below
//! `tests/golden/{placement,release,numa_imbalance}`, as far as it can be run, side by side in
//! `tests/golden/placement.txt`.
//!
//! A scenario of hogs passes if the mean number of tasks on each node (nodes sorted) is within 0.5 and that on
//! each CPU (CPUs sorted) within 0.3 of what was measured; if its migrations are within a factor of 2 (of their
//! number and one); and, where tasks were freed from a single CPU, if they are spread within 1.5 times the time
//! measured. Neither the phase of the balance intervals nor the CPU of the forking program is known of a measured
//! run: ours are repeated over both, some of the kernel's were, and what lies between the repeats of either counts
//! as found; the table tells how many of ours agree alone. Of tasks that sleep only the nodes count. Rows that were
//! not the same in each repeat of the measurement are shown and not counted.
//!
//! `TEETER_BLESS=1 cargo test -p teeter-sim golden_placement` writes the table anew.

#![expect(
    clippy::unwrap_used,
    reason = "the measurements are sound, or the test fails"
)]

mod measure;
mod record;
mod scenario;
mod table;

use record::Case;
use table::Row;

/// Runs of each scenario; ticks and balancing have other phases in each, and the forking program another CPU.
const REPEATS: u32 = 8;

/// The same for tasks that sleep, which take longer.
const SLEEPY_REPEATS: u32 = 4;

/// Part of the scenarios of hogs, and of those of tasks that sleep, that must pass, in percent.
const REQUIRED: usize = 95;
const SLEEPY_REQUIRED: usize = 90;

#[test]
fn tasks_are_where_the_kernel_puts_them() {
    let rows = rows(&record::cases());
    let text = table::text(&rows);
    println!("{text}");
    table::record(&text);
    for (hogs, required) in [(true, REQUIRED), (false, SLEEPY_REQUIRED)] {
        let (passed, all) = table::passed(&rows, hogs);
        assert!(passed * 100 >= required * all, "{passed} of {all} pass");
    }
}

/// Runs a scenario as it was measured, a few times.
fn row(case: &Case) -> Row {
    let run = |repeat| {
        let scenario = scenario::of(case, repeat)?;
        Ok(measure::measure(case, &scenario, repeat))
    };
    let repeats = if case.is_hogs() {
        REPEATS
    } else {
        SLEEPY_REPEATS
    };
    match (0..repeats).map(run).collect() {
        Ok(runs) => Row::new(case, runs),
        Err(why) => Row::not_run(case, why),
    }
}

/// Runs all scenarios, half of them at a time on each of two threads.
fn rows(cases: &[Case]) -> Vec<Row> {
    let (one, other) = cases.split_at(cases.len() / 2);
    let run = |cases: &[Case]| cases.iter().map(row).collect::<Vec<Row>>();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| run(one));
        let second = run(other);
        let mut rows = first.join().unwrap();
        rows.extend(second);
        rows
    })
}
