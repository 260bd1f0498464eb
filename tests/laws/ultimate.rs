//! Ultimate Tic-Tac-Toe alone.

use tictune::game::{Player, Position, WeightLayout};
use tictune::games::uttt::square::Symmetry;
use tictune::games::uttt::{Rules, Uttt, UtttMove};

use crate::Lawful;
use crate::play::on_random_play;

impl Lawful for Uttt {
    const SYMMETRIES: usize = Symmetry::ALL.len();

    fn every_rules() -> Vec<Rules> {
        Rules::all().to_vec()
    }

    fn every_move() -> Vec<UtttMove> {
        (0..81).map(uttt_square).collect()
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
        let notation = self.notation();
        let (rows, rest) = notation.split_once(' ').expect("notation has three fields");
        let swap = |symbol| match symbol {
            'x' => 'o',
            'o' => 'x',
            other => other,
        };
        let swapped = format!("{} {rest}", rows.chars().map(swap).collect::<String>());
        Some(
            Self::from_notation(&swapped, self.rules())
                .expect("the swapped position can be reached"),
        )
    }

    fn evaluations_are_symmetric() -> bool {
        true
    }

    fn looks_at_side_to_move(layout: &WeightLayout) -> bool {
        ["heur4", "grid", "cells-weight", "extended"].contains(&layout.name)
    }
}

pub(crate) fn uttt_square(index: usize) -> UtttMove {
    UtttMove::new(index / 9, index % 9).expect("there are 81 squares")
}

#[test]
fn moves_of_uttt_are_known_to_close_boards_and_to_free_the_choice() {
    on_random_play::<Uttt>(3000, |step| {
        for mv in step.position.legal_moves() {
            let after = step.position.after(mv);
            let closes = after.closed() != step.position.closed();
            assert_eq!(step.position.closes_board(mv), closes, "closes_board of {mv} in\n{step}");
            let frees = after.target().is_none();
            assert_eq!(step.position.widens_choice(mv), frees, "widens_choice of {mv} in\n{step}");
            assert!(
                after.target().is_none_or(|board| board == mv.cell()),
                "{mv} sends elsewhere in\n{step}"
            );
        }
    });
}

#[test]
fn openings_of_two_plies_are_102_without_symmetry() {
    // DESIGN, "Openings": 720 of them, 102 that symmetry does not turn into each other.
    let start = Uttt::start(Rules::default());
    let replies = |first: UtttMove| {
        let position = start.after(first);
        position.legal_moves().map(move |second| position.after(second))
    };
    let positions: Vec<Uttt> = start.legal_moves().flat_map(replies).collect();
    let count = |key: fn(&Uttt) -> u64| {
        positions.iter().map(key).collect::<std::collections::HashSet<u64>>().len()
    };
    assert_eq!((positions.len(), count(Uttt::key), count(Uttt::canonical_key)), (720, 720, 102));
}
