//! A match as data.

use std::sync::atomic::AtomicBool;

use super::counts::{MatchCounts, PlayedMatch};
use super::executor::{Detail, Executor, ExecutorError, Work};
use super::openings::Openings;
use super::settings::MatchSettings;
use crate::agent::AgentSpec;
use crate::stats::sprt::Sprt;

/// A match between two agents that is to be played.
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
    /// The test that ends it, if it is not played to its last game. It looks at the pairs (at the games, where these are
    /// not paired) in their order; what was played beyond the deciding one is dropped, so that the result does not
    /// depend on threads.
    pub sprt: Option<Sprt>,
    /// What is wanted of each game. Where only outcomes are, the sums of what sides spent mean nothing.
    pub detail: Detail,
}

impl MatchPlan {
    /// Plays the match. `on_games` is told how many games were just played, from any thread.
    ///
    /// # Errors
    /// [`ExecutorError::Stopped`] if `stop` was set; no games, more than [`MAX_GAMES`](super::MAX_GAMES), or an odd number
    /// where they are paired or halved; a test under a schedule whose first games are not like its last; agents,
    /// openings or rules that cannot be had.
    pub fn play(
        &self,
        executor: &dyn Executor,
        on_games: &(dyn Fn(u64) + Sync),
        stop: &AtomicBool,
    ) -> Result<PlayedMatch, ExecutorError> {
        let work = Work {
            game: self.game.clone(),
            rules: self.rules.clone(),
            agents: self.agents.to_vec(),
            openings: vec![self.openings.clone()],
            units: Vec::new(),
            must_start: false,
        };
        let counts = MatchCounts::new(self.settings, self.sprt)?;
        counts.play(executor, work, self.detail, on_games, stop)
    }
}
