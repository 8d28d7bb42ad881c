//! Statistics of a few repeats.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};
use statrs::statistics::Statistics as _;

/// The values of one figure, a value for each repeat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// In the order of the repeats.
    values: Vec<f64>,
    sorted: Vec<f64>,
}

/// What a sample comes to. Where there is no such number (a spread of one value, a mean of nothing) it is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Arithmetic mean.
    pub amean: Option<f64>,
    /// Harmonic mean, as mmtests takes of rates; `None` where a value is not above 0.
    pub hmean: Option<f64>,
    /// Geometric mean; `None` where a value is not above 0.
    pub gmean: Option<f64>,
    /// Standard deviation of the sample (n - 1).
    pub stddev: Option<f64>,
    /// The standard deviation as a percentage of the arithmetic mean.
    pub cv_pct: Option<f64>,
    /// Least value.
    pub min: Option<f64>,
    /// First quartile.
    pub q1: Option<f64>,
    /// Median.
    pub median: Option<f64>,
    /// Third quartile.
    pub q3: Option<f64>,
    /// Greatest value.
    pub max: Option<f64>,
}

impl Sample {
    /// A sample of these values; those that are no numbers are left out.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values
            .into_iter()
            .filter(|value| value.is_finite())
            .collect();
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        Self { values, sorted }
    }

    /// The values, in the order of the repeats.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The quantile at `share` (0 to 1), on the line between the two nearest values: what R and numpy do by default,
    /// and what the quartiles of three runs in the mails are.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let last = self.sorted.len().checked_sub(1)?;
        let place = share.clamp(0.0, 1.0) * last as f64;
        let below = place.floor();
        let low = self.sorted.get(below as usize)?;
        let high = self.sorted.get((below as usize + 1).min(last))?;
        Some(low + (high - low) * (place - below))
    }

    /// The arithmetic mean.
    pub fn amean(&self) -> Option<f64> {
        finite(self.sorted.iter().mean())
    }

    /// The harmonic mean.
    pub fn hmean(&self) -> Option<f64> {
        self.positive().then(|| self.sorted.iter().harmonic_mean())
    }

    /// The geometric mean.
    pub fn gmean(&self) -> Option<f64> {
        self.positive().then(|| self.sorted.iter().geometric_mean())
    }

    /// The standard deviation.
    pub fn stddev(&self) -> Option<f64> {
        finite(self.sorted.iter().std_dev())
    }

    /// The standard deviation in percent of the mean.
    pub fn cv_pct(&self) -> Option<f64> {
        finite(100.0 * self.stddev()? / self.amean()?.abs())
    }

    /// Everything of it.
    pub fn summary(&self) -> Summary {
        Summary {
            amean: self.amean(),
            hmean: self.hmean(),
            gmean: self.gmean(),
            stddev: self.stddev(),
            cv_pct: self.cv_pct(),
            min: self.quantile(0.0),
            q1: self.quantile(0.25),
            median: self.quantile(0.5),
            q3: self.quantile(0.75),
            max: self.quantile(1.0),
        }
    }

    fn positive(&self) -> bool {
        self.sorted.first().is_some_and(|&least| least > 0.0)
    }
}

/// The chance that two samples which differ as much as these come from populations of one mean: Welch's t-test, two
/// sides. `None` where one of them has fewer than two values. Two samples without any spread are alike or are not.
pub fn welch(a: &Sample, b: &Sample) -> Option<f64> {
    let part = |sample: &Sample| Some(square(sample.stddev()?) / sample.values.len() as f64);
    let freedom = |sample: &Sample| sample.values.len() as f64 - 1.0;
    let (of_a, of_b) = (part(a)?, part(b)?);
    let (apart, error) = (a.amean()? - b.amean()?, of_a + of_b);
    if error <= 0.0 {
        return Some(if apart == 0.0 { 1.0 } else { 0.0 });
    }
    let degrees = square(error) / (square(of_a) / freedom(a) + square(of_b) / freedom(b));
    let students = StudentsT::new(0.0, 1.0, degrees).ok()?;
    Some(2.0 * students.sf(apart.abs() / error.sqrt()))
}

fn square(value: f64) -> f64 {
    value * value
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(value: Option<f64>, expected: f64) {
        let value = value.unwrap();
        assert!(
            (value - expected).abs() < 1e-6 * expected.abs().max(1.0),
            "{value} {expected}"
        );
    }

    #[test]
    fn five_numbers_are_those_of_the_mail() {
        // Three runs of lu.C, and the quartiles that the mail prints of them.
        let runs = Sample::new([750.66, 569.65, 961.83]);
        let summary = runs.summary();
        near(summary.min, 569.65);
        near(summary.q1, 660.155);
        near(summary.median, 750.66);
        near(summary.q3, 856.245);
        near(summary.max, 961.83);
        let two = Sample::new([67.02, 62.65]).summary();
        near(two.median, 64.835);
    }

    #[test]
    fn means_and_spreads() {
        let summary = Sample::new([1.0, 2.0, 4.0]).summary();
        near(summary.amean, 7.0 / 3.0);
        near(summary.hmean, 12.0 / 7.0);
        near(summary.gmean, 2.0);
        near(summary.stddev, (7.0_f64 / 3.0).sqrt());
        near(summary.cv_pct, 100.0 * (7.0_f64 / 3.0).sqrt() / (7.0 / 3.0));
    }

    #[test]
    fn where_there_is_no_number_there_is_none() {
        assert_eq!(Sample::new([]).summary(), Summary::default());
        let one = Sample::new([3.0, f64::NAN]).summary();
        assert_eq!(
            (one.amean, one.stddev, one.q1),
            (Some(3.0), None, Some(3.0))
        );
        let zero = Sample::new([0.0, 1.0]).summary();
        assert_eq!((zero.hmean, zero.gmean), (None, None));
    }

    #[test]
    fn welch_as_r_has_it() {
        // t.test(c(27.5, 21, 19, 23.6, 17), c(27.1, 22, 20.8, 23.4, 23.4, 23.5)): t = -0.82915, df = 5.36
        let a = Sample::new([27.5, 21.0, 19.0, 23.6, 17.0]);
        let b = Sample::new([27.1, 22.0, 20.8, 23.4, 23.4, 23.5]);
        let p = welch(&a, &b).unwrap();
        assert!((0.4..0.5).contains(&p), "{p}");
        // Two against two, by hand: t = 2 / sqrt(1/4 + 1/4) = 2.828 at 2 degrees: p = 1 - t / sqrt(t² + 2).
        let p = welch(&Sample::new([1.0, 2.0]), &Sample::new([3.0, 4.0])).unwrap();
        let t = 8.0_f64.sqrt();
        assert!((p - (1.0 - t / (t * t + 2.0).sqrt())).abs() < 1e-9, "{p}");
        let same = Sample::new([5.0, 5.0]);
        assert_eq!(welch(&same, &same), Some(1.0));
        assert_eq!(welch(&same, &Sample::new([6.0, 6.0])), Some(0.0));
        assert_eq!(welch(&same, &Sample::new([6.0])), None);
    }

    proptest! {
        #[test]
        fn means_are_ordered(values in proptest::collection::vec(0.001..1e6_f64, 1..20)) {
            let summary = Sample::new(values).summary();
            let (Some(h), Some(g), Some(a)) = (summary.hmean, summary.gmean, summary.amean) else {
                return Err(TestCaseError::fail("no means"));
            };
            let slack = 1.0 + 1e-9;
            prop_assert!(summary.min.unwrap() <= h * slack && h <= g * slack && g <= a * slack);
            prop_assert!(a <= summary.max.unwrap() * slack);
        }

        #[test]
        fn quantiles_rise(values in proptest::collection::vec(-1e6..1e6_f64, 1..20)) {
            let sample = Sample::new(values);
            let quantiles: Vec<f64> = (0..=10).map(|q| sample.quantile(f64::from(q) / 10.0).unwrap()).collect();
            prop_assert!(quantiles.is_sorted());
        }
    }
}
