//! Plain minimax (Lifshitz IV): it visits every position within the depth, without pruning or
//! ordering.
//!
//! Values and sets of best moves are those of alpha-beta, [`Minimax`](super::Minimax). The module
//! exists for comparison: the difference in time shows what pruning saves. Everything else is the
//! same in both searches. The evaluation is updated along the line of play, and the last ply is
//! evaluated without playing its moves.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use super::Analysis;
use super::minimax::{Extras, FixedDepth, MAX_DEPTH, Plain};
use crate::game::{Evaluator, MoveList, Position, Score};

/// Which positions a minimax search skips.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Pruning {
    /// Positions that cannot change the result: alpha-beta.
    #[default]
    AlphaBeta,
    /// The same, but without the evaluator's look-ahead: every other position within the depth is
    /// visited and counted. The results are the same and the search is slower. Use it to compare
    /// node counts and times with searches that cannot look ahead.
    Stepwise,
    /// Like `Stepwise`, but in generation order, with a full window for every root move (Liang's
    /// program). It visits far more positions; the results are the same.
    FullWindow,
    /// None: plain minimax.
    None,
}

/// A fixed-depth search without pruning.
#[derive(Debug)]
pub struct Unpruned<'e, P, E, X = Plain> {
    evaluator: &'e E,
    nodes: u64,
    extras: X,
    stopped: bool,
    game: PhantomData<fn(P)>,
}

impl<'e, P: Position, E: Evaluator<P>> Unpruned<'e, P, E> {
    /// Creates a search.
    #[must_use]
    pub const fn new(evaluator: &'e E) -> Self {
        Self::with_extras(evaluator, Plain)
    }

    /// Searches a position `depth` plies deep. Returns its minimax value and every move that reaches
    /// it. If the game is over, the value is that of its outcome and there is no best move. The
    /// nodes are all positions within the depth: the sum of perft(1) to perft(`depth`).
    ///
    /// # Panics
    /// If `depth` is 0 or above [`MAX_DEPTH`].
    pub fn analyse(&mut self, position: &P, depth: u32) -> Analysis<P::Move> {
        self.nodes = 0;
        self.search_root(position, depth, &[])
    }
}

impl<'e, P: Position, E: Evaluator<P>, X: Extras<P>> Unpruned<'e, P, E, X> {
    pub(super) const fn with_extras(evaluator: &'e E, extras: X) -> Self {
        Self { evaluator, nodes: 0, extras, stopped: false, game: PhantomData }
    }

    /// The value of playing a move, from the view of the side that plays it. `depth` includes that
    /// move.
    fn value_after(&mut self, position: &P, state: &E::State, mv: P::Move, depth: u32) -> Score {
        self.nodes += 1;
        let side = position.side_to_move();
        if depth == 1 {
            return self.evaluator.score_after(state, position, mv).seen_by(side);
        }
        let after = position.after(mv);
        if let Some(outcome) = after.outcome() {
            return Score::of_outcome(outcome, side);
        }
        let mut state = *state;
        self.evaluator.update(&mut state, position, mv, &after);
        if depth == 2 {
            return -self.greatest(&after, &state, 1);
        }
        if !self.extras.remembers() {
            return -self.value(&after, &state, depth - 1);
        }
        self.extras.enter(position, mv, &after);
        let value = -self.value(&after, &state, depth - 1);
        self.extras.leave();
        value
    }

    /// The value of a position that is not over, for the side to move. `depth` is at least 2.
    fn value(&mut self, position: &P, state: &E::State, depth: u32) -> Score {
        if self.stopped || self.extras.is_spent(self.nodes) {
            self.stopped = true;
            return Score::DRAW;
        }
        if !self.extras.remembers() {
            return self.greatest(position, state, depth);
        }
        let known = self.extras.probe(position, depth);
        if let Some((low, high)) = known.bound
            && low == high
        {
            return low;
        }
        let value = self.greatest(position, state, depth);
        if !self.stopped {
            // The window contains every value, so the stored value is exact.
            let all = (Score::LOSS.previous(), Score::WIN.next());
            self.extras.store(known.key, depth, all, value, None);
        }
        value
    }

    /// The highest value of a move.
    fn greatest(&mut self, position: &P, state: &E::State, depth: u32) -> Score {
        let mut best = Score::LOSS;
        for mv in position.legal_moves() {
            best = best.max(self.value_after(position, state, mv, depth));
        }
        best
    }
}

impl<P: Position, E: Evaluator<P>, X: Extras<P>> FixedDepth<P> for Unpruned<'_, P, E, X> {
    type Extras = X;

    /// The order of moves does not matter, so the moves to try first are ignored.
    fn search_root(&mut self, position: &P, depth: u32, _: &[P::Move]) -> Analysis<P::Move> {
        assert!((1..=MAX_DEPTH).contains(&depth), "a depth of {depth} plies");
        let mut best = MoveList::new();
        if let Some(outcome) = position.outcome() {
            let score = Score::of_outcome(outcome, position.side_to_move());
            return Analysis { score, best, nodes: self.nodes };
        }
        let state = self.evaluator.state(position);
        let mut score = Score::LOSS.previous();
        for mv in position.legal_moves() {
            let value = self.value_after(position, &state, mv, depth);
            if self.stopped {
                break;
            }
            if value > score {
                score = value;
                best.clear();
            }
            if value == score {
                best.push(mv);
            }
        }
        Analysis { score, best, nodes: self.nodes }
    }

    fn extras(&mut self) -> &mut X {
        &mut self.extras
    }

    fn is_stopped(&self) -> bool {
        self.stopped
    }
}
