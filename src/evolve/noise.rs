//! What an evolution does against the noise of its fitness: settings as plain data, and how large the noise is.
//!
//! A fitness is a count of games, so that candidates differ by chance. [`Noise::of`] sets the spread of a
//! generation's fitness beside the error of a single one; the settings say what follows from it.

use serde::{Deserialize, Serialize};

use super::log::Evaluation;
use super::plan::{Combine, FitnessPlan};
use crate::arena::Openings;
use crate::stats::Tally;
use crate::stats::paired::standard_error_of_cost;

/// The settings against noise. By default there are none, and an evolution is the plain one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NoisePlan {
    /// The re-evaluation of finalists at the end of each stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finalists: Option<FinalistsPlan>,
}

impl NoisePlan {
    /// Whether nothing is done.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Which vectors of a stage are measured again at its end, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinalistsPlan {
    /// Games of each finalist in the first round; each further round has twice as many.
    pub games: u64,
    /// The most rounds.
    pub rounds: u32,
    /// How many candidates of the lowest fitness measured take part, at least 1.
    pub best: u64,
    /// How many means take part, spread evenly over the generations; the last is the final one. At least 1.
    pub means: u64,
    /// Over how many of the last generations means are averaged for one more; below 2 for none.
    pub average: u64,
    /// Whether the start vector takes part.
    pub start: bool,
    /// Where games start.
    pub openings: Openings,
}

/// How much of the differences between the candidates of a generation may be chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// The standard deviation of the candidates' fitness.
    pub spread: f64,
    /// The standard error of one fitness: the root of the mean square of the candidates'.
    pub standard_error: f64,
}

impl Noise {
    /// The noise of a generation, from wins, draws and losses: see [`standard_error_of_cost`]. Nothing else is in
    /// the log of a run, so that a resumed one finds the same.
    #[must_use]
    pub fn of(fitness: &FitnessPlan, candidates: &[Evaluation]) -> Self {
        let count = candidates.len() as f64;
        let mean = candidates.iter().map(|candidate| candidate.fitness).sum::<f64>() / count;
        let squares: f64 =
            candidates.iter().map(|candidate| (candidate.fitness - mean).powi(2)).sum();
        let errors: f64 =
            candidates.iter().map(|candidate| standard_error(fitness, candidate).powi(2)).sum();
        Self {
            spread: (squares / (count - 1.0).max(1.0)).sqrt(),
            standard_error: (errors / count).sqrt(),
        }
    }
}

/// The standard error of a candidate's fitness. Where the worst opponent counts, it is that of the games against
/// this one, as if all games had been played against it.
#[must_use]
pub fn standard_error(fitness: &FitnessPlan, candidate: &Evaluation) -> f64 {
    let cost = |tally| fitness.score.fitness(&tally);
    let costs = [
        cost(Tally { wins: 1, draws: 0, losses: 0 }),
        cost(Tally { wins: 0, draws: 1, losses: 0 }),
        cost(Tally { wins: 0, draws: 0, losses: 1 }),
    ];
    let measured = &candidate.measured;
    let all = measured.tally;
    let error = |tally: &Tally| {
        let distinct = measured.distinct_games * tally.games() / all.games().max(1);
        standard_error_of_cost(tally, costs, distinct.max(1)) * all.games() as f64
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
