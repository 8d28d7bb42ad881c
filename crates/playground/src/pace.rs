//! How fast simulated time is granted to the workers, so that all kernels go in step.

/// How much simulated time goes by in one second of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// So many simulated seconds.
    Times(f64),
    /// As fast as the workers can.
    Fastest,
}

impl Speed {
    /// The speeds on offer: the value a page control carries, and what it says.
    pub const ALL: [(&'static str, &'static str, Self); 5] = [
        ("0.05", "1 s = 50 ms", Self::Times(0.05)),
        ("0.25", "1 s = 250 ms", Self::Times(0.25)),
        ("1", "1 s = 1 s", Self::Times(1.0)),
        ("4", "1 s = 4 s", Self::Times(4.0)),
        ("max", "as fast as it goes", Self::Fastest),
    ];

    /// The control's value.
    pub fn value(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(.., speed)| *speed == self)
            .map_or("1", |(value, ..)| value)
    }

    /// The speed of a control's value.
    pub fn from_value(value: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, ..)| *known == value)
            .map(|(.., speed)| *speed)
    }
}

/// Longest step of the wall clock that counts, s: a hidden page does not catch up.
const LONGEST_STEP_S: f64 = 0.1;
/// How far the credit may lie ahead of the slowest worker, in seconds of the wall clock.
const LEAD_S: f64 = 0.15;
/// The same for [`Speed::Fastest`], in simulated ns.
const FASTEST_LEAD_NS: f64 = 0.5e9;

/// The time credit: no worker simulates beyond it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// The chosen speed.
    pub speed: Speed,
    credit_ns: f64,
}

impl Pace {
    /// No time granted yet.
    pub fn new(speed: Speed) -> Self {
        Self {
            speed,
            credit_ns: 0.0,
        }
    }

    /// Simulated time granted so far, ns.
    pub fn credit_ns(self) -> f64 {
        self.credit_ns
    }

    /// The whole millisecond at or after the credit: where a live change goes.
    pub fn next_ms_ns(self) -> f64 {
        (self.credit_ns / 1e6).ceil() * 1e6
    }

    /// Back to the start.
    pub fn restart(&mut self) {
        self.credit_ns = 0.0;
    }

    /// Grants all time up to there at once.
    pub fn skip_to(&mut self, ns: f64) {
        self.credit_ns = ns.max(self.credit_ns).floor();
    }

    /// Grants more after `step_s` of the wall clock. It stays close to the worker that is furthest
    /// behind (`slowest_ns`) and never goes back or beyond the end of the run.
    pub fn advance(&mut self, step_s: f64, slowest_ns: f64, end_ns: f64) -> f64 {
        let wanted = match self.speed {
            Speed::Times(times) => {
                let step = step_s.clamp(0.0, LONGEST_STEP_S) * times * 1e9;
                (self.credit_ns + step).min(slowest_ns + LEAD_S * times * 1e9)
            }
            Speed::Fastest => slowest_ns + FASTEST_LEAD_NS,
        };
        self.credit_ns = wanted
            .max(self.credit_ns)
            .min(end_ns.max(self.credit_ns))
            .floor();
        self.credit_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_wall_clock() {
        let mut pace = Pace::new(Speed::Times(0.25));
        for frame in 0..60 {
            pace.advance(1.0 / 60.0, f64::from(frame) * 4e6, 60e9);
        }
        assert!(
            (pace.credit_ns() - 0.25e9).abs() < 1e3,
            "{}",
            pace.credit_ns()
        );
    }

    #[test]
    fn waits_for_the_slowest_worker() {
        let mut pace = Pace::new(Speed::Times(4.0));
        for _ in 0..600 {
            pace.advance(0.016, 1e9, 60e9);
        }
        assert_eq!(pace.credit_ns() as u64, 1_600_000_000);
    }

    #[test]
    fn never_goes_back_or_beyond_the_end() {
        let mut pace = Pace::new(Speed::Fastest);
        assert_eq!(pace.advance(0.016, 59.9e9, 60e9) as u64, 60_000_000_000);
        pace.speed = Speed::Times(0.05);
        assert_eq!(pace.advance(0.016, 0.0, 60e9) as u64, 60_000_000_000);
        assert_eq!(pace.advance(f64::NAN, 0.0, 60e9) as u64, 60_000_000_000);
    }

    #[test]
    fn a_long_pause_is_not_caught_up() {
        let mut pace = Pace::new(Speed::Times(1.0));
        assert_eq!(pace.advance(3_600.0, 0.0, 60e9) as u64, 100_000_000);
    }

    #[test]
    fn live_changes_lie_on_whole_milliseconds() {
        let mut pace = Pace::new(Speed::Times(1.0));
        pace.advance(0.0163, 0.0, 60e9);
        assert_eq!(pace.next_ms_ns() as u64, 17_000_000);
    }

    #[test]
    fn every_offered_speed_has_its_value() {
        for (value, _, speed) in Speed::ALL {
            assert_eq!(Speed::from_value(value), Some(speed));
            assert_eq!(speed.value(), value);
        }
    }
}
