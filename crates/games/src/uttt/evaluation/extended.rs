//! An evaluation of our own. The evaluations of the papers add up squares independently of each other. This one considers
//! lines, what boards mean on the macro board, and whose turn it is. It is still linear in its weights and uses tables.
//!
//! - A line is *live* for a player while nobody else has a cell of it. On the macro board, a drawn board belongs to nobody, so
//!   it ends lines of both players. An open board that a player can no longer win ends lines of that player.
//! - Only small boards that the player can still win count. Each counts by the live macro lines through it: once as it is, once
//!   times the number of these lines (`live`), once times the number of those with one board won (`near`), and once more if
//!   winning it wins the game (`game`).
//! - The side to move has the turn. It may be sent to a board with threats of its own or of the opponent, or may choose.
//!
//! A small board adds the scalar product of four numbers that depend on its pattern and four factors that depend on the macro
//! board. The factors change only when a board is closed, or when a player's last line in it is blocked.

mod lookahead;

use crate::uttt::evaluation::counting::{layout, slot};
use crate::uttt::evaluation::macro_board::{self, WORTH, Worth};
use crate::uttt::square::{self, FULL, LINES, Region};
use crate::uttt::{Uttt, UtttMove};
use tictune_core::game::{
    Evaluator, FixedPoint, Player, Position, Score, Slot, WeightLayout, WeightsError,
    score_by_playing,
};

const SLOTS: [Slot; 39] = [
    slot("macro_line_one", 8, "live macro lines with one board won"),
    slot("macro_line_two", 8, "live macro lines with two boards won"),
    slot("macro_fork", 8, "open boards that would win the game, less one"),
    slot("macro_middle", 1, "the middle board won"),
    slot("macro_corner", 4, "corner boards won"),
    slot("macro_side", 4, "side boards won"),
    slot("line_one", 72, "live lines with one mark in boards that can be won"),
    slot("line_one_live", 288, "the same, times the live macro lines through the board"),
    slot("line_one_near", 288, "the same, times those of them with one board won"),
    slot("line_one_game", 72, "the same, where the board would win the game"),
    slot("line_two", 72, "live lines with two marks in boards that can be won"),
    slot("line_two_live", 288, "the same, times the live macro lines through the board"),
    slot("line_two_near", 288, "the same, times those of them with one board won"),
    slot("line_two_game", 72, "the same, where the board would win the game"),
    slot("fork", 72, "cells that would win their board, less one in each board"),
    slot("fork_live", 288, "the same, times the live macro lines through the board"),
    slot("fork_near", 288, "the same, times those of them with one board won"),
    slot("fork_game", 72, "the same, where the board would win the game"),
    slot("middle", 9, "middle cells in boards that can be won"),
    slot("corner", 36, "corner cells in boards that can be won"),
    slot("side", 36, "side cells in boards that can be won"),
    slot("middle_live", 36, "middle cells, times the live macro lines through the board"),
    slot("corner_live", 144, "corner cells, times the live macro lines through the board"),
    slot("side_live", 144, "side cells, times the live macro lines through the board"),
    slot("to_move", 1, "being to move"),
    slot("free_move", 1, "being to move, and free to choose the board by a closed one"),
    slot("free_two", 1, "being free to choose, with a board to win at once"),
    slot("free_two_near", 1, "the same, and one lies on a live macro line with one board won"),
    slot("free_two_game", 1, "the same, and such a board wins the game"),
    slot("sent_two", 1, "being sent to a board that can be won at once"),
    slot("sent_two_live", 4, "the same, times the live macro lines through the board"),
    slot("sent_two_near", 4, "the same, times those of them with one board won"),
    slot("sent_two_game", 1, "the same, where the board would win the game"),
    slot("sent_threat", 1, "being sent to a board that the opponent could win at once"),
    slot("sent_threat_live", 4, "the same, times the opponent's live macro lines through it"),
    slot("sent_threat_near", 4, "the same, times those of them with one board won"),
    slot("sent_threat_game", 1, "the same, where the board would win the opponent the game"),
    slot("sent_live", 4, "the live macro lines through the board that one is sent to"),
    slot("sent_live_other", 4, "the opponent's live macro lines through the board one is sent to"),
];

pub use lookahead::ExtendedLookahead;

/// The layout of this evaluation.
pub static EXTENDED: WeightLayout = layout(
    "extended",
    "Lines as lines, boards by the live macro lines through them, and the turn (tictune)",
    &SLOTS,
);

/// The indices of the first slots of the groups.
const SMALL: usize = 6;
const TO_MOVE: usize = 24;
const FREE: usize = 25;
const SENT_TWO: usize = 29;
const SENT_THREAT: usize = 33;
const SENT_LIVE: usize = 37;

/// What counts in a square for a player: live lines with one mark and with two, cells that would win it minus one, and
/// marks in the middle, in corners and on sides. On the macro board these are the first six slots.
fn count([own, other]: [u16; 2]) -> [i32; SMALL] {
    let lines = |marks| {
        let live = LINES.iter().filter(|&line| line & other == 0);
        live.filter(|&line| (line & own).count_ones() == marks).count() as i32
    };
    let winning = square::completing(own) & !other;
    let [middle, corner, side] = Region::ALL.map(|r| (own & r.mask()).count_ones() as i32);
    [lines(1), lines(2), (winning.count_ones() as i32 - 1).max(0), middle, corner, side]
}

/// The evaluator of [`EXTENDED`].
#[derive(Clone, Debug)]
pub struct Extended {
    /// The value of the macro board for a player, by pattern.
    macro_board: Box<[i32]>,
    /// The value of a small board for a player, by pattern: one number for each factor.
    small_boards: Box<[[i32; 4]]>,
    /// What boards are worth, by pattern of the macro board; shared by all evaluators.
    worth: &'static [[Worth; 9]],
    to_move: i32,
    free_move: i32,
    /// Of a free choice with a board to win at once; on a live macro line with one board won; that wins the game.
    free_two: [i32; 3],
    sent_two: [i32; 4],
    sent_threat: [i32; 4],
    sent_live: [i32; 2],
    scale: f64,
}

/// The evaluator's state along a line of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtendedState {
    /// The value from the first player's view, without the turn.
    value: i32,
    /// Of each small board to each player.
    worth: [[Worth; 9]; 2],
}

#[inline]
fn times(numbers: [i32; 4], worth: Worth) -> i32 {
    let [a, b, c, d] = worth.map(i32::from);
    numbers[0] * a + numbers[1] * b + numbers[2] * c + numbers[3] * d
}

impl Extended {
    /// Creates the evaluator with the given weights.
    ///
    /// # Errors
    /// If the number of values is wrong or one does not fit the layout.
    pub fn new(values: &[f64]) -> Result<Self, WeightsError> {
        let fixed = FixedPoint::new(&EXTENDED, values)?;
        let weights: [i32; SLOTS.len()] = std::array::from_fn(|slot| fixed.weights[slot]);
        let four = |first: usize| std::array::from_fn(|index| weights[first + index]);
        let macro_value = |pattern: usize| -> i32 {
            let counts = count(square::masks(pattern));
            counts.iter().zip(&weights).map(|(count, weight)| count * weight).sum()
        };
        // Lines and forks have a weight for every factor; cells have none for the last two.
        let [one, two, fork]: [[i32; 4]; 3] = [four(SMALL), four(SMALL + 4), four(SMALL + 8)];
        let cell = |region: usize| {
            let first = SMALL + 12 + region;
            [weights[first], weights[first + 3], 0, 0]
        };
        let features = [one, two, fork, cell(0), cell(1), cell(2)];
        let small_value = |pattern: usize| -> [i32; 4] {
            let counts = count(square::masks(pattern));
            std::array::from_fn(|factor| {
                features.iter().zip(counts).map(|(weights, count)| weights[factor] * count).sum()
            })
        };
        Ok(Self {
            macro_board: square::by_class(macro_value).into(),
            small_boards: square::by_class(small_value).into(),
            worth: &WORTH,
            to_move: weights[TO_MOVE],
            free_move: weights[FREE],
            free_two: [weights[FREE + 1], weights[FREE + 2], weights[FREE + 3]],
            sent_two: four(SENT_TWO),
            sent_threat: four(SENT_THREAT),
            sent_live: [weights[SENT_LIVE], weights[SENT_LIVE + 1]],
            scale: fixed.scale(),
        })
    }

    /// The value of a small board with these marks of both players, from the first player's view.
    #[inline]
    fn small(&self, worth: &[[Worth; 9]; 2], board: usize, [first, second]: [u16; 2]) -> i32 {
        times(self.small_boards[square::pattern(first, second)], worth[0][board])
            - times(self.small_boards[square::pattern(second, first)], worth[1][board])
    }

    /// The value of the turn for a side to move that is sent to a board, by what the board is worth to it and to its
    /// opponent; the marks are in the same order.
    #[inline]
    fn sent(&self, own: Worth, other: Worth, [mine, theirs]: [u16; 2]) -> i32 {
        let mut value = self.to_move
            + self.sent_live[0] * i32::from(own[1])
            + self.sent_live[1] * i32::from(other[1]);
        if can_win([mine, theirs]) {
            value += times(self.sent_two, own);
        }
        if can_win([theirs, mine]) {
            value += times(self.sent_threat, other);
        }
        value
    }

    /// The value of the turn for a side to move that may choose its board because some are closed. `can_win` says whether it
    /// can win a board at once, one on a live macro line with one board won, and one that wins the game.
    #[inline]
    fn free(&self, can_win: [bool; 3]) -> i32 {
        let twos = self.free_two.iter().zip(can_win).map(|(weight, can)| weight * i32::from(can));
        self.to_move + self.free_move + twos.sum::<i32>()
    }

    /// The score, including the turn of the side to move, which is sent to a board or may choose.
    /// `marks` gives the marks of both players in a board.
    #[inline]
    fn with_turn(
        &self,
        value: i32,
        worth: &[[Worth; 9]; 2],
        side: Player,
        closed: u16,
        target: Option<usize>,
        marks: impl Fn(usize) -> [u16; 2],
    ) -> Score {
        let (own, other) = (&worth[side.index()], &worth[side.other().index()]);
        let marks = |board: usize| {
            let both = marks(board);
            [both[side.index()], both[side.other().index()]]
        };
        let turn = match target {
            Some(board) => self.sent(own[board], other[board], marks(board)),
            None if closed == 0 => self.to_move,
            None => {
                let to_win = square::cells(FULL & !closed).filter(|&board| can_win(marks(board)));
                self.free(to_win.fold([false; 3], |[_, near, game], board| {
                    [true, near | (own[board][2] > 0), game | (own[board][3] > 0)]
                }))
            }
        };
        Score(value + Score(turn).seen_by(side).0)
    }
}

/// Whether the player with the marks `own` can win a board at once.
#[inline]
fn can_win([own, other]: [u16; 2]) -> bool {
    square::completing(own) & !other != 0
}

impl Evaluator<Uttt> for Extended {
    type State = ExtendedState;
    type Lookahead<'e> = ExtendedLookahead<'e>;

    const ALWAYS_LOOKS_AHEAD: bool = true;

    #[inline]
    fn lookahead(&self, position: &Uttt) -> Option<ExtendedLookahead<'_>> {
        Some(ExtendedLookahead::new(self, position))
    }

    #[inline]
    fn state(&self, position: &Uttt) -> ExtendedState {
        let mut worth = [[[0; 4]; 9]; 2];
        let mut value = 0;
        for player in Player::BOTH {
            let pattern = macro_board::pattern(position, player);
            worth[player.index()] = self.worth[pattern];
            value += Score(self.macro_board[pattern]).seen_by(player).0;
        }
        for board in square::cells(position.open()) {
            value += self.small(&worth, board, position.both(board));
        }
        ExtendedState { value, worth }
    }

    #[inline]
    fn update(&self, state: &mut ExtendedState, before: &Uttt, mv: UtttMove, after: &Uttt) {
        if macro_board::is_changed_by(before, mv) {
            *state = self.state(after);
            return;
        }
        let board = mv.board();
        let small = |position: &Uttt| self.small(&state.worth, board, position.both(board));
        state.value = state.value - small(before) + small(after);
    }

    #[inline]
    fn score(&self, state: &ExtendedState, position: &Uttt) -> Score {
        self.with_turn(
            state.value,
            &state.worth,
            position.side_to_move(),
            position.closed(),
            position.target(),
            |board| position.both(board),
        )
    }

    #[inline]
    fn score_after(&self, state: &ExtendedState, position: &Uttt, mv: UtttMove) -> Score {
        if macro_board::is_changed_by(position, mv) {
            return score_by_playing(self, state, position, mv);
        }
        let (side, closed) = (position.side_to_move(), position.closed());
        let before = position.both(mv.board());
        let mut changed = before;
        changed[side.index()] |= 1 << mv.cell();
        let value = state.value - self.small(&state.worth, mv.board(), before)
            + self.small(&state.worth, mv.board(), changed);
        let target = (closed >> mv.cell() & 1 == 0).then(|| mv.cell());
        self.with_turn(value, &state.worth, side.other(), closed, target, |board| {
            if board == mv.board() { changed } else { position.both(board) }
        })
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}
