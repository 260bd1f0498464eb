//! How much of the differences between candidates may be chance.
//!
//! A fitness is a count of games, so candidates differ by chance. [`Noise::of`] compares the spread of fitness in a
//! generation with the standard error of a single fitness.

use crate::journal::CandidateRow;
use crate::measure::results::standard_error;
use crate::plan::FitnessPlan;

/// How much of the differences between the candidates of a generation may be chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Noise {
    /// The standard deviation of the candidates' fitness.
    pub(super) spread: f64,
    /// The standard error of one fitness: the root of the mean square of the candidates'.
    pub(super) standard_error: f64,
}

impl Noise {
    /// The noise of a generation, from wins, draws and losses: see [`standard_error`]. Nothing else is in
    /// the log of a run, so that a resumed one finds the same.
    #[must_use]
    pub(super) fn of(fitness: &FitnessPlan, candidates: &[CandidateRow]) -> Self {
        let count = candidates.len() as f64;
        let mean = candidates.iter().map(|candidate| candidate.fitness).sum::<f64>() / count;
        let squares: f64 =
            candidates.iter().map(|candidate| (candidate.fitness - mean).powi(2)).sum();
        let errors: f64 = candidates
            .iter()
            .map(|candidate| standard_error(fitness, &candidate.measured).powi(2))
            .sum();
        Self {
            spread: (squares / (count - 1.0).max(1.0)).sqrt(),
            standard_error: (errors / count).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::fitness::Measured;
    use crate::measure::fitness::tests::stage;
    use crate::plan::Combine;
    use tictune_core::arena::Schedule;
    use tictune_core::stats::Tally;

    #[test]
    fn spread_and_error_are_those_of_the_candidates() {
        let mut fitness = stage(Schedule::Paired, &[("random", 300), ("reflex", 100)]).fitness;
        let candidate = |wins: u64, rounds: u64| {
            let tally = |wins, games| Tally { wins, draws: 0, losses: games - wins };
            let by_opponent = vec![tally(wins, 300 * rounds), tally(40 * rounds, 100 * rounds)];
            let all = tally(wins + 40 * rounds, 400 * rounds);
            CandidateRow {
                generation: 1,
                index: 0,
                fitness: 400.0 - all.wins as f64 / rounds as f64,
                measured: Measured {
                    tally: all,
                    by_opponent,
                    distinct_games: 400 * rounds,
                    games: Vec::new(),
                },
                values: Vec::new(),
            }
        };
        let candidates = [candidate(150, 1), candidate(140, 1), candidate(160, 1)];
        let noise = Noise::of(&fitness, &candidates);
        assert_eq!(noise.spread, 10.0);
        // 400 tosses of a coin.
        assert!((noise.standard_error - 10.0).abs() < 0.05, "{noise:?}");
        // The worst opponent, of a quarter of the games alone has twice the error.
        fitness.combine = Combine::Worst;
        let noise = Noise::of(&fitness, &candidates);
        assert!((19.0..=20.2).contains(&noise.standard_error), "{noise:?}");
        // Four times the games have half the error, in the units of a fitness.
        fitness.combine = Combine::Mean;
        let noise = Noise::of(&fitness, &[candidate(600, 4), candidate(600, 4)]);
        assert_eq!(noise.spread, 0.0);
        assert!((noise.standard_error - 5.0).abs() < 0.05, "{noise:?}");
    }
}
