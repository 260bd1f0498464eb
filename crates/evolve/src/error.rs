//! Why a run may end early.

use thiserror::Error;

use crate::cma::OptimiserError;
use tictune_core::agent::Failure;
use tictune_core::arena::ExecutorError;
use tictune_core::files::{FileError, LogError};
use tictune_core::input::InputError;

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum RunError {
    /// Something that was supplied is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A file or folder of the run could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The run was asked to stop; everything measured is saved.
    #[error("interrupted")]
    Interrupted,
    /// An opponent could not be started.
    #[error("an opponent: {0}")]
    Opponent(Failure),
    /// A program that plays the games failed.
    #[error("{0}")]
    Program(String),
    /// The code of the game or of an agent panicked in a game. The text says with what, and in which game.
    #[error("{0}")]
    Panicked(String),
    /// The optimiser refused its settings.
    #[error(transparent)]
    Optimiser(#[from] OptimiserError),
}

impl From<LogError> for RunError {
    fn from(error: LogError) -> Self {
        match error {
            LogError::Input(error) => Self::Input(error),
            LogError::File(error) => Self::File(error),
        }
    }
}

impl From<ExecutorError> for RunError {
    fn from(error: ExecutorError) -> Self {
        match error {
            ExecutorError::Input(error) => Self::Input(error),
            ExecutorError::Start { failure, .. } => Self::Opponent(failure),
            ExecutorError::Program(what) => Self::Program(what),
            ExecutorError::File(error) => Self::File(error),
            ExecutorError::Panicked(text) => Self::Panicked(text),
            ExecutorError::Stopped => Self::Interrupted,
        }
    }
}
