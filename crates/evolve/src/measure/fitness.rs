//! Measuring the candidates of a generation by playing.
//!
//! Their games are one list of units, candidate after candidate, for an executor: many threads are as busy as two,
//! and candidates are finished, and logged, in their order. Where neither side draws anything, a game that the schedule has
//! several times is played once and counted as often.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::cells::cell;
use super::coevolution::Rivals;
use super::results::PlayedGame;
use super::schedule::{CountsFor, GenerationSchedule};
use crate::error::{Result, RunError};
use crate::plan::{Plan, StagePlan, Vector};
use tictune_core::arena::{Executor, Fingerprint, GameResult, play_in_order};
use tictune_core::stats::Tally;

/// The candidates of a generation and how to measure them: plain data, the same on any machine.
#[derive(Clone, Debug)]
pub struct Batch<'b> {
    /// Whose agent carries them.
    pub plan: &'b Plan,
    pub stage: &'b StagePlan,
    /// The seed of the generation's games: see [`tictune_core::seed::of_run`].
    pub seed: u64,
    pub candidates: Vec<&'b Vector>,
    /// The generation that they play, where candidates play each other.
    pub rivals: Option<Rivals<'b>>,
    /// Whom each candidate plays in place of the opponents; empty where it plays these.
    pub against: Vec<&'b Vector>,
    /// Whether games are to be told one by one, as verdicts need them.
    pub keep_games: bool,
}

impl<'b> Batch<'b> {
    /// Vectors of a plan in the games of a stage, without rivals.
    pub fn new(
        plan: &'b Plan,
        stage: &'b StagePlan,
        seed: u64,
        candidates: Vec<&'b Vector>,
    ) -> Self {
        Self { plan, stage, seed, candidates, rivals: None, against: Vec::new(), keep_games: false }
    }
}

/// Results, in the order of the columns of logs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Results from the candidate's view.
    pub tally: Tally,
    pub distinct_games: u64,
    /// The results against each opponent; empty where only the sum matters.
    #[serde(with = "cell")]
    pub by_opponent: Vec<Tally>,
    /// All games in their order, where a batch is to keep them.
    #[serde(skip)]
    pub games: Vec<PlayedGame>,
}

/// Receives candidates by index as they are measured, in order: `Err` ends the batch.
pub type Sink<'s> = dyn FnMut(usize, Measured) -> Result<()> + Send + 's;

/// Measures every candidate of a batch. `sink` gets each in the order of the candidates; `on_game` is called once a game of
/// a candidate, from any thread. `stop` ends the batch early.
pub fn measure_batch(
    executor: &dyn Executor,
    batch: &Batch<'_>,
    sink: &mut Sink<'_>,
    on_game: &(dyn Fn() + Sync),
    stop: &AtomicBool,
) -> Result<()> {
    let schedule = GenerationSchedule::new(batch)?;
    let opponents = if batch.stage.fitness.combine.is_mean() { 0 } else { schedule.opponents };
    let units = schedule.units_of_candidates(batch.candidates.len());
    let new = |units_left| Counted {
        units_left,
        so_far: Measured { by_opponent: vec![Tally::default(); opponents], ..Measured::default() },
        different: HashSet::new(),
    };
    let mut counted: Vec<Counted> = units.into_iter().map(new).collect();
    let mut next = 0;
    let mut count = |unit: usize, games: Vec<GameResult>| {
        let CountsFor { opponent, candidates } = schedule.counts_for[unit];
        for (candidate, is_a) in candidates.into_iter().zip([true, false]) {
            if let Some(candidate) = candidate {
                counted[candidate].add(&games, opponent, is_a, batch.keep_games);
            }
        }
        while let Some(measured) = counted.get_mut(next).and_then(Counted::finish) {
            sink(next, measured)?;
            next += 1;
        }
        Ok::<_, RunError>(ControlFlow::Continue(()))
    };
    let on_games = |unit: usize, games: u64| {
        let candidates = schedule.counts_for[unit].candidates.iter().flatten().count() as u64;
        (0..games * candidates).for_each(|_| on_game());
    };
    play_in_order(executor, &schedule.work, &mut count, &on_games, stop)
}

struct Counted {
    units_left: usize,
    so_far: Measured,
    different: HashSet<Fingerprint>,
}

impl Counted {
    /// Counts the games of a unit against an opponent, in which the candidate was A or else B.
    fn add(&mut self, games: &[GameResult], opponent: usize, is_a: bool, keep_games: bool) {
        let Measured { tally: all, by_opponent, games: kept, .. } = &mut self.so_far;
        for game in games {
            let tally = game.tally();
            let tally = if is_a { tally } else { tally.reversed() };
            *all = all.plus(&tally);
            if let Some(theirs) = by_opponent.get_mut(opponent) {
                *theirs = theirs.plus(&tally);
            }
            self.different.insert(game.fingerprint);
            if keep_games {
                let (points, key) = (2 * tally.wins + tally.draws, game.fingerprint.key());
                kept.push(PlayedGame { opponent, points, key });
            }
        }
        self.units_left -= 1;
    }

    fn finish(&mut self) -> Option<Measured> {
        (self.units_left == 0).then(|| {
            let distinct_games = std::mem::take(&mut self.different).len() as u64;
            Measured { distinct_games, ..std::mem::take(&mut self.so_far) }
        })
    }
}
