//! A picture of a position: its squares, for pages that lay them out.

use super::position::Player;

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
