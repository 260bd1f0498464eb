//! Chess as the laws see it.

use cozy_chess::{BitBoard, Rank, Square, get_bishop_moves, get_knight_moves, get_rook_moves};

use crate::Chess;
use crate::chess::{ChessMove, PROMOTIONS};
use tictune_core::game::Position;
use tictune_core::testing::Lawful;

impl Lawful for Chess {
    const READS_NOTATION: bool = true;
    /// Random games have about 350 plies, and there are about 2,000 moves.
    const ONE_GAME_OF: u64 = 50;

    /// As a queen or a knight goes, and pawns that become something.
    fn every_move() -> Vec<ChessMove> {
        const ENDS: [(Rank, Rank); 2] =
            [(Rank::Seventh, Rank::Eighth), (Rank::Second, Rank::First)];
        let none = BitBoard::EMPTY;
        let mut moves = Vec::new();
        for from in Square::ALL {
            let lines = get_rook_moves(from, none) | get_bishop_moves(from, none);
            for to in lines | get_knight_moves(from) {
                moves.push(ChessMove::new(from, to, None));
                let files = (from.file() as i8 - to.file() as i8).abs();
                if files <= 1 && ENDS.contains(&(from.rank(), to.rank())) {
                    moves.extend(PROMOTIONS.map(|piece| ChessMove::new(from, to, Some(piece))));
                }
            }
        }
        moves.sort_unstable();
        moves
    }

    /// Openings are told apart by pieces, side to move, castling and en passant, where a pawn can take.
    fn canonical_notation(&self) -> String {
        let fen = self.notation();
        let mut fields: Vec<&str> = fen.split(' ').take(4).collect();
        let pawns = |fen: &str| fen.matches(['p', 'P']).count();
        let takes = |mv| {
            self.after(mv).notation().split(' ').next().map(pawns)
                < fields.first().map(|board| pawns(board))
        };
        let mut there = self.legal_moves().filter(|mv| mv.to_string()[2..] == *fields[3]);
        if !there.any(takes) {
            fields[3] = "-";
        }
        fields.join(" ")
    }
}
