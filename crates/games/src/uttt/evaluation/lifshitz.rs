//! The four evaluations of Lifshitz V, each of which costs or knows more than the one before.
//!
//! The report does not say what counts in decided small boards. Here their squares and sequences count as in any board. A
//! sequence is a line with exactly two own marks whose third cell is not the opponent's. A drawn board does not block one.

use crate::uttt::evaluation::counting::{Counting, Counts, layout, lines, net, slot};
use crate::uttt::square::{FULL, Region};
use tictune_core::game::{Slot, WeightLayout};

/// Boards won minus boards lost (Lifshitz V 1). The report's 10000 for a won game are a setting of `expectimax`.
pub(super) static HEUR1: WeightLayout = layout(
    "heur1",
    "boards won minus boards lost (Lifshitz V 1)",
    &[slot("small_board_win", 9, "small boards won")],
);

/// The slots of heur2, heur3 and heur4; only heur4 has the last one.
const SLOTS: &[Slot; 8] = &[
    slot("small_board_win", 9, "small boards won"),
    slot("center_board_win", 1, "the centre board won"),
    slot("corner_board_win", 4, "corner boards won"),
    slot("center_square", 9, "centre squares of small boards"),
    slot("center_board_square", 9, "squares of the centre board"),
    slot("board_sequence", 8, "lines of two boards won whose third is not lost"),
    slot("square_sequence", 72, "lines of two squares of a small board whose third is free"),
    slot("free_move", 1, "the side to move was sent to a closed board and may play anywhere"),
];

/// Boards, centres and sequences. Every square is counted again for every value, as by a program that stores no values of small
/// boards (Lifshitz V 2). The difference in time shows what the tables of [`HEUR3`] save.
pub(super) static HEUR2: WeightLayout = layout(
    "heur2",
    "boards won, centres and sequences, without tables (Lifshitz V 2)",
    SLOTS.split_at(7).0,
);

/// The values of [`HEUR2`], stored in tables by the pattern of small boards (Lifshitz V 3).
pub(super) static HEUR3: WeightLayout = layout(
    "heur3",
    "heur2 with the values of all small boards in tables (Lifshitz V 3)",
    SLOTS.split_at(7).0,
);

/// [`HEUR3`] and the value of a free move (Lifshitz V 4).
pub(super) static HEUR4: WeightLayout =
    layout("heur4", "heur3, and being free to play anywhere (Lifshitz V 4)", SLOTS);

/// What [`HEUR2`], [`HEUR3`] and [`HEUR4`] count; a free move is not in it.
pub(super) static COUNT_SEQUENCES: Counting = Counting::new(boards, squares);

fn boards(won: [u16; 2], counts: &mut Counts) {
    counts[0] = net(won, FULL);
    counts[1] = net(won, Region::Middle.mask());
    counts[2] = net(won, Region::Corner.mask());
    counts[5] = lines(won, |own| own == 2);
}

fn squares(board: Region, marks: [u16; 2], counts: &mut Counts) {
    counts[3] = net(marks, Region::Middle.mask());
    if board == Region::Middle {
        counts[4] = net(marks, FULL);
    }
    counts[6] = lines(marks, |own| own == 2);
}
