//! Move deltas, for [`SquareLookahead`](super::SquareLookahead): by how much a move in a small board changes the value of a
//! position, by the board's pattern.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::uttt::square::{self, CLASSES, FULL, PATTERNS};

/// The delta if there is no move.
pub(super) const NONE: i32 = i32::MIN;
/// The delta of a move that wins the game.
pub(super) const GAME: i32 = i32::MAX;

/// The greatest deltas of a player's moves in a small board of one pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BestDelta {
    /// For moves that do not win the board; [`NONE`] if there are none.
    pub(super) quiet: i32,
    /// For moves that win the board, without the change of the macro board; [`NONE`] if there are none.
    pub(super) win: i32,
}

/// The greatest deltas of both players by the class of a small board's pattern.
pub(super) type MoveDeltas = Vec<[BestDelta; 2]>;

/// Computes the deltas from the values of all patterns. Closed boards have none; with colours swapped they are the other player's.
pub(super) fn deltas_of(values: &[i32]) -> MoveDeltas {
    let classes = &*CLASSES;
    let of_classes: Vec<i32> =
        classes.firsts.iter().map(|&first| values[usize::from(first)]).collect();
    let best = |before: i32, after: &[u16]| {
        let delta = |&after: &u16| of_classes[usize::from(after)].wrapping_sub(before);
        after.iter().fold(NONE, |most, after| most.max(delta(after)))
    };
    let of_first = |(&before, moves): (&i32, &Moves)| BestDelta {
        quiet: best(before, &moves.quiet),
        win: best(before, &moves.wins),
    };
    let of_first: Vec<BestDelta> = of_classes.iter().zip(&*MOVES).map(of_first).collect();
    let of_both = |(&first, moves): (&BestDelta, &Moves)| [first, of_first[moves.swapped]];
    of_first.iter().zip(&*MOVES).map(of_both).collect()
}

/// The first player's moves in an open board: the classes of patterns that they lead to, each once.
struct Moves {
    /// Of those that do not win the board.
    quiet: Box<[u16]>,
    wins: Box<[u16]>,
    /// The class of the pattern with colours swapped.
    swapped: usize,
}

/// By the class of a small board's pattern.
static MOVES: LazyLock<Box<[Moves]>> = LazyLock::new(|| {
    let of_class = |&first: &u16| {
        let marks = square::masks(usize::from(first));
        let after = square::cells(CELLS[usize::from(first)].empty)
            .filter(|_| !square::is_closed(marks))
            .map(|cell| usize::from(first) + square::pattern_step(0, cell));
        let (wins, quiet): (BTreeSet<_>, BTreeSet<_>) = after
            .map(|after| CLASSES.of[after])
            .partition(|&class| CELLS[usize::from(CLASSES.firsts[usize::from(class)])].is_won(0));
        let swapped = usize::from(CLASSES.of[square::pattern(marks[1], marks[0])]);
        let [quiet, wins] = [quiet, wins].map(|classes| classes.into_iter().collect());
        Moves { quiet, wins, swapped }
    };
    CLASSES.firsts.iter().map(of_class).collect()
});

/// Facts about a pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cells {
    /// The cells without a mark.
    pub(super) empty: u16,
    /// The empty cells that close the board when a player marks them.
    pub(super) closing: [u16; 2],
    /// Bit 0: the first player has three in a row. Bit 1: the second player has.
    won: u16,
}

impl Cells {
    #[inline]
    pub(super) fn is_won(self, side: usize) -> bool {
        self.won >> side & 1 == 1
    }
}

/// The facts about every pattern.
pub(super) static CELLS: LazyLock<Box<[Cells]>> = LazyLock::new(|| {
    let cells = |pattern| {
        let marks = square::masks(pattern);
        let empty = FULL & !(marks[0] | marks[1]);
        let last = if empty.count_ones() == 1 { empty } else { 0 };
        let closing = marks.map(|own| square::completing(own) & empty | last);
        let won = marks.map(|own| u16::from(square::has_line(own)));
        Cells { empty, closing, won: won[0] | won[1] << 1 }
    };
    (0..PATTERNS).map(cells).collect()
});

/// Converts a value from the first player's view to a side's view, or back.
#[inline]
pub(super) fn signed(side: usize, value: i32) -> i32 {
    if side == 0 { value } else { value.wrapping_neg() }
}
