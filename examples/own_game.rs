//! A game of one's own: Connect Four on five columns and four rows, with every command of tictune.
//!
//!     cargo run --release --example own_game -- evolve examples/connect-four.toml

use std::fmt;
use std::sync::LazyLock;

use tictune::game::*;

const COLUMNS: u8 = 5;
const ROWS: u8 = 4;
const BOARD: u64 = 0b01111_01111_01111_01111_01111;
const MIDDLE: u64 = 0b01111 << 10;

/// The discs of the first and the second player. Each column has five bits, the lowest square first; the fifth stays empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ConnectFour([u64; 2]);

/// Every line of four squares: upwards, to the right, and both diagonals.
static LINES: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let line = |first, step| (0..4).map(|i: u32| 1_u64 << (first + i * step)).sum();
    let lines = [1, 5, 6, 4].into_iter().flat_map(|step| (0..25).map(move |at| line(at, step)));
    lines.filter(|line: &u64| line & !BOARD == 0).collect()
});

impl ConnectFour {
    /// The lowest free square of a column, from 1; 0 if there is none.
    fn free(&self, column: u8) -> u64 {
        let lowest = 1 << (5 * (column - 1));
        ((self.0[0] | self.0[1]) + lowest) & (0b01111 * lowest)
    }
}

impl Position for ConnectFour {
    type Move = u8; // The column, from 1.
    type Moves = std::vec::IntoIter<u8>;
    type Rules = NoRules;
    const MAX_PLIES: u32 = BOARD.count_ones();
    const MOVE_INDICES: usize = COLUMNS as usize + 1;

    fn start(_: NoRules) -> Self {
        Self([0, 0])
    }
    fn side_to_move(&self) -> Player {
        Player::BOTH[self.ply() as usize % 2]
    }
    fn outcome(&self) -> Option<Outcome> {
        let won = |player: &Player| LINES.iter().any(|line| self.0[player.index()] & line == *line);
        let draw = (self.ply() == Self::MAX_PLIES).then_some(Outcome::Draw);
        Player::BOTH.into_iter().find(won).map(Outcome::Win).or(draw)
    }
    fn legal_moves(&self) -> Self::Moves {
        let columns = if self.outcome().is_some() { 0 } else { COLUMNS };
        Vec::from_iter((1..=columns).filter(|&column| self.free(column) > 0)).into_iter()
    }
    fn play_unchecked(&mut self, column: u8) {
        self.0[self.side_to_move().index()] |= self.free(column);
    }
    fn ply(&self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }
    fn move_index(column: u8) -> usize {
        usize::from(column)
    }
}

impl fmt::Display for ConnectFour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has = |player: usize, square: u64| usize::from(self.0[player] & square > 0);
        let mark = |square| ['.', 'x', 'o'][has(0, square) + 2 * has(1, square)];
        let row = |row| (0..COLUMNS).map(|c| mark(1_u64 << (5 * c + row))).collect::<String>();
        f.write_str(&(0..ROWS).rev().map(row).collect::<Vec<_>>().join("\n"))
    }
}

/// What the evaluation adds up, by weights that are evolved.
const EVALUATION: &WeightLayout = &WeightLayout {
    game: "connect-four",
    name: "lines",
    description: "lines that the opponent has no disc in, and the middle column",
    slots: &[
        Slot { name: "two", description: "open lines with two discs", greatest_count: 17 },
        Slot { name: "three", description: "open lines with three discs", greatest_count: 17 },
        Slot { name: "middle", description: "discs in the middle column", greatest_count: 4 },
    ],
};

/// The counts of the slots: the first player's minus the second's.
fn counts(ConnectFour(discs): &ConnectFour) -> [i32; 3] {
    let of = |own: usize, squares: u64| (discs[own] & squares).count_ones() as i32;
    let is_open = |own, line, count| of(own, line) == count && of(1 - own, line) == 0;
    let open = |own, count| LINES.iter().filter(|&&line| is_open(own, line, count)).count() as i32;
    [open(0, 2) - open(1, 2), open(0, 3) - open(1, 3), of(0, MIDDLE) - of(1, MIDDLE)]
}

impl Searchable for ConnectFour {}
impl Game for ConnectFour {
    const INFO: &'static GameInfo = &GameInfo::new::<Self>("connect-four", &[EVALUATION]);
    fn with_evaluator<V: EvaluatorVisitor<Self>>(
        layout: &'static WeightLayout,
        values: &[f64],
        visitor: V,
    ) -> Result<V::Output, WeightsError> {
        Ok(visitor.visit(Linear::new(layout, values, counts)?))
    }
}

fn main() -> std::process::ExitCode {
    tictune::App::new().game::<ConnectFour>().main()
}
