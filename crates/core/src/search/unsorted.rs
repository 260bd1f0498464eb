//! Searches that try moves in generation order and evaluate every position step by step. Values and sets of best moves are
//! those of [`Minimax`](super::Minimax); the positions visited are many more.
//!
//! - [`FullWindow`](Pruning::FullWindow) is alpha-beta as in Liang's program (4.2), with a full window for every root move.
//!   A limit of positions of that program is comparable with one of this search, not with one of a search that sorts moves.
//! - [`None`](Pruning::None) is plain minimax (Lifshitz IV), which visits every position within the depth: what pruning saves
//!   is the difference.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use super::minimax::{Extras, FixedDepth, MAX_DEPTH, Plain, Probe};
use super::{Analysis, Stop};
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
    JsonSchema,
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

/// A fixed-depth search in generation order, with alpha-beta or without.
#[derive(Debug)]
pub struct InOrder<'e, P, E, X = Plain<'e>> {
    evaluator: &'e E,
    prunes: bool,
    nodes: u64,
    extras: X,
    stopped: bool,
    game: PhantomData<fn(P)>,
}

impl<'e, P: Position, E: Evaluator<P>> InOrder<'e, P, E> {
    /// Creates a search with alpha-beta.
    #[must_use]
    pub const fn full_window(evaluator: &'e E) -> Self {
        Self::with_extras(evaluator, true, Plain(Stop::NEVER))
    }

    /// Creates a search without pruning. Its nodes are all positions within the depth: the sum of perft(1) to
    /// perft(depth).
    #[must_use]
    pub const fn unpruned(evaluator: &'e E) -> Self {
        Self::with_extras(evaluator, false, Plain(Stop::NEVER))
    }

    /// Sets what ends the search from outside.
    #[must_use]
    pub const fn until(mut self, stop: Stop<'e>) -> Self {
        self.extras = Plain(stop);
        self
    }

    /// Searches a position `depth` plies deep. Returns its minimax value and every move that reaches
    /// it. If the game is over, the value is that of its outcome and there is no best move.
    ///
    /// # Panics
    /// If `depth` is 0 or above [`MAX_DEPTH`].
    pub fn analyse(&mut self, position: &P, depth: u32) -> Analysis<P::Move> {
        (self.nodes, self.stopped) = (0, false);
        self.search_root(position, depth, &[]).unless(self.stopped)
    }
}

/// A window between all values.
const FULL: (Score, Score) = (Score::LOSS.previous(), Score::WIN.next());

impl<'e, P: Position, E: Evaluator<P>, X: Extras<P>> InOrder<'e, P, E, X> {
    pub(super) const fn with_extras(evaluator: &'e E, prunes: bool, extras: X) -> Self {
        Self { evaluator, prunes, nodes: 0, extras, stopped: false, game: PhantomData }
    }

    /// The value of playing a move, from the view of the side that plays it: exact inside the
    /// window, a bound outside. `depth` includes that move.
    fn value_after(
        &mut self,
        (position, state): (&P, &E::State),
        mv: P::Move,
        depth: u32,
        (alpha, beta): (Score, Score),
    ) -> Score {
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
        let remembers = self.extras.remembers();
        if remembers {
            self.extras.enter(position, mv, &after);
        }
        let value = -self.search((&after, &state), depth - 1, (-beta, -alpha));
        if remembers {
            self.extras.leave();
        }
        value
    }

    /// The value of a position that is not over, for the side to move.
    fn search(
        &mut self,
        (position, state): (&P, &E::State),
        depth: u32,
        (alpha, beta): (Score, Score),
    ) -> Score {
        // Without pruning, the budget is not checked in the last ply.
        let checks = self.prunes || depth > 1;
        if checks && (self.stopped || self.extras.is_spent(self.nodes)) {
            self.stopped = true;
            return Score::DRAW;
        }
        let remembers = self.extras.remembers() && depth > 1;
        let known = match remembers {
            true => self.extras.probe(position, depth),
            false => Probe { key: 0, bound: None, first: None },
        };
        if let Some((low, high)) = known.bound {
            if low == high || low >= beta {
                return low;
            }
            if high <= alpha {
                return high;
            }
        }
        let (mut best, mut best_move) = (Score::LOSS.previous(), None);
        for mv in position.legal_moves() {
            let window = if self.prunes { (alpha.max(best), beta) } else { FULL };
            let value = self.value_after((position, state), mv, depth, window);
            if value > best {
                (best, best_move) = (value, Some(mv));
            }
            if best >= beta {
                break;
            }
        }
        if remembers && !self.stopped {
            self.extras.store(known.key, depth, (alpha, beta), best, best_move);
        }
        best
    }
}

impl<P: Position, E: Evaluator<P>, X: Extras<P>> FixedDepth<P> for InOrder<'_, P, E, X> {
    type Extras = X;

    /// The order of moves is that of generation, so the moves to try first are ignored.
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
            let value = self.value_after((position, &state), mv, depth, FULL);
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
