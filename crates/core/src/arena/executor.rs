//! Executors, which play many games: units of games in, results out.
//!
//! Evolution, validation, matches, tournaments and tables list their games as the units of a [`Work`], which is plain
//! data. An [`Executor`] plays them. A unit is repeatable: its results follow from its data alone, no matter who plays it and
//! in however many parts. The exception is agents that move by the clock.

use std::collections::{BTreeMap, HashMap};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::openings::Openings;
use super::result::GameResult;
use super::schedule::{GameTask, MatchSettings, Schedule};
use crate::agent::{AgentSpec, Failure};
use crate::files::FileError;
use crate::input::{InputError, Result};

/// Games to play, with everything that they need. It has the same meaning on any machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The game.
    pub game: String,
    /// Its rules in text form.
    pub rules: String,
    /// The agents, weights included; units name them by index.
    pub agents: Vec<AgentSpec>,
    /// Where games start; units name them by index.
    pub openings: Vec<Openings>,
    /// The games.
    pub units: Vec<Unit>,
    /// Whether an agent that cannot be started ends the work. If not, it forfeits its games.
    pub must_start: bool,
}

impl Work {
    /// Checks the openings, and the indices of agents, openings and games in the units.
    pub fn check(&self, agents: usize) -> Result<()> {
        self.openings.iter().try_for_each(Openings::check)?;
        for (number, unit) in self.units.iter().enumerate() {
            unit.settings.check()?;
            let problems = [
                ("agents", unit.agents.iter().any(|&agent| agent >= agents)),
                ("openings", unit.openings >= self.openings.len()),
                ("games", unit.range.is_empty() || unit.range.end > unit.settings.games),
            ];
            if let Some((what, _)) = problems.into_iter().find(|(_, holds)| *holds) {
                let message = format!("unit {number} names {what} that do not exist");
                return Err(InputError::new(message));
            }
        }
        Ok(())
    }
}

/// A share of the games of a match between two agents. [`Unit::play`] plays one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// Agents A and B: two of the work's.
    pub agents: [usize; 2],
    /// Where games start: one of the work's openings.
    pub openings: usize,
    /// The whole match.
    pub settings: MatchSettings,
    /// The number of the match's first opening: 0, unless other matches with the same seed used the openings before it.
    pub first_number: u64,
    /// Which games of the match these are.
    pub range: Range<u64>,
    /// How much to record of each game.
    pub detail: Detail,
}

/// How much to record of each game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Detail {
    /// How it ended, and the costs of each side.
    Costs,
    /// Also every move with its cost.
    Moves,
}

impl Unit {
    /// How many games it has.
    pub const fn games(&self) -> u64 {
        self.range.end.saturating_sub(self.range.start)
    }

    pub(super) fn task(&self, index: u64) -> GameTask {
        let MatchSettings { games, seed, schedule, .. } = self.settings;
        schedule.task(seed, self.first_number, index, games)
    }

    /// The same games in units of at most `games` (at least one), in order. No pair is split that is whole in the unit.
    pub fn split(&self, games: u64) -> impl Iterator<Item = Self> + '_ {
        let pair = if self.settings.schedule == Schedule::Paired { 2 } else { 1 };
        let games = (games.max(1) / pair * pair).max(pair);
        let mut start = self.range.start;
        std::iter::from_fn(move || {
            // Measured from the match's first game, so that ends fall between pairs.
            let end = (start / pair * pair).saturating_add(games).min(self.range.end);
            let range = start..end;
            start = end;
            (range.start < range.end).then(|| Self { range, ..self.clone() })
        })
    }
}

/// Receives each finished unit once, by its index, with the results of its games in their order. `Break` ends the work.
pub type UnitSink<'s> = dyn FnMut(usize, Vec<GameResult>) -> ControlFlow<()> + Send + 's;

/// Called from any thread with a unit's index and how many of its games were just played.
pub type OnGames<'o> = dyn Fn(usize, u64) + Sync + 'o;

/// Whom an executor tells of its games, and what stops it.
pub struct Calls<'c> {
    /// Is given the results of each unit.
    pub sink: &'c mut UnitSink<'c>,
    /// Is told of the games of a unit that were just played.
    pub on_games: &'c OnGames<'c>,
    /// Is set when the work is to end early.
    pub stop: &'c AtomicBool,
}

impl<'c> Calls<'c> {
    /// Where nobody asks for single games.
    pub fn new(sink: &'c mut UnitSink<'c>, stop: &'c AtomicBool) -> Self {
        Self { sink, on_games: &|_, _| (), stop }
    }
}

/// Why work was not finished.
#[derive(Debug, Error)]
pub enum ExecutorError {
    /// Agents, openings or rules that are wrong or cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// An agent could not be started, and the work needs all of them.
    #[error("{failure}")]
    Start {
        /// Which of the work's agents.
        agent: usize,
        /// Why.
        failure: Failure,
    },
    /// A program that plays the games failed.
    #[error("{0}")]
    Program(String),
    /// The log of the games could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The code of the game or of an agent panicked in a game. The text says with what, and in which game.
    #[error("{0}")]
    Panicked(String),
    /// The executor gave results that are not those of the work.
    #[error("the executor gave {0}")]
    Results(String),
    /// The work was asked to stop.
    #[error("interrupted")]
    Stopped,
}

impl ExecutorError {
    /// The input that was wrong, or else the same words.
    #[doc(hidden)]
    pub fn into_input(self) -> InputError {
        match self {
            Self::Input(error) => error,
            error => InputError::new(error.to_string()),
        }
    }
}

/// Plays work: the [`Threads`](super::Threads) of this process, or another implementation. One that has units played elsewhere
/// hands over a [`Work`] with some of the units; the sink then gets the places of units in that work.
pub trait Executor: Send + Sync {
    /// Plays all units, in any order.
    ///
    /// # Errors
    /// [`ExecutorError::Stopped`] if it was stopped before the last unit was finished; agents, openings or rules that are wrong.
    /// It is no error if the sink ended the work.
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError>;

    /// A hash of what this build of the program plays by some rules; `None` where nobody knows.
    fn play_hash(&self, _rules: &str) -> Option<u64> {
        None
    }

    /// How often a program that did not answer was replaced so far.
    fn restarts(&self) -> u64 {
        0
    }
}

/// Plays work and passes the results on in the order of the units. An error of `sink` ends the work.
pub fn play_in_order<E: From<ExecutorError> + Send>(
    executor: &dyn Executor,
    work: &Work,
    sink: &mut (dyn FnMut(usize, Vec<GameResult>) -> Result<ControlFlow<()>, E> + Send),
    on_games: &OnGames<'_>,
    stop: &AtomicBool,
) -> Result<(), E> {
    let (mut early, mut next, mut ended) = (BTreeMap::new(), 0, None);
    let wrong = |what: String| E::from(ExecutorError::Results(what));
    let mut in_order = |unit: usize, result: Vec<GameResult>| {
        let games = work.units.get(unit).map_or(0, Unit::games);
        if result.len() as u64 != games {
            let found = result.len();
            let what = format!("{found} results for unit {unit}, which has {games} games");
            ended = Some(Err(wrong(what)));
            return ControlFlow::Break(());
        }
        early.insert(unit, result);
        while let Some(result) = early.remove(&next) {
            let unit = next;
            next += 1;
            let told = sink(unit, result);
            if !matches!(told, Ok(ControlFlow::Continue(()))) {
                ended = Some(told.map(drop));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    };
    let played = executor.play(work, Calls { sink: &mut in_order, on_games, stop });
    let has_ended = ended.is_some();
    ended.unwrap_or(Ok(()))?;
    played?;
    match has_ended || next == work.units.len() {
        true => Ok(()),
        false => Err(wrong(format!("no results for unit {next}"))),
    }
}

/// The results of units that are played in parts, until all games of a unit are there.
#[derive(Debug, Default)]
pub struct PartResults(HashMap<usize, (u64, BTreeMap<u64, Vec<GameResult>>)>);

impl PartResults {
    /// Adds the games of a unit from one on; gives all of them in order when the last part is there.
    pub fn add(
        &mut self,
        units: &[Unit],
        unit: usize,
        first: u64,
        results: Vec<GameResult>,
    ) -> Option<Vec<GameResult>> {
        let (games, parts) = self.0.entry(unit).or_default();
        *games += results.len() as u64;
        parts.insert(first, results);
        if *games < units[unit].games() {
            return None;
        }
        let (_, parts) = self.0.remove(&unit)?;
        Some(parts.into_values().flatten().collect())
    }
}

/// A lock that outlives a panic of another thread, which leaves nothing half-done under these locks.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
