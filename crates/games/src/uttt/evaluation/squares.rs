//! Evaluations that are sums over squares, by table look-up.
//!
//! Most evaluations of UTTT are sums over squares: the macro board (boards won) and the nine small boards. Each adds net counts (first
//! player's minus second player's) times weights. The value of a square depends on its pattern alone, so a table holds it for all 3^9
//! patterns (as Lifshitz V proposes for heur3), and a move changes one or two of the values. A [`Counting`] says what a layout counts.

use std::array::from_fn;
use std::sync::{Arc, OnceLock};

use super::counting::{Counts, PatternCounts, counting_of};
use crate::uttt::evaluation::deltas::{MoveDeltas, deltas_of};
use crate::uttt::evaluation::lookahead::SquareLookahead;
use crate::uttt::square::{self, Region};
use crate::uttt::{Uttt, UtttMove};
use tictune_core::game::{
    Evaluator, FixedPoint, Player, Position, Score, WeightLayout, WeightsError, score_by_playing,
};

/// The values of all patterns of a square.
type SquareTable = Arc<[i32]>;

fn value(counts: &Counts, weights: &[i32]) -> i32 {
    counts.iter().zip(weights).map(|(&count, weight)| i32::from(count) * weight).sum()
}

/// The evaluator of sums over squares. Its state is the value from the first player's view.
#[derive(Clone, Debug)]
pub struct SquareTables {
    macro_board: SquareTable,
    /// One table for each small board. Boards with the same weights share a table.
    small_boards: [SquareTable; 9],
    /// The tables of minimax's look-ahead, built when it is first used. Boards with the same values share theirs.
    deltas: [Arc<OnceLock<MoveDeltas>>; 9],
    /// What heur4 adds for a side to move that was sent to a closed board and so may play anywhere (Lifshitz V).
    free_move: Option<i32>,
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
        let table = |PatternCounts { distinct, of }: &PatternCounts| -> SquareTable {
            let values: Vec<i32> =
                distinct.iter().map(|counts| value(counts, &fixed.weights)).collect();
            square::of_all(of, &values).into()
        };
        let mut tables: Vec<(SquareTable, Arc<OnceLock<MoveDeltas>>)> = Vec::new();
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
            free_move: layout.index_of("free_move").map(|slot| fixed.weights[slot]),
            scale: fixed.scale(),
        })
    }

    #[inline]
    fn small(&self, position: &Uttt, board: usize) -> i32 {
        let [first, second] = position.both(board);
        self.small_boards[board][square::pattern(first, second)]
    }

    /// What the turn adds for a side to move.
    #[inline]
    fn turn(&self, side: Player, sent_to_closed: bool) -> i32 {
        self.free_move.filter(|_| sent_to_closed).map_or(0, |weight| Score(weight).seen_by(side).0)
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
        if self.free_move.is_some() {
            return None;
        }
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
    fn score(&self, state: &i32, position: &Uttt) -> Score {
        // At the start the choice is free too, but nobody was sent to a closed board.
        let sent_to_closed = position.target().is_none() && position.closed() != 0;
        Score(*state + self.turn(position.side_to_move(), sent_to_closed))
    }

    #[inline]
    fn score_after(&self, state: &i32, position: &Uttt, mv: UtttMove) -> Score {
        if position.closes_board(mv) {
            return score_by_playing(self, state, position, mv);
        }
        let [first, second] = position.both(mv.board());
        let pattern = square::pattern(first, second);
        let side = position.side_to_move();
        let step = square::pattern_step(side.index(), mv.cell());
        let table = &self.small_boards[mv.board()];
        let turn = self.turn(side.other(), position.closed() >> mv.cell() & 1 == 1);
        Score(*state - table[pattern] + table[pattern + step] + turn)
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}
