//! Division of sums by the length of their window.

use super::LOAD_AVG_MAX;

/// The divider of a window that has just begun a period (`PELT_MIN_DIVIDER`).
pub(crate) const LEAST_DIVIDER: u64 = LOAD_AVG_MAX - 1024;

/// 2^47 / D, rounded up, for each divider D from [`LEAST_DIVIDER`] to [`LOAD_AVG_MAX`]. It is too large by less than
/// 1, so that `sum * inverse >> 47` is `sum / D` for sums below 2^47 / D, and thus below 2^31; no product has more
/// than 64 bits.
static INVERSE: [u32; 1025] = {
    let mut inverse = [0; 1025];
    let mut at = 0;
    while at < inverse.len() {
        inverse[at] = ((1 << 47) / (LEAST_DIVIDER + at as u64) + 1) as u32;
        at += 1;
    }
    inverse
};

/// What sums are divided by. A multiplication is cheaper than a division, and as exact for most sums that occur.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divider {
    divider: u64,
    inverse: u64,
}

impl Divider {
    /// One of [`LEAST_DIVIDER`] to [`LOAD_AVG_MAX`].
    #[inline]
    pub(super) fn new(divider: u64) -> Self {
        let at = (divider - LEAST_DIVIDER) as usize;
        Self {
            divider,
            inverse: u64::from(INVERSE[at.min(INVERSE.len() - 1)]),
        }
    }

    /// `sum / divider`.
    #[inline]
    pub(super) fn divides(self, sum: u64) -> u64 {
        if sum < 1 << 31 {
            (sum * self.inverse) >> 47
        } else {
            sum / self.divider
        }
    }
}
