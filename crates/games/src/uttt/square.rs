//! Facts about a 3x3 board, a small board or the macro board of boards won, stored as a 9-bit mask. The bit of a cell is
//! `3 * row + column`, from the top left.

use std::sync::LazyLock;

/// All nine cells.
pub const FULL: u16 = 0b111_111_111;

/// The eight lines of three cells: rows, columns and diagonals.
pub const LINES: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

/// The number of patterns of a square: each cell is empty, the first player's or the second's, 3^9.
pub const PATTERNS: usize = 19_683;

/// A table by the mask of cells, made at compile time.
macro_rules! by_mask {
    ($zero:expr, |$marks:ident| $value:expr) => {{
        let mut table = [$zero; 512];
        let mut $marks = 0_usize;
        while $marks < 512 {
            table[$marks] = $value;
            $marks += 1;
        }
        table
    }};
}
pub(super) use by_mask;

const HAS_LINE: [bool; 512] = by_mask!(false, |marks| {
    let (mut line, mut found) = (0, false);
    while line < 8 {
        found |= marks as u16 & LINES[line] == LINES[line];
        line += 1;
    }
    found
});

/// By marks: whether they leave a line to the opponent.
const LEAVES_A_LINE: [bool; 512] = by_mask!(false, |marks| HAS_LINE[511 - marks]);

/// The cells whose marks make a fact true that was false, or false that was true.
const fn that_make(truth: bool, facts: &[bool; 512]) -> [u16; 512] {
    by_mask!(0, |marks| {
        let (mut cell, mut found) = (0, 0);
        while cell < 9 {
            if facts[marks] != truth && facts[marks | 1 << cell] == truth {
                found |= 1 << cell;
            }
            cell += 1;
        }
        found
    })
}

/// The cells that would complete three in a row, for marks without three in a row; otherwise none.
#[inline]
pub const fn completing(marks: u16) -> u16 {
    const COMPLETING: [u16; 512] = that_make(true, &HAS_LINE);
    COMPLETING[(marks & FULL) as usize]
}

/// Whether a line without any of these marks is left, so that the opponent can still win the square.
#[inline]
pub const fn leaves_a_line(marks: u16) -> bool {
    LEAVES_A_LINE[(marks & FULL) as usize]
}

/// The cells that would block the opponent's last line, for marks that leave it at least one line.
#[inline]
pub const fn blocking(marks: u16) -> u16 {
    const BLOCKING: [u16; 512] = that_make(false, &LEAVES_A_LINE);
    BLOCKING[(marks & FULL) as usize]
}

/// Whether the marks contain three in a row.
#[inline]
pub fn has_line(marks: u16) -> bool {
    HAS_LINE[usize::from(marks & FULL)]
}

/// Whether a player has three in a row in a square, or it is full.
pub(super) fn is_closed([first, second]: [u16; 2]) -> bool {
    has_line(first) || has_line(second) || first | second == FULL
}

/// The cells of a mask in ascending order.
#[inline]
pub fn cells(mut mask: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (cell < 16).then_some(cell)
    })
}

/// The number of marks. A table gives it, since not every supported processor can count bits.
#[inline]
pub fn count(marks: u16) -> u32 {
    const COUNTS: [u8; 512] = by_mask!(0, |marks| marks.count_ones() as u8);
    u32::from(COUNTS[usize::from(marks & FULL)])
}

/// The results of [`nth_cell`] as a type, so that the compiler knows that an index stays inside a table of 16.
#[derive(Clone, Copy)]
#[repr(u8)]
#[rustfmt::skip]
enum Found { C0, C1, C2, C3, C4, C5, C6, C7, C8, Nothing }

/// The cell of the `index`-th mark, counted from cell 0; 9 if there are fewer marks.
#[inline]
pub fn nth_cell(marks: u16, index: usize) -> usize {
    use Found::{C0, C1, C2, C3, C4, C5, C6, C7, C8, Nothing};
    static CELLS: [[Found; 16]; 512] = by_mask!([Nothing; 16], |marks| {
        let (mut cells, mut cell, mut found) = ([Nothing; 16], 0, 0);
        while cell < 9 {
            if marks >> cell & 1 == 1 {
                cells[found] = [C0, C1, C2, C3, C4, C5, C6, C7, C8][cell];
                found += 1;
            }
            cell += 1;
        }
        cells
    });
    CELLS[usize::from(marks & FULL)][index & 15] as usize
}

/// The number of a pattern, below [`PATTERNS`]. It has one ternary digit for each cell: 0 for
/// empty, 1 for the first player's, 2 for the second's. A cell must not belong to both players.
#[inline]
pub fn pattern(first: u16, second: u16) -> usize {
    /// The sum of 3^cell over the cells of a mask.
    const TERNARY: [u16; 512] = by_mask!(0, |marks| {
        let (mut cell, mut sum) = (0, 0);
        while cell < 9 {
            sum += (marks >> cell & 1) as u16 * 3_u16.pow(cell);
            cell += 1;
        }
        sum
    });
    debug_assert_eq!(first & second, 0, "a cell belongs to one player at most");
    usize::from(TERNARY[usize::from(first & FULL)] + 2 * TERNARY[usize::from(second & FULL)])
}

/// The amount by which a player's new mark on an empty cell increases the number of a pattern.
#[inline]
pub const fn pattern_step(player: usize, cell: usize) -> usize {
    const STEPS: [[u16; 9]; 2] =
        [[1, 3, 9, 27, 81, 243, 729, 2187, 6561], [2, 6, 18, 54, 162, 486, 1458, 4374, 13122]];
    STEPS[player][cell] as usize
}

/// The masks of the first and second player in a pattern, below [`PATTERNS`]; the inverse of [`pattern`].
#[inline]
pub const fn masks(pattern: usize) -> [u16; 2] {
    MASKS[pattern]
}

static MASKS: [[u16; 2]; PATTERNS] = {
    let mut table = [[0; 2]; PATTERNS];
    let mut pattern = 1;
    while pattern < PATTERNS {
        // The pattern without its highest mark has a smaller number, so its masks are known.
        let mut cell = 0;
        while cell < 8 && pattern_step(0, cell + 1) <= pattern {
            cell += 1;
        }
        let player = (pattern >= pattern_step(1, cell)) as usize;
        table[pattern] = table[pattern - pattern_step(player, cell)];
        table[pattern][player] |= 1 << cell;
        pattern += 1;
    }
    table
};

/// Classes of patterns under some symmetries.
pub(super) struct Classes {
    /// The class of each pattern, in the order of the first pattern of each.
    pub(super) of: Vec<u16>,
    /// The first pattern of each class.
    pub(super) firsts: Vec<u16>,
}

impl Classes {
    pub(super) fn under(fits: impl Fn(&SquareSymmetry) -> bool) -> Self {
        const NONE: u16 = u16::MAX;
        let group: Vec<SquareSymmetry> = SquareSymmetry::ALL.into_iter().filter(fits).collect();
        let mut classes = Self { of: vec![NONE; PATTERNS], firsts: Vec::new() };
        for number in 0..PATTERNS {
            if classes.of[number] == NONE {
                for symmetry in &group {
                    let [first, second] = masks(number).map(|marks| symmetry.mask(marks));
                    classes.of[pattern(first, second)] = classes.firsts.len() as u16;
                }
                classes.firsts.push(number as u16);
            }
        }
        classes
    }
}

/// The values of all patterns, by the number of the value of each.
pub(super) fn of_all<T: Copy>(numbers: &[u16], values: &[T]) -> Vec<T> {
    numbers.iter().map(|&number| values[usize::from(number)]).collect()
}

pub(super) static CLASSES: LazyLock<Classes> = LazyLock::new(|| Classes::under(|_| true));

/// The values of all patterns under a function that has the same value for symmetric patterns. The
/// function is called once for each class of patterns, a seventh of the calls.
pub fn by_class<T: Copy>(mut value: impl FnMut(usize) -> T) -> Vec<T> {
    let values: Vec<T> = CLASSES.firsts.iter().map(|&first| value(usize::from(first))).collect();
    of_all(&CLASSES.of, &values)
}

/// Where a cell or board lies in its square, in the terms of Liang 2.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The cell (1, 1).
    Middle,
    /// One of the four corners.
    Corner,
    /// One of the four cells between two corners.
    Side,
}

impl Region {
    /// The three regions.
    pub const ALL: [Self; 3] = [Self::Middle, Self::Corner, Self::Side];

    /// The region of a cell, 0 to 8.
    pub const fn of(cell: usize) -> Self {
        match cell {
            4 => Self::Middle,
            0 | 2 | 6 | 8 => Self::Corner,
            _ => Self::Side,
        }
    }

    /// The cells of the region as a mask.
    pub const fn mask(self) -> u16 {
        match self {
            Self::Middle => 0b000_010_000,
            Self::Corner => 0b101_000_101,
            Self::Side => 0b010_101_010,
        }
    }
}

/// One of the eight symmetries of the square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareSymmetry(u8);

impl SquareSymmetry {
    /// All eight symmetries, the identity first.
    pub const ALL: [Self; 8] =
        [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7)];

    /// The image of a cell, 0 to 8.
    pub const fn cell(self, cell: usize) -> usize {
        let (mut row, mut column) = (cell / 3, cell % 3);
        if self.0 & 1 != 0 {
            column = 2 - column;
        }
        if self.0 & 2 != 0 {
            row = 2 - row;
        }
        if self.0 & 4 != 0 { 3 * column + row } else { 3 * row + column }
    }

    /// The image of a mask.
    pub fn mask(self, marks: u16) -> u16 {
        cells(marks).fold(0, |image, cell| image | 1 << self.cell(cell))
    }
}
