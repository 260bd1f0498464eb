//! Random playouts in batches: many independent games are played at once, one in each vector lane.
//!
//! The loops over lanes are written once and compiled for several instruction sets. The program
//! chooses the best one that the processor supports when it runs. All arithmetic is in integers,
//! and each game has its own generator. Results therefore depend neither on the instruction set nor
//! on the number of lanes.

use std::ops::Range;

use rand::SeedableRng;

use crate::uttt::Uttt;
use crate::uttt::lanes::{Draws, LANES, Lanes, PerLane};
use crate::uttt::rules::DrawnBoard;
use tictune_core::game::{Outcome, Player, Position};
use tictune_core::seed::{Generator, mix};

/// The number of plies between two checks for finished games. It is even, since the same player
/// starts all games.
const PLIES: usize = 6;

/// The results of random playouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// The number of games that the first player won.
    pub first: u64,
    /// The number of games that the second player won.
    pub second: u64,
    /// The number of drawn games.
    pub draws: u64,
}

impl Outcomes {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Win(Player::First) => self.first += 1,
            Outcome::Win(Player::Second) => self.second += 1,
            Outcome::Draw => self.draws += 1,
        }
    }
}

/// The instruction sets that batches of playouts are compiled for. Results are the same with each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// The instructions that every processor of the target has.
    Portable,
    /// AVX2 on x86-64: vectors of 256 bits.
    Avx2,
    /// AVX-512 on x86-64 with BW, DQ, VL and BITALG: vectors of 512 bits.
    Avx512,
}

impl Instructions {
    /// All instruction sets, the fastest last.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Whether this processor supports the instruction set.
    #[must_use]
    pub fn available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bitalg")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The fastest instruction set that this processor supports.
    #[must_use]
    pub fn best() -> Self {
        Self::ALL.into_iter().rev().find(|set| set.available()).unwrap_or(Self::Portable)
    }
}

/// The generator of one playout of [`random_playouts`]. It depends only on the seed and the number
/// of the game.
#[must_use]
pub fn playout_generator(seed: u64, game: u64) -> Generator {
    Generator::seed_from_u64(mix(seed, game))
}

/// Plays random games from a position to their ends, many at once on one thread. `games` holds the
/// numbers of the games.
///
/// Each game is the same as a playout in tree search with its [`playout_generator`]. The result of
/// a range of games is therefore the sum of the results of its parts.
///
/// ```
/// use tictune_core::game::Position;
/// use tictune_games::uttt::batch::random_playouts;
/// use tictune_games::uttt::{Rules, Uttt};
/// let start = Uttt::start(Rules::default());
/// let ends = random_playouts(&start, 0, 0..1000);
/// assert_eq!(ends.first + ends.second + ends.draws, 1000);
/// ```
#[must_use]
pub fn random_playouts(position: &Uttt, seed: u64, games: Range<u64>) -> Outcomes {
    let mut outcomes = Outcomes::default();
    each_random_playout(position, seed, games, Instructions::best(), &mut |_, outcome| {
        outcomes.add(outcome);
    });
    outcomes
}

/// Like [`random_playouts`], but reports each game: its number and its outcome, in the order in
/// which games end. If the processor does not support the instruction set, the portable one is
/// used.
#[allow(unsafe_code, reason = "functions for an instruction set that the processor may lack")]
pub fn each_random_playout(
    position: &Uttt,
    seed: u64,
    games: Range<u64>,
    instructions: Instructions,
    take: &mut dyn FnMut(u64, Outcome),
) {
    if let Some(outcome) = position.outcome() {
        games.for_each(|game| take(game, outcome));
        return;
    }
    match instructions {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the features that the function is compiled for, as `available` says.
        Instructions::Avx512 if instructions.available() => unsafe {
            with_avx512(position, seed, games, take);
        },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the same.
        Instructions::Avx2 if instructions.available() => unsafe {
            with_avx2(position, seed, games, take);
        },
        _ => play(position, seed, games, take),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg")]
fn with_avx512(position: &Uttt, seed: u64, games: Range<u64>, take: &mut dyn FnMut(u64, Outcome)) {
    play(position, seed, games, take);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(position: &Uttt, seed: u64, games: Range<u64>, take: &mut dyn FnMut(u64, Outcome)) {
    play(position, seed, games, take);
}

// The functions below are inlined into their callers, so that they are compiled for the instruction
// set of each. They use plain loops, since a closure that is not inlined would not be compiled for
// it.

#[inline(always)]
fn play(position: &Uttt, seed: u64, games: Range<u64>, take: &mut dyn FnMut(u64, Outcome)) {
    match position.rules().drawn_board {
        DrawnBoard::Nobody => play_by::<false>(position, seed, games, take),
        DrawnBoard::Both => play_by::<true>(position, seed, games, take),
    }
}

/// Like [`play`], for one rule of drawn boards. With `BOTH`, they count for both players.
#[inline(always)]
fn play_by<const BOTH: bool>(
    position: &Uttt,
    seed: u64,
    games: Range<u64>,
    take: &mut dyn FnMut(u64, Outcome),
) {
    let mut lanes = Lanes::new(position);
    let mut generators = Generators::NONE;
    // The generators of the next games, seeded a batch at a time, and how many of them are in use.
    let (mut waiting, mut taken) = (Generators::NONE, LANES);
    let mut draws = [Draws { high: PerLane::ZERO, low: PerLane::ZERO }; PLIES];
    let mut playing = [None; LANES];
    let mut next = games.start;
    let mut left = games.end.saturating_sub(games.start);
    while left > 0 {
        let mut resting = lanes.resting();
        let mut fresh = PerLane::ZERO;
        while resting != 0 {
            let lane = resting.trailing_zeros() as usize % LANES;
            resting &= resting - 1;
            if let Some(game) = playing[lane].take() {
                take(game, lanes.outcome(lane));
                left -= 1;
            }
            if next < games.end {
                if taken == LANES {
                    waiting.seed(seed, next);
                    taken = 0;
                }
                generators.copy(lane, &waiting, taken);
                taken += 1;
                playing[lane] = Some(next);
                fresh.0[lane] = u16::MAX;
                next += 1;
            }
        }
        lanes.begin(&fresh);
        generators.draw(&mut draws);
        for pair in draws.chunks_exact(2) {
            lanes.play::<0, BOTH>(&pair[0]);
            lanes.play::<1, BOTH>(&pair[1]);
        }
    }
}

/// One [`Generator`] (xoshiro256++) for each lane.
///
/// CITE: Blackman, Vigna, "Scrambled linear pseudorandom number generators", 2021.
#[repr(align(64))]
struct Generators([[u64; LANES]; 4]);

impl Generators {
    const NONE: Self = Self([[0; LANES]; 4]);

    /// The upper 32 bits of the next number of each lane, for each ply.
    #[inline(always)]
    fn draw(&mut self, draws: &mut [Draws; PLIES]) {
        for lane in 0..LANES {
            let (mut a, mut b) = (self.0[0][lane], self.0[1][lane]);
            let (mut c, mut d) = (self.0[2][lane], self.0[3][lane]);
            for draws in draws.iter_mut() {
                let number = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
                draws.high.0[lane] = (number >> 48) as u16;
                draws.low.0[lane] = (number >> 32) as u16;
                let shifted = b << 17;
                c ^= a;
                d ^= b;
                b ^= c;
                a ^= d;
                c ^= shifted;
                d = d.rotate_left(45);
            }
            self.0[0][lane] = a;
            self.0[1][lane] = b;
            self.0[2][lane] = c;
            self.0[3][lane] = d;
        }
    }

    /// The generators of games from `first` on, one for each lane; the same as
    /// [`playout_generator`].
    ///
    /// CITE: SplitMix64 (Steele, Lea, Flood 2014) fills the state, as Blackman and Vigna recommend.
    #[inline(always)]
    fn seed(&mut self, seed: u64, first: u64) {
        for lane in 0..LANES {
            let mut state = mix(seed, first.wrapping_add(lane as u64));
            for word in 0..4 {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = state;
                z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                self.0[word][lane] = z ^ z >> 31;
            }
        }
    }

    /// Copies one of `others` to a lane.
    #[inline(always)]
    fn copy(&mut self, lane: usize, others: &Self, other: usize) {
        for word in 0..4 {
            self.0[word][lane] = others.0[word][other];
        }
    }
}
