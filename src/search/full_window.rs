//! Alpha-beta as in Liang's program (4.2): moves in generation order, and a full window for every
//! root move.
//!
//! Values and sets of best moves are those of [`Minimax`](super::Minimax), but far more positions are
//! visited. A limit of positions of the program is comparable with one of this search, not with one
//! of a search that sorts moves.

use std::marker::PhantomData;

use super::Analysis;
use super::minimax::{Extras, FixedDepth, MAX_DEPTH, Plain, Probe};
use crate::game::{Evaluator, MoveList, Position, Score};

/// A fixed-depth search with alpha-beta alone.
#[derive(Debug)]
pub struct FullWindow<'e, P, E, X = Plain> {
    evaluator: &'e E,
    nodes: u64,
    extras: X,
    stopped: bool,
    game: PhantomData<fn(P)>,
}

impl<'e, P: Position, E: Evaluator<P>> FullWindow<'e, P, E> {
    /// Creates a search.
    #[must_use]
    pub const fn new(evaluator: &'e E) -> Self {
        Self::with_extras(evaluator, Plain)
    }

    /// Searches a position `depth` plies deep. Returns its minimax value and every move that reaches
    /// it. If the game is over, the value is that of its outcome and there is no best move.
    ///
    /// # Panics
    /// If `depth` is 0 or above [`MAX_DEPTH`].
    pub fn analyse(&mut self, position: &P, depth: u32) -> Analysis<P::Move> {
        self.nodes = 0;
        self.search_root(position, depth, &[])
    }
}

/// A window between all values.
const FULL: (Score, Score) = (Score::LOSS.previous(), Score::WIN.next());

impl<'e, P: Position, E: Evaluator<P>, X: Extras<P>> FullWindow<'e, P, E, X> {
    pub(super) const fn with_extras(evaluator: &'e E, extras: X) -> Self {
        Self { evaluator, nodes: 0, extras, stopped: false, game: PhantomData }
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
        if self.stopped || self.extras.is_spent(self.nodes) {
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
            let value = self.value_after((position, state), mv, depth, (alpha.max(best), beta));
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

impl<P: Position, E: Evaluator<P>, X: Extras<P>> FixedDepth<P> for FullWindow<'_, P, E, X> {
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
