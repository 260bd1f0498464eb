//! The kinds of agents that play in this process and need no other program.

mod iterative;
mod mcts;
mod minimax;
mod simple;

use super::{Failure, Lateness};
use crate::game::{Evaluator, Position, Score};

pub use iterative::{IterativeSettings, PvsSettings, deepening};
pub use mcts::MctsSettings;
pub use minimax::{ExpectimaxSettings, GreedySettings, MinimaxSettings, fixed_depth};
pub(super) use simple::random;
pub use simple::{Human, Random, Reflex};

/// What a number of plies is called in messages.
pub const PLIES: &str = "a number of plies";
/// What a size in MiB is called in messages.
pub const MIB: &str = "a number of MiB";

/// Fails if a search was stopped before it knew a best move.
pub fn not_stopped<M>(best: &[M]) -> Result<(), Failure> {
    let stopped = || Failure::Timeout { attempts: 1, later: Lateness::Unknown };
    if best.is_empty() { Err(stopped()) } else { Ok(()) }
}

/// A score in the units of the weights.
pub fn in_weights<P: Position, E: Evaluator<P>>(evaluator: &E, score: Score) -> f64 {
    match score {
        Score::WIN => f64::INFINITY,
        Score::LOSS => f64::NEG_INFINITY,
        score => f64::from(score.0) / evaluator.scale(),
    }
}
