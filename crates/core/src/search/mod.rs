//! Searches that choose a move: minimax of fixed depth (greedy is depth one), iterative deepening, expectimax, Monte Carlo tree
//! search, and principal variation search for the strongest play within a time.

mod budget;
pub mod expectimax;
pub mod iterative;
pub mod mcts;
pub mod minimax;
pub mod pvs;
mod ties;
pub mod transpositions;

pub use budget::{Budget, Stop};
pub use expectimax::Expectimax;
pub use iterative::Iterative;
pub use mcts::Mcts;
pub use minimax::{Analysis, Minimax, Pruning};
pub use pvs::Pvs;
pub use ties::TieBreak;
