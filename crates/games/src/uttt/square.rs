//! Facts about a 3x3 board stored as a 9-bit mask. The bit of a cell is `3 * row + column`, from
//! the top left.
//!
//! Both a small board and the macro board of boards won are such squares.

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

const HAS_LINE: [bool; 512] = {
    let mut table = [false; 512];
    let mut marks = 0;
    while marks < 512 {
        let mut line = 0;
        while line < 8 {
            if marks as u16 & LINES[line] == LINES[line] {
                table[marks] = true;
            }
            line += 1;
        }
        marks += 1;
    }
    table
};

/// By marks: the cells that would complete three in a row.
const COMPLETING: [u16; 512] = {
    let mut table = [0; 512];
    let mut marks = 0;
    while marks < 512 {
        let mut cell = 0;
        while cell < 9 {
            if !HAS_LINE[marks] && marks >> cell & 1 == 0 && HAS_LINE[marks | 1 << cell] {
                table[marks] |= 1 << cell;
            }
            cell += 1;
        }
        marks += 1;
    }
    table
};

/// The cells that would complete three in a row, for marks without three in a row; otherwise none.
#[inline]
#[must_use]
pub const fn completing(marks: u16) -> u16 {
    COMPLETING[(marks & FULL) as usize]
}

/// Whether a line without any of these marks is left, so that the opponent can still win the
/// square.
#[inline]
#[must_use]
pub const fn leaves_a_line(marks: u16) -> bool {
    HAS_LINE[(FULL & !marks) as usize]
}

/// The cells that would block the opponent's last line, for marks that leave it at least one line.
#[inline]
#[must_use]
pub const fn blocking(marks: u16) -> u16 {
    BLOCKING[(marks & FULL) as usize]
}

const BLOCKING: [u16; 512] = {
    let mut table = [0; 512];
    let mut marks = 0;
    while marks < 512 {
        let mut cell = 0;
        while cell < 9 {
            let before = marks as u16;
            if leaves_a_line(before) && !leaves_a_line(before | 1 << cell) {
                table[marks] |= 1 << cell;
            }
            cell += 1;
        }
        marks += 1;
    }
    table
};

/// The sum of 3^cell over the cells of a mask.
const TERNARY: [u16; 512] = {
    let mut table = [0; 512];
    let mut marks = 1_usize;
    while marks < 512 {
        let lowest = marks.trailing_zeros();
        table[marks] = table[marks & (marks - 1)] + 3_u16.pow(lowest);
        marks += 1;
    }
    table
};

/// Whether the marks contain three in a row.
#[inline]
#[must_use]
pub fn has_line(marks: u16) -> bool {
    HAS_LINE[usize::from(marks & FULL)]
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
#[must_use]
pub fn count(marks: u16) -> u32 {
    const COUNTS: [u8; 512] = {
        let mut counts = [0; 512];
        let mut marks = 0_usize;
        while marks < 512 {
            counts[marks] = marks.count_ones() as u8;
            marks += 1;
        }
        counts
    };
    u32::from(COUNTS[usize::from(marks & FULL)])
}

/// The results of [`nth_cell`] as a type, so that the compiler knows that an index stays inside a
/// table of 16.
#[derive(Clone, Copy)]
#[repr(u8)]
#[rustfmt::skip]
enum Found { C0, C1, C2, C3, C4, C5, C6, C7, C8, Nothing }

/// The cell of the `index`-th mark, counted from cell 0; 9 if there are fewer marks.
#[inline]
#[must_use]
pub fn nth_cell(marks: u16, index: usize) -> usize {
    use Found::{C0, C1, C2, C3, C4, C5, C6, C7, C8, Nothing};
    static CELLS: [[Found; 16]; 512] = {
        let mut table = [[Nothing; 16]; 512];
        let mut marks = 0;
        while marks < 512 {
            let (mut cell, mut found) = (0, 0);
            while cell < 9 {
                if marks >> cell & 1 == 1 {
                    table[marks][found] = [C0, C1, C2, C3, C4, C5, C6, C7, C8][cell];
                    found += 1;
                }
                cell += 1;
            }
            marks += 1;
        }
        table
    };
    CELLS[usize::from(marks & FULL)][index & 15] as usize
}

/// The number of a pattern, below [`PATTERNS`]. It has one ternary digit for each cell: 0 for
/// empty, 1 for the first player's, 2 for the second's. A cell must not belong to both players.
#[inline]
#[must_use]
pub fn pattern(first: u16, second: u16) -> usize {
    debug_assert_eq!(first & second, 0, "a cell belongs to one player at most");
    usize::from(TERNARY[usize::from(first & FULL)] + 2 * TERNARY[usize::from(second & FULL)])
}

/// The amount by which a player's new mark on an empty cell increases the number of a pattern.
#[inline]
#[must_use]
pub const fn pattern_step(player: usize, cell: usize) -> usize {
    const STEPS: [[u16; 9]; 2] = {
        let mut steps = [[0; 9]; 2];
        let mut cell = 0;
        while cell < 9 {
            steps[0][cell] = 3_u16.pow(cell as u32);
            steps[1][cell] = 2 * steps[0][cell];
            cell += 1;
        }
        steps
    };
    STEPS[player][cell] as usize
}

/// The masks of the first and second player in a pattern; the inverse of [`pattern`].
///
/// # Panics
/// If the number is not below [`PATTERNS`].
#[inline]
#[must_use]
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

/// Classes of symmetric patterns: each pattern's class, and one pattern of each class.
static CLASSES: LazyLock<(Vec<u16>, Vec<u16>)> = LazyLock::new(|| {
    let mut first = vec![None; PATTERNS];
    let mut members = Vec::new();
    let class = |number| {
        let images = Symmetry::ALL.map(|symmetry| {
            let [first, second] = masks(number).map(|marks| symmetry.mask(marks));
            pattern(first, second)
        });
        let least = images.into_iter().min().unwrap_or(number);
        *first[least].get_or_insert_with(|| {
            members.push(least as u16);
            members.len() as u16 - 1
        })
    };
    ((0..PATTERNS).map(class).collect(), members)
});

/// The values of all patterns under a function that has the same value for symmetric patterns. The
/// function is called once for each class of patterns, a seventh of the calls.
pub fn by_class<T: Copy>(value: impl Fn(usize) -> T) -> impl Iterator<Item = T> {
    let (classes, members) = &*CLASSES;
    let values: Vec<T> = members.iter().map(|&member| value(usize::from(member))).collect();
    classes.iter().map(move |&class| values[usize::from(class)])
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
    #[must_use]
    pub const fn of(cell: usize) -> Self {
        match cell {
            4 => Self::Middle,
            0 | 2 | 6 | 8 => Self::Corner,
            _ => Self::Side,
        }
    }

    /// The cells of the region as a mask.
    #[must_use]
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
pub struct Symmetry(u8);

impl Symmetry {
    /// All eight symmetries, the identity first.
    pub const ALL: [Self; 8] =
        [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7)];

    /// The image of a cell, 0 to 8.
    #[must_use]
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
    #[must_use]
    pub fn mask(self, marks: u16) -> u16 {
        cells(marks).fold(0, |image, cell| image | 1 << self.cell(cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_masks_are_inverse() {
        for number in 0..PATTERNS {
            let [first, second] = masks(number);
            assert_eq!(pattern(first, second), number);
        }
    }

    #[test]
    fn what_symmetries_leave_alone_is_asked_once_a_class() {
        let asked = std::cell::Cell::new(0);
        let count_lines = |number: usize| {
            asked.set(asked.get() + 1);
            let [first, second] = masks(number);
            (first.count_ones(), LINES.iter().filter(|&line| second & line == *line).count())
        };
        let found: Vec<_> = by_class(count_lines).collect();
        // The number of patterns up to symmetry, by Burnside's lemma.
        assert_eq!(
            asked.get(),
            (3_usize.pow(9) + 4 * 3_usize.pow(6) + 3_usize.pow(5) + 2 * 3_usize.pow(3)) / 8
        );
        assert!(found.into_iter().eq((0..PATTERNS).map(count_lines)));
    }

    #[test]
    fn the_symmetries_are_eight_different_permutations_that_keep_lines_and_regions() {
        let images: std::collections::HashSet<Vec<usize>> =
            Symmetry::ALL.iter().map(|s| (0..9).map(|cell| s.cell(cell)).collect()).collect();
        assert_eq!(images.len(), 8);
        for symmetry in Symmetry::ALL {
            for line in LINES {
                assert!(LINES.contains(&symmetry.mask(line)));
            }
            for cell in 0..9 {
                assert_eq!(Region::of(symmetry.cell(cell)), Region::of(cell));
            }
        }
    }
}
