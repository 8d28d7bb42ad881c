//! Round moments on the axis of time.

use super::View;

/// Shortest distance of two ticks, pixels.
const APART: f64 = 90.0;

/// The moments at which ticks stand in a picture so wide, ns, and their distance.
pub fn ticks(view: View, width: f64) -> (Vec<f64>, f64) {
    let least = view.span() * APART / width.max(APART);
    let mut power = 1.0;
    while power * 10.0 <= least {
        power *= 10.0;
    }
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    let step = steps
        .into_iter()
        .find(|step| *step >= least)
        .unwrap_or(power * 10.0);
    let first = (view.from / step).ceil() as i64;
    let last = (view.to / step).floor() as i64;
    ((first..=last).map(|n| n as f64 * step).collect(), step)
}

/// A moment, with as many decimals as a distance of `step` ns asks for: `3.2 s`, `3.204 512 s`.
pub fn moment(ns: f64, step: f64) -> String {
    let mut decimals = 0;
    let mut unit = 1e9;
    while decimals < 9 && step < unit * 0.999 {
        unit /= 10.0;
        decimals += 1;
    }
    let text = format!("{:.decimals$}", ns / 1e9);
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let groups: Vec<&str> = (0..rest.len())
        .step_by(3)
        .map(|at| &rest[at..(at + 3).min(rest.len())])
        .collect();
    match groups.join("\u{202f}") {
        rest if rest.is_empty() => format!("{whole} s"),
        rest => format!("{whole}.{rest} s"),
    }
}

/// A length of time in the unit that suits it: `1.5 s`, `12 ms`, `3.2 µs`.
pub fn length(ns: f64) -> String {
    let (value, unit) = match ns.abs() {
        size if size >= 0.999_5e9 => (ns / 1e9, "s"),
        size if size >= 0.999_5e6 => (ns / 1e6, "ms"),
        size if size >= 0.999_5e3 => (ns / 1e3, "µs"),
        _ => (ns, "ns"),
    };
    format!("{} {unit}", crate::format::short(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_keep_apart() {
        let (at, step) = ticks(View::whole(60e9), 900.0);
        assert_eq!((step as u64, at.len()), (10_000_000_000, 7));
        let view = View {
            from: 3_204_511_300.0,
            to: 3_204_514_300.0,
        };
        let (at, step) = ticks(view, 1_000.0);
        assert_eq!(step as u64, 500);
        assert!(at.iter().all(|at| view.from <= *at && *at <= view.to));
        assert_eq!(moment(at[0], step), "3.204\u{202f}511\u{202f}5 s");
    }

    #[test]
    fn moments_and_lengths_are_as_exact_as_they_need() {
        assert_eq!(moment(20e9, 10e9), "20 s");
        assert_eq!(moment(3.2e9, 0.2e9), "3.2 s");
        assert_eq!(moment(3.204e9, 1e6), "3.204 s");
        let lengths = [1.5e9, 12e6, 3_200.0, 14.0].map(length);
        assert_eq!(lengths, ["1.5 s", "12 ms", "3.2 µs", "14 ns"]);
    }
}
