//! What pages, exports and files of games (PGN) know of a game, where it says so.

use std::collections::BTreeMap;

use super::{NotationError, Player};

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

/// The name of a table, and what computes its numbers for an evaluation of this name.
pub type FormulaTable = (&'static str, fn(&str) -> Vec<i32>);

/// How games are written and read as PGN.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::type_complexity)] // An alias would hide what they take.
pub struct Pgn {
    /// Writes the moves of a game from the rules, its start and its moves, all in notation; `None` if they cannot be played.
    pub write: fn(&str, &str, &[String]) -> Option<PgnMoves>,
    /// Reads the games of a file, which are played by these rules. A game that cannot be read is an error in its place.
    pub read: fn(&str, &str) -> Vec<Result<PgnGame, PgnError>>,
}

/// The moves of a game as PGN has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnMoves {
    /// The moves, as in `Nf3`.
    pub moves: Vec<String>,
    /// Why the game is over on the board, if it is.
    pub ending: Option<String>,
    /// The tag `Variant`, if the rules are those of one.
    pub variant: Option<&'static str>,
}

/// A game of a PGN file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnGame {
    /// The line at which it begins, from 1.
    pub line: usize,
    /// Its tags by name, such as `White`; the result is among them if the game has one.
    pub tags: BTreeMap<String, String>,
    /// Where it starts, as the file says; empty for the start of the game.
    pub start: String,
    /// Its moves in notation, without variations.
    pub moves: Vec<String>,
    /// The position after them, in notation.
    pub end: String,
}

/// What is wrong with a game of a PGN file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub error: NotationError,
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
