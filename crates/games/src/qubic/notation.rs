//! Qubic as text: cells, positions in one line, and a drawing of the board.
//!
//! A position has two fields:
//!
//! - the four layers, separated by `|`. Each layer has four rows, separated by `/`. A row consists
//!   of `x`, `o`, or a digit for that many empty cells.
//! - the side to move, `x` or `o`
//!
//! The start position is `4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x`.

use std::fmt;
use std::str::FromStr;

use crate::qubic::cube::coordinates;
use crate::qubic::{Qubic, QubicMove};
use tictune_core::game::notation::{in_parentheses, read_row, shorten, write_row};
use tictune_core::game::{NotationError, Outcome, Player, Position};

impl FromStr for QubicMove {
    type Err = NotationError;

    /// Reads `layer,row,column`, each 1 to 4. Spaces may replace the commas.
    fn from_str(text: &str) -> Result<Self, NotationError> {
        let number = |part: &str| part.trim().parse::<usize>().ok()?.checked_sub(1);
        let numbers: Option<Vec<usize>> = match text.contains(',') {
            true => text.split(',').map(number).collect(),
            false => text.split_whitespace().map(number).collect(),
        };
        let cell = match numbers.as_deref() {
            Some(&[layer, row, column]) => Self::new(layer, row, column),
            _ => None,
        };
        cell.ok_or_else(|| {
            let shown = shorten(text);
            NotationError(format!(
                "\"{shown}\" is not a cell: expected LAYER,ROW,COLUMN with numbers 1 to 4, such as 4,4,1"
            ))
        })
    }
}

pub(super) fn write_position(position: &Qubic) -> String {
    let row = |first: u8| write_row((first..first + 4).map(|cell| position.at(QubicMove(cell))));
    let layers = [0, 16, 32, 48].map(|first| [0, 4, 8, 12].map(|cell| row(first + cell)).join("/"));
    format!("{} {}", layers.join("|"), position.side_to_move().mark())
}

pub(super) fn read_position(text: &str) -> Result<Qubic, NotationError> {
    let wrong = |what: &str| {
        let start = "4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x";
        NotationError(format!("{what} in \"{}\"; the start is \"{start}\"", shorten(text)))
    };
    let fields: Vec<&str> = text.split_whitespace().collect();
    let &[board, side] = fields.as_slice() else {
        return Err(wrong("expected two fields: layers, side to move"));
    };
    let layers: Vec<Vec<&str>> = board.split('|').map(|layer| layer.split('/').collect()).collect();
    if layers.len() != 4 || layers.iter().any(|rows| rows.len() != 4) {
        return Err(wrong("expected four layers of four rows"));
    }
    let mut marks = [0_u64; 2];
    for (row, symbols) in layers.iter().flatten().enumerate() {
        let (layer, of_layer) = (row / 4 + 1, row % 4 + 1);
        let other_length = || format!("row {of_layer} of layer {layer} does not have four cells");
        let row_marks = read_row(symbols, 4, other_length).map_err(|problem| wrong(&problem))?;
        for (marks, row_marks) in marks.iter_mut().zip(row_marks) {
            *marks |= u64::from(row_marks) << (4 * row);
        }
    }
    let side = Player::BOTH.into_iter().find(|player| side.chars().eq([player.mark()]));
    let side = side.ok_or_else(|| wrong("expected x or o as the side to move"))?;
    Qubic::from_marks(marks, side).map_err(|problem| wrong(&problem.0))
}

/// Draws the four layers side by side. Free cells are dots.
impl fmt::Display for Qubic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = [1, 2, 3, 4].map(|layer| format!("Layer {layer}"));
        writeln!(f, "   {}", heads.join("    "))?;
        writeln!(f, "   {}", ["1 2 3 4"; 4].join("    "))?;
        for row in 0..4 {
            let layers = [0, 16, 32, 48].map(|layer| {
                let cells = [0, 1, 2, 3].map(|column| QubicMove(layer + 4 * row + column));
                cells.map(|cell| self.at(cell).map_or('.', Player::mark).to_string()).join(" ")
            });
            writeln!(f, "{}  {}", row + 1, layers.join("    "))?;
        }
        match self.outcome() {
            Some(Outcome::Win(player)) => write!(f, "{} has won", player.mark()),
            Some(Outcome::Draw) => write!(f, "draw"),
            None => write!(f, "{} to move", self.side_to_move().mark()),
        }
    }
}

pub(super) fn mark(drawing: &str, cell: QubicMove) -> String {
    let [layer, row, column] = coordinates(cell.index());
    in_parentheses(drawing, 2 + row, 3 + 11 * layer + 2 * column)
}
