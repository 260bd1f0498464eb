//! A slow and simple implementation of the evaluation of Ultimate Tic-Tac-Toe by fitted patterns, for comparison.

use std::collections::HashMap;
use std::sync::LazyLock;

use tictune::game::{Player, Position};
use tictune::games::uttt::Uttt;
use tictune::games::uttt::evaluation::patterns::PatternValues;

use crate::extended::{Board, boards_of, factors};
use crate::ultimate_values::{Square, is_decided};

/// A square as text: the own marks, the opponent's, and empty cells, from the last cell to the first, so that the texts are
/// in the order of the numbers of patterns.
type Text = String;

/// Where each cell of a square goes, for its eight symmetries.
fn symmetries() -> Vec<[usize; 9]> {
    let mut all = vec![[0, 1, 2, 3, 4, 5, 6, 7, 8]];
    for _ in 0..3 {
        let last = all[all.len() - 1];
        // A quarter turn takes row r and column c to row c and column 2 - r.
        all.push(last.map(|cell| 3 * (cell % 3) + 2 - cell / 3));
    }
    let mirrored = all.iter().map(|turn| turn.map(|cell| 3 * (cell / 3) + 2 - cell % 3));
    let mirrored: Vec<_> = mirrored.collect();
    all.extend(mirrored);
    all
}

fn text(square: &Square, own: Player, symmetry: &[usize; 9]) -> Text {
    let mut cells = ['.'; 9];
    for (cell, mark) in square.iter().enumerate() {
        cells[symmetry[cell]] = match mark {
            Some(player) if *player == own => '/',
            Some(_) => '0',
            None => '.',
        };
    }
    cells.iter().rev().collect()
}

/// All squares as texts in order, each with the number of its class under some symmetries; classes are numbered in the
/// order of their first squares. The second value is the number of classes.
fn classes(symmetries: &[[usize; 9]]) -> (HashMap<Text, usize>, usize) {
    let mut numbers: HashMap<Text, usize> = HashMap::new();
    let mut count = 0;
    for number in 0..3_usize.pow(9) {
        let marks: Vec<char> =
            (0..9).map(|cell| ['.', '/', '0'][number / 3_usize.pow(cell) % 3]).collect();
        let image = |symmetry: &[usize; 9]| -> Text {
            let mut cells = ['.'; 9];
            (0..9).for_each(|cell| cells[symmetry[cell]] = marks[cell]);
            cells.iter().rev().collect()
        };
        if !numbers.contains_key(&image(&symmetries[0])) {
            for symmetry in symmetries {
                numbers.insert(image(symmetry), count);
            }
            count += 1;
        }
    }
    (numbers, count)
}

/// What the places of values follow from.
struct Twin {
    values: PatternValues<i16>,
    of_kind: [(HashMap<Text, usize>, usize); 3],
    of_all: (HashMap<Text, usize>, usize),
    /// What turns each board to the first of its kind.
    turns: [[usize; 9]; 9],
}

static TWIN: LazyLock<Twin> = LazyLock::new(|| {
    let fixing = |board: usize| -> Vec<[usize; 9]> {
        symmetries().into_iter().filter(|symmetry| symmetry[board] == board).collect()
    };
    Twin {
        values: PatternValues::built_in(),
        of_kind: [0, 1, 4].map(|board| classes(&fixing(board))),
        of_all: classes(&symmetries()),
        turns: std::array::from_fn(|board| {
            let place = [0, 1, 4][kind(board)];
            symmetries().into_iter().find(|symmetry| symmetry[board] == place).unwrap()
        }),
    }
});

/// 0 for corner boards, 1 for side boards, 2 for the middle.
fn kind(board: usize) -> usize {
    [0, 1, 0, 1, 2, 1, 0, 1, 0][board]
}

impl Twin {
    /// The sum of the two values of a board as a player sees it, in the first group or, of the turn, in the second.
    fn value(
        &self,
        group: usize,
        board: usize,
        worth: [usize; 2],
        square: &Square,
        own: Player,
    ) -> f64 {
        let kind = kind(board);
        let counts = [0, 1, 2].map(|kind| self.of_kind[kind].1);
        let by_kind: usize = counts.iter().sum();
        let (of_all, all) = &self.of_all;
        let size = by_kind + 25 * all;
        let turned = text(square, own, &self.turns[board]);
        let first = counts[..kind].iter().sum::<usize>() + self.of_kind[kind].0[&turned];
        let second = by_kind + (5 * worth[0] + worth[1]) * all + of_all[&turned];
        [first, second].iter().map(|place| f64::from(self.values.all()[group * size + place])).sum()
    }

    /// The value of the macro board as a player sees it.
    fn macro_board(&self, boards: &[Board; 9], player: Player) -> f64 {
        let square = boards.map(|board| match board {
            Board::Open => None,
            Board::Of(owner) if owner == player => Some(player),
            Board::Of(_) | Board::Drawn => Some(player.other()),
        });
        let (of_all, count) = &self.of_all;
        let class = of_all[&text(&square, player, &[0, 1, 2, 3, 4, 5, 6, 7, 8])];
        f64::from(self.values.all()[self.values.all().len() - count + class])
    }
}

/// The value from the first player's view, in weight units.
pub(crate) fn patterns(position: &Uttt, weights: &[f64], small: &[Square; 9]) -> f64 {
    let twin = &*TWIN;
    let boards = Player::BOTH.map(|player| boards_of(position, small, player));
    let worth = |board: usize, player: Player| {
        let [live, near, game] = factors(board, &boards[player.index()], player);
        match (game > 0.0, near, live) {
            (true, ..) => 4,
            (_, 2.0.., _) => 3,
            (_, 1.0, _) => 2,
            (_, _, 1.0..) => 1,
            _ => 0,
        }
    };
    let open: Vec<usize> = (0..9).filter(|&board| !is_decided(&small[board])).collect();
    let side = position.side_to_move();
    let sign = if side == Player::First { 1.0 } else { -1.0 };
    let [first, second] =
        Player::BOTH.map(|player| twin.macro_board(&boards[player.index()], player));
    let won = Player::BOTH.map(|player| f64::from(position.won(player).count_ones()));
    let mut value = weights[4] * (first - second) + weights[8] * (won[0] - won[1]);
    let mut turns = Vec::new();
    for board in open {
        let [x, o] = Player::BOTH.map(|player| worth(board, player));
        let seen = |group, player: Player| {
            let worth = if player == Player::First { [x, o] } else { [o, x] };
            twin.value(group, board, worth, &small[board], player)
        };
        let is_decisive = x == 4 || o == 4;
        let weight = if is_decisive { weights[3] } else { weights[kind(board)] };
        value += weight * (seen(0, Player::First) - seen(0, Player::Second));
        if position.target().is_none_or(|target| target == board) {
            turns.push((seen(1, side), is_decisive));
        }
    }
    // Among equals one that is decisive.
    turns.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    if let Some((fitted, is_decisive)) = turns.last() {
        value += sign * weights[if *is_decisive { 6 } else { 5 }] * fitted;
    }
    value + if position.target().is_none() { sign * weights[7] } else { 0.0 }
}
