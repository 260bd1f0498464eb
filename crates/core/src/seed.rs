//! Seeds: pure functions that derive the seed of every random generator.
//!
//! Games and threads never share a generator. Code that needs random numbers derives a seed here and owns its generator.
//! Neighbouring inputs give unrelated seeds. With those of Liang 2.3.1, the "300 test cases" were only a few different games.

use rand::{RngExt, SeedableRng};
pub use rand_xoshiro::Xoshiro256PlusPlus as Generator;
use strum::VariantArray;

/// What a game uses random numbers for. Each role has its own generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The random plies of the opening.
    Opening = 1,
    /// The choices of agent A.
    AgentA = 2,
    /// The choices of agent B.
    AgentB = 3,
    /// The draw of the side that moves first, if the schedule draws it; outside games, the points of an optimiser of pairs.
    Coin = 4,
}

/// Mixes two 64-bit numbers into one (the finaliser of SplitMix64 over a combination of both).
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#[inline]
pub const fn mix(seed: u64, value: u64) -> u64 {
    let mut z = seed.rotate_left(32) ^ value.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = z.wrapping_add(seed.wrapping_mul(0xd134_2543_de82_ef95));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The seed of a game: of a match, and of the number of the opening, which the two games of a pair share.
#[inline]
pub const fn of_game(match_seed: u64, number: u64) -> u64 {
    mix(match_seed, number)
}

/// The seed of one role in a game.
#[inline]
pub const fn of_role(game_seed: u64, role: Role) -> u64 {
    mix(game_seed, role as u64)
}

/// The generator of one role in a game.
#[inline]
pub fn generator(game_seed: u64, role: Role) -> Generator {
    Generator::seed_from_u64(of_role(game_seed, role))
}

/// What a run uses its seed for. Different purposes give different seeds.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum Purpose {
    Optimiser = 1,
    Fitness = 2,
    /// The match of the best candidate against the mean.
    Comparison = 3,
    Validation = 4,
    /// The games of reinforcement learning.
    Learning = 5,
    Regression = 11,
}

/// The seed of a purpose in a stage and generation, both from 0. The generation is 0 where seeds do not change with it.
pub const fn of_run(run_seed: u64, purpose: Purpose, stage: u64, generation: u64) -> u64 {
    mix(mix(mix(run_seed, 0x7469_6374 + purpose as u64), stage), generation)
}

/// Shuffles indices in an order that depends on the seed alone.
pub fn shuffle(order: &mut [usize], seed: u64) {
    let mut generator = Generator::seed_from_u64(seed);
    for last in (1..order.len()).rev() {
        // Drawn as 32 bits, so that every machine draws the same number.
        order.swap(last, generator.random_range(0..=last as u32) as usize);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::Rng;

    use super::*;

    #[test]
    fn neighbouring_seeds_give_different_beginnings() {
        // The first draws of 1,000 neighbouring games must fill about as many of 1,000 buckets as random draws would.
        let buckets: HashSet<u64> =
            (0..1000).map(|game| generator(mix(0, game), Role::AgentA).next_u64() % 1000).collect();
        assert!((590..680).contains(&buckets.len()), "{} of an expected 632", buckets.len());
    }

    #[test]
    fn seeds_do_not_meet() {
        let purpose = |n: u64| Purpose::VARIANTS[n as usize % 6];
        let seed = |n: u64| of_run(n / 3000, purpose(n), n / 600 % 5, n / 6 % 100);
        assert_eq!((0..30_000).map(seed).collect::<HashSet<_>>().len(), 30_000);
    }

    #[test]
    fn orders_are_drawn_evenly() {
        let mut counts = [[0; 4]; 4];
        for seed in 0..4000 {
            let mut order = [0, 1, 2, 3];
            shuffle(&mut order, mix(7, seed));
            order.iter().enumerate().for_each(|(place, &index)| counts[place][index] += 1);
        }
        assert!(counts.iter().flatten().all(|count| (890..1110).contains(count)), "{counts:?}");
    }
}
