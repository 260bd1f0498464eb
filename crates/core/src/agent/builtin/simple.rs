//! Agents that do not search, and the person who is asked.

use rand::{RngExt, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::agents::{Spawn, spawn};
use super::super::kind::{AgentKind, AgentSettings};
use super::super::{Agent, Choice, Turn};
use crate::game::{Game, GameInfo, Position};
use crate::input::{InputError, Result};
use crate::seed::Generator;

/// Plays a random legal move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Random {}

impl AgentSettings for Random {}

impl AgentKind for Random {
    const NAME: &'static str = "random";
    const COMMON: Option<&'static [&'static str]> = Some(&["seed"]);

    crate::described_here!();

    fn prepare<P: Game>(&self, _: &str) -> Result<Spawn<P>> {
        Ok(spawn(random))
    }
}

pub(in crate::agent) fn random<P: Position>(seed: u64) -> impl Agent<P> + 'static {
    let mut generator = Generator::seed_from_u64(seed);
    move |turn: &Turn<'_, P>| {
        let index = generator.random_range(0..turn.position.legal_move_count() as u32);
        Ok(Choice::free(turn.position.nth_legal_move(index as usize)))
    }
}

/// Plays the first legal move in generation order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reflex {}

impl AgentSettings for Reflex {}

impl AgentKind for Reflex {
    const NAME: &'static str = "reflex";
    const COMMON: Option<&'static [&'static str]> = Some(&["seed"]);

    crate::described_here!();

    fn prepare<P: Game>(&self, _: &str) -> Result<Spawn<P>> {
        let first = |turn: &Turn<'_, P>| Ok(Choice::free(turn.position.nth_legal_move(0)));
        Ok(spawn(move |_| first))
    }
}

/// Asks a person at the terminal, in `tictune play` only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Human {}

impl AgentSettings for Human {
    fn complete(&self, _: &str, _: &GameInfo) -> Result<()> {
        Err(InputError::new(
            "agent \"human\" works in tictune play only; other commands play several games at \
             once, which would all ask at one terminal",
        ))
    }

    fn is_repeatable(&self) -> bool {
        false
    }
}

impl AgentKind for Human {
    const NAME: &'static str = "human";
    const COMMON: Option<&'static [&'static str]> = Some(&[]);

    crate::described_here!();
}
