//! A match as data.

use std::sync::atomic::AtomicBool;

use super::counts::{MatchCounts, PlayedMatch};
use super::executor::{Detail, Executor, ExecutorError, Work};
use super::openings::Openings;
use super::settings::MatchSettings;
use crate::agent::AgentSpec;
use crate::stats::Tally;
use crate::stats::sprt::Sprt;

/// A match between two agents, as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchPlan {
    /// The name of the game.
    pub game: String,
    /// The rules, in their text form.
    pub rules: String,
    /// Agents A and B.
    pub agents: [AgentSpec; 2],
    /// Where games start.
    pub openings: Openings,
    /// How many games, and from which seed.
    pub settings: MatchSettings,
    /// The sequential test that may end it early. It looks at the pairs (or at the games, where they are not paired) in
    /// order. Games beyond the deciding one are dropped, so that the result does not depend on threads.
    pub sprt: Option<Sprt>,
    /// How much to record of each game. With outcomes alone, the summed costs of the sides mean nothing.
    pub detail: Detail,
}

impl MatchPlan {
    /// Plays the match. `on_games` is called from any thread with how many games were just played.
    ///
    /// # Errors
    /// [`ExecutorError::Stopped`] if `stop` was set before the last game; and as [`play_or_stop`](Self::play_or_stop).
    pub fn play(
        &self,
        executor: &dyn Executor,
        on_games: &(dyn Fn(u64) + Sync),
        stop: &AtomicBool,
    ) -> Result<PlayedMatch, ExecutorError> {
        let played = self.play_or_stop(executor, on_games, &|_| (), stop)?;
        if played.stopped { Err(ExecutorError::Stopped) } else { Ok(played) }
    }

    /// Plays the match; if it is stopped, up to the last game that was finished. `on_score` is called with the results up
    /// to then.
    ///
    /// # Errors
    /// [`ExecutorError::Stopped`] if `stop` was set before any game was finished; no games, more than [`MAX_GAMES`](super::MAX_GAMES), or an odd number
    /// where they are paired or halved; a test under a schedule whose first games are not like its last; agents,
    /// openings or rules that are wrong.
    pub fn play_or_stop(
        &self,
        executor: &dyn Executor,
        on_games: &(dyn Fn(u64) + Sync),
        on_score: &(dyn Fn(&Tally) + Sync),
        stop: &AtomicBool,
    ) -> Result<PlayedMatch, ExecutorError> {
        let work = Work {
            game: self.game.clone(),
            rules: self.rules.clone(),
            agents: self.agents.to_vec(),
            openings: vec![self.openings.for_match(&self.settings)?],
            units: Vec::new(),
            must_start: false,
        };
        let counts = MatchCounts::new(self.settings, self.sprt)?;
        counts.play(executor, work, self.detail, on_games, on_score, stop)
    }
}
