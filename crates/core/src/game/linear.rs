//! The simplest evaluator: counts times weights.

use std::fmt;

use super::{
    Evaluator, FixedPoint, OnePly, Position, Score, Searchable, WeightLayout, WeightsError,
};

/// An evaluation that counts `N` features of a position from scratch each time, and adds up counts times weights.
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
/// fn half_of_plies<P: Position>() -> Result<Linear<P, 1>, WeightsError> {
///     Linear::new(&PLIES, &[0.5], |position| [position.ply() as i32])
/// }
/// ```
#[derive(Clone)]
pub struct Linear<P, const N: usize> {
    weights: [i32; N],
    scale: f64,
    counts: fn(&P) -> [i32; N],
}

impl<P, const N: usize> fmt::Debug for Linear<P, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Linear({:?})", self.weights)
    }
}

impl<P: Position, const N: usize> Linear<P, N> {
    /// The evaluator of a layout of `N` slots. `counts` gives the count of each slot in a position that is not over: the first
    /// player's minus the second's, at most its [`greatest_count`](super::Slot::greatest_count) above or below 0.
    ///
    /// # Panics
    /// If the layout does not have `N` slots.
    pub fn new(
        layout: &'static WeightLayout,
        values: &[f64],
        counts: fn(&P) -> [i32; N],
    ) -> Result<Self, WeightsError> {
        assert_eq!(layout.len(), N, "{layout:?} has another number of slots than are counted");
        let fixed = FixedPoint::new(layout, values)?;
        let mut weights = [0; N];
        weights.copy_from_slice(&fixed.weights);
        Ok(Self { weights, scale: fixed.scale(), counts })
    }
}

impl<P: Searchable, const N: usize> Evaluator<P> for Linear<P, N> {
    type State = ();
    type Lookahead<'e> = OnePly<'e, P, Self>;

    fn state(&self, _: &P) {}

    fn update(&self, (): &mut (), _: &P, _: P::Move, _: &P) {}

    #[inline]
    fn score(&self, (): &(), position: &P) -> Score {
        let counts = (self.counts)(position);
        Score(counts.iter().zip(&self.weights).map(|(count, weight)| count * weight).sum())
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}
