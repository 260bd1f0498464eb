//! Tests of searches, most of them against a slow and obvious twin.
//!
//! They are one test binary, since every binary would compile and link the same code again. A module is
//! tested by `cargo test --test search mcts_twin::`.

mod capacities;
mod expectimax;
mod iterative;
mod mcts;
mod mcts_threads;
mod mcts_twin;
mod memory;
mod minimax_twin;
mod playouts;
#[path = "../common/positions.rs"]
mod positions;
mod selective;
mod twin;
mod unpruned;
