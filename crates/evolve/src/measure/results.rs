//! Sums of the results of several batches, and their standard error; and the games of a vector one by one, where a verdict
//! rests on them.

use std::collections::HashMap;

use super::fitness::Measured;
use crate::plan::{Combine, FitnessPlan};
use tictune_core::arena::{EvidenceCount, Fingerprint, Periodic, Seen};
use tictune_core::stats::paired::standard_error_of_cost;
use tictune_core::stats::{Evidence, Tally};

/// Both results together, without the games one by one.
pub fn sum(a: &Measured, b: &Measured) -> Measured {
    let length = a.by_opponent.len().max(b.by_opponent.len());
    let of = |measured: &Measured, opponent: usize| {
        measured.by_opponent.get(opponent).copied().unwrap_or_default()
    };
    Measured {
        tally: a.tally.plus(&b.tally),
        by_opponent: (0..length).map(|opponent| of(a, opponent).plus(&of(b, opponent))).collect(),
        distinct_games: a.distinct_games + b.distinct_games,
        games: Vec::new(),
    }
}

pub(crate) fn worst_opponent(by_opponent: &[Tally]) -> usize {
    let scores = by_opponent.iter().map(Tally::score).enumerate();
    scores.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(opponent, _)| opponent)
}

/// The share of points, 0..=1, combined over opponents; `worst` is the one that counts where only one does.
pub fn share(combine: Combine, measured: &Measured, worst: usize) -> f64 {
    let all = measured.tally.score();
    combine.of(all, measured.by_opponent.get(worst).map_or(all, Tally::score))
}

/// The standard error of a candidate's fitness, which is that of all its games, scaled to those of a fitness. Where the
/// worst opponent counts, it is that of the games against this one, as if all games had been played against it.
pub fn standard_error(fitness: &FitnessPlan, measured: &Measured) -> f64 {
    let cost = |tally| fitness.score.fitness(&tally);
    let costs = [
        cost(Tally { wins: 1, draws: 0, losses: 0 }),
        cost(Tally { wins: 0, draws: 1, losses: 0 }),
        cost(Tally { wins: 0, draws: 0, losses: 1 }),
    ];
    let all = measured.tally;
    let error = |tally: &Tally| {
        let distinct = measured.distinct_games * tally.games() / all.games().max(1);
        standard_error_of_cost(tally, costs, distinct.max(1)) * fitness.games as f64
            / tally.games().max(1) as f64
    };
    let share = |tally: &Tally| fitness.score.fitness(tally) / tally.games().max(1) as f64;
    let worst =
        measured.by_opponent.iter().max_by(|a, b| share(a).total_cmp(&share(b))).unwrap_or(&all);
    fitness.combine.of(error(&all), error(worst))
}

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
    use crate::measure::tests::stage;
    use tictune_core::arena::Schedule;

    #[test]
    fn errors_are_those_of_the_games_that_count() {
        let mut fitness = stage(Schedule::Paired, &[("random", 300), ("reflex", 100)]).fitness;
        // 400 tosses of a coin; four times the games have half the error, in the units of a fitness; the worst opponent of
        // a quarter of the games alone has twice the error.
        for (combine, rounds, expected) in [
            (Combine::Mean, 1, 9.95..10.05),
            (Combine::Mean, 4, 4.95..5.05),
            (Combine::Worst, 1, 19.0..20.2),
        ] {
            let tally = |wins, games| Tally { wins, draws: 0, losses: games - wins };
            let measured = Measured {
                tally: tally(190 * rounds, 400 * rounds),
                by_opponent: vec![
                    tally(150 * rounds, 300 * rounds),
                    tally(40 * rounds, 100 * rounds),
                ],
                distinct_games: 400 * rounds,
                ..Measured::default()
            };
            fitness.combine = combine;
            let error = standard_error(&fitness, &measured);
            assert!(expected.contains(&error), "{error}");
        }
    }

    /// Which pairs of blocks are new, given the points and the names of their games, and how many games differ.
    fn new(blocks: &[Vec<(u64, Option<u64>)>], round: usize) -> (Vec<Vec<bool>>, u64) {
        let game = |&(points, key): &(u64, Option<u64>)| PlayedGame { opponent: 0, points, key };
        let blocks: Vec<Vec<_>> =
            blocks.iter().map(|block| block.iter().map(game).collect()).collect();
        let (pairs, distinct) = pairs_in_blocks(blocks.iter().map(Vec::as_slice), round);
        let is_new = |block: &Vec<PlayedPair>| block.iter().map(|pair| pair.is_new).collect();
        (pairs.iter().map(is_new).collect(), distinct)
    }

    #[test]
    fn pairs_that_were_played_before_are_not_new() {
        let of = |first: u64| vec![(2, Some(first)), (1, Some(first + 1))];
        let played = [of(1), of(3), of(1), [of(5), of(5)].concat()];
        let expected = vec![vec![true], vec![true], vec![false], vec![true, false]];
        assert_eq!(new(&played, 10), (expected, 6));
        // Pairs without names repeat within a round only: two blocks may be alike by chance.
        let same = vec![vec![(2, None), (0, None), (2, None), (1, None)]; 3];
        assert_eq!(new(&same, 3), (vec![vec![true, true], vec![false; 2], vec![false; 2]], 4));
        assert_eq!(new(&same, 2), (vec![vec![true, true]; 3], 12));
    }
}
