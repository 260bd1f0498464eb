//! The evaluation of Sista 3.2, in two readings. The thesis gives a value for each free square of the board that a side must
//! play in, but does not say what becomes of several.
//!
//! A square counts as `two` if two own marks share a row, column or diagonal with it; otherwise as `one` if one own mark does;
//! otherwise by the number of own marks in the board that it sends the opponent to (`grid_strength`).
//!
//! - `grid`: the values of all free squares of the boards that the side to move may play in are added, from its view.
//! - `grid-moves`: the value of a square is that of playing there. The values of the moves of a line of play are added, the
//!   player's own minus the opponent's.

use crate::uttt::evaluation::counting::{layout, slot};
use crate::uttt::square::{FULL, LINES, by_mask, cells, count};
use crate::uttt::{Uttt, UtttMove};
use tictune_core::game::{Evaluator, FixedPoint, OnePly, Player, Position, Score, WeightLayout};

/// The layout of the evaluation of Sista 3.2.
pub(super) static GRID: WeightLayout = layout(
    "grid",
    "free squares of the board to play in, by own marks beside them (Sista 3.2)",
    &[
        slot("two", 81, "free squares in line with two own marks"),
        slot("one", 81, "other free squares in line with one own mark"),
        slot("grid_strength", 405, "own marks in the boards that the other free squares send to"),
    ],
);

/// The layout of the evaluation of Sista 3.2, read as values of moves.
pub(super) static GRID_MOVES: WeightLayout = layout(
    "grid-moves",
    "the moves since the root of the search, by own marks beside them (Sista 3.2)",
    &[
        slot("two", 81, "moves to squares in line with two own marks, own minus the opponent's"),
        slot("one", 81, "moves to other squares in line with one own mark"),
        slot("grid_strength", 405, "own marks in the boards that the other moves send to"),
    ],
);

/// By cell and by the marks of one player: the most marks on a line through the cell.
static MOST_IN_LINE: [[u8; 512]; 9] = {
    let mut table = [[0; 512]; 9];
    let mut cell = 0;
    while cell < 9 {
        table[cell] = by_mask!(0, |marks| {
            let (mut line, mut most) = (0, 0);
            while line < 8 {
                let own = (marks as u16 & LINES[line]).count_ones() as u8;
                if LINES[line] >> cell & 1 == 1 && own > most {
                    most = own;
                }
                line += 1;
            }
            most
        });
        cell += 1;
    }
    table
};

/// The slot that a free square counts in for a side, and how much.
fn counted(position: &Uttt, side: Player, board: usize, cell: usize) -> (usize, i32) {
    let own = position.marks(side, board);
    match MOST_IN_LINE[cell][usize::from(own & FULL)] {
        0 => (2, count(position.marks(side, cell)) as i32),
        1 => (1, 1),
        _ => (0, 1),
    }
}

/// The counts of [`GRID`]. They have no incremental state, since every move changes all that counts.
pub(super) fn count_grid(position: &Uttt) -> [i32; 3] {
    let side = position.side_to_move();
    let mut counts = [0; 3];
    for board in cells(position.playable()) {
        let [first, second] = position.both(board);
        for cell in cells(FULL & !(first | second)) {
            let (slot, points) = counted(position, side, board, cell);
            counts[slot] += Score(points).seen_by(side).0;
        }
    }
    counts
}

/// The evaluator of [`GRID_MOVES`]. Its state is the score: the sum over the moves since the root.
pub(super) struct GridMoves(pub(super) FixedPoint);

impl Evaluator<Uttt> for GridMoves {
    type State = Score;
    type Lookahead<'e> = OnePly<'e, Uttt, Self>;

    const OF_POSITION_ALONE: bool = false;

    fn state(&self, _: &Uttt) -> Score {
        Score::DRAW
    }

    fn update(&self, state: &mut Score, before: &Uttt, mv: UtttMove, _: &Uttt) {
        let side = before.side_to_move();
        let (slot, points) = counted(before, side, mv.board(), mv.cell());
        state.0 += Score(self.0.weights[slot] * points).seen_by(side).0;
    }

    fn score(&self, state: &Score, _: &Uttt) -> Score {
        *state
    }

    fn scale(&self) -> f64 {
        self.0.scale()
    }
}
