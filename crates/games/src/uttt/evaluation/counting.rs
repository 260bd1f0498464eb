//! Evaluations that are sums over squares of nine cells: what they count in a square.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::{amar, liang, lifshitz};
pub(super) use crate::slot;
use crate::uttt::Uttt;
use crate::uttt::square::{self, LINES, Region};
use tictune_core::game::{Player, Slot, WeightLayout};

/// The most slots of an evaluation that is a sum over squares.
pub(super) const MOST_SLOTS: usize = 16;

/// The counts of a square for each slot: the first player's minus the second's.
pub(super) type Counts = [i8; MOST_SLOTS];

/// The counts of an evaluation, as functions of the marks of both players in a square. The
/// functions set only counts that are not zero. Symmetric squares have the same counts.
pub(super) struct Counting {
    macro_board: fn([u16; 2], &mut Counts),
    small_board: fn(Region, [u16; 2], &mut Counts),
    /// For the macro board and for small boards by [`Region`].
    patterns: OnceLock<[PatternCounts; 4]>,
}

/// The counts of all patterns of a square: many patterns have the same.
#[derive(PartialEq)]
pub(super) struct PatternCounts {
    pub(super) distinct: Vec<Counts>,
    /// The number of each pattern's counts.
    pub(super) of: Vec<u16>,
}

impl Counting {
    pub(super) const fn new(
        macro_board: fn([u16; 2], &mut Counts),
        small_board: fn(Region, [u16; 2], &mut Counts),
    ) -> Self {
        Self { macro_board, small_board, patterns: OnceLock::new() }
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

    /// The counts of a position, square by square. `N` is the number of slots.
    pub(super) fn of_position<const N: usize>(&self, position: &Uttt) -> [i32; N] {
        let small = (0..9).map(|board| (Some(Region::of(board)), position.both(board)));
        let won = Player::BOTH.map(|player| position.won(player));
        let mut sums = [0; N];
        for (region, marks) in small.chain([(None, won)]) {
            for (sum, count) in sums.iter_mut().zip(self.count(region, marks)) {
                *sum += i32::from(count);
            }
        }
        sums
    }

    pub(super) fn patterns(&self) -> &[PatternCounts; 4] {
        self.patterns.get_or_init(|| {
            [None, Some(Region::Middle), Some(Region::Corner), Some(Region::Side)].map(|region| {
                let (mut numbers, mut distinct) = (HashMap::new(), Vec::new());
                let of = square::by_class(|pattern| {
                    let counts = self.count(region, square::masks(pattern));
                    *numbers.entry(counts).or_insert_with(|| {
                        distinct.push(counts);
                        distinct.len() as u16 - 1
                    })
                });
                PatternCounts { distinct, of }
            })
        })
    }
}

/// The number of the first player's cells in a mask minus the second's.
pub(super) fn net([first, second]: [u16; 2], mask: u16) -> i8 {
    (first & mask).count_ones() as i8 - (second & mask).count_ones() as i8
}

/// The net number of lines without marks of the other side. `counts` says which numbers of own marks count.
pub(super) fn lines([first, second]: [u16; 2], counts: impl Fn(u32) -> bool) -> i8 {
    let of = |own: u16, other: u16| {
        LINES.iter().filter(|&&l| other & l == 0 && counts((own & l).count_ones())).count() as i8
    };
    of(first, second) - of(second, first)
}

/// Counts middle, corners and sides in three slots.
pub(super) fn count_regions(marks: [u16; 2], counts: &mut Counts, first: usize) {
    for region in Region::ALL {
        counts[first + region as usize] = net(marks, region.mask());
    }
}

/// What a layout counts, if it is a sum over squares.
pub(super) fn counting_of(layout: &WeightLayout) -> Option<&'static Counting> {
    Some(match layout.name {
        "simple" | "heur1" => &liang::COUNT_SIMPLE,
        "connecting" => &liang::COUNT_CONNECTING,
        "advanced" => &liang::COUNT_ADVANCED,
        "comprehensive" => &liang::COUNT_COMPREHENSIVE,
        "heur2" | "heur3" | "heur4" => &lifshitz::COUNT_SEQUENCES,
        "winning-possibilities" => &amar::COUNT_WINNING_POSSIBILITIES,
        "recursive-weight" => &amar::COUNT_RECURSIVE_WEIGHT,
        _ => return None,
    })
}

/// Whether an evaluation is a sum over squares.
///
/// [`SquareTables`](super::SquareTables) evaluates such a sum, to which heur4 adds the free move.
pub fn is_sum_over_squares(layout: &WeightLayout) -> bool {
    counting_of(layout).is_some()
}

pub(super) const fn layout(
    name: &'static str,
    description: &'static str,
    slots: &'static [Slot],
) -> WeightLayout {
    crate::layout("uttt", name, description, slots)
}
