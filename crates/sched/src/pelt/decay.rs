//! How sums decay, and what they grow by, in whole periods.
//!
//! Source: kernel/sched/pelt.c `decay_load`, `__accumulate_pelt_segments` as of v4.15 to v5.6; kernel/sched/fair.c
//! `__compute_runnable_contrib` of v4.11 (SCHED.md 2.2 to 2.4).

/// Limit of the sum of 1024 * y^k (`LOAD_AVG_MAX`).
pub(crate) const LOAD_AVG_MAX: u64 = 47742;

/// 2^32 * y^n for n = 0 to 31 (`runnable_avg_yN_inv`).
const Y_INV: [u32; 32] = [
    0xffff_ffff,
    0xfa83_b2da,
    0xf525_7d14,
    0xefe4_b99a,
    0xeac0_c6e6,
    0xe5b9_06e6,
    0xe0cc_deeb,
    0xdbfb_b796,
    0xd744_fcc9,
    0xd2a8_1d91,
    0xce24_8c14,
    0xc9b9_bd85,
    0xc567_2a10,
    0xc12c_4cc9,
    0xbd08_a39e,
    0xb8fb_af46,
    0xb504_f333,
    0xb123_f581,
    0xad58_3ee9,
    0xa9a1_5ab4,
    0xa5fe_d6a9,
    0xa270_4302,
    0x9ef5_325f,
    0x9b8d_39b9,
    0x9837_f050,
    0x94f4_efa8,
    0x91c3_d373,
    0x8ea4_398a,
    0x8b95_c1e3,
    0x8898_0e80,
    0x85aa_c367,
    0x82cd_8698,
];

/// Decay by y^periods, y^32 = 1/2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decay {
    halvings: u32,
    /// Of 2^32.
    factor: u32,
}

/// What the full periods between two updates contribute, where so many periods end in between, 1 to 31. Entry 0 means
/// nothing.
const FULL: [u32; 32] = {
    let mut full = [0; 32];
    let mut at = 0;
    while at < full.len() {
        let left = (LOAD_AVG_MAX * Y_INV[at] as u64) >> 32;
        full[at] = (LOAD_AVG_MAX - 1024).wrapping_sub(left) as u32;
        at += 1;
    }
    full
};

/// Decay by less than a half, which most is: without shifts.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortDecay {
    /// Of 2^32.
    factor: u64,
    full: u64,
}

impl ShortDecay {
    /// That of so many periods, if they are 1 to 31.
    #[inline]
    pub(super) fn over(periods: u64) -> Option<Self> {
        let at = periods as usize;
        let factor = *Y_INV.get(at)?;
        Some(Self {
            factor: u64::from(factor),
            full: u64::from(*FULL.get(at)?),
        })
    }

    /// As [`Decay::of_small`].
    #[inline]
    pub(super) fn of_small(self, value: u64) -> u64 {
        (value * self.factor) >> 32
    }

    /// As [`Decay::segments`].
    #[inline]
    pub(super) fn segments(self, d1: u64, d3: u64) -> u64 {
        self.of_small(d1) + self.full + d3
    }
}

impl Decay {
    /// That of so many periods.
    #[inline]
    pub(super) fn over(periods: u64) -> Self {
        if periods > 32 * 63 {
            return Self {
                halvings: 0,
                factor: 0,
            };
        }
        Self {
            halvings: (periods / 32) as u32,
            factor: Y_INV[(periods % 32) as usize],
        }
    }

    /// What is left of a value (`decay_load`).
    #[inline]
    pub(super) fn of(self, value: u64) -> u64 {
        ((u128::from(value >> self.halvings) * u128::from(self.factor)) >> 32) as u64
    }

    /// The same of a value below 2^32.
    #[inline]
    pub(super) fn of_small(self, value: u64) -> u64 {
        ((value >> self.halvings) * u64::from(self.factor)) >> 32
    }

    /// Sum over a first part `d1`, full periods and a last part `d3` (`__accumulate_pelt_segments`).
    #[inline]
    pub(super) fn segments(self, d1: u64, d3: u64) -> u64 {
        let c1 = self.of_small(d1);
        let c2 = LOAD_AVG_MAX - self.of_small(LOAD_AVG_MAX) - 1024;
        c1 + c2 + d3
    }
}

/// `value * y^periods` (`decay_load`).
#[cfg(test)]
pub(crate) fn decay_load(value: u64, periods: u64) -> u64 {
    Decay::over(periods).of(value)
}

/// 1024 * (y + y^2 + … + y^n), rounded down, for n = 0 to 32 (`runnable_avg_yN_sum`).
const Y_SUM: [u64; 33] = [
    0, 1002, 1982, 2941, 3880, 4798, 5697, 6576, 7437, 8279, 9103, 9909, 10698, 11470, 12226,
    12966, 13690, 14398, 15091, 15769, 16433, 17082, 17718, 18340, 18949, 19545, 20128, 20698,
    21256, 21802, 22336, 22859, 23371,
];

/// Periods after which that sum is at its limit (`LOAD_AVG_MAX_N`).
const LOAD_AVG_MAX_N: u64 = 345;

/// `decay_load` of v4.11, which leaves a value alone that is not to decay at all.
pub(crate) fn decay_load_or_keep(value: u64, periods: u64) -> u64 {
    if periods == 0 {
        value
    } else {
        Decay::over(periods).of(value)
    }
}

/// Contribution of so many whole periods, the last of them over (`__compute_runnable_contrib`, v4.11).
pub(super) fn whole_periods(periods: u64) -> u64 {
    if periods <= 32 {
        return Y_SUM[periods as usize];
    }
    if periods >= LOAD_AVG_MAX_N {
        return LOAD_AVG_MAX;
    }
    let mut contrib = 0;
    let mut left = periods;
    while left > 32 {
        contrib = contrib / 2 + Y_SUM[32];
        left -= 32;
    }
    decay_load_or_keep(contrib, left) + Y_SUM[left as usize]
}

#[cfg(test)]
pub(crate) fn accumulate_segments(periods: u64, d1: u64, d3: u64) -> u64 {
    Decay::over(periods).segments(d1, d3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decay_is_the_kernels() {
        assert_eq!(decay_load(LOAD_AVG_MAX, 1), LOAD_AVG_MAX - 1024);
        assert_eq!(decay_load(1000, 0), 999);
        assert_eq!(decay_load(u64::from(u32::MAX), 2017), 0);
        assert_eq!(decay_load(u64::MAX, u64::MAX), 0);
    }

    #[test]
    fn short_decay_is_decay() {
        for periods in 1..32 {
            let (short, decay) = (ShortDecay::over(periods).unwrap(), Decay::over(periods));
            for value in [0, 1, 1024, LOAD_AVG_MAX, 48_887_808, (1 << 32) - 1] {
                assert_eq!(short.of_small(value), decay.of(value), "{value} {periods}");
            }
            for (d1, d3) in [(1, 0), (1024, 1023), (37, 512)] {
                assert_eq!(short.segments(d1, d3), decay.segments(d1, d3), "{periods}");
            }
        }
        assert!(ShortDecay::over(32).is_none());
    }

    #[test]
    fn small_values_decay_like_others() {
        for periods in [0, 1, 31, 32, 100, 345, 2016, 2017] {
            let decay = Decay::over(periods);
            for value in [0, 1, 1024, LOAD_AVG_MAX, 48_887_808, (1 << 32) - 1] {
                assert_eq!(decay.of_small(value), decay.of(value), "{value} {periods}");
            }
        }
    }
}
