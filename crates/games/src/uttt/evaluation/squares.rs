//! Evaluations that are sums over squares, by table look-up.
//!
//! Most evaluations of UTTT are sums over squares: the macro board (boards won) and the nine small boards. Each adds net counts
//! (first player's minus second player's) times weights. The value of a square depends on its pattern alone, so a table holds
//! it for all 3^9 patterns (as Lifshitz V proposes for heur3), and a move changes one or two of the values. A [`Counting`]
//! says what a layout counts.

use std::array::from_fn;
use std::sync::{Arc, OnceLock};

use super::counting::{Counts, counting_of};
use crate::uttt::evaluation::deltas::{MoveDeltas, deltas_of};
use crate::uttt::evaluation::lookahead::SquareLookahead;
use crate::uttt::square::{self, Region};
use crate::uttt::{Uttt, UtttMove};
use tictune_core::game::{
    Evaluator, FixedPoint, OnePly, Player, Position, Score, WeightLayout, WeightsError,
    score_by_playing,
};

/// The values of all patterns of a square.
type Table = Arc<[i32]>;

fn value(counts: &Counts, weights: &[i32]) -> i32 {
    counts.iter().zip(weights).map(|(&count, weight)| i32::from(count) * weight).sum()
}

/// The evaluator of sums over squares. Its state is the value from the first player's view.
#[derive(Clone, Debug)]
pub struct SquareTables {
    macro_board: Table,
    /// One table for each small board. Boards with the same weights share a table.
    small_boards: [Table; 9],
    /// The tables of minimax's look-ahead, built when it is first used. Boards with the same values share theirs.
    deltas: [Arc<OnceLock<MoveDeltas>>; 9],
    scale: f64,
}

impl SquareTables {
    /// Creates the evaluator of a layout that is a sum over squares.
    ///
    /// # Errors
    /// If the number of values is wrong or one does not fit the layout.
    ///
    /// # Panics
    /// If the layout is not a sum over squares; see [`super::is_sum_over_squares`].
    pub fn new(layout: &'static WeightLayout, values: &[f64]) -> Result<Self, WeightsError> {
        let counting = counting_of(layout).expect("a sum over squares");
        let fixed = FixedPoint::new(layout, values)?;
        let [macro_board, small_boards @ ..] = counting.patterns();
        let table = |patterns: &[Counts]| -> Table {
            square::by_class(|pattern| value(&patterns[pattern], &fixed.weights)).collect()
        };
        let mut tables: Vec<(Table, Arc<OnceLock<MoveDeltas>>)> = Vec::new();
        for (region, patterns) in small_boards.iter().enumerate() {
            let same = small_boards[..region].iter().position(|earlier| earlier == patterns);
            let same = same.map(|same| tables[same].clone());
            tables.push(same.unwrap_or_else(|| (table(patterns), Arc::default())));
        }
        let of_board = |board: usize| &tables[Region::of(board) as usize];
        Ok(Self {
            macro_board: table(macro_board),
            small_boards: from_fn(|board| Arc::clone(&of_board(board).0)),
            deltas: from_fn(|board| Arc::clone(&of_board(board).1)),
            scale: fixed.scale(),
        })
    }

    #[inline]
    fn small(&self, position: &Uttt, board: usize) -> i32 {
        let [first, second] = position.both(board);
        self.small_boards[board][square::pattern(first, second)]
    }

    #[inline]
    fn macro_value(&self, position: &Uttt) -> i32 {
        let [first, second] = Player::BOTH.map(|p| position.won(p));
        self.macro_board[square::pattern(first, second)]
    }
}

impl Evaluator<Uttt> for SquareTables {
    type State = i32;
    type Lookahead<'e> = SquareLookahead<'e>;

    #[inline]
    fn lookahead(&self, position: &Uttt) -> Option<SquareLookahead<'_>> {
        let small_boards = from_fn(|board| &*self.small_boards[board]);
        let deltas = from_fn(|board| {
            let values = small_boards[board];
            &**self.deltas[board].get_or_init(|| deltas_of(values))
        });
        let value = self.state(position);
        SquareLookahead::new(position, value, &self.macro_board, small_boards, deltas)
    }

    #[inline]
    fn state(&self, position: &Uttt) -> i32 {
        self.macro_value(position) + (0..9).map(|board| self.small(position, board)).sum::<i32>()
    }

    #[inline]
    fn update(&self, state: &mut i32, before: &Uttt, mv: UtttMove, after: &Uttt) {
        let board = mv.board();
        // Subtracting first keeps every intermediate sum within the bound.
        *state = *state - self.small(before, board) + self.small(after, board);
        if after.closed() != before.closed() {
            *state = *state - self.macro_value(before) + self.macro_value(after);
        }
    }

    #[inline]
    fn score(&self, state: &i32, _: &Uttt) -> Score {
        Score(*state)
    }

    #[inline]
    fn score_after(&self, state: &i32, position: &Uttt, mv: UtttMove) -> Score {
        if position.closes_board(mv) {
            return score_by_playing(self, state, position, mv);
        }
        let [first, second] = position.both(mv.board());
        let pattern = square::pattern(first, second);
        let step = square::pattern_step(position.side_to_move().index(), mv.cell());
        let table = &self.small_boards[mv.board()];
        Score(*state - table[pattern] + table[pattern + step])
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}

/// A sum over squares, plus a weight for a side to move that was sent to a closed board and so may
/// play anywhere (Lifshitz V, heur4).
pub(super) struct FreeMove {
    squares: SquareTables,
    weight: i32,
}

impl FreeMove {
    /// Creates the evaluator of a layout whose last slot is that weight. The others are a sum over squares.
    pub(super) fn new(layout: &'static WeightLayout, values: &[f64]) -> Result<Self, WeightsError> {
        let squares = SquareTables::new(layout, values)?;
        let weight = FixedPoint::new(layout, values)?.weights.last().copied().unwrap_or(0);
        Ok(Self { squares, weight })
    }

    #[inline]
    fn bonus(&self, side: Player) -> i32 {
        Score(self.weight).seen_by(side).0
    }
}

impl Evaluator<Uttt> for FreeMove {
    type State = i32;
    type Lookahead<'e> = OnePly<'e, Uttt, Self>;

    #[inline]
    fn state(&self, position: &Uttt) -> i32 {
        self.squares.state(position)
    }

    #[inline]
    fn update(&self, state: &mut i32, before: &Uttt, mv: UtttMove, after: &Uttt) {
        self.squares.update(state, before, mv, after);
    }

    #[inline]
    fn score(&self, state: &i32, position: &Uttt) -> Score {
        // At the start the choice is free too, but nobody was sent to a closed board.
        let sent_to_closed = position.target().is_none() && position.closed() != 0;
        Score(*state + if sent_to_closed { self.bonus(position.side_to_move()) } else { 0 })
    }

    #[inline]
    fn score_after(&self, state: &i32, position: &Uttt, mv: UtttMove) -> Score {
        if position.closes_board(mv) {
            return score_by_playing(self, state, position, mv);
        }
        let Score(squares) = self.squares.score_after(state, position, mv);
        let sent_to_closed = position.closed() >> mv.cell() & 1 == 1;
        let bonus = if sent_to_closed { self.bonus(position.side_to_move().other()) } else { 0 };
        Score(squares + bonus)
    }

    fn scale(&self) -> f64 {
        self.squares.scale()
    }
}

#[cfg(test)]
mod tests {
    use super::super::liang::{ADVANCED, COMPREHENSIVE, CONNECTING, SIMPLE};
    use super::*;
    use crate::uttt::Rules;

    fn value(layout: &'static WeightLayout, values: &[f64], notation: &str) -> f64 {
        let position = Uttt::from_notation(notation, Rules::default()).unwrap();
        let evaluator = SquareTables::new(layout, values).unwrap();
        f64::from(evaluator.score(&evaluator.state(&position), &position).0) / evaluator.scale()
    }

    #[test]
    fn hand_counted_positions() {
        // x has the top row of b(0, 0) and o two cells of the top row of b(0, 1). The row is the
        // only line of b(0, 0) with at least two x and no o.
        let won = "xxx6/9/9/oo7/9/9/9/9/9 o 2,0";
        // macro: x has won the corner board b(0, 0). x: corner, side, corner; one line. o: corner,
        // side; one line.
        let values = [50.0, 30.0, 20.0, 10.0, 5.0, 3.0, 2.0, 1.0];
        let expected = 20.0 + (5.0 + 2.0 + 1.0 + 2.0) - (5.0 + 2.0 + 1.0);
        assert_eq!(value(&ADVANCED, &values, won), expected);
        assert_eq!(value(&SIMPLE, &[1.0], won), 1.0);
        assert_eq!(value(&CONNECTING, &[1.0, 20.0, 1.0], won), 1.0 + 1.0 - 1.0);
        // b(0, 0) is a corner board, b(0, 1) a side board.
        // Macro corner; two in a row; corners and sides of corner boards; corners and sides of side boards.
        let values = [0.0, 0.0, 20.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 1.0, 8.0, 0.0, 64.0, 256.0];
        assert_eq!(value(&COMPREHENSIVE, &values, won), 20.0 + 2.0 + 8.0 - 64.0 - 256.0);
    }
}
