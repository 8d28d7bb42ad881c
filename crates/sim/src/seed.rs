//! Seeds: one generator for each purpose, so that a new consumer shifts no other.

use rand_core::Rng as _;
use rand_pcg::Pcg32;

/// What a stream of random numbers is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Phase of each CPU's tick.
    TickPhase,
    /// The kernel's own draws.
    Kernel,
    /// What a thread's program draws.
    Program,
    /// How long a thread's system calls take.
    Call,
}

/// The seed of repeat `repeat` (from 0) of a scenario with this `seed`. Repeat 0 keeps the seed.
///
/// ```
/// assert_eq!(teeter_sim::derive_seed(7, 0), 7);
/// assert_ne!(teeter_sim::derive_seed(7, 1), teeter_sim::derive_seed(7, 2));
/// ```
pub fn derive_seed(seed: u64, repeat: u32) -> u64 {
    if repeat == 0 {
        seed
    } else {
        mix(seed ^ mix(u64::from(repeat)))
    }
}

/// A number in `0..below` (0 where `below` is 0) for one entity and purpose.
pub(crate) fn draw(seed: u64, purpose: Purpose, entity: u64, below: u64) -> u64 {
    let state = mix(mix(seed) ^ mix(purpose as u64 + 1) ^ entity);
    let drawn = Pcg32::new(state, entity).next_u64();
    ((u128::from(drawn) * u128::from(below)) >> 64) as u64
}

/// One step of splitmix64: spreads every bit of the input over the output.
fn mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_stay_below_and_cover_the_range() {
        let draws: Vec<u64> = (0..256)
            .map(|e| draw(1, Purpose::TickPhase, e, 8))
            .collect();
        assert!((0..8).all(|value| draws.contains(&value)));
        assert!(draws.iter().all(|&value| value < 8));
        assert_eq!(draw(1, Purpose::TickPhase, 0, 0), 0);
    }

    #[test]
    fn repeats_have_seeds_of_their_own() {
        let mut seeds: Vec<u64> = (0..100).map(|k| derive_seed(3, k)).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 100);
    }
}
