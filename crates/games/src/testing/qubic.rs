//! Qubic as the laws see it. Chance leads to a full cube less often than once in 40,000 games, so that some games follow
//! a drawn one.

use rand::RngExt;
use rand::seq::SliceRandom;

use crate::qubic::cube::Symmetry;
use crate::qubic::{Qubic, QubicMove};
use tictune_core::game::{Player, Position};
use tictune_core::seed::Generator;
use tictune_core::testing::Lawful;

impl Lawful for Qubic {
    const SYMMETRIES: usize = Symmetry::COUNT;
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

fn symmetry_of(number: usize) -> Symmetry {
    Symmetry::all().nth(number).expect("there are 192 symmetries")
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
