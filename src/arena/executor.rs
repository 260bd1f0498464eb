//! What plays many games: units of games in, their results out.
//!
//! Evolution, validation, matches, tournaments and tables list what they want played as the units of a [`Work`],
//! which is plain data, and an [`Executor`] plays them. A unit is repeatable: its results are a function of its data
//! alone, whoever plays it and in however many parts. Where the clock decides agents' moves, only that is lost.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::openings::Openings;
use super::result::GameResult;
use super::schedule::Schedule;
use super::settings::MatchSettings;
use crate::agent::{AgentSpec, Failure};
use crate::input::InputError;

/// Games to be played, with all that they need: it makes sense on any machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The game.
    pub game: String,
    /// Its rules in text form.
    pub rules: String,
    /// Who plays; units name them by index. Their weights are in there.
    pub agents: Vec<AgentSpec>,
    /// Where games start; units name them by index.
    pub openings: Vec<Openings>,
    /// The games.
    pub units: Vec<Unit>,
    /// Whether an agent that cannot be started ends the work; else it forfeits its games.
    pub must_start: bool,
}

impl Work {
    /// Checks that units name what is there, and games that their matches have.
    ///
    /// # Errors
    /// What is not there, of so many agents that are to play.
    pub fn check(&self, agents: usize) -> Result<(), InputError> {
        for (number, Unit { agents: players, openings, settings, range, .. }) in
            self.units.iter().enumerate()
        {
            settings.check()?;
            let problem = if players.iter().any(|&agent| agent >= agents) {
                "agents"
            } else if *openings >= self.openings.len() {
                "openings"
            } else if range.is_empty() || range.end > settings.games {
                "games"
            } else {
                continue;
            };
            return Err(InputError::new(format!(
                "unit {number} names {problem} that are not there"
            )));
        }
        Ok(())
    }
}

/// A share of the games of a match between two agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// Agents A and B: two of the work's.
    pub agents: [usize; 2],
    /// Where games start: one of the work's openings.
    pub openings: usize,
    /// The whole match.
    pub settings: MatchSettings,
    /// The number of the match's first opening: 0, or what other matches with the same seed have used up.
    pub first_number: u64,
    /// Which of its games these are.
    pub range: Range<u64>,
    /// What is wanted of each game.
    pub detail: Detail,
}

/// How much is wanted of each game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Detail {
    /// How it ended, and what tells it from others. A game that the executor knows to repeat another need not be
    /// played again: it may have the costs of that one.
    Outcomes,
    /// Also what it cost each side.
    Costs,
    /// Also every move and what it cost.
    Moves,
}

impl Unit {
    /// How many games it has.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.range.end.saturating_sub(self.range.start)
    }

    /// The same games in units of at most so many (at least one), in their order. No pair is divided where games are
    /// paired, unless the unit itself divides it.
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

/// The results of a unit's games, in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitResult {
    /// A result a game.
    pub games: Vec<GameResult>,
}

/// Receives the results of units by index, each once, as they are finished. `Break` ends the work.
pub type UnitSink<'s> = dyn FnMut(usize, UnitResult) -> ControlFlow<()> + Send + 's;

/// Is told how many games of which unit were just played, from any thread.
pub type OnGames<'o> = dyn Fn(usize, u64) + Sync + 'o;

/// Why work was not done.
#[derive(Debug, Error)]
pub enum ExecutorError {
    /// Agents, openings or rules that cannot be had.
    #[error(transparent)]
    Input(#[from] InputError),
    /// An agent could not be started where all had to.
    #[error("{failure}")]
    Start {
        /// Which of the work's agents.
        agent: usize,
        /// Why.
        failure: Failure,
    },
    /// It was asked to stop.
    #[error("interrupted")]
    Stopped,
}

/// What came out, or `None` if it was asked to stop.
///
/// # Errors
/// Any other reason.
pub fn unless_stopped<T>(played: Result<T, ExecutorError>) -> Result<Option<T>, InputError> {
    match played {
        Ok(played) => Ok(Some(played)),
        Err(ExecutorError::Stopped) => Ok(None),
        Err(ExecutorError::Input(error)) => Err(error),
        Err(error @ ExecutorError::Start { .. }) => Err(InputError::new(error.to_string())),
    }
}

/// Plays work: this process's [`Threads`](super::Threads), or whatever else can.
pub trait Executor: Sync {
    /// Plays all units. `sink` gets each result when it is there, in any order: see [`play_in_order`].
    /// `stop` ends the work early.
    ///
    /// # Errors
    /// [`ExecutorError::Stopped`] if `stop` was set before the last unit was done; agents, openings or rules that cannot
    /// be had. No error where `sink` ended the work.
    fn play(
        &self,
        work: &Work,
        sink: &mut UnitSink<'_>,
        on_games: &OnGames<'_>,
        stop: &AtomicBool,
    ) -> Result<(), ExecutorError>;
}

/// Has work played, and hands on the results in the order of the units. An error of `sink` ends the work.
///
/// # Errors
/// Those of `sink`, and as [`Executor::play`].
pub fn play_in_order<E: From<ExecutorError> + Send>(
    executor: &dyn Executor,
    work: &Work,
    sink: &mut (dyn FnMut(usize, UnitResult) -> Result<ControlFlow<()>, E> + Send),
    on_games: &OnGames<'_>,
    stop: &AtomicBool,
) -> Result<(), E> {
    let (mut early, mut next, mut error) = (BTreeMap::new(), 0, None);
    let mut in_order = |unit: usize, result: UnitResult| {
        early.insert(unit, result);
        while let Some(result) = early.remove(&next) {
            let unit = next;
            next += 1;
            match sink(unit, result) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(end) => return end,
                Err(of_sink) => {
                    error = Some(of_sink);
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    };
    let played = executor.play(work, &mut in_order, on_games, stop);
    match error {
        Some(error) => Err(error),
        None => Ok(played?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(schedule: Schedule, range: Range<u64>) -> Unit {
        let settings = MatchSettings { games: 100, seed: 1, schedule, replay_ties: false };
        let (openings, first_number, detail) = (0, 0, Detail::Outcomes);
        Unit { agents: [0, 1], openings, settings, first_number, range, detail }
    }

    #[test]
    fn splitting_divides_no_pair_and_keeps_all_games() {
        let ranges = |unit: &Unit, games| -> Vec<Range<u64>> {
            unit.split(games).map(|part| part.range).collect()
        };
        let paired = unit(Schedule::Paired, 0..10);
        assert_eq!(ranges(&paired, 4), [0..4, 4..8, 8..10]);
        assert_eq!(ranges(&paired, 5), [0..4, 4..8, 8..10]);
        assert_eq!(ranges(&paired, 1), [0..2, 2..4, 4..6, 6..8, 8..10]);
        assert_eq!(ranges(&unit(Schedule::Paired, 3..9), 2), [3..4, 4..6, 6..8, 8..9]);
        assert_eq!(ranges(&unit(Schedule::Coin, 3..9), 4), [3..7, 7..9]);
        assert_eq!(ranges(&unit(Schedule::Coin, 3..9), 0).len(), 6);
        assert_eq!(ranges(&unit(Schedule::First, 5..5), 4), [0..0; 0]);
        assert_eq!(ranges(&paired, u64::MAX).len(), 1);
    }
}
