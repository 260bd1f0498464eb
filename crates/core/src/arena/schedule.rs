//! The settings of a match, and its games as data: who moves first in each, and with which seed.

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use crate::agent::{Agent, AgentFactory};
use crate::game::Game;
use crate::input::{InputError, Result, unknown};
use crate::seed::{Role, generator, of_game, of_role};

/// Who moves first in each game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[derive(Serialize, Deserialize, JsonSchema, Display, EnumString, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", parse_err_ty = InputError, parse_err_fn = unknown_schedule)]
pub enum Schedule {
    /// Each opening is played twice, sides swapped, with the same seed. A moves first in the first game of a pair.
    #[default]
    Paired,
    /// The other agent (B) moves first in the first half of the games (Liang).
    HalfAndHalf,
    /// A always moves first (Papadam; one direction of Amar).
    First,
    /// Drawn from the seed of the game (Lifshitz).
    Coin,
}

fn unknown_schedule(name: &str) -> InputError {
    InputError::new(unknown("schedule", name, Schedule::VARIANTS))
}

impl Schedule {
    /// What the number of games is a multiple of: 2 where they are paired or halved.
    #[inline]
    pub const fn unit(self) -> u64 {
        if matches!(self, Self::Paired | Self::HalfAndHalf) { 2 } else { 1 }
    }

    /// Game `index` of `games`. `first_number` is the number of the first opening.
    #[doc(hidden)]
    #[inline]
    pub fn task(self, seed: u64, first_number: u64, index: u64, games: u64) -> GameTask {
        let number = first_number + if self == Self::Paired { index / 2 } else { index };
        let seed = of_game(seed, number);
        let a_first = match self {
            Self::Paired => index.is_multiple_of(2),
            Self::HalfAndHalf => index >= games / 2,
            Self::First => true,
            Self::Coin => generator(seed, Role::Coin).random(),
        };
        GameTask { number, seed, a_first }
    }
}

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
    pub const fn openings(&self) -> u64 {
        if matches!(self.schedule, Schedule::Paired) { self.games / 2 } else { self.games }
    }

    /// Checks that there are games, at most [`MAX_GAMES`], and an even number where they are paired or halved.
    pub fn check(&self) -> Result<()> {
        let Self { games, schedule, .. } = *self;
        if games == 0 || !games.is_multiple_of(schedule.unit()) {
            let kind = if games == 0 { "at least one game" } else { "an even number of games" };
            return Err(InputError::new(format!("a {schedule} match needs {kind}, not {games}")));
        }
        if games > MAX_GAMES {
            let message = format!("a match has at most {MAX_GAMES} games, not {games}");
            return Err(InputError::new(message));
        }
        Ok(())
    }

    /// [`check`](Self::check), for a match that a sequential test may end: its first games have to be like the last.
    pub(super) fn check_sequential(&self) -> Result<()> {
        if self.schedule == Schedule::HalfAndHalf {
            return Err(InputError::new(
                "a sequential test may end in the first half of the games, in which B moves first: \
                 it needs schedule paired, first or coin, not half-and-half",
            ));
        }
        self.check()
    }
}

#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameTask {
    /// The number of its opening: the pair's where games are paired, else the game's.
    pub number: u64,
    pub seed: u64,
    pub a_first: bool,
}

impl GameTask {
    /// An agent for the game, with the generator of its role.
    pub fn spawn<P: Game>(&self, factory: &AgentFactory<P>, role: Role) -> Box<dyn Agent<P>> {
        let seed = factory.own_seed.map_or(self.seed, |seed| of_game(seed, self.number));
        factory.spawn(of_role(seed, role))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_say_who_moves_first() {
        let firsts = |schedule: Schedule| -> Vec<bool> {
            (0..6).map(|index| schedule.task(0, 0, index, 6).a_first).collect()
        };
        assert_eq!(firsts(Schedule::Paired), [true, false, true, false, true, false]);
        assert_eq!(firsts(Schedule::HalfAndHalf), [false, false, false, true, true, true]);
        assert_eq!(firsts(Schedule::First), [true; 6]);
        let coins = (0..1000).filter(|&i| Schedule::Coin.task(0, 0, i, 1000).a_first).count();
        assert!((430..570).contains(&coins), "{coins}");
        let seeds = [(Schedule::Paired, 0), (Schedule::Paired, 10), (Schedule::HalfAndHalf, 0)]
            .map(|(schedule, first)| [4, 5].map(|index| schedule.task(5, first, index, 6).seed));
        assert_eq!(seeds, [[2, 2], [12, 12], [4, 5]].map(|numbers| numbers.map(|n| of_game(5, n))));
    }
}
