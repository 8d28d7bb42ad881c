//! Sums as real kernels had them (`tests/golden/pelt`), from one update to the next.
//!
//! The kernel does not show how much of the current period was over. A single interval leaves that open by a dozen
//! units, so series of intervals are held together: one start has to give every sum that follows.

use super::{Activity, SchedAvg};
use crate::rules::Pelt;

const RUNNING: Activity = Activity {
    load: 1,
    runnable: 1024,
    running: true,
};

/// Load, runnable and utilization sums.
type Sums = [u64; 3];

/// Updates of a task that ran throughout.
#[derive(Clone)]
struct Series {
    start: Sums,
    /// Units of 1024 ns since the update before, and the sums then.
    updates: Vec<(u64, Sums)>,
}

fn all_series(text: &str) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let numbers: Vec<u64> = line.split(' ').map(|n| n.parse().unwrap()).collect();
        match numbers[..] {
            [load, runnable, util] => all.push(Series {
                start: [load, runnable, util],
                updates: Vec::new(),
            }),
            [delta, load, runnable, util] => {
                let series = all.last_mut().unwrap();
                series.updates.push((delta, [load, runnable, util]));
            }
            _ => panic!("{line}"),
        }
    }
    all
}

impl Series {
    /// Whether some part of a period that was over at the start gives all the sums.
    fn composes(&self) -> bool {
        (0..1024).any(|period_contrib| self.composes_from(period_contrib))
    }

    fn composes_from(&self, period_contrib: u64) -> bool {
        let [load_sum, runnable_sum, util_sum] = self.start;
        let mut now = 1 << 30;
        let mut avg = SchedAvg {
            last_update_time: now,
            load_sum,
            runnable_sum,
            util_sum,
            period_contrib,
            ..SchedAvg::default()
        };
        self.updates.iter().all(|(delta, after)| {
            now += delta << 10;
            avg.update_sum(Pelt::Runnable, now, RUNNING);
            [avg.load_sum, avg.runnable_sum, avg.util_sum] == *after
        })
    }

    /// The same, with a wrong time of one update: so many units late.
    fn with_late_update(&self, at: usize, units: u64) -> Self {
        let mut wrong = self.clone();
        wrong.updates[at].0 += units;
        wrong
    }
}

fn check(kernel: &str, text: &str) {
    let all = all_series(text);
    let intervals = |series: &[Series]| series.iter().map(|s| s.updates.len()).sum::<usize>();
    let right: Vec<Series> = all.iter().filter(|s| s.composes()).cloned().collect();
    println!(
        "{kernel}: {} of {} intervals exactly, in {} series",
        intervals(&right),
        intervals(&all),
        all.len()
    );
    assert!(intervals(&all) > 400);
    assert_eq!(intervals(&right), intervals(&all));

    // Each update of the long series in turn at a wrong time.
    let mut wrong = [0, 0];
    for series in all.iter().filter(|series| series.updates.len() > 20) {
        for at in 0..series.updates.len() {
            wrong[0] += 1;
            wrong[1] += usize::from(series.with_late_update(at, 1).composes());
        }
    }
    println!("one update a unit late: {} of {} still", wrong[1], wrong[0]);
    assert!(wrong[0] > 200 && 10 * wrong[1] < wrong[0], "{wrong:?}");
}

#[test]
fn sums_of_v6_1_y() {
    check(
        "v6.1.y",
        include_str!("../../../../tests/golden/pelt/v6.1.y.txt"),
    );
}

#[test]
fn sums_of_v6_12_y() {
    check(
        "v6.12.y",
        include_str!("../../../../tests/golden/pelt/v6.12.y.txt"),
    );
}
