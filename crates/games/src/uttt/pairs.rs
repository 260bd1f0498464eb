//! Counts sequences of two moves without playing most of them.

use crate::uttt::Uttt;
use crate::uttt::square::{self, FULL};
use tictune_core::game::Position;

/// For each bit of the index, a byte: all ones if the bit is set, otherwise 0.
const BYTES: [u64; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[bits] |= ((bits as u64 >> bit & 1) * 0xff) << (8 * bit);
            bit += 1;
        }
        bits += 1;
    }
    table
};

/// See [`legal_pair_count`](tictune_core::game::Searchable::legal_pair_count). The replies to a move that leaves its board
/// open are the empty cells of the board that it sends to, or of all open boards. Moves that close boards are played.
pub(super) fn count(position: &Uttt) -> u64 {
    if position.outcome.is_some() {
        return 0;
    }
    let open = !position.closed & FULL;
    // The number of open squares in all boards, in the last board, and in each of the others as a
    // byte. A product then sums some of these bytes; the sum is at most 8 x 9.
    let (mut all, mut last, mut packed) = (0, 0, 0);
    for board in 0..9 {
        let cells = position.empty(board) & (open >> board & 1).wrapping_neg();
        last = u64::from(square::count(cells));
        all += last;
        packed |= if board < 8 { last << (8 * board) } else { 0 };
    }
    let free = all.saturating_sub(1);
    let mut boards = position.target().map_or(open, |board| 1 << board);
    let mut pairs = 0;
    while boards != 0 {
        let board = boards.trailing_zeros() as usize;
        boards &= boards - 1;
        let empty = position.empty(board);
        let closing = match square::count(empty) {
            1 => empty,
            _ => square::completing(position.marks(position.side, board)) & empty,
        };
        let quiet = empty & !closing;
        let sent = (packed & BYTES[usize::from(quiet & 0xff)]).wrapping_mul(0x0101_0101_0101_0101);
        // A move that sends the opponent to its own board leaves one reply less.
        pairs += (sent >> 56) + last * u64::from(quiet >> 8) - u64::from(quiet >> board & 1)
            + free * u64::from(square::count(quiet & position.closed));
        let mut left = closing;
        while left != 0 {
            let cell = left.trailing_zeros() as usize;
            left &= left - 1;
            let mut after = *position;
            after.play_on(board, cell);
            pairs += after.legal_move_count() as u64;
        }
    }
    pairs
}
