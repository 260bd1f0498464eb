//! Reinforcement learning of what moves are worth (Lifshitz, section VIII).
//!
//! A learner plays games and keeps an estimate of the return of each move in each position where it is to
//! move: the sum of the rewards that follow, each later one discounted by gamma once more. A reward is the
//! difference of the values of two consecutive positions of the learner, before its move and after the
//! opponent's reply (or at the end of the game); a position's value is that of a game won or lost, or else
//! an evaluation's: see [`Worth`]. Positions where the opponent moves are no states of the learner.
//!
//! What estimates are kept of is a [`Representation`]: state-action pairs, weights of a layout's
//! features, or the layout's binary feature vectors. When they change is a [`Method`]: after every move
//! (Q-learning, the report's), or at the end of the game (TD(lambda) and Monte Carlo returns, which the
//! report proposes). In the first part of the games some moves are random; in the rest all are the policy's.
//!
//! A pair is a position's `key` and the move. The canonical key, which symmetric images share, would not do:
//! a move would have to be mapped by the same symmetry, which positions do not offer, and the report's
//! dictionary has every position by itself. A key leaves the rules apart, of which a run has one set.
//!
//! Over features, plain or binary, a move that ends the game has no estimate: what it returns is known. The
//! policy takes a win, shuns a loss and calls a draw 0, as a greedy agent does, so that
//! `greedy:weights=learned.toml` is the learner's own policy. Over state-action pairs such a move is learned as
//! any other is.
//!
//! One file for each part: `plan` is the checked config, `returns` the equations, `model` what estimates
//! are kept of, `learner` plays a side and learns, `run` plays the games.

mod learner;
mod model;
mod plan;
pub mod returns;
mod run;

use thiserror::Error;

use crate::agent::Failure;
use crate::files::FileError;
use crate::input::InputError;

pub use crate::agent::learned::Prospect;
pub use learner::{Learner, Trajectory, Worth};
pub use model::{Linear, Model, Tabular};
pub use plan::{LearnPlan, Method, Opponent, Representation, ValuePlan};
pub use run::{Lesson, Phase, Product, ProgressRow, learn};

/// Why learning ended before its end.
#[derive(Debug, Error)]
pub enum LearnError {
    /// Something that was supplied is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A file of the result could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The opponent gave no move.
    #[error("the opponent forfeited game {game}: {failure}")]
    Opponent {
        /// The game, from 1.
        game: u64,
        /// How.
        failure: Failure,
    },
    /// The estimates grew without bound.
    #[error("the estimates grew without bound by game {game}: try a smaller alpha or gamma")]
    Diverged {
        /// The game, from 1.
        game: u64,
    },
}
