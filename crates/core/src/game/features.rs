//! Feature counts: the numbers that a position multiplies the slots of a layout by.
//!
//! Every evaluation is linear in its slots. An evaluator with one weight of 1 and all others 0 therefore gives the count of that slot.
//! The count is exact, since counts are whole numbers and the scale is a power of two. Learning needs nothing else of an evaluation.

use crate::game::{
    Evaluator, EvaluatorVisitor, Game, Player, Position, WeightLayout, WeightsError,
};

/// The counts of a layout's slots in positions of a game.
pub struct Features<P> {
    /// The layout.
    pub layout: &'static WeightLayout,
    /// One a slot.
    slots: Vec<Box<dyn Valuation<P>>>,
}

/// Gives values of positions in weight units, for any evaluation.
pub trait Valuation<P: Position>: Send + Sync {
    /// The value of a position from a player's view, by the evaluation alone: the outcome of a finished game does not count.
    fn of(&self, position: &P, view: Player) -> f64;

    /// The values, from the view of the side to move, of the positions after legal moves that do not end the
    /// game. They are written to every `stride`th place of `values`.
    fn after(&self, position: &P, moves: &[P::Move], values: &mut [f64], stride: usize);

    /// See [`Evaluator::OF_POSITION_ALONE`].
    fn is_of_position_alone(&self) -> bool;
}

/// The valuation of a layout with weights.
pub fn valuation<P: Game>(
    layout: &'static WeightLayout,
    values: &[f64],
) -> Result<Box<dyn Valuation<P>>, WeightsError> {
    P::with_evaluator(layout, values, InWeightUnits)
}

impl<P: Game> Features<P> {
    /// The counts of a layout.
    pub fn new(layout: &'static WeightLayout) -> Result<Self, WeightsError> {
        let unit = |slot: usize| {
            let mut values = vec![0.0; layout.len()];
            values[slot] = 1.0;
            valuation(layout, &values)
        };
        let slots = (0..layout.len()).map(unit).collect::<Result<_, _>>()?;
        Ok(Self { layout, slots })
    }

    /// The counts in a position, in the order of the slots: a player's minus the opponent's. They mean nothing for an
    /// evaluation that is [not of the position alone](Evaluator::OF_POSITION_ALONE).
    pub fn of(&self, position: &P, view: Player) -> Vec<f64> {
        self.slots.iter().map(|slot| slot.of(position, view)).collect()
    }

    /// The counts, from the view of the side to move, after each of several legal moves that do not end
    /// the game: a row of as many as there are slots for each move.
    pub fn after(&self, position: &P, moves: &[P::Move]) -> Vec<f64> {
        let stride = self.slots.len();
        let mut rows = vec![0.0; stride * moves.len()];
        if !moves.is_empty() {
            for (index, slot) in self.slots.iter().enumerate() {
                slot.after(position, moves, &mut rows[index..], stride);
            }
        }
        rows
    }
}

/// Hands on an evaluator behind a trait object.
struct InWeightUnits;

impl<P: Position> EvaluatorVisitor<P> for InWeightUnits {
    type Output = Box<dyn Valuation<P>>;

    fn visit<E: Evaluator<P>>(self, evaluator: E) -> Self::Output {
        Box::new(evaluator)
    }
}

impl<P: Position, E: Evaluator<P>> Valuation<P> for E {
    fn of(&self, position: &P, view: Player) -> f64 {
        let score = self.score(&self.state(position), position);
        f64::from(score.seen_by(view).0) / self.scale()
    }

    fn after(&self, position: &P, moves: &[P::Move], values: &mut [f64], stride: usize) {
        let (state, view, scale) = (self.state(position), position.side_to_move(), self.scale());
        for (value, &mv) in values.iter_mut().step_by(stride).zip(moves) {
            let score = self.score_after(&state, position, mv).seen_by(view);
            *value = f64::from(score.0) / scale;
        }
    }

    fn is_of_position_alone(&self) -> bool {
        E::OF_POSITION_ALONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::toy::{OPEN_LINES, Toy};

    #[test]
    fn hand_counted_slots() {
        // x has two on one open line, in the top row. o has two on both lines of its row, and two marks off the edge.
        let notation = "xx.../...../.oo../...../x....";
        let position = Toy::from_notation(notation, Default::default()).unwrap();
        let features = Features::new(&OPEN_LINES).unwrap();
        assert_eq!(features.of(&position, Player::First), [1.0 - 2.0, 0.0, -2.0]);
        assert_eq!(features.of(&position, Player::Second), [2.0 - 1.0, 0.0, 2.0]);
        // Beside its two marks, o gets three on both lines of its row; on the right edge it gets no line.
        let counts = [[-1.0, 2.0, 3.0], [2.0 - 1.0, 0.0, 2.0]];
        assert_eq!(features.after(&position, &[13, 19]), counts.concat());
        assert!(features.after(&position, &[]).is_empty());
    }
}
