//! The game of a runner: one that only a program of somebody else knows.

use std::sync::Arc;

use rayon::ThreadPool;

use super::{AnyGame, KnownGame, Result};
use tictune_core::agent::AgentSpec;
use tictune_core::arena::Executor;
use tictune_core::game::GameInfo;
use tictune_core::input::InputError;
use tictune_programs::runner::Runners;

/// A game of which tictune has neither rules nor positions: only the program knows where its games start, and what it takes.
pub(super) struct RunnerGame;

impl AnyGame for RunnerGame {
    fn info(&self) -> &'static GameInfo {
        GameInfo::OUTSIDE
    }

    fn known(&self, command: &str, needs: &str) -> Result<&dyn KnownGame> {
        let game = GameInfo::OUTSIDE.name;
        Err(InputError::new(format!(
            "{command} needs {needs}, and tictune knows none of the game {game}: only its program does. evolve, fitness, \
             compare, validate, profile, report, export, doctor and match work with it"
        )))
    }

    fn threads(&self, pool: Option<Arc<ThreadPool>>) -> Box<dyn Executor> {
        Box::new(Runners::new(pool))
    }

    fn check_agent(&self, _: &AgentSpec, _: &str) -> Result<()> {
        Ok(())
    }
}
