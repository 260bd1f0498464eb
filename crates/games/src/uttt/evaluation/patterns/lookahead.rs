//! The look-ahead of the evaluation by patterns. It is one ply deep: the value of every move takes two look-ups, unless the
//! move changes the worth of boards.

use std::ops::ControlFlow;

use super::orientation::TURNED;
use super::{PatternState, Patterns};
use crate::uttt::evaluation::macro_board::{changing_cells, is_changed_by};
use crate::uttt::square::{self, FULL};
use crate::uttt::{Uttt, UtttMove};
use tictune_core::game::{
    Evaluator, Lookahead, Position, Score, Searchable, SideToMove, score_by_playing,
};

/// The look-ahead of a [`Patterns`] evaluator.
#[derive(Clone, Copy, Debug)]
pub struct PatternLookahead<'e> {
    evaluator: &'e Patterns,
    position: Uttt,
    state: PatternState,
    /// The number of each board's turned pattern.
    patterns: [u16; 9],
    /// The fitted value of the turn of each player who is sent to each open board.
    sent: [[i16; 9]; 2],
}

impl<'e> PatternLookahead<'e> {
    pub(super) fn new(evaluator: &'e Patterns, position: &Uttt) -> Self {
        let state = evaluator.state(position);
        let patterns =
            std::array::from_fn(|board| TURNED.pattern(board, position.both(board)) as u16);
        let mut lookahead =
            Self { evaluator, position: *position, state, patterns, sent: [[0; 9]; 2] };
        for board in square::cells(position.open()) {
            lookahead.find_turn(board);
        }
        lookahead
    }

    /// Looks up the turn of both players in a board whose pattern has changed.
    #[inline]
    fn find_turn(&mut self, board: usize) {
        let index = self.state.rows[board] as usize + usize::from(self.patterns[board]);
        for (sent, table) in self.sent.iter_mut().zip(&self.evaluator.fitted.turn) {
            sent[board] = table[index];
        }
    }

    #[inline]
    fn is_decisive(&self, board: usize) -> bool {
        self.state.decisive >> board & 1 == 1
    }

    /// The best board of a player who may choose, of all open boards but one.
    fn best_but(&self, player: usize, board: usize) -> Option<(i16, bool)> {
        let open = self.position.open() & !(1 << board);
        square::cells(open).map(|other| (self.sent[player][other], self.is_decisive(other))).max()
    }
}

impl Lookahead<Uttt> for PatternLookahead<'_> {
    const PLIES: u32 = 1;

    #[inline]
    fn position(&self) -> Uttt {
        self.position
    }

    #[inline(always)]
    fn try_each_move<S: SideToMove>(
        &mut self,
        mut visit: impl FnMut(UtttMove, Score, i8) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self { evaluator, position, state, .. } = &*self;
        let (side, other) = (S::INDEX, S::Other::INDEX);
        let closed = position.closed();
        let turned = &*TURNED;
        for board in square::cells(position.playable()) {
            let marks = position.both(board);
            let empty = FULL & !(marks[0] | marks[1]);
            let special = changing_cells(marks[side], empty);
            let now = state.rows[board] as usize + usize::from(self.patterns[board]);
            let rest = state.value - evaluator.boards[now];
            let mut elsewhere = None;
            for cell in square::cells(empty) {
                let mv = UtttMove::at(board, cell);
                if special >> cell & 1 == 1 {
                    let score = score_by_playing(*evaluator, state, position, mv);
                    let score = score.seen_by(S::PLAYER);
                    visit(mv, score, if score == Score::WIN { 0 } else { position.order(mv) })?;
                    continue;
                }
                let then = now + turned.step(board, cell, side);
                let here = || (evaluator.fitted.turn[other][then], self.is_decisive(board));
                let is_free = closed >> cell & 1 == 1;
                let turn = if is_free {
                    let elsewhere = *elsewhere.get_or_insert_with(|| self.best_but(other, board));
                    let (fitted, decisive) = elsewhere.map_or(here(), |best| best.max(here()));
                    evaluator.sent(fitted, decisive) + evaluator.free_choice
                } else {
                    let sent = (self.sent[other][cell], self.is_decisive(cell));
                    let (fitted, decisive) = if cell == board { here() } else { sent };
                    evaluator.sent(fitted, decisive)
                };
                let value = rest + evaluator.boards[then];
                let value = if side == 0 { value } else { -value };
                visit(mv, Score(value - turn), -i8::from(is_free))?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn with_move<S: SideToMove, T>(
        &mut self,
        mv: UtttMove,
        then: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Score> {
        let position = self.position.after(mv);
        if let Some(outcome) = position.outcome() {
            return Err(Score::of_outcome(outcome, S::PLAYER));
        }
        if is_changed_by(&self.position, mv) {
            return Ok(then(&mut Self::new(self.evaluator, &position)));
        }
        let board = mv.board();
        let mut after = Self { position, ..*self };
        let step = TURNED.step(board, mv.cell(), S::INDEX) as u16;
        after.patterns[board] += step;
        let row = self.state.rows[board] as usize;
        let [before, now] = [self.patterns[board], after.patterns[board]]
            .map(|pattern| self.evaluator.boards[row + usize::from(pattern)]);
        after.state.value = self.state.value - before + now;
        after.find_turn(board);
        Ok(then(&mut after))
    }
}
