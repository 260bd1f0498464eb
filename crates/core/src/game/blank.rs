//! The evaluation for searches that need none.

use std::convert::Infallible;

use crate::game::{Evaluator, Position, Score};

/// Scores every position as even.
#[derive(Clone, Copy, Debug)]
pub struct Blank;

impl<P: Position> Evaluator<P> for Blank {
    type State = ();
    type Lookahead<'e> = Infallible;

    fn state(&self, _: &P) {}

    fn update(&self, (): &mut (), _: &P, _: P::Move, _: &P) {}

    fn score(&self, (): &(), _: &P) -> Score {
        Score::DRAW
    }

    fn scale(&self) -> f64 {
        1.0
    }
}
