//! The settings of a match.

use serde::{Deserialize, Serialize};

use super::schedule::Schedule;
use crate::input::InputError;

/// The settings of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MatchSettings {
    /// The number of games.
    pub games: u64,
    /// The seed that every game's seed is mixed from.
    pub seed: u64,
    /// Who moves first in each game.
    pub schedule: Schedule,
    /// Whether drawn games are played again, with new seeds, until they are decided (Amar).
    pub replay_ties: bool,
}

/// The most games of a match. All are held in memory until they are counted.
pub const MAX_GAMES: u64 = 10_000_000;

impl MatchSettings {
    /// How many openings its games start from: one a pair, or a game where they are not paired.
    #[must_use]
    pub const fn openings(&self) -> u64 {
        match self.schedule {
            Schedule::Paired => self.games / 2,
            Schedule::HalfAndHalf | Schedule::First | Schedule::Coin => self.games,
        }
    }

    /// Checks the number of games.
    ///
    /// # Errors
    /// No games, more than [`MAX_GAMES`], or an odd number where they are paired or halved.
    pub fn check(&self) -> Result<(), InputError> {
        let Self { games, schedule, .. } = *self;
        if games == 0 || schedule.needs_even() && !games.is_multiple_of(2) {
            let kind = if games == 0 { "at least one game" } else { "an even number of games" };
            return Err(InputError::new(format!("a {schedule} match needs {kind}, not {games}")));
        }
        if games > MAX_GAMES {
            let message = format!("a match has at most {MAX_GAMES} games, not {games}");
            return Err(InputError::new(message));
        }
        Ok(())
    }
}
