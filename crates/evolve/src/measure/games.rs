//! The games of a vector one by one, where a verdict rests on them.

use std::collections::HashMap;

use crate::plan::FitnessPlan;
use tictune_core::arena::{EvidenceCount, Fingerprint, Periodic, Seen};
use tictune_core::stats::Evidence;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// The number of the opponent: see [`FitnessPlan::opponent_numbers`].
    pub opponent: usize,
    /// The vector's half points: 2 for a win, 1 for a draw.
    pub points: u64,
    /// What tells the game from others; none where the program that played it does not name its games.
    pub key: Option<u64>,
}

impl PlayedGame {
    /// What stands for it, the number-th game of its vector.
    fn fingerprint(&self, number: u64) -> Fingerprint {
        self.key.map_or_else(|| Fingerprint::unnamed(0, number), Fingerprint::of_key)
    }
}

/// The evidence of the games of a vector, against all opponents together.
pub(crate) fn evidence_of(fitness: &FitnessPlan, games: &[PlayedGame]) -> Evidence {
    let none = EvidenceCount::new(fitness.schedule);
    let mut by_opponent: HashMap<usize, EvidenceCount> = HashMap::new();
    for (number, game) in (0..).zip(games) {
        let count = by_opponent.entry(game.opponent).or_insert_with(|| none.clone());
        count.add(game.points, game.fingerprint(number));
    }
    by_opponent.values().fold(none.evidence(), |all, count| all.plus(&count.evidence()))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlayedPair {
    pub opponent: usize,
    /// The vector's half points, 0 to 4.
    pub points: u64,
    /// Whether it is evidence: none of its games was played before.
    pub is_new: bool,
}

/// Pairs without names.
#[derive(Default)]
struct Unnamed {
    results: Periodic,
    /// The block of each, and its place there.
    places: Vec<[usize; 2]>,
}

/// The pairs of a vector in blocks, and the number of its different games. A round is so many blocks: within a round, a program
/// that names no games and ignores its seeds repeats itself.
pub(crate) fn pairs_in_blocks<'g>(
    blocks: impl Iterator<Item = &'g [PlayedGame]>,
    round: usize,
) -> (Vec<Vec<PlayedPair>>, u64) {
    let (mut seen, mut number) = (Seen::default(), 0);
    let mut pairs: Vec<Vec<PlayedPair>> = Vec::new();
    // By round and opponent.
    let mut unnamed: HashMap<[usize; 2], Unnamed> = HashMap::new();
    let mut games_without_names = 0;
    for (block, games) in blocks.enumerate() {
        let mut of_block = Vec::new();
        for pair in games.chunks_exact(2) {
            let [first, second] = [0, 1].map(|game| pair[game].fingerprint(number + game as u64));
            number += 2;
            let (opponent, points) = (pair[0].opponent, pair[0].points + pair[1].points);
            if first.is_unnamed() || second.is_unnamed() {
                let known = unnamed.entry([block / round, opponent]).or_default();
                known.results.push(points as u8);
                known.places.push([block, of_block.len()]);
                games_without_names += 2;
            }
            of_block.push(PlayedPair { opponent, points, is_new: seen.is_new(&[first, second]) });
        }
        pairs.push(of_block);
    }
    for Unnamed { results, places } in unnamed.values() {
        for &[block, place] in
            places.iter().skip(results.repeated().map_or(places.len(), <[u8]>::len))
        {
            pairs[block][place].is_new = false;
            games_without_names -= 2;
        }
    }
    (pairs, seen.named() + games_without_names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(pairs: &[&[(u64, Option<u64>)]]) -> Vec<Vec<PlayedGame>> {
        let game = |&(points, key): &(u64, Option<u64>)| PlayedGame { opponent: 0, points, key };
        pairs.iter().map(|block| block.iter().map(game).collect()).collect()
    }

    fn new(blocks: &[Vec<PlayedGame>], round: usize) -> (Vec<Vec<bool>>, u64) {
        let (pairs, distinct) = pairs_in_blocks(blocks.iter().map(Vec::as_slice), round);
        (
            pairs.iter().map(|block| block.iter().map(|pair| pair.is_new).collect()).collect(),
            distinct,
        )
    }

    #[test]
    fn pairs_that_a_block_repeats_are_not_new() {
        let of = |first: u64| [(2, Some(first)), (1, Some(first + 1))];
        let played = blocks(&[&of(1), &of(3), &of(1), &[of(5), of(5)].concat()]);
        let expected = vec![vec![true], vec![true], vec![false], vec![true, false]];
        assert_eq!(new(&played, 10), (expected, 6));
    }

    #[test]
    fn pairs_without_names_repeat_within_a_round_only() {
        let block = [(2, None), (0, None), (2, None), (1, None)];
        let same = blocks(&[&block, &block, &block]);
        let once = vec![vec![true, true], vec![false; 2], vec![false; 2]];
        assert_eq!(new(&same, 3), (once, 4));
        let apart = vec![vec![true, true]; 3];
        assert_eq!(new(&same, 2), (apart, 12), "two blocks may be alike by chance");
    }
}
