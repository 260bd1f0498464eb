//! Small boards turned so that all corner boards look alike, and all side boards.
//!
//! A cell sends the opponent to the board in its place. In a corner board the cell in the corner of the whole board is
//! therefore unlike the three other corner cells. Each board is turned by the symmetry that takes it to the top
//! left, the top middle or the middle board; the symmetries that keep that board in place make classes of its patterns.

use std::sync::LazyLock;

use crate::uttt::square::{self, Classes, SquareSymmetry};

/// The kinds of boards, corners, sides and the middle, and that of each board.
pub(super) const KINDS: usize = 3;
pub(super) const KIND: [usize; 9] = [0, 1, 0, 1, 2, 1, 0, 1, 0];

/// The board that the boards of each kind are turned to.
const TURNED_TO: [usize; KINDS] = [0, 1, 4];

/// Numbers of turned patterns.
pub(super) struct Turned {
    /// By board and marks: the sum of 3^cell over the turned cells.
    ternary: [[u16; 512]; 9],
    /// By board and cell: 3^cell of the turned cell.
    steps: [[u16; 9]; 9],
}

pub(super) static TURNED: LazyLock<Turned> = LazyLock::new(|| {
    let turn = |board: usize| {
        let fits = |symmetry: &&SquareSymmetry| symmetry.cell(board) == TURNED_TO[KIND[board]];
        *SquareSymmetry::ALL.iter().find(fits).expect("a symmetry takes every board to its kind's")
    };
    Turned {
        ternary: std::array::from_fn(|board| {
            std::array::from_fn(|marks| square::pattern(turn(board).mask(marks as u16), 0) as u16)
        }),
        steps: std::array::from_fn(|board| {
            std::array::from_fn(|cell| square::pattern_step(0, turn(board).cell(cell)) as u16)
        }),
    }
});

impl Turned {
    /// The number of a board's pattern when it is turned.
    #[inline]
    pub(super) fn pattern(&self, board: usize, [first, second]: [u16; 2]) -> usize {
        let of = |marks: u16| self.ternary[board][usize::from(marks) & 511];
        usize::from(of(first) + 2 * of(second))
    }

    /// By how much a player's mark on an empty cell increases that number.
    #[inline]
    pub(super) fn step(&self, board: usize, cell: usize, player: usize) -> usize {
        usize::from(self.steps[board][cell]) * (1 + player)
    }
}

/// The classes of the turned patterns of each kind of board.
pub(super) static OF_KIND: LazyLock<[Classes; KINDS]> = LazyLock::new(|| {
    TURNED_TO.map(|board| Classes::under(|symmetry| symmetry.cell(board) == board))
});
