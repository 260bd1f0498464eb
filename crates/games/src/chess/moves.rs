//! Moves as UCI writes them: `e2e4`, `e7e8q`. Castling is the king's move, `e1g1`, or in Chess960 the king takes its own rook, `e1h1`.

use std::fmt;
use std::str::FromStr;

use cozy_chess::{Board, File, Move, Piece, Square};

use tictune_core::game::NotationError;

/// A move: the square that it leaves, the square that it reaches, and what a pawn becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChessMove {
    pub(crate) from: Square,
    pub(crate) to: Square,
    pub(crate) promotion: Option<Piece>,
}

impl ChessMove {
    /// The number of moves that can be written. A pawn stays one or becomes one of four pieces.
    pub const COUNT: usize = 64 * 64 * 5;

    /// A number below [`COUNT`](Self::COUNT).
    pub fn index(self) -> usize {
        let piece = self.promotion.map_or(0, |piece| piece as usize);
        (self.from as usize * 64 + self.to as usize) * 5 + piece
    }

    /// A move of `cozy-chess`, in which a king castles by taking its own rook.
    pub(super) fn of_board(board: &Board, mv: Move, chess960: bool) -> Self {
        let Move { from, to, promotion } = mv;
        let castles = !chess960 && board.colors(board.side_to_move()).has(to);
        let file = if to.file() > from.file() { File::G } else { File::C };
        let to = if castles { Square::new(file, from.rank()) } else { to };
        Self { from, to, promotion }
    }

    /// The move as `cozy-chess` has it. It need not be legal.
    pub(super) fn on_board(self, board: &Board, chess960: bool) -> Move {
        let Self { from, to, promotion } = self;
        let side = board.side_to_move();
        let rights = board.castle_rights(side);
        let rook = match (from.file(), to.file()) {
            (File::E, File::G) => rights.short,
            (File::E, File::C) => rights.long,
            _ => None,
        };
        let castles = !chess960 && from == board.king(side) && from.rank() == to.rank();
        let to = rook.filter(|_| castles).map_or(to, |file| Square::new(file, from.rank()));
        Move { from, to, promotion }
    }
}

impl fmt::Display for ChessMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, promotion } = *self;
        Move { from, to, promotion }.fmt(f)
    }
}

impl FromStr for ChessMove {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        // `cozy-chess` ignores what follows a move, and pieces that no pawn becomes.
        let whole = text.parse().ok().filter(|mv: &Move| mv.to_string() == text);
        let expected = "expected the squares that it leaves and reaches, as in e2e4 or e7e8q";
        let Move { from, to, promotion } = whole.ok_or_else(|| NotationError(expected.into()))?;
        Ok(Self { from, to, promotion })
    }
}
