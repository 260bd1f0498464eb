//! Which evaluations are sums over squares.

use super::counting::Counting;
use super::{amar, liang, lifshitz};
use tictune_core::game::WeightLayout;

/// What a layout counts, if it is a sum over squares.
#[inline]
pub(super) fn counting_of(layout: &WeightLayout) -> Option<&'static Counting> {
    Some(match layout.name {
        "simple" => &liang::COUNT_SIMPLE,
        "connecting" => &liang::COUNT_CONNECTING,
        "advanced" => &liang::COUNT_ADVANCED,
        "comprehensive" => &liang::COUNT_COMPREHENSIVE,
        "heur1" => &lifshitz::COUNT_HEUR1,
        "heur2" => &lifshitz::COUNT_HEUR2,
        "heur3" => &lifshitz::COUNT_HEUR3,
        "heur4" => &lifshitz::COUNT_HEUR4,
        "winning-possibilities" => &amar::COUNT_WINNING_POSSIBILITIES,
        "recursive-weight" => &amar::COUNT_RECURSIVE_WEIGHT,
        _ => return None,
    })
}

/// Whether an evaluation is a sum over squares.
///
/// [`SquareTables`](super::SquareTables) and [`SquareSums`](super::SquareSums) can evaluate such a
/// sum. In heur4 it is the sum of all slots but the free move.
#[must_use]
#[inline]
pub fn is_sum_over_squares(layout: &WeightLayout) -> bool {
    counting_of(layout).is_some()
}
