//! How many games finalists play, and where.

use crate::plan::{BLOCKS, FinalistsPlan, Part};
use tictune_core::arena::Openings;
use tictune_core::seed::Purpose;

/// How vectors are measured against each other.
pub(in crate::verdict) struct Rounds<'r> {
    /// What they are called in messages.
    pub(in crate::verdict) label: &'static str,
    /// The name of their journal.
    pub(in crate::verdict) journal: &'static str,
    pub(in crate::verdict) purpose: Purpose,
    /// Which part of the run they are.
    pub(in crate::verdict) part: Part,
    /// Games of each in the first round; each further round has twice as many.
    pub(in crate::verdict) games: u64,
    /// The most rounds.
    pub(in crate::verdict) rounds: u32,
    pub(in crate::verdict) openings: &'r Openings,
}

impl<'r> Rounds<'r> {
    /// The games of a finalist in a block of a round, both from 0.
    pub(in crate::verdict) const fn games_of_block(&self, round: u32) -> u64 {
        (self.games << round) / BLOCKS
    }

    /// How many openings a finalist has played before a block.
    pub(in crate::verdict) fn openings_before(&self, round: u32, block: u64) -> u64 {
        let rounds = (0..round).map(|round| BLOCKS * (self.games_of_block(round) / 2));
        rounds.sum::<u64>() + block * (self.games_of_block(round) / 2)
    }

    /// Those of the finalists of a stage.
    pub(in crate::verdict) const fn of_finalists(
        settings: &'r FinalistsPlan,
        stage: usize,
    ) -> Self {
        Self {
            label: "finalists",
            journal: "finalist-games.csv",
            purpose: Purpose::Finalists,
            part: Part::Finalists(stage),
            games: settings.games,
            rounds: settings.rounds,
            openings: &settings.openings,
        }
    }
}
