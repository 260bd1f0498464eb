//! Chess as the laws see it.

use crate::Chess;
use crate::chess::ChessMove;
use tictune_core::game::Position;
use tictune_core::testing::Lawful;

impl Lawful for Chess {
    const READS_NOTATION: bool = true;
    /// Random games have about 350 plies, and there are about 2,000 moves.
    const ONE_GAME_OF: u64 = 50;

    /// As a queen or a knight goes, and pawns that become something.
    fn every_move() -> Vec<ChessMove> {
        let squares: Vec<(i8, i8)> =
            (0..8).flat_map(|file| (0..8).map(move |rank| (file, rank))).collect();
        let name =
            |(file, rank): (i8, i8)| format!("{}{}", char::from(b'a' + file as u8), rank + 1);
        let mut moves = Vec::new();
        for (from, to) in squares.iter().flat_map(|from| squares.iter().map(move |to| (*from, *to)))
        {
            let (files, ranks) = ((from.0 - to.0).abs(), (from.1 - to.1).abs());
            let is_line = files == 0 || ranks == 0 || files == ranks;
            let is_knights = files.min(ranks) == 1 && files.max(ranks) == 2;
            if from == to || !is_line && !is_knights {
                continue;
            }
            let text = name(from) + &name(to);
            let promotes = files <= 1 && [(6, 7), (1, 0)].contains(&(from.1, to.1));
            let endings = if promotes { &["", "n", "b", "r", "q"][..] } else { &[""] };
            moves.extend(endings.iter().map(|piece| format!("{text}{piece}")));
        }
        let read = |text: String| text.parse().expect("the text of a move");
        let mut moves: Vec<ChessMove> = moves.into_iter().map(read).collect();
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
