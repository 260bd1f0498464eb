//! Expectimax (Lifshitz IV): own moves maximise, the opponent is expected to reply at random, so that a
//! position in which it moves is worth the average over its legal moves.
//!
//! Values are exact wherever that can be had. Sums of floating-point numbers depend on the order of moves,
//! and images of a position would differ in the last bit; so values are integers here, scores times
//! [`UNIT`]. Their sums are exact in any order, and the images of a position have the same value. `UNIT` is
//! divisible by every number up to 30, and three times over by every number up to 10: averages are exact
//! three replies deep where each is over up to ten moves, and two replies deep where one of them is over up
//! to 30. Any other average is rounded towards zero, for both sides alike, by less than 2^-58 of a score.
//! Moves may be told apart by what was rounded, where exact fractions would have been equal.
//!
//! An average needs a finite value of a game won: [`DEFAULT_WIN`] unless told otherwise. It is the same
//! however far away the win is. Where it is not above every heuristic value, a position may be preferred to
//! a win, and a loss to a position.

use std::marker::PhantomData;

use super::minimax::MAX_DEPTH;
use crate::game::{Evaluator, MoveList, Player, Position, Score};

/// What a won game is worth in weight units (Lifshitz V 1); a lost one as much below zero. The values of
/// all built-in weights lie within it.
pub const DEFAULT_WIN: f64 = 10_000.0;

/// Parts of a score: 2520^3 x 11 x 13 x 17 x 19 x 23 x 29.
pub const UNIT: i128 = 2520_i128.pow(3) * 30_808_063;

/// The largest value of a won game in scores, far above any heuristic value; larger ones are cut off there.
/// The sum of 250 such values, in parts, fits 127 bits.
const GREATEST_WIN: i128 = 1 << 60;

/// What a search found out about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation<M> {
    /// The value from the view of the side to move, in weight units: that of the best moves.
    pub value: f64,
    /// Every move of that value, in generation order.
    pub best: MoveList<M>,
    /// Positions visited, the root not counted: all within the depth.
    pub nodes: u64,
}

/// A fixed-depth search with one evaluator.
#[derive(Debug)]
pub struct Expectimax<'e, P, E> {
    evaluator: &'e E,
    /// The value of a won game in parts of a score.
    win: i128,
    /// Parts of a score to a unit of weight.
    scale: f64,
    nodes: u64,
    game: PhantomData<fn(P)>,
}

impl<'e, P: Position, E: Evaluator<P>> Expectimax<'e, P, E> {
    /// A search to which a won game is worth `win` in weight units, more than 0.
    #[must_use]
    pub fn new(evaluator: &'e E, win: f64) -> Self {
        let scores = (win * evaluator.scale()).round_ties_even() as i128;
        let win = scores.clamp(0, GREATEST_WIN) * UNIT;
        let scale = evaluator.scale() * UNIT as f64;
        Self { evaluator, win, scale, nodes: 0, game: PhantomData }
    }

    /// The value of a position `depth` plies deep, of which the first is the side to move's, and every
    /// move that reaches it. A position whose game is over has its outcome's value and no best move.
    ///
    /// # Panics
    /// If `depth` is 0 or above [`MAX_DEPTH`].
    pub fn analyse(&mut self, position: &P, depth: u32) -> Expectation<P::Move> {
        assert!((1..=MAX_DEPTH).contains(&depth), "a depth of {depth} plies");
        self.nodes = 0;
        let own = position.side_to_move();
        let mut best = MoveList::new();
        let mut greatest = match position.outcome() {
            Some(outcome) => self.worth(Score::of_outcome(outcome, own)),
            None => i128::MIN,
        };
        let state = self.evaluator.state(position);
        for mv in position.legal_moves() {
            let value = self.value_after(position, &state, mv, depth, own);
            if value > greatest {
                greatest = value;
                best.clear();
            }
            if value == greatest {
                best.push(mv);
            }
        }
        Expectation { value: greatest as f64 / self.scale, best, nodes: self.nodes }
    }

    /// The value of playing a move, from the view of `own`. `depth` counts that move.
    fn value_after(
        &mut self,
        position: &P,
        state: &E::State,
        mv: P::Move,
        depth: u32,
        own: Player,
    ) -> i128 {
        self.nodes += 1;
        if depth == 1 {
            return self.worth(self.evaluator.score_after(state, position, mv).seen_by(own));
        }
        let after = position.after(mv);
        if let Some(outcome) = after.outcome() {
            return self.worth(Score::of_outcome(outcome, own));
        }
        let mut state = *state;
        self.evaluator.update(&mut state, position, mv, &after);
        self.value(&after, &state, depth - 1, own)
    }

    /// The value of a position that is not over, from the view of `own`.
    fn value(&mut self, position: &P, state: &E::State, depth: u32, own: Player) -> i128 {
        let moves = position.legal_moves();
        if position.side_to_move() == own {
            let mut greatest = i128::MIN;
            for mv in moves {
                greatest = greatest.max(self.value_after(position, state, mv, depth, own));
            }
            return greatest;
        }
        let (mut sum, mut count) = (0_i128, 0);
        for mv in moves {
            let value = self.value_after(position, state, mv, depth, own);
            sum = add(sum, value);
            count += 1;
        }
        // Towards zero, so that a position and its mirror image with sides swapped are opposites.
        sum / count
    }

    /// A score in parts.
    #[inline]
    const fn worth(&self, score: Score) -> i128 {
        match score {
            Score::WIN => self.win,
            Score::LOSS => -self.win,
            Score(value) => value as i128 * UNIT,
        }
    }
}

/// The sum of two values in parts.
///
/// # Panics
/// If it does not fit, where hundreds of moves win and a win is worth as much as can be: a sum that wrapped
/// around would be wrong.
#[inline]
const fn add(a: i128, b: i128) -> i128 {
    a.checked_add(b).expect("a sum of values that fits 127 bits: win= is too large for this game")
}
