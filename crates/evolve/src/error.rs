//! Why a run, or learning, may end early.

use thiserror::Error;

use tictune_core::arena::ExecutorError;
use tictune_core::files::{FileError, JournalError};
use tictune_core::input::InputError;
use tictune_optimiser::OptimiserError;

pub(crate) type Result<T, E = RunError> = std::result::Result<T, E>;

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
    /// A program that plays the games failed.
    #[error("{0}")]
    Program(String),
    /// An opponent did not start or forfeited, the code of a game or of an agent panicked, or the optimiser or a learner
    /// refused what it got.
    #[error("{0}")]
    Failed(String),
}

impl From<OptimiserError> for RunError {
    fn from(error: OptimiserError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<JournalError> for RunError {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::Input(error) => Self::Input(error),
            JournalError::File(error) => Self::File(error),
        }
    }
}

impl From<ExecutorError> for RunError {
    fn from(error: ExecutorError) -> Self {
        match error {
            ExecutorError::Input(error) => Self::Input(error),
            ExecutorError::Start { failure, .. } => Self::Failed(format!("a player: {failure}")),
            ExecutorError::Program(what) => Self::Program(what),
            ExecutorError::File(error) => Self::File(error),
            ExecutorError::Panicked(text) => Self::Failed(text),
            error @ ExecutorError::Results(_) => Self::Failed(error.to_string()),
            ExecutorError::Stopped => Self::Interrupted,
        }
    }
}
