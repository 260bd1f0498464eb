//! The four evaluations of Liang's chapter 2, as one table-driven evaluator.
//!
//! Each is a sum over squares: the macro board (boards won) and the nine small boards. A square adds
//! its net counts (first player's minus second player's) of two in a row and of middle, corner and
//! side cells, each times a weight; the layouts differ only in which weight goes where. So a square's
//! value depends on its pattern alone, a table holds it for all 3^9 patterns, and a move changes one
//! or two table entries.
//!
//! Two in a row counts lines with two or more marks of one side and none of the other. Three in a row
//! counts too, small boards count after they are decided, and a drawn board is open in lines of the
//! macro board: the reading under which the published weights were evolved. Under the rule
//! `drawn_board = "both"` a drawn board still belongs to nobody here.

use std::sync::{Arc, OnceLock};

use super::{
    Evaluator, EvaluatorVisitor, FixedPoint, Game, Score, Slot, WeightLayout, WeightsError,
};
use crate::position::square::{self, LINES, PATTERNS, Region};
use crate::position::{Player, Position, Uttt, UtttMove};

const fn slot(name: &'static str, greatest_count: u32, description: &'static str) -> Slot {
    Slot { name, description, greatest_count }
}

/// Boards won (Liang 2.1, Table 2.1).
pub static SIMPLE: WeightLayout = WeightLayout {
    game: "uttt",
    name: "simple",
    description: "boards won minus boards lost (Liang 2.1)",
    slots: &[slot("micro_win", 9, "small boards won")],
};

/// Boards won and two in a row (Liang 2.2, Table 2.2).
pub static CONNECTING: WeightLayout = WeightLayout {
    game: "uttt",
    name: "connecting",
    description: "boards won, and two in a row in the macro board and in small boards (Liang 2.2)",
    slots: &[
        slot("micro_win", 9, "small boards won"),
        slot("macro_connecting", 8, "lines of the macro board with two boards won and none lost"),
        slot(
            "micro_connecting",
            72,
            "lines of small boards with two marks and none of the opponent",
        ),
    ],
};

/// Middle, corner and side told apart (Liang 2.3, Table 2.3).
pub static ADVANCED: WeightLayout = WeightLayout {
    game: "uttt",
    name: "advanced",
    description: "two in a row, and middle, corner and side, of the macro board and of small boards (Liang 2.3)",
    slots: &[
        slot("macro_two_in_a_row", 8, "lines of the macro board with two boards won and none lost"),
        slot("macro_middle", 1, "the middle small board won"),
        slot("macro_corner", 4, "corner small boards won"),
        slot("macro_side", 4, "side small boards won"),
        slot(
            "micro_two_in_a_row",
            72,
            "lines of small boards with two marks and none of the opponent",
        ),
        slot("micro_middle", 9, "marks on middle squares of small boards"),
        slot("micro_corner", 36, "marks on corner squares of small boards"),
        slot("micro_side", 36, "marks on side squares of small boards"),
    ],
};

/// Squares told apart by the board they lie in, too (Liang 2.4, Table 2.5).
pub static COMPREHENSIVE: WeightLayout = WeightLayout {
    game: "uttt",
    name: "comprehensive",
    description: "advanced, with the squares of middle, corner and side small boards told apart (Liang 2.4)",
    slots: &[
        slot("macro_two_in_a_row", 8, "lines of the macro board with two boards won and none lost"),
        slot("macro_middle", 1, "the middle small board won"),
        slot("macro_corner", 4, "corner small boards won"),
        slot("macro_side", 4, "side small boards won"),
        slot(
            "micro_two_in_a_row",
            72,
            "lines of small boards with two marks and none of the opponent",
        ),
        slot("micro_middle_middle", 1, "the middle square of the middle small board"),
        slot("micro_middle_corner", 4, "corner squares of the middle small board"),
        slot("micro_middle_side", 4, "side squares of the middle small board"),
        slot("micro_corner_middle", 4, "middle squares of corner small boards"),
        slot("micro_corner_corner", 16, "corner squares of corner small boards"),
        slot("micro_corner_side", 16, "side squares of corner small boards"),
        slot("micro_side_middle", 4, "middle squares of side small boards"),
        slot("micro_side_corner", 16, "corner squares of side small boards"),
        slot("micro_side_side", 16, "side squares of side small boards"),
    ],
};

/// The slots that a square's counts go to, in the order of [`PatternCounts`]; `None` counts nothing.
type Terms = [Option<usize>; 4];

/// Where the counts of each square go.
struct Wiring {
    macro_board: Terms,
    /// By [`Region`] of the small board.
    small_boards: [Terms; 3],
}

fn wiring(layout: &WeightLayout) -> Wiring {
    let all = |first| [Some(first), Some(first + 1), Some(first + 2), Some(first + 3)];
    match layout.name {
        "simple" => {
            Wiring { macro_board: [None, Some(0), Some(0), Some(0)], small_boards: [[None; 4]; 3] }
        }
        "connecting" => Wiring {
            macro_board: [Some(1), Some(0), Some(0), Some(0)],
            small_boards: [[Some(2), None, None, None]; 3],
        },
        "advanced" => Wiring { macro_board: all(0), small_boards: [all(4); 3] },
        _ => Wiring {
            macro_board: all(0),
            small_boards: [0, 1, 2].map(|r| {
                let first = 5 + 3 * r;
                [Some(4), Some(first), Some(first + 1), Some(first + 2)]
            }),
        },
    }
}

/// Net counts of a square: two in a row, middle, corner, side.
type PatternCounts = [i8; 4];

fn pattern_counts() -> &'static [PatternCounts] {
    static COUNTS: OnceLock<Vec<PatternCounts>> = OnceLock::new();
    COUNTS.get_or_init(|| (0..PATTERNS).map(|number| count(square::masks(number))).collect())
}

fn count([first, second]: [u16; 2]) -> PatternCounts {
    let two_in_a_row = |own: u16, other: u16| {
        LINES.iter().filter(|&&l| (own & l).count_ones() >= 2 && other & l == 0).count() as i8
    };
    let marks = |own: u16, region: Region| (own & region.mask()).count_ones() as i8;
    let [middle, corner, side] = Region::ALL.map(|r| marks(first, r) - marks(second, r));
    [two_in_a_row(first, second) - two_in_a_row(second, first), middle, corner, side]
}

/// Values of all patterns of a square.
type Table = Arc<[i32]>;

fn table(terms: Terms, weights: &[i32]) -> Table {
    let weights = terms.map(|slot| slot.map_or(0, |slot| weights[slot]));
    let value = |counts: &PatternCounts| {
        counts.iter().zip(weights).map(|(&count, weight)| i32::from(count) * weight).sum()
    };
    pattern_counts().iter().map(value).collect()
}

/// The evaluator of all four layouts. Its state is the value from the first player's view.
#[derive(Clone, Debug)]
pub struct SquareTables {
    macro_board: Table,
    /// One a small board; boards that the layout does not tell apart share theirs.
    small_boards: [Table; 9],
    scale: f64,
}

impl SquareTables {
    /// The evaluator of a layout of this file.
    ///
    /// # Errors
    /// The values do not fit the layout.
    pub fn new(layout: &'static WeightLayout, values: &[f64]) -> Result<Self, WeightsError> {
        let fixed = FixedPoint::new(layout, values)?;
        let wiring = wiring(layout);
        let mut tables: [Option<Table>; 3] = [None, None, None];
        for region in Region::ALL {
            let terms = wiring.small_boards[region as usize];
            let same = (0..region as usize).find(|&r| wiring.small_boards[r] == terms);
            tables[region as usize] = Some(match same.and_then(|r| tables[r].clone()) {
                Some(shared) => shared,
                None => table(terms, &fixed.weights),
            });
        }
        let macro_board = table(wiring.macro_board, &fixed.weights);
        let of = |board| tables[Region::of(board) as usize].clone();
        let small_boards =
            std::array::from_fn(|board| of(board).unwrap_or_else(|| macro_board.clone()));
        Ok(Self { macro_board, small_boards, scale: fixed.scale() })
    }

    #[inline]
    fn small(&self, position: &Uttt, board: usize) -> i32 {
        let [first, second] = Player::BOTH.map(|p| position.marks(p, board));
        self.small_boards[board][square::pattern(first, second)]
    }

    #[inline]
    fn macro_value(&self, position: &Uttt) -> i32 {
        let [first, second] = Player::BOTH.map(|p| position.won(p));
        self.macro_board[square::pattern(first, second)]
    }
}

impl Evaluator<Uttt> for SquareTables {
    type State = i32;

    fn state(&self, position: &Uttt) -> i32 {
        self.macro_value(position) + (0..9).map(|board| self.small(position, board)).sum::<i32>()
    }

    #[inline]
    fn update(&self, state: &mut i32, before: &Uttt, mv: UtttMove, after: &Uttt) {
        let board = mv.board();
        // Taking away first keeps every sum within the bound: the rest of the squares, then all.
        *state = *state - self.small(before, board) + self.small(after, board);
        if after.closed() != before.closed() {
            *state = *state - self.macro_value(before) + self.macro_value(after);
        }
    }

    #[inline]
    fn score(&self, state: &i32, _: &Uttt) -> Score {
        Score(*state)
    }

    #[inline]
    fn score_after(&self, state: &i32, position: &Uttt, mv: UtttMove) -> Score {
        if position.closes_board(mv) {
            let after = position.after(mv);
            if let Some(outcome) = after.outcome() {
                return Score::of_outcome(outcome, Player::First);
            }
            let mut state = *state;
            self.update(&mut state, position, mv, &after);
            return Score(state);
        }
        let [first, second] = Player::BOTH.map(|p| position.marks(p, mv.board()));
        let pattern = square::pattern(first, second);
        let step = square::pattern_step(position.side_to_move().index(), mv.cell());
        let table = &self.small_boards[mv.board()];
        Score(*state - table[pattern] + table[pattern + step])
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}

impl Game for Uttt {
    fn layouts() -> &'static [&'static WeightLayout] {
        static LAYOUTS: [&WeightLayout; 4] = [&ADVANCED, &COMPREHENSIVE, &CONNECTING, &SIMPLE];
        &LAYOUTS
    }

    fn with_evaluator<V: EvaluatorVisitor<Self>>(
        layout: &'static WeightLayout,
        values: &[f64],
        visitor: V,
    ) -> Result<V::Output, WeightsError> {
        debug_assert_eq!(layout.game, Self::GAME);
        Ok(visitor.visit(SquareTables::new(layout, values)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Rules;

    fn value(layout: &'static WeightLayout, values: &[f64], notation: &str) -> f64 {
        let position = Uttt::from_notation(notation, Rules::default()).unwrap();
        let evaluator = SquareTables::new(layout, values).unwrap();
        f64::from(evaluator.score(&evaluator.state(&position), &position).0) / evaluator.scale()
    }

    #[test]
    fn hand_counted_positions() {
        // x has the top row of b(0, 0): three lines hold two or more x and no o (the row, and none
        // else: the columns and diagonals hold one), and o the top row of b(0, 1).
        let won = "xxx6/9/9/oo7/9/9/9/9/9 o 2,0";
        // macro: x has the corner board b(0, 0). x: corner, side, corner; one line. o: corner, side; one line.
        let values = [50.0, 30.0, 20.0, 10.0, 5.0, 3.0, 2.0, 1.0];
        let expected = 20.0 + (5.0 + 2.0 + 1.0 + 2.0) - (5.0 + 2.0 + 1.0);
        assert_eq!(value(&ADVANCED, &values, won), expected);
        assert_eq!(value(&SIMPLE, &[1.0], won), 1.0);
        assert_eq!(value(&CONNECTING, &[1.0, 20.0, 1.0], won), 1.0 + 1.0 - 1.0);
        // b(0, 0) is a corner board, b(0, 1) a side board.
        let mut values = [0.0; 14];
        values[4] = 5.0; // two in a row
        values[2] = 20.0; // macro corner
        values[9] = 1.0; // corner squares of corner boards
        values[10] = 8.0; // side squares of corner boards
        values[12] = 64.0; // corner squares of side boards
        values[13] = 256.0; // side squares of side boards
        assert_eq!(value(&COMPREHENSIVE, &values, won), 20.0 + 2.0 + 8.0 - 64.0 - 256.0);
    }

    #[test]
    fn a_full_line_counts_and_a_blocked_one_does_not() {
        assert_eq!(count([0b000_000_111, 0]), [1, 0, 2, 1]);
        assert_eq!(count([0b000_000_011, 0b000_000_100]), [0, 0, 0, 1]);
        assert_eq!(count([0b000_010_001, 0b100_000_000]), [0, 1, 0, 0]);
        // Every cell the first player's: all eight lines.
        assert_eq!(count([0b111_111_111, 0]), [8, 1, 4, 4]);
    }
}
