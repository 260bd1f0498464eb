//! Searches that pick a move: fixed-depth minimax, and greedy as its depth of one.

pub mod minimax;

pub use minimax::{Analysis, Minimax, choose};
