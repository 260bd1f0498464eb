//! Schedules: who moves first in each game, and with which seed.

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use crate::agent::{Agent, AgentFactory};
use crate::game::Game;
use crate::input::{InputError, unknown_name};
use crate::seed::{Role, generator, mix, of_role};

/// Who moves first in each game.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
    JsonSchema,
    Default,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", parse_err_ty = InputError, parse_err_fn = unknown_schedule)]
pub enum Schedule {
    /// Each opening is played twice, sides swapped, with the same seed. A moves first in the first
    /// game of a pair.
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
    unknown_name::<Schedule>("schedule", name)
}

impl Schedule {
    /// Whether games are counted in pairs, so that their number must be even.
    #[must_use]
    pub const fn needs_even(self) -> bool {
        matches!(self, Self::Paired | Self::HalfAndHalf)
    }

    /// The fewest games that can be played: 2 where their number must be even.
    #[must_use]
    pub const fn unit(self) -> u64 {
        if self.needs_even() { 2 } else { 1 }
    }

    /// Game `index` of `games`. `first_number` is the number of the first opening: 0, unless
    /// other games with the same seed used the openings before it.
    #[must_use]
    #[doc(hidden)]
    pub fn task(self, seed: u64, first_number: u64, index: u64, games: u64) -> GameTask {
        let number = first_number + if self == Self::Paired { index / 2 } else { index };
        let seed = mix(seed, number);
        let a_first = match self {
            Self::Paired => index.is_multiple_of(2),
            Self::HalfAndHalf => index >= games / 2,
            Self::First => true,
            Self::Coin => generator(seed, Role::Coin).random(),
        };
        GameTask { number, seed, a_first }
    }
}

/// One game to play, as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameTask {
    /// The number of its opening: the pair's where games are paired, else the game's.
    pub number: u64,
    /// The seed of all its random numbers.
    pub seed: u64,
    /// Whether agent A moves first.
    pub a_first: bool,
}

impl GameTask {
    /// An agent for the game, with the generator of its role.
    #[must_use]
    pub fn spawn<P: Game>(&self, factory: &AgentFactory<P>, role: Role) -> Box<dyn Agent<P>> {
        let seed = factory.own_seed().map_or(self.seed, |seed| mix(seed, self.number));
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
        let seed = |schedule: Schedule, first, index| schedule.task(5, first, index, 6).seed;
        assert_eq!(seed(Schedule::Paired, 0, 4), mix(5, 2));
        assert_eq!(seed(Schedule::Paired, 0, 5), mix(5, 2));
        assert_eq!(seed(Schedule::Paired, 10, 5), mix(5, 12));
        assert_eq!(seed(Schedule::HalfAndHalf, 0, 4), mix(5, 4));
    }
}
