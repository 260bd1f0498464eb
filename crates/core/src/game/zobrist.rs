//! The random numbers of Zobrist hashing: one for each thing that can be on a board.
//!
//! Source: Zobrist, "A new hashing method with application for game playing", University of Wisconsin, 1970.

use crate::game::Player;

/// The key of the marks on a board: the exclusive or of their numbers, which `numbers` has by player and square (Liang 2.5.1).
pub fn key<const N: usize>(
    numbers: &[[u64; N]; 2],
    marks: impl IntoIterator<Item = (Player, usize)>,
) -> u64 {
    let number = |(player, square): (Player, usize)| numbers[player.index()][square];
    marks.into_iter().map(number).fold(0, |key, number| key ^ number)
}

/// `N` random 64-bit numbers, the same in every build; another seed gives others.
pub const fn numbers<const N: usize>(seed: u64) -> [u64; N] {
    let mut numbers = [0; N];
    let (mut state, mut index) = (seed, 0);
    while index < N {
        // Source: SplitMix64; Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        numbers[index] = z ^ (z >> 31);
        index += 1;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Player::{First as X, Second as O};

    /// Liang, Table 2.7, row by row.
    const NUMBERS: [[u64; 9]; 2] =
        [[98, 67, 76, 84, 1, 94, 37, 76, 82], [45, 22, 4, 27, 65, 23, 85, 89, 52]];

    #[test]
    fn the_example_of_table_2_7() {
        let square = |column: usize, row: usize| 3 * row + column;
        let marks = [(O, square(0, 0)), (O, square(2, 1)), (X, square(1, 0)), (X, square(1, 1))];
        assert_eq!(key(&NUMBERS, marks), 45 ^ 67 ^ 1 ^ 23);
        // The order of the moves does not matter, and a mark is taken back like it is made.
        let moved = marks.iter().rev().copied().chain([(X, 8), (X, 8)]);
        assert_eq!(key(&NUMBERS, moved), 120);
    }
}
