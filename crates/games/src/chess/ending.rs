//! How a game of chess ends on the board.

use std::fmt;

use cozy_chess::{BitBoard, Board, Piece};

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is in check and has no move: it has lost.
    Checkmate,
    /// The side to move has no move and is not in check: a draw.
    Stalemate,
    /// The position is there for the third time: a draw.
    Repetition,
    /// Fifty moves of each side without a capture or a pawn's move: a draw.
    FiftyMoves,
    /// No sequence of moves ends in mate, since there is too little material: a draw.
    Material,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::Repetition => "threefold repetition",
            Self::FiftyMoves => "fifty-move rule",
            Self::Material => "insufficient material",
        })
    }
}

/// The squares of one colour.
const DARK: BitBoard = BitBoard(0xaa55_aa55_aa55_aa55);

/// Whether neither side can be mated: bare kings, a single knight or bishop, or bishops on squares of one colour only.
/// Dead positions of other kinds, such as walls of pawns, are not found.
pub(super) fn is_bare(board: &Board) -> bool {
    let rest = board.pieces(Piece::Pawn) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    if !rest.is_empty() {
        return false;
    }
    let (knights, bishops) = (board.pieces(Piece::Knight), board.pieces(Piece::Bishop));
    let few = knights.len() + bishops.len() <= 1;
    let one_colour = bishops.is_subset(DARK) || bishops.is_disjoint(DARK);
    few || knights.is_empty() && one_colour
}
