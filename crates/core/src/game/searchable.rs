//! What searches and perft ask of a game beyond its rules.

use super::{Outcome, Player, Position};

/// What searches and perft ask of a game beyond its rules. Every method has a default that follows from [`Position`], so that
/// `impl Searchable for MyGame {}` will do. A game overrides what it can do faster.
pub trait Searchable: Position {
    /// The first legal move, in generation order, that wins the game for the side to move.
    fn winning_move(&self) -> Option<Self::Move> {
        try_all_for_win(self)
    }

    /// How early minimax tries a legal move: moves of a higher number first. It changes the speed of a search, not its result.
    fn order(&self, _mv: Self::Move) -> i8 {
        0
    }

    /// Whether a legal move changes the position so much that its value is not to be trusted before the reply, as a
    /// capture in chess does. Quiescence search continues with such moves; by default there are none.
    fn is_loud(&self, _mv: Self::Move) -> bool {
        false
    }

    /// A move that wins by threats alone: to each of the moves that lead to the win the opponent has one reply. `None` if there
    /// is none, or if it is not found among `most` positions; those that were visited are added to `visited`. By default, no
    /// threats are known.
    #[inline]
    fn forced_win(&self, _most: u32, _visited: &mut u64) -> Option<Self::Move> {
        None
    }

    /// Plays a random legal move. `draw` is given the number of legal moves and returns the number of one of them.
    #[inline]
    fn play_drawn(&mut self, draw: impl FnOnce(u32) -> u32) -> Self::Move {
        let mv = self.nth_legal_move(draw(self.legal_move_count() as u32) as usize);
        self.play_unchecked(mv);
        mv
    }

    /// Plays random moves ([`play_drawn`](Self::play_drawn)) to the end of the game, and reports each with the player who made it.
    #[inline]
    fn play_out(
        &self,
        mut draw: impl FnMut(u32) -> u32,
        mut note: impl FnMut(Player, Self::Move),
    ) -> Outcome {
        let mut position = self.clone();
        loop {
            if let Some(outcome) = position.outcome() {
                return outcome;
            }
            let side = position.side_to_move();
            note(side, position.play_drawn(&mut draw));
        }
    }

    /// A Zobrist hash of everything that decides the rest of the game, except the rules: the exclusive or of
    /// random numbers, one for each thing on the board. By default the position is hashed from scratch.
    fn zobrist(&self) -> u64 {
        self.key()
    }

    /// The [`zobrist`](Self::zobrist) hash of `after`, which is this position with `mv` played, computed from this one's hash.
    #[inline]
    fn zobrist_after(&self, _own: u64, _mv: Self::Move, after: &Self) -> u64 {
        after.zobrist()
    }
}

/// [`Searchable::winning_move`] by playing every move.
pub fn try_all_for_win<P: Position>(position: &P) -> Option<P::Move> {
    let win = Some(Outcome::Win(position.side_to_move()));
    position.legal_moves().find(|&mv| position.after(mv).outcome() == win)
}

/// Perft, which checks a move generator: the number of sequences of `depth` legal moves from a position. Games that end sooner
/// do not count. The last ply is counted without being played.
pub fn perft<P: Searchable>(position: &P, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.legal_move_count() as u64,
        _ => position.legal_moves().map(|mv| perft(&position.after(mv), depth - 1)).sum(),
    }
}
