//! The games of this crate as the [laws](tictune_core::testing) see them, and what their tests share.

use std::array::from_fn;

use cozy_chess::{
    BitBoard, Piece, Rank, Square, get_bishop_moves, get_knight_moves, get_rook_moves,
};
use rand::RngExt;
use rand::seq::SliceRandom;

use crate::chess::ChessMove;
use crate::qubic::{QubicMove, cube};
use crate::uttt::{Rules, UtttMove, square};
use crate::{Chess, Qubic, Uttt};
use tictune_core::game::{Player, Position, WeightLayout};
use tictune_core::seed::Generator;
use tictune_core::testing::Lawful;

impl Lawful for Uttt {
    const SYMMETRIES: usize = square::SquareSymmetry::ALL.len();
    const READS_NOTATION: bool = true;
    const LOOKS_AHEAD: bool = true;

    fn every_rules() -> Vec<Rules> {
        Rules::all().to_vec()
    }

    fn every_move() -> Vec<UtttMove> {
        (0..81).map(|index| UtttMove::at(index / 9, index % 9)).collect()
    }

    fn image(&self, symmetry: usize) -> Self {
        self.map(square::SquareSymmetry::ALL[symmetry])
    }

    fn image_of_move(mv: UtttMove, symmetry: usize) -> UtttMove {
        mv.map(square::SquareSymmetry::ALL[symmetry])
    }

    fn with_marks_swapped(&self) -> Option<Self> {
        // The first player moves when both have as many marks: only then may they change places.
        if self.side_to_move() == Player::Second {
            return None;
        }
        let [first, second] = Player::BOTH.map(|player| from_fn(|board| self.marks(player, board)));
        let swapped = Self::from_marks([second, first], Player::First, self.target(), self.rules());
        Some(swapped.expect("the swapped position can be reached"))
    }

    fn looks_at_side_to_move(layout: &WeightLayout) -> bool {
        ["heur4", "grid", "grid-moves", "cells-weight", "extended", "patterns", "patterns-count"]
            .contains(&layout.name)
    }
}

/// Chance leads to a full cube less often than once in 40,000 games, so that some games follow a drawn one.
impl Lawful for Qubic {
    const SYMMETRIES: usize = cube::CubeSymmetry::COUNT;
    const READS_NOTATION: bool = true;

    fn every_move() -> Vec<QubicMove> {
        (0..64).map(cell).collect()
    }

    /// One game in four follows a drawn cube: to its end, or for some moves.
    fn beginning(generator: &mut Generator) -> Vec<QubicMove> {
        if generator.random_range(0..4_u32) > 0 {
            return Vec::new();
        }
        let length = generator.random_range(0..80_u32) as usize;
        drawn_game(generator).into_iter().take(length).collect()
    }

    fn image(&self, symmetry: usize) -> Self {
        self.map(symmetry_of(symmetry))
    }

    fn image_of_move(mv: QubicMove, symmetry: usize) -> QubicMove {
        mv.map(symmetry_of(symmetry))
    }

    fn with_marks_swapped(&self) -> Option<Self> {
        // The first player moves when both have as many marks: only then may they change places.
        if self.side_to_move() == Player::Second {
            return None;
        }
        let [first, second] = Player::BOTH.map(|player| self.marks(player));
        let swapped = Self::from_marks([second, first], Player::First);
        Some(swapped.expect("the swapped position can be reached"))
    }
}

fn symmetry_of(number: usize) -> cube::CubeSymmetry {
    cube::CubeSymmetry::all().nth(number).expect("there are 192 symmetries")
}

/// Full cubes in which nobody has a line, as the first player's marks.
const DRAWN: [u64; 3] = [0x2a61_758e_d298_4ebe, 0x9978_9e66_29cb_d432, 0x2dc4_da93_8349_eab5];

/// The cell of a number.
///
/// # Panics
/// From 64 on.
pub fn cell(index: usize) -> QubicMove {
    QubicMove::from_index(index).expect("there are 64 cells")
}

/// The 64 moves of a drawn game.
pub fn drawn_game(generator: &mut Generator) -> Vec<QubicMove> {
    let first = DRAWN[generator.random_range(0..3_u32) as usize];
    let [first, second] = [first, !first].map(|marks| {
        let mut side: Vec<QubicMove> =
            (0..64).filter(|number| marks >> number & 1 == 1).map(cell).collect();
        side.shuffle(generator);
        side
    });
    first.into_iter().zip(second).flat_map(|(x, o)| [x, o]).collect()
}

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
                moves.push(ChessMove { from, to, promotion: None });
                let files = (from.file() as i8 - to.file() as i8).abs();
                if files <= 1 && ENDS.contains(&(from.rank(), to.rank())) {
                    let pieces = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];
                    moves.extend(pieces.map(|piece| ChessMove {
                        from,
                        to,
                        promotion: Some(piece),
                    }));
                }
            }
        }
        moves.sort_unstable();
        moves
    }

    /// Openings differ by pieces, side to move, castling and en passant, where a pawn can take.
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
