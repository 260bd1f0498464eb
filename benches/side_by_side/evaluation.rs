//! Liang's comprehensive evaluation for `board-game`'s minimax, with our integer weights.

use std::cmp::Ordering;

use board_game::ai::minimax::Heuristic;
use board_game::board::{Board, Outcome, Player};
use board_game::games::sttt::{Coord, STTTBoard};
use tictune::game::{FixedPoint, Score};
use tictune::weights::Weights;

const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
/// The powers of 3 by cell. A mark of player A counts once, a mark of player B twice. The sum over
/// the cells of a board is its pattern.
const POWERS: [usize; 9] = [1, 3, 9, 27, 81, 243, 729, 2187, 6561];
const PATTERNS: usize = 19_683;

/// 0 for the middle, 1 for a corner, 2 for a side.
const fn region(cell: usize) -> usize {
    match cell {
        4 => 0,
        _ if cell.is_multiple_of(2) => 1,
        _ => 2,
    }
}

/// The values of patterns, from player A's view.
#[derive(Debug)]
pub(crate) struct Comprehensive {
    macro_board: Vec<i32>,
    /// By the region of the small board.
    small_boards: [Vec<i32>; 3],
}

impl Comprehensive {
    /// Creates the evaluation from weights of its layout.
    pub(crate) fn new(weights: &Weights) -> Self {
        let fixed = FixedPoint::new(weights.layout(), weights.values()).expect("they fit");
        let weights = |first: usize| [0, 1, 2].map(|region| fixed.weights[first + region]);
        let table = |lines: i32, regions: [i32; 3]| -> Vec<i32> {
            (0..PATTERNS).map(|pattern| value(pattern, lines, regions)).collect()
        };
        Self {
            macro_board: table(fixed.weights[0], weights(1)),
            small_boards: [5, 8, 11].map(|first| table(fixed.weights[4], weights(first))),
        }
    }

    fn small(&self, board: usize, pattern: usize) -> i32 {
        self.small_boards[region(board)][pattern]
    }
}

/// The value of a pattern: lines with at least two marks of one side and none of the other, and
/// cells.
fn value(pattern: usize, line_weight: i32, cell_weights: [i32; 3]) -> i32 {
    let owner = |cell: usize| [0, 1, -1][pattern / POWERS[cell] % 3];
    let line = |line: &[usize; 3]| {
        let marks = line.map(owner);
        let of = |side| marks.iter().filter(|&&mark| mark == side).count();
        i32::from(of(1) >= 2 && of(-1) == 0) - i32::from(of(-1) >= 2 && of(1) == 0)
    };
    let lines: i32 = LINES.iter().map(line).sum();
    let cells: i32 = (0..9).map(|cell| owner(cell) * cell_weights[region(cell)]).sum();
    lines * line_weight + cells
}

fn pattern(owner: impl Fn(u8) -> Option<Player>) -> usize {
    let digit = |cell: u8| owner(cell).map_or(0, |player| usize::from(player.index()) + 1);
    (0..9_u8).map(|cell| digit(cell) * POWERS[usize::from(cell)]).sum()
}

fn small_pattern(board: &STTTBoard, om: u8) -> usize {
    pattern(|os| board.tile(Coord::from_oo(om, os)))
}

/// The value of a finished game from the view of the player to move.
fn finished(board: &STTTBoard, outcome: Outcome) -> i32 {
    match outcome {
        Outcome::Draw => 0,
        Outcome::WonBy(winner) => Score::WIN.0 * i32::from(winner.sign::<i8>(board.next_player())),
    }
}

impl Heuristic<STTTBoard> for Comprehensive {
    type V = i32;

    fn value(&self, board: &STTTBoard, _: u32) -> i32 {
        if let Some(outcome) = board.outcome() {
            return finished(board, outcome);
        }
        let small = |om: u8| self.small(usize::from(om), small_pattern(board, om));
        let smalls: i32 = (0..9).map(small).sum();
        let value = smalls + self.macro_board[pattern(|om| board.macr(om))];
        value * board.next_player().sign::<i32>(Player::A)
    }

    fn value_update(
        &self,
        board: &STTTBoard,
        value: i32,
        _: u32,
        mv: Coord,
        child: &STTTBoard,
    ) -> i32 {
        if let Some(outcome) = child.outcome() {
            return finished(child, outcome);
        }
        let (om, player) = (usize::from(mv.om()), board.next_player());
        let before = small_pattern(board, mv.om());
        let mark = (usize::from(player.index()) + 1) * POWERS[usize::from(mv.os())];
        let mut delta = self.small(om, before + mark) - self.small(om, before);
        if child.macr(mv.om()).is_some() {
            delta += self.macro_board[pattern(|om| child.macr(om))];
            delta -= self.macro_board[pattern(|om| board.macr(om))];
        }
        -(value + delta * player.sign::<i32>(Player::A))
    }

    fn merge(old: i32, new: i32) -> (i32, Ordering) {
        (old.max(new), new.cmp(&old))
    }
}
