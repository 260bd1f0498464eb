//! The value of a position as an integer.

use std::ops::Neg;

use crate::game::{Outcome, Player};

/// A value of a position from one side's view, in the units of the evaluator that made it.
///
/// Heuristic values lie within +-2^30 (and some rounding). A won or lost game lies far outside, so that no weight, however large,
/// passes for a win (Liang's evolved vectors could exceed his WIN of 999). A win has the same value however far away it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(pub i32);

impl Score {
    /// The game is won.
    pub const WIN: Self = Self(2_000_000_000);
    /// The game is lost.
    pub const LOSS: Self = Self(-2_000_000_000);
    /// The game is drawn.
    pub const DRAW: Self = Self(0);
    /// The bound on heuristic values that fixed-point conversion guarantees, before rounding.
    pub const HEURISTIC_BOUND: i32 = 1 << 30;

    /// The value of a finished game from a player's view.
    #[inline]
    pub fn of_outcome(outcome: Outcome, view: Player) -> Self {
        match outcome {
            Outcome::Draw => Self::DRAW,
            Outcome::Win(winner) if winner == view => Self::WIN,
            Outcome::Win(_) => Self::LOSS,
        }
    }

    /// The same value from a player's view, where `self` is from the first player's.
    #[inline]
    #[must_use]
    pub fn seen_by(self, view: Player) -> Self {
        match view {
            Player::First => self,
            Player::Second => -self,
        }
    }

    /// The next larger score.
    #[inline]
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The next smaller score.
    #[inline]
    #[must_use]
    pub const fn previous(self) -> Self {
        Self(self.0 - 1)
    }
}

impl Neg for Score {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}
