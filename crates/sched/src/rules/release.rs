//! Releases of the kernel, by which rules are told.

/// A release: v5.10 is `Release(5, 10)`. Ordered by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Release(pub(super) u8, pub(super) u8);

impl Release {
    /// Whether it is `major.minor` or a later one.
    pub(super) fn since(self, major: u8, minor: u8) -> bool {
        self >= Self(major, minor)
    }
}
