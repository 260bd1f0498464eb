//! Evaluations of Qubic: the two of Papadam, and a richer one for evolution.
//!
//! Each evaluation is a sum of two parts: over the 76 lines, by the line's kind ([`LineKind`]) and each player's number of
//! marks on it; and over the marks, by the number of lines through their cells. The state holds the marks on every line. A
//! move therefore looks only at the four or seven lines through its cell, which also show whether it wins.

use crate::qubic::cube::{self, LINE_COUNT, LINES, LineKind};
use crate::qubic::notation::mark;
use crate::qubic::{Qubic, QubicMove, QubicMoves, rich_cells};
use crate::{layout, slot};
use tictune_core::game::{
    Board, BoardPart, BoardSquare, Evaluator, EvaluatorVisitor, Extension, FixedPoint, Formulas,
    Game, GameInfo, OnePly, OpeningSet, Outcome, Player, Position, Score, WeightLayout,
    WeightsError,
};

/// Lines with two or three marks of a player, blocked or not (Papadam, "First Evaluation Function").
pub static EF1: WeightLayout = layout(
    "qubic",
    "ef1",
    "lines with two and three marks, blocked or not (Papadam, First Evaluation Function)",
    &[
        slot("two", 76, "lines with two marks, whatever the opponent has there"),
        slot("three", 76, "lines with three marks, whatever the opponent has there"),
    ],
);

/// Lines with two or three marks of a player and none of the opponent (Papadam, "Second Evaluation Function").
pub static EF2: WeightLayout = layout(
    "qubic",
    "ef2",
    "lines with two and three marks and none of the opponent (Papadam, Second Evaluation Function)",
    &[
        slot("two", 76, "lines with two marks and none of the opponent"),
        slot("three", 76, "lines with three marks and none of the opponent"),
    ],
);

/// Open lines by kind and number of marks, and marks by the number of lines through their cells. To a fixed depth, each
/// player has as many marks at all leaves: only the difference between the two weights of cells matters.
pub static LINES_AND_CELLS: WeightLayout = layout(
    "qubic",
    "lines",
    "lines without the opponent by kind and number of marks, and cells by their number of lines",
    &[
        slot("poor_straight_one", 24, "open lines along an axis without a rich cell, one mark"),
        slot("poor_straight_two", 24, "the same with two marks"),
        slot("poor_straight_three", 24, "the same with three marks"),
        slot("rich_straight_one", 24, "open lines along an axis with two rich cells, one mark"),
        slot("rich_straight_two", 24, "the same with two marks"),
        slot("rich_straight_three", 24, "the same with three marks"),
        slot("face_diagonal_one", 24, "open diagonals of layers, one mark"),
        slot("face_diagonal_two", 24, "the same with two marks"),
        slot("face_diagonal_three", 24, "the same with three marks"),
        slot("space_diagonal_one", 4, "open diagonals of the cube, one mark"),
        slot("space_diagonal_two", 4, "the same with two marks"),
        slot("space_diagonal_three", 4, "the same with three marks"),
        slot("poor_cell", 32, "marks on cells with four lines"),
        slot("rich_cell", 16, "marks on cells with seven lines: the corners and the inner cells"),
    ],
);

/// Marks on a line: the first player's, and five times the second's.
type LineMarks = u8;

/// The number of different [`LineMarks`].
const LINE_PATTERNS: usize = 25;

/// The amount by which a mark of each player increases [`LineMarks`].
const STEPS: [LineMarks; 2] = [1, 5];

/// The [`LineMarks`] of a line that each player wins with the next mark.
const THREE: [LineMarks; 2] = [3, 15];

/// The slot of a line on which a player has `own` marks and the opponent `other`.
fn slot_of(layout: &WeightLayout, kind: LineKind, own: usize, other: usize) -> Option<usize> {
    // Four marks end the game and have no slot.
    match (layout.name, own, other) {
        ("ef1", 2 | 3, _) | ("ef2", 2 | 3, 0) => Some(own - 2),
        ("lines", 1..=3, 0) => Some(3 * kind as usize + own - 1),
        _ => None,
    }
}

/// The evaluator of all three layouts.
#[derive(Clone, Debug)]
pub struct LineTables {
    /// The value of a line by its kind and marks.
    lines: [[i32; LINE_PATTERNS]; 4],
    /// The change of that value by a mark of each player.
    steps: [[[i32; LINE_PATTERNS]; 4]; 2],
    /// The value of a first player's mark by cell.
    cells: [i32; cube::CELLS],
    scale: f64,
}

/// The state of [`LineTables`] along a line of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineState {
    value: i32,
    lines: [LineMarks; LINE_COUNT],
}

impl LineTables {
    /// Creates the evaluator of a layout in this file.
    ///
    /// # Errors
    /// If the number of values is wrong or one does not fit the layout.
    pub fn new(layout: &'static WeightLayout, values: &[f64]) -> Result<Self, WeightsError> {
        let fixed = FixedPoint::new(layout, values)?;
        let weight = |slot: Option<usize>| slot.map_or(0, |slot| fixed.weights[slot]);
        let lines = LineKind::ALL.map(|kind| {
            std::array::from_fn(|marks| {
                let (first, second) = (marks % 5, marks / 5);
                weight(slot_of(layout, kind, first, second))
                    - weight(slot_of(layout, kind, second, first))
            })
        });
        // No line has more than four marks, so these entries are never used.
        let step = |values: &[i32; LINE_PATTERNS], marks: usize, player: usize| {
            let after = marks + usize::from(STEPS[player]);
            values.get(after).map_or(0, |value| value - values[marks])
        };
        let steps = [0, 1].map(|player| {
            lines.each_ref().map(|values| std::array::from_fn(|marks| step(values, marks, player)))
        });
        let cells = std::array::from_fn(|cell| {
            let name = if cube::RICH >> cell & 1 == 1 { "rich_cell" } else { "poor_cell" };
            weight(layout.index_of(name))
        });
        Ok(Self { lines, steps, cells, scale: fixed.scale() })
    }

    /// The change of the value by a player's mark on a free cell.
    #[inline]
    fn delta(&self, lines: &[LineMarks; LINE_COUNT], player: Player, cell: usize) -> i32 {
        let steps = &self.steps[player.index()];
        let Score(mark) = Score(self.cells[cell]).seen_by(player);
        cube::lines_through(cell).iter().fold(mark, |delta, &line| {
            let line = usize::from(line);
            delta + steps[LINES[line].kind as usize][usize::from(lines[line])]
        })
    }
}

impl Evaluator<Qubic> for LineTables {
    type State = LineState;
    type Lookahead<'e> = OnePly<'e, Qubic, Self>;

    fn state(&self, position: &Qubic) -> LineState {
        let [first, second] = Player::BOTH.map(|player| position.marks(player));
        let mut state = LineState { value: 0, lines: [0; LINE_COUNT] };
        for (line, marks) in LINES.iter().zip(&mut state.lines) {
            let [own, other] = [first, second].map(|all| (all & line.mask).count_ones() as u8);
            *marks = STEPS[0] * own + STEPS[1] * other;
            state.value += self.lines[line.kind as usize][usize::from(*marks)];
        }
        let sum = |marks| QubicMoves(marks).map(|mv| self.cells[mv.index()]).sum::<i32>();
        state.value += sum(first) - sum(second);
        state
    }

    #[inline]
    fn update(&self, state: &mut LineState, before: &Qubic, mv: QubicMove, _: &Qubic) {
        let player = before.side_to_move();
        state.value += self.delta(&state.lines, player, mv.index());
        for &line in cube::lines_through(mv.index()) {
            state.lines[usize::from(line)] += STEPS[player.index()];
        }
    }

    #[inline]
    fn score(&self, state: &LineState, _: &Qubic) -> Score {
        Score(state.value)
    }

    #[inline]
    fn score_after(&self, state: &LineState, position: &Qubic, mv: QubicMove) -> Score {
        let player = position.side_to_move();
        let three = THREE[player.index()];
        let through = cube::lines_through(mv.index());
        if through.iter().any(|&line| state.lines[usize::from(line)] == three) {
            return Score::of_outcome(Outcome::Win(player), Player::First);
        }
        if position.ply() + 1 == Qubic::MAX_PLIES {
            return Score::DRAW;
        }
        Score(state.value + self.delta(&state.lines, player, mv.index()))
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}

static FORMULAS: Formulas = Formulas {
    text: include_str!("formulas.txt"),
    usage: "Call evaluate with the position. The cells are 64 numbers, layer by layer, row by row, column by column: 0 for a \
            free cell, 1 for the first player (x), 2 for the second (o). The value is from the view of player 1: what is \
            counted for player 1, less what is counted for player 2, times the weights. Wins, losses and draws are not in it: \
            look for them first.",
    arguments: &[],
    rules: "Rules: four cells in a row, along any of its 76 lines, win; a full cube without is a draw.",
    tables: &[],
};

static INFO: GameInfo = GameInfo {
    vectors: &vectors!("papadam-ef1" "papadam-ef2" "tictune-lines"),
    strongest: "pvs:weights=tictune-lines",
    pool: &["papadam-ef1", "papadam-ef2"],
    first_depths: [2, 3],
    ..GameInfo::new::<Qubic>("qubic", &[&EF2, &EF1, &LINES_AND_CELLS])
};

impl Game for Qubic {
    const INFO: &'static GameInfo = &INFO;

    fn board(&self) -> Option<Board<QubicMove>> {
        let square = |mv| BoardSquare { mv, mark: self.at(mv) };
        let part = |layer: usize| {
            let cells = (16 * layer..).take(16).filter_map(QubicMove::from_index);
            let (name, squares) = (format!("layer {}", layer + 1), cells.map(square).collect());
            BoardPart { name, columns: 4, owner: None, squares }
        };
        Some(Board { columns: 4, parts: (0..4).map(part).collect() })
    }

    fn drawing(&self, last: Option<QubicMove>) -> String {
        last.map_or_else(|| self.to_string(), |last| mark(&self.to_string(), last))
    }

    fn extensions() -> &'static [Extension] {
        static ALL: [Extension; 1] = [&FORMULAS];
        &ALL
    }

    fn opening_sets() -> &'static [OpeningSet<QubicMove>] {
        // Papadam does not print his eight cells. These are the two sets of eight with seven lines each.
        static SETS: [OpeningSet<QubicMove>; 2] = [
            OpeningSet { name: "corners", moves: &rich_cells([0, 3]) },
            OpeningSet { name: "inner", moves: &rich_cells([1, 2]) },
        ];
        &SETS
    }

    fn with_evaluator<V: EvaluatorVisitor<Self>>(
        layout: &'static WeightLayout,
        values: &[f64],
        visitor: V,
    ) -> Result<V::Output, WeightsError> {
        debug_assert_eq!(layout.game, INFO.name);
        Ok(visitor.visit(LineTables::new(layout, values)?))
    }
}
