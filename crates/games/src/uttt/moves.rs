//! What a move of Ultimate Tic-Tac-Toe is, its notation, and sets of moves. Which moves are legal is in the game itself.

use std::fmt;

use crate::uttt::square::SquareSymmetry;

/// A square of the 9x9 board. They are numbered in generation order: board by board, cell by cell, both row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtttMove(pub(super) u8);

impl UtttMove {
    /// The centre of the centre board, s(4, 4).
    pub const CENTRE: Self = Self(40);

    /// The square of a small board and a cell in it, each 0 to 8; `None` if one is larger.
    pub const fn new(board: usize, cell: usize) -> Option<Self> {
        if board < 9 && cell < 9 { Some(Self::at(board, cell)) } else { None }
    }

    /// The square of a small board and a cell in it, each 0 to 8.
    #[inline]
    #[doc(hidden)]
    pub const fn at(board: usize, cell: usize) -> Self {
        debug_assert!(board < 9 && cell < 9);
        Self((9 * board + cell) as u8)
    }

    /// The square s(column, row), each 0 to 8; `None` if one is larger.
    pub const fn from_column_row(column: usize, row: usize) -> Option<Self> {
        if column < 9 && row < 9 { Some(Self::at_column_row(column, row)) } else { None }
    }

    pub(super) const fn at_column_row(column: usize, row: usize) -> Self {
        Self::at(3 * (row / 3) + column / 3, 3 * (row % 3) + column % 3)
    }

    /// The square's number in generation order, 0 to 80.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The small board that the square lies in, 0 to 8.
    #[inline]
    pub const fn board(self) -> usize {
        (self.0 / 9) as usize
    }

    /// The cell of the square in its small board, 0 to 8. The opponent is sent to the board of this number.
    #[inline]
    pub const fn cell(self) -> usize {
        (self.0 % 9) as usize
    }

    /// The column from the left, 0 to 8.
    pub const fn column(self) -> usize {
        3 * (self.board() % 3) + self.cell() % 3
    }

    /// The row from the top, 0 to 8.
    pub const fn row(self) -> usize {
        3 * (self.board() / 3) + self.cell() / 3
    }

    /// The image under a symmetry of the board.
    pub const fn map(self, symmetry: SquareSymmetry) -> Self {
        Self((9 * symmetry.cell(self.board()) + symmetry.cell(self.cell())) as u8)
    }
}

impl fmt::Display for UtttMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.column(), self.row())
    }
}

/// The legal moves of a [`Uttt`](super::Uttt) position in generation order, as a set of squares.
#[derive(Clone, Debug)]
pub struct UtttMoves(pub(super) u128);

impl Iterator for UtttMoves {
    type Item = UtttMove;

    #[inline]
    fn next(&mut self) -> Option<UtttMove> {
        if self.0 == 0 {
            return None;
        }
        let square = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(UtttMove(square))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }
}
