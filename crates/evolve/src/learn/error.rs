//! Why learning ends early.

use thiserror::Error;
use tictune_core::agent::Failure;
use tictune_core::arena::ExecutorError;
use tictune_core::files::FileError;
use tictune_core::input::InputError;

/// Why learning stopped early.
#[derive(Debug, Error)]
pub enum LearnError {
    /// Wrong input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// It was asked to stop.
    #[error("interrupted")]
    Stopped,
    /// A file of the result could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The opponent gave no move.
    #[error("the opponent forfeited game {game}: {failure}")]
    Opponent {
        /// The game, from 1.
        game: u64,
        /// What went wrong.
        failure: Failure,
    },
    /// The estimates grew without bound.
    #[error("the estimates grew without bound by game {game}: try a smaller alpha or gamma")]
    Diverged {
        /// The game, from 1.
        game: u64,
    },
}

impl From<ExecutorError> for LearnError {
    fn from(error: ExecutorError) -> Self {
        match error {
            ExecutorError::Stopped => Self::Stopped,
            error => Self::Input(error.into_input()),
        }
    }
}
