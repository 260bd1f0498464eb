//! The evaluations of Ultimate Tic-Tac-Toe compared with slow and simple implementations.

use std::array::from_fn;

use tictune::game::{Player, Position};
use tictune::games::testing::uttt::uttt_square;
use tictune::games::uttt::{Uttt, UtttMove};
use tictune::testing::evaluations::evaluations_are_those_of_the_twin;

use crate::extended::extended;
use crate::patterns::patterns;

/// The lines of a square of three by three cells, as a list.
pub(crate) const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

const MIDDLES: [usize; 1] = [4];
const CORNERS: [usize; 4] = [0, 2, 6, 8];
const SIDES: [usize; 4] = [1, 3, 5, 7];

/// The owners of the nine cells of a square.
pub(crate) type Square = [Option<Player>; 9];

/// Lines with at least two marks of the player and none of the opponent (DESIGN, "Liang's setting",
/// point 5: three marks count too, and so does every line of a decided board).
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

pub(crate) fn has_three_in_a_row(square: &Square, player: Player) -> bool {
    LINES.iter().any(|line| line.iter().all(|&cell| square[cell] == Some(player)))
}

/// The number of these cells that the player has.
pub(crate) fn held(square: &Square, player: Player, cells: &[usize]) -> f64 {
    cells.iter().filter(|&&cell| square[cell] == Some(player)).count() as f64
}

/// Lines with this many marks of the player and none of the opponent.
fn lines_of(square: &Square, player: Player, own: usize) -> f64 {
    let holds =
        |line: &[usize; 3], who: Player| line.iter().filter(|&&c| square[c] == Some(who)).count();
    LINES.iter().filter(|l| holds(l, player) == own && holds(l, player.other()) == 0).count() as f64
}

pub(crate) fn is_decided(square: &Square) -> bool {
    Player::BOTH.into_iter().any(|p| has_three_in_a_row(square, p))
        || square.iter().all(Option::is_some)
}

/// 0 for the middle, 1 for a corner, 2 for a side.
pub(crate) fn region(cell: usize) -> usize {
    match cell {
        4 => 0,
        0 | 2 | 6 | 8 => 1,
        _ => 2,
    }
}

/// Whether the player has both other cells of a line through the cell.
fn has_pair(square: &Square, player: Player, cell: usize) -> bool {
    LINES
        .iter()
        .filter(|line| line.contains(&cell))
        .any(|line| line.iter().all(|&other| other == cell || square[other] == Some(player)))
}

/// The value for one player under an evaluation that adds up each player's own marks and boards.
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
        // Lifshitz V 1.
        "heur1" => points += weights[0] * won,
        // Lifshitz V 2 to 4.
        "heur2" | "heur3" | "heur4" => {
            points += weights[0] * won;
            points += weights[1] * held(large, player, &MIDDLES);
            points += weights[2] * held(large, player, &CORNERS);
            points += weights[5] * lines_of(large, player, 2);
            for (board, square) in small.iter().enumerate() {
                points += weights[3] * held(square, player, &MIDDLES);
                if board == 4 {
                    points += weights[4] * held(square, player, &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
                }
                points += weights[6] * lines_of(square, player, 2);
            }
        }
        // Amar VI C.
        "winning-possibilities" => {
            points += weights[0] * lines_of(large, player, 1);
            points += weights[1] * lines_of(large, player, 2);
            for square in small.iter().filter(|square| !is_decided(square)) {
                points += weights[2] * lines_of(square, player, 1);
                points += weights[3] * lines_of(square, player, 2);
            }
        }
        // Amar VI B.
        "recursive-weight" => {
            for (board, square) in small.iter().enumerate() {
                if large[board] == Some(player) {
                    points += weights[region(board)];
                } else if !is_decided(square) {
                    for (slot, cells) in [&MIDDLES[..], &CORNERS, &SIDES].iter().enumerate() {
                        points +=
                            weights[3 + 3 * region(board) + slot] * held(square, player, cells);
                    }
                }
            }
        }
        other => panic!("{other} does not add up what is each player's"),
    }
    points
}

/// Amar VI A, from the view of the side to move at the root.
fn cells_weight(
    root: Player,
    last: UtttMove,
    weights: &[f64],
    small: &[Square; 9],
    large: &Square,
) -> f64 {
    let mut points = 0.0;
    let cell = last.cell();
    for (board, square) in small.iter().enumerate() {
        points += match large[board] {
            Some(winner) if winner == root => weights[0],
            Some(_) => -weights[0],
            None if is_decided(square) => 0.0,
            None if has_pair(square, root, cell) => weights[1],
            None => weights[2 + region(cell)],
        };
    }
    let slot = if has_pair(large, root, last.board()) { 0 } else { 1 + region(last.board()) };
    points + weights[5 + slot]
}

/// Sista 3.2, from the view of the side to move.
fn grid(position: &Uttt, weights: &[f64], small: &[Square; 9]) -> f64 {
    let side = position.side_to_move();
    position.legal_moves().map(|mv| value_of_square(side, mv, weights, small)).sum()
}

/// The value of playing a free square for a side (Sista 3.2).
fn value_of_square(side: Player, mv: UtttMove, weights: &[f64], small: &[Square; 9]) -> f64 {
    let square = &small[mv.board()];
    let through = LINES.iter().filter(|line| line.contains(&mv.cell()));
    match through.map(|line| held(square, side, line)).fold(0.0, f64::max) as u32 {
        0 => weights[2] * held(&small[mv.cell()], side, &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
        1 => weights[1],
        _ => weights[0],
    }
}

/// Sista 3.2, read as values of the moves of a line.
fn grid_moves(position: &Uttt, line: &[UtttMove], weights: &[f64]) -> f64 {
    let (mut points, mut position) = (0.0, Uttt::start(position.rules()));
    for &mv in line {
        let small = from_fn(|board| from_fn(|cell| position.at(uttt_square(9 * board + cell))));
        let side = position.side_to_move();
        let value = value_of_square(side, mv, weights, &small);
        points += if side == Player::First { value } else { -value };
        position.play(mv).expect("a legal move");
    }
    points
}

/// A slow and simple implementation of the evaluations, in weight units and from the first player's
/// view.
fn obvious_value(position: &Uttt, line: &[UtttMove], evaluation: &str, weights: &[f64]) -> f64 {
    let small: [Square; 9] =
        from_fn(|board| from_fn(|cell| position.at(uttt_square(9 * board + cell))));
    let winner =
        |square: &Square| Player::BOTH.into_iter().find(|&p| has_three_in_a_row(square, p));
    let large: Square = small.each_ref().map(winner);
    let sign = if position.side_to_move() == Player::First { 1.0 } else { -1.0 };
    let last = line.last().copied();
    match (evaluation, last) {
        ("cells-weight", None) => return 0.0,
        // At the root of these games, which is the start position, the first player is to move.
        ("cells-weight", Some(last)) => {
            return cells_weight(Player::First, last, weights, &small, &large);
        }
        ("extended", _) => return extended(position, weights, &small),
        ("patterns", _) => return patterns(position, weights, &small),
        ("grid", _) => return sign * grid(position, weights, &small),
        ("grid-moves", _) => return grid_moves(position, line, weights),
        _ => {}
    }
    let free_move = evaluation == "heur4" && last.is_some() && position.target().is_none();
    points_of(Player::First, evaluation, weights, &small, &large)
        - points_of(Player::Second, evaluation, weights, &small, &large)
        + if free_move { sign * weights[7] } else { 0.0 }
}

#[test]
fn evaluations_of_uttt_are_what_the_documents_describe() {
    evaluations_are_those_of_the_twin(25, obvious_value);
}
