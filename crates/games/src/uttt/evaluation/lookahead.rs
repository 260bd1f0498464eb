//! A look-ahead of two plies for sums over squares, by table look-up.
//!
//! The delta of a move, the amount by which it changes a sum over squares, depends only on the pattern of the move's small
//! board, unless the move closes that board. A table by pattern (`deltas`) holds the greatest delta of a player's moves in a
//! small board; a [`SquareLookahead`] keeps it for every board and both players along a line of play.
//!
//! The value after a move and the best reply is then the value before, plus the delta of the move, minus the greatest delta
//! of the opponent in the board that the move sends to. Moves that close a board also change the macro board, and are
//! evaluated one by one. Where the game may end because the last boards are closed, moves are played.
//!
//! Sums use wrapping arithmetic. The difference of two values fits 32 bits, and so does every value computed from them.

use std::ops::ControlFlow::{self, Continue};

use crate::uttt::evaluation::deltas::{BestDelta, CELLS, Cells, GAME, NONE, signed};
use crate::uttt::square::{self, CLASSES, FULL};
use crate::uttt::{ANYWHERE, DrawnBoard, NoLine, Rules, Uttt, UtttMove, in_one_word};
use tictune_core::game::{Lookahead, Player, Position, Score, SideToMove};

const WIN: i32 = Score::WIN.0;
const LOSS: i32 = Score::LOSS.0;

/// The values of all patterns, and the tables of move deltas.
#[derive(Clone, Copy, Debug)]
struct SearchTables<'e> {
    cells: &'e [Cells],
    macro_board: &'e [i32],
    small_boards: [&'e [i32]; 9],
    deltas: [&'e [[BestDelta; 2]]; 9],
    /// The class of each pattern.
    classes: &'e [u16],
}

/// The look-ahead of UTTT evaluators whose values are sums over squares.
#[derive(Debug)]
pub struct SquareLookahead<'e> {
    tables: SearchTables<'e>,
    rules: Rules,
    now: BoardState,
}

/// The part of the look-ahead that moves change.
#[derive(Clone, Copy, Debug)]
struct BoardState {
    /// The pattern of each small board.
    patterns: [u16; 9],
    /// The boards that each player has won.
    won: [u16; 2],
    /// The boards that are won or full.
    closed: u16,
    /// The board that the side to move is sent to; `None` if it may choose.
    target: Option<u8>,
    side: u8,
    /// The value from the first player's view.
    value: i32,
    /// The greatest delta of each player's moves in each small board; [`NONE`] for closed boards.
    deltas: [[i32; 9]; 2],
    /// The change of the macro board's value if a player wins a board, for each player and open board.
    macro_deltas: [[i32; 9]; 2],
}

impl<'e> SquareLookahead<'e> {
    /// The look-ahead from a position, with its value and an evaluator's tables. `None` if drawn boards count for both
    /// players: such a board can decide the game although nobody has won it.
    pub(super) fn new(
        position: &Uttt,
        value: i32,
        macro_board: &'e [i32],
        small_boards: [&'e [i32]; 9],
        deltas: [&'e [[BestDelta; 2]]; 9],
    ) -> Option<Self> {
        let rules = position.rules();
        if rules.drawn_board == DrawnBoard::Both {
            return None;
        }
        let patterns = std::array::from_fn(|board| {
            let [first, second] = position.both(board);
            square::pattern(first, second) as u16
        });
        let now = BoardState {
            patterns,
            won: Player::BOTH.map(|player| position.won(player)),
            closed: position.closed(),
            target: position.target().map(|board| board as u8),
            side: position.side_to_move().index() as u8,
            value,
            deltas: [[NONE; 9]; 2],
            macro_deltas: [[0; 9]; 2],
        };
        let (cells, classes) = (&**CELLS, &*CLASSES.of);
        let tables = SearchTables { cells, macro_board, small_boards, deltas, classes };
        let mut lookahead = Self { tables, rules, now };
        lookahead.find_deltas();
        Some(lookahead)
    }

    #[inline]
    fn side(&self) -> usize {
        usize::from(self.now.side)
    }

    #[inline]
    fn pattern(&self, board: usize) -> usize {
        usize::from(self.now.patterns[board])
    }

    #[inline]
    fn macro_pattern(&self) -> usize {
        square::pattern(self.now.won[0], self.now.won[1])
    }

    /// The greatest delta of a player's moves in a board of this pattern.
    #[inline(always)]
    fn delta(&self, side: usize, board: usize, pattern: usize) -> i32 {
        let class = usize::from(self.tables.classes[pattern]);
        let BestDelta { quiet, win } = self.tables.deltas[board][class][side];
        let more = self.now.macro_deltas[side][board];
        let won = if more == GAME { GAME } else { win.wrapping_add(more) };
        quiet.max(if win == NONE { NONE } else { won })
    }

    /// Recomputes all deltas after the boards won have changed.
    #[inline]
    fn find_deltas(&mut self) {
        let macro_board = self.tables.macro_board;
        let pattern = self.macro_pattern();
        for side in 0..2 {
            let winning = square::completing(self.now.won[side]);
            for board in 0..9 {
                let open = self.now.closed >> board & 1 == 0;
                self.now.deltas[side][board] = if open {
                    let after = macro_board[pattern + square::pattern_step(side, board)];
                    let more = signed(side, after.wrapping_sub(macro_board[pattern]));
                    let wins = winning >> board & 1 == 1;
                    self.now.macro_deltas[side][board] = if wins { GAME } else { more };
                    self.delta(side, board, self.pattern(board))
                } else {
                    NONE
                };
            }
        }
    }

    /// Whether the game may end within `moves` moves because the last boards are closed.
    #[inline]
    fn is_late(&self, moves: u32) -> bool {
        let mut open = FULL & !self.now.closed;
        for _ in 0..moves {
            open &= open.wrapping_sub(1);
        }
        open == 0
    }

    /// The boards that the side to move may play in.
    #[inline]
    fn boards(&self) -> u16 {
        self.now.target.map_or(FULL & !self.now.closed, |board| 1 << board)
    }

    /// The board that a move to a cell sends the opponent to.
    #[inline]
    fn sent_to(&self, cell: usize) -> Option<u8> {
        if self.now.closed >> cell & 1 == 0 { Some(cell as u8) } else { None }
    }

    /// Visits every legal move with its value after the best reply, until `visit` breaks off.
    #[inline(always)]
    fn look<S: SideToMove>(
        &mut self,
        mut visit: impl FnMut(usize, usize, i32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.is_late(2) {
            for board in square::cells(self.boards()) {
                for cell in square::cells(self.tables.cells[self.pattern(board)].empty) {
                    let reply = self.play::<S, _>(board, cell, Self::best_reply::<S::Other>);
                    visit(board, cell, reply.map_or_else(|end| end, |value| -value))?;
                }
            }
            return Continue(());
        }
        if let Some(board) = self.now.target {
            return self.look_at_board::<S>(usize::from(board), &mut visit);
        }
        for board in square::cells(self.boards()) {
            self.look_at_board::<S>(board, &mut visit)?;
        }
        Continue(())
    }

    /// Like [`look`](Self::look) for the moves in one board, where closing the last boards cannot end the game.
    #[inline(always)]
    fn look_at_board<S: SideToMove>(
        &self,
        board: usize,
        visit: &mut impl FnMut(usize, usize, i32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (side, other) = (S::INDEX, S::Other::INDEX);
        let pattern = self.pattern(board);
        let Cells { empty, closing, .. } = self.tables.cells[pattern];
        let values = self.tables.small_boards[board];
        // The value of the position without this board.
        let rest = self.now.value.wrapping_sub(values[pattern]);
        let after = |cell| {
            let pattern = pattern + square::pattern_step(side, cell);
            signed(side, rest.wrapping_add(values[pattern]))
        };
        // Moves that close this board, or send the opponent to it or to a closed board.
        let special = empty & (self.now.closed | closing[side] | 1 << board);
        for cell in square::cells(empty & !special) {
            visit(board, cell, minus_delta(after(cell), self.now.deltas[other][cell]))?;
        }
        let mut elsewhere = None;
        for cell in square::cells(special) {
            let value = if closing[side] >> cell & 1 == 1 {
                self.after_closing::<S>(board, cell, after(cell))
            } else {
                let here = self.delta(other, board, pattern + square::pattern_step(side, cell));
                let delta = if self.sent_to(cell).is_some() {
                    here
                } else {
                    here.max(*elsewhere.get_or_insert_with(|| self.best_elsewhere(other, board)))
                };
                minus_delta(after(cell), delta)
            };
            visit(board, cell, value)?;
        }
        Continue(())
    }

    /// The greatest delta of a player's moves in the other boards.
    #[inline]
    fn best_elsewhere(&self, side: usize, board: usize) -> i32 {
        let deltas = &self.now.deltas[side];
        (0..9).fold(NONE, |most, other| if other == board { most } else { most.max(deltas[other]) })
    }

    /// The value of a move that wins or fills its board, after the best reply; `value` is without the macro board.
    #[inline]
    fn after_closing<S: SideToMove>(&self, board: usize, cell: usize, value: i32) -> i32 {
        let (side, other) = (S::INDEX, S::Other::INDEX);
        let closed = self.now.closed | 1 << board;
        let pattern = self.pattern(board) + square::pattern_step(side, cell);
        let mut macro_pattern = self.macro_pattern();
        let mut value = value;
        let is_won = self.tables.cells[pattern].is_won(side);
        if is_won {
            let more = self.now.macro_deltas[side][board];
            if more == GAME {
                return WIN;
            }
            value = value.wrapping_add(more);
            macro_pattern += square::pattern_step(side, board);
        }
        let macro_board = self.tables.macro_board;
        let delta = |board: usize| {
            let class = usize::from(self.tables.classes[self.pattern(board)]);
            let BestDelta { quiet, win } = self.tables.deltas[board][class][other];
            if !is_won || win == NONE || self.now.macro_deltas[other][board] == GAME {
                return self.now.deltas[other][board];
            }
            let then = macro_board[macro_pattern + square::pattern_step(other, board)];
            let more = signed(other, then.wrapping_sub(macro_board[macro_pattern]));
            quiet.max(win.wrapping_add(more))
        };
        let delta = if closed >> cell & 1 == 0 {
            delta(cell)
        } else {
            square::cells(FULL & !closed).map(delta).fold(NONE, i32::max)
        };
        minus_delta(value, delta)
    }

    /// The value after the best move, for the side to move.
    #[inline]
    fn best_reply<S: SideToMove>(&mut self) -> i32 {
        let side = S::INDEX;
        if !self.is_late(1) {
            let deltas = &self.now.deltas[side];
            let delta = match self.now.target {
                Some(board) => deltas[usize::from(board)],
                None => deltas.iter().copied().fold(NONE, i32::max),
            };
            return if delta == GAME {
                WIN
            } else {
                signed(side, self.now.value).wrapping_add(delta)
            };
        }
        let mut best = i32::MIN;
        for board in square::cells(self.boards()) {
            for cell in square::cells(self.tables.cells[self.pattern(board)].empty) {
                let value = |after: &mut Self| signed(S::INDEX, after.now.value);
                let after = self.play::<S, _>(board, cell, value);
                best = best.max(after.unwrap_or_else(|end| end));
            }
        }
        best
    }

    /// Plays a move, calls `then` and takes the move back. The end of a game is an error: its value for the side that moved.
    #[inline(always)]
    fn play<S: SideToMove, T>(
        &mut self,
        board: usize,
        cell: usize,
        then: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, i32> {
        debug_assert_eq!(self.side(), S::INDEX);
        let side = S::INDEX;
        let before = self.pattern(board);
        if self.tables.cells[before].closing[side] >> cell & 1 == 1 {
            let state = self.now;
            let result = match self.close::<S>(board, cell) {
                Some(end) => Err(end),
                None => Ok(then(self)),
            };
            self.now = state;
            return result;
        }
        let BoardState { value, target, deltas, .. } = &self.now;
        let (value, target) = (*value, *target);
        let deltas = [deltas[0][board], deltas[1][board]];
        self.set_pattern(board, before + square::pattern_step(side, cell));
        for side in 0..2 {
            self.now.deltas[side][board] = self.delta(side, board, self.pattern(board));
        }
        self.now.target = self.sent_to(cell);
        self.now.side ^= 1;
        let result = then(self);
        self.now.side ^= 1;
        self.now.target = target;
        self.now.value = value;
        self.now.patterns[board] = before as u16;
        (self.now.deltas[0][board], self.now.deltas[1][board]) = (deltas[0], deltas[1]);
        Ok(result)
    }

    /// Gives a small board a new pattern.
    #[inline(always)]
    fn set_pattern(&mut self, board: usize, pattern: usize) {
        let values = self.tables.small_boards[board];
        let rest = self.now.value.wrapping_sub(values[self.pattern(board)]);
        self.now.value = rest.wrapping_add(values[pattern]);
        self.now.patterns[board] = pattern as u16;
    }

    /// Plays a move that wins or fills its board. Returns the value of the game, if it is over, for the side that moved.
    #[inline]
    fn close<S: SideToMove>(&mut self, board: usize, cell: usize) -> Option<i32> {
        let side = S::INDEX;
        let pattern = self.pattern(board) + square::pattern_step(side, cell);
        self.set_pattern(board, pattern);
        self.now.closed |= 1 << board;
        let is_won = self.tables.cells[pattern].is_won(side);
        if is_won {
            let before = self.tables.macro_board[self.macro_pattern()];
            self.now.won[side] |= 1 << board;
            if square::has_line(self.now.won[side]) {
                return Some(WIN);
            }
            let after = self.tables.macro_board[self.macro_pattern()];
            self.now.value = self.now.value.wrapping_sub(before).wrapping_add(after);
        }
        if self.now.closed == FULL {
            return Some(self.value_of_full_board());
        }
        if is_won {
            self.find_deltas();
        } else {
            (self.now.deltas[0][board], self.now.deltas[1][board]) = (NONE, NONE);
        }
        self.now.target = self.sent_to(cell);
        self.now.side ^= 1;
        None
    }

    /// The value for the side that moved, if all boards are closed and nobody has three in a row.
    #[inline]
    fn value_of_full_board(&self) -> i32 {
        let [own, others] =
            [self.side(), self.side() ^ 1].map(|side| self.now.won[side].count_ones());
        match self.rules.no_line {
            NoLine::MostBoards if own > others => WIN,
            NoLine::MostBoards if own < others => LOSS,
            _ => Score::DRAW.0,
        }
    }
}

/// A value minus the delta of the opponent's reply.
#[inline]
fn minus_delta(value: i32, delta: i32) -> i32 {
    if delta == GAME { LOSS } else { value.wrapping_sub(delta) }
}

impl Lookahead<Uttt> for SquareLookahead<'_> {
    const PLIES: u32 = 2;

    #[inline]
    fn position(&self) -> Uttt {
        let BoardState { patterns, won, closed, target, .. } = self.now;
        Uttt {
            marks: patterns.map(|pattern| in_one_word(square::masks(usize::from(pattern)))),
            won,
            closed,
            target: target.unwrap_or(ANYWHERE),
            side: self.side_to_move(),
            outcome: None,
            rules: self.rules,
        }
    }

    #[inline]
    fn side_to_move(&self) -> Player {
        Player::BOTH[self.side()]
    }

    #[inline(always)]
    fn try_each_move<S: SideToMove>(
        &mut self,
        mut visit: impl FnMut(UtttMove, Score, i8) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.look::<S>(|board, cell, value| visit(UtttMove::at(board, cell), Score(value), 0))
    }

    #[inline]
    fn with_move<S: SideToMove, T>(
        &mut self,
        mv: UtttMove,
        then: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Score> {
        self.play::<S, T>(mv.board(), mv.cell(), then).map_err(Score)
    }
}
