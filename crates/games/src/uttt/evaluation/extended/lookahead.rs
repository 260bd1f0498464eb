//! The look-ahead of our own evaluation. It is one ply deep and computes once what all moves of a position share.
//!
//! For both players, it stores the value of being sent to each board. A move changes this value for its own board alone,
//! unless it changes what boards are worth. The value that a move adds to its board then takes two table look-ups.

use std::ops::ControlFlow;

use crate::uttt::evaluation::extended::{Extended, ExtendedState, can_win, times};
use crate::uttt::evaluation::macro_board::{changing_cells, is_changed_by};
use crate::uttt::square::{self, FULL, cells};
use crate::uttt::{Uttt, UtttMove};
use tictune_core::game::{
    Evaluator, Lookahead, Position, Score, Searchable, SideToMove, score_by_playing,
};

/// The look-ahead of an [`Extended`] evaluator.
#[derive(Clone, Copy, Debug)]
pub struct ExtendedLookahead<'e> {
    evaluator: &'e Extended,
    position: Uttt,
    state: ExtendedState,
    /// The value of the turn for each player who is sent to each open board.
    sent: [[i32; 9]; 2],
    /// The open boards that each player can win at once.
    to_win: [u16; 2],
    /// The open boards on live macro lines with one board won, and those that would win the game.
    near: [u16; 2],
    game: [u16; 2],
}

impl<'e> ExtendedLookahead<'e> {
    pub(super) fn new(evaluator: &'e Extended, position: &Uttt) -> Self {
        let state = evaluator.state(position);
        let with = |player: usize, factor: usize| {
            let boards = state.worth[player].iter().zip(0..).filter(|(worth, _)| worth[factor] > 0);
            boards.fold(0, |set, (_, board)| set | 1 << board)
        };
        let [near, game] = [2, 3].map(|factor| [with(0, factor), with(1, factor)]);
        let (sent, to_win) = ([[0; 9]; 2], [0; 2]);
        let mut lookahead =
            Self { evaluator, position: *position, state, sent, to_win, near, game };
        for board in cells(position.open()) {
            lookahead.find_turns_of(board);
        }
        lookahead
    }

    /// Recomputes the values of the turn that depend on an open board.
    #[inline]
    fn find_turns_of(&mut self, board: usize) {
        let [first, second] = self.position.both(board);
        for (player, marks) in [[first, second], [second, first]].into_iter().enumerate() {
            self.sent[player][board] = self.when_sent(player, board, marks);
            let to_win = &mut self.to_win[player];
            *to_win = *to_win & !(1 << board) | u16::from(can_win(marks)) << board;
        }
    }

    /// The value for a player, whose turn it is, of being sent to an open board with these marks, the player's first.
    #[inline]
    fn when_sent(&self, player: usize, board: usize, marks: [u16; 2]) -> i32 {
        let worth = &self.state.worth;
        self.evaluator.sent(worth[player][board], worth[player ^ 1][board], marks)
    }

    /// The value for a player of choosing among all open boards, of which `to_win` can be won at once.
    #[inline]
    fn when_free(&self, player: usize, to_win: u16) -> i32 {
        let (near, game) = (to_win & self.near[player], to_win & self.game[player]);
        self.evaluator.free([to_win, near, game].map(|set| set != 0))
    }
}

impl Lookahead<Uttt> for ExtendedLookahead<'_> {
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
        let sign = if side == 0 { 1 } else { -1 };
        for board in cells(position.playable()) {
            let marks = position.both(board);
            let (own, theirs) = (marks[side], marks[other]);
            let (mine, its) = (state.worth[side][board], state.worth[other][board]);
            let (as_mine, as_its) = (square::pattern(own, theirs), square::pattern(theirs, own));
            let table = &*evaluator.small_boards;
            // The value of the position without this board and without the turn.
            let rest = sign * state.value - times(table[as_mine], mine) + times(table[as_its], its);
            let empty = FULL & !(own | theirs);
            let special = changing_cells(own, empty);
            for cell in cells(empty) {
                let mv = UtttMove::at(board, cell);
                if special >> cell & 1 == 1 {
                    let score = score_by_playing(*evaluator, state, position, mv);
                    let score = score.seen_by(S::PLAYER);
                    visit(mv, score, if score == Score::WIN { 0 } else { position.order(mv) })?;
                    continue;
                }
                let changed = [theirs, own | 1 << cell];
                let is_free = closed >> cell & 1 == 1;
                let turn = if is_free {
                    let here = u16::from(can_win(changed)) << board;
                    self.when_free(other, self.to_win[other] & !(1 << board) | here)
                } else if cell == board {
                    self.when_sent(other, board, changed)
                } else {
                    self.sent[other][cell]
                };
                let value = rest + times(table[as_mine + square::pattern_step(0, cell)], mine)
                    - times(table[as_its + square::pattern_step(1, cell)], its);
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
        let [before, now] = [&self.position, &position]
            .map(|position| self.evaluator.small(&self.state.worth, board, position.both(board)));
        after.state.value = self.state.value - before + now;
        after.find_turns_of(board);
        Ok(then(&mut after))
    }
}
