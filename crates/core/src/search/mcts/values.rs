//! The evaluation, as a tree search uses it. Calls are rare, so they go through a trait object, and the search is compiled once
//! for each game instead of once for each evaluation.

use rand::RngExt;

use crate::game::{Evaluator, Outcome, Position, Score, Valuation};
use crate::seed::Generator;

/// An evaluation whose values are in weight units.
pub(super) trait Values<P: Position>: Valuation<P> {
    /// Calls `take` once for each legal move, in generation order. The argument is the outcome if the move ends the game,
    /// otherwise the value of the position after it, from the view of the side to move.
    fn after_moves(&self, position: &P, take: &mut dyn FnMut(Result<f64, Outcome>));

    /// The move to the best value, ties broken at random.
    fn best_move(&self, position: &P, generator: &mut Generator) -> P::Move;
}

impl<P: Position, E: Evaluator<P>> Values<P> for E {
    fn after_moves(&self, position: &P, take: &mut dyn FnMut(Result<f64, Outcome>)) {
        let (state, side, scale) = (self.state(position), position.side_to_move(), self.scale());
        for mv in position.legal_moves() {
            take(match position.after(mv).outcome() {
                Some(outcome) => Err(outcome),
                None => {
                    let score = self.score_after(&state, position, mv).seen_by(side);
                    Ok(f64::from(score.0) / scale)
                }
            });
        }
    }

    fn best_move(&self, position: &P, generator: &mut Generator) -> P::Move {
        let (state, side) = (self.state(position), position.side_to_move());
        let (mut best, mut score, mut ties) = (None, Score::LOSS.previous(), 0_u32);
        for mv in position.legal_moves() {
            let value = self.score_after(&state, position, mv).seen_by(side);
            if value > score {
                (best, score, ties) = (Some(mv), value, 1);
            } else if value == score {
                ties += 1;
                if generator.random_range(0..ties) == 0 {
                    best = Some(mv);
                }
            }
        }
        best.unwrap_or_else(|| position.nth_legal_move(0))
    }
}
