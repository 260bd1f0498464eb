//! The three evaluations of Amar VI, as in the program behind the report.

use crate::uttt::evaluation::counting::{Counting, count_regions, layout, lines, slot};
use crate::uttt::square::{LINES, Region, is_closed};
use crate::uttt::{Uttt, UtttMove};
use tictune_core::game::{Evaluator, FixedPoint, OnePly, Player, Position, Score, WeightLayout};

/// Lines that can still be won, of the macro board and of open small boards (Amar VI C). In the report, a line with two marks
/// counts eight times a line with one, and a line of the macro board 23 times one of a small board.
pub(super) static WINNING_POSSIBILITIES: WeightLayout = layout(
    "winning-possibilities",
    "lines with marks of one side only, of the macro board and of open boards (Amar VI C)",
    &[
        slot("macro_one", 8, "lines of the macro board with one board won and none lost"),
        slot("macro_two", 8, "lines of the macro board with two boards won and none lost"),
        slot("micro_one", 72, "lines of open boards with one mark and none of the opponent"),
        slot("micro_two", 72, "lines of open boards with two marks and none of the opponent"),
    ],
);

pub(super) static COUNT_WINNING_POSSIBILITIES: Counting = Counting::new(
    |won, counts| {
        counts[0] = lines(won, |own| own == 1);
        counts[1] = lines(won, |own| own == 2);
    },
    |_, marks, counts| {
        if !is_closed(marks) {
            counts[2] = lines(marks, |own| own == 1);
            counts[3] = lines(marks, |own| own == 2);
        }
    },
);

/// Cells and boards by the number of lines through them (Amar VI B). In an open board, a cell counts the product of its own number and
/// its board's number. A won board counts the product of its number and the sum of all its cells' numbers. A full board counts nothing.
pub(super) static RECURSIVE_WEIGHT: WeightLayout = layout(
    "recursive-weight",
    "cells and boards won, by the lines through cell and board (Amar VI B)",
    &[
        slot("won_middle", 1, "the middle board won"),
        slot("won_corner", 4, "corner boards won"),
        slot("won_side", 4, "side boards won"),
        slot("middle_middle", 1, "the middle cell of the open middle board"),
        slot("middle_corner", 4, "corner cells of the open middle board"),
        slot("middle_side", 4, "side cells of the open middle board"),
        slot("corner_middle", 4, "middle cells of open corner boards"),
        slot("corner_corner", 16, "corner cells of open corner boards"),
        slot("corner_side", 16, "side cells of open corner boards"),
        slot("side_middle", 4, "middle cells of open side boards"),
        slot("side_corner", 16, "corner cells of open side boards"),
        slot("side_side", 16, "side cells of open side boards"),
    ],
);

pub(super) static COUNT_RECURSIVE_WEIGHT: Counting = Counting::new(
    |won, counts| count_regions(won, counts, 0),
    |board, marks, counts| {
        if !is_closed(marks) {
            count_regions(marks, counts, 3 + 3 * board as usize);
        }
    },
);

/// The last move alone (Amar VI A): its cell is compared with the marks in each of the nine boards,
/// and its board with the boards won on the macro board. The latter counts 20 times as much.
pub(super) static CELLS_WEIGHT: WeightLayout = layout(
    "cells-weight",
    "the cell of the last move in every board, and its board in the macro board (Amar VI A)",
    &[
        slot("decided", 9, "boards won minus boards lost"),
        slot("pair", 9, "open boards where the other two cells of a line through the cell are own"),
        slot("middle", 9, "other open boards, where the cell is the middle"),
        slot("corner", 9, "other open boards, where the cell is a corner"),
        slot("side", 9, "other open boards, where the cell is a side"),
        slot("macro_pair", 1, "the other two boards of a line through the board are own"),
        slot("macro_middle", 1, "else, where the board is the middle"),
        slot("macro_corner", 1, "else, where the board is a corner"),
        slot("macro_side", 1, "else, where the board is a side"),
    ],
);

/// The evaluator of [`CELLS_WEIGHT`]. "Own" marks are those of the side to move at the root of the search, no matter who made the
/// last move: values depend on the root and the last move, not on the position alone.
pub(super) struct CellsWeight(pub(super) FixedPoint);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SinceRoot {
    /// The side to move at the root.
    root: Player,
    last: Option<UtttMove>,
}

impl Evaluator<Uttt> for CellsWeight {
    type State = SinceRoot;
    type Lookahead<'e> = OnePly<'e, Uttt, Self>;

    const OF_POSITION_ALONE: bool = false;

    fn state(&self, position: &Uttt) -> SinceRoot {
        SinceRoot { root: position.side_to_move(), last: None }
    }

    fn update(&self, state: &mut SinceRoot, _: &Uttt, mv: UtttMove, _: &Uttt) {
        state.last = Some(mv);
    }

    fn score(&self, state: &SinceRoot, position: &Uttt) -> Score {
        let Some(last) = state.last else { return Score::DRAW };
        let (cell, own) = (last.cell(), state.root);
        let weights = &self.0.weights;
        let mut sum = 0;
        for board in 0..9 {
            let bit = 1 << board;
            if position.won(own) & bit != 0 {
                sum += weights[0];
            } else if position.won(own.other()) & bit != 0 {
                sum -= weights[0];
            } else if position.closed() & bit == 0 {
                sum += weights[1 + standing(position.marks(own, board), cell)];
            }
        }
        sum += weights[5 + standing(position.won(own), last.board())];
        Score(sum).seen_by(own)
    }

    fn scale(&self) -> f64 {
        self.0.scale()
    }
}

/// 0 if both other cells of a line through the cell are own marks, else 1 for the middle, 2 for a corner, 3 for a side.
fn standing(own: u16, cell: usize) -> usize {
    let bit = 1 << cell;
    let pair = LINES.iter().any(|&line| line & bit != 0 && own & (line & !bit) == line & !bit);
    if pair { 0 } else { 1 + Region::of(cell) as usize }
}
