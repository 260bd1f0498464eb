//! Look-ahead: the values that an evaluator computes some plies below a position without a search.

use std::ops::ControlFlow::{self, Break, Continue};

use super::{Evaluator, Player, Position, Score, Searchable};

/// A player as a type. Searches are compiled once for each side to move, so that they need not ask whose turn it is.
pub trait SideToMove {
    /// The player.
    const PLAYER: Player;
    /// The player's number, 0 or 1.
    const INDEX: usize = Self::PLAYER.index();
    /// The opponent.
    type Other: SideToMove<Other = Self>;
}

/// The first player.
#[derive(Debug)]
pub struct First;

/// The second player.
#[derive(Debug)]
pub struct Second;

impl SideToMove for First {
    const PLAYER: Player = Player::First;
    type Other = Second;
}

impl SideToMove for Second {
    const PLAYER: Player = Player::Second;
    type Other = First;
}

/// An evaluator's look-ahead from a position that is not over. Moves are played on it and taken back. `S` is always the side to
/// move. Its values are those of minimax. Its depth changes the speed of a search, and nothing else.
pub trait Lookahead<P: Position> {
    /// How many plies deep it looks, at least 1.
    const PLIES: u32;

    /// The position, after the moves that were played.
    fn position(&self) -> P;

    /// Whose turn it is.
    #[inline]
    fn side_to_move(&self) -> Player {
        self.position().side_to_move()
    }

    /// Visits every legal move once, until `visit` breaks off: with its value [`PLIES`](Self::PLIES) plies deep (the move is the first
    /// ply) from the view of the side to move, and its [order](Searchable::order), which may be 0 where the value includes the reply.
    fn try_each_move<S: SideToMove>(
        &mut self,
        visit: impl FnMut(P::Move, Score, i8) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Visits every legal move once, as [`try_each_move`](Self::try_each_move) does.
    #[inline(always)]
    fn for_each_move<S: SideToMove>(&mut self, mut visit: impl FnMut(P::Move, Score, i8)) {
        let _ = self.try_each_move::<S>(|mv, score, order| {
            visit(mv, score, order);
            Continue(())
        });
    }

    /// The value for the side to move, [`PLIES`](Self::PLIES) plies deep: exact below `beta`, else a lower bound. A look-ahead
    /// of one ply counts the moves that it visited as nodes; what deeper ones look up is not visited.
    #[inline(always)]
    fn value<S: SideToMove>(&mut self, beta: Score, nodes: &mut u64) -> Score {
        let mut best = Score::LOSS.previous();
        let _ = self.try_each_move::<S>(|_, score, _| {
            *nodes += u64::from(Self::PLIES == 1);
            best = best.max(score);
            if best >= beta { Break(()) } else { Continue(()) }
        });
        best
    }

    /// Plays a legal move, runs `then`, and takes the move back.
    ///
    /// # Errors
    /// The move ended the game; the error is the score for the side that moved.
    fn with_move<S: SideToMove, T>(
        &mut self,
        mv: P::Move,
        then: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Score>;
}

/// The look-ahead of any evaluator: one ply deep, position by position.
#[derive(Debug)]
pub struct OnePly<'e, P: Position, E: Evaluator<P>> {
    evaluator: &'e E,
    position: P,
    state: E::State,
}

impl<'e, P: Searchable, E: Evaluator<P>> OnePly<'e, P, E> {
    /// The look-ahead from a position.
    pub fn new(evaluator: &'e E, position: &P) -> Self {
        Self { evaluator, position: position.clone(), state: evaluator.state(position) }
    }
}

impl<P: Searchable, E: Evaluator<P>> Lookahead<P> for OnePly<'_, P, E> {
    const PLIES: u32 = 1;

    #[inline]
    fn position(&self) -> P {
        self.position.clone()
    }

    #[inline]
    fn side_to_move(&self) -> Player {
        self.position.side_to_move()
    }

    #[inline]
    fn try_each_move<S: SideToMove>(
        &mut self,
        mut visit: impl FnMut(P::Move, Score, i8) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for mv in self.position.legal_moves() {
            let score = self.evaluator.score_after(&self.state, &self.position, mv);
            let score = score.seen_by(S::PLAYER);
            visit(mv, score, if score == Score::WIN { 0 } else { self.position.order(mv) })?;
        }
        Continue(())
    }

    #[inline]
    fn with_move<S: SideToMove, T>(
        &mut self,
        mv: P::Move,
        then: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Score> {
        let position = self.position.after(mv);
        if let Some(outcome) = position.outcome() {
            return Err(Score::of_outcome(outcome, S::PLAYER));
        }
        let mut state = self.state;
        self.evaluator.update(&mut state, &self.position, mv, &position);
        Ok(then(&mut Self { evaluator: self.evaluator, position, state }))
    }
}
