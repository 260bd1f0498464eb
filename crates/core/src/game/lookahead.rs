//! Look-ahead: the values that an evaluator computes some plies below a position without a search.

use std::convert::Infallible;

use super::{Player, Position, Score};

/// A player as a type. Searches are compiled once for each side to move, so that they need not ask whose turn it is.
pub trait Side {
    /// The player.
    const PLAYER: Player;
    /// The player's number, 0 or 1.
    const INDEX: usize = Self::PLAYER.index();
    /// The opponent.
    type Other: Side<Other = Self>;
}

/// The first player.
#[derive(Debug)]
pub struct First;

/// The second player.
#[derive(Debug)]
pub struct Second;

impl Side for First {
    const PLAYER: Player = Player::First;
    type Other = Second;
}

impl Side for Second {
    const PLAYER: Player = Player::Second;
    type Other = First;
}

/// An evaluator's look-ahead from a position that is not over. Moves are played on it and taken back. `S` is always the
/// side to move.
///
/// Its values are those of minimax. Its depth changes the speed of a search, and nothing else.
pub trait Lookahead<P: Position> {
    /// How many plies deep it looks, at least 1.
    const PLIES: u32;

    /// The position, after the moves that were played.
    fn position(&self) -> P;

    /// Whose turn it is.
    fn side_to_move(&self) -> Player;

    /// Visits every legal move once, with its value [`PLIES`](Self::PLIES) plies deep (the move is the first ply), from
    /// the view of the side to move. The flag says whether the move leaves the opponent a free choice, where the value
    /// does not include the reply.
    fn for_each_move<S: Side>(&mut self, visit: impl FnMut(P::Move, Score, bool));

    /// The value for the side to move, [`PLIES`](Self::PLIES) plies deep: exact below `beta`, else a lower bound.
    /// It adds the positions that it visited to the count.
    fn value<S: Side>(&mut self, beta: Score, nodes: &mut u64) -> Score;

    /// Plays a legal move, runs `then`, and takes the move back.
    ///
    /// # Errors
    /// The move ended the game; the error is the score for the side that moved.
    fn with_move<S: Side, T>(
        &mut self,
        mv: P::Move,
        then: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Score>;
}

/// The look-ahead of an evaluator that has none of its own.
impl<P: Position> Lookahead<P> for Infallible {
    const PLIES: u32 = 1;

    fn position(&self) -> P {
        match *self {}
    }

    fn side_to_move(&self) -> Player {
        match *self {}
    }

    fn for_each_move<S: Side>(&mut self, _: impl FnMut(P::Move, Score, bool)) {
        match *self {}
    }

    fn value<S: Side>(&mut self, _: Score, _: &mut u64) -> Score {
        match *self {}
    }

    fn with_move<S: Side, T>(
        &mut self,
        _: P::Move,
        _: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Score> {
        match *self {}
    }
}
