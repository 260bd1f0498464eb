//! Measuring vectors in other games than those of the fitness: in pairs, against the opponents of a stage, told
//! by opponent.

use super::log::{parse_by_opponent, text_of_by_opponent};
use super::measure::fitness::Measured;
use super::plan::{Combine, FitnessPlan};

use crate::stats::Tally;

/// The columns that hold results.
pub(super) const RESULT_COLUMNS: [&str; 5] =
    ["wins", "draws", "losses", "distinct_games", "by_opponent"];

/// Results as fields of a log: see [`RESULT_COLUMNS`].
pub(super) fn result_fields(measured: &Measured) -> impl Iterator<Item = String> + use<> {
    let Tally { wins, draws, losses } = measured.tally;
    let counts = [wins, draws, losses, measured.distinct_games].map(|count| count.to_string());
    counts.into_iter().chain([text_of_by_opponent(&measured.by_opponent)])
}

/// The results in a row from a column on, if they have the games of a fitness, all together and by opponent.
pub(super) fn parse_results(
    row: &csv::StringRecord,
    column: usize,
    fitness: &FitnessPlan,
) -> Option<Measured> {
    let number = |offset: usize| row.get(column + offset)?.parse::<u64>().ok();
    let tally = Tally { wins: number(0)?, draws: number(1)?, losses: number(2)? };
    let by_opponent = parse_by_opponent(row.get(column + 4)?)?;
    let sum = by_opponent.iter().fold(Tally::default(), |sum, tally| sum.plus(tally));
    let fits = sum == tally && by_opponent.iter().map(Tally::games).eq(fitness.games_by_opponent());
    fits.then_some(Measured { tally, by_opponent, distinct_games: number(3)? })
}

/// Both results together.
pub(super) fn sum(a: &Measured, b: &Measured) -> Measured {
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
pub(super) fn worst_opponent(by_opponent: &[Tally]) -> usize {
    let scores = by_opponent.iter().map(Tally::score).enumerate();
    scores.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(opponent, _)| opponent)
}

/// The share of points, 0..=1, combined over opponents; `worst` is the one that counts where only one does.
pub(super) fn share(combine: Combine, measured: &Measured, worst: usize) -> f64 {
    let all = measured.tally.score();
    let worst = || measured.by_opponent.get(worst).map_or(all, Tally::score);
    match combine {
        Combine::Mean => all,
        Combine::Worst => worst(),
        Combine::MeanAndWorst => f64::midpoint(all, worst()),
    }
}
