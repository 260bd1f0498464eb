//! What a person is shown of a game, as text: the form in which the page, the full screen and the lines of a terminal get
//! positions and choices of agents.

use serde::Serialize;

use crate::game::{Board, Player};

/// A position and how it came about.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PositionView {
    /// The moves from the start.
    pub moves: Vec<String>,
    /// The legal moves, in the order of generation.
    pub legal: Vec<String>,
    /// The mark of the side to move.
    pub to_move: char,
    /// `x` or `o` if that side has won, `draw`, or nothing while the game goes on.
    pub outcome: Option<String>,
    /// The squares, where the game has a board.
    pub board: Option<BoardView>,
    /// The position as text, with the last move marked.
    pub drawing: String,
    /// The position in one line.
    pub notation: String,
}

/// A board without the type of its moves.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BoardView {
    /// How many parts stand in a row.
    pub columns: usize,
    /// The parts, row by row.
    pub parts: Vec<PartView>,
}

/// A part of a board.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PartView {
    /// What it is called.
    pub name: String,
    /// How many squares stand in a row.
    pub columns: usize,
    /// Who has won it, in a game where parts are won.
    pub owner: Option<char>,
    /// Its squares, row by row.
    pub squares: Vec<SquareView>,
}

/// A square of a board.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SquareView {
    /// The move that puts a mark there.
    pub mv: String,
    /// Whose mark is there.
    pub mark: Option<char>,
}

/// An agent's choice.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChoiceView {
    /// The move.
    pub mv: String,
    /// What it thinks of the position, in words.
    pub value: Option<String>,
    /// The moves that it expects, the chosen one first.
    pub line: Vec<String>,
    /// How long it took.
    pub seconds: f64,
    /// What it thinks of each move, as far as there was time.
    pub values: Vec<MoveValue>,
    /// The milliseconds in which each of these moves was searched on its own, where time limits the agent: its choice was
    /// searched to another depth.
    pub milliseconds_each: Option<u64>,
}

/// What an agent thinks of a move.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MoveValue {
    /// The move.
    pub mv: String,
    /// In words, from the view of the side that moves.
    pub value: String,
    /// Where it stands among the moves: 0 is the worst, 10 the best.
    pub rank: u32,
}

impl BoardView {
    /// The board of a game as text.
    pub(super) fn of<M: ToString>(board: Board<M>) -> Self {
        let parts = board.parts.into_iter().map(|part| PartView {
            name: part.name,
            columns: part.columns,
            owner: part.owner.map(Player::mark),
            squares: part
                .squares
                .into_iter()
                .map(|square| SquareView {
                    mv: square.mv.to_string(),
                    mark: square.mark.map(Player::mark),
                })
                .collect(),
        });
        Self { columns: board.columns, parts: parts.collect() }
    }
}
