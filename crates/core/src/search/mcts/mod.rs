//! Monte Carlo tree search, built from exchangeable parts (Liang chapters 3 and 4, Sista 2.1 and 2.2).
//!
//! With a budget of iterations, the result of a search depends only on the position, the settings and the generator, and with
//! [`MctsParameters::reuse`] on the searches before. This holds on one thread and with root or leaf parallelism. It does not hold for
//! tree parallelism on several threads, or for any limit by time.

mod estimate;
mod grave;
mod helpers;
mod iteration;
mod playout;
mod search;
mod selection;
mod settings;
mod tree;

pub use iteration::Stopped;
pub use playout::random_playout;
pub use search::{Child, Mcts, MctsResult};
pub use settings::{
    Expansion, ExpansionOrder, FinalMove, Judge, MAX_NODES, MAX_THREADS, MctsParameters, Parallel,
    Playout, RewardView, Tree, WonChild,
};
