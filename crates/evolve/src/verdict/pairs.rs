//! Matches of two agents in pairs of games.

use std::sync::atomic::AtomicBool;

use crate::error::RunError;
use crate::plan::{Part, Plan};
use crate::stage::Observer;
use tictune_core::agent::AgentSpec;
use tictune_core::arena::{
    Detail, Executor, MatchPlan, MatchResult, MatchSettings, Openings, Schedule,
};
use tictune_core::input::InputError;

/// The context that matches at the end of a run, or after it, share.
#[derive(Clone, Copy)]
pub struct MatchContext<'m> {
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

/// Which positions of books matches start from.
#[derive(Clone, Copy)]
pub enum Starts<'p> {
    /// Those of a part of a run.
    OfRun(&'p Plan, Part),
    /// Those of a number of seeds after a run, which neither the run nor other numbers have.
    AfterRun(&'p Plan, u64),
    /// Those of a seed.
    OfSeed(u64),
}

impl Starts<'_> {
    /// Openings with the positions that so many games in pairs start from.
    ///
    /// # Errors
    /// A book whose positions were not read.
    pub fn given(self, openings: &Openings, games: u64) -> Result<Openings, InputError> {
        match self {
            Self::OfRun(plan, part) => plan.given(part, (0, games / 2), openings),
            Self::AfterRun(plan, seed) => {
                let first = seed.saturating_mul(games / 2);
                plan.given(Part::After, (first, games / 2), openings)
            }
            Self::OfSeed(seed) => openings.for_match(&settings(games, seed)),
        }
    }
}

/// A match in pairs.
const fn settings(games: u64, seed: u64) -> MatchSettings {
    MatchSettings { games, seed, schedule: Schedule::Paired, replay_ties: false }
}

impl MatchContext<'_> {
    /// Plays a paired match from openings as they are [given](Starts::given).
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
            settings: settings(games, seed),
            sprt: None,
            detail: Detail::Outcomes,
        };
        let on_games = |games| (0..games).for_each(|_| self.observer.game_played());
        Ok(plan.play(self.executor, &on_games, self.stop)?)
    }
}
