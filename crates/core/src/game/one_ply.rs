//! The look-ahead of evaluators that have none of their own.

use super::{Evaluator, Lookahead, Player, Position, Score, Side};

/// The look-ahead of any evaluator: one ply deep, position by position.
#[derive(Debug)]
pub struct OnePly<'e, P: Position, E: Evaluator<P>> {
    evaluator: &'e E,
    position: P,
    state: E::State,
}

impl<'e, P: Position, E: Evaluator<P>> OnePly<'e, P, E> {
    /// The look-ahead from a position.
    #[must_use]
    pub fn new(evaluator: &'e E, position: &P) -> Self {
        Self { evaluator, position: position.clone(), state: evaluator.state(position) }
    }

    #[inline]
    fn score_after<S: Side>(&self, mv: P::Move) -> Score {
        let score = self.evaluator.score_after(&self.state, &self.position, mv);
        score.seen_by(S::PLAYER)
    }
}

impl<P: Position, E: Evaluator<P>> Lookahead<P> for OnePly<'_, P, E> {
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
    fn for_each_move<S: Side>(&mut self, mut visit: impl FnMut(P::Move, Score, bool)) {
        for mv in self.position.legal_moves() {
            let score = self.score_after::<S>(mv);
            visit(mv, score, score != Score::WIN && self.position.widens_choice(mv));
        }
    }

    #[inline]
    fn value<S: Side>(&mut self, beta: Score, nodes: &mut u64) -> Score {
        let mut best = Score::LOSS.previous();
        for mv in self.position.legal_moves() {
            *nodes += 1;
            best = best.max(self.score_after::<S>(mv));
            if best >= beta {
                break;
            }
        }
        best
    }

    #[inline]
    fn with_move<S: Side, T>(
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
