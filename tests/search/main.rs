//! Tests of searches. Most compare a search with a slow and simple implementation.
//!
//! They form one test binary, since separate binaries would each compile and link the same code. To
//! run one module, use `cargo test --test search mcts_twin::`.

mod capacities;
mod expectimax;
mod in_order;
mod iterative;
mod mcts;
mod mcts_threads;
mod mcts_twin;
mod memory;
mod minimax_twin;
mod playouts;
#[path = "../common/positions.rs"]
mod positions;
mod pvs;
mod quiescent;
mod readings;
mod selective;
mod twin;
