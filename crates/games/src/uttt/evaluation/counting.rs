//! The counts of an evaluation in one square of nine cells.

use std::sync::OnceLock;

use crate::uttt::square::{self, LINES, PATTERNS, Region};
use tictune_core::game::{Slot, WeightLayout};

/// The most slots of an evaluation that is a sum over squares.
pub(super) const MOST_SLOTS: usize = 16;

/// The counts of a square for each slot: the first player's minus the second's.
pub(super) type Counts = [i8; MOST_SLOTS];

/// The counts of an evaluation, as functions of the marks of both players in a square. The
/// functions set only counts that are not zero. Symmetric squares have the same counts.
pub(super) struct Counting {
    pub(super) layout: &'static WeightLayout,
    macro_board: fn([u16; 2], &mut Counts),
    small_board: fn(Region, [u16; 2], &mut Counts),
    /// The counts of all patterns, for the macro board and for small boards by [`Region`].
    patterns: OnceLock<[Vec<Counts>; 4]>,
}

impl Counting {
    pub(super) const fn new(
        layout: &'static WeightLayout,
        macro_board: fn([u16; 2], &mut Counts),
        small_board: fn(Region, [u16; 2], &mut Counts),
    ) -> Self {
        Self { layout, macro_board, small_board, patterns: OnceLock::new() }
    }

    /// The counts of a square; without a region it is the macro board.
    pub(super) fn count(&self, region: Option<Region>, marks: [u16; 2]) -> Counts {
        let mut counts = [0; MOST_SLOTS];
        match region {
            None => (self.macro_board)(marks, &mut counts),
            Some(region) => (self.small_board)(region, marks, &mut counts),
        }
        counts
    }

    pub(super) fn patterns(&self) -> &[Vec<Counts>; 4] {
        self.patterns.get_or_init(|| {
            [None, Some(Region::Middle), Some(Region::Corner), Some(Region::Side)].map(|region| {
                (0..PATTERNS).map(|number| self.count(region, square::masks(number))).collect()
            })
        })
    }
}

/// The number of the first player's cells in a mask minus the second's.
pub(super) fn net([first, second]: [u16; 2], mask: u16) -> i8 {
    (first & mask).count_ones() as i8 - (second & mask).count_ones() as i8
}

/// The net number of lines without marks of the other side. `counts` says which numbers of own
/// marks count.
pub(super) fn lines([first, second]: [u16; 2], counts: impl Fn(u32) -> bool) -> i8 {
    let of = |own: u16, other: u16| {
        LINES.iter().filter(|&&l| other & l == 0 && counts((own & l).count_ones())).count() as i8
    };
    of(first, second) - of(second, first)
}

/// A slot of a layout.
pub(super) const fn slot(
    name: &'static str,
    greatest_count: u32,
    description: &'static str,
) -> Slot {
    Slot { name, description, greatest_count }
}
