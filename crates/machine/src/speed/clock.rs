//! The clock: cores run faster while few of their package are active.

use super::{FULL_RATE, Speed};

impl Speed {
    /// Clock of a package of which so many cores are active; [`FULL_RATE`] is what it keeps up with all of
    /// them: `turbo.most` with `turbo.cores` at most, and `turbo.step` less with each one more.
    pub fn turbo_q16(&self, active_cores: u32) -> u32 {
        let beyond = active_cores.saturating_sub(self.turbo_cores);
        let lost = self.turbo_step.saturating_mul(beyond);
        let percent = self.turbo_most.saturating_sub(lost).max(100);
        (u64::from(FULL_RATE) * u64::from(percent) / 100) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::preset;

    #[test]
    fn each_core_more_costs_a_step() {
        let haswell = preset("haswell-2s");
        // 125, 119, 113, 107, 101 and 100 hundredths of 65536.
        assert_eq!(
            [1, 2, 3, 4, 5, 6, 7, 12].map(|active| haswell.turbo_q16(active)),
            [
                81_920, 81_920, 77_987, 74_055, 70_123, 66_191, 65_536, 65_536
            ]
        );
        assert_eq!(preset("power8-8n").turbo_q16(1), 65_536);
    }
}
