//! Sums the results of several batches.

use super::fitness::Measured;
use crate::evolve::plan::Combine;
use crate::stats::Tally;

/// Both results together.
pub(crate) fn sum(a: &Measured, b: &Measured) -> Measured {
    let length = a.by_opponent.len().max(b.by_opponent.len());
    let of = |measured: &Measured, opponent: usize| {
        measured.by_opponent.get(opponent).copied().unwrap_or_default()
    };
    Measured {
        tally: a.tally.plus(&b.tally),
        by_opponent: (0..length).map(|opponent| of(a, opponent).plus(&of(b, opponent))).collect(),
        distinct_games: a.distinct_games + b.distinct_games,
    }
}

/// The opponent against whom results are worst.
pub(crate) fn worst_opponent(by_opponent: &[Tally]) -> usize {
    let scores = by_opponent.iter().map(Tally::score).enumerate();
    scores.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(opponent, _)| opponent)
}

/// The share of points, 0..=1, combined over opponents; `worst` is the one that counts where only one does.
pub(crate) fn share(combine: Combine, measured: &Measured, worst: usize) -> f64 {
    let all = measured.tally.score();
    let worst = || measured.by_opponent.get(worst).map_or(all, Tally::score);
    match combine {
        Combine::Mean => all,
        Combine::Worst => worst(),
        Combine::MeanAndWorst => f64::midpoint(all, worst()),
    }
}
