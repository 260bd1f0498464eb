//! What pages, exports and files of games (PGN) know of a game, where it says so.

use super::Player;

/// The evaluations of a game as `tictune export` writes them in other languages. The language is described in
/// `src/export/formula.rs`; `crates/games/src/qubic/formulas.txt` is an example.
#[derive(Clone, Copy, Debug)]
pub struct Formulas {
    /// A function for each evaluation.
    pub text: &'static str,
    /// How their first argument stands for a position, and what their value means.
    pub usage: &'static str,
    /// Arguments that only some of them take: the name, and a sentence about it.
    pub arguments: &'static [(&'static str, &'static str)],
    /// The rules that they assume.
    pub rules: &'static str,
    /// The tables that the text names, each of numbers from -1024 to 2944.
    pub tables: &'static [FormulaTable],
}

/// The name of a table, and what computes its numbers.
pub type FormulaTable = (&'static str, fn() -> Vec<i32>);

/// Writes a game from its start and its moves, both in notation, as PGN has it; `None` if they cannot be played.
#[derive(Clone, Copy, Debug)]
pub struct StandardMoves(pub fn(&str, &[String]) -> Option<StandardGame>);

/// A game as PGN has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StandardGame {
    /// Its moves, as in `Nf3`.
    pub moves: Vec<String>,
    /// Why it is over on the board, if it is.
    pub ending: Option<String>,
}

/// The squares of a position in parts: small boards, layers, or the one board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board<M> {
    /// How many parts stand in a row.
    pub columns: usize,
    /// The parts, row by row.
    pub parts: Vec<BoardPart<M>>,
}

/// A part of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardPart<M> {
    /// What it is called, such as "layer 1".
    pub name: String,
    /// How many squares stand in a row.
    pub columns: usize,
    /// Who has won it, in a game where parts are won.
    pub owner: Option<Player>,
    /// Its squares, row by row.
    pub squares: Vec<BoardSquare<M>>,
}

/// A square of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardSquare<M> {
    /// The move that puts a mark there.
    pub mv: M,
    /// Whose mark is there.
    pub mark: Option<Player>,
}
