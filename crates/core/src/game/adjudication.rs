//! Ends of games that agents agree on before the board shows them.

/// When a game ends before the board ends it. By default never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Adjudication {
    /// When a game counts as won.
    pub resign: Option<Resign>,
    /// When a game counts as drawn.
    pub draw: Option<DrawAgreed>,
    /// The most plies of a game, those of its opening included; then it is a draw.
    pub max_plies: Option<u32>,
}

/// A game is won when both agents have said so for some moves: one that it is worth at least `score` to it, the other
/// at most `-score`. One agent alone decides nothing, since its values may be what is being evolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resign {
    /// The value, in the units of the agents: centipawns for UCI engines.
    pub score: u32,
    /// For how many moves of each side in succession.
    pub moves: u32,
}

/// A game is drawn when both agents have said for some moves that it is worth at most `score` to either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawAgreed {
    /// The value, as for [`Resign`].
    pub score: u32,
    /// For how many moves of each side in succession.
    pub moves: u32,
    /// The moves of each side before the first such end.
    pub from: u32,
}
