//! A small game for the tests of everything that needs one: four in a row on five rows of five squares.

use std::fmt;
use std::sync::LazyLock;

use strum::{Display, EnumString};

use crate::game::*;

const SIZE: u32 = 5;
const SQUARES: u8 = 25;
/// The nine squares that are not on the edge.
const INNER: u32 = 0b01110_01110_01110 << SIZE;

/// Every line of four squares, as bits: the straight ones first.
static LINES: LazyLock<[Vec<u32>; 2]> = LazyLock::new(|| {
    let square = |row: u32, column: u32| {
        (row < SIZE && column < SIZE).then_some(1_u32 << (SIZE * row + column))
    };
    let line = |square: &dyn Fn(u32) -> Option<u32>| (0..4).map(square).sum::<Option<u32>>();
    let (mut straight, mut diagonal) = (Vec::new(), Vec::new());
    for (row, column) in (0..SIZE).flat_map(|row| (0..SIZE).map(move |column| (row, column))) {
        straight.extend(line(&|i| square(row, column + i)));
        straight.extend(line(&|i| square(row + i, column)));
        diagonal.extend(line(&|i| square(row + i, column + i)));
        diagonal.extend(line(&|i| square(row + i, column + 3 - i)));
    }
    [straight, diagonal]
});

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Display, EnumString)]
#[strum(parse_err_fn = unknown_rules, parse_err_ty = NotationError)]
pub(crate) enum ToyRules {
    #[default]
    #[strum(to_string = "lines=all", serialize = "")]
    All,
    #[strum(to_string = "lines=straight")]
    Straight,
}

fn unknown_rules(text: &str) -> NotationError {
    NotationError(format!("expected lines=all or lines=straight, not {text}"))
}

/// A position. A move is the number of a square, row by row from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Toy {
    marks: [u32; 2],
    rules: ToyRules,
}

impl Toy {
    pub(crate) const CENTRE: u8 = 12;

    fn lines(&self) -> impl Iterator<Item = u32> {
        let kinds = if self.rules == ToyRules::Straight { 1 } else { 2 };
        LINES[..kinds].iter().flatten().copied()
    }

    /// The image in a mirror: each row from right to left.
    pub(crate) fn mirrored(&self) -> Self {
        let mirror = |marks: u32| -> u32 {
            let squares = (0..SQUARES).filter(|square| marks >> square & 1 == 1);
            squares.map(|square| 1 << (square / 5 * 5 + 4 - square % 5)).sum()
        };
        Self { marks: self.marks.map(mirror), ..*self }
    }
}

impl Position for Toy {
    type Move = u8;
    type Moves = std::vec::IntoIter<u8>;
    type Rules = ToyRules;
    const MAX_PLIES: u32 = SQUARES as u32;
    const MOVE_INDICES: usize = SQUARES as usize;

    fn start(rules: ToyRules) -> Self {
        Self { marks: [0; 2], rules }
    }
    fn rules(&self) -> ToyRules {
        self.rules
    }
    fn outcome(&self) -> Option<Outcome> {
        let has_line = |marks: u32| self.lines().any(|line| marks & line == line);
        let won = |player: &Player| has_line(self.marks[player.index()]);
        let draw = (self.ply() == Self::MAX_PLIES).then_some(Outcome::Draw);
        Player::BOTH.into_iter().find(won).map(Outcome::Win).or(draw)
    }
    fn legal_moves(&self) -> Self::Moves {
        let squares = if self.outcome().is_some() { 0 } else { SQUARES };
        let taken = self.marks[0] | self.marks[1];
        Vec::from_iter((0..squares).filter(|square| taken >> square & 1 == 0)).into_iter()
    }
    fn play_unchecked(&mut self, square: u8) {
        self.marks[self.side_to_move().index()] |= 1 << square;
    }
    fn ply(&self) -> u32 {
        self.marks.iter().map(|marks| marks.count_ones()).sum()
    }
    fn move_index(square: u8) -> usize {
        square.into()
    }
    fn key(&self) -> u64 {
        StableHasher::hash(&self.marks)
    }
    fn canonical_key(&self) -> u64 {
        self.key().min(self.mirrored().key())
    }
    fn from_notation(text: &str, rules: ToyRules) -> Result<Self, NotationError> {
        let wrong = || NotationError("expected five rows of five squares x, o or .".into());
        if text.split('/').map(str::len).ne([SIZE as usize; 5]) {
            return Err(wrong());
        }
        let mut position = Self::start(rules);
        for (square, mark) in text.replace('/', "").chars().enumerate() {
            match mark {
                'x' => position.marks[0] |= 1 << square,
                'o' => position.marks[1] |= 1 << square,
                '.' => {}
                _ => return Err(wrong()),
            }
        }
        let [x, o] = position.marks.map(u32::count_ones);
        (x == o || x == o + 1).then_some(position).ok_or_else(wrong)
    }
}

impl fmt::Display for Toy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has = |player: usize, square| (self.marks[player] >> square & 1) as usize;
        let mark = |square| ['.', 'x', 'o'][has(0, square) + 2 * has(1, square)];
        let row = |row| (SIZE * row..SIZE * (row + 1)).map(mark).collect::<String>();
        f.write_str(&(0..SIZE).map(row).collect::<Vec<_>>().join("\n"))
    }
}

const INNER_SLOT: Slot =
    Slot { name: "inner", description: "marks off the edge", greatest_count: 9 };

pub(crate) static OPEN_LINES: WeightLayout = WeightLayout {
    game: "toy",
    name: "lines",
    description: "open lines, and marks off the edge",
    slots: &[
        Slot { name: "two", description: "open lines with two marks", greatest_count: 28 },
        Slot { name: "three", description: "open lines with three marks", greatest_count: 28 },
        INNER_SLOT,
    ],
};

static INNER_MARKS: WeightLayout = WeightLayout {
    game: "toy",
    name: "inner",
    description: "marks off the edge",
    slots: &[INNER_SLOT],
};

/// The counts of [`OPEN_LINES`]: the first player's minus the second's.
fn counts(position: &Toy) -> [i32; 3] {
    let of = |own: usize, squares: u32| (position.marks[own] & squares).count_ones() as i32;
    let open = |own: usize, count| {
        let is_open = |line: &u32| of(own, *line) == count && of(1 - own, *line) == 0;
        position.lines().filter(is_open).count() as i32
    };
    [open(0, 2) - open(1, 2), open(0, 3) - open(1, 3), of(0, INNER) - of(1, INNER)]
}

macro_rules! vector {
    ($name:literal, $text:literal) => {
        BuiltInWeights {
            name: $name,
            toml: concat!("format = 1\ngame = 'toy'\nevaluation = ", $text),
        }
    };
}

static INFO: GameInfo = GameInfo {
    vectors: &[
        vector!("toy-lines", "'lines'\nweights = { two = 1, three = 5.5, inner = -0.1 }"),
        vector!("toy-even", "'lines'\nweights = { two = 1, three = 1, inner = 1 }"),
        vector!("toy-inner", "'inner'\nweights = { inner = 1 }"),
    ],
    rule_keys: &[RuleKey { name: "lines", values: "all|straight" }],
    ..GameInfo::new::<Toy>("toy", &[&OPEN_LINES, &INNER_MARKS])
};

impl Searchable for Toy {}

impl Game for Toy {
    const INFO: &'static GameInfo = &INFO;

    fn centre_move() -> Option<u8> {
        Some(Self::CENTRE)
    }
    fn with_evaluator<V: EvaluatorVisitor<Self>>(
        layout: &'static WeightLayout,
        values: &[f64],
        visitor: V,
    ) -> Result<V::Output, WeightsError> {
        Ok(match layout.name {
            "inner" => visitor.visit(Linear::new(layout, values, |p: &Self| [counts(p)[2]])?),
            _ => visitor.visit(Linear::new(layout, values, counts)?),
        })
    }
}
