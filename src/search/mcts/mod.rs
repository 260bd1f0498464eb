//! Monte Carlo tree search: one engine with exchangeable parts (Liang chapters 3 and 4, Sista 2.1 and
//! 2.2).
//!
//! `settings` says which parts there are, `selection` has the formulas, `estimate` makes UCT's quick,
//! `playout` plays games out, `tree` holds the nodes, `iteration` puts them together, `grave` has what
//! GRAVE needs besides, `helpers` what leaf parallelism does, `values` is the evaluation behind it all. `search` runs iterations until the budget is
//! spent, on one thread or several, and picks the move.
//!
//! With a budget of iterations a search on one thread, or with root or leaf parallelism, is a function
//! of position, settings and generator. Tree parallelism on several threads and any limit by time are not.

mod estimate;
mod grave;
mod helpers;
mod iteration;
mod playout;
mod proofs;
mod search;
mod selection;
mod settings;
#[cfg(test)]
mod tests;
mod tree;
mod values;

pub use iteration::Stopped;
pub use playout::random_playout;
pub use search::{Child, Found, Mcts};
pub use settings::{
    Expansion, FinalMove, Judge, MAX_NODES, MAX_THREADS, Parallel, Playout, Settings, Tree,
};
