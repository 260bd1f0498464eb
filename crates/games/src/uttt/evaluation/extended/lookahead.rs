//! The look-ahead of our own evaluation. It is one ply deep and computes once what all moves of a
//! position share.
//!
//! For both players, it stores the value of being sent to each board. A move changes this value for
//! its own board alone, unless it changes the factors of boards. The value that a move adds to its
//! board then takes two table look-ups.

use std::ops::ControlFlow;

use crate::uttt::evaluation::extended::{
    Extended, ExtendedState, Worth, blocks, can_win, marks, times,
};
use crate::uttt::square::{self, FULL};
use crate::uttt::{Uttt, UtttMove};
use tictune_core::game::{Evaluator, Lookahead, Player, Position, Score, Searchable, Side};

/// The look-ahead of an [`Extended`] evaluator.
#[derive(Debug)]
pub struct ExtendedLookahead<'e> {
    evaluator: &'e Extended,
    position: Uttt,
    state: ExtendedState,
    turns: Turns,
}

/// The value of the turn for each player, if it is that player's turn.
#[derive(Clone, Copy, Debug)]
struct Turns {
    /// The value of being sent to each open board.
    sent: [[i32; 9]; 2],
    /// The open boards that each player can win at once.
    to_win: [u16; 2],
    /// The open boards on live macro lines with one board won, and those that would win the game.
    near: [u16; 2],
    game: [u16; 2],
}

/// The cells of a set in ascending order.
#[inline]
fn cells(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(cell)
    })
}

impl<'e> ExtendedLookahead<'e> {
    pub(super) fn new(evaluator: &'e Extended, position: &Uttt) -> Self {
        let state = evaluator.state(position);
        let none = Turns { sent: [[0; 9]; 2], to_win: [0; 2], near: [0; 2], game: [0; 2] };
        let mut after = Self { evaluator, position: *position, state, turns: none };
        after.find_turns();
        after
    }

    /// Recomputes all turns after the factors of boards have changed.
    #[inline]
    fn find_turns(&mut self) {
        let open = FULL & !self.position.closed();
        for player in 0..2 {
            let with = |factor: fn(&Worth) -> bool| {
                let boards = self.state.worth[player].iter().zip(0..);
                boards
                    .filter(|(worth, _)| factor(worth))
                    .fold(0, |set, (_, board)| set | 1 << board)
            };
            (self.turns.near[player], self.turns.game[player]) =
                (with(|worth| worth[2] > 0), with(|worth| worth[3] > 0));
            self.turns.to_win[player] = 0;
        }
        for board in cells(open) {
            self.find_turns_of(board);
        }
    }

    /// Recomputes the values of the turn that depend on an open board.
    #[inline]
    fn find_turns_of(&mut self, board: usize) {
        let [first, second] = marks(&self.position, board);
        self.turns.sent[0][board] = self.sent(0, board, [first, second]);
        self.turns.sent[1][board] = self.sent(1, board, [second, first]);
        for (to_win, marks) in self.turns.to_win.iter_mut().zip([[first, second], [second, first]])
        {
            *to_win = *to_win & !(1 << board) | u16::from(can_win(marks)) << board;
        }
    }

    /// The value for a player, whose turn it is, of being sent to an open board with these marks,
    /// the player's first.
    #[inline]
    fn sent(&self, player: usize, board: usize, marks: [u16; 2]) -> i32 {
        let worth = &self.state.worth;
        self.evaluator.sent(worth[player][board], worth[player ^ 1][board], marks)
    }

    /// The value for a player, whose turn it is, of choosing among all open boards. `to_win` holds
    /// those that the player can win at once.
    #[inline]
    fn free(&self, player: usize, to_win: u16) -> i32 {
        let Turns { near, game, .. } = &self.turns;
        self.evaluator
            .free([to_win, to_win & near[player], to_win & game[player]].map(|set| set != 0))
    }

    /// Visits every legal move with its value for the side to move, until `visit` breaks off.
    #[inline(always)]
    fn try_each_value<S: Side>(
        &self,
        mut visit: impl FnMut(UtttMove, Score) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self { evaluator, position, state, turns } = self;
        let (side, other) = (S::INDEX, S::Other::INDEX);
        let closed = position.closed();
        let sign = if side == 0 { 1 } else { -1 };
        let boards = position.target().map_or(FULL & !closed, |board| 1 << board);
        for board in cells(boards) {
            let marks = marks(position, board);
            let (own, theirs) = (marks[side], marks[other]);
            let (mine, its) = (state.worth[side][board], state.worth[other][board]);
            let (as_mine, as_its) = (square::pattern(own, theirs), square::pattern(theirs, own));
            let table = &*evaluator.small_boards;
            // The value of the position without this board and without the turn.
            let rest = sign * state.value - times(table[as_mine], mine) + times(table[as_its], its);
            let empty = FULL & !(own | theirs);
            let fills = if empty & (empty - 1) == 0 { empty } else { 0 };
            // Moves that change the factors of boards.
            let special = square::completing(own) | fills | square::blocking(own);
            for cell in cells(empty) {
                let mv = UtttMove::at(board, cell);
                if special >> cell & 1 == 1 {
                    let score = evaluator.score_after(state, position, mv);
                    visit(mv, score.seen_by(S::PLAYER))?;
                    continue;
                }
                let changed = [theirs, own | 1 << cell];
                let turn = if closed >> cell & 1 == 1 {
                    let here = u16::from(can_win(changed)) << board;
                    self.free(other, turns.to_win[other] & !(1 << board) | here)
                } else if cell == board {
                    self.sent(other, board, changed)
                } else {
                    turns.sent[other][cell]
                };
                let value = rest + times(table[as_mine + square::pattern_step(0, cell)], mine)
                    - times(table[as_its + square::pattern_step(1, cell)], its);
                visit(mv, Score(value - turn))?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl Lookahead<Uttt> for ExtendedLookahead<'_> {
    const PLIES: u32 = 1;

    #[inline]
    fn position(&self) -> Uttt {
        self.position
    }

    #[inline]
    fn side_to_move(&self) -> Player {
        self.position.side_to_move()
    }

    #[inline]
    fn try_each_move<S: Side>(
        &mut self,
        mut visit: impl FnMut(UtttMove, Score, i8) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.try_each_value::<S>(|mv, score| {
            visit(mv, score, if score == Score::WIN { 0 } else { self.position.order(mv) })
        })
    }

    #[inline]
    fn with_move<S: Side, T>(
        &mut self,
        mv: UtttMove,
        then: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Score> {
        let position = self.position.after(mv);
        if let Some(outcome) = position.outcome() {
            return Err(Score::of_outcome(outcome, S::PLAYER));
        }
        let mut state = self.state;
        self.evaluator.update(&mut state, &self.position, mv, &position);
        let changes_worth =
            position.closed() != self.position.closed() || blocks(&self.position, mv);
        let mut after = Self { evaluator: self.evaluator, position, state, turns: self.turns };
        if changes_worth {
            after.find_turns();
        } else {
            after.find_turns_of(mv.board());
        }
        Ok(then(&mut after))
    }
}
