//! Connect Four on five columns and four rows: replace its rules and its evaluation with those of your game.

use std::{fmt, sync::LazyLock};
use tictune::game::*;

const COLUMNS: u8 = 5;
const BOARD: u64 = 0b01111_01111_01111_01111_01111;

/// The discs of the first and the second player: five bits a column, the lowest square first; the fifth stays empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ConnectFour([u64; 2]);

/// Every line of four squares: upwards, to the right, and both diagonals.
static LINES: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let line = |n: usize| (0..4).map(|i| 1 << (n % 25 + i * [1, 5, 6, 4][n / 25])).sum();
    (0..100).map(line).filter(|line: &u64| line & !BOARD == 0).collect()
});

/// The lowest free square of a column, from 1; 0 if there is none.
fn free(ConnectFour([first, second]): &ConnectFour, column: u8) -> u64 {
    let lowest = 1 << (5 * (column - 1));
    ((first | second) + lowest) & (0b01111 * lowest)
}

/// The rules. Who moves follows from `ply`: at even ones the first player. Who must pass has one legal move, the pass.
impl Position for ConnectFour {
    type Move = u8; // The column, from 1. Any small type that `Display` writes and `FromStr` reads.
    type Moves = std::vec::IntoIter<u8>;
    type Rules = NoRules; // Variants of the rules: none.
    const MAX_PLIES: u32 = BOARD.count_ones(); // The most moves of a game, by both players.
    const MOVE_INDICES: usize = COLUMNS as usize + 1; // `move_index` is below this.

    fn start(_: NoRules) -> Self {
        Self([0, 0])
    }
    fn outcome(&self) -> Option<Outcome> {
        let won = |player: &Player| LINES.iter().any(|line| self.0[player.index()] & line == *line);
        let draw = (self.ply() == Self::MAX_PLIES).then_some(Outcome::Draw);
        Player::BOTH.into_iter().find(won).map(Outcome::Win).or(draw)
    }
    // In ascending order; none when the game is over.
    fn legal_moves(&self) -> Self::Moves {
        let columns = if self.outcome().is_some() { 0 } else { COLUMNS };
        Vec::from_iter((1..=columns).filter(|&column| free(self, column) > 0)).into_iter()
    }
    fn play_unchecked(&mut self, column: u8) {
        self.0[self.side_to_move().index()] |= free(self, column);
    }
    fn ply(&self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }
    fn move_index(column: u8) -> usize {
        usize::from(column)
    }
}

/// The drawing that people see. Different positions need different drawings, with the side to move if the board does not tell.
impl fmt::Display for ConnectFour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = |at: u8| self.0.iter().position(|discs| discs >> at & 1 == 1).unwrap_or(2);
        let row = |y| (0..COLUMNS).map(|x| ['x', 'o', '.'][mark(5 * x + y)]).collect::<String>();
        f.write_str(&[3, 2, 1, 0].map(row).join("\n"))
    }
}

/// What the evaluation adds up, by weights that are evolved. No count may exceed the `greatest_count` of its slot.
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

/// The first player's counts of the slots minus the second's; `0b01111 << 10` is the middle column. `Linear` weighs them.
fn counts(ConnectFour(discs): &ConnectFour) -> [i32; 3] {
    let of = |own: usize, squares: u64| (discs[own] & squares).count_ones() as i32;
    let is_open = |own, line, count| of(own, line) == count && of(1 - own, line) == 0;
    let open = |own, count| LINES.iter().filter(|&&line| is_open(own, line, count)).count() as i32;
    [open(0, 2) - open(1, 2), open(0, 3) - open(1, 3), of(0, 0b01111 << 10) - of(1, 0b01111 << 10)]
}

impl Searchable for ConnectFour {} // Faster forms of what searches ask often. None is needed.

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

/// For the laws that every game obeys: the discs in each other's colours. An odd number of discs has no such twin.
#[cfg(test)]
impl tictune::testing::Lawful for ConnectFour {
    fn with_marks_swapped(&self) -> Option<Self> {
        self.ply().is_multiple_of(2).then_some(Self([self.0[1], self.0[0]]))
    }
}

#[test]
fn connect_four_is_lawful() {
    tictune::testing::check::<ConnectFour>();
}
