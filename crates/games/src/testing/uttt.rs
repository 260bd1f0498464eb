//! Ultimate Tic-Tac-Toe as the laws see it.

use std::array::from_fn;

use crate::uttt::square::Symmetry;
use crate::uttt::{Rules, Uttt, UtttMove};
use tictune_core::game::{Player, Position, WeightLayout};
use tictune_core::testing::Lawful;

impl Lawful for Uttt {
    const SYMMETRIES: usize = Symmetry::ALL.len();
    const READS_NOTATION: bool = true;
    const LOOKS_AHEAD: bool = true;

    fn every_rules() -> Vec<Rules> {
        Rules::all().to_vec()
    }

    fn every_move() -> Vec<UtttMove> {
        (0..81).map(|index| UtttMove::at(index / 9, index % 9)).collect()
    }

    fn image(&self, symmetry: usize) -> Self {
        self.map(Symmetry::ALL[symmetry])
    }

    fn image_of_move(mv: UtttMove, symmetry: usize) -> UtttMove {
        mv.map(Symmetry::ALL[symmetry])
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
