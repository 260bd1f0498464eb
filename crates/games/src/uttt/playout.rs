//! Random games to the end, on a state that contains only what they need.
//!
//! A ply depends on the cell of the ply before, which is the next board. The chain of dependent instructions is kept short: a
//! look-up of the board's empty cells with their number, a multiplication by the random number, and a look-up of the cell.
//! Marks, lines and sums are computed in parallel.

use crate::uttt::rules::DrawnBoard;
use crate::uttt::square::{self, FULL, by_mask};
use crate::uttt::{Uttt, UtttMove};
use tictune_core::game::{Outcome, Player};

/// The lowest bit of the number of empty cells in a board's word; the cells are the bits below.
const COUNT: u32 = 12;

/// For each board but the last, a 1 in the board's byte. The last board's number follows from the sum of all.
const IN_BYTE: [u64; 16] =
    [1, 1 << 8, 1 << 16, 1 << 24, 1 << 32, 1 << 40, 1 << 48, 1 << 56, 0, 0, 0, 0, 0, 0, 0, 0];

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// By a player's marks in a small board: the cells that would complete three in a row; the marks from bit 16 on.
const WITH_COMPLETING: [u32; 512] =
    by_mask!(0, |marks| square::completing(marks as u16) as u32 | (marks as u32) << 16);

/// Plays the moves that [`play_drawn`](tictune_core::game::Searchable::play_drawn) would, to the end of the game.
#[inline]
pub(super) fn play_out(
    position: &Uttt,
    draw: impl FnMut(u32) -> u32,
    note: impl FnMut(Player, UtttMove),
) -> Outcome {
    if let Some(outcome) = position.outcome {
        return outcome;
    }
    match position.rules.drawn_board {
        DrawnBoard::Nobody => play_to_end::<false>(position, draw, note),
        DrawnBoard::Both => play_to_end::<true>(position, draw, note),
    }
}

/// Like [`play_out`], for one rule of drawn boards. With `BOTH`, they count for both players.
#[inline]
fn play_to_end<const BOTH: bool>(
    position: &Uttt,
    mut draw: impl FnMut(u32) -> u32,
    mut note: impl FnMut(Player, UtttMove),
) -> Outcome {
    // The empty cells of open boards and their number. Closed boards have 0, and so has the entry 9, for a free choice.
    let mut boards = [0_u16; 16];
    // By player and board; the second player's boards begin at 16.
    let mut marks = [0_u32; 32];
    // The number of open squares in each of the boards 0 to 7, one byte each.
    let mut in_boards = 0_u64;
    for board in 0..9 {
        let first = position.marks(Player::First, board) & FULL;
        let second = position.marks(Player::Second, board) & FULL;
        marks[board] = WITH_COMPLETING[usize::from(first)];
        marks[16 + board] = WITH_COMPLETING[usize::from(second)];
        let open = (position.closed >> board & 1).wrapping_sub(1);
        let empty = !(first | second) & FULL & open;
        let count = square::count(empty);
        boards[board] = empty | (count << COUNT) as u16;
        in_boards |= u64::from(count) * IN_BYTE[board];
    }
    let mut closed = position.closed;
    let mut player = position.side;
    let mut won = [position.won(player), position.won(player.other())];
    let mut target = usize::from(position.target & 15);
    loop {
        let (mut board, mut word) = (target, boards[target]);
        let cell = if word == 0 {
            // The number of squares up to each board, to compare with `index`.
            let up_to = in_boards.wrapping_mul(ONES);
            let squares = (up_to >> 56) as u32 + u32::from(boards[8] >> COUNT);
            if squares == 0 {
                if player == Player::Second {
                    won.reverse();
                }
                return Uttt { won, closed: FULL, ..*position }
                    .find_outcome(player.other())
                    .unwrap_or(Outcome::Draw);
            }
            let index = draw(squares);
            let above = (up_to | HIGH).wrapping_sub((u64::from(index) + 1).wrapping_mul(ONES));
            let below = (!above & HIGH) >> 7;
            board = (below.wrapping_mul(ONES) >> 56) as usize & 15;
            let before = up_to >> ((8 * board + 56) & 63) & 0xff & (below & 1).wrapping_neg();
            word = boards[board];
            square::nth_cell(word, index as usize - before as usize)
        } else {
            square::nth_cell(word, draw(u32::from(word >> COUNT)) as usize)
        };
        note(player, UtttMove((9 * board + cell) as u8));
        let mine = &mut marks[16 * player.index() + board];
        let line = *mine >> cell & 1;
        *mine = WITH_COMPLETING[(*mine >> 16 | 1 << cell) as usize & 511];
        // Computed without a branch, which could not be predicted. Taking the last empty cell leaves 0.
        let left = word - (1 << COUNT | 1 << cell);
        boards[board] = if line == 1 { 0 } else { left };
        let gone = if line == 1 { word >> COUNT } else { 1 };
        in_boards -= u64::from(gone) * IN_BYTE[board];
        won[0] |= (line as u16) << board;
        if BOTH {
            closed |= u16::from(line == 1 || left == 0) << board;
            let shared = closed & !(won[0] | won[1]);
            if square::has_line(won[0] | shared) {
                return Outcome::Win(player);
            }
            if square::has_line(won[1] | shared) {
                return Outcome::Win(player.other());
            }
        } else if square::has_line(won[0]) {
            return Outcome::Win(player);
        }
        target = cell;
        won.swap(0, 1);
        player = player.other();
    }
}
