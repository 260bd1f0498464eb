//! Reinforcement learning of the returns of moves (Lifshitz, section VIII).
//!
//! A learner plays games. For each move in each position where it is to move, it keeps an estimate of the return: the sum of
//! the rewards that follow, where each later reward is discounted by one more factor gamma. A reward is the difference of the
//! values of two consecutive positions of the learner: the one before its move, and the one after the opponent's reply or at
//! the end of the game. The value of a position comes from the result if the game is over, otherwise from an evaluation.
//! Positions where the opponent moves are not states of the learner.
//!
//! A [`Representation`] says what is estimated: state-action pairs, weights of a layout's features, or the layout's binary
//! feature vectors. A [`Method`] says when: after every move (Q-learning, as in the report), or at the end of the game
//! (TD(lambda) and Monte Carlo returns, which the report proposes). In the first part of the games some moves are random; in
//! the rest all moves follow the policy.
//!
//! A state-action pair is a position's `key` and the move. Symmetric images do not share theirs: the move would have to be
//! mapped, too. The report's dictionary also keeps every position separately. Rules are not in it: a run has one set of them.
//!
//! Over features, plain or binary, a move that ends the game has no estimate, because its return is known. The policy takes a
//! win, avoids a loss and values a draw at 0, as a greedy agent does: `greedy:weights=learned.toml` plays the learner's policy.
//! Over state-action pairs, such a move is learned like any other.

mod agent;
pub mod config;
mod learner;
mod model;
mod plan;
pub mod returns;
mod run;
pub mod table;

pub(crate) use agent::players_of;
pub use agent::{Learned, LearnedSettings};
pub use learner::{Learner, Trajectory};
pub use model::{LearnedValues, Prospect, ReturnModel};
pub use plan::{LearnPlan, Method, Representation, ValuePlan};
pub use run::{LearningResult, Phase, Product, ProgressRow, learn};
pub use table::{TableKind, ValueTable};
