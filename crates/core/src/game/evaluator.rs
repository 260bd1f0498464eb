//! Evaluators, which score positions.

use super::{
    FixedPoint, Lookahead, OnePly, Player, Position, Score, Searchable, WeightLayout, WeightsError,
};

/// Scores positions in which the game is not over.
///
/// [`Linear`](super::Linear) is the simplest. An evaluator of your own makes its weights integers by
/// [`FixedPoint`](super::FixedPoint). The search keeps a `State` beside the position and updates it with every move, so that an
/// evaluation costs only as much as a move changes. Its laws are in [`testing::laws`](crate::testing::laws).
pub trait Evaluator<P: Position>: Send + Sync + 'static {
    /// The state that is updated move by move along a line of play.
    type State: Copy + PartialEq + std::fmt::Debug + Send;

    /// Whether a score is a function of the position alone. If not, it also depends on the root of the search and the moves
    /// since, and must not be stored in a transposition table.
    const OF_POSITION_ALONE: bool = true;

    /// The state of a position, computed from scratch.
    fn state(&self, position: &P) -> Self::State;

    /// The state of `after`, which is `before` with `mv` played.
    fn update(&self, state: &mut Self::State, before: &P, mv: P::Move, after: &P);

    /// The score of the position from the first player's view.
    fn score(&self, state: &Self::State, position: &P) -> Score;

    /// The score, from the first player's view, of the position after a legal move; if the move ends the game, that of the
    /// outcome. The last ply of a search calls this: override it where the move need not be played.
    #[inline]
    fn score_after(&self, state: &Self::State, position: &P, mv: P::Move) -> Score {
        score_by_playing(self, state, position, mv)
    }

    /// The evaluator's own look-ahead, which computes the last plies of fixed-depth minimax faster;
    /// [`OnePly`] for an evaluator without one.
    type Lookahead<'e>: Lookahead<P>
    where
        Self: 'e;

    /// Whether [`lookahead`](Self::lookahead) never returns `None`. `pvs` is then not compiled for [`OnePly`], and panics if it does.
    const ALWAYS_LOOKS_AHEAD: bool = false;

    /// The look-ahead from a position, if the evaluator has one for it.
    fn lookahead(&self, _position: &P) -> Option<Self::Lookahead<'_>> {
        None
    }

    /// Score units to one unit of weight: a score divided by it is in the units of the weight file.
    fn scale(&self) -> f64;
}

/// [`Evaluator::score_after`] by playing the move.
#[doc(hidden)]
#[inline]
pub fn score_by_playing<P: Position, E: Evaluator<P> + ?Sized>(
    evaluator: &E,
    state: &E::State,
    position: &P,
    mv: P::Move,
) -> Score {
    let after = position.after(mv);
    if let Some(outcome) = after.outcome() {
        return Score::of_outcome(outcome, Player::First);
    }
    let mut state = *state;
    evaluator.update(&mut state, position, mv, &after);
    evaluator.score(&state, &after)
}

/// The evaluation for searches that need none: it scores every position as even.
#[derive(Clone, Copy, Debug)]
pub struct Blank;

impl<P: Searchable> Evaluator<P> for Blank {
    type State = ();
    type Lookahead<'e> = OnePly<'e, P, Self>;

    fn state(&self, _: &P) {}

    fn update(&self, (): &mut (), _: &P, _: P::Move, _: &P) {}

    fn score(&self, (): &(), _: &P) -> Score {
        Score::DRAW
    }

    fn scale(&self) -> f64 {
        1.0
    }
}

/// An evaluation that counts features of a position from scratch each time, and adds up counts times weights.
///
/// It needs only a function from a position to its counts, and is fast enough for small games. For speed, write an
/// [`Evaluator`] that updates a state move by move.
///
/// ```
/// use tictune_core::game::{Linear, Position, Slot, WeightLayout, WeightsError};
///
/// static PLIES: WeightLayout = WeightLayout {
///     game: "connect-four",
///     name: "plies",
///     description: "moves made",
///     slots: &[Slot { name: "ply", description: "moves of both players", greatest_count: 42 }],
/// };
///
/// fn half_of_plies<P: Position>() -> Result<Linear<P>, WeightsError> {
///     Linear::new(&PLIES, &[0.5], |position: &P| [position.ply() as i32])
/// }
/// ```
pub struct Linear<P> {
    value: Box<dyn Fn(&P) -> i32 + Send + Sync>,
    scale: f64,
}

impl<P: Position> Linear<P> {
    /// The evaluator of a layout of `N` slots. `counts` gives the count of each slot in a position that is not over: the first
    /// player's minus the second's, at most its [`greatest_count`](super::Slot::greatest_count) above or below 0.
    ///
    /// # Panics
    /// If the layout does not have `N` slots.
    pub fn new<const N: usize>(
        layout: &'static WeightLayout,
        values: &[f64],
        counts: impl Fn(&P) -> [i32; N] + Send + Sync + 'static,
    ) -> Result<Self, WeightsError> {
        assert_eq!(layout.len(), N, "{layout:?} has another number of slots than are counted");
        let fixed = FixedPoint::new(layout, values)?;
        let scale = fixed.scale();
        let value = move |position: &P| {
            let products = counts(position).into_iter().zip(&fixed.weights);
            // Counts above the greatest wrap around, as in a release build: the laws say so.
            products
                .fold(0, |sum: i32, (count, weight)| sum.wrapping_add(count.wrapping_mul(*weight)))
        };
        Ok(Self { value: Box::new(value), scale })
    }
}

impl<P: Searchable> Evaluator<P> for Linear<P> {
    type State = ();
    type Lookahead<'e> = OnePly<'e, P, Self>;

    fn state(&self, _: &P) {}

    fn update(&self, (): &mut (), _: &P, _: P::Move, _: &P) {}

    #[inline]
    fn score(&self, (): &(), position: &P) -> Score {
        Score((self.value)(position))
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}
