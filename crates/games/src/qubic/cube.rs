//! Facts about a 4x4x4 board stored as a 64-bit mask.
//!
//! The bit of a cell is `16 * layer + 4 * row + column`, each from 0.
//!
//! A cell lies on seven lines if it is a corner of the cube or one of its eight inner cells. These are called rich cells.
//! Every other cell lies on four lines. Lines are divided into kinds as far as the symmetries distinguish them.

use std::sync::LazyLock;

use super::QubicMoves;

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
    /// Its direction and its rich cells.
    pub kind: LineKind,
}

/// The number of a cell. Coordinates are 0 to 3.
pub const fn cell(layer: usize, row: usize, column: usize) -> usize {
    16 * layer + 4 * row + column
}

/// The layer, row and column of a cell.
pub const fn coordinates(cell: usize) -> [usize; 3] {
    [cell / 16, cell / 4 % 4, cell % 4]
}

/// The cells with seven lines. All of their coordinates are at the border, or none is.
pub const RICH: u64 = 0x9009_0660_0660_9009;

/// The 13 directions of lines: how many of the three coordinates change, the difference between the numbers of neighbouring
/// cells, and the first cells of the lines. Of two opposite directions, the one towards higher numbers is listed.
const DIRECTIONS: [(usize, u32, u64); 13] = [
    (1, 1, 0x1111_1111_1111_1111),
    (1, 4, 0x000f_000f_000f_000f),
    (1, 16, 0xffff),
    (2, 5, 0x0001_0001_0001_0001),
    (2, 3, 0x0008_0008_0008_0008),
    (2, 17, 0x1111),
    (2, 15, 0x8888),
    (2, 20, 0x000f),
    (2, 12, 0xf000),
    (3, 21, 0x0001),
    (3, 19, 0x0008),
    (3, 13, 0x1000),
    (3, 11, 0x8000),
];

/// All lines, direction by direction.
pub const LINES: [Line; LINE_COUNT] = {
    let mut lines = [Line { mask: 0, kind: LineKind::PoorStraight }; LINE_COUNT];
    let (mut found, mut index) = (0, 0);
    while index < 13 {
        let (axes, stride, starts) = DIRECTIONS[index];
        let mut left = starts;
        while left != 0 {
            let first = left.trailing_zeros();
            left &= left - 1;
            let mask = (1 | 1 << stride | 1 << (2 * stride) | 1 << (3 * stride)) << first;
            let kind = match axes {
                1 if mask & RICH == 0 => LineKind::PoorStraight,
                1 => LineKind::RichStraight,
                2 => LineKind::FaceDiagonal,
                _ => LineKind::SpaceDiagonal,
            };
            lines[found] = Line { mask, kind };
            found += 1;
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
pub fn lines_through(cell: usize) -> &'static [u8] {
    let (lines, count) = &THROUGH[cell];
    &lines[..usize::from(*count)]
}

/// Whether the marks contain a whole line through a cell, 0 to 63.
#[inline]
pub fn has_line_through(marks: u64, cell: usize) -> bool {
    MASKS_THROUGH[cell].iter().fold(false, |has, mask| has | (marks & mask == *mask))
}

/// The cells that complete a line of which the marks hold the other three cells.
#[inline]
pub fn completing(marks: u64) -> u64 {
    DIRECTIONS.iter().fold(0, |found, &(_, stride, starts)| {
        // The marks on the first to fourth cells of all lines of the direction, shifted to the lines' first cells.
        let [a, b, c, d] = [0, 1, 2, 3].map(|step| marks >> (step * stride) & starts);
        let (ab, cd) = (a & b, c & d);
        found | b & cd | (a & cd) << stride | (ab & d) << (2 * stride) | (ab & c) << (3 * stride)
    })
}

/// The cell of the `index`-th mark, counted from cell 0. There must be more than `index` marks.
#[inline]
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

/// One of the 192 permutations of cells that map lines to lines: the 48 rotations and reflections
/// of the cube, each after one of four permutations of the coordinates, applied to all axes alike.
///
/// Source: Silver, "The group of automorphisms of the game of 3-dimensional ticktacktoe", American
/// Mathematical Monthly 74 (1967).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CubeSymmetry(u8);

impl CubeSymmetry {
    /// The number of symmetries.
    pub const COUNT: usize = 192;

    /// All symmetries, the identity first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The image of a cell, 0 to 63.
    #[inline]
    pub fn cell(self, cell: usize) -> usize {
        usize::from(IMAGES[usize::from(self.0)][cell])
    }

    /// The image of a mask.
    pub fn mask(self, marks: u64) -> u64 {
        QubicMoves(marks).fold(0, |image, mv| image | 1 << self.cell(mv.index()))
    }
}

/// The images of all cells under all symmetries.
static IMAGES: LazyLock<Vec<[u8; CELLS]>> = LazyLock::new(|| {
    // Unchanged; the inner two swapped; inner and outer swapped; both. Other permutations do not
    // map lines to lines, or follow from these and reflections.
    const RENUMBERED: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 2, 1, 3], [1, 0, 3, 2], [1, 3, 0, 2]];
    const AXES: [[usize; 3]; 6] =
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let image = |symmetry: usize, number: usize| {
        let (axes, renumbered) = (AXES[symmetry / 8 % 6], RENUMBERED[symmetry / 48]);
        let from = coordinates(number);
        let [layer, row, column] = [0, 1, 2].map(|axis| {
            let coordinate = renumbered[from[axes[axis]]];
            if symmetry >> axis & 1 == 1 { 3 - coordinate } else { coordinate }
        });
        cell(layer, row, column) as u8
    };
    let images = |symmetry| std::array::from_fn(|number| image(symmetry, number));
    (0..CubeSymmetry::COUNT).map(images).collect()
});
