//! Measuring the candidates of a generation by playing.
//!
//! Their games are one list of units, candidate after candidate, for an executor: many threads are as busy as two,
//! and candidates are finished, and logged, in their order.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::schedule::GenerationSchedule;
use crate::error::{Result, RunError};
use crate::plan::{FitnessPlan, Plan, StagePlan, Vector};
use tictune_core::arena::{Executor, Fingerprint, GameResult, play_in_order};
use tictune_core::stats::Tally;

/// The candidates of a generation and how to measure them: plain data, the same on any machine.
#[derive(Clone, Debug)]
pub struct Batch<'b> {
    /// Whose agent plays with them.
    pub plan: &'b Plan,
    pub stage: &'b StagePlan,
    /// The seed of the generation's games: see [`tictune_core::seed::of_run`].
    pub seed: u64,
    /// Where they play each other: all of a generation, pair by pair, and last its mean, which plays the opponents.
    pub candidates: Vec<&'b Vector>,
    /// Where candidates play each other, the start of the run. It is one more candidate, and plays the mean.
    pub start: Option<&'b Vector>,
    /// How many of them were measured before.
    pub done: usize,
    /// Whom each candidate plays in place of the opponents; empty where it plays these.
    pub against: Vec<&'b Vector>,
}

impl<'b> Batch<'b> {
    /// Vectors of a plan in the games of a stage, none of which was measured before.
    pub fn new(plan: &'b Plan, stage: &'b StagePlan, seed: u64, vectors: Vec<&'b Vector>) -> Self {
        Self { plan, stage, seed, candidates: vectors, start: None, done: 0, against: Vec::new() }
    }
}

/// Results, in the order of the columns of logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Results from the candidate's view.
    pub tally: Tally,
    pub distinct_games: u64,
}

/// Receives candidates by index as they are measured, in order: `Err` ends the batch.
pub type Sink<'s> = dyn FnMut(usize, Measured) -> Result<()> + Send + 's;

/// Measures every candidate of a batch. `sink` gets each in the order of the candidates; `on_game` is called once a game, from
/// any thread. `stop` ends the batch early.
pub fn measure_batch(
    executor: &dyn Executor,
    batch: &Batch<'_>,
    sink: &mut Sink<'_>,
    on_game: &(dyn Fn() + Sync),
    stop: &AtomicBool,
) -> Result<()> {
    let schedule = GenerationSchedule::new(batch)?;
    let all = batch.candidates.iter().chain(&batch.start);
    let mut counted: Vec<MatchCount> = all.map(|_| MatchCount::default()).collect();
    for candidate in schedule.counts_for.iter().flatten().flatten() {
        counted[*candidate].units_left += 1;
    }
    let mut next = batch.done;
    let mut count = |unit: usize, games: Vec<GameResult>| {
        for (candidate, is_a) in schedule.counts_for[unit].into_iter().zip([true, false]) {
            if let Some(candidate) = candidate {
                counted[candidate].add(&games, is_a);
            }
        }
        while let Some(measured) = counted.get_mut(next).and_then(MatchCount::finish) {
            sink(next, measured)?;
            next += 1;
        }
        Ok::<_, RunError>(ControlFlow::Continue(()))
    };
    let on_games = |_: usize, games: u64| (0..games).for_each(|_| on_game());
    play_in_order(executor, &schedule.work, &mut count, &on_games, stop)
}

#[derive(Default)]
struct MatchCount {
    units_left: usize,
    tally: Tally,
    different: HashSet<Fingerprint>,
}

impl MatchCount {
    /// Counts the games of a unit in which the candidate was A or else B.
    fn add(&mut self, games: &[GameResult], is_a: bool) {
        for game in games {
            let tally = game.tally();
            self.tally = self.tally.plus(&if is_a { tally } else { tally.reversed() });
            self.different.insert(game.fingerprint);
        }
        self.units_left -= 1;
    }

    fn finish(&mut self) -> Option<Measured> {
        (self.units_left == 0).then(|| Measured {
            tally: self.tally,
            distinct_games: std::mem::take(&mut self.different).len() as u64,
        })
    }
}

/// The standard error of a candidate's fitness, from the variance among its games. Games that were played several times
/// count once. 0 without games.
///
/// The games are treated as independent draws from one distribution. The true error is usually smaller, because sides are
/// swapped within a pair and every opponent has a fixed share of the games.
pub fn standard_error(fitness: &FitnessPlan, measured: &Measured) -> f64 {
    let Measured { tally, distinct_games } = measured;
    let games = tally.games();
    if games == 0 {
        return 0.0;
    }
    let costs = [Tally::WIN, Tally::DRAW, Tally::LOSS].map(|game| fitness.score.fitness(&game));
    let counts = [tally.wins, tally.draws, tally.losses];
    // Half a game is added to each count: one result in all games does not rule out noise.
    let smoothed = counts.map(|count| count as f64 + 0.5);
    let total: f64 = smoothed.iter().sum();
    let each = || smoothed.iter().zip(costs);
    let mean = each().map(|(count, cost)| count * cost).sum::<f64>() / total;
    let variance = each().map(|(count, cost)| count * (cost - mean).powi(2)).sum::<f64>() / total;
    let distinct = (*distinct_games).clamp(1, games);
    let of_all = games as f64 * (variance / distinct as f64).sqrt();
    of_all * fitness.games as f64 / games as f64
}
