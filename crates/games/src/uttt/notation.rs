//! UTTT as text: squares, positions in one line, and a drawing of the board.
//!
//! A position has three fields:
//!
//! - the nine rows of the 9x9 board from the top, separated by `/`: `x`, `o`, or a digit for that
//!   many empty squares
//! - the side to move, `x` or `o`
//! - the small board that it must play in, as `column,row` from 0 to 2, or `-` if it may choose
//!
//! The start position is `9/9/9/9/9/9/9/9/9 x -`.

use std::fmt;
use std::str::FromStr;

use crate::uttt::rules::Rules;
use crate::uttt::{Uttt, UtttMove};
use tictune_core::game::notation::{in_parentheses, read_row, shorten, write_row};
use tictune_core::game::{NotationError, Outcome, Player, Position};

impl FromStr for UtttMove {
    type Err = NotationError;

    /// Reads `c,r` or `s(c,r)`.
    fn from_str(text: &str) -> Result<Self, NotationError> {
        let pair = text.trim();
        let pair = pair.strip_prefix("s(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(pair);
        let wrong = || {
            let shown = shorten(text);
            NotationError(format!(
                "\"{shown}\" is not a square: expected COLUMN,ROW with numbers 0 to 8, such as 4,4"
            ))
        };
        parse_pair(pair, 9).map(|(column, row)| Self::at_column_row(column, row)).ok_or_else(wrong)
    }
}

fn parse_pair(text: &str, below: usize) -> Option<(usize, usize)> {
    let (left, right) = text.split_once(',')?;
    let number = |part: &str| part.trim().parse::<usize>().ok().filter(|&n| n < below);
    Some((number(left)?, number(right)?))
}

pub(super) fn write_position(position: &Uttt) -> String {
    let owner = |column, row| position.at(UtttMove::at_column_row(column, row));
    let row = |row| write_row((0..9).map(|column| owner(column, row)));
    let rows: Vec<String> = (0..9).map(row).collect();
    let target = position.target().map_or("-".into(), |b| format!("{},{}", b % 3, b / 3));
    format!("{} {} {target}", rows.join("/"), position.side_to_move().mark())
}

pub(super) fn read_position(text: &str, rules: Rules) -> Result<Uttt, NotationError> {
    let wrong = |what: &str| {
        let shown = shorten(text);
        NotationError(format!("{what} in \"{shown}\"; the start is \"9/9/9/9/9/9/9/9/9 x -\""))
    };
    let fields: Vec<&str> = text.split_whitespace().collect();
    let &[rows, side, target] = fields.as_slice() else {
        return Err(wrong("expected three fields: rows, side to move, board to play in"));
    };
    let mut marks = [[0_u16; 9]; 2];
    let rows: Vec<&str> = rows.split('/').collect();
    if rows.len() != 9 {
        return Err(wrong("expected nine rows"));
    }
    for (row, symbols) in rows.iter().enumerate() {
        let other_length = || format!("row {row} does not have nine squares");
        let row_marks = read_row(symbols, 9, other_length).map_err(|problem| wrong(&problem))?;
        for square in (0..9).map(|column| UtttMove::at_column_row(column, row)) {
            for (boards, row_marks) in marks.iter_mut().zip(row_marks) {
                boards[square.board()] |= (row_marks >> square.column() & 1) << square.cell();
            }
        }
    }
    let side = Player::BOTH.into_iter().find(|player| side.chars().eq([player.mark()]));
    let side = side.ok_or_else(|| wrong("expected x or o as the side to move"))?;
    let target = match target {
        "-" => None,
        pair => {
            let pair = parse_pair(pair, 3).map(|(column, row)| 3 * row + column);
            Some(pair.ok_or_else(|| wrong("expected a board as COLUMN,ROW or -"))?)
        }
    };
    Uttt::from_marks(marks, side, target, rules).map_err(|problem| wrong(&problem.0))
}

/// Draws the board. Legal squares are dots, and the macro board stands on the right.
impl fmt::Display for Uttt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "    0 1 2   3 4 5   6 7 8")?;
        for row in 0..9 {
            if row == 3 || row == 6 {
                writeln!(f, "    ------+-------+------")?;
            }
            let symbol = |column| {
                let square = UtttMove::at_column_row(column, row);
                let legal = if self.is_legal(square) { '.' } else { ' ' };
                self.at(square).map_or(legal, Player::mark).to_string()
            };
            let three = |first| [first, first + 1, first + 2].map(symbol).join(" ");
            write!(f, "{row}   {}", [0, 3, 6].map(three).join(" | "))?;
            if row % 3 == 1 {
                let boards = [row - 1, row, row + 1].map(|board| {
                    let is_in = |boards: u16| boards >> board & 1 == 1;
                    let closed = if is_in(self.closed()) { '=' } else { '.' };
                    let winner = Player::BOTH.into_iter().find(|&player| is_in(self.won(player)));
                    winner.map_or(closed, Player::mark).to_string()
                });
                write!(f, "       {}", boards.join(" "))?;
            }
            writeln!(f)?;
        }
        let side = self.side_to_move().mark();
        match (self.outcome(), self.target()) {
            (Some(Outcome::Win(player)), _) => write!(f, "{} has won", player.mark()),
            (Some(Outcome::Draw), _) => write!(f, "draw"),
            (None, Some(b)) => write!(f, "{side} to move in board {},{}", b % 3, b / 3),
            (None, None) => write!(f, "{side} to move anywhere"),
        }
    }
}

pub(super) fn mark(drawing: &str, square: UtttMove) -> String {
    let (row, column) = (square.row(), square.column());
    in_parentheses(drawing, 1 + row + row / 3, 4 + 2 * (column + column / 3))
}
