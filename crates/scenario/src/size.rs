//! Amounts of memory: whole bytes, written with a unit.

use std::fmt;
use std::str::FromStr;

/// The units a size may be written in, largest first: powers of 1024.
const UNITS: [(&str, u64); 5] = [
    ("TB", 1 << 40),
    ("GB", 1 << 30),
    ("MB", 1 << 20),
    ("KB", 1 << 10),
    ("B", 1),
];

/// An amount of memory in bytes, written `"32MB"`; units are powers of 1024.
///
/// ```
/// use teeter_scenario::Bytes;
///
/// assert_eq!("32MB".parse(), Ok(Bytes(32 * 1024 * 1024)));
/// assert_eq!(Bytes(1536).to_string(), "1536B");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl Bytes {
    /// So many KB (1024 bytes); saturates.
    pub const fn from_kb(kb: u64) -> Self {
        Self(kb.saturating_mul(1 << 10))
    }

    /// So many MB (1024 KB); saturates.
    pub const fn from_mb(mb: u64) -> Self {
        Self(mb.saturating_mul(1 << 20))
    }

    /// So many GB (1024 MB); saturates.
    pub const fn from_gb(gb: u64) -> Self {
        Self(gb.saturating_mul(1 << 30))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::quantity::write(f, self.0, &UNITS, "B")
    }
}

impl FromStr for Bytes {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        crate::quantity::parse(text, &UNITS)
            .map(Self)
            .ok_or_else(|| SizeError(text.to_owned()))
    }
}

/// A text that is not a size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a size: write a number and one of B, KB, MB, GB, TB, as in \"32MB\"")]
pub struct SizeError(pub String);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units_are_powers_of_1024() {
        assert_eq!("3GB".parse(), Ok(Bytes::from_gb(3)));
        assert_eq!("0.5KB".parse(), Ok(Bytes(512)));
        assert_eq!(Bytes::from_kb(2048).to_string(), "2MB");
        assert_eq!(Bytes(0).to_string(), "0B");
    }

    #[test]
    fn what_is_not_a_size_is_refused() {
        for text in [
            "",
            "32",
            "MB",
            "32mb",
            "32 MB",
            "32MiB",
            "-1B",
            "0.3B",
            "99999999TB",
        ] {
            assert_eq!(
                text.parse::<Bytes>(),
                Err(SizeError(text.to_owned())),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn text_and_back(bytes: u64) {
            prop_assert_eq!(Bytes(bytes).to_string().parse(), Ok(Bytes(bytes)));
        }
    }
}
