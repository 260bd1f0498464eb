//! How a game of chess ends on the board.

use cozy_chess::{BitBoard, Board, Piece};
use strum::Display;

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
#[strum(serialize_all = "lowercase")]
pub enum Ending {
    /// The side to move is in check and has no move: it has lost.
    Checkmate,
    /// The side to move has no move and is not in check: a draw.
    Stalemate,
    /// The position is there for the third time: a draw.
    #[strum(to_string = "threefold repetition")]
    Repetition,
    /// Fifty moves of each side without a capture or a pawn's move: a draw.
    #[strum(to_string = "fifty-move rule")]
    FiftyMoves,
    /// No sequence of moves ends in mate, since there is too little material: a draw.
    #[strum(to_string = "insufficient material")]
    Material,
}

/// The squares of one colour.
const DARK: BitBoard = BitBoard(0xaa55_aa55_aa55_aa55);

/// Whether neither side can be mated: bare kings, a single knight or bishop, or bishops on squares of one colour only.
/// Dead positions of other kinds, such as walls of pawns, are not found.
pub(super) fn is_bare(board: &Board) -> bool {
    let [pawns, rooks, queens, knights, bishops] =
        [Piece::Pawn, Piece::Rook, Piece::Queen, Piece::Knight, Piece::Bishop]
            .map(|p| board.pieces(p));
    let few = knights.len() + bishops.len() <= 1;
    let one_colour = bishops.is_subset(DARK) || bishops.is_disjoint(DARK);
    (pawns | rooks | queens).is_empty() && (few || knights.is_empty() && one_colour)
}
