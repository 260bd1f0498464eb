//! Alpha-beta with quiescence search, which Liang names among what stronger bots have (5.2).
//!
//! At the end of its depth the search does not stop after [loud](Searchable::is_loud) moves: the side
//! to move may take the value of the position, or play another loud move, up to a number of further
//! plies. The result is the exact value, and the exact set of best moves, of the tree that follows
//! from this.

use std::marker::PhantomData;

use super::minimax::MAX_DEPTH;
use super::{Analysis, Stop};
use crate::game::{Evaluator, MoveList, Score, Searchable};

/// The most plies that follow the depth.
pub const MAX_PLIES: u32 = 32;

/// A fixed-depth search with quiescence search at its leaves.
#[derive(Debug)]
pub struct Quiescent<'e, P, E> {
    evaluator: &'e E,
    /// The most plies of loud moves that follow the depth.
    further: u32,
    nodes: u64,
    stop: Stop<'e>,
    game: PhantomData<fn(P)>,
}

impl<'e, P: Searchable, E: Evaluator<P>> Quiescent<'e, P, E> {
    /// Creates a search that follows loud moves for at most `further` plies.
    #[must_use]
    pub const fn new(evaluator: &'e E, further: u32) -> Self {
        Self { evaluator, further, nodes: 0, stop: Stop::NEVER, game: PhantomData }
    }

    /// Sets what ends the search from outside.
    #[must_use]
    pub const fn until(mut self, stop: Stop<'e>) -> Self {
        self.stop = stop;
        self
    }

    /// Searches a position `depth` plies deep and from there on along loud moves. Returns its value
    /// and every move that reaches it. If the game is over, the value is that of its outcome and
    /// there is no best move.
    ///
    /// # Panics
    /// If `depth` is 0 or above [`MAX_DEPTH`].
    pub fn analyse(&mut self, position: &P, depth: u32) -> Analysis<P::Move> {
        assert!((1..=MAX_DEPTH).contains(&depth), "a depth of {depth} plies");
        self.nodes = 0;
        let (mut best, mut score) = (MoveList::new(), Score::LOSS.previous());
        if let Some(outcome) = position.outcome() {
            let score = Score::of_outcome(outcome, position.side_to_move());
            return Analysis { score, best, nodes: 0 };
        }
        let state = self.evaluator.state(position);
        for mv in self.sorted(position, &state, |_| true) {
            // As in `Minimax`, this window separates worse, equal and better moves.
            let beta = if best.is_empty() { Score::WIN } else { score.next().min(Score::WIN) };
            let window = (score.previous(), beta);
            let mut value = self.value_after(position, &state, mv, depth, window);
            if value >= beta && beta < Score::WIN {
                value = self.value_after(position, &state, mv, depth, (score, Score::WIN));
            }
            if value > score {
                score = value;
                best.clear();
            }
            if value == score {
                best.push(mv);
            }
        }
        best.sort_unstable();
        Analysis { score, best, nodes: self.nodes }.unless(self.stop.is_set())
    }

    /// Some of the legal moves, those of the highest values first.
    fn sorted(
        &self,
        position: &P,
        state: &E::State,
        keep: impl Fn(P::Move) -> bool,
    ) -> MoveList<P::Move> {
        let side = position.side_to_move();
        let value = |mv| self.evaluator.score_after(state, position, mv).seen_by(side);
        let moves = position.legal_moves().filter(|mv| keep(*mv));
        let mut moves: MoveList<(Score, P::Move)> = moves.map(|mv| (-value(mv), mv)).collect();
        moves.sort_unstable();
        moves.into_iter().map(|(_, mv)| mv).collect()
    }

    /// The value of playing a move, from the view of the side that plays it: exact inside the
    /// window, a bound outside. `depth` includes that move.
    fn value_after(
        &mut self,
        position: &P,
        state: &E::State,
        mv: P::Move,
        depth: u32,
        (alpha, beta): (Score, Score),
    ) -> Score {
        self.nodes += 1;
        let after = position.after(mv);
        if let Some(outcome) = after.outcome() {
            return Score::of_outcome(outcome, position.side_to_move());
        }
        let mut state = *state;
        self.evaluator.update(&mut state, position, mv, &after);
        let window = (-beta, -alpha);
        match depth {
            // A quiet move ends the line here.
            1 if !position.is_loud(mv) => {
                -self.evaluator.score(&state, &after).seen_by(after.side_to_move())
            }
            1 => -self.quiesce(&after, &state, self.further, window),
            _ => -self.search(&after, &state, depth - 1, window),
        }
    }

    /// The value of a position that is not over, for the side to move.
    fn search(
        &mut self,
        position: &P,
        state: &E::State,
        depth: u32,
        (alpha, beta): (Score, Score),
    ) -> Score {
        if self.stop.is_set() {
            return Score::DRAW;
        }
        let mut best = Score::LOSS.previous();
        for mv in self.sorted(position, state, |_| true) {
            let window = (alpha.max(best), beta);
            best = best.max(self.value_after(position, state, mv, depth, window));
            if best >= beta {
                break;
            }
        }
        best
    }

    /// The value of a position after a loud move, for the side to move, which need not go on.
    fn quiesce(
        &mut self,
        position: &P,
        state: &E::State,
        left: u32,
        (alpha, beta): (Score, Score),
    ) -> Score {
        let mut best = self.evaluator.score(state, position).seen_by(position.side_to_move());
        if best >= beta || left == 0 || self.stop.is_set() {
            return best;
        }
        for mv in self.sorted(position, state, |mv| position.is_loud(mv)) {
            self.nodes += 1;
            let after = position.after(mv);
            let value = match after.outcome() {
                Some(outcome) => Score::of_outcome(outcome, position.side_to_move()),
                None => {
                    let mut state = *state;
                    self.evaluator.update(&mut state, position, mv, &after);
                    -self.quiesce(&after, &state, left - 1, (-beta, -alpha.max(best)))
                }
            };
            best = best.max(value);
            if best >= beta {
                break;
            }
        }
        best
    }
}
