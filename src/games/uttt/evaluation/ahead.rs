//! Sums over squares seen two plies ahead, by look-up.
//!
//! What a move adds to a sum over squares depends on the pattern of its small board alone, unless it closes
//! that board. So the most that a player can gain by one move in a small board is a table by patterns
//! (`gains`); a [`Lookahead`] keeps it for every board and both players along a line of play. The value of
//! a position after a move and the best reply to it is then what the move adds, minus the opponent's
//! gain in the board that the move sends to: no move of the last two plies is played. Moves that close a
//! board change the macro board and are valued one by one; where the game may end because the last boards
//! are closed, moves are played after all.
//!
//! Sums wrap around: a difference of two values fits 32 bits, and so does every value that is made of them.

use std::sync::Arc;

use crate::game::{Line, Player, Position, Score, Side};
use crate::games::uttt::evaluation::gains::{
    CELLS, Cells, GAME, Gain, Gains, NONE, set_bits, signed,
};
use crate::games::uttt::square::{self, FULL};
use crate::games::uttt::{DrawnBoard, NoLine, Rules, Uttt, UtttMove};

const WIN: i32 = Score::WIN.0;
const LOSS: i32 = Score::LOSS.0;

/// The values of all patterns, where moves are looked up.
#[derive(Clone, Copy, Debug)]
struct Tables<'e> {
    cells: &'e [Cells],
    macro_board: &'e [i32],
    small_boards: [&'e [i32]; 9],
    gains: [&'e [[Gain; 2]]; 9],
}

/// A line of play of UTTT whose values are sums over squares.
#[derive(Debug)]
pub struct Lookahead<'e> {
    tables: Tables<'e>,
    rules: Rules,
    now: State,
}

/// What moves change.
#[derive(Clone, Copy, Debug)]
struct State {
    /// The pattern of each small board.
    patterns: [u16; 9],
    /// Boards that each player has won.
    won: [u16; 2],
    /// Boards that are won or full.
    closed: u16,
    /// The board that the side to move is sent to; none if it may choose.
    target: Option<u8>,
    side: u8,
    /// The value from the first player's view.
    value: i32,
    /// The most that each player could gain by one move in each small board; [`NONE`] in closed ones.
    gains: [[i32; 9]; 2],
    /// What winning each open board would change in the macro board, for each player.
    macro_gains: [[i32; 9]; 2],
}

impl<'e> Lookahead<'e> {
    /// The line that begins at a position, with its value and the tables of an evaluator; none under rules
    /// that let a board win the game that nobody has won.
    pub(super) fn new(
        position: &Uttt,
        value: i32,
        macro_board: &'e [i32],
        small_boards: [&'e [i32]; 9],
        gains: &'e [Arc<Gains>; 9],
    ) -> Option<Self> {
        let rules = position.rules();
        if rules.drawn_board == DrawnBoard::Both {
            return None;
        }
        let gains = std::array::from_fn(|board| &*gains[board].0);
        let patterns = std::array::from_fn(|board| {
            let [first, second] = Player::BOTH.map(|player| position.marks(player, board));
            square::pattern(first, second) as u16
        });
        let now = State {
            patterns,
            won: Player::BOTH.map(|player| position.won(player)),
            closed: position.closed(),
            target: position.target().map(|board| board as u8),
            side: position.side_to_move().index() as u8,
            value,
            gains: [[NONE; 9]; 2],
            macro_gains: [[0; 9]; 2],
        };
        let tables = Tables { cells: &CELLS, macro_board, small_boards, gains };
        let mut line = Self { tables, rules, now };
        line.find_gains();
        Some(line)
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

    /// The most that a player could gain in a board if it had this pattern.
    #[inline(always)]
    fn gain(&self, side: usize, board: usize, pattern: usize) -> i32 {
        let Gain { quiet, win } = self.tables.gains[board][pattern][side];
        let more = self.now.macro_gains[side][board];
        let won = if more == GAME { GAME } else { win.wrapping_add(more) };
        quiet.max(if win == NONE { NONE } else { won })
    }

    /// All gains anew, as the boards that are won have changed.
    fn find_gains(&mut self) {
        let macro_board = self.tables.macro_board;
        let pattern = self.macro_pattern();
        for side in 0..2 {
            let winning = square::completing(self.now.won[side]);
            for board in 0..9 {
                let open = self.now.closed >> board & 1 == 0;
                self.now.gains[side][board] = if open {
                    let after = macro_board[pattern + square::pattern_step(side, board)];
                    let more = signed(side, after.wrapping_sub(macro_board[pattern]));
                    let wins = winning >> board & 1 == 1;
                    self.now.macro_gains[side][board] = if wins { GAME } else { more };
                    self.gain(side, board, self.pattern(board))
                } else {
                    NONE
                };
            }
        }
    }

    /// Whether the game may end within so many moves because the last boards are closed.
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

    /// The board that a move to a cell sends to.
    #[inline]
    fn sent_to(&self, cell: usize) -> Option<u8> {
        if self.now.closed >> cell & 1 == 0 { Some(cell as u8) } else { None }
    }

    /// Tells the value of every legal move after the best reply to it, until one reaches `beta`; the
    /// greatest is returned.
    #[inline(always)]
    fn look<S: Side>(&mut self, beta: i32, mut tell: impl FnMut(usize, usize, i32)) -> i32 {
        let mut best = i32::MIN;
        if self.is_late(2) {
            for board in set_bits(self.boards()) {
                for cell in set_bits(self.tables.cells[self.pattern(board)].empty) {
                    let reply = self.play::<S, _>(board, cell, Self::best_reply::<S::Other>);
                    let value = reply.map_or_else(|end| end, |value| -value);
                    tell(board, cell, value);
                    best = best.max(value);
                    if best >= beta {
                        return best;
                    }
                }
            }
            return best;
        }
        if let Some(board) = self.now.target {
            return self.look_at_board::<S>(usize::from(board), beta, &mut tell);
        }
        for board in set_bits(self.boards()) {
            best = best.max(self.look_at_board::<S>(board, beta, &mut tell));
            if best >= beta {
                break;
            }
        }
        best
    }

    /// The same for the moves in one board, where the game does not end by closing the last boards.
    #[inline(always)]
    fn look_at_board<S: Side>(
        &self,
        board: usize,
        beta: i32,
        tell: &mut impl FnMut(usize, usize, i32),
    ) -> i32 {
        let (side, other) = (S::INDEX, S::Other::INDEX);
        let pattern = self.pattern(board);
        let Cells { empty, closing, .. } = self.tables.cells[pattern];
        let values = self.tables.small_boards[board];
        // What the position is worth but for this board.
        let rest = self.now.value.wrapping_sub(values[pattern]);
        let after = |cell| {
            let pattern = pattern + square::pattern_step(side, cell);
            signed(side, rest.wrapping_add(values[pattern]))
        };
        let mut best = i32::MIN;
        // Moves that leave the board that they send to, and the macro board, as they are.
        let special = empty & (self.now.closed | closing[side] | 1 << board);
        for cell in set_bits(empty & !special) {
            let value = minus_gain(after(cell), self.now.gains[other][cell]);
            tell(board, cell, value);
            best = best.max(value);
            if best >= beta {
                return best;
            }
        }
        let mut elsewhere = None;
        for cell in set_bits(special) {
            let value = if closing[side] >> cell & 1 == 1 {
                self.after_closing::<S>(board, cell, after(cell))
            } else {
                let here = self.gain(other, board, pattern + square::pattern_step(side, cell));
                let gain = if self.sent_to(cell).is_some() {
                    here
                } else {
                    here.max(*elsewhere.get_or_insert_with(|| self.most_elsewhere(other, board)))
                };
                minus_gain(after(cell), gain)
            };
            tell(board, cell, value);
            best = best.max(value);
            if best >= beta {
                return best;
            }
        }
        best
    }

    /// The most that a player could gain in the other boards.
    #[inline]
    fn most_elsewhere(&self, side: usize, board: usize) -> i32 {
        let gains = &self.now.gains[side];
        (0..9).fold(NONE, |most, other| if other == board { most } else { most.max(gains[other]) })
    }

    /// The value of a move that wins or fills its board, after the best reply; `value` is that of the
    /// squares but for the macro board.
    fn after_closing<S: Side>(&self, board: usize, cell: usize, value: i32) -> i32 {
        let (side, other) = (S::INDEX, S::Other::INDEX);
        let closed = self.now.closed | 1 << board;
        let pattern = self.pattern(board) + square::pattern_step(side, cell);
        let mut macro_pattern = self.macro_pattern();
        let mut value = value;
        let is_won = self.tables.cells[pattern].is_won(side);
        if is_won {
            let more = self.now.macro_gains[side][board];
            if more == GAME {
                return WIN;
            }
            value = value.wrapping_add(more);
            macro_pattern += square::pattern_step(side, board);
        }
        let macro_board = self.tables.macro_board;
        let gain = |board: usize| {
            let Gain { quiet, win } = self.tables.gains[board][self.pattern(board)][other];
            if !is_won || win == NONE || self.now.macro_gains[other][board] == GAME {
                return self.now.gains[other][board];
            }
            let then = macro_board[macro_pattern + square::pattern_step(other, board)];
            let more = signed(other, then.wrapping_sub(macro_board[macro_pattern]));
            quiet.max(win.wrapping_add(more))
        };
        let gain = if closed >> cell & 1 == 0 {
            gain(cell)
        } else {
            set_bits(FULL & !closed).map(gain).fold(NONE, i32::max)
        };
        minus_gain(value, gain)
    }

    /// The value after the best move, for the side to move.
    fn best_reply<S: Side>(&mut self) -> i32 {
        let side = S::INDEX;
        if !self.is_late(1) {
            let gains = &self.now.gains[side];
            let gain = match self.now.target {
                Some(board) => gains[usize::from(board)],
                None => gains.iter().copied().fold(NONE, i32::max),
            };
            return if gain == GAME {
                WIN
            } else {
                signed(side, self.now.value).wrapping_add(gain)
            };
        }
        let mut best = i32::MIN;
        for board in set_bits(self.boards()) {
            for cell in set_bits(self.tables.cells[self.pattern(board)].empty) {
                let value = |line: &mut Self| signed(S::INDEX, line.now.value);
                let after = self.play::<S, _>(board, cell, value);
                best = best.max(after.unwrap_or_else(|end| end));
            }
        }
        best
    }

    /// Plays a move for as long as `then` runs; an error is the value of a game that is over for the side
    /// that moved.
    #[inline(always)]
    fn play<S: Side, T>(
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
        let State { value, target, gains, .. } = &self.now;
        let (value, target) = (*value, *target);
        let gains = [gains[0][board], gains[1][board]];
        self.set_pattern(board, before + square::pattern_step(side, cell));
        for side in 0..2 {
            self.now.gains[side][board] = self.gain(side, board, self.pattern(board));
        }
        self.now.target = self.sent_to(cell);
        self.now.side ^= 1;
        let result = then(self);
        self.now.side ^= 1;
        self.now.target = target;
        self.now.value = value;
        self.now.patterns[board] = before as u16;
        (self.now.gains[0][board], self.now.gains[1][board]) = (gains[0], gains[1]);
        Ok(result)
    }

    /// A small board with a new pattern.
    #[inline(always)]
    fn set_pattern(&mut self, board: usize, pattern: usize) {
        let values = self.tables.small_boards[board];
        let rest = self.now.value.wrapping_sub(values[self.pattern(board)]);
        self.now.value = rest.wrapping_add(values[pattern]);
        self.now.patterns[board] = pattern as u16;
    }

    /// Plays a move that wins or fills its board: the value of the game for the side that moves if it is
    /// over.
    fn close<S: Side>(&mut self, board: usize, cell: usize) -> Option<i32> {
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
            self.find_gains();
        } else {
            (self.now.gains[0][board], self.now.gains[1][board]) = (NONE, NONE);
        }
        self.now.target = self.sent_to(cell);
        self.now.side ^= 1;
        None
    }

    /// The value for the side that moves, all boards being closed and nobody having three in a row.
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

/// A value less what the opponent gains.
#[inline]
fn minus_gain(value: i32, gain: i32) -> i32 {
    if gain == GAME { LOSS } else { value.wrapping_sub(gain) }
}

impl Line<Uttt> for Lookahead<'_> {
    const PLIES: u32 = 2;

    fn position(&self) -> Uttt {
        let State { patterns, won, closed, target, .. } = self.now;
        let marks = patterns.map(|pattern| square::masks(usize::from(pattern)));
        Uttt::unfinished(marks, won, closed, target, self.side_to_move(), self.rules)
    }

    #[inline]
    fn side_to_move(&self) -> Player {
        Player::BOTH[self.side()]
    }

    #[inline(always)]
    fn each_move<S: Side>(&mut self, mut tell: impl FnMut(UtttMove, Score, bool)) {
        self.look::<S>(i32::MAX, |board, cell, value| {
            tell(UtttMove::at(board, cell), Score(value), false);
        });
    }

    #[inline(always)]
    fn value<S: Side>(&mut self, beta: Score, _: &mut u64) -> Score {
        Score(self.look::<S>(beta.0, |_, _, _| {}))
    }

    #[inline]
    fn with_move<S: Side, T>(
        &mut self,
        mv: UtttMove,
        then: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Score> {
        self.play::<S, T>(mv.board(), mv.cell(), then).map_err(Score)
    }
}
