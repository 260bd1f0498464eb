//! The four evaluations of Liang's chapter 2.
//!
//! Every square of nine adds its net counts of two in a row and of middle, corner and side cells.
//! The layouts differ only in which counts share a weight.
//!
//! Two in a row counts lines with at least two marks of one side and none of the other, so three in a row counts too. Small
//! boards count even after they are decided. A drawn board does not block lines of the macro board, and counts for nobody, also
//! under `drawn_board = "both"`. The published weights were evolved under these rules.

use crate::uttt::evaluation::counting::{
    Counting, Counts, count_regions, layout, lines, net, slot,
};
use crate::uttt::square::FULL;
use tictune_core::game::WeightLayout;

const MICRO_LINES: &str =
    "lines of small boards, decided ones too, with two or three marks and none of the opponent";

/// Boards won (Liang 2.1, Table 2.1).
pub static SIMPLE: WeightLayout = layout(
    "simple",
    "boards won minus boards lost (Liang 2.1)",
    &[slot("micro_win", 9, "small boards won")],
);

/// Boards won and two in a row (Liang 2.2, Table 2.2).
pub static CONNECTING: WeightLayout = layout(
    "connecting",
    "boards won, and two in a row in the macro board and in small boards (Liang 2.2)",
    &[
        slot("micro_win", 9, "small boards won"),
        slot("macro_connecting", 8, "lines of the macro board with two boards won and none lost"),
        slot("micro_connecting", 72, MICRO_LINES),
    ],
);

/// Two in a row, with separate weights for middle, corner and side (Liang 2.3, Table 2.3).
pub static ADVANCED: WeightLayout = layout(
    "advanced",
    "two in a row, and middle, corner and side, of the macro board and of small boards (Liang 2.3)",
    &[
        slot("macro_two_in_a_row", 8, "lines of the macro board with two boards won and none lost"),
        slot("macro_middle", 1, "the middle small board won"),
        slot("macro_corner", 4, "corner small boards won"),
        slot("macro_side", 4, "side small boards won"),
        slot("micro_two_in_a_row", 72, MICRO_LINES),
        slot("micro_middle", 9, "marks on middle squares of small boards, decided ones too"),
        slot("micro_corner", 36, "marks on corner squares of small boards, decided ones too"),
        slot("micro_side", 36, "marks on side squares of small boards, decided ones too"),
    ],
);

/// [`ADVANCED`] with separate weights for the squares of middle, corner and side boards (Liang 2.4, Table 2.5).
pub static COMPREHENSIVE: WeightLayout = layout(
    "comprehensive",
    "advanced, with the squares of middle, corner and side small boards, decided ones too, counted separately (Liang 2.4)",
    &[
        slot("macro_two_in_a_row", 8, "lines of the macro board with two boards won and none lost"),
        slot("macro_middle", 1, "the middle small board won"),
        slot("macro_corner", 4, "corner small boards won"),
        slot("macro_side", 4, "side small boards won"),
        slot("micro_two_in_a_row", 72, MICRO_LINES),
        slot("micro_middle_middle", 1, "the middle square of the middle small board"),
        slot("micro_middle_corner", 4, "corner squares of the middle small board"),
        slot("micro_middle_side", 4, "side squares of the middle small board"),
        slot("micro_corner_middle", 4, "middle squares of corner small boards"),
        slot("micro_corner_corner", 16, "corner squares of corner small boards"),
        slot("micro_corner_side", 16, "side squares of corner small boards"),
        slot("micro_side_middle", 4, "middle squares of side small boards"),
        slot("micro_side_corner", 16, "corner squares of side small boards"),
        slot("micro_side_side", 16, "side squares of side small boards"),
    ],
);

/// The net number of lines with at least two marks of one side and none of the other.
fn two_in_a_row(marks: [u16; 2]) -> i8 {
    lines(marks, |own| own >= 2)
}

pub(super) static COUNT_SIMPLE: Counting =
    Counting::new(|marks, counts| counts[0] = net(marks, FULL), |_, _, _| {});

pub(super) static COUNT_CONNECTING: Counting = Counting::new(
    |marks, counts| {
        counts[0] = net(marks, FULL);
        counts[1] = two_in_a_row(marks);
    },
    |_, marks, counts| counts[2] = two_in_a_row(marks),
);

pub(super) static COUNT_ADVANCED: Counting = Counting::new(
    |marks, counts| two_in_a_row_and_regions(marks, counts, [0, 1]),
    |_, marks, counts| two_in_a_row_and_regions(marks, counts, [4, 5]),
);

pub(super) static COUNT_COMPREHENSIVE: Counting = Counting::new(
    |marks, counts| two_in_a_row_and_regions(marks, counts, [0, 1]),
    |board, marks, counts| {
        two_in_a_row_and_regions(marks, counts, [4, 5 + 3 * board as usize]);
    },
);

/// Adds two in a row to the slot `lines`, and middle, corner and side to `regions` and the next two.
fn two_in_a_row_and_regions(marks: [u16; 2], counts: &mut Counts, [lines, regions]: [usize; 2]) {
    counts[lines] = two_in_a_row(marks);
    count_regions(marks, counts, regions);
}
