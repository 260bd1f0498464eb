//! Expectimax (Lifshitz IV). The side to move at the root plays the move of the highest value. Its opponent is assumed to move
//! at random, so a position where the opponent moves is worth the average over its legal moves.
//!
//! Values are integers, scores times [`UNIT`], so that sums do not depend on the order of moves. `UNIT` is divisible by every
//! number up to 30, and three times in a row by every number up to 10: averages are exact through three replies if each has at
//! most ten moves, and through two replies if one of them has at most 30. Others are rounded towards zero, for both sides alike,
//! by less than 2^-58 of a score, which can make two moves differ whose exact values are equal.
//!
//! An average needs a finite value for a won game; the default is [`DEFAULT_WIN`]. The value is the same however many plies
//! away the win is. If it is not above every heuristic value, the search may prefer an undecided position to a win, or a loss
//! to an undecided position.

use std::marker::PhantomData;

use super::Stop;
use super::minimax::MAX_DEPTH;
use crate::game::{Evaluator, MoveList, Player, Position, Score};

/// The default value of a won game in weight units (Lifshitz V 1). The values of all built-in weights are smaller.
pub const DEFAULT_WIN: f64 = 10_000.0;

/// The number of parts in one score: 2520^3 x 11 x 13 x 17 x 19 x 23 x 29.
pub const UNIT: i128 = 2520_i128.pow(3) * 30_808_063;

/// The largest value of a won game in scores, far above any heuristic value: the sum of 250 in parts fits 127 bits.
const GREATEST_WIN: i128 = 1 << 60;

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation<M> {
    /// The value of the best moves in weight units, from the view of the side to move.
    pub value: f64,
    /// Every move of that value, in generation order. Empty if the game is over, or the search was stopped.
    pub best: MoveList<M>,
    /// The number of positions visited, which are all positions within the depth except the root.
    pub nodes: u64,
}

/// A fixed-depth search with one evaluator.
#[derive(Debug)]
pub struct Expectimax<'e, P, E> {
    evaluator: &'e E,
    win: i128,
    /// Parts of a score in one weight unit.
    scale: f64,
    nodes: u64,
    stop: Stop<'e>,
    game: PhantomData<fn(P)>,
}

impl<'e, P: Position, E: Evaluator<P>> Expectimax<'e, P, E> {
    /// Creates a search in which a won game is worth `win`, a positive number in weight units.
    pub fn new(evaluator: &'e E, win: f64) -> Self {
        let scores = (win * evaluator.scale()).round_ties_even() as i128;
        let win = scores.clamp(0, GREATEST_WIN) * UNIT;
        let scale = evaluator.scale() * UNIT as f64;
        Self { evaluator, win, scale, nodes: 0, stop: Stop::NEVER, game: PhantomData }
    }

    /// Sets what ends the search from outside.
    pub const fn until(mut self, stop: Stop<'e>) -> Self {
        self.stop = stop;
        self
    }

    /// Searches a position `depth` plies deep, from 1 to [`MAX_DEPTH`], or it panics. Returns its value and every move that
    /// reaches it. If the game is over, the value is that of its outcome and there is no best move.
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
        if self.stop.is_set() {
            best.clear();
        }
        Expectation { value: greatest as f64 / self.scale, best, nodes: self.nodes }
    }

    /// The value of playing a move, from the view of `own`. `depth` includes that move.
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

    fn value(&mut self, position: &P, state: &E::State, depth: u32, own: Player) -> i128 {
        if self.stop.is_set() {
            return 0;
        }
        let moves = position.legal_moves();
        if position.side_to_move() == own {
            let values = moves.map(|mv| self.value_after(position, state, mv, depth, own));
            return values.max().unwrap_or(i128::MIN);
        }
        let (mut sum, mut count) = (0_i128, 0);
        for mv in moves {
            let value = self.value_after(position, state, mv, depth, own);
            // Hundreds of winning moves and a win of nearly the largest value may not fit.
            let next = sum.checked_add(value);
            sum = next.expect("a sum of 127 bits: win= is too large for this game");
            count += 1;
        }
        // Division rounds towards zero, so a position and its mirror image with sides swapped have opposite values.
        sum / count
    }

    #[inline]
    const fn worth(&self, score: Score) -> i128 {
        match score {
            Score::WIN => self.win,
            Score::LOSS => -self.win,
            Score(value) => value as i128 * UNIT,
        }
    }
}
