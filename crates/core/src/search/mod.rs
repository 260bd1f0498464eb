//! Searches that choose a move: minimax of fixed depth (greedy is depth one), iterative deepening,
//! alpha-beta and plain minimax in generation order, minimax over the most promising
//! moves or with quiescence search, expectimax, Monte Carlo tree search, and principal variation search
//! for the strongest play within a time.

mod budget;
pub mod choice;
pub mod expectimax;
mod introsort;
pub mod iterative;
pub mod mcts;
pub mod memory;
pub mod minimax;
pub mod pvs;
pub mod quiescent;
pub mod selective;
mod unsorted;
mod value_table;

pub use budget::{Budget, Stop};
pub use choice::choose;
pub use expectimax::Expectimax;
pub use iterative::Iterative;
pub use mcts::Mcts;
pub use memory::Memory;
pub use minimax::{Analysis, Minimax};
pub use pvs::Pvs;
pub use quiescent::Quiescent;
pub use selective::{MoveOrder, Selective, Sorting, Widths};
pub use unsorted::{InOrder, Pruning};
pub use value_table::EvaluationCache;
