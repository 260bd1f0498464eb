//! An evaluation by look-up: what small boards are worth by their pattern and by what the macro board makes of them.
//!
//! Where the other evaluations count lines and cells, this one has a value for every pattern of a small board, fitted to
//! positions of self-play by logistic regression (`examples/fit_patterns.rs`), so that a position's value is the logit of the
//! first player's chances. It is the sum of
//!
//! - the open small boards, each by its kind (corner, side, middle) and pattern, and by its pattern and its worth to both
//!   players, of which there are five degrees;
//! - the turn, by the board that the side to move is sent to. A free choice is worth as much as the best open board, and a
//!   constant more;
//! - the macro board as each player sees it.
//!
//! The weights say how much each of these parts counts. They are 1/256 for the fit as it is; values are then logits.
//!
//! Source: Buro, "Improving heuristic mini-max search by supervised learning", Artificial Intelligence 134, 2002, fits values
//! of patterns by regression in this way for Othello.

mod lookahead;
mod orientation;
mod values;

use std::sync::{Arc, LazyLock};

pub use lookahead::PatternLookahead;
use orientation::TURNED;
use values::{LARGEST, OF_BOARDS, Tables, is_decisive, row};
pub use values::{PatternValues, Places, UNITS, places};
pub(super) use values::{exported_classes, exported_values};

use super::counting::{layout, slot};
use super::macro_board;
use crate::uttt::square::{self, PATTERNS};
use crate::uttt::{Uttt, UtttMove};
use tictune_core::game::{
    Evaluator, FixedPoint, Player, Position, Score, Slot, WeightLayout, WeightsError,
};

const GREATEST: u32 = LARGEST as u32;

const SLOTS: [Slot; 9] = [
    slot("corner_boards", 4 * GREATEST, "the fitted values of open corner boards"),
    slot("side_boards", 4 * GREATEST, "the fitted values of open side boards"),
    slot("middle_board", GREATEST, "the fitted value of the middle board, if it is open"),
    slot("decisive_boards", 9 * GREATEST, "the same for boards that would win the game"),
    slot("macro_board", 2 * GREATEST, "the fitted value of the macro board"),
    slot("turn", GREATEST, "the fitted value of the turn by the board that one is sent to"),
    slot("decisive_turn", GREATEST, "the same where that board would win the game for a player"),
    slot("free_choice", 1, "being to move, and free to choose the board"),
    slot("boards_ahead", 9, "boards won"),
];

/// The layout of this evaluation.
pub static PATTERN_VALUES: WeightLayout = layout(
    "patterns",
    "Small boards by their pattern and worth, values fitted to self-play (tictune)",
    &SLOTS,
);

/// The layout of the same evaluation with values for the rule `no_line=most_boards`.
pub static COUNTED_PATTERN_VALUES: WeightLayout = layout(
    "patterns-count",
    "The same, where most boards win: values fitted under no_line=most_boards (tictune)",
    &SLOTS,
);

/// The values that are compiled in, of both layouts.
static BUILT_IN: [LazyLock<Arc<Tables>>; 2] = [
    LazyLock::new(|| Arc::new(Tables::new(&PatternValues::built_in("patterns")))),
    LazyLock::new(|| Arc::new(Tables::new(&PatternValues::built_in("patterns-count")))),
];

/// The evaluator of [`PATTERN_VALUES`] and [`COUNTED_PATTERN_VALUES`].
#[derive(Clone, Debug)]
pub struct Patterns {
    fitted: Arc<Tables>,
    /// What open boards add, by row and turned pattern, with their weights.
    boards: Arc<[i32]>,
    /// What the macro board of a player adds, by pattern.
    macro_board: Arc<[i32]>,
    /// What the boards won add, by pattern.
    won: Arc<[i32]>,
    /// The weights of the turn: sent to any other board, and to one that would win the game.
    turn: [i32; 2],
    free_choice: i32,
    scale: f64,
}

/// The evaluator's state along a line of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternState {
    /// The value from the first player's view, without the turn.
    value: i32,
    /// Where the row of each open board begins; 0 for closed boards.
    rows: [u32; 9],
    /// The open boards that would win the game for one of the players.
    decisive: u16,
}

impl Patterns {
    /// Creates the evaluator of a layout with the given weights and the values that are compiled in.
    ///
    /// # Errors
    /// If the number of weights is wrong or one does not fit the layout.
    pub fn new(layout: &WeightLayout, weights: &[f64]) -> Result<Self, WeightsError> {
        let counted = layout.name == COUNTED_PATTERN_VALUES.name;
        Self::with_tables(&BUILT_IN[usize::from(counted)], weights)
    }

    /// Creates the evaluator with other values.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_values(values: &PatternValues<i16>, weights: &[f64]) -> Result<Self, WeightsError> {
        Self::with_tables(&Arc::new(Tables::new(values)), weights)
    }

    fn with_tables(fitted: &Arc<Tables>, weights: &[f64]) -> Result<Self, WeightsError> {
        // Built before a search needs it.
        LazyLock::force(&OF_BOARDS);
        let fixed = FixedPoint::new(&PATTERN_VALUES, weights)?;
        let [corner, side, middle, decisive, macros, turn, decisive_turn, free, ahead] =
            std::array::from_fn(|slot| fixed.weights[slot]);
        let of_row = |row: usize| match values::worth_of_row(row) {
            worth if is_decisive(worth) => decisive,
            _ => [corner, side, middle][values::kind_of_row(row)],
        };
        let mut boards = Vec::with_capacity(fitted.boards.len());
        for (row, values) in fitted.boards.chunks(PATTERNS).enumerate() {
            let weight = of_row(row);
            boards.extend(values.iter().map(|&value| weight * i32::from(value)));
        }
        let won = fitted.won.iter().enumerate().map(|(pattern, &value)| {
            let [first, second] = square::masks(pattern).map(|boards| boards.count_ones() as i32);
            macros * i32::from(value) + ahead * (first - second)
        });
        let of_macro_board = fitted.macro_board.iter().map(|&value| macros * i32::from(value));
        Ok(Self {
            fitted: Arc::clone(fitted),
            boards: boards.into(),
            macro_board: of_macro_board.collect(),
            won: won.collect(),
            turn: [turn, decisive_turn],
            free_choice: free,
            scale: fixed.scale(),
        })
    }

    /// What the turn adds for a player whose best board has this fitted value.
    #[inline]
    fn sent(&self, fitted: i16, decisive: bool) -> i32 {
        self.turn[usize::from(decisive)] * i32::from(fitted)
    }

    /// What the turn adds for the side to move. The greatest fitted value decides where a free choice would lead, whatever
    /// the weights are, so that values are linear in them.
    fn turn(&self, state: &PatternState, position: &Uttt) -> i32 {
        let table = &self.fitted.turn[position.side_to_move().index()];
        let fitted = |board: usize| {
            table[state.rows[board] as usize + TURNED.pattern(board, position.both(board))]
        };
        let is_decisive = |board: usize| state.decisive >> board & 1 == 1;
        if let Some(board) = position.target() {
            return self.sent(fitted(board), is_decisive(board));
        }
        let best =
            square::cells(position.open()).map(|board| (fitted(board), is_decisive(board))).max();
        best.map_or(0, |(fitted, decisive)| self.sent(fitted, decisive)) + self.free_choice
    }
}

impl Evaluator<Uttt> for Patterns {
    type State = PatternState;
    type Lookahead<'e> = PatternLookahead<'e>;

    const ALWAYS_LOOKS_AHEAD: bool = true;

    fn lookahead(&self, position: &Uttt) -> Option<PatternLookahead<'_>> {
        Some(PatternLookahead::new(self, position))
    }

    fn state(&self, position: &Uttt) -> PatternState {
        let macro_patterns = Player::BOTH.map(|player| macro_board::pattern(position, player));
        let worth = macro_patterns.map(|pattern| &OF_BOARDS[pattern]);
        let [first, second] = macro_patterns.map(|pattern| self.macro_board[pattern]);
        let mut state = PatternState {
            value: first - second + self.won[macro_board::won(position)],
            rows: [0; 9],
            decisive: 0,
        };
        for board in square::cells(position.open()) {
            let worth = worth.map(|worth| worth[board]);
            let row = row(board, worth);
            state.rows[board] = row as u32;
            state.decisive |= u16::from(is_decisive(worth)) << board;
            state.value += self.boards[row + TURNED.pattern(board, position.both(board))];
        }
        state
    }

    #[inline]
    fn update(&self, state: &mut PatternState, before: &Uttt, mv: UtttMove, after: &Uttt) {
        if macro_board::is_changed_by(before, mv) {
            *state = self.state(after);
            return;
        }
        let board = mv.board();
        let row = state.rows[board] as usize;
        let value =
            |position: &Uttt| self.boards[row + TURNED.pattern(board, position.both(board))];
        state.value = state.value - value(before) + value(after);
    }

    #[inline]
    fn score(&self, state: &PatternState, position: &Uttt) -> Score {
        let turn = self.turn(state, position);
        Score(state.value + Score(turn).seen_by(position.side_to_move()).0)
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}
