//! Move deltas, for [`SquareLookahead`](super::SquareLookahead): by how much a move in a small board changes the value of a
//! position, by the board's pattern.

use std::sync::LazyLock;

use crate::uttt::square::{self, FULL, PATTERNS};

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

/// The greatest deltas of both players by the pattern of a small board.
pub(super) type MoveDeltas = Vec<[BestDelta; 2]>;

/// Computes the deltas from the values of all patterns. Symmetric patterns have the same deltas.
pub(super) fn deltas_of(values: &[i32]) -> MoveDeltas {
    let cells = &*CELLS;
    let delta = |pattern: usize, side: usize| {
        let Cells { empty, closing, .. } = cells[pattern];
        let mut delta = BestDelta { quiet: NONE, win: NONE };
        for cell in square::cells(empty) {
            let after = pattern + square::pattern_step(side, cell);
            let more = signed(side, values[after].wrapping_sub(values[pattern]));
            let wins = closing[side] >> cell & 1 == 1 && cells[after].is_won(side);
            let most = if wins { &mut delta.win } else { &mut delta.quiet };
            *most = more.max(*most);
        }
        delta
    };
    square::by_class(|pattern| [delta(pattern, 0), delta(pattern, 1)]).collect()
}

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
