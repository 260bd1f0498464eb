//! A trait for tables of any game.

use std::sync::atomic::AtomicBool;

use super::Report;
use super::measurement::{Measurement, RowTrace};
use super::play::Reproduction;

use tictune_core::arena::{Executor, ExecutorError};
use tictune_core::game::Game;

/// A [`Reproduction`] of any game.
pub trait Reproducing {
    /// See [`Reproduction::left`].
    fn left(&self) -> Vec<usize>;

    /// See [`Reproduction::games_left`].
    fn games_left(&self) -> u64;

    /// See [`Reproduction::play`].
    fn play(
        &mut self,
        executor: &dyn Executor,
        row: usize,
        on_game: &(dyn Fn() + Sync),
        stop: &AtomicBool,
    ) -> Result<Measurement, ExecutorError>;

    /// See [`Reproduction::report`].
    fn report(&self, command: &str) -> Report;

    /// See [`Reproduction::trace`].
    fn trace(&self, row: usize) -> Option<&RowTrace>;
}

impl<P: Game> Reproducing for Reproduction<'_, P> {
    fn left(&self) -> Vec<usize> {
        self.left()
    }

    fn games_left(&self) -> u64 {
        self.games_left()
    }

    fn play(
        &mut self,
        executor: &dyn Executor,
        row: usize,
        on_game: &(dyn Fn() + Sync),
        stop: &AtomicBool,
    ) -> Result<Measurement, ExecutorError> {
        self.play(executor, row, on_game, stop)
    }

    fn report(&self, command: &str) -> Report {
        self.report(command)
    }

    fn trace(&self, row: usize) -> Option<&RowTrace> {
        self.trace(row)
    }
}
