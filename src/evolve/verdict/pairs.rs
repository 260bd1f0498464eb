//! Matches of two agents in pairs of games.

use std::sync::atomic::AtomicBool;

use crate::agent::AgentSpec;
use crate::arena::{Detail, Executor, MatchPlan, MatchResult, MatchSettings, Openings, Schedule};
use crate::evolve::error::RunError;
use crate::evolve::stage::Observer;

/// The context that matches at the end of a run, or after it, share.
#[derive(Clone, Copy)]
pub(crate) struct MatchContext<'m> {
    /// Plays their games.
    pub executor: &'m dyn Executor,
    /// The name of the game.
    pub game: &'m str,
    /// The rules, in their text form.
    pub rules: &'m str,
    /// Follows their progress.
    pub observer: &'m dyn Observer,
    /// Ends them early once it is set.
    pub stop: &'m AtomicBool,
}

impl MatchContext<'_> {
    /// Plays a paired match.
    pub(super) fn play_pairs(
        &self,
        agents: &[AgentSpec; 2],
        openings: &Openings,
        games: u64,
        seed: u64,
    ) -> Result<MatchResult, RunError> {
        let plan = MatchPlan {
            game: self.game.into(),
            rules: self.rules.into(),
            agents: agents.clone(),
            openings: openings.clone(),
            settings: MatchSettings { games, seed, schedule: Schedule::Paired, replay_ties: false },
            sprt: None,
            detail: Detail::Outcomes,
        };
        let on_games = |games| (0..games).for_each(|_| self.observer.game_played());
        Ok(plan.play(self.executor, &on_games, self.stop)?.result)
    }
}
