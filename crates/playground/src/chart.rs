//! Line charts, drawn by plotters: what a chart shows ([`Plot`]), thinned to what can be seen
//! ([`decimate`]), on a surface that knows its device pixels ([`surface`]).

pub mod decimate;
pub mod lines;
pub mod surface;

use crate::drawing::palette::Colour;

/// A chart of lines over simulated time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// The lines.
    pub lines: Vec<Line>,
    /// Right end of the time axis, s.
    pub end_s: f64,
    /// Upper end of the value axis.
    pub top: f64,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// What stands at its right end.
    pub label: String,
    /// Its colour.
    pub colour: Colour,
    /// The kernel's slot, which sets the dash: A solid, B dashed, C dotted, D dash-dot.
    pub slot: usize,
    /// Seconds and values.
    pub points: Vec<(f64, f64)>,
}

impl Plot {
    /// A chart whose axes reach a little beyond its lines, to round numbers; `longest_s` is the whole run.
    pub fn new(lines: Vec<Line>, longest_s: f64) -> Self {
        let points = || lines.iter().flat_map(|line| &line.points);
        let last = points().map(|point| point.0).fold(0.0, f64::max);
        let most = points()
            .map(|point| point.1)
            .filter(|value| value.is_finite())
            .fold(0.0, f64::max);
        let end_s = round_up((last * 1.02).max(0.5)).min(longest_s.max(0.5));
        Self {
            end_s: end_s.max(last),
            top: round_up((most * 1.05).max(1e-9)),
            lines,
        }
    }
}

/// Shortest time a plotted point stands for, ns: shorter samples are averaged, as counts over a few
/// milliseconds jump between nought and much.
const POINT_NS: f64 = 100e6;

/// How many samples of this length make one point.
pub fn samples_a_point(sample_ns: f64) -> usize {
    if sample_ns > 0.0 {
        (POINT_NS / sample_ns).ceil().max(1.0) as usize
    } else {
        1
    }
}

/// The points of a column: the end of each in seconds, and the mean of so many samples.
pub fn points(time_ns: &[f64], column: &[f64], samples: usize) -> Vec<(f64, f64)> {
    let ends = time_ns.chunks_exact(samples).filter_map(<[f64]>::last);
    let means = column
        .chunks_exact(samples)
        .map(|values| values.iter().sum::<f64>() / samples as f64);
    ends.map(|end| end / 1e9).zip(means).collect()
}

/// The smallest of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is not below a number.
pub fn round_up(number: f64) -> f64 {
    let mut power = 1.0;
    while power * 10.0 <= number {
        power *= 10.0;
    }
    while power > number {
        power /= 10.0;
    }
    [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]
        .into_iter()
        .map(|step| step * power)
        .find(|step| *step >= number * (1.0 - 1e-12))
        .unwrap_or(power * 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (number, round) in [
            (34.1, 40.0),
            (40.0, 40.0),
            (19.0, 20.0),
            (0.31, 0.4),
            (81.0, 100.0),
            (34_048.0, 40_000.0),
        ] {
            assert!(
                (round_up(number) - round).abs() < 1e-9 * round,
                "{number}: {}",
                round_up(number)
            );
        }
    }

    #[test]
    fn long_samples_are_plotted_as_they_are_and_short_ones_averaged() {
        assert_eq!(
            (
                samples_a_point(100e6),
                samples_a_point(10e6),
                samples_a_point(0.0)
            ),
            (1, 10, 1)
        );
        let times = [1e9, 2e9, 3e9];
        assert_eq!(
            points(&times, &[4.0, 6.0, 9.0], 1),
            [(1.0, 4.0), (2.0, 6.0), (3.0, 9.0)]
        );
        assert_eq!(
            points(&times, &[4.0, 6.0, 9.0], 2),
            [(2.0, 5.0)],
            "a point that is not full waits"
        );
    }

    #[test]
    fn a_chart_never_cuts_its_lines() {
        let line = Line {
            points: vec![(0.0, 3.0), (59.0, 36.0)],
            ..Line::default()
        };
        let plot = Plot::new(vec![line], 60.0);
        assert_eq!((plot.end_s, plot.top), (60.0, 40.0));
        let empty = Plot::new(Vec::new(), 60.0);
        assert!(empty.end_s > 0.0 && empty.top > 0.0);
    }
}
