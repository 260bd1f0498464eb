//! Moves as UCI writes them: `e2e4`, `e7e8q`. Castling is the king's move, `e1g1`, or in Chess960 the king takes its own rook,
//! `e1h1`.

use std::fmt;
use std::str::FromStr;

use cozy_chess::{Board, File, Move, Piece, Square};

use tictune_core::game::NotationError;
use tictune_core::game::notation::shorten;

/// The pieces that a pawn can become, in the order of their codes, after 0 for none.
pub(crate) const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// A move: the square that it leaves, the square that it reaches, and what a pawn becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChessMove(u16);

impl ChessMove {
    /// The number of moves that can be written.
    pub const COUNT: usize = 64 * 64 * (PROMOTIONS.len() + 1);

    pub(crate) fn new(from: Square, to: Square, promotion: Option<Piece>) -> Self {
        let code = PROMOTIONS.iter().position(|piece| Some(*piece) == promotion);
        let code = code.map_or(0, |place| place + 1);
        Self(((from as usize * 64 + to as usize) * (PROMOTIONS.len() + 1) + code) as u16)
    }

    /// A number below [`COUNT`](Self::COUNT).
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The square that it reaches.
    pub(super) fn to(self) -> Square {
        self.parts().1
    }

    fn parts(self) -> (Square, Square, Option<Piece>) {
        let (squares, code) =
            (self.index() / (PROMOTIONS.len() + 1), self.index() % (PROMOTIONS.len() + 1));
        let promotion = code.checked_sub(1).map(|place| PROMOTIONS[place]);
        (Square::index(squares / 64), Square::index(squares % 64), promotion)
    }

    /// A move of `cozy-chess`, in which a king castles by taking its own rook.
    pub(super) fn of_board(board: &Board, mv: Move, chess960: bool) -> Self {
        let castles = !chess960 && board.colors(board.side_to_move()).has(mv.to);
        let file = if mv.to.file() > mv.from.file() { File::G } else { File::C };
        let to = if castles { Square::new(file, mv.from.rank()) } else { mv.to };
        Self::new(mv.from, to, mv.promotion)
    }

    /// The move as `cozy-chess` has it. It need not be legal.
    pub(super) fn on_board(self, board: &Board, chess960: bool) -> Move {
        let (from, to, promotion) = self.parts();
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
        let (from, to, promotion) = self.parts();
        write!(f, "{from}{to}")?;
        promotion.map_or(Ok(()), |piece| write!(f, "{piece}"))
    }
}

impl FromStr for ChessMove {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let wrong = || {
            let shown = shorten(text);
            NotationError(format!(
                "\"{shown}\" is not a move; expected the squares that it leaves and reaches, as in e2e4 or e7e8q"
            ))
        };
        let squares = |range| text.get(range).and_then(|square: &str| square.parse().ok());
        let (from, to) = squares(0..2).zip(squares(2..4)).ok_or_else(wrong)?;
        let promotion = match text.get(4..).unwrap_or_default() {
            "" => None,
            piece => Some(piece.parse().map_err(|_| wrong())?),
        };
        match promotion {
            Some(Piece::King | Piece::Pawn) => Err(wrong()),
            _ => Ok(Self::new(from, to, promotion)),
        }
    }
}
