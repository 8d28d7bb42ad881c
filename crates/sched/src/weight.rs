//! Weights of nice levels and groups, and time scaled by them.
//!
//! Source: kernel/sched/core.c `sched_prio_to_weight`, `sched_prio_to_wmult`; kernel/sched/fair.c
//! `__calc_delta`, `calc_delta_fair` (v4.11 to v6.12; SCHED.md 1.1 to 1.4).

/// Bits by which a 64-bit kernel scales weights up (`SCHED_FIXEDPOINT_SHIFT`).
pub(crate) const SHIFT: u32 = 10;

/// Weight of a nice-0 task, scaled (`NICE_0_LOAD`).
pub(crate) const NICE_0_LOAD: u64 = 1 << (2 * SHIFT);

/// Smallest weight of a group entity, scaled (`MIN_SHARES`).
pub(crate) const MIN_SHARES: u64 = 2;

/// Weight of a task of idle policy, and of a group that is idle.
pub(crate) const WEIGHT_IDLEPRIO: u64 = 3;

/// Its inverse.
const WMULT_IDLEPRIO: u32 = 1_431_655_765;

/// Weights of nice -20 to 19.
const WEIGHTS: [u64; 40] = [
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906, 3121, 2501, 1991, 1586, 1277, 1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87,
    70, 56, 45, 36, 29, 23, 18, 15,
];

/// 2^32 / weight of nice -20 to 19, rounded to nearest.
const INVERSES: [u32; 40] = [
    48388,
    59856,
    76040,
    92818,
    118_348,
    147_320,
    184_698,
    229_616,
    287_308,
    360_437,
    449_829,
    563_644,
    704_093,
    875_809,
    1_099_582,
    1_376_151,
    1_717_300,
    2_157_191,
    2_708_050,
    3_363_326,
    4_194_304,
    5_237_765,
    6_557_202,
    8_165_337,
    10_153_587,
    12_820_798,
    15_790_321,
    19_976_592,
    24_970_740,
    31_350_126,
    39_045_157,
    49_367_440,
    61_356_676,
    76_695_844,
    95_443_717,
    119_304_647,
    148_102_320,
    186_737_708,
    238_609_294,
    286_331_153,
];

/// A `load_weight`: the scaled weight and the cached inverse of the unscaled one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadWeight {
    /// Scaled weight.
    pub(crate) weight: u64,
    /// The scaled weight that the inverse belongs to; another one than `weight` if it has changed since.
    inverted: u64,
    /// 2^32 / unscaled weight.
    inv_weight: u32,
    /// Least unscaled weight of anything that has any.
    floor: u32,
}

impl LoadWeight {
    /// Weight of nothing.
    pub(crate) fn zero(floor: u32) -> Self {
        Self::scaled(0, floor)
    }

    /// Weight of a task of this nice level (clamped to -20..=19).
    pub(crate) fn of_nice(nice: i8) -> Self {
        let index = (nice.clamp(-20, 19) + 20) as usize;
        let weight = WEIGHTS[index] << SHIFT;
        Self {
            weight,
            inverted: weight,
            inv_weight: INVERSES[index],
            floor: 0,
        }
    }

    /// Weight of a task of idle policy.
    pub(crate) fn idle_policy() -> Self {
        Self {
            weight: WEIGHT_IDLEPRIO << SHIFT,
            inverted: WEIGHT_IDLEPRIO << SHIFT,
            inv_weight: WMULT_IDLEPRIO,
            floor: 0,
        }
    }

    /// A scaled weight, the inverse to be computed when wanted. `floor`: see [`crate::Rules`].
    pub(crate) fn scaled(weight: u64, floor: u32) -> Self {
        Self {
            weight,
            inverted: 0,
            inv_weight: u32::MAX,
            floor,
        }
    }

    /// Adds to the weight (`update_load_add`).
    pub(crate) fn add(&mut self, weight: u64) {
        self.weight += weight;
    }

    /// Takes from the weight (`update_load_sub`).
    pub(crate) fn sub(&mut self, weight: u64) {
        self.weight -= weight;
    }

    /// The weight without the 64-bit kernels' scale (`scale_load_down`).
    #[inline]
    pub(crate) fn unscaled(self) -> u64 {
        let unscaled = self.weight >> SHIFT;
        if self.weight > 0 {
            unscaled.max(u64::from(self.floor))
        } else {
            0
        }
    }

    /// Computes the inverse if that has not been done since the weight changed (`__update_inv_weight`).
    #[inline]
    pub(crate) fn update_inv_weight(&mut self) {
        if self.inverted != self.weight {
            self.inv_weight = self.inverse();
            self.inverted = self.weight;
        }
    }

    #[inline]
    fn inverse(self) -> u32 {
        if self.inverted == self.weight {
            return self.inv_weight;
        }
        match self.unscaled() {
            0 => u32::MAX,
            w if w > u64::from(u32::MAX) => 1,
            w => u32::MAX / w as u32,
        }
    }
}

/// `delta * weight / total`, by multiplication with the inverse (`__calc_delta`). `weight` unscaled.
#[inline]
pub(crate) fn calc_delta(delta_ns: u64, weight: u64, total: LoadWeight) -> u64 {
    let mut shift = 32;
    // No weight is so large, but that of very many tasks.
    let weight = if weight >> 32 == 0 {
        weight
    } else {
        std::hint::cold_path();
        below_32_bits(weight, &mut shift)
    };
    let factor = weight * u64::from(total.inverse());
    let factor = below_32_bits(factor, &mut shift);
    if delta_ns >> 32 == 0 {
        (delta_ns * factor) >> shift
    } else {
        ((u128::from(delta_ns) * u128::from(factor)) >> shift) as u64
    }
}

/// Drops as many low bits as there are too many, and notes that in `shift`.
#[inline]
fn below_32_bits(factor: u64, shift: &mut u32) -> u64 {
    if factor >> 32 == 0 {
        return factor;
    }
    let beyond = 32 - factor.leading_zeros();
    *shift -= beyond;
    factor >> beyond
}

/// Virtual time of `delta` for an entity of this weight (`calc_delta_fair`).
#[inline]
pub(crate) fn calc_delta_fair(delta_ns: u64, weight: LoadWeight) -> u64 {
    if weight.weight == NICE_0_LOAD {
        delta_ns
    } else {
        calc_delta(delta_ns, NICE_0_LOAD >> SHIFT, weight)
    }
}

/// Scaled group weight of a cgroup v2 `cpu.weight` of 1 to 10000 (`cpu_weight_write_u64`).
pub(crate) fn shares_of_cpu_weight(cpu_weight: u32) -> u64 {
    let shares = (u64::from(cpu_weight) * 1024 + 50) / 100;
    (shares << SHIFT).clamp(MIN_SHARES << SHIFT, (1 << 18) << SHIFT)
}
