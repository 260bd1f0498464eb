//! Ultimate Tic-Tac-Toe alone.

use std::array::from_fn;

use tictune::position::square::Symmetry;
use tictune::position::{Player, Position, Rules, Uttt, UtttMove};

use crate::Lawful;
use crate::evaluations::evaluations_are_those_of_the_twin;
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
}

fn uttt_square(index: usize) -> UtttMove {
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

/// The lines of a square of three by three cells, as anybody would list them.
const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

const MIDDLES: [usize; 1] = [4];
const CORNERS: [usize; 4] = [0, 2, 6, 8];
const SIDES: [usize; 4] = [1, 3, 5, 7];

/// Whose the nine cells of a square are.
type Square = [Option<Player>; 9];

/// Lines that hold two or more of the player and none of the opponent (DESIGN, "Liang's setting",
/// point 5: three count as well, and so does every line of a decided board).
fn two_in_a_row(square: &Square, player: Player) -> f64 {
    let mut count = 0.0;
    for line in LINES {
        let own = line.iter().filter(|&&cell| square[cell] == Some(player)).count();
        let others = line.iter().filter(|&&cell| square[cell] == Some(player.other())).count();
        if own >= 2 && others == 0 {
            count += 1.0;
        }
    }
    count
}

fn has_three_in_a_row(square: &Square, player: Player) -> bool {
    LINES.iter().any(|line| line.iter().all(|&cell| square[cell] == Some(player)))
}

/// How many of the cells are the player's.
fn held(square: &Square, player: Player, cells: &[usize]) -> f64 {
    cells.iter().filter(|&&cell| square[cell] == Some(player)).count() as f64
}

/// What the evaluations of Liang 2.1 to 2.4 give a player for what is his on the board.
fn points_of(
    player: Player,
    evaluation: &str,
    weights: &[f64],
    small: &[Square; 9],
    large: &Square,
) -> f64 {
    let mut points = 0.0;
    let won = held(large, player, &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    match evaluation {
        // Table 2.1.
        "simple" => points += weights[0] * won,
        // Table 2.2.
        "connecting" => {
            points += weights[0] * won;
            points += weights[1] * two_in_a_row(large, player);
            for square in small {
                points += weights[2] * two_in_a_row(square, player);
            }
        }
        // Table 2.3.
        "advanced" => {
            points += weights[0] * two_in_a_row(large, player);
            points += weights[1] * held(large, player, &MIDDLES);
            points += weights[2] * held(large, player, &CORNERS);
            points += weights[3] * held(large, player, &SIDES);
            for square in small {
                points += weights[4] * two_in_a_row(square, player);
                points += weights[5] * held(square, player, &MIDDLES);
                points += weights[6] * held(square, player, &CORNERS);
                points += weights[7] * held(square, player, &SIDES);
            }
        }
        // Table 2.5.
        "comprehensive" => {
            points += weights[0] * two_in_a_row(large, player);
            points += weights[1] * held(large, player, &MIDDLES);
            points += weights[2] * held(large, player, &CORNERS);
            points += weights[3] * held(large, player, &SIDES);
            for (board, square) in small.iter().enumerate() {
                points += weights[4] * two_in_a_row(square, player);
                let (middle, corner, side) = match board {
                    4 => (weights[5], weights[6], weights[7]),
                    0 | 2 | 6 | 8 => (weights[8], weights[9], weights[10]),
                    _ => (weights[11], weights[12], weights[13]),
                };
                points += middle * held(square, player, &MIDDLES);
                points += corner * held(square, player, &CORNERS);
                points += side * held(square, player, &SIDES);
            }
        }
        other => panic!("Liang has no evaluation {other}"),
    }
    points
}

/// The slow and obvious twin of the evaluations, in weight units and from the first player's view.
fn obvious_value(position: &Uttt, evaluation: &str, weights: &[f64]) -> f64 {
    let small: [Square; 9] =
        from_fn(|board| from_fn(|cell| position.at(uttt_square(9 * board + cell))));
    let winner =
        |square: &Square| Player::BOTH.into_iter().find(|&p| has_three_in_a_row(square, p));
    let large: Square = small.each_ref().map(winner);
    points_of(Player::First, evaluation, weights, &small, &large)
        - points_of(Player::Second, evaluation, weights, &small, &large)
}

#[test]
fn evaluations_of_uttt_are_what_liang_describes() {
    evaluations_are_those_of_the_twin(50, obvious_value);
}
