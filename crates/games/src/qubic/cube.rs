//! Facts about a 4x4x4 board stored as a 64-bit mask.
//!
//! The bit of a cell is `16 * layer + 4 * row + column`, each from 0.
//!
//! A cell lies on seven lines if it is a corner of the cube or one of its eight inner cells. These
//! are called rich cells. Every other cell lies on four lines. Lines are divided into kinds as far
//! as the symmetries distinguish them.

/// The number of cells.
pub const CELLS: usize = 64;

/// The number of lines of four cells.
pub const LINE_COUNT: usize = 76;

/// The kinds of lines. No symmetry maps a line to one of another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LineKind {
    /// Along an axis, without rich cells: 24 lines.
    PoorStraight = 0,
    /// Along an axis, with two rich cells: the 12 edges of the cube and the 12 lines through its middle.
    RichStraight = 1,
    /// A diagonal of one of the twelve 4x4 layers, with two rich cells: 24 lines.
    FaceDiagonal = 2,
    /// A diagonal of the cube, with four rich cells: 4 lines.
    SpaceDiagonal = 3,
}

impl LineKind {
    /// The four kinds.
    pub const ALL: [Self; 4] =
        [Self::PoorStraight, Self::RichStraight, Self::FaceDiagonal, Self::SpaceDiagonal];
}

/// A line of four cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its cells.
    pub mask: u64,
    /// Its kind.
    pub kind: LineKind,
}

/// The number of a cell. Coordinates are 0 to 3.
#[must_use]
pub const fn cell(layer: usize, row: usize, column: usize) -> usize {
    16 * layer + 4 * row + column
}

/// The layer, row and column of a cell.
#[must_use]
pub const fn coordinates(cell: usize) -> [usize; 3] {
    [cell / 16, cell / 4 % 4, cell % 4]
}

/// The steps along layers, rows and columns in each of the 13 directions. Of two opposite
/// directions, the one towards higher cell numbers is listed.
const DIRECTIONS: [[i32; 3]; 13] = [
    [0, 0, 1],
    [0, 1, 0],
    [1, 0, 0],
    [0, 1, 1],
    [0, 1, -1],
    [1, 0, 1],
    [1, 0, -1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [1, -1, -1],
];

/// A direction: the difference between the numbers of neighbouring cells on its lines, and the
/// first cells of these lines.
#[derive(Clone, Copy)]
struct Direction {
    stride: u32,
    starts: u64,
}

/// The cells with seven lines. All of their coordinates are at the border, or none is.
pub const RICH: u64 = {
    let (mut mask, mut number) = (0, 0);
    while number < CELLS {
        let mut at_border = 0;
        let mut axis = 0;
        while axis < 3 {
            at_border += matches!(coordinates(number)[axis], 0 | 3) as u32;
            axis += 1;
        }
        if at_border == 0 || at_border == 3 {
            mask |= 1 << number;
        }
        number += 1;
    }
    mask
};

const STARTS: [Direction; 13] = {
    let mut all = [Direction { stride: 0, starts: 0 }; 13];
    let mut index = 0;
    while index < 13 {
        let steps = DIRECTIONS[index];
        all[index].stride = (16 * steps[0] + 4 * steps[1] + steps[2]) as u32;
        let mut number = 0;
        while number < CELLS {
            let at = coordinates(number);
            let mut starts = true;
            let mut axis = 0;
            while axis < 3 {
                // Four cells in this direction must fit into the cube.
                starts &= match steps[axis] {
                    1 => at[axis] == 0,
                    -1 => at[axis] == 3,
                    _ => true,
                };
                axis += 1;
            }
            if starts {
                all[index].starts |= 1 << number;
            }
            number += 1;
        }
        index += 1;
    }
    all
};

/// All lines, direction by direction.
pub const LINES: [Line; LINE_COUNT] = {
    let mut lines = [Line { mask: 0, kind: LineKind::PoorStraight }; LINE_COUNT];
    let (mut found, mut index) = (0, 0);
    while index < 13 {
        let Direction { stride, starts } = STARTS[index];
        let axes =
            DIRECTIONS[index][0].abs() + DIRECTIONS[index][1].abs() + DIRECTIONS[index][2].abs();
        let mut number = 0;
        while number < CELLS {
            if starts >> number & 1 == 1 {
                let mask = (1 | 1 << stride | 1 << (2 * stride) | 1 << (3 * stride)) << number;
                let kind = match axes {
                    1 if mask & RICH == 0 => LineKind::PoorStraight,
                    1 => LineKind::RichStraight,
                    2 => LineKind::FaceDiagonal,
                    _ => LineKind::SpaceDiagonal,
                };
                lines[found] = Line { mask, kind };
                found += 1;
            }
            number += 1;
        }
        index += 1;
    }
    lines
};

/// By cell: the indices in [`LINES`] of the lines through it, and their number.
static THROUGH: [([u8; 7], u8); CELLS] = {
    let mut through = [([0; 7], 0); CELLS];
    let mut line = 0;
    while line < LINE_COUNT {
        let mut number = 0;
        while number < CELLS {
            if LINES[line].mask >> number & 1 == 1 {
                let count = through[number].1;
                through[number].0[count as usize] = line as u8;
                through[number].1 = count + 1;
            }
            number += 1;
        }
        line += 1;
    }
    through
};

/// The masks of the lines through each cell. A cell with four lines has the first one in the other
/// three places too, so that all cells have seven.
static MASKS_THROUGH: [[u64; 7]; CELLS] = {
    let mut masks = [[0; 7]; CELLS];
    let mut number = 0;
    while number < CELLS {
        let mut place = 0;
        while place < 7 {
            masks[number][place] =
                LINES[THROUGH[number].0[place % THROUGH[number].1 as usize] as usize].mask;
            place += 1;
        }
        number += 1;
    }
    masks
};

/// The indices in [`LINES`] of the four or seven lines through a cell, 0 to 63.
#[inline]
#[must_use]
pub fn lines_through(cell: usize) -> &'static [u8] {
    let (lines, count) = &THROUGH[cell];
    &lines[..usize::from(*count)]
}

/// Whether the marks contain a whole line through a cell, 0 to 63.
#[inline]
#[must_use]
pub fn has_line_through(marks: u64, cell: usize) -> bool {
    MASKS_THROUGH[cell].iter().fold(false, |has, mask| has | (marks & mask == *mask))
}

/// The cells that complete a line of which the marks hold the other three cells.
#[inline]
#[must_use]
pub fn completing(marks: u64) -> u64 {
    STARTS.iter().fold(0, |found, &Direction { stride, starts }| {
        // The marks on the first to fourth cells of all lines of the direction, shifted to the
        // lines' first cells.
        let [a, b, c, d] = [0, 1, 2, 3].map(|step| marks >> (step * stride) & starts);
        let (ab, cd) = (a & b, c & d);
        found | b & cd | (a & cd) << stride | (ab & d) << (2 * stride) | (ab & c) << (3 * stride)
    })
}

/// The cell of the `index`-th mark, counted from cell 0. There must be more than `index` marks.
#[inline]
#[must_use]
pub fn nth_cell(marks: u64, index: u32) -> usize {
    debug_assert!(index < marks.count_ones());
    let (mut left, mut from) = (index, 0);
    for width in [32, 16, 8, 4, 2, 1] {
        let below = (marks >> from & ((1 << width) - 1)).count_ones();
        if left >= below {
            left -= below;
            from += width;
        }
    }
    from as usize & (CELLS - 1)
}

/// The cells of a mask in ascending order.
pub fn cells(mask: u64) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let number = (left != 0).then_some(left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(number)
    })
}

/// One of the 192 permutations of cells that map lines to lines: the 48 rotations and reflections
/// of the cube, each after one of four permutations of the coordinates, applied to all axes alike.
///
/// CITE: Silver, "The group of automorphisms of the game of 3-dimensional ticktacktoe", American
/// Mathematical Monthly 74 (1967).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The number of symmetries.
    pub const COUNT: usize = 192;

    /// All symmetries, the identity first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The image of a cell, 0 to 63.
    #[inline]
    #[must_use]
    pub fn cell(self, cell: usize) -> usize {
        usize::from(IMAGES[usize::from(self.0)][cell])
    }

    /// The image of a mask.
    #[must_use]
    pub fn mask(self, marks: u64) -> u64 {
        cells(marks).fold(0, |image, cell| image | 1 << self.cell(cell))
    }
}

/// The images of all cells under all symmetries.
static IMAGES: [[u8; CELLS]; Symmetry::COUNT] = {
    // Unchanged; the inner two swapped; inner and outer swapped; both. Other permutations do not
    // map lines to lines, or follow from these and reflections.
    const RENUMBERED: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 2, 1, 3], [1, 0, 3, 2], [1, 3, 0, 2]];
    const AXES: [[usize; 3]; 6] =
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut images = [[0; CELLS]; Symmetry::COUNT];
    let mut symmetry = 0;
    while symmetry < Symmetry::COUNT {
        let (reflected, axes) = (symmetry % 8, AXES[symmetry / 8 % 6]);
        let renumbered = RENUMBERED[symmetry / 48];
        let mut number = 0;
        while number < CELLS {
            let from = coordinates(number);
            let mut to = [0; 3];
            let mut axis = 0;
            while axis < 3 {
                let coordinate = renumbered[from[axes[axis]]];
                to[axis] = if reflected >> axis & 1 == 1 { 3 - coordinate } else { coordinate };
                axis += 1;
            }
            images[symmetry][number] = cell(to[0], to[1], to[2]) as u8;
            number += 1;
        }
        symmetry += 1;
    }
    images
};

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn there_are_76_lines_of_four_kinds_and_16_rich_cells() {
        let different: HashSet<u64> = LINES.iter().map(|line| line.mask).collect();
        assert_eq!(different.len(), LINE_COUNT);
        assert!(LINES.iter().all(|line| line.mask.count_ones() == 4));
        for kind in LineKind::ALL {
            let lines = LINES.iter().filter(|line| line.kind == kind);
            let expected = if kind == LineKind::SpaceDiagonal { 4 } else { 24 };
            assert_eq!(lines.count(), expected, "{kind:?}");
        }
        for number in 0..CELLS {
            let expected = if RICH >> number & 1 == 1 { 7 } else { 4 };
            assert_eq!(lines_through(number).len(), expected, "cell {number}");
            let counted = LINES.iter().filter(|line| line.mask >> number & 1 == 1).count();
            assert_eq!(counted, expected, "cell {number}");
        }
        assert_eq!(RICH.count_ones(), 16);
    }

    #[test]
    fn the_symmetries_are_192_different_permutations_that_keep_lines_and_their_kinds() {
        let images: HashSet<Vec<usize>> =
            Symmetry::all().map(|s| (0..CELLS).map(|cell| s.cell(cell)).collect()).collect();
        assert_eq!(images.len(), Symmetry::COUNT);
        for symmetry in Symmetry::all() {
            assert_eq!(symmetry.mask(u64::MAX), u64::MAX);
            for line in LINES {
                let image = Line { mask: symmetry.mask(line.mask), ..line };
                assert!(LINES.contains(&image), "{line:?} under {symmetry:?}");
            }
        }
        // The symmetries form a group, so all images of a position have the same smallest image.
        for a in Symmetry::all() {
            for b in Symmetry::all().step_by(7) {
                let both: Vec<usize> = (0..CELLS).map(|cell| b.cell(a.cell(cell))).collect();
                assert!(images.contains(&both), "{a:?}, then {b:?}");
            }
        }
    }

    #[test]
    fn every_kind_of_line_is_one_orbit() {
        for kind in LineKind::ALL {
            let first = LINES.iter().find(|line| line.kind == kind).unwrap();
            let orbit: HashSet<u64> = Symmetry::all().map(|s| s.mask(first.mask)).collect();
            let all = LINES.iter().filter(|line| line.kind == kind).map(|line| line.mask);
            assert_eq!(orbit, all.collect(), "{kind:?}");
        }
    }
}
