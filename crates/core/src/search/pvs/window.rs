//! Windows of alpha-beta.

use crate::game::Score;

#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) alpha: Score,
    pub(super) beta: Score,
}

impl Window {
    pub(super) const FULL: Self = Self { alpha: Score::LOSS.previous(), beta: Score::WIN };

    /// The window in which a score is shown to be above `alpha`, or not.
    pub(super) const fn just_above(alpha: Score) -> Self {
        Self { alpha, beta: alpha.next() }
    }

    pub(super) const fn is_of_one_score(self) -> bool {
        self.beta.0 <= self.alpha.0 + 1
    }

    pub(super) fn around(score: Score, margin: i32) -> Self {
        if is_decided(score) || margin == 0 {
            return Self::FULL;
        }
        Self { alpha: Score(score.0 - margin), beta: Score(score.0 + margin) }
    }
}

impl std::ops::Neg for Window {
    type Output = Self;

    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

/// Whether a score is not that of an evaluation, but won, lost, or a bound beyond.
pub(super) const fn is_decided(score: Score) -> bool {
    score.0.abs() >= Score::WIN.0 - 1
}
