//! How many games finalists play, and where.

use crate::arena::Openings;
use crate::evolve::plan::FinalistsPlan;
use crate::seed::Purpose;

/// How vectors are measured against each other.
pub(in crate::evolve::verdict) struct Rounds<'r> {
    /// What they are called in messages.
    pub(in crate::evolve::verdict) label: &'static str,
    /// The name of their journal.
    pub(in crate::evolve::verdict) journal: &'static str,
    pub(in crate::evolve::verdict) purpose: Purpose,
    /// Games of each in the first round; each further round has twice as many.
    pub(in crate::evolve::verdict) games: u64,
    /// The most rounds.
    pub(in crate::evolve::verdict) rounds: u32,
    pub(in crate::evolve::verdict) openings: &'r Openings,
}

impl<'r> Rounds<'r> {
    /// Those of the finalists of a stage.
    pub(super) const fn of_finalists(settings: &'r FinalistsPlan) -> Self {
        Self {
            label: "finalists",
            journal: "finalist-games.csv",
            purpose: Purpose::Finalists,
            games: settings.games,
            rounds: settings.rounds,
            openings: &settings.openings,
        }
    }
}
