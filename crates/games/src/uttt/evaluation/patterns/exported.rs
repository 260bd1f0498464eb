//! The fitted values as `formulas.txt` reads them, for exports.
//!
//! They are in the order of [`PatternValues`] but for the patterns of corner and side boards. The classes of these under their one
//! mirror image are numbered so that a formula needs no table to find them: see [`folded`].

use super::orientation::OF_KIND;
use super::values::{Groups, PatternValues};
use crate::uttt::square::{self, CLASSES, PATTERNS};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_numbers_are_those_of_the_classes() {
        for kind in [0, 1] {
            let mut class_of = vec![None; OF_KIND[kind].firsts.len()];
            for pattern in 0..PATTERNS {
                let class = OF_KIND[kind].of[pattern];
                assert_eq!(*class_of[folded(kind, pattern)].get_or_insert(class), class);
            }
            assert!(class_of.iter().all(Option::is_some));
        }
    }
}
