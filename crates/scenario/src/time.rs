//! Simulated time: whole nanoseconds, written with a unit.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};
use std::str::FromStr;

/// The units a time may be written in, largest first, with their length in nanoseconds.
const UNITS: [(&str, u64); 4] = [
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// A span of simulated time, or a moment counted from the start of the run, in nanoseconds.
///
/// Written as a number and a unit, `"15ms"`; [`Display`](fmt::Display) gives the largest unit that is exact.
/// `+`, `-` and `*` saturate: the ends of the range are 0 and about 584 years.
///
/// ```
/// use teeter_scenario::Nanos;
///
/// let slice: Nanos = "1500us".parse().unwrap();
/// assert_eq!(slice, Nanos::from_micros(1_500));
/// assert_eq!("1.5ms".parse(), Ok(slice));
/// assert_eq!(Nanos(2_000_000_000).to_string(), "2s");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest time there is; as a moment, never.
    pub const MAX: Self = Self(u64::MAX);

    /// So many microseconds; saturates.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// So many milliseconds; saturates.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// So many seconds; saturates.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1_000_000_000))
    }

    /// The nanoseconds as a number.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds, for showing.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The sum, or `None` where it does not fit.
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// The difference, or `None` where it is negative.
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Some(Self(difference)),
            None => None,
        }
    }
}

impl Add for Nanos {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Nanos {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::quantity::write(f, self.0, &UNITS, "s")
    }
}

impl FromStr for Nanos {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        crate::quantity::parse(text, &UNITS)
            .map(Self)
            .ok_or_else(|| TimeError(text.to_owned()))
    }
}

/// A text that is not a time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time: write a number and one of ns, us, ms, s, as in \"15ms\"")]
pub struct TimeError(pub String);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_unit_is_read() {
        for (text, nanos) in [
            ("15ms", 15_000_000),
            ("30s", 30_000_000_000),
            ("700us", 700_000),
            ("1000000ns", 1_000_000),
            ("0s", 0),
            ("2.5us", 2_500),
            ("18446744073709551615ns", u64::MAX),
        ] {
            assert_eq!(text.parse(), Ok(Nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn the_largest_exact_unit_is_written() {
        for (nanos, text) in [
            (0, "0s"),
            (1, "1ns"),
            (1_000_000, "1ms"),
            (1_500_000, "1500us"),
            (60_000_000_000, "60s"),
        ] {
            assert_eq!(Nanos(nanos).to_string(), text);
        }
    }

    #[test]
    fn what_is_not_a_time_is_refused() {
        for text in [
            "",
            "15",
            "ms",
            "-1s",
            "1 s",
            "1h",
            "1e3s",
            "+1s",
            ".5s",
            "1.s",
            "0.5ns",
            "1.2.3s",
            "18446744073709551616ns",
            "99999999999999s",
        ] {
            assert_eq!(
                text.parse::<Nanos>(),
                Err(TimeError(text.to_owned())),
                "{text}"
            );
        }
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(Nanos(1) - Nanos(2), Nanos::ZERO);
        assert_eq!(Nanos::MAX + Nanos(1), Nanos::MAX);
        assert_eq!(Nanos::MAX * 2, Nanos::MAX);
        assert_eq!(Nanos(1).checked_sub(Nanos(2)), None);
        assert_eq!(Nanos::MAX.checked_add(Nanos(1)), None);
    }

    proptest! {
        #[test]
        fn text_and_back(nanos: u64) {
            prop_assert_eq!(Nanos(nanos).to_string().parse(), Ok(Nanos(nanos)));
        }
    }
}
