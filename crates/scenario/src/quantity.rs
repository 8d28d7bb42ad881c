//! A whole number with a unit, as times and sizes are written.

use std::fmt;

/// Units by name, largest first, each with its worth in the smallest.
pub(crate) type Units = [(&'static str, u64)];

/// Reads `number unit`, the number in decimal and perhaps with a fraction that comes out whole.
/// `None` where it is anything else or does not fit.
pub(crate) fn parse(text: &str, units: &Units) -> Option<u64> {
    let split = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(split);
    let worth = units.iter().find(|(name, _)| *name == unit)?.1;
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, scaled_fraction(fraction, worth)?),
        None => (number, 0),
    };
    digits(whole)?.checked_mul(worth)?.checked_add(fraction)
}

/// Writes `amount` in the largest unit that divides it; zero in the unit `zero`.
pub(crate) fn write(
    f: &mut fmt::Formatter<'_>,
    amount: u64,
    units: &Units,
    zero: &str,
) -> fmt::Result {
    if amount == 0 {
        return write!(f, "0{zero}");
    }
    match units
        .iter()
        .find(|(_, worth)| amount.is_multiple_of(*worth))
    {
        Some((name, worth)) => write!(f, "{}{name}", amount / worth),
        None => write!(f, "{amount}"),
    }
}

/// `0.fraction` of `worth`, if that is whole.
fn scaled_fraction(fraction: &str, worth: u64) -> Option<u64> {
    let numerator = u128::from(digits(fraction)?) * u128::from(worth);
    let denominator = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    numerator
        .is_multiple_of(denominator)
        .then(|| u64::try_from(numerator / denominator).ok())?
}

/// A plain decimal number: no sign, no space.
fn digits(text: &str) -> Option<u64> {
    text.bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| text.parse().ok())?
}
