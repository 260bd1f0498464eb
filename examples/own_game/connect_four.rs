//! Connect Four on five columns and four rows: replace its rules and its evaluation with those of your game.

use std::fmt;
use std::sync::LazyLock;

use tictune::game::*;

const COLUMNS: u8 = 5;
const ROWS: u8 = 4;
const BOARD: u64 = 0b01111_01111_01111_01111_01111;
const MIDDLE: u64 = 0b01111 << 10;

/// A position: the discs of the first and the second player. Each column has five bits, the lowest square first; the fifth stays
/// empty. Whatever decides the rest of a game belongs here, since `Hash` and `Eq` compare positions.
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

/// The rules.
impl Position for ConnectFour {
    /// The column, from 1. A move is any small type that `Display` writes and `FromStr` reads.
    type Move = u8;
    type Moves = std::vec::IntoIter<u8>;
    /// Variants of the rules: none.
    type Rules = NoRules;
    /// No game has more moves than this, those of both players.
    const MAX_PLIES: u32 = BOARD.count_ones();
    /// `move_index` is below this.
    const MOVE_INDICES: usize = COLUMNS as usize + 1;

    /// The position before the first move.
    fn start(_: NoRules) -> Self {
        Self([0, 0])
    }
    /// Who moves next. Players take turns: a player who must pass has one legal move, the pass.
    fn side_to_move(&self) -> Player {
        Player::BOTH[self.ply() as usize % 2]
    }
    /// How the game ended, `None` before its end.
    fn outcome(&self) -> Option<Outcome> {
        let won = |player: &Player| LINES.iter().any(|line| self.0[player.index()] & line == *line);
        let draw = (self.ply() == Self::MAX_PLIES).then_some(Outcome::Draw);
        Player::BOTH.into_iter().find(won).map(Outcome::Win).or(draw)
    }
    /// The legal moves in ascending order: none when the game is over, at least one before.
    fn legal_moves(&self) -> Self::Moves {
        let columns = if self.outcome().is_some() { 0 } else { COLUMNS };
        Vec::from_iter((1..=columns).filter(|&column| self.free(column) > 0)).into_iter()
    }
    /// Plays a legal move, and hands the turn to the other player.
    fn play_unchecked(&mut self, column: u8) {
        self.0[self.side_to_move().index()] |= self.free(column);
    }
    /// The number of moves since the start, passes included.
    fn ply(&self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }
    /// A number of the move's own.
    fn move_index(column: u8) -> usize {
        usize::from(column)
    }
}

/// The drawing that people see. Different positions need different drawings, with the side to move if the board does not tell.
impl fmt::Display for ConnectFour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has = |player: usize, square: u64| usize::from(self.0[player] & square > 0);
        let mark = |square| ['.', 'x', 'o'][has(0, square) + 2 * has(1, square)];
        let row = |row| (0..COLUMNS).map(|c| mark(1_u64 << (5 * c + row))).collect::<String>();
        f.write_str(&(0..ROWS).rev().map(row).collect::<Vec<_>>().join("\n"))
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

/// The counts of the slots: the first player's minus the second's.
fn counts(ConnectFour(discs): &ConnectFour) -> [i32; 3] {
    let of = |own: usize, squares: u64| (discs[own] & squares).count_ones() as i32;
    let is_open = |own, line, count| of(own, line) == count && of(1 - own, line) == 0;
    let open = |own, count| LINES.iter().filter(|&&line| is_open(own, line, count)).count() as i32;
    [open(0, 2) - open(1, 2), open(0, 3) - open(1, 3), of(0, MIDDLE) - of(1, MIDDLE)]
}

/// Faster forms of what searches ask often. None is needed.
impl Searchable for ConnectFour {}

impl Game for ConnectFour {
    /// Its name and its evaluations, each of which names the game, too.
    const INFO: &'static GameInfo = &GameInfo::new::<Self>("connect-four", &[EVALUATION]);
    /// Makes the evaluation of a layout with some weights. `Linear` adds up weight times count.
    fn with_evaluator<V: EvaluatorVisitor<Self>>(
        layout: &'static WeightLayout,
        values: &[f64],
        visitor: V,
    ) -> Result<V::Output, WeightsError> {
        Ok(visitor.visit(Linear::new(layout, values, counts)?))
    }
}

/// The laws that every game obeys, on random games: `cargo test`.
#[cfg(test)]
mod laws {
    use super::*;
    use tictune::testing::{Lawful, check};

    impl Lawful for ConnectFour {
        /// The discs in each other's colours. A position with an odd number of discs has no such twin.
        fn with_marks_swapped(&self) -> Option<Self> {
            let [first, second] = self.0;
            (self.side_to_move() == Player::First).then_some(Self([second, first]))
        }
        // Also: `ends` without a draw if there is none, `every_rules`, symmetries, `READS_NOTATION`.
    }

    #[test]
    fn connect_four_is_lawful() {
        check::<ConnectFour>();
    }
}
