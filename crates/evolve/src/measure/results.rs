//! Sums of the results of several batches, and their standard error.

use super::fitness::Measured;
use crate::plan::{Combine, FitnessPlan};
use tictune_core::stats::Tally;
use tictune_core::stats::paired::standard_error_of_cost;

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
    let worst = || measured.by_opponent.get(worst).map_or(all, Tally::score);
    match combine {
        Combine::Mean => all,
        Combine::Worst => worst(),
        Combine::MeanAndWorst => f64::midpoint(all, worst()),
    }
}

/// The standard error of a candidate's fitness, which is that of all its games, scaled to those of a fitness. Where the
/// worst opponent counts, it is that of the games against this one, as if all games had been played against it.
#[must_use]
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
    match fitness.combine {
        Combine::Mean => error(&all),
        Combine::Worst => error(worst),
        Combine::MeanAndWorst => f64::midpoint(error(&all), error(worst)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::fitness::tests::stage;
    use tictune_core::arena::Schedule;

    #[test]
    fn errors_are_those_of_the_games_that_count() {
        let mut fitness = stage(Schedule::Paired, &[("random", 300), ("reflex", 100)]).fitness;
        let measured = |wins: u64, rounds: u64| {
            let tally = |wins, games| Tally { wins, draws: 0, losses: games - wins };
            Measured {
                tally: tally(wins + 40 * rounds, 400 * rounds),
                by_opponent: vec![tally(wins, 300 * rounds), tally(40 * rounds, 100 * rounds)],
                distinct_games: 400 * rounds,
                ..Measured::default()
            }
        };
        // 400 tosses of a coin.
        let error = standard_error(&fitness, &measured(150, 1));
        assert!((error - 10.0).abs() < 0.05, "{error}");
        // Four times the games have half the error, in the units of a fitness.
        let error = standard_error(&fitness, &measured(600, 4));
        assert!((error - 5.0).abs() < 0.05, "{error}");
        // The worst opponent, of a quarter of the games alone has twice the error.
        fitness.combine = Combine::Worst;
        let error = standard_error(&fitness, &measured(150, 1));
        assert!((19.0..=20.2).contains(&error), "{error}");
    }
}
