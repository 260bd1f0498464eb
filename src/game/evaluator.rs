//! What gives scores to positions.

use super::{Lookahead, Player, Position, Score};

/// Gives scores to positions that are not over.
///
/// The search carries a `State` beside the position and updates it with every move, so that an
/// evaluation costs what a move changes. Laws, checked on random play: the state updated along a
/// game equals the state computed from the position alone; for the evaluations here, a symmetric
/// image has the same score.
pub trait Evaluator<P: Position>: Send + Sync + 'static {
    /// What is carried along a line of play.
    type State: Copy + PartialEq + std::fmt::Debug + Send;

    /// Whether a score is a function of the position alone. If not, it depends on the position that the
    /// state was made from, the root of a search, and on the moves since: such a score must not be
    /// remembered by position.
    const OF_POSITION_ALONE: bool = true;

    /// The state of a position, from scratch.
    fn state(&self, position: &P) -> Self::State;

    /// The state of `after`, which is `before` with `mv` played.
    fn update(&self, state: &mut Self::State, before: &P, mv: P::Move, after: &P);

    /// The value of the position from the first player's view.
    fn score(&self, state: &Self::State, position: &P) -> Score;

    /// The value, from the first player's view, of the position that a legal move leads to; that of
    /// the outcome if the move ends the game. Evaluators for which this is cheaper than playing the
    /// move override it: it is what the last ply of a search costs.
    #[inline]
    fn score_after(&self, state: &Self::State, position: &P, mv: P::Move) -> Score {
        let after = position.after(mv);
        if let Some(outcome) = after.outcome() {
            return Score::of_outcome(outcome, Player::First);
        }
        let mut state = *state;
        self.update(&mut state, position, mv, &after);
        self.score(&state, &after)
    }

    /// A look-ahead of the evaluator's own, which spares fixed-depth minimax the last moves or makes them cheaper;
    /// [`Infallible`](std::convert::Infallible) for an evaluator without one.
    type Lookahead<'e>: Lookahead<P>
    where
        Self: 'e;

    /// The look-ahead from a position, if the evaluator has one there.
    fn lookahead(&self, _position: &P) -> Option<Self::Lookahead<'_>> {
        None
    }

    /// Score units to one unit of weight: a score divided by it is in the units of the weight file.
    fn scale(&self) -> f64;
}
