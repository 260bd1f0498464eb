//! The fitted values of patterns, and where the value of a position is in them.

use std::array;
use std::sync::LazyLock;

use super::orientation::{KIND, KINDS, OF_KIND, TURNED};
use crate::uttt::evaluation::macro_board::{self, WORTH, Worth};
use crate::uttt::square::{self, CLASSES, Classes, PATTERNS};
use crate::uttt::{NoLine, Uttt};
use tictune_core::game::{Player, Position};

/// How many units of a value are one logit: a position whose value is one logit is won with probability 1 / (1 + 1/e).
pub const UNITS: f64 = 256.0;

/// The largest value of a table: 16 logits.
pub(super) const LARGEST: i32 = 4096;

/// The degrees of worth of a board to a player: no live line of the macro board runs through it; live lines without a
/// board won; one live line with one board won; several; it wins the game.
const DEGREES: usize = 5;
const DECISIVE: u8 = 4;

/// The degrees of the nine boards by the pattern of the macro board.
pub(super) static OF_BOARDS: LazyLock<Vec<[u8; 9]>> = LazyLock::new(|| {
    let degree = |[_, live, near, game]: Worth| match (game, near) {
        (1.., _) => DECISIVE,
        (_, 1..) => near.min(2) + 1,
        _ => live.min(1),
    };
    WORTH.iter().map(|boards| boards.map(degree)).collect()
});

/// The pairs of degrees of worth, the player's own first. Expanded tables have a row for each kind and pair.
const PAIRS: usize = DEGREES * DEGREES;
const ROWS: usize = KINDS * PAIRS;

/// Whether a pair of degrees is of a board that would win the game for one of the players.
#[inline]
pub(super) const fn is_decisive([first, second]: [u8; 2]) -> bool {
    first == DECISIVE || second == DECISIVE
}

/// Where the row of an open board begins in an expanded table.
#[inline]
pub(super) const fn row(board: usize, worth: [u8; 2]) -> usize {
    (KIND[board] * PAIRS + pair(worth)) * PATTERNS
}

/// The number of a pair of degrees.
const fn pair([own, other]: [u8; 2]) -> usize {
    own as usize * DEGREES + other as usize
}

pub(super) const fn worth_of_row(row: usize) -> [u8; 2] {
    let pair = row % PAIRS;
    [(pair / DEGREES) as u8, (pair % DEGREES) as u8]
}

pub(super) const fn kind_of_row(row: usize) -> usize {
    row / PAIRS
}

/// The fitted values, one after the other in six groups.
///
/// 1. A small board by its kind and class of turned patterns.
/// 2. A small board by its worth to both players and its class of patterns. What a board adds for the first player is the
///    sum of both, minus the same with the players exchanged.
/// 3. and 4. The turn by the board that the side to move is sent to, as 1 and 2, its own marks first.
/// 5. The macro board of a player by its class of patterns.
/// 6. The boards won by both players by their class of patterns, the player's own first: how lines give way to counting. These
///    are zero where nobody counts.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternValues<T>(pub Vec<T>);

/// Where each group begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Groups {
    kinds: [usize; KINDS],
    boards_by_worth: usize,
    turn: usize,
    macro_board: usize,
    won: usize,
    all: usize,
}

impl Groups {
    pub(super) fn new() -> Self {
        let [corner, side, middle] = [0, 1, 2].map(|kind| OF_KIND[kind].firsts.len());
        let boards_by_worth = corner + side + middle;
        let turn = boards_by_worth + PAIRS * CLASSES.firsts.len();
        let macro_board = 2 * turn;
        let kinds = [0, corner, corner + side];
        let won = macro_board + CLASSES.firsts.len();
        Self { kinds, boards_by_worth, turn, macro_board, won, all: won + CLASSES.firsts.len() }
    }

    /// The two places of a turned pattern: of its kind, and of the worth of its board.
    pub(super) fn board(&self, kind: usize, worth: [u8; 2], pattern: usize) -> [usize; 2] {
        // Turning a board does not change its class under all symmetries.
        let class = pair(worth) * CLASSES.firsts.len() + usize::from(CLASSES.of[pattern]);
        [self.kinds[kind] + usize::from(OF_KIND[kind].of[pattern]), self.boards_by_worth + class]
    }

    pub(super) fn turn(&self, kind: usize, worth: [u8; 2], pattern: usize) -> [usize; 2] {
        self.board(kind, worth, pattern).map(|place| self.turn + place)
    }

    pub(super) fn macro_board(&self, pattern: usize) -> usize {
        self.macro_board + usize::from(CLASSES.of[pattern])
    }

    /// The boards won, a player's own first.
    pub(super) fn won(&self, pattern: usize) -> usize {
        self.won + usize::from(CLASSES.of[pattern])
    }
}

/// The places whose values make up the value of a position.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Those that count for the first player.
    pub first: Vec<u32>,
    /// Those that count for the second player.
    pub second: Vec<u32>,
    /// One pair for each board that the side to move may play in. The pair of the greatest sum counts for it.
    pub turn: Vec<[u32; 2]>,
}

impl<T: Copy + Default> PatternValues<T> {
    /// All values zero.
    pub fn zero() -> Self {
        Self(vec![T::default(); Groups::new().all])
    }
}

impl PatternValues<i16> {
    /// The values of an evaluation, `patterns` or `patterns-count`, that are compiled in, as [`to_bytes`](Self::to_bytes) wrote them.
    pub fn built_in(evaluation: &str) -> Self {
        let bytes: &[u8] = match evaluation {
            "patterns-count" => include_bytes!("count.bin"),
            _ => include_bytes!("patterns.bin"),
        };
        let values = bytes.as_chunks().0.iter().map(|&two| i16::from_le_bytes(two));
        let values: Vec<i16> = values.collect();
        assert_eq!(values.len(), Groups::new().all, "values of another layout");
        Self(values)
    }

    /// The values as 16-bit numbers, the low byte first.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// Rounds values in logits.
    pub fn from_logits(values: &PatternValues<f32>) -> Self {
        // Each value of a table is the sum of up to four.
        let bound = f64::from(LARGEST / 4);
        let round = |&value: &f32| (f64::from(value) * UNITS).round().clamp(-bound, bound) as i16;
        Self(values.0.iter().map(round).collect())
    }
}

/// The places of a position.
pub fn places(position: &Uttt) -> Places {
    let groups = Groups::new();
    let mut places = Places::default();
    let macro_patterns = Player::BOTH.map(|player| macro_board::pattern(position, player));
    let [first, second] = macro_patterns.map(|pattern| groups.macro_board(pattern) as u32);
    places.first.push(first);
    places.second.push(second);
    if position.rules().no_line == NoLine::MostBoards {
        let [own, other] = square::masks(macro_board::won(position));
        places.first.push(groups.won(square::pattern(own, other)) as u32);
        places.second.push(groups.won(square::pattern(other, own)) as u32);
    }
    let worth = macro_patterns.map(|pattern| &OF_BOARDS[pattern]);
    let side = position.side_to_move().index();
    for board in square::cells(position.open()) {
        let marks = position.both(board);
        let seen_by = |player: usize| {
            let other = player ^ 1;
            let worth: [u8; 2] = [worth[player][board], worth[other][board]];
            (KIND[board], worth, TURNED.pattern(board, [marks[player], marks[other]]))
        };
        for (player, list) in [&mut places.first, &mut places.second].into_iter().enumerate() {
            let (kind, worth, pattern) = seen_by(player);
            list.extend(groups.board(kind, worth, pattern).map(|place| place as u32));
        }
        if position.target().is_none_or(|target| target == board) {
            let (kind, worth, pattern) = seen_by(side);
            places.turn.push(groups.turn(kind, worth, pattern).map(|place| place as u32));
        }
    }
    places
}

/// The fitted values as tables by row and turned pattern, from the first player's view.
#[derive(Debug)]
pub(super) struct Tables {
    /// What an open board adds.
    pub(super) boards: Vec<i16>,
    /// What the turn adds for each player who is sent to an open board.
    pub(super) turn: [Vec<i16>; 2],
    /// The macro board of a player, by pattern.
    pub(super) macro_board: Vec<i16>,
    /// The boards won by both players, by pattern.
    pub(super) won: Vec<i16>,
}

impl Tables {
    pub(super) fn new(values: &PatternValues<i16>) -> Self {
        let groups = Groups::new();
        let values = &values.0;
        let exchange = |[first, second]: [u16; 2]| square::pattern(second, first);
        let exchanged: Vec<usize> = (0..PATTERNS).map(|p| exchange(square::masks(p))).collect();
        let [[mut boards, others], turn] = [0, groups.turn].map(|first| {
            let parts = Parts::new(values, &groups, first);
            let others = parts.at(&exchanged);
            [parts.rows(|worth| worth), others.rows(|[own, other]| [other, own])]
        });
        boards.iter_mut().zip(others).for_each(|(own, other)| *own -= other);
        let macro_board =
            (0..PATTERNS).map(|pattern| values[groups.macro_board(pattern)]).collect();
        let won = (0..PATTERNS)
            .map(|pattern| values[groups.won(pattern)] - values[groups.won(exchanged[pattern])]);
        Self { boards, turn, macro_board, won: won.collect() }
    }
}

/// The values of boards, or of the turn, by turned pattern. Those of closed boards are zero.
struct Parts {
    kinds: [Vec<i16>; KINDS],
    /// By worth to the player and to the other.
    worth: Vec<Vec<i16>>,
}

impl Parts {
    /// Those of the groups that begin at a place.
    fn new(values: &[i16], groups: &Groups, first: usize) -> Self {
        let open: Vec<bool> =
            (0..PATTERNS).map(|pattern| !square::is_closed(square::masks(pattern))).collect();
        let by_pattern = |classes: &Classes, begin: usize| -> Vec<i16> {
            let classes = classes.of.iter().zip(&open);
            classes
                .map(|(&class, open)| i16::from(*open) * values[begin + usize::from(class)])
                .collect()
        };
        let worth = first + groups.boards_by_worth;
        let of_pair = |pair| by_pattern(&CLASSES, worth + pair * CLASSES.firsts.len());
        Self {
            kinds: array::from_fn(|kind| by_pattern(&OF_KIND[kind], first + groups.kinds[kind])),
            worth: (0..PAIRS).map(of_pair).collect(),
        }
    }

    /// The values that other patterns have.
    fn at(&self, patterns: &[usize]) -> Self {
        let at = |values: &Vec<i16>| patterns.iter().map(|&pattern| values[pattern]).collect();
        Self { kinds: self.kinds.each_ref().map(at), worth: self.worth.iter().map(at).collect() }
    }

    /// The sum of both parts by row and pattern; `worth` gives the worth of a row as these parts have it.
    fn rows(&self, worth: impl Fn([u8; 2]) -> [u8; 2]) -> Vec<i16> {
        let mut rows = Vec::with_capacity(ROWS * PATTERNS);
        for row in 0..ROWS {
            let of_worth = &self.worth[pair(worth(worth_of_row(row)))];
            let both = self.kinds[kind_of_row(row)].iter().zip(of_worth);
            rows.extend(both.map(|(kind, worth)| kind + worth));
        }
        rows
    }
}

/// By kind, corners and sides: the cells of the turned board before its mirror line, their images, and the cells on the line.
const SIDES_OF_MIRROR: [[usize; 9]; 2] = [[1, 2, 5, 3, 6, 7, 0, 4, 8], [0, 3, 6, 2, 5, 8, 1, 4, 7]];

/// The number of a turned pattern and of its mirror image among the classes of a kind. Each half of the board has 27 patterns,
/// so that there are 27 x 28 / 2 unordered pairs of halves for each pattern of the line between them.
fn folded(kind: usize, pattern: usize) -> usize {
    let [first, second] = square::masks(pattern);
    let digit = |cell: usize| usize::from(first >> cell & 1 | second >> cell << 1 & 2);
    let cells = SIDES_OF_MIRROR[kind];
    let [half, image, line] =
        [0, 3, 6].map(|from| (from..from + 3).rev().fold(0, |all, at| 3 * all + digit(cells[at])));
    let (least, most) = (half.min(image), half.max(image));
    378 * line + most * (most + 1) / 2 + least
}

/// The fitted values as `formulas.txt` reads them, for exports: in the order of [`PatternValues`] but for the patterns of corner
/// and side boards. The classes of these under their one mirror image are numbered so that a formula needs no table to find them.
pub(in super::super) fn exported_values(evaluation: &str) -> Vec<i32> {
    let values = PatternValues::built_in(evaluation).0;
    let mut exported: Vec<i32> = values.iter().map(|&value| i32::from(value)).collect();
    let groups = Groups::new();
    for pattern in 0..PATTERNS {
        for kind in [0, 1] {
            let places = [groups.board(kind, [0; 2], pattern), groups.turn(kind, [0; 2], pattern)];
            let class = usize::from(OF_KIND[kind].of[pattern]);
            for [place, _] in places {
                exported[place - class + folded(kind, pattern)] = i32::from(values[place]);
            }
        }
    }
    exported
}

pub(in super::super) fn exported_classes(_: &str) -> Vec<i32> {
    CLASSES.of.iter().map(|&class| i32::from(class)).collect()
}
