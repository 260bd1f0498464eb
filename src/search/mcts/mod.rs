//! Monte Carlo tree search.
mod settings;
use super::Budget;
use crate::eval::Evaluator;
use crate::position::Position;
use crate::seed::Generator;
pub use settings::{
    Expansion, FinalMove, MAX_NODES, MAX_THREADS, Parallel, Playout, Settings, Tree,
};
use std::sync::Arc;

/// A Monte Carlo tree search.
#[derive(Debug)]
pub struct Mcts<P: Position, E> {
    settings: Settings,
    evaluator: Arc<E>,
    marker: std::marker::PhantomData<fn() -> P>,
}

/// What a search found.
#[derive(Clone, Copy, Debug)]
pub struct Found<M> {
    /// The move to play.
    pub mv: M,
    /// Iterations done.
    pub iterations: u64,
}

impl<P: Position, E: Evaluator<P>> Mcts<P, E> {
    /// A search.
    pub fn new(settings: Settings, evaluator: Arc<E>) -> Self {
        Self { settings, evaluator, marker: std::marker::PhantomData }
    }

    /// Searches.
    pub fn search(
        &mut self,
        position: &P,
        budget: Budget,
        generator: &mut Generator,
    ) -> Found<P::Move> {
        let _ = (&self.settings, &self.evaluator, budget, generator);
        Found { mv: position.nth_legal_move(0), iterations: 0 }
    }
}
